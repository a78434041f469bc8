"""Loops over what has no end that only add to sets: what is in the sets afterwards, said by clauses.

`for i in range(a, b): if c(i): s.seen.add(v(i))` is, for each x: x is in `seen` afterwards iff it was, or some round
has c(i) and adds x. The order of rounds makes no difference, since nothing that they read is written by them. A set of
a map whose key is the round's number, `s.read[i].add(v(i))`, is written in one round only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import cast

import z3

from ...language import ir
from ...language.immutable import immutable
from ...language.types import Subset
from ..traversal import traverse
from .algebra import memoize
from .clauses import Clause
from .loop_definitions import DefiningExecution
from .numbers import is_at_least
from .shapes import IntegerMap, MemberBits, Shape, UnboundedSet
from .statements import ChangedCell, Path
from .terms import Bit, Number, and_bits, conjunction, constant_number, disjunction, implies, negation

Step = ir.Let | tuple[ir.Expr, bool]
"""On the way to an addition: a name that is given, or a condition and whether it is true."""


@immutable
class _Addition:
    """One `add` in the body of a loop, with what stands before it."""

    way: tuple[Step, ...]
    add: ir.Add


@immutable
class _Round:
    """What one addition does in one round: whether it takes place, the indexes of the set, what is added, and that all
    of that is defined."""

    there: Bit
    indexes: list[Number]
    value: Number
    definedness: Bit


class StepExecution(DefiningExecution):
    """Runs the statements of a step; loops over what has no end that only add to sets among them."""

    def run_adding_loop(self, statement: ir.For, path: Path) -> bool:
        """Runs the loop; False, and nothing is changed, where it is of another kind."""
        if self.encoding.is_finite or not isinstance(statement.source, ir.IntRange):
            return False
        additions = _additions_of(statement.body)
        if not additions or not _are_apart(additions, statement.source):
            return False
        return _Loop(self, statement, path).run(additions)


def _additions_of(body: tuple[ir.Statement, ...], outer_steps: tuple[Step, ...] = ()) -> tuple[_Addition, ...] | None:
    """All that a body adds; None where it does anything else."""
    found: list[_Addition] = []
    for statement in body:
        match statement:
            case ir.Let():
                outer_steps = (*outer_steps, statement)
            case ir.Add() if isinstance(statement.place.type, Subset):
                found.append(_Addition(outer_steps, statement))
            case ir.If(condition=condition, yes=yes, no=no):
                for truth, side in ((True, yes), (False, no)):
                    inner = _additions_of(side, (*outer_steps, (condition, truth)))
                    if inner is None:
                        return None
                    found += inner
            case _:
                return None
    return tuple(found)


def _are_apart(additions: tuple[_Addition, ...], source: ir.Source) -> bool:
    """Whether no round reads what a round writes."""
    written = {addition.add.place.field for addition in additions}
    return not any(
        isinstance(node, ir.StateField) and node.field in written
        for addition in additions
        for node in traverse(tuple(_expressions_read(addition)))
    ) and not any(
        isinstance(node, ir.StateField) and node.field in written for node in traverse(_end_expressions(source))
    )


def _expressions_read(addition: _Addition) -> Iterator[ir.Expr]:
    for step in addition.way:
        yield step.value if isinstance(step, ir.Let) else step[0]
    yield from addition.add.place.indexes
    yield addition.add.value


def _end_expressions(source: ir.Source) -> tuple[ir.Expr, ...]:
    return (source.start, source.stop) if isinstance(source, ir.IntRange) else ()


class _Loop:
    """One run of one loop."""

    def __init__(self, execution: DefiningExecution, statement: ir.For, path: Path) -> None:
        self.execution, self.statement, self.path = execution, statement, path
        self.numbers = execution.numbers
        source = cast(ir.IntRange, statement.source)
        (self.first, one), (self.end, other) = (
            execution.number_of(source.start, path.names),
            execution.number_of(source.stop, path.names),
        )
        self.source_defined = and_bits(one, other)

    def run(self, additions: tuple[_Addition, ...]) -> bool:
        """Runs it; False, and nothing is changed, where a set is elsewhere than it can be said."""
        some = self.execution.any_number()
        rounds = [self._round_of(addition, some) for addition in additions]
        cells: dict[str, list[_Addition]] = {}
        places: dict[str, tuple[Number, ...] | None] = {}
        for addition, round_ in zip(additions, rounds, strict=True):
            field, place = addition.add.place.field, self._indexes_of_set(addition, round_, some)
            if place == () and round_.indexes:
                return False
            known = places.setdefault(field, place)
            if (known is None) != (place is None) or not _are_one_place(known, place):
                return False
            cells.setdefault(field, []).append(addition)
        inside = self._is_inside(some)
        self.path.need_defined(self.source_defined)
        for round_ in rounds:
            self.path.need_defined(implies(inside, round_.definedness))
        for field, added in cells.items():
            self._write_additions(added, places[field])
        self.execution.version += 1
        return True

    def _indexes_of_set(self, addition: _Addition, round_: _Round, some: Number) -> tuple[Number, ...] | None:
        """Where in its field the set is: the same indexes in each round, or None where the round's number is its key.
        Nowhere, where it is neither."""
        assert self.path.cells is not None
        if not any(_has_variable(index, some) for index in round_.indexes):
            return tuple(round_.indexes)
        is_map = isinstance(self.path.cells[addition.add.place.field], IntegerMap)
        return None if is_map and len(round_.indexes) == 1 and round_.indexes[0].term is some.term else ()

    def _is_inside(self, index: Number) -> Bit:
        return and_bits(is_at_least(self.numbers, index, self.first), self.numbers.is_less(index, self.end))

    def _round_of(self, addition: _Addition, index: Number) -> _Round:
        """What an addition does in the round of that number."""
        execution, names = self.execution, {**self.path.names, self.statement.variable: index}
        there: Bit = True
        right: list[Bit] = []
        for step in addition.way:
            if isinstance(step, ir.Let):
                names[step.name], defined = execution.value_of(step.value, names)
                right.append(implies(there, defined))
            else:
                truth, defined = execution.truth_of(step[0], names)
                right.append(implies(there, defined))
                there = and_bits(there, truth if step[1] else negation(truth))
        indexes = [execution.number_of(place, names) for place in addition.add.place.indexes]
        value, defined = execution.number_of(addition.add.value, names)
        fits = execution.encoding.shape_for_cell(cast(Subset, addition.add.place.type).of, value)[1]
        right.append(implies(there, conjunction([*(one for _, one in indexes), defined, fits])))
        if len(indexes) == 1:
            assert self.path.cells is not None
            cell = self.path.cells[addition.add.place.field]
            right.append(implies(there, execution.has_index(cell, indexes[0][0])))
        return _Round(there, [number for number, _ in indexes], value, conjunction(right))

    def _write_additions(self, additions: list[_Addition], indexes: tuple[Number, ...] | None) -> None:
        cells = self.path.cells
        assert cells is not None
        place = additions[0].add.place
        change = self._add_by_key(additions) if indexes is None else self._add_members(additions)
        changed = ChangedCell(place, change)
        cells[place.field] = self.execution.change_cell(
            changed, cells[place.field], [*(indexes or ())], False, self.path
        )

    def _add_by_key(self, additions: list[_Addition]) -> Callable[[Shape], Shape]:
        """A map of sets, each with what the round of its key adds."""
        frozen = self._frozen_rounds(additions)

        def change(cell: Shape) -> Shape:
            table = cast(IntegerMap, cell)

            def element_at(key: Number) -> Shape:
                after = table.element_at(key)
                for round_at in frozen:
                    round_ = round_at(key)
                    taken = and_bits(self._is_inside(key), round_.there)
                    more = self.execution.algebra.set_member(
                        cast("MemberBits | UnboundedSet", after), round_.value, True
                    )
                    after = self.execution.algebra.choose(taken, more, after)
                return after

            return IntegerMap(table.ends, memoize(element_at))

        return change

    def _frozen_rounds(self, additions: list[_Addition]) -> list[Callable[[Number], _Round]]:
        """What each addition does in a round, in the state as it is now."""
        execution = self.execution
        states, version = {name: dict(cells) for name, cells in execution.states.items()}, execution.version
        names, path = dict(self.path.names), self.path

        def frozen_round(addition: _Addition) -> Callable[[Number], _Round]:
            def round_at(index: Number) -> _Round:
                now = execution.states, execution.version, path.names
                execution.states, execution.version, path.names = states, version, names
                try:
                    return self._round_of(addition, index)
                finally:
                    execution.states, execution.version, path.names = now

            return round_at

        return [frozen_round(addition) for addition in additions]

    def _add_members(self, additions: list[_Addition]) -> Callable[[Shape], Shape]:
        """A set with all that any round adds: a new predicate, and clauses that define it."""
        execution = self.execution
        name = cast(z3.ExprRef, execution.any_bit()).decl().name()
        predicate = z3.Function(name, z3.IntSort(), z3.BoolSort())

        def has(member: Number) -> Bit:
            return cast(z3.BoolRef, predicate(self.numbers.term_of(member)))

        def change(cell: Shape) -> Shape:
            where, before = self.statement.where, cast("MemberBits | UnboundedSet", cell)
            some, member = execution.any_number(), execution.any_number()
            variables = cast("tuple[z3.ExprRef, ...]", (member.term,))
            was = self._is_member(before, member)
            execution.assumptions.append(Clause("", variables, was, has(member), where))
            reasons = [was]
            for number, addition in enumerate(additions):
                round_ = self._round_of(addition, some)
                there = and_bits(self._is_inside(some), round_.there)
                bound = (cast(z3.ExprRef, some.term),)
                execution.assumptions.append(Clause("", bound, there, has(round_.value), where))
                witness = z3.Function(f"{name}@{number}", z3.IntSort(), z3.IntSort())
                by = Number(cast(z3.ArithRef, witness(self.numbers.term_of(member))), -inf, inf)
                round_ = self._round_of(addition, by)
                alike = self.numbers.are_equal(round_.value, member)
                reasons.append(and_bits(self._is_inside(by), round_.there, alike))
            execution.assumptions.append(Clause("", variables, has(member), disjunction(reasons), where))
            if isinstance(before, MemberBits):
                places = range(before.first, before.first + len(before.bits))
                return MemberBits(before.first, tuple(has(constant_number(place)) for place in places))
            return UnboundedSet(has)

        return change

    def _is_member(self, cell: MemberBits | UnboundedSet, member: Number) -> Bit:
        if isinstance(cell, UnboundedSet):
            return cell.has(member)
        free = Number(member.term, cell.first, cell.first + len(cell.bits) - 1)
        inside = self.numbers.is_in_interval(member, free.lo, free.hi)
        return and_bits(inside, self.execution.algebra.has_element(cell, free))


def _are_one_place(one: tuple[Number, ...] | None, other: tuple[Number, ...] | None) -> bool:
    """Whether two places are the same text of indexes."""
    if one is None or other is None:
        return one is other
    return [str(index.term) for index in one] == [str(index.term) for index in other]


def _has_variable(number: Number, variable: Number) -> bool:
    """Whether a number depends on a variable."""
    if isinstance(number.term, int):
        return False
    waiting, wanted = [cast(z3.ExprRef, number.term)], cast(z3.ExprRef, variable.term).get_id()
    while waiting:
        term = waiting.pop()
        if term.get_id() == wanted:
            return True
        waiting += term.children()
    return False
