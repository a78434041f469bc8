"""The two encodings of a model's values, behind one interface.

*Finite*: every type within its bounds, numbers as bit-vectors; for bounded checking and for counterexamples to
induction. *Unbounded*: quantities have no upper end, numbers are integers, logs and histories are functions; for
proofs that hold whatever the bounds are.

A quantity loses its end when the constant that bounds it does. Which constants do is said by `boundless_constants`:
those that occur in a `Range`, in a `Capacity`, or as a budget, in no size of a `Domain`, and whose value is not 0. A
bound of 0 says that there is no such thing (`messages=0`: an exchange is one step; `crashes=0`: nobody crashes), and
goes on saying so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import Any, cast

import z3

from ...language.binding import Definition
from ...language.constants import ConstantExpression
from ...language.containers import sort_key
from ...language.model import Model
from ...language.types import Bool, Enumeration, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type, Unit
from .algebra import Algebra, bit, remembered, spread
from .numbers import BitVectors, Integers
from .shapes import Fields, Function, Heap, History, Holding, Maybe, Members, Sequence, Shape, Slots, Table
from .terms import Bit, Bound, Number, both, conjunction, disjunction, formula, implies, known, negation


class Encoding:
    """An encoding of one bound model: made by `finite` or `unbounded`.

    `boundless` names the constants that have no value here; `algebra` computes with shapes.
    """

    def __init__(self, model: Model, numbers: Integers, boundless: frozenset[str]) -> None:
        self.model = model
        self.values = model.values
        self.boundless = boundless
        self.numbers = numbers
        self.algebra = Algebra(numbers)

    @property
    def is_finite(self) -> bool:
        """Whether every type keeps its bounds."""
        return isinstance(self.numbers, BitVectors)

    # --- bounds -------------------------------------------------------------------------------------------------------

    def bound(self, open_: ConstantExpression | None, closed: int) -> Bound:
        """An upper bound: the static one, the value of an open one, or none at all."""
        if open_ is None:
            return closed
        return inf if open_.names() & self.boundless else open_.value(self.values)

    def interval(self, type_: Type) -> tuple[Bound, Bound]:
        """The first and the last number of a scalar type."""
        match type_:
            case Int(lo=lo, hi=hi, lo_open=lo_open, hi_open=hi_open):
                return (lo if lo_open is None else lo_open.value(self.values)), self.bound(hi_open, hi)
            case Bool():
                return 0, 1
            case Enumeration(members=members):
                return 0, len(members) - 1
            case Identity(size=size, size_open=size_open):
                return 0, self.bound(size_open, size) - 1
            case _:
                raise TypeError(f"{type_} is not a scalar type")

    def numbers_of(self, type_: Type) -> range | None:
        """The numbers of a scalar type's values; None when they have no end."""
        lo, hi = self.interval(type_)
        return None if hi == inf else range(int(lo), int(hi) + 1)

    def capacity(self, type_: Seq | Pool) -> Bound:
        """How many elements it may have."""
        return self.bound(type_.capacity_open, type_.capacity)

    # --- variables ----------------------------------------------------------------------------------------------------

    def fresh(self, type_: Type, name: str) -> tuple[Shape, Bit]:
        """A shape of new variables whose names begin with `name`, and the constraint that it is a value of the type."""
        constraints: list[Bit] = []
        shape = self._fresh(type_, name, (), constraints)
        return shape, conjunction(constraints)

    def _fresh(self, type_: Type, name: str, at: tuple[Number, ...], said: list[Bit]) -> Shape:
        """A variable, or a function of `at` applied to it; what is to be said of its values is added to `said`, once:
        where `at` is made of this function's own bound variables."""
        match type_:
            case Int() | Enumeration() | Identity():
                return self._variable(name, self.interval(type_), at, said)
            case Bool():
                return z3.Bool(name) if not at else self._applied(name, at, z3.BoolSort())
            case Option(of=of):
                present = bit(self._fresh(Bool(), f"{name}?", at, said))
                return Maybe(present, self._fresh(of, name, at, said))
            case Record(fields=fields):
                return Fields({each: self._fresh(of, f"{name}.{each}", at, said) for each, of in fields})
            case Map(key=key, value=value):
                keys = self.numbers_of(key)
                if keys is None:
                    return Function(int(self.interval(key)[0]), self._function(value, name, at, said))
                return Table(keys.start, tuple(self._fresh(value, f"{name}[{each}]", at, said) for each in keys))
            case Subset(of=of):
                members = self.numbers_of(of)
                if members is None:
                    return Holding(lambda each: self._applied(name, (*at, each), z3.BoolSort()))
                bits = (bit(self._fresh(Bool(), f"{name}({each})", at, said)) for each in members)
                return Members(members.start, tuple(bits))
            case Seq() | Pool():
                return self._fresh_container(type_, name, at, said)
            case Unit():
                return Maybe(False, None)

    def _variable(self, name: str, ends: tuple[Bound, Bound], at: tuple[Number, ...], said: list[Bit]) -> Number:
        lo, hi = ends
        if lo == hi:
            return known(int(lo))
        if at:
            return Number(cast(z3.ArithRef, self._applied(name, at, z3.IntSort())), lo, hi)
        made, right = self.numbers.fresh(name, lo, hi)
        said.append(right)
        return made

    def _applied(self, name: str, at: tuple[Number | Bit, ...], sort: z3.SortRef) -> Any:
        terms = [self.numbers.term(each) if isinstance(each, Number) else formula(each) for each in at]
        return z3.Function(name, *(each.sort() for each in terms), sort)(*terms)

    def _function(self, type_: Type, name: str, at: tuple[Number, ...], said: list[Bit]) -> Callable[[Number], Shape]:
        """A function from one more integer to values of the type; that they are in range is said once, for all."""
        variable = Number(z3.Int(f"{name}#{len(at)}"), -inf, inf)
        self._say_ranges(type_, name, (*at, variable), said)
        return remembered(lambda index: self._fresh(type_, name, (*at, index), []))

    def _say_ranges(self, type_: Type, name: str, at: tuple[Number, ...], said: list[Bit]) -> None:
        bound = [cast(z3.ArithRef, each.term) for each in at]
        if not all(z3.is_const(each) for each in bound):
            return  # a value that is read, not the function itself, of which it was said
        inner: list[Bit] = []
        shape = self._fresh(type_, name, at, inner)
        said += inner
        for leaf in scalars(shape):
            if isinstance(leaf, Number) and (leaf.lo > -inf or leaf.hi < inf):
                free = Number(leaf.term, -inf, inf)
                ranged = formula(self.numbers.within(free, leaf.lo, leaf.hi))
                said.append(z3.ForAll(bound, ranged, patterns=[cast(z3.ExprRef, leaf.term)]))

    def _fresh_container(self, type_: Seq | Pool, name: str, at: tuple[Number, ...], said: list[Bit]) -> Shape:
        capacity = self.capacity(type_)
        if capacity == inf and isinstance(type_, Pool):
            return History(lambda record: self._applied(name, (*at, *self.flattened(record)), z3.BoolSort()))
        length = self._variable(f"{name}#", (0, capacity), at, said)
        if isinstance(type_, Seq) and capacity == inf:
            return Sequence(length, self._function(type_.of, name, at, said))
        parts = tuple(self._fresh(type_.of, f"{name}/{each}", at, said) for each in range(int(capacity)))
        if isinstance(type_, Seq):
            return Slots(length, parts)
        heap = Heap(length, cast("tuple[Fields, ...]", parts), type_.multiple)
        said.append(self.in_order(heap))
        return heap

    def in_order(self, heap: Heap) -> Bit:
        """Whether a pool's records are sorted, and different if it is a set."""
        sorted_: list[Bit] = []
        for at, (one, other) in enumerate(zip(heap.slots, heap.slots[1:], strict=False)):
            there = self.algebra.is_below(at + 1, heap.count)
            right = negation(self.algebra.precedes(other, one)) if heap.multiple else self.algebra.precedes(one, other)
            sorted_.append(implies(there, right))
        return conjunction(sorted_)

    def message(self, type_: Record, name: str) -> tuple[Fields, Bit]:
        """A record of new variables that stands for itself in a history: what is absent from it is 0."""
        shape, right = self.fresh(type_, name)
        blanks: list[Bit] = []
        return cast(Fields, self._blanked(shape, blanks)), conjunction([right, *blanks])

    def _blanked(self, shape: Shape, blanks: list[Bit]) -> Shape:
        match shape:
            case Fields(parts=parts):
                return Fields({name: self._blanked(part, blanks) for name, part in parts.items()})
            case Maybe(present=present, value=value) if value is not None:
                inner = self._blanked(value, blanks)
                for each in scalars(inner):
                    zero = negation(each) if not isinstance(each, Number) else self._is_zero(each)
                    blanks.append(disjunction([present, zero]))
                return Maybe(present, inner, blank=True)
            case _:
                return shape

    def _is_zero(self, number: Number) -> Bit:
        return self.numbers.same(Number(number.term, -inf, inf), known(0))

    def flattened(self, shape: Shape, there: Bit = True) -> list[Number | Bit]:
        """A value as scalars, equal exactly if the values are: what is absent counts as 0."""
        match shape:
            case Maybe(present=present, value=value, blank=blank):
                rest = [] if value is None else self.flattened(value, True if blank else both(there, present))
                return [both(there, present), *rest]
            case Fields(parts=parts):
                return [each for part in parts.values() for each in self.flattened(part, there)]
            case Members(bits=bits):
                return [both(there, each) for each in bits]
            case Table(parts=parts):
                return [each for part in parts for each in self.flattened(part, there)]
            case Number():
                return [self.numbers.choose(there, shape, known(0))]
            case bool() | z3.BoolRef():
                return [both(there, shape)]
            case _:
                raise TypeError(f"a record with a {type(shape).__name__} in it cannot be a message without bounds")

    # --- constants ----------------------------------------------------------------------------------------------------

    def least(self, type_: Type) -> Shape:
        """Some value of a type: the first."""
        match type_:
            case Bool():
                return False
            case Int() | Enumeration() | Identity():
                return known(int(self.interval(type_)[0]))
            case Option() | Unit():
                return Maybe(False, None)
            case Record(fields=fields):
                return Fields({name: self.least(of) for name, of in fields})
            case Map(key=key, value=value):
                keys = self.numbers_of(key)
                if keys is None:
                    return Function(int(self.interval(key)[0]), lambda _: self.least(value))
                return Table(keys.start, tuple(self.least(value) for _ in keys))
            case Seq():
                return Slots(known(0), ()) if self.capacity(type_) < inf else self._no_sequence(type_.of)
            case Subset(of=of):
                members = self.numbers_of(of)
                if members is None:
                    return Holding(lambda _: False)
                return Members(members.start, (False,) * len(members))
            case Pool(multiple=multiple):
                return Heap(known(0), (), multiple) if self.capacity(type_) < inf else History(lambda _: False)

    def _no_sequence(self, of: Type) -> Sequence:
        return Sequence(known(0), lambda _: self.least(of))

    def constant(self, type_: Type, value: Any) -> Shape:
        """A value of plain Python as terms."""
        match type_:
            case Bool():
                return bool(value)
            case Int():
                return known(int(value))
            case Enumeration(python=python):
                return known(list(python).index(value))
            case Identity():
                return known(value.index)
            case Option(of=of):
                return Maybe(False, None) if value is None else Maybe(True, self.constant(of, value))
            case Record(fields=fields):
                return Fields({name: self.constant(of, getattr(value, name)) for name, of in fields})
            case Map(key=key, value=of):
                lo = int(self.interval(key)[0])
                return self._constant_map(lo, [self.constant(of, each) for _, each in value.items()], key)
            case Seq(of=of):
                parts = tuple(self.constant(of, each) for each in value)
                return self.sequence(parts, type_)
            case Subset(of=of):
                chosen = {cast(int, cast(Number, self.constant(of, each)).term) for each in value}
                return self.subset([known(each) for each in sorted(chosen)], of)
            case Pool(of=of, multiple=multiple):
                records = [cast(Fields, self.constant(of, each)) for each in sorted(value, key=sort_key)]
                return self.pool(records, type_, multiple)
            case Unit():
                return Maybe(False, None)

    def _constant_map(self, first: int, parts: list[Shape], key: Type) -> Shape:
        if self.numbers_of(key) is not None:
            return Table(first, tuple(parts))
        return Function(first, lambda index: self.algebra.picked(parts, first, index))

    def sequence(self, parts: tuple[Shape, ...], type_: Seq) -> Slots | Sequence:
        """A sequence of these elements."""
        length = known(len(parts))
        if self.capacity(type_) < inf:
            return Slots(length, parts)
        if not parts:
            return self._no_sequence(type_.of)
        return Sequence(length, remembered(lambda index: self.algebra.picked(parts, 0, index)))

    def subset(self, elements: list[Number], of: Type) -> Members | Holding:
        """A set of these members, all of them in range."""
        members = self.numbers_of(of)
        if members is None:
            return Holding(lambda each: disjunction(self.numbers.same(each, one) for one in elements))
        bits = (disjunction(self.algebra.is_at(one, each) for one in elements) for each in members)
        return Members(members.start, tuple(bits))

    def pool(self, records: list[Fields], type_: Pool, multiple: bool) -> Heap | History:
        """A pool of these records, sorted if they are constants."""
        if self.capacity(type_) < inf:
            return Heap(known(len(records)), tuple(records), multiple)
        return History(lambda each: disjunction(self.algebra.same(each, one) for one in records))

    # --- what a store keeps -------------------------------------------------------------------------------------------

    def stored(self, type_: Type, shape: Shape) -> tuple[Shape, Bit]:
        """The value in the shape of a cell of this type, and whether it is a value of the type. Elements that are
        copied from one endless sequence or map to another are taken to be."""
        match type_:
            case Int() | Enumeration() | Identity():
                lo, hi = self.interval(type_)
                value = self.algebra.number(shape)
                return self.numbers.narrowed(value, lo, hi), self.numbers.within(value, lo, hi)
            case Option(of=of):
                if not isinstance(shape, Maybe):
                    return self.stored(type_, Maybe(True, shape))
                if shape.value is None:
                    return shape, True
                value, fits = self.stored(of, shape.value)
                return Maybe(shape.present, value), implies(shape.present, fits)
            case Record(fields=fields):
                parts = cast(Fields, shape).parts
                stored = {name: self.stored(of, parts[name]) for name, of in fields}
                return Fields({name: value for name, (value, _) in stored.items()}), conjunction(
                    fits for _, fits in stored.values()
                )
            case Map(value=of) if isinstance(shape, Table):
                each = [self.stored(of, part) for part in shape.parts]
                return Table(shape.first, tuple(value for value, _ in each)), conjunction(fits for _, fits in each)
            case Seq(of=of) if isinstance(shape, Slots):
                parts, fits = self._stored_parts(of, shape.length, shape.parts, self.capacity(type_))
                return Slots(self.numbers.narrowed(shape.length, 0, self.capacity(type_)), parts), fits
            case Pool(of=of) if isinstance(shape, Heap):
                parts, fits = self._stored_parts(of, shape.count, shape.slots, self.capacity(type_))
                count = self.numbers.narrowed(shape.count, 0, self.capacity(type_))
                return Heap(count, cast("tuple[Fields, ...]", parts), shape.multiple), fits
            case Subset(of=of) if isinstance(shape, Members):
                return self._stored_members(self.numbers_of(of), shape)
            case _:
                return shape, True

    def _stored_parts(
        self, of: Type, length: Number, parts: tuple[Shape, ...], capacity: Bound
    ) -> tuple[tuple[Shape, ...], Bit]:
        kept, fits = list[Shape](), [self.numbers.within(length, 0, capacity)]
        room = len(parts) if capacity == inf else int(capacity)
        for at, part in enumerate(parts[:room]):
            value, right = self.stored(of, part)
            kept.append(value)
            fits.append(implies(self.algebra.is_below(at, length), right))
        kept += (self.least(of) for _ in range(room - len(kept)))
        return tuple(kept), conjunction(fits)

    def _stored_members(self, members: range | None, shape: Members) -> tuple[Shape, Bit]:
        if members is None:
            has = {at: each for at, each in enumerate(shape.bits, shape.first) if each is not False}
            return Holding(
                lambda each: disjunction(both(b, self.algebra.is_at(each, at)) for at, b in has.items())
            ), True
        outside = [b for at, b in enumerate(shape.bits, shape.first) if at not in members]
        return spread(shape, members.start, members.stop), negation(disjunction(outside))


def scalars(shape: Shape) -> Iterator[Number | Bit]:
    """The numbers and truth values that a finite shape is made of, in order."""
    match shape:
        case Maybe(present=present, value=value):
            yield present
            if value is not None:
                yield from scalars(value)
        case Fields(parts=parts):
            for part in parts.values():
                yield from scalars(part)
        case Table(parts=parts):
            for part in parts:
                yield from scalars(part)
        case Slots(length=length, parts=parts):
            yield length
            for part in parts:
                yield from scalars(part)
        case Heap(count=count, slots=slots):
            yield count
            for part in slots:
                yield from scalars(part)
        case Members(bits=bits):
            yield from bits
        case Number() | bool() | z3.BoolRef():
            yield shape
        case Sequence(length=length):
            yield length
        case Function() | Holding() | History():
            return


# --- the two ----------------------------------------------------------------------------------------------------------


def finite(model: Model) -> Encoding:
    """Everything within the model's bounds; open constants have their present values."""
    return Encoding(model, BitVectors(), frozenset())


def unbounded(model: Model) -> Encoding:
    """Quantities bounded by the model's open constants have no upper end. `model` is one that `unbounded_model` made:
    all of its open constants are bounds."""
    return Encoding(model, Integers(), model.open)


def unbounded_model(definition: Definition, model: Model) -> Model:
    """The same model with its bounds left open, and its properties, ghosts and other constants as they are.

    Raises ModelErrors when the text needs a bound to be known (a set of numbers without an end, say)."""
    return definition.bind(
        model.name,
        constants=model.values,
        open=boundless_constants(definition, model),
        ghosts=model.ghosts,
        properties=[each.name for each in model.properties],
    )


def boundless_constants(definition: Definition, model: Model) -> frozenset[str]:
    """The constants that lose their bound in the unbounded encoding of this model."""
    integers = [name for name, each in definition.constants.items() if each.minimum is not None]
    wide = definition.bind(model.name, constants=model.values, open=integers, ghosts=True, properties=())
    bounds, sizes = set[str](), set[str]()
    types = [each.type for each in wide.fields]
    types += [parameter.type for action in wide.actions for parameter in action.form.parameters]
    for type_ in types:
        for each in _open_bounds(type_, sizes):
            bounds |= each.names()
    bounds |= {action.budget for action in wide.actions if action.budget is not None}
    return frozenset(name for name in bounds - sizes if model.values[name] != 0)


def _open_bounds(type_: Type, sizes: set[str]) -> Iterator[ConstantExpression]:
    """The open upper bounds in a type; the constants that domains' sizes depend on are added to `sizes`."""
    match type_:
        case Int(hi_open=hi_open):
            yield from () if hi_open is None else (hi_open,)
        case Identity(size_open=size_open):
            sizes |= frozenset() if size_open is None else size_open.names()
        case Option(of=of) | Subset(of=of):
            yield from _open_bounds(of, sizes)
        case Record(fields=fields):
            for _, of in fields:
                yield from _open_bounds(of, sizes)
        case Map(key=key, value=value):
            yield from _open_bounds(key, sizes)
            yield from _open_bounds(value, sizes)
        case Seq(of=of, capacity_open=capacity_open) | Pool(of=of, capacity_open=capacity_open):
            yield from _open_bounds(of, sizes)
            yield from () if capacity_open is None else (capacity_open,)
        case Bool() | Enumeration() | Unit():
            return
