"""What can be done with shapes, whatever their encoding: the one or the other, equality and order, reading, writing."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Several
from typing import TypeVar, cast

import z3

from .numbers import Integers
from .shapes import (
    Fields,
    Heap,
    IntegerMap,
    MemberBits,
    Records,
    Sequence,
    Shape,
    Slots,
    SymbolicOption,
    Table,
    UnboundedSet,
)
from .terms import (
    Bit,
    Number,
    and_bits,
    bits_equal,
    choose_bit,
    conjunction,
    constant_number,
    disjunction,
    implies,
    negation,
    or_bits,
)

T = TypeVar("T")


class ExtensionalError(Exception):
    """Two functions cannot be compared without a quantifier."""


class Algebra:
    """Operations on shapes over one kind of numbers."""

    def __init__(self, numbers: Integers) -> None:
        self.numbers = numbers

    # --- scalars ------------------------------------------------------------------------------------------------------

    def number(self, shape: Shape) -> Number:
        """A scalar as a number; a truth value counts as 0 or 1."""
        return shape if isinstance(shape, Number) else self.numbers.as_number(truth_bit(shape))

    def is_constant(self, index: Number, constant: int) -> Bit:
        """Whether a number is this constant."""
        return self.numbers.are_equal(index, constant_number(constant))

    def is_below(self, constant: int, end: Number) -> Bit:
        """Whether a constant is below a number."""
        return self.numbers.is_less(constant_number(constant), end)

    # --- the one or the other -----------------------------------------------------------------------------------------

    def choose(self, condition: Bit, yes: Shape, no: Shape) -> Shape:
        """The one or the other."""
        if isinstance(condition, bool):
            return yes if condition else no
        if yes is no:
            return yes
        match yes, no:
            case Number(), Number():
                return self.numbers.choose(condition, yes, no)
            case SymbolicOption(), SymbolicOption():
                return SymbolicOption(
                    choose_bit(condition, yes.present, no.present), self._option_choice(condition, yes, no)
                )
            case Fields(), Fields():
                return Fields({name: self.choose(condition, part, no.parts[name]) for name, part in yes.parts.items()})
            case Table(), Table():
                return Table(yes.first, self._chosen_parts(condition, yes.parts, no.parts))
            case MemberBits(), MemberBits():
                return self._chosen_members(condition, yes, no)
            case (bool() | z3.BoolRef(), bool() | z3.BoolRef()):
                return choose_bit(condition, yes, no)
            case _:
                return self._chosen_container(condition, yes, no)

    def _chosen_container(self, condition: Bit, yes: Shape, no: Shape) -> Shape:
        match yes, no:
            case Slots(), Slots():
                length = self.numbers.choose(condition, yes.length, no.length)
                return Slots(length, self._chosen_parts(condition, yes.parts, no.parts))
            case Heap(), Heap():
                count = self.numbers.choose(condition, yes.count, no.count)
                slots = cast("tuple[Fields, ...]", self._chosen_parts(condition, yes.slots, no.slots))
                return Heap(count, slots, yes.multiple)
            case Sequence(), Sequence():
                length = self.numbers.choose(condition, yes.length, no.length)
                return Sequence(
                    length, memoize(lambda at: self.choose(condition, yes.element_at(at), no.element_at(at)))
                )
            case Slots(), Sequence():
                return self._chosen_container(condition, self._sequence_of_any_length(yes, no), no)
            case Sequence(), Slots():
                return self._chosen_container(condition, yes, self._sequence_of_any_length(no, yes))
            case IntegerMap(), IntegerMap():
                return IntegerMap(
                    yes.ends, memoize(lambda at: self.choose(condition, yes.element_at(at), no.element_at(at)))
                )
            case UnboundedSet(), UnboundedSet():
                return UnboundedSet(memoize(lambda number: choose_bit(condition, yes.has(number), no.has(number))))
            case (UnboundedSet() | MemberBits(), UnboundedSet() | MemberBits()):
                return self._chosen_container(condition, self._unbounded_set(yes), self._unbounded_set(no))
            case (IntegerMap() | Table(), IntegerMap() | Table()):
                return self._chosen_container(
                    condition, self._map_between_ends_of(yes, no), self._map_between_ends_of(no, yes)
                )
            case (Heap() | Records(), Heap() | Records()):
                one, other = self.as_records(cast("Heap | Records", yes)), self.as_records(cast("Heap | Records", no))
                return Records(lambda record: choose_bit(condition, one.has(record), other.has(record)), one.multiple)
            case Number() | bool() | z3.BoolRef(), Number() | bool() | z3.BoolRef():
                return self.numbers.choose(condition, self.number(yes), self.number(no))
            case _:
                raise TypeError(f"{type(yes).__name__} and {type(no).__name__} are not of one type")

    def _unbounded_set(self, subset: UnboundedSet | MemberBits) -> UnboundedSet:
        """Members of any number: those of a few."""
        return (
            subset
            if isinstance(subset, UnboundedSet)
            else UnboundedSet(lambda number: self.has_element(subset, number))
        )

    def _map_between_ends_of(self, table: IntegerMap | Table, other: IntegerMap | Table) -> IntegerMap:
        """A map over keys between the ends of another: one over a few."""
        if isinstance(table, IntegerMap):
            return table
        ends = cast(IntegerMap, other).ends
        return IntegerMap(ends, memoize(lambda index: self.select_part(table.parts, table.first, index)))

    def as_records(self, pool: Heap | Records) -> Records:
        """Records of any number: those of a few."""
        return Records(lambda record: self.has_element(pool, record), pool.multiple) if isinstance(pool, Heap) else pool

    def _sequence_of_any_length(self, few: Slots, many: Sequence) -> Sequence:
        """A sequence of few elements as one of any number of them: what is not there is the other's."""
        if not few.parts:
            return Sequence(few.length, many.element_at)
        return Sequence(few.length, memoize(lambda at: self.select_part(few.parts, 0, at)))

    def _option_choice(self, condition: Bit, yes: SymbolicOption, no: SymbolicOption) -> Shape | None:
        if yes.value is None or no.value is None:
            return no.value if yes.value is None else yes.value
        return self.choose(condition, yes.value, no.value)

    def _chosen_parts(self, condition: Bit, yes: Several[Shape], no: Several[Shape]) -> tuple[Shape, ...]:
        """Part by part; where one has no part, the other's."""
        shared = [self.choose(condition, one, other) for one, other in zip(yes, no, strict=False)]
        return (*shared, *yes[len(no) :], *no[len(yes) :])

    def _chosen_members(self, condition: Bit, yes: MemberBits, no: MemberBits) -> MemberBits:
        one, other = align_members(yes, no)
        bits = (choose_bit(condition, left, right) for left, right in zip(one.bits, other.bits, strict=True))
        return MemberBits(one.first, tuple(bits))

    # --- equality -----------------------------------------------------------------------------------------------------

    def are_same(self, left: Shape, right: Shape) -> Bit:
        """Whether two values of one type are equal."""
        if left is right:
            return True
        match left, right:
            case SymbolicOption(), SymbolicOption():
                alike = bits_equal(left.present, right.present)
                if left.value is None or right.value is None:
                    return alike
                return and_bits(
                    alike, implies(and_bits(left.present, right.present), self.are_same(left.value, right.value))
                )
            case Fields(), Fields():
                return conjunction(self.are_same(part, right.parts[name]) for name, part in left.parts.items())
            case Table(), Table():
                return conjunction(
                    self.are_same(one, other) for one, other in zip(left.parts, right.parts, strict=True)
                )
            case MemberBits(), MemberBits():
                one, other = align_members(left, right)
                return conjunction(bits_equal(a, b) for a, b in zip(one.bits, other.bits, strict=True))
            case Slots(), Slots():
                return self._have_same_prefix(left.length, left.parts, right.length, right.parts)
            case Heap(), Heap():
                return self._have_same_prefix(left.count, left.slots, right.count, right.slots)
            case Sequence(), Sequence():
                if left.length.term == 0 or right.length.term == 0:
                    return self.numbers.are_equal(left.length, right.length)
                raise ExtensionalError
            case (bool() | z3.BoolRef(), bool() | z3.BoolRef()):
                return bits_equal(left, right)
            case (Number() | bool() | z3.BoolRef(), Number() | bool() | z3.BoolRef()):
                return self.numbers.are_equal(self.number(left), self.number(right))
            case _:
                raise ExtensionalError

    def _have_same_prefix(self, left: Number, one: Several[Shape], right: Number, other: Several[Shape]) -> Bit:
        alike = self.numbers.are_equal(left, right)
        if alike is False:
            return False
        inside = (
            implies(and_bits(alike, self.is_below(at, left)), self.are_same(one[at], other[at]))
            for at in range(min(len(one), len(other)))
        )
        return conjunction([alike, *inside])

    # --- order, as the judge sorts ------------------------------------------------------------------------------------

    def precedes(self, left: Shape, right: Shape) -> Bit:
        """Whether the one comes before the other in the one order of values."""
        before: Bit = False
        for one, other in reversed(list(zip(self.order_keys(left), self.order_keys(right), strict=False))):
            less, same = self.numbers.is_less(one, other), self.numbers.are_equal(one, other)
            before = or_bits(less, and_bits(same, before))
        return before

    def order_keys(self, shape: Shape) -> list[Number]:
        """Numbers whose lexicographic order is that of the values: nothing first, sets as bit masks, a sequence before
        those that go on after it."""
        match shape:
            case SymbolicOption(present=present, value=value):
                rest = [] if value is None else self.order_keys(value)
                return [
                    self.numbers.as_number(present),
                    *(self.numbers.choose(present, key, self._lower_bound(key)) for key in rest),
                ]
            case Fields(parts=parts):
                return [key for part in parts.values() for key in self.order_keys(part)]
            case Table(parts=parts):
                return [key for part in parts for key in self.order_keys(part)]
            case MemberBits(bits=bits):
                return [self.numbers.as_number(there) for there in reversed(bits)]
            case Slots(length=length, parts=parts):
                return self._keys_of_first(length, parts)
            case Heap(count=count, slots=slots):
                return self._keys_of_first(count, slots)
            case Sequence() | IntegerMap() | UnboundedSet() | Records():
                raise ExtensionalError
            case _:
                return [self.number(shape)]

    def _keys_of_first(self, end: Number, parts: Several[Shape]) -> list[Number]:
        found: list[Number] = []
        for at, part in enumerate(parts):
            there = self.is_below(at, end)
            found.append(self.numbers.as_number(there))
            found += (self.numbers.choose(there, key, self._lower_bound(key)) for key in self.order_keys(part))
        return found

    def _lower_bound(self, number: Number) -> Number:
        return constant_number(int(number.lo))

    # --- reading ------------------------------------------------------------------------------------------------------

    def element_at(self, container: Shape, index: Shape) -> Shape:
        """The element at an index or a key that is there."""
        place = self.number(index)
        match container:
            case Table(first=first, parts=parts):
                return self.select_part(parts, first, place)
            case Slots(parts=parts):
                return self.select_part(parts, 0, place)
            case IntegerMap(element_at=at) | Sequence(element_at=at):
                return at(place)
            case _:
                raise TypeError(f"{type(container).__name__} has no elements by index")

    def select_part(self, parts: Several[Shape], first: int, index: Number) -> Shape:
        """One of several; where the index is none of theirs, any of them."""
        if isinstance(index.term, int):
            return parts[min(max(index.term - first, 0), len(parts) - 1)]
        low = int(max(index.lo - first, 0))
        high = int(min(index.hi - first, len(parts) - 1))
        low = min(low, len(parts) - 1)
        chosen = parts[max(high, low)]
        for at in range(high - 1, low - 1, -1):
            chosen = self.choose(self.is_constant(index, at + first), parts[at], chosen)
        return chosen

    def has_element(self, container: Shape, element: Shape) -> Bit:
        """Whether the element is in it."""
        match container:
            case MemberBits(first=first, bits=bits):
                place = self.number(element)
                return disjunction(
                    and_bits(there, self.is_constant(place, first + at)) for at, there in enumerate(bits)
                )
            case Slots(length=end, parts=parts):
                return disjunction(
                    and_bits(self.is_below(i, end), self.are_same(p, element)) for i, p in enumerate(parts)
                )
            case Heap(count=end, slots=parts):
                return disjunction(
                    and_bits(self.is_below(i, end), self.are_same(p, element)) for i, p in enumerate(parts)
                )
            case UnboundedSet(has=has):
                return has(self.number(element))
            case Records(has=has):
                return has(cast(Fields, element))
            case _:
                raise ExtensionalError

    def element_count(self, container: Shape) -> Number:
        """How many elements it has."""
        match container:
            case Slots(length=length) | Sequence(length=length) | Heap(count=length):
                return length
            case MemberBits(bits=bits):
                return self.sum_of(self.numbers.as_number(there) for there in bits)
            case _:
                raise ExtensionalError

    def sum_of(self, numbers: Several[Number] | object) -> Number:
        """The sum of several numbers, added in pairs so that no term is deep."""
        row = list(cast("Several[Number]", numbers)) or [constant_number(0)]
        while len(row) > 1:
            pairs = zip(row[::2], row[1::2], strict=False)
            odd = row[-1:] if len(row) % 2 else []
            row = [self.numbers.arithmetic("+", one, other) for one, other in pairs] + odd
        return row[0]

    # --- writing ------------------------------------------------------------------------------------------------------

    def replace_element(self, container: Shape, index: Shape, value: Shape) -> Shape:
        """The container with another element at an index or a key that is there."""
        place = self.number(index)
        match container:
            case Table(first=first, parts=parts):
                return Table(first, self._replace_part(parts, first, place, value))
            case Slots(length=length, parts=parts):
                return Slots(length, self._replace_part(parts, 0, place, value))
            case IntegerMap(ends=ends, element_at=at):
                return IntegerMap(ends, memoize(lambda i: self.choose(self.numbers.are_equal(i, place), value, at(i))))
            case Sequence(length=length, element_at=at):
                return Sequence(length, memoize(lambda i: self.choose(self.numbers.are_equal(i, place), value, at(i))))
            case _:
                raise TypeError(f"{type(container).__name__} has no elements by index")

    def _replace_part(self, parts: Several[Shape], first: int, index: Number, value: Shape) -> tuple[Shape, ...]:
        return tuple(self.choose(self.is_constant(index, at + first), value, part) for at, part in enumerate(parts))

    def append_element(self, sequence: Slots | Sequence, value: Shape) -> Slots | Sequence:
        """The sequence with one more element, for which there is room."""
        longer = self.numbers.arithmetic("+", sequence.length, constant_number(1))
        if isinstance(sequence, Sequence):
            return Sequence(longer, cast(Sequence, self.replace_element(sequence, sequence.length, value)).element_at)
        parts = self._replace_part(sequence.parts, 0, sequence.length, value)
        room = len(parts) > sequence.length.hi
        return Slots(longer, parts if room else (*parts, value))

    def set_member(self, subset: MemberBits | UnboundedSet, member: Number, value: Bit) -> MemberBits | UnboundedSet:
        """The set with one member put in or taken out."""
        if isinstance(subset, UnboundedSet):
            has = subset.has
            return UnboundedSet(memoize(lambda key: choose_bit(self.numbers.are_equal(key, member), value, has(key))))
        bits = (
            choose_bit(self.is_constant(member, subset.first + at), value, there)
            for at, there in enumerate(subset.bits)
        )
        return MemberBits(subset.first, tuple(bits))

    def add_record(self, pool: Heap | Records, record: Fields) -> Heap | Records:
        """The pool with a record more; a set that has it stays. There is room, or one slot is added."""
        if isinstance(pool, Records):
            has = pool.has
            return Records(lambda other: or_bits(has(other), self.are_same(other, record)), pool.multiple)
        is_new = True if pool.multiple else negation(self.has_element(pool, record))
        slots: list[Fields] = []
        was_below: Bit = True
        for at in range(len(pool.slots) + 1):
            old = pool.slots[at] if at < len(pool.slots) else record
            is_below = and_bits(self.is_below(at, pool.count), self.precedes(old, record))
            pushed = record if at == 0 else self.choose(was_below, record, pool.slots[at - 1])
            if at < len(pool.slots):
                slots.append(cast(Fields, self.choose(or_bits(is_below, negation(is_new)), old, pushed)))
            elif self.numbers.is_less(pool.count, constant_number(at)) is not True:
                slots.append(cast(Fields, pushed))
            was_below = is_below
        count = self.numbers.arithmetic("+", pool.count, self.numbers.as_number(is_new))
        return Heap(count, tuple(slots), pool.multiple)

    def add_record_if(self, condition: Bit, pool: Heap, record: Fields) -> Heap:
        """The set with a record more where the condition holds."""
        return cast(Heap, self.choose(condition, self.add_record(pool, record), pool))

    def combine_pools(self, op: str, left: Heap | Records, right: Heap | Records) -> Shape:
        """An operator on sets of records, or of bags their sum and their difference. ExtensionalError, where those
        without a capacity are asked to be within others, or a bag without one loses a copy."""
        if op == "<=":
            if not isinstance(left, Heap):
                raise ExtensionalError
            here = ((self.is_below(at, left.count), record) for at, record in enumerate(left.slots))
            return conjunction(implies(there, self.has_element(right, record)) for there, record in here)
        if isinstance(left, Records) or isinstance(right, Records):
            if left.multiple and op == "-":
                raise ExtensionalError
            return Records(
                lambda key: is_in_result(op, self.has_element(left, key), self.has_element(right, key)), False
            )
        if left.multiple and op == "-":
            return self._subtract_bag(left, right)
        made = Heap(constant_number(0), (), left.multiple)
        for own, others in ((left, right), *(((right, left),) if op in ("|", "^") else ())):
            for at, record in enumerate(own.slots):
                there = True if op == "|" else self.has_element(others, record)
                stays = there if op in ("|", "&") else negation(there)
                made = self.add_record_if(and_bits(self.is_below(at, own.count), stays), made, record)
        return made

    def _subtract_bag(self, bag: Heap, removed_records: Heap) -> Heap:
        """A bag without one copy of each record of another."""
        for at, record in enumerate(removed_records.slots):
            bag = cast(
                Heap, self.choose(self.is_below(at, removed_records.count), self.remove_record(bag, record), bag)
            )
        return bag

    def remove_record(self, pool: Heap | Records, record: Fields, one_stays: Bit = False) -> Heap | Records:
        """The pool without one copy of the record, if it has one. Where it may be there more than once, and it is not
        counted how often, `one_stays` is whether one more is there."""
        if isinstance(pool, Records):
            has = pool.has
            return Records(
                lambda other: and_bits(has(other), or_bits(negation(self.are_same(other, record)), one_stays)),
                pool.multiple,
            )
        gone: Bit = False
        slots: list[Fields] = []
        for at, old in enumerate(pool.slots):
            gone = or_bits(gone, and_bits(self.is_below(at, pool.count), self.are_same(old, record)))
            following = pool.slots[at + 1] if at + 1 < len(pool.slots) else old
            slots.append(cast(Fields, self.choose(gone, following, old)))
        count = self.numbers.arithmetic("-", pool.count, self.numbers.as_number(gone))
        least = max(0, int(pool.count.lo) - 1)
        return Heap(self.numbers.narrow_to(count, least, pool.count.hi), tuple(slots), pool.multiple)


def is_in_result(op: str, a: Bit, b: Bit) -> Bit:
    """Whether an element is in what an operator makes of two sets, which have it if `a` and if `b`; of `<=`, whether
    it is not a reason against it."""
    match op:
        case "|":
            return or_bits(a, b)
        case "&":
            return and_bits(a, b)
        case "-":
            return and_bits(a, negation(b))
        case "^":
            return choose_bit(a, negation(b), b)
        case _:
            return implies(a, b)


def truth_bit(shape: Shape) -> Bit:
    """A truth value that is known to be one."""
    assert isinstance(shape, (bool, z3.BoolRef)), f"{type(shape).__name__} is no truth value"
    return shape


def align_members(left: MemberBits, right: MemberBits) -> tuple[MemberBits, MemberBits]:
    """Two sets over the same members: those that either has a place for."""
    first = min(left.first, right.first)
    end = max(left.first + len(left.bits), right.first + len(right.bits))
    return restrict_members(left, first, end), restrict_members(right, first, end)


def restrict_members(subset: MemberBits, first: int, end: int) -> MemberBits:
    """The set with a place for the members first..end-1, those and no others."""
    bits = dict(enumerate(subset.bits, subset.first))
    return MemberBits(first, tuple(bits.get(at, False) for at in range(first, end)))


def memoize(function: Callable[[Number], T]) -> Callable[[Number], T]:
    """The function, which is asked once for each index."""
    answers: dict[int | tuple[int], tuple[Number, T]] = {}

    def ask(index: Number) -> T:
        key = index.term if isinstance(index.term, int) else (cast(z3.ExprRef, index.term).get_id(),)
        if key not in answers:
            answers[key] = (index, function(index))
        return answers[key][1]

    return ask
