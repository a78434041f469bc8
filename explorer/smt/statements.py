"""Bodies of functions and actions, run on terms: both sides of every `if`, every round of every loop, and what holds
when they meet again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import z3

from ...language import ir
from ...language.immutable import immutable
from ...language.types import Int, Map, Option, Pool, Record, Seq, Subset, Type
from ...language.where import Where
from ..traversal import traverse
from .algebra import memoize
from .encoding import Encoding
from .errors import NotUnboundedError
from .expressions import EndlessError, Evaluator, Value, is_unordered
from .loop_progress import LoopProgress
from .numbers import is_at_least
from .shapes import Fields, Heap, MemberBits, Records, Sequence, Shape, Slots, UnboundedSet
from .terms import Bit, Number, and_bits, conjunction, constant_number, implies, negation, or_bits


@immutable
class ChangedCell:
    """A write of a cell of the state, or of a part of it, that is a function of what was there."""

    place: ir.Place
    change: Callable[[Shape], Shape]


@dataclass(slots=True)
class Path:
    """Where a run of statements has come to.

    It is still running here if `here`; `stopped_by_require` and `stopped_by_limit` say that a `require` or a `limit`
    stopped it on the way, `definedness` that nothing broke. `cells` is the state being written, None in a pure
    function; `returned_values` are the values that pure functions gave on the way and when.
    """

    names: dict[str, Shape]
    cells: dict[str, Shape] | None
    here: Bit = True
    stopped_by_require: Bit = False
    stopped_by_limit: Bit = False
    definedness: list[Bit] = field(default_factory=list[Bit])
    returned_values: list[tuple[Bit, Shape]] = field(default_factory=list[tuple[Bit, Shape]])

    def need_defined(self, is_defined: Bit) -> None:
        """Something is evaluated here."""
        if is_defined is not True:
            self.definedness.append(implies(self.here, is_defined))


class Execution(Evaluator):
    """Runs statements. `state` is the name of the state that an action writes."""

    def __init__(
        self, encoding: Encoding, states: Mapping[str, Mapping[str, Shape]], budgets: frozenset[str] = frozenset()
    ) -> None:
        super().__init__(encoding, states)
        self.budgets = budgets
        self._calls: dict[tuple[Any, ...], tuple[tuple[Shape, ...], Value]] = {}

    # --- pure functions -----------------------------------------------------------------------------------------------

    def value_of_call(self, function: ir.Function, arguments: tuple[Shape, ...], where: Where) -> Value:
        """The value of a helper, evaluated once for the same arguments and the same state."""
        key = (id(function), self.version, *(_identity_of(argument) for argument in arguments))
        if key not in self._calls:
            names = dict(zip((name for name, _ in function.parameters), arguments, strict=True))
            self._calls[key] = (arguments, self.result_of(function, names))
        return self._calls[key][1]

    def result_of(self, function: ir.Function, names: dict[str, Shape]) -> Value:
        """What a pure function returns with these parameters."""
        path = Path(names, None)
        self.run_statements(function.body, path)
        if not path.returned_values:
            raise TypeError(f"{function.name} returns nothing")
        value = path.returned_values[-1][1]
        for when, shape in reversed(path.returned_values[:-1]):
            value = self.algebra.choose(when, shape, value)
        return value, conjunction(path.definedness)

    # --- statements ---------------------------------------------------------------------------------------------------

    def run_statements(self, body: tuple[ir.Statement, ...], path: Path) -> None:
        """Runs statements until nothing is left to run."""
        for statement in body:
            if path.here is False:
                return
            self._run_statement(statement, path)

    def _run_statement(self, statement: ir.Statement, path: Path) -> None:
        match statement:
            case ir.Require(condition=condition):
                value, defined = self.truth_of(condition, path.names)
                path.need_defined(defined)
                path.stopped_by_require = or_bits(path.stopped_by_require, and_bits(path.here, negation(value)))
                path.here = and_bits(path.here, value)
            case ir.Limit():
                self.run_limit(statement, path)
            case ir.Let(name=name, value=expression):
                path.names[name], defined = self.value_of(expression, path.names)
                path.need_defined(defined)
            case ir.If():
                self._run_branch(statement, path)
            case ir.For():
                self._run_loop(statement, path)
            case ir.Assert(condition=condition):
                value, defined = self.truth_of(condition, path.names)
                path.need_defined(and_bits(defined, value))
            case ir.Return(value=expression):
                value, defined = self.value_of(expression, path.names)
                path.need_defined(defined)
                path.returned_values.append((path.here, value))
                path.here = False
            case _:
                if statement.place.field not in self.budgets:
                    self._run_write(statement, path)

    def run_limit(self, statement: ir.Limit, path: Path) -> None:
        """A guard of the bounds."""
        value, defined = self.truth_of(statement.condition, path.names)
        path.need_defined(defined)
        path.stopped_by_limit = or_bits(path.stopped_by_limit, and_bits(path.here, negation(value)))
        path.here = and_bits(path.here, value)

    def _run_branch(self, statement: ir.If, path: Path) -> None:
        condition, defined = self.truth_of(statement.condition, path.names)
        path.need_defined(defined)
        if isinstance(condition, bool):
            self.run_statements(statement.yes if condition else statement.no, path)
            return
        cells, names = path.cells, path.names
        yes = Path(dict(names), None if cells is None else dict(cells), and_bits(path.here, condition))
        no = Path(dict(names), None if cells is None else dict(cells), and_bits(path.here, negation(condition)))
        for side, body in ((yes, statement.yes), (no, statement.no)):
            self._enter_path(side)
            self.run_statements(body, side)
        self._merge_paths(condition, yes, no, path)
        self._enter_path(path)

    def _merge_paths(self, condition: Bit, yes: Path, no: Path, path: Path) -> None:
        """Both sides of an `if` in one."""
        path.here = or_bits(yes.here, no.here)
        for side in (yes, no):
            path.stopped_by_require = or_bits(path.stopped_by_require, side.stopped_by_require)
            path.stopped_by_limit = or_bits(path.stopped_by_limit, side.stopped_by_limit)
            path.definedness += side.definedness
            path.returned_values += side.returned_values
        shared = yes.names.keys() & no.names.keys()
        path.names = {
            name: self._merge_values(condition, yes.names[name], no.names[name], yes.here, no.here)
            for name in (name for name in yes.names if name in shared)
        }
        if yes.cells is not None and no.cells is not None:
            path.cells = {
                name: self._merge_values(condition, yes.cells[name], no.cells[name], yes.here, no.here)
                for name in yes.cells
            }

    def _merge_values(self, condition: Bit, yes: Shape, no: Shape, comes: Bit, other: Bit) -> Shape:
        if yes is no or other is False:
            return yes
        return no if comes is False else self.algebra.choose(condition, yes, no)

    def _enter_path(self, path: Path) -> None:
        """Goes on where a path is: what is read of the state is what the path has written."""
        if path.cells is not None:
            self.version += 1
            self.states = {name: path.cells for name in self.states}

    def _run_loop(self, statement: ir.For, path: Path) -> None:
        loop = LoopProgress()
        try:
            rounds = list(self.elements(statement.source, path.names, loop, True))
        except EndlessError:
            if not self._run_appending_loop(statement, path) and not self.run_adding_loop(statement, path):
                raise NotUnboundedError(
                    statement.where,
                    "the loop goes over something that has no end here, and does more than append to one sequence or "
                    "add to sets",
                    "write the step without a loop, or with one that only appends, or only adds to sets",
                ) from None
            return
        path.need_defined(
            conjunction(loop.definedness)
        )  # before the rounds: whether they stop or return, the source is evaluated
        for there, element in rounds:
            round_ = ir.If(_TRUE, statement.body, (), statement.where)
            self._run_round(round_, there, {**path.names, statement.variable: element}, path)
            if path.here is False:
                break

    def run_adding_loop(self, statement: ir.For, path: Path) -> bool:
        """Runs a loop over what has no end that only adds to sets; False if the loop is another one."""
        return False

    def _run_appending_loop(self, statement: ir.For, path: Path) -> bool:
        """`for i in range(a, b): place.append(value)`, however many that are; False if the loop is another one."""
        match statement:
            case ir.For(source=ir.IntRange(start=start, stop=stop), body=(ir.Append(place=place, value=value),)):
                grown = any(
                    isinstance(node, ir.StateField) and node.field == place.field for node in traverse((value,))
                )
                variable = statement.variable
                if grown or any(
                    isinstance(node, ir.Name) and node.name == variable for node in traverse(place.indexes)
                ):
                    return False
            case _:
                return False
        (first, one), (end, other) = self.number_of(start, path.names), self.number_of(stop, path.names)
        count = self.numbers.arithmetic("max", self.numbers.arithmetic("-", end, first), constant_number(0))
        indexes = [self.value_of(index, path.names) for index in place.indexes]
        some = self.any_number()
        inside = and_bits(is_at_least(self.numbers, some, first), self.numbers.is_less(some, end))
        taken, right = self.value_of(value, {**path.names, statement.variable: some})
        path.need_defined(
            conjunction([one, other, implies(self.numbers.is_less(first, end), self._are_all_defined(indexes))])
        )
        path.need_defined(implies(inside, and_bits(right, self.is_of_type(cast(Seq, place.type).of, value, taken))))
        assert path.cells is not None
        many = _AppendedElements(place, first, count, self.function_of_number(value, statement.variable, path.names))
        path.cells[place.field] = self.change_cell(
            many, path.cells[place.field], [index for index, _ in indexes], False, path
        )
        self.version += 1
        return True

    def _are_all_defined(self, values: list[Value]) -> Bit:
        return conjunction(right for _, right in values)

    def is_of_type(self, type_: Type, expression: ir.Expr, value: Shape) -> Bit:
        """Whether the value of an expression is of a type, with all that it is made of."""
        return and_bits(self.encoding.shape_for_cell(type_, value)[1], self._are_copied(type_, expression, value))

    def _are_copied(self, type_: Type, expression: ir.Expr, value: Shape) -> Bit:
        """Whether the elements of what has no end are of a type: they are where it is read from a cell with such
        elements, else it has to be proved of any of them."""
        if self.encoding.is_finite or (
            _is_cell(expression) and _element_layout(type_) == _element_layout(expression.type)
        ):
            return True
        return self.encoding.elements_fit(type_, value, cast(z3.ExprRef, self.any_number().term).decl().name())

    def _run_round(self, statement: ir.If, there: Bit, names: dict[str, Shape], path: Path) -> None:
        """One round of a loop, which takes place if `there`."""
        path.names = names
        if there is True:
            self.run_statements(statement.yes, path)
            return
        yes = Path(dict(names), None if path.cells is None else dict(path.cells), and_bits(path.here, there))
        no = Path(dict(names), path.cells, and_bits(path.here, negation(there)))
        self._enter_path(yes)
        self.run_statements(statement.yes, yes)
        self._merge_paths(there, yes, no, path)
        self._enter_path(path)

    # --- writes -------------------------------------------------------------------------------------------------------

    def _run_write(self, statement: Any, path: Path) -> None:
        place: ir.Place = statement.place
        value: Shape = False
        if isinstance(statement, ir.Truncate):
            value, defined = self.number_of(statement.length, path.names)
        else:
            value, defined = self.value_of(statement.value, path.names)
        path.need_defined(defined)
        indexes = [self.value_of(index, path.names) for index in place.indexes]
        path.need_defined(conjunction(right for _, right in indexes))
        assert path.cells is not None
        path.cells[place.field] = self.change_cell(
            statement, path.cells[place.field], [index for index, _ in indexes], value, path
        )
        self.version += 1

    def change_cell(self, statement: Any, cell: Shape, indexes: list[Shape], value: Shape, path: Path) -> Shape:
        """The cell after the write, which happens `indexes` deep inside of it."""
        if not indexes:
            after, fits = self._write_cell(statement, cell, value)
            path.need_defined(fits)
            return after
        first, *rest = indexes
        index = self.algebra.number(first)
        path.need_defined(self.has_index(cell, index))
        if isinstance(cell, Slots) and not cell.parts:
            return cell
        return self.algebra.replace_element(
            cell, index, self.change_cell(statement, self.algebra.element_at(cell, index), rest, value, path)
        )

    def _write_cell(self, statement: Any, cell: Shape, value: Shape) -> tuple[Shape, Bit]:
        """A cell after the write, and whether it still is of its type."""
        type_: Type = statement.place.type
        match statement:
            case ir.Store():
                stored, fits = self.encoding.shape_for_cell(type_, value)
                return stored, and_bits(fits, self._are_copied(type_, statement.value, value))
            case ChangedCell(change=change):
                return change(cell), True
            case _AppendedElements():
                longer = statement.append_to(self, cast("Slots | Sequence", cell))
                return self.encoding.shape_for_cell(type_, longer)
            case ir.Append():
                sequence = cast("Slots | Sequence", cell)
                stored, fits = self.encoding.shape_for_cell(cast(Seq, type_).of, value)
                fits = and_bits(fits, self._are_copied(cast(Seq, type_).of, statement.value, value))
                longer, room = self.encoding.shape_for_cell(type_, self.algebra.append_element(sequence, stored))
                return longer, and_bits(fits, room)
            case ir.Truncate():
                sequence, length = cast("Slots | Sequence", cell), self.algebra.number(value)
                fits = and_bits(
                    self.numbers.is_in_interval(length, 0, length.hi),
                    negation(self.numbers.is_less(sequence.length, length)),
                )
                shorter = self.numbers.narrow_to(length, 0, sequence.length.hi)
                if isinstance(sequence, Slots):
                    return Slots(shorter, sequence.parts), fits
                return Sequence(shorter, sequence.element_at), fits
            case ir.Add() if isinstance(type_, Pool):
                record, fits = self.encoding.shape_for_cell(type_.of, value)
                grown = self.algebra.add_record(cast("Heap | Records", cell), cast(Fields, record))
                after, room = self.encoding.shape_for_cell(type_, grown)
                return after, and_bits(fits, room)
            case ir.Add():
                member, fits = self.encoding.shape_for_cell(cast(Subset, type_).of, value)
                return self._set_member(cell, member, True), fits
            case _:
                return self._remove_member(statement, cell, value, type_)

    def _remove_member(self, statement: ir.Remove, cell: Shape, value: Shape, type_: Type) -> tuple[Shape, Bit]:
        if isinstance(type_, Pool):
            pool, record = cast("Heap | Records", cell), cast(Fields, value)
            there = self.algebra.has_element(pool, record) if statement.strict else True
            left = self.any_bit() if isinstance(pool, Records) and pool.multiple else False
            return self.algebra.remove_record(pool, record, left), there
        there = self.algebra.has_element(cell, value) if statement.strict else True
        return self._set_member(cell, value, False), there

    def _set_member(self, cell: Shape, member: Shape, value: Bit) -> Shape:
        return self.algebra.set_member(cast("MemberBits | UnboundedSet", cell), self.algebra.number(member), value)


@immutable
class _AppendedElements:
    """Elements that are appended to a sequence of any length: `element` of `first`, `first + 1`, ..."""

    place: ir.Place
    first: Number
    count: Number
    element: Callable[[Number], Shape]

    def append_to(self, execution: Evaluator, cell: Slots | Sequence) -> Slots | Sequence:
        """The sequence with all of them. One of a fixed capacity has so many places, whether there is room or not."""
        numbers, length = execution.numbers, cell.length

        def element_at(index: Number) -> Shape:
            beyond = numbers.arithmetic("-", index, length)
            new = self.element(numbers.arithmetic("+", self.first, beyond))
            if isinstance(cell, Slots) and not cell.parts:
                return new
            return execution.algebra.choose(
                numbers.is_less(index, length), execution.algebra.element_at(cell, index), new
            )

        longer = numbers.arithmetic("+", length, self.count)
        if isinstance(cell, Slots):
            room = range(int(execution.encoding.capacity(cast(Seq, self.place.type))))
            return Slots(longer, tuple(element_at(constant_number(number)) for number in room))
        return Sequence(longer, memoize(element_at))


def has_loop_over_members(body: tuple[ir.Statement, ...]) -> bool:
    """Whether a `for` statement, in the body or in a helper that it calls, goes over members in an order that depends
    on what they are called."""
    return any(isinstance(node, ir.For) and is_unordered(node.source) for node in traverse(body))


def _is_cell(expression: ir.Expr) -> bool:
    """Whether an expression is a cell of the state, or a part of one, so that its elements are of the cell's type."""
    match expression:
        case ir.StateField():
            return True
        case ir.Index(container=inner) | ir.RecordField(record=inner) | ir.Slice(sequence=inner):
            return _is_cell(inner)
        case ir.Unwrap(option=inner) | ir.Some(value=inner):
            return _is_cell(inner)
        case _:
            return False


def _element_layout(type_: Type) -> Any:
    """What two types have in common whose elements are of the same type. How long the sequence itself may be is left
    out, for a store looks at that (`Encoding.stored`); how long its elements may be, or those of a map, is not."""
    match type_:
        case Seq(of=of):
            return "sequence", of
        case Option(of=of):
            return _element_layout(of)
        case Map():
            return type_
        case Record(name=name, fields=fields):
            return name, tuple((text, _element_layout(of)) for text, of in fields)
        case _:
            return type_


_NOWHERE = Where("", 0, 0, 0, 0)
_TRUE = ir.Const(1, Int(0, 1), _NOWHERE)


def _identity_of(shape: Shape) -> Any:
    """What identifies shapes that are certainly the same: a known number, or the object."""
    if isinstance(shape, bool):
        return shape
    term = getattr(shape, "term", None)
    return ("n", term) if isinstance(term, int) else id(shape)
