"""The two encodings of a model's values, behind one interface.

*Finite*: every type within its bounds, numbers as bit-vectors; for bounded checking and for counterexamples to
induction. *Unbounded*: numbers are integers, logs and histories are functions, and constants that bound quantities are
variables; for proofs that hold whatever the bounds are. What bounds the values of a type is in `type_bounds`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import Any, cast

import z3

from ...language.containers import sort_key
from ...language.model import Model
from ...language.records import absent_part, parts_of
from ...language.types import Bool, Enumeration, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type, Unit
from .algebra import Algebra, ExtensionalError, memoize, restrict_members, truth_bit
from .numbers import BitVectors, Integers, is_at_least
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
    scalars_in,
)
from .terms import (
    Bit,
    Bound,
    Number,
    and_bits,
    boolean_term,
    conjunction,
    constant_number,
    disjunction,
    implies,
    negation,
)
from .type_bounds import TypeBounds
from .unions import is_of_stated_record


class Encoding(TypeBounds):
    """An encoding of one bound model: made by `finite_encoding` or `unbounded_encoding`. `algebra` computes with
    shapes."""

    def __init__(self, model: Model, numbers: Integers, boundless: frozenset[str]) -> None:
        super().__init__(model, numbers, boundless)
        self.algebra = Algebra(numbers)

    def open_constant(self, type_: Type, name: str) -> Shape:
        """A constant that the text names: a variable if it has no bound, else its value."""
        return self._variables[name] if name in self._variables else self.constant(type_, self.values[name])

    # --- variables ----------------------------------------------------------------------------------------------------

    def fresh_value(self, type_: Type, name: str) -> tuple[Shape, Bit]:
        """A shape of new variables whose names begin with `name`, and the constraint that it is a value of the type."""
        constraints: list[Bit] = []
        shape = self._fresh_shape(type_, name, (), constraints)
        return shape, conjunction(constraints)

    def _fresh_shape(self, type_: Type, name: str, indexes: tuple[Number, ...], range_facts: list[Bit]) -> Shape:
        """A variable, or a function of `indexes` applied to it; what is to be said of its values is added to
        `range_facts`, once: where `indexes` is made of this function's own bound variables."""
        match type_:
            case Int() | Enumeration() | Identity():
                return self._fresh_variable(name, type_, indexes, range_facts)
            case Bool():
                return z3.Bool(name) if not indexes else self._apply_function(name, indexes, z3.BoolSort())
            case Option(of=of):
                present = truth_bit(self._fresh_shape(Bool(), f"{name}?", indexes, range_facts))
                inner: list[Bit] = []
                value = self._fresh_shape(of, name, indexes, inner)
                range_facts += inner if self.is_finite else (implies(present, condition) for condition in inner)
                return SymbolicOption(present, value)
            case Record(fields=fields):
                made = Fields(
                    {field: self._fresh_shape(of, f"{name}.{field}", indexes, range_facts) for field, of in fields}
                )
                range_facts.append(True if indexes else self._is_one_record(type_, made))
                return made
            case Map(key=key, value=value):
                keys = self.numbers_of(key)
                if keys is None:
                    return IntegerMap(self.end_terms(key), self._fresh_function(value, name, indexes, range_facts))
                return Table(
                    keys.start,
                    tuple(self._fresh_shape(value, f"{name}[{number}]", indexes, range_facts) for number in keys),
                )
            case Subset(of=of):
                members = self.numbers_of(of)
                if members is None:
                    return UnboundedSet(lambda member: self._apply_function(name, (*indexes, member), z3.BoolSort()))
                bits = (
                    truth_bit(self._fresh_shape(Bool(), f"{name}({member})", indexes, range_facts))
                    for member in members
                )
                return MemberBits(members.start, tuple(bits))
            case Seq() | Pool():
                return self._fresh_container(type_, name, indexes, range_facts)
            case Unit():
                return SymbolicOption(False, None)

    def _fresh_variable(self, name: str, type_: Type, indexes: tuple[Number, ...], range_facts: list[Bit]) -> Number:
        lo, hi = self.interval_of(type_)
        if lo == hi:
            return constant_number(int(lo))
        if indexes:
            return Number(cast(z3.ArithRef, self._apply_function(name, indexes, z3.IntSort())), lo, hi)
        made, right = self.numbers.fresh_number(name, lo, hi)
        range_facts.append(and_bits(right, self.is_in_interval(type_, made)))
        return made

    def _apply_function(self, name: str, indexes: tuple[Number | Bit, ...], sort: z3.SortRef) -> Any:
        terms = [
            self.numbers.term_of(argument) if isinstance(argument, Number) else boolean_term(argument)
            for argument in indexes
        ]
        return z3.Function(name, *(term.sort() for term in terms), sort)(*terms)

    def _fresh_function(
        self, type_: Type, name: str, indexes: tuple[Number, ...], range_facts: list[Bit]
    ) -> Callable[[Number], Shape]:
        """A function from one more integer to values of the type; that they are in range is said once, for all."""
        variable = Number(z3.Int(f"{name}#{len(indexes)}"), -inf, inf)
        self._say_ranges(type_, name, (*indexes, variable), range_facts)
        return memoize(lambda index: self._fresh_shape(type_, name, (*indexes, index), []))

    def _say_ranges(self, type_: Type, name: str, indexes: tuple[Number, ...], range_facts: list[Bit]) -> None:
        bound = [cast(z3.ArithRef, argument.term) for argument in indexes]
        if not all(z3.is_const(variable) for variable in bound):
            return  # a value that is read, not the function itself, of which it was said
        inner: list[Bit] = []
        shape = self._fresh_shape(type_, name, indexes, inner)
        range_facts += inner
        for leaf, right in self._range_facts_of(type_, shape):
            if not isinstance(right, bool):
                range_facts.append(z3.ForAll(bound, right, patterns=[leaf]))

    def _range_facts_of(self, type_: Type, shape: Shape, there: Bit = True) -> Iterator[tuple[z3.ExprRef, Bit]]:
        """Each number that a value is made of, and that it is in range if it is there."""
        match type_, shape:
            case ((Int() | Enumeration() | Identity()), Number(term=z3.ExprRef() as term)):
                yield term, implies(there, self.is_in_interval(type_, Number(term, -inf, inf)))
            case Option(of=of), SymbolicOption(present=present, value=value) if value is not None:
                yield from self._range_facts_of(of, value, and_bits(there, present))
            case Record(fields=fields), Fields(parts=parts):
                for name, of in fields:
                    yield from self._range_facts_of(of, parts[name], there)
                if type_.variants:
                    yield cast(Any, parts[fields[0][0]]).term, implies(there, self._is_one_record(type_, shape))
            case Map(value=of), Table(parts=parts):
                for part in parts:
                    yield from self._range_facts_of(of, part, there)
            case Seq(of=of), (Sequence(length=length) | Slots(length=length)):
                if isinstance(length.term, z3.ExprRef):
                    yield length.term, implies(there, self.has_room(type_, Number(length.term, -inf, inf)))
                for part in shape.parts if isinstance(shape, Slots) else ():
                    yield from self._range_facts_of(of, part, there)
            case _:
                return

    def _fresh_container(
        self, type_: Seq | Pool, name: str, indexes: tuple[Number, ...], range_facts: list[Bit]
    ) -> Shape:
        capacity = self.capacity(type_)
        if capacity == inf and isinstance(type_, Pool):
            return Records(
                lambda record: self._apply_function(name, (*indexes, *self.flatten(type_.of, record)), z3.BoolSort()),
                type_.multiple,
            )
        length = self._fresh_length(name, type_, indexes, range_facts)
        if isinstance(type_, Seq) and capacity == inf:
            return Sequence(length, self._fresh_function(type_.of, name, indexes, range_facts))
        parts = tuple(
            self._fresh_shape(type_.of, f"{name}/{place}", indexes, range_facts) for place in range(int(capacity))
        )
        if isinstance(type_, Seq):
            return Slots(length, parts)
        heap = Heap(length, cast("tuple[Fields, ...]", parts), type_.multiple)
        range_facts.append(self.is_sorted(heap))
        return heap

    def _fresh_length(
        self, name: str, type_: Seq | Pool, indexes: tuple[Number, ...], range_facts: list[Bit]
    ) -> Number:
        capacity = self.capacity(type_)
        if capacity == 0 or indexes:
            length = constant_number(0) if capacity == 0 else self._apply_function(f"{name}#", indexes, z3.IntSort())
            return length if isinstance(length, Number) else Number(length, 0, capacity)
        length, right = self.numbers.fresh_number(f"{name}#", 0, capacity)
        range_facts.append(and_bits(right, self.has_room(type_, length) if isinstance(type_, Seq) else True))
        return length

    def is_sorted(self, heap: Heap) -> Bit:
        """Whether a pool's records are sorted, and different if it is a set."""
        sorted_: list[Bit] = []
        for at, (one, other) in enumerate(zip(heap.slots, heap.slots[1:], strict=False)):
            there = self.algebra.is_below(at + 1, heap.count)
            right = negation(self.algebra.precedes(other, one)) if heap.multiple else self.algebra.precedes(one, other)
            sorted_.append(implies(there, right))
        return conjunction(sorted_)

    def fresh_message(self, type_: Record, name: str) -> tuple[Fields, Bit]:
        """A record of new variables that stands for itself in a history: what is absent from it is 0."""
        shape, right = self.fresh_value(type_, name)
        blanks: list[Bit] = []
        return cast(Fields, self._blank_unused(shape, blanks)), conjunction([right, *blanks])

    def _blank_unused(self, shape: Shape, blanks: list[Bit]) -> Shape:
        match shape:
            case Fields(parts=parts):
                return Fields({name: self._blank_unused(part, blanks) for name, part in parts.items()})
            case SymbolicOption(present=present, value=value) if value is not None:
                inner = self._blank_unused(value, blanks)
                for scalar in scalars_in(inner):
                    zero = negation(scalar) if not isinstance(scalar, Number) else self._is_zero(scalar)
                    blanks.append(disjunction([present, zero]))
                return SymbolicOption(present, inner, blank=True)
            case _:
                return shape

    def _is_zero(self, number: Number) -> Bit:
        return self.numbers.are_equal(Number(number.term, -inf, inf), constant_number(0))

    def flatten(self, type_: Type, shape: Shape, there: Bit = True) -> list[Number | Bit]:
        """A value as scalars, equal exactly if the values are: what is absent counts as 0. ExtensionalError, of a value
        with something in it that has no end."""
        match type_, shape:
            case Option(of=of), SymbolicOption(present=present, value=value, blank=blank):
                is_there = False if value is None else True if blank else and_bits(there, present)
                inner = self.first_value(of) if value is None else value
                return [and_bits(there, present), *self.flatten(of, inner, is_there)]
            case Record(fields=fields), Fields(parts=parts):
                return [scalar for name, of in fields for scalar in self.flatten(of, parts[name], there)]
            case _, MemberBits(bits=bits):
                return [and_bits(there, own) for own in bits]
            case Map(value=of), Table(parts=parts):
                return [scalar for part in parts for scalar in self.flatten(of, part, there)]
            case Seq(of=of), Slots(length=length, parts=parts) if self.capacity(type_) < inf:
                whole = (*parts, *(self.first_value(of) for _ in range(int(self.capacity(type_)) - len(parts))))
                inside = [and_bits(there, self.algebra.is_below(at, length)) for at in range(len(whole))]
                rest = (
                    scalar
                    for part, within in zip(whole, inside, strict=True)
                    for scalar in self.flatten(of, part, within)
                )
                return [self.numbers.choose(there, length, constant_number(0)), *rest]
            case _, Number():
                return [self.numbers.choose(there, shape, constant_number(0))]
            case _, bool() | z3.BoolRef():
                return [and_bits(there, shape)]
            case _:
                raise ExtensionalError

    # --- constants ----------------------------------------------------------------------------------------------------

    def first_value(self, type_: Type) -> Shape:
        """Some value of a type: the first."""
        match type_:
            case Bool():
                return False
            case Int() | Enumeration() | Identity():
                return constant_number(int(max(self.interval_of(type_)[0], min(self.interval_of(type_)[1], 0))))
            case Option() | Unit():
                return SymbolicOption(False, None)
            case Record(fields=fields):
                return Fields({name: self.first_value(of) for name, of in fields})
            case Map(key=key, value=value):
                keys = self.numbers_of(key)
                if keys is None:
                    return IntegerMap(self.end_terms(key), lambda _: self.first_value(value))
                return Table(keys.start, tuple(self.first_value(value) for _ in keys))
            case Seq():
                return Slots(constant_number(0), ()) if self.capacity(type_) < inf else self._empty_sequence(type_.of)
            case Subset(of=of):
                members = self.numbers_of(of)
                if members is None:
                    return UnboundedSet(lambda _: False)
                return MemberBits(members.start, (False,) * len(members))
            case Pool(multiple=multiple):
                return (
                    Heap(constant_number(0), (), multiple)
                    if self.capacity(type_) < inf
                    else Records(lambda _: False, multiple)
                )

    def _empty_sequence(self, of: Type) -> Sequence:
        return Sequence(constant_number(0), lambda _: self.first_value(of))

    def _is_one_record(self, type_: Record, shape: Fields) -> Bit:
        return is_of_stated_record(self.algebra, self._absent_value, type_, shape)

    def _absent_value(self, type_: Type) -> Shape:
        return self.shape_for_cell(type_, self.constant(type_, absent_part(type_)))[0]

    def constant(self, type_: Type, value: Any) -> Shape:
        """A value of plain Python as terms."""
        match type_:
            case Bool():
                return bool(value)
            case Int():
                return constant_number(int(value))
            case Enumeration(python=python):
                return constant_number(list(python).index(value))
            case Identity():
                return constant_number(value.index)
            case Option(of=of):
                return SymbolicOption(False, None) if value is None else SymbolicOption(True, self.constant(of, value))
            case Record(fields=fields):
                parts = zip(fields, parts_of(type_, value), strict=True)
                return Fields({name: self.constant(of, part) for (name, of), part in parts})
            case Map(key=key, value=of):
                members = [self.constant(key, member) for member, _ in value.items()]
                first = cast(int, self.algebra.number(members[0]).term)
                return self._constant_map(first, [self.constant(of, member) for _, member in value.items()], key)
            case Seq(of=of):
                parts = tuple(self.constant(of, element) for element in value)
                return self.sequence(parts, type_)
            case Subset(of=of):
                chosen = {cast(int, cast(Number, self.constant(of, member)).term) for member in value}
                return self.subset([constant_number(number) for number in sorted(chosen)], of)
            case Pool(of=of, multiple=multiple):
                records = [cast(Fields, self.constant(of, record)) for record in sorted(value, key=sort_key)]
                return self.pool(records, type_, multiple)
            case Unit():
                return SymbolicOption(False, None)

    def _constant_map(self, first: int, parts: list[Shape], key: Type) -> Shape:
        if self.numbers_of(key) is not None:
            return Table(first, tuple(parts))
        return IntegerMap(self.end_terms(key), lambda index: self.algebra.select_part(parts, first, index))

    def sequence(self, parts: tuple[Shape, ...], type_: Seq) -> Slots | Sequence:
        """A sequence of these elements."""
        length = constant_number(len(parts))
        if self.capacity(type_) < inf:
            return Slots(length, parts)
        if not parts:
            return self._empty_sequence(type_.of)
        return Sequence(length, memoize(lambda index: self.algebra.select_part(parts, 0, index)))

    def subset(self, elements: list[Number], of: Type) -> MemberBits | UnboundedSet:
        """A set of these members, all of them in range."""
        members = self.numbers_of(of)
        if members is None:
            return UnboundedSet(lambda member: disjunction(self.numbers.are_equal(member, one) for one in elements))
        bits = (disjunction(self.algebra.is_constant(one, member) for one in elements) for member in members)
        return MemberBits(members.start, tuple(bits))

    def pool(self, records: list[Fields], type_: Pool, multiple: bool) -> Heap | Records:
        """A pool of these records, sorted if they are constants."""
        if self.capacity(type_) < inf:
            return Heap(constant_number(len(records)), tuple(records), multiple)
        return Records(lambda record: disjunction(self.algebra.are_same(record, one) for one in records), multiple)

    # --- what a store keeps -------------------------------------------------------------------------------------------

    def shape_for_cell(self, type_: Type, shape: Shape) -> tuple[Shape, Bit]:
        """The value in the shape of a cell of this type, and whether it is a value of the type. Of what has no end
        only the length is looked at: see `elements_fit`."""
        match type_:
            case Int() | Enumeration() | Identity():
                value = self.algebra.number(shape)
                return self.numbers.narrow_to(value, *self.interval_of(type_)), self.is_in_interval(type_, value)
            case Option(of=of):
                if not isinstance(shape, SymbolicOption):
                    return self.shape_for_cell(type_, SymbolicOption(True, shape))
                if shape.value is None:
                    return shape, True
                value, fits = self.shape_for_cell(of, shape.value)
                return SymbolicOption(shape.present, value), implies(shape.present, fits)
            case Record(fields=fields):
                parts = cast(Fields, shape).parts
                stored = {name: self.shape_for_cell(of, parts[name]) for name, of in fields}
                return Fields({name: value for name, (value, _) in stored.items()}), conjunction(
                    fits for _, fits in stored.values()
                )
            case Map(value=of) if isinstance(shape, Table):
                elements = [self.shape_for_cell(of, part) for part in shape.parts]
                return Table(shape.first, tuple(value for value, _ in elements)), conjunction(
                    fits for _, fits in elements
                )
            case Seq(of=of) if isinstance(shape, Slots):
                parts, fits = self._stored_parts(of, shape.length, shape.parts, self.capacity(type_))
                if self.capacity(type_) == inf:
                    return self._sequence_of_any_length(of, shape.length, parts), and_bits(
                        fits, self.has_room(type_, shape.length)
                    )
                return Slots(self.numbers.narrow_to(shape.length, 0, self.capacity(type_)), parts), fits
            case Seq() if isinstance(shape, Sequence):
                return shape, self.has_room(type_, shape.length)
            case Pool() if isinstance(shape, Heap) and self.capacity(type_) == inf:
                return self.algebra.as_records(shape), True
            case Pool(of=of) if isinstance(shape, Heap):
                parts, fits = self._stored_parts(of, shape.count, shape.slots, self.capacity(type_))
                count = self.numbers.narrow_to(shape.count, 0, self.capacity(type_))
                return Heap(count, cast("tuple[Fields, ...]", parts), shape.multiple), fits
            case Subset(of=of) if isinstance(shape, MemberBits):
                return self._stored_members(of, shape)
            case _:
                return shape, True

    def _sequence_of_any_length(self, of: Type, length: Number, parts: tuple[Shape, ...]) -> Sequence:
        """A sequence of few elements in a cell for any number of them."""
        if not parts:
            return self._empty_sequence(of)
        return Sequence(length, memoize(lambda index: self.algebra.select_part(parts, 0, index)))

    def elements_fit(self, type_: Type, shape: Shape, name: str) -> Bit:
        """Whether the elements of a value that has no end are of the type: said of any one of them, whose number is a
        new variable. To be proved, never to be assumed."""
        free = z3.Int(name)
        index = Number(free, -inf, inf)
        match type_, shape:
            case Option(of=of), SymbolicOption(present=present, value=value) if value is not None:
                return implies(present, self.elements_fit(of, value, name))
            case Record(fields=fields), Fields(parts=parts):
                return conjunction(self.elements_fit(of, parts[field], f"{name}.{field}") for field, of in fields)
            case Map(value=of), Table(parts=parts):
                return conjunction(self.elements_fit(of, part, f"{name}.{at}") for at, part in enumerate(parts))
            case Map(value=of), IntegerMap(ends=(first, last), element_at=at):
                inside = and_bits(is_at_least(self.numbers, index, first), is_at_least(self.numbers, last, index))
                return implies(inside, self._element_fits(of, at(index), name))
            case Seq(of=of), Slots(length=length, parts=parts):
                return conjunction(
                    implies(self.algebra.is_below(at, length), self.elements_fit(of, part, f"{name}.{at}"))
                    for at, part in enumerate(parts)
                )
            case Seq(of=of), Sequence(length=length, element_at=at):
                inside = and_bits(
                    is_at_least(self.numbers, index, constant_number(0)), self.numbers.is_less(index, length)
                )
                return implies(inside, self._element_fits(of, at(index), name))
            case Subset(of=of), UnboundedSet(has=has):
                return implies(has(index), self.is_in_interval(of, index))
            case _:
                return True

    def _element_fits(self, of: Type, shape: Shape, name: str) -> Bit:
        return and_bits(self.shape_for_cell(of, shape)[1], self.elements_fit(of, shape, f"{name}.of"))

    def _stored_parts(
        self, of: Type, length: Number, parts: tuple[Shape, ...], capacity: Bound
    ) -> tuple[tuple[Shape, ...], Bit]:
        kept, fits = list[Shape](), [self.numbers.is_in_interval(length, 0, capacity)]
        room = len(parts) if capacity == inf else int(capacity)
        for at, part in enumerate(parts[:room]):
            value, right = self.shape_for_cell(of, part)
            kept.append(value)
            fits.append(implies(self.algebra.is_below(at, length), right))
        kept += (self.first_value(of) for _ in range(room - len(kept)))
        return tuple(kept), conjunction(fits)

    def _stored_members(self, of: Type, shape: MemberBits) -> tuple[Shape, Bit]:
        members = self.numbers_of(of)
        if members is None:
            has = {at: there for at, there in enumerate(shape.bits, shape.first) if there is not False}
            holding = UnboundedSet(
                lambda member: disjunction(and_bits(b, self.algebra.is_constant(member, at)) for at, b in has.items())
            )
            return holding, conjunction(
                implies(there, self.is_in_interval(of, constant_number(at))) for at, there in has.items()
            )
        outside = [b for at, b in enumerate(shape.bits, shape.first) if at not in members]
        return restrict_members(shape, members.start, members.stop), negation(disjunction(outside))


# --- the two ----------------------------------------------------------------------------------------------------------


def finite_encoding(model: Model) -> Encoding:
    """Everything within the model's bounds; open constants have their present values."""
    return Encoding(model, BitVectors(), frozenset())


def unbounded_encoding(model: Model) -> Encoding:
    """Quantities bounded by the model's open constants have no upper end. `model` is one that
    `boundless.unbounded_model` made: all of its open constants are bounds."""
    return Encoding(model, Integers(), model.open)
