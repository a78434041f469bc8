"""Values while code is generated: read lazily from packed words, or built from parts.

A `PackedValue` lies in packed words, in memory or in a register; nothing is read until a part of it is needed. The
other forms are built by expressions. All of them answer the same few questions (see `expressions`).
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

from llvmlite import ir

from ...language.immutable import immutable
from ...language.types import Map, Option, Pool, Record, Seq, Subset, Type
from .layout import Array, Leaf, Shape, Struct
from .machine import I64, address, word
from .scalars import Bit, Num, Scalars


class Words(Protocol):
    """Where packed words come from."""

    def read(self, scalars: Scalars, index: Num) -> Num:
        """The word at an index."""
        ...


@immutable
class Memory:
    """Words in memory. `loaded_words` are those of a state that nobody writes, read once on entry."""

    pointer: ir.Value
    loaded_words: tuple[ir.Value, ...] = ()

    def read(self, scalars: Scalars, index: Num) -> Num:
        if isinstance(index, int) and self.loaded_words:
            return self.loaded_words[index]
        return scalars.builder.load(address(scalars.builder, self.pointer, scalars.llvm_number(index)))


@immutable
class Register:
    """A narrow value held in one register."""

    value: Num

    def read(self, scalars: Scalars, index: Num) -> Num:
        assert index == 0
        return self.value


@immutable
class PackedValue:
    """A value of `type` packed at (word, shift) of `words`."""

    type: Type
    shape: Shape
    words: Words
    word: Num
    shift: Num


@immutable
class NativeNumber:
    """An integer, an enum's position, an identity's index."""

    type: Type
    value: Num


@immutable
class NativeTruth:
    """A bool."""

    type: Type
    value: Bit


@immutable
class Mask:
    """A set over a finite scalar type, one bit a member."""

    type: Subset
    value: Num


@immutable
class NativeOption:
    """An option; `value` is meaningless where not present, and absent altogether for a bare `None`."""

    type: Option
    present: Bit
    value: BuiltValue | None


@immutable
class Parts:
    """A record's fields, or a map's values in the order of its keys."""

    type: Record | Map
    parts: tuple[BuiltValue, ...]


@immutable
class Items:
    """A sequence's or pool's elements; those at `length` and beyond are meaningless."""

    type: Seq | Pool
    length: Num
    items: tuple[BuiltValue, ...]


BuiltValue: TypeAlias = PackedValue | NativeNumber | NativeTruth | Mask | NativeOption | Parts | Items


class Access(Scalars):
    """Reading and writing packed words."""

    def extract(self, words: Words, word: Num, shift: Num, bits: int) -> Num:
        """`bits` bits at a place, as a number."""
        if bits == 0:
            return 0
        value = self.shr(words.read(self, word), shift)
        return value if bits == 64 else self.band(value, (1 << bits) - 1)

    def insert(self, pointer: ir.Value, word: Num, shift: Num, bits: int, value: Num) -> None:
        """Replace `bits` bits at a place of memory."""
        if bits == 0:
            return
        cell = address(self.builder, pointer, self.llvm_number(word))
        mask = self.shl((1 << bits) - 1, shift)
        kept = self.band(self.builder.load(cell), self.bxor(mask, (1 << 64) - 1))
        self.builder.store(self.llvm_number(self.bor(kept, self.shl(value, shift))), cell)

    def element_place(self, shape: Array, word_index: Num, shift: Num, index: Num) -> tuple[Num, Num]:
        """Where element `index` of an array at (at, shift) lies."""
        bits = shape.element.bits
        if isinstance(index, int):
            step = shape.place_of_element(index)
            return self.add(word_index, step[0]), self.add(shift, step[1])
        if shape.per_word == 0:
            return self.add(word_index, self.mul(index, -(-bits // 64))), 0
        if shape.bits <= 64:
            return word_index, self.add(shift, self.mul(index, bits))
        skip = self.builder.udiv(index, word(shape.per_word))
        rest = self.sub(index, self.mul(skip, shape.per_word))
        return self.add(word_index, skip), self.mul(rest, bits)

    def part(self, cell: PackedValue, index: int, type_: Type) -> PackedValue:
        """Part `index` of a struct's cell."""
        assert isinstance(cell.shape, Struct)
        step = cell.shape.places[index]
        return PackedValue(
            type_, cell.shape.parts[index], cell.words, self.add(cell.word, step[0]), self.add(cell.shift, step[1])
        )

    def element(self, cell: PackedValue, index: Num, type_: Type) -> PackedValue:
        """Element `index` of an array's cell."""
        assert isinstance(cell.shape, Array)
        at, shift = self.element_place(cell.shape, cell.word, cell.shift, index)
        return PackedValue(type_, cell.shape.element, cell.words, at, shift)

    def code(self, cell: PackedValue) -> Num:
        """All bits of a narrow cell as one number."""
        return self.extract(cell.words, cell.word, cell.shift, cell.shape.bits)

    def wide_code(self, cell: PackedValue, width: int) -> ir.Value:
        """All words of a cell as one number of `width` bits (a multiple of 64); the last word counts most."""
        if width == 64:
            return self.llvm_number(self.code(cell))
        big = ir.IntType(width)
        total: ir.Value = ir.Constant(big, 0)
        for index in range(width // 64):
            code = self.llvm_number(cell.words.read(self, self.add(cell.word, index)))
            total = self.builder.or_(
                total, self.builder.shl(self.builder.zext(code, big), ir.Constant(big, 64 * index))
            )
        return total

    def put_wide_code(self, pointer: ir.Value, word: Num, shift: Num, shape: Shape, value: ir.Value) -> None:
        """Write what `wide_code` read."""
        if value.type.width == 64:
            self.insert(pointer, word, shift, shape.bits, value)
            return
        big = value.type
        for index in range(big.width // 64):
            low = self.builder.trunc(self.builder.lshr(value, ir.Constant(big, 64 * index)), I64)
            self.builder.store(low, address(self.builder, pointer, self.llvm_number(self.add(word, index))))


def leaf_bits(shape: Shape) -> int:
    """The bits of a leaf; for reading counts and flags."""
    assert isinstance(shape, Leaf)
    return shape.bits
