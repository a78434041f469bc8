"""Taking values apart and putting them together: fields, elements, equality, selection, and the flat form that slots
hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from llvmlite import ir

from ...language.types import (
    Bool,
    Enumeration,
    Identity,
    Int,
    Map,
    Option,
    Pool,
    Record,
    Seq,
    Subset,
    Type,
    scalar_size,
)
from .cells import (
    Access,
    BuiltValue,
    Items,
    Mask,
    NativeNumber,
    NativeOption,
    NativeTruth,
    PackedValue,
    Parts,
    Register,
    leaf_bits,
)
from .layout import Array, Leaf, Struct
from .machine import I1, I64
from .scalars import Bit, Num


class Shapes(Access):
    """Questions that every form of value answers."""

    def number_of(self, value: BuiltValue) -> Num:
        """The number of a scalar: an integer's own value, a position, an index, 0 or 1, a set's mask."""
        match value:
            case NativeNumber(value=number) | Mask(value=number):
                return number
            case NativeTruth(value=bit):
                return self.bit_as_number(bit)
            case PackedValue(type=Int(lo=lo)):
                return self.add(self.code(value), lo)
            case PackedValue(shape=Leaf()):
                return self.code(value)
            case _:
                raise TypeError(f"not a scalar: {value}")

    def truth_of(self, value: BuiltValue) -> Bit:
        """The truth value of a bool."""
        if isinstance(value, NativeTruth):
            return value.value
        return self.compare("!=", self.number_of(value), 0)

    def scalar_from_number(self, type_: Type, number: Num) -> BuiltValue:
        """A scalar from its number."""
        match type_:
            case Bool():
                return NativeTruth(type_, self.compare("!=", number, 0))
            case Subset():
                return Mask(type_, number)
            case _:
                return NativeNumber(type_, number)

    def is_present(self, value: BuiltValue) -> Bit:
        """Whether an option is not None."""
        match value:
            case NativeOption(present=present):
                return present
            case PackedValue(shape=Leaf()):
                return self.compare("!=", self.code(value), 0)
            case PackedValue(shape=Struct()):
                return self.compare("!=", self.code(self.part(value, 0, Bool())), 0)
            case _:
                raise TypeError(f"not an option: {value}")

    def unwrap_option(self, value: BuiltValue, type_: Type) -> BuiltValue:
        """The value inside an option that is present, where one of `type_` is needed.

        A cell is read by its own type, whose interval says what its bits mean.
        """
        match value:
            case NativeOption(value=inner) if inner is not None:
                return inner
            case NativeOption():
                return self.some_value(type_)
            case PackedValue(type=Option(of=own), shape=Leaf()):
                lo = own.lo if isinstance(own, Int) else 0
                return self.scalar_from_number(own, self.add(self.code(value), lo - 1))
            case PackedValue(type=Option(of=own)):
                return self.part(value, 1, own)
            case _:
                raise TypeError(f"not an option: {value}")

    def field(self, value: BuiltValue, name: str) -> BuiltValue:
        """A record's field."""
        assert isinstance(value, PackedValue | Parts)
        assert isinstance(value.type, Record)
        names = [text for text, _ in value.type.fields]
        index = names.index(name)
        if isinstance(value, PackedValue):
            return self.part(value, index, value.type.fields[index][1])
        return value.parts[index]

    def length(self, value: BuiltValue) -> Num:
        """The number of elements of a sequence, pool or set."""
        match value:
            case Items(length=length):
                return length
            case Mask(value=mask):
                return self.count_bits(mask)
            case PackedValue(type=Subset()):
                return self.count_bits(self.code(value))
            case PackedValue(shape=Struct(parts=(count, _))):
                at = self.part(value, 0, Bool())
                return self.extract(at.words, at.word, at.shift, leaf_bits(count))
            case _:
                raise TypeError(f"nothing to count in {value}")

    def capacity(self, value: BuiltValue) -> int:
        """How many elements a sequence or pool value can have."""
        if isinstance(value, Items):
            return len(value.items)
        assert isinstance(value, PackedValue)
        assert isinstance(value.type, Seq | Pool)
        return value.type.capacity

    def element_at(self, value: BuiltValue, index: Num) -> BuiltValue:
        """Element `index` of a sequence, pool or map; the index is known to be within the layout."""
        match value:
            case PackedValue(type=Map(value=of)):
                return self.element(value, index, of)
            case PackedValue(type=(Seq() | Pool()) as type_):
                assert isinstance(value.shape, Struct)
                array = self.part(value, 1, type_)
                return self.element(array, index, type_.of)
            case Items(items=items) | Parts(parts=items):
                if isinstance(index, int):
                    return items[index]
                return self._pick_item(items, index)
            case _:
                raise TypeError(f"no elements in {value}")

    def _pick_item(self, items: tuple[BuiltValue, ...], index: Num) -> BuiltValue:
        chosen = items[0]
        for position, item in enumerate(items[1:], start=1):
            chosen = self.select(self.compare("==", index, position), item, chosen)
        return chosen

    def parts(self, value: BuiltValue) -> list[BuiltValue]:
        """Every part of a record or map."""
        match value:
            case Parts(parts=parts):
                return list(parts)
            case PackedValue(type=Record(fields=fields)):
                return [self.part(value, index, type_) for index, (_, type_) in enumerate(fields)]
            case PackedValue(type=Map(), shape=Array(count=count)):
                return [self.element_at(value, index) for index in range(count)]
            case _:
                raise TypeError(f"no parts in {value}")

    def some_value(self, type_: Type) -> BuiltValue:
        """Some value of a type; used where nobody looks."""
        match type_:
            case Int() | Enumeration() | Identity() | Bool() | Subset():
                return self.scalar_from_number(type_, type_.lo if isinstance(type_, Int) else 0)
            case Option():
                return NativeOption(type_, False, None)
            case Record(fields=fields):
                return Parts(type_, tuple(self.some_value(field_type) for _, field_type in fields))
            case Map(key=key, value=value):
                return Parts(type_, tuple(self.some_value(value) for _ in range(scalar_size(key))))
            case Seq() | Pool():
                return Items(type_, 0, ())
            case _:
                raise TypeError(f"{type_} has no values")

    # --- equality -----------------------------------------------------------------------------------------------------

    def are_equal(self, left: BuiltValue, right: BuiltValue) -> Bit:
        """Whether two values of one type are equal."""
        if (
            isinstance(left, PackedValue)
            and isinstance(right, PackedValue)
            and left.type == right.type
            and left.shape.bits <= 64
        ):
            return self.compare("==", self.code(left), self.code(right))
        match left.type:
            case Bool():
                return self.same(self.truth_of(left), self.truth_of(right))
            case Int() | Enumeration() | Identity() | Subset():
                return self.compare("==", self.number_of(left), self.number_of(right))
            case Option(of=of):
                return self._equal_options(left, right, of)
            case Record() | Map():
                pairs = zip(self.parts(left), self.parts(right), strict=True)
                return reduce(self.both, [self.are_equal(a, b) for a, b in pairs], True)
            case Seq() | Pool():
                return self._equal_items(left, right)
            case _:
                raise TypeError(f"no equality for {left.type}")

    def _equal_options(self, left: BuiltValue, right: BuiltValue, of: Type) -> Bit:
        here, there = self.is_present(left), self.is_present(right)
        if here is False or there is False:
            return self.negate(self.either(here, there))
        inner = self.are_equal(self.unwrap_option(left, of), self.unwrap_option(right, of))
        return self.both(self.same(here, there), self.either(self.negate(here), inner))

    def _equal_items(self, left: BuiltValue, right: BuiltValue) -> Bit:
        length = self.length(left)
        result = self.compare("==", length, self.length(right))
        for index in range(min(self.capacity(left), self.capacity(right))):
            beyond = self.compare("<=", length, index)
            result = self.both(
                result, self.either(beyond, self.are_equal(self.element_at(left, index), self.element_at(right, index)))
            )
        return result

    # --- selection and the flat form ----------------------------------------------------------------------------------

    def select(self, condition: Bit, yes: BuiltValue, no: BuiltValue) -> BuiltValue:
        """`yes` where the condition holds, else `no`; both of one type up to intervals and capacities."""
        if isinstance(condition, bool):
            return yes if condition else no
        if (
            isinstance(yes, PackedValue)
            and isinstance(no, PackedValue)
            and yes.type == no.type
            and yes.shape.bits <= 64
        ):
            return PackedValue(
                yes.type, yes.shape, Register(self.select_number(condition, self.code(yes), self.code(no))), 0, 0
            )
        type_ = common_type(yes.type, no.type)
        a, b = self.flatten(yes, type_), self.flatten(no, type_)
        picked = [self.builder.select(condition, one, other) for one, other in zip(a, b, strict=True)]
        return self.rebuild(type_, iter(picked))

    def flatten(self, value: BuiltValue, type_: Type) -> list[ir.Value]:
        """The scalars of a value, in a fixed order that depends on `type_` only."""
        match type_:
            case Bool():
                return [self.llvm_bit(self.truth_of(value))]
            case Int() | Enumeration() | Identity() | Subset():
                return [self.llvm_number(self.number_of(value))]
            case Option(of=of):
                absent = isinstance(value, NativeOption) and value.value is None
                inner = self.some_value(of) if absent else self.unwrap_option(value, of)
                return [self.llvm_bit(self.is_present(value)), *self.flatten(inner, of)]
            case Record(fields=fields):
                return [
                    leaf
                    for (_, of), part in zip(fields, self.parts(value), strict=True)
                    for leaf in self.flatten(part, of)
                ]
            case Map(value=of):
                return [leaf for part in self.parts(value) for leaf in self.flatten(part, of)]
            case Seq(of=of, capacity=capacity) | Pool(of=of, capacity=capacity):
                have = self.capacity(value)
                items = [
                    self.element_at(value, index) if index < have else self.some_value(of) for index in range(capacity)
                ]
                return [
                    self.llvm_number(self.length(value)),
                    *(leaf for item in items for leaf in self.flatten(item, of)),
                ]
            case _:
                raise TypeError(f"{type_} has no values")

    def rebuild(self, type_: Type, leaves: Iterator[ir.Value]) -> BuiltValue:
        """A value from the scalars that `flatten` gave."""
        match type_:
            case Bool():
                return NativeTruth(type_, next(leaves))
            case Int() | Enumeration() | Identity():
                return NativeNumber(type_, next(leaves))
            case Subset():
                return Mask(type_, next(leaves))
            case Option(of=of):
                return NativeOption(type_, next(leaves), self.rebuild(of, leaves))
            case Record(fields=fields):
                return Parts(type_, tuple(self.rebuild(unbounded_type(field_type), leaves) for _, field_type in fields))
            case Map(key=key, value=of):
                return Parts(type_, tuple(self.rebuild(of, leaves) for _ in range(scalar_size(key))))
            case Seq(of=of, capacity=capacity) | Pool(of=of, capacity=capacity):
                length = next(leaves)
                return Items(type_, length, tuple(self.rebuild(of, leaves) for _ in range(capacity)))
            case _:
                raise TypeError(f"{type_} has no values")

    def value_at_present(self, value: BuiltValue) -> BuiltValue:
        """The value as it is now, whatever is written to memory later."""
        match value:
            case PackedValue() if value.shape.bits <= 64:
                return PackedValue(value.type, value.shape, Register(self.code(value)), 0, 0)
            case PackedValue():
                return self.rebuild(value.type, iter(self.flatten(value, value.type)))
            case NativeOption(value=inner) if inner is not None:
                return NativeOption(value.type, value.present, self.value_at_present(inner))
            case Parts():
                return Parts(value.type, tuple(map(self.value_at_present, value.parts)))
            case Items():
                return Items(value.type, value.length, tuple(map(self.value_at_present, value.items)))
            case _:
                return value


def leaf_types(type_: Type) -> list[ir.Type]:
    """The LLVM types of the scalars that `flatten` gives for a type."""
    match type_:
        case Bool():
            return [I1]
        case Int() | Enumeration() | Identity() | Subset():
            return [I64]
        case Option(of=of):
            return [I1, *leaf_types(of)]
        case Record(fields=fields):
            return [leaf for _, field_type in fields for leaf in leaf_types(field_type)]
        case Map(key=key, value=of):
            return leaf_types(of) * scalar_size(key)
        case Seq(of=of, capacity=capacity) | Pool(of=of, capacity=capacity):
            return [I64, *(leaf_types(of) * capacity)]
        case _:
            raise TypeError(f"{type_} has no values")


def unbounded_type(type_: Type) -> Type:
    """The type with integers of any size: what a record that is made on the way has in a field is checked when it is
    stored, not before."""
    match type_:
        case Int():
            return Int(-(2**62), 2**62)
        case Option(of=of):
            return Option(unbounded_type(of))
        case Map(key=key, value=of):
            return Map(key, unbounded_type(of))
        case Seq(of=of):
            return replace(type_, of=unbounded_type(of))
        case _:
            return type_


def is_interval_within(inner: Type, outer: Type) -> bool:
    """Whether the interval of a number lies within another, where both are numbers."""
    return not (isinstance(inner, Int) and isinstance(outer, Int)) or outer.lo <= inner.lo <= inner.hi <= outer.hi


def common_type(left: Type, right: Type) -> Type:
    """The type that holds values of both: intervals joined, capacities at their larger."""
    match left, right:
        case Int(lo=a, hi=b), Int(lo=c, hi=d):
            return Int(min(a, c), max(b, d))
        case Option(of=a), Option(of=b):
            return Option(common_type(a, b))
        case Seq(of=a, capacity=m), Seq(of=b, capacity=n):
            return Seq(common_type(a, b), max(m, n))
        case Pool(of=a, capacity=m, multiple=multiple), Pool(capacity=n):
            return Pool(a, max(m, n), multiple)
        case Record(fields=a), Record(fields=b):
            return replace(
                left, fields=tuple((text, common_type(x, y)) for (text, x), (_, y) in zip(a, b, strict=True))
            )
        case Map(key=key, value=a), Map(value=b):
            return Map(key, common_type(a, b))
        case _:
            return left
