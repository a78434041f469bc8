"""The values of a type by their numbers: what a parameter is tried with, in the order of `checks.members_of`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import accumulate
from typing import cast

from llvmlite import ir as llvm

from ...language.constants import Constant, ConstantExpression, Literal, OpenExpression, Operation
from ...language.types import (
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
    sequence_counts,
    set_count,
    value_count,
)
from .cells import BuiltValue, Items, NativeNumber, NativeOption, Parts
from .layout import Layout
from .scalars import Bit, Num
from .shapes import Shapes


class Choices(Shapes):
    """Makes values from their numbers, and says which of them exist with the values that open constants have."""

    layout: Layout
    opens: Mapping[str, llvm.Value]

    def member_count(self, type_: Type) -> Num:
        """How many members of a finite scalar type exist in this run."""
        if isinstance(type_, Identity) and type_.size_open is not None:
            return self.bound_value(type_.size_open)
        return scalar_size(type_)

    def existence_test(self, type_: Type) -> Callable[[Num], Bit]:
        """Whether the value of a finite type with some position exists in this run."""
        match type_:
            case Identity(size_open=size) if size is not None:
                count = self.bound_value(size)
                return lambda at: self.compare("<", at, count)
            case Int(lo=base, lo_open=lo, hi_open=hi) if lo is not None or hi is not None:
                first = 0 if lo is None else self.sub(self.bound_value(lo), base)
                last = type_.hi - base if hi is None else self.sub(self.bound_value(hi), base)
                return lambda at: self.both(self.compare("<=", first, at), self.compare("<=", at, last))
            case Option(of=of):
                inner = self.existence_test(of)
                return lambda at: self.either(self.compare("==", at, 0), inner(self.sub(at, 1)))
            case Subset(of=of):
                here = self.existence_test(of)
                strange = reduce(
                    self.bor, [self.select_number(here(at), 0, 1 << at) for at in range(scalar_size(of))], 0
                )
                return lambda at: self.compare("==", self.band(at, strange), 0)
            case Record(variants=variants) if variants:
                return self._existing_variant([member for member, _ in variants])
            case Record(fields=fields):
                parts = [of for _, of in fields]
                checks = [self.existence_test(of) for of in parts]
                return lambda at: reduce(
                    self.both,
                    [check(digit) for check, digit in zip(checks, self.split_position(at, parts), strict=True)],
                    True,
                )
            case Seq() | Pool():
                return self._existing_elements(type_)
            case Map(key=key, value=value):
                return self._existing_map(key, value)
            case _:
                return lambda _at: True

    def _existing_map(self, key: Type, value: Type) -> Callable[[Num], Bit]:
        """A map has existing values at the keys that exist; what stands at the others is the first value, once."""
        has_key, exists = self.existence_test(key), self.existence_test(value)
        parts = [value] * scalar_size(key)

        def check(at: Num) -> Bit:
            digits = enumerate(self.split_position(at, parts))
            there = [
                self.either(
                    self.both(has_key(index), exists(digit)),
                    self.both(self.negate(has_key(index)), self.compare("==", digit, 0)),
                )
                for index, digit in digits
            ]
            return reduce(self.both, there, True)

        return check

    def split_position(self, position: Num, parts: Sequence[Type]) -> list[Num]:
        """The position of a combination of values as the position of each of its parts, the last changing fastest."""
        made: list[Num] = []
        for of in reversed(parts):
            position, digit = self.divide(position, value_count(of))
            made.insert(0, digit)
        return made

    def bound_value(self, expression: ConstantExpression) -> Num:
        """A bound that depends on open constants, at run time."""
        match expression:
            case Literal(number=number):
                return number
            case Constant(name=name):
                return self.opens[name] if name in self.opens else int(cast(int, self.layout.values[name]))
            case Operation(op=op, left=left, right=right):
                return self.operate(op, self.bound_value(left), self.bound_value(right))
            case OpenExpression(expression=opened):
                return self.bound_value(opened)
            case _:
                raise TypeError(f"not a bound: {expression}")

    def operate(self, op: str, left: Num, right: Num) -> Num:
        """`left op right`; the divisor of `//` and `%` is not 0."""
        match op:
            case "+":
                return self.add(left, right)
            case "-":
                return self.sub(left, right)
            case "*":
                return self.mul(left, right)
            case "min":
                return self.select_number(self.compare("<", right, left), right, left)
            case "max":
                return self.select_number(self.compare(">", right, left), right, left)
            case "**":
                return self.power(left, right)
            case _:
                return self.divide(left, right)[0 if op == "//" else 1]

    def member_at(self, type_: Type, index: Num) -> BuiltValue:
        """The value of a finite type at a position, in the order of `checks.members_of`."""
        match type_:
            case Int():
                return NativeNumber(type_, self.add(index, type_.lo))
            case Option(of=of):
                return NativeOption(type_, self.compare("!=", index, 0), self.member_at(of, self.sub(index, 1)))
            case Record(variants=variants) if variants:
                return self._union_value_at(type_, index)
            case Record(fields=fields):
                return self._combination(type_, index, [of for _, of in fields])
            case Map(key=key, value=value):
                return self._combination(type_, index, [value] * scalar_size(key))
            case Seq(of=of):
                length, digits = self._sequence_at(type_, index)
                return Items(type_, length, tuple(self.member_at(of, digit) for digit in digits))
            case Pool():
                return self.gather_records(type_, self._members_at(type_, index))
            case _:
                return self.scalar_from_number(type_, index)

    def _combination(self, type_: Record | Map, index: Num, parts: list[Type]) -> BuiltValue:
        digits = zip(parts, self.split_position(index, parts), strict=True)
        return Parts(type_, tuple(self.member_at(of, digit) for of, digit in digits))

    # --- sequences, sets of records, unions ---------------------------------------------------------------------------

    def gather_records(self, type_: Pool, chosen_bits: Sequence[Bit]) -> BuiltValue:
        """The set of the records that are chosen, each by its number; at most as many as the type has room for."""
        raise NotImplementedError

    def _sequence_at(self, type_: Seq, position: Num) -> tuple[Num, list[Num]]:
        """The length of the sequence at a position, and the positions of its elements; 0 for those beyond its end."""
        counts = sequence_counts(type_)
        length, start, scale = cast("tuple[Num, Num, Num]", (0, 0, counts[-1]))
        for size, first in enumerate([*accumulate(counts)][:-1], 1):
            longer = self.compare(">=", position, first)
            length, start = self.select_number(longer, size, length), self.select_number(longer, first, start)
            scale = self.select_number(longer, counts[-1 - size], scale)
        return length, self.split_position(self.mul(self.sub(position, start), scale), [type_.of] * type_.capacity)

    def _members_at(self, type_: Pool, position: Num) -> list[Bit]:
        """Which values are in the set at a position: those with the greatest numbers are decided first."""
        count = value_count(type_.of)
        room = min(type_.capacity, count)
        left: Num = room
        chosen: list[Bit] = []
        for place in reversed(range(count)):
            without: Num = set_count(place, room)
            for fewer in range(room):
                without = self.select_number(self.compare("==", left, fewer), set_count(place, fewer), without)
            taken = self.compare(">=", position, without)
            position, left = (
                self.sub(position, self.select_number(taken, without, 0)),
                self.sub(left, self.bit_as_number(taken)),
            )
            chosen.insert(0, taken)
        return chosen

    def _existing_elements(self, type_: Seq | Pool) -> Callable[[Num], Bit]:
        """A sequence or set has elements that exist, and no more of them than there is room for."""
        exists = self.existence_test(type_.of)
        room = type_.capacity if type_.capacity_open is None else self.bound_value(type_.capacity_open)

        def check(at: Num) -> Bit:
            if isinstance(type_, Seq):
                length, numbers = self._sequence_at(type_, at)
                there = [self.compare("<", place, length) for place in range(len(numbers))]
            else:
                there, numbers = self._members_at(type_, at), range(value_count(type_.of))
                length = reduce(self.add, map(self.bit_as_number, there), cast(Num, 0))
            found = zip(there, numbers, strict=True)
            checks = [self.either(self.negate(inside), exists(number)) for inside, number in found]
            return reduce(self.both, checks, self.compare("<=", length, room))

        return check

    def _record_positions(self, members: Sequence[Record], position: Num) -> list[tuple[Bit, Num]]:
        """Of each record of a union, whether the value at a position is one, and at which position of the record's."""
        made: list[tuple[Bit, Num]] = []
        for first, member in zip(accumulate(map(value_count, members), initial=0), members, strict=False):
            inside = self.both(
                self.compare("<=", first, position), self.compare("<", position, first + value_count(member))
            )
            made.append((inside, self.select_number(inside, self.sub(position, first), 0)))
        return made

    def _existing_variant(self, members: Sequence[Record]) -> Callable[[Num], Bit]:
        checks = [self.existence_test(member) for member in members]

        def check(at: Num) -> Bit:
            own = zip(self._record_positions(members, at), checks, strict=True)
            return reduce(self.either, [self.both(inside, exists(place)) for (inside, place), exists in own], False)

        return check

    def _union_value_at(self, type_: Record, position: Num) -> BuiltValue:
        """The value of a union at a position: those of its first record come first."""
        ranges = self._record_positions([member for member, _ in type_.variants], position)
        made: BuiltValue | None = None
        for number, (inside, place) in enumerate(ranges):
            value = self._record_value_at(type_, number, place)
            made = value if made is None else self.select(inside, value, made)
        assert made is not None, "a union has records"
        return made

    def _record_value_at(self, type_: Record, number: int, position: Num) -> BuiltValue:
        """The value at a position of a union's record, as one of the union: what it does not have is absent."""
        member, places = type_.variants[number]
        held = dict(zip(places, self.parts(self.member_at(member, position)), strict=True))
        kind, *slots = [of for _, of in type_.fields]
        parts = [
            self._optional_part(of, held[at]) if at in held else self.some_value(of) for at, of in enumerate(slots, 1)
        ]
        return Parts(type_, (self.scalar_from_number(kind, number), *parts))

    def _optional_part(self, of: Type, value: BuiltValue) -> BuiltValue:
        """A part in the place that a union has for it, which is optional where other records have no such part."""
        if isinstance(of, Option) and not isinstance(value.type, Option):
            return NativeOption(of, True, value)
        return value
