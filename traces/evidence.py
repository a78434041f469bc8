"""What a value rests on: the typed form evaluated over plain values, with the cells of the state that decide it.

    reading = Reading(model, {"s": state})
    holds, cells = reading.call(prop.form)          False, and the cells that make it so

Only what decides is kept: of a false `and` its first false operand, of a false `all` its first false round, with the
conditions that let the round in. A name bound to a cell stands for the cell, so that nothing is read before it is used.
The values are the judge's, by the author's own text; the tests hold this to be so.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, cast

from ..language import ir, types
from ..language.checks import members_of
from ..language.containers import ModelError
from ..language.drafts import Cells, Draft
from ..language.immutable import immutable
from ..language.judge import state_shape
from ..language.model import Action, Model
from ..language.records import make_record, part_of
from ..language.values import Bag, Map, Seq, Set, State
from ..language.where import Where
from .state_parts import CellPart, Reads, StatePart

MANY_CELLS = 64  # cells: where there are more, each is kept once


@immutable
class SeenValue:
    """A value; the cell that it still is, if nothing was made of it yet; and the cells read on the way."""

    value: Any
    cell: StatePart | None = None
    reads: Reads = ()

    def __post_init__(self) -> None:
        """Drops repeated cells: each call of a function hands on the same ones, and they would multiply."""
        if len(self.reads) > MANY_CELLS:
            object.__setattr__(self, "reads", tuple(dict.fromkeys(self.reads)))

    def seen_part(self, kind: Any, part: Any, value: Any, *reads: StatePart) -> SeenValue:
        """A part of it."""
        here = self.cell
        if here is None or (here.parts and here.parts[-1][0] == "member"):
            return SeenValue(value, here, (*self.reads, *reads))
        return SeenValue(value, dataclasses.replace(here, parts=(*here.parts, (kind, part))), (*self.reads, *reads))

    def all_reads(self) -> Reads:
        """Everything it rests on once it is used as a value."""
        return self.reads if self.cell is None else (*self.reads, self.cell)


@immutable
class Write:
    """A statement that wrote: the cell, and what decided that it was written, and with what."""

    cell: StatePart
    statement: ir.Statement
    reads: Reads


@immutable
class Effects:
    """What a step rested on: its guards, and each of its writes."""

    guards: Reads
    writes: tuple[Write, ...]

    def reads(self) -> Reads:
        """Every cell that the step read, once."""
        return tuple(dict.fromkeys((*self.guards, *(cell for write in self.writes for cell in write.reads))))


class _GuardStopped(Exception):
    """A guard is false, or, with None, the guards are behind."""

    def __init__(self, guard: ir.Require | ir.Limit | None) -> None:
        super().__init__()
        self.guard = guard


class _HelperReturned(Exception):
    def __init__(self, seen_value: SeenValue) -> None:
        super().__init__()
        self.seen = seen_value


Environment: TypeAlias = dict[str, SeenValue]
Rounds: TypeAlias = Iterator[tuple[SeenValue, Reads]]


class StateEvaluation:
    """An evaluation over given states, named as the text names them. ModelError where the text breaks."""

    def __init__(self, model: Model, states: Mapping[str, State]) -> None:
        self.model = model
        self.states = dict(states)
        self.writes: list[Write] = []
        self.guards: list[StatePart] = []
        self.control: list[Reads] = []
        self.compared: list[tuple[Where, Reads]] = []
        self._is_trying = False

    # --- functions ----------------------------------------------------------------------------------------------------

    def evaluate_property(self, function: ir.Function, environment: Environment | None = None) -> tuple[Any, Reads]:
        """What a property's form answers, and the cells that decide it."""
        seen = self._evaluate_function(function, environment or {})
        return seen.value, tuple(dict.fromkeys(seen.all_reads()))

    def _evaluate_function(self, function: ir.Function, environment: Environment) -> SeenValue:
        outer, self.control = self.control, []
        try:
            self._run_block(function.body, dict(environment))
        except _HelperReturned as returned:
            return returned.seen
        finally:
            self.control = outer
        return SeenValue(None)

    def effects_of_step(self, action: Action, arguments: Mapping[str, Any]) -> Effects:
        """What a step rests on, taken from the state that the action's text names; it must be enabled."""
        self._run_block(action.form.body, self._argument_values(action, arguments))
        return Effects(tuple(dict.fromkeys(self.guards)), tuple(self.writes))

    def false_guard(self, action: Action, arguments: Mapping[str, Any]) -> ir.Require | ir.Limit | None:
        """The first guard of a step that is false; None when it is enabled. Nothing is written, and nothing that the
        author's function prints is printed."""
        self._is_trying = True
        try:
            self._run_block(action.form.body, self._argument_values(action, arguments))
        except _GuardStopped as stopped:
            return stopped.guard
        finally:
            self._is_trying = False
        return None

    def _argument_values(self, action: Action, arguments: Mapping[str, Any]) -> Environment:
        given: Environment = {}
        for parameter in action.form.parameters:
            value = arguments[parameter.name]
            member = (
                None if parameter.pool is None else StatePart(action.form.state, parameter.pool, (("member", value),))
            )
            given[parameter.name] = SeenValue(value, member)
        return given

    # --- statements ---------------------------------------------------------------------------------------------------

    def _run_block(self, body: tuple[ir.Statement, ...], names: Environment) -> None:
        for statement in body:
            self._run_statement(statement, names)

    def _run_statement(self, statement: ir.Statement, names: Environment) -> None:
        match statement:
            case ir.Require(condition=condition) | ir.Limit(condition=condition):
                seen = self.see_expression(condition, names)
                self.guards += seen.all_reads()
                if self._is_trying and not seen.value:
                    raise _GuardStopped(statement)
            case ir.Let(name=name, value=value):
                names[name] = self.see_expression(value, names)
            case ir.If(condition=condition, yes=yes, no=no):
                seen = self.see_expression(condition, names)
                self.control.append(seen.all_reads())
                self._run_block(yes if seen.value else no, names)
            case ir.For(variable=variable, source=source, body=body):
                for value, reads in list(self._admitted_values(source, names)):
                    self.control.append(reads)
                    names[variable] = value
                    self._run_block(body, names)
                    self.control.pop()
            case ir.Return(value=value):
                seen = self.see_expression(value, names)
                raise _HelperReturned(SeenValue(seen.value, seen.cell, (*self._path_reads(), *seen.reads)))
            case ir.Assert():
                pass
            case _:
                self._run_write(statement, names)

    def _path_reads(self) -> Reads:
        """What the tests on the way here rested on."""
        return tuple(cell for reads in self.control for cell in reads)

    def _run_write(self, statement: Any, names: Environment) -> None:
        if self._is_trying:
            raise _GuardStopped(None)
        place: ir.Place = statement.place
        state = next(iter(self.states))
        indexes = [self.see_expression(index, names) for index in place.indexes]
        written = getattr(statement, "length", None) or statement.value
        seen = self.see_expression(written, names)
        reads = (*self._path_reads(), *(cell for index in indexes for cell in index.all_reads()), *seen.all_reads())
        cell = _written_cell(state, self.model.field(place.field).type, place.field, [index.value for index in indexes])
        self.writes.append(Write(cell, statement, tuple(dict.fromkeys(reads))))
        draft = Draft(Cells(state_shape(self.model), self.states[state]))
        _store_on_draft(draft, place.field, [index.value for index in indexes], statement, seen.value)
        self.states[state] = draft.__cells__.state_at_present()

    # --- sources of loops ---------------------------------------------------------------------------------------------

    def items_of_source(self, source: ir.Source, names: Environment) -> Iterator[SeenValue]:
        """Each value that a loop goes over, in order."""
        return (value for value, _ in self._admitted_values(source, names))

    def _admitted_values(self, source: ir.Source, names: Environment) -> Iterator[tuple[SeenValue, Reads]]:
        """Each value that a loop goes over, with what lets that round in."""
        match source:
            case ir.IntRange(start=start, stop=stop):
                first, last = self.see_expression(start, names), self.see_expression(stop, names)
                reads = (*first.all_reads(), *last.all_reads())
                yield from ((SeenValue(number), reads) for number in range(first.value, last.value))
            case ir.Members(of=of):
                yield from ((SeenValue(value), ()) for value in self._members_of_type(of))
            case ir.Elements(of=of):
                seen = self.see_expression(of, names)
                is_sequence = isinstance(of.type, types.Seq)
                elements: tuple[Any, ...] = tuple(seen.value)
                for at, value in enumerate(elements):
                    if is_sequence:
                        yield seen.seen_part("at", at, value), seen.reads
                    else:
                        yield SeenValue(value), seen.seen_part("member", value, True).all_reads()

    def _reads_of_all_rounds(self, source: ir.Source, names: Environment) -> Reads:
        """What a loop's rounds rest on altogether."""
        match source:
            case ir.IntRange(start=start, stop=stop):
                return (*self.see_expression(start, names).all_reads(), *self.see_expression(stop, names).all_reads())
            case ir.Elements(of=of):
                return self.see_expression(of, names).all_reads()
            case _:
                return ()

    def _members_of_type(self, of: types.Type) -> tuple[Any, ...]:
        return tuple(members_of(of, self.model.values))

    # --- expressions --------------------------------------------------------------------------------------------------

    def see_expression(self, node: ir.Expr, names: Environment) -> SeenValue:
        """An expression's value, with what it rests on."""
        return getattr(self, f"_{type(node).__name__}")(node, names)

    def _combine(self, value: Any, *parts: SeenValue) -> SeenValue:
        """A new value made from others."""
        return SeenValue(value, None, tuple(cell for part in parts for cell in part.all_reads()))

    def _Const(self, node: ir.Const, names: Environment) -> SeenValue:
        return SeenValue(
            None if isinstance(node.type, (types.Option, types.Unit)) else decode_scalar(node.type, node.number)
        )

    def _OpenConst(self, node: ir.OpenConst, names: Environment) -> SeenValue:
        return SeenValue(self.model.values[node.name])

    def _Name(self, node: ir.Name, names: Environment) -> SeenValue:
        return names[node.name]

    def _StateField(self, node: ir.StateField, names: Environment) -> SeenValue:
        return SeenValue(getattr(self.states[node.state], node.field), StatePart(node.state, node.field))

    def _RecordField(self, node: ir.RecordField, names: Environment) -> SeenValue:
        seen = self.see_expression(node.record, names)
        type_ = cast(types.Record, node.record.type)
        return seen.seen_part("attribute", node.field, part_of(type_, seen.value, node.field))

    def _Index(self, node: ir.Index, names: Environment) -> SeenValue:
        container, index = self.see_expression(node.container, names), self.see_expression(node.index, names)
        kind = "at" if isinstance(node.container.type, types.Seq) else "key"
        return container.seen_part(kind, index.value, container.value[index.value], *index.all_reads())

    def _Slice(self, node: ir.Slice, names: Environment) -> SeenValue:
        bounds = [
            None if expression is None else self.see_expression(expression, names)
            for expression in (node.start, node.stop)
        ]
        whole = self.see_expression(node.sequence, names)
        values = [None if bound is None else bound.value for bound in bounds]
        return self._combine(whole.value[slice(*values)], whole, *(bound for bound in bounds if bound is not None))

    def _Length(self, node: ir.Length, names: Environment) -> SeenValue:
        seen = self.see_expression(node.of, names)
        return self._combine(len(seen.value), seen.seen_part("length", None, len(seen.value)))

    def _Not(self, node: ir.Not, names: Environment) -> SeenValue:
        seen = self.see_expression(node.operand, names)
        return self._combine(not seen.value, seen)

    def _And(self, node: ir.And, names: Environment, *, stop: bool = False) -> SeenValue:
        passed: list[SeenValue] = []
        for operand in node.operands:
            seen = self.see_expression(operand, names)
            if bool(seen.value) is stop:
                return self._combine(stop, seen)
            passed.append(seen)
        return self._combine(not stop, *passed)

    def _Or(self, node: ir.Or, names: Environment) -> SeenValue:
        return self._And(ir.And(node.operands, node.type, node.where), names, stop=True)

    def _Choice(self, node: ir.Choice, names: Environment) -> SeenValue:
        condition = self.see_expression(node.condition, names)
        seen = self.see_expression(node.yes if condition.value else node.no, names)
        return SeenValue(seen.value, seen.cell, (*condition.all_reads(), *seen.reads))

    def _Arithmetic(self, node: ir.Arithmetic, names: Environment) -> SeenValue:
        left, right = self.see_expression(node.left, names), self.see_expression(node.right, names)
        if node.op in ("//", "%") and right.value == 0:
            raise ModelError("division by zero", node.where.file, node.where.line)
        return self._combine(_ARITHMETIC[node.op](int(left.value), int(right.value)), left, right)

    def _Compare(self, node: ir.Compare, names: Environment) -> SeenValue:
        left, right = self.see_expression(node.left, names), self.see_expression(node.right, names)
        seen = self._combine(_COMPARE[node.op](left.value, right.value), left, right)
        self.compared.append((node.where, seen.reads))
        return seen

    def _Contains(self, node: ir.Contains, names: Environment) -> SeenValue:
        element, container = self.see_expression(node.element, names), self.see_expression(node.container, names)
        inside = element.value in container.value
        held = container if isinstance(container.value, Seq) else container.seen_part("member", element.value, inside)
        seen = self._combine(inside, element, held)
        self.compared.append((node.where, seen.reads))
        return seen

    def _SetOperation(self, node: ir.SetOperation, names: Environment) -> SeenValue:
        left, right = self.see_expression(node.left, names), self.see_expression(node.right, names)
        return self._combine(_SETS[node.op](left.value, right.value), left, right)

    def _Position(self, node: ir.Position, names: Environment) -> SeenValue:
        seen = self.see_expression(node.of, names)
        return self._combine(self._members_of_type(node.of.type).index(seen.value), seen)

    def _MemberAt(self, node: ir.MemberAt, names: Environment) -> SeenValue:
        seen, members = self.see_expression(node.number, names), self._members_of_type(node.type)
        if not 0 <= seen.value < len(members):
            raise ModelError(f"there is no member {seen.value}")
        return self._combine(members[seen.value], seen)

    def _IsMajority(self, node: ir.IsMajority, names: Environment) -> SeenValue:
        seen = self.see_expression(node.subset, names)
        of = node.subset.type
        assert isinstance(of, types.Subset)
        return self._combine(2 * len(seen.value) > len(self._members_of_type(of.of)), seen)

    def _Some(self, node: ir.Some, names: Environment) -> SeenValue:
        return self.see_expression(node.value, names)

    def _IsNone(self, node: ir.IsNone, names: Environment) -> SeenValue:
        seen = self.see_expression(node.option, names)
        self.compared.append((node.where, seen.all_reads()))
        return self._combine(seen.value is None, seen)

    def _Unwrap(self, node: ir.Unwrap, names: Environment) -> SeenValue:
        seen = self.see_expression(node.option, names)
        if seen.value is None:
            raise ModelError("none where a value is needed", node.where.file, node.where.line)
        return seen

    def _MakeRecord(self, node: ir.MakeRecord, names: Environment) -> SeenValue:
        seen = [self.see_expression(field, names) for field in node.fields]
        return self._combine(make_record(node.type, (part.value for part in seen)), *seen)

    def _Replace(self, node: ir.Replace, names: Environment) -> SeenValue:
        record = self.see_expression(node.record, names)
        seen = {name: self.see_expression(expression, names) for name, expression in node.changes}
        changed = dataclasses.replace(record.value, **{name: part.value for name, part in seen.items()})
        return self._combine(changed, record, *seen.values())

    def _MakeSubset(self, node: ir.MakeSubset, names: Environment) -> SeenValue:
        seen = [self.see_expression(element, names) for element in node.elements]
        return self._combine(Set(part.value for part in seen), *seen)

    def _FullSubset(self, node: ir.FullSubset, names: Environment) -> SeenValue:
        return SeenValue(Set(self._members_of_type(node.type.of)))

    def _MakeSeq(self, node: ir.MakeSeq, names: Environment) -> SeenValue:
        seen = [self.see_expression(element, names) for element in node.elements]
        return self._combine(Seq(part.value for part in seen), *seen)

    def _MakePool(self, node: ir.MakePool, names: Environment) -> SeenValue:
        seen = [self.see_expression(element, names) for element in node.elements]
        return self._combine((Bag if node.type.multiple else Set)(part.value for part in seen), *seen)

    def _Concat(self, node: ir.Concat, names: Environment) -> SeenValue:
        left, right = self.see_expression(node.left, names), self.see_expression(node.right, names)
        return self._combine(left.value + right.value, left, right)

    def _MakeMap(self, node: ir.MakeMap, names: Environment) -> SeenValue:
        assert isinstance(node.type, types.Map)
        seen = {
            key: self.see_expression(node.value, {**names, node.variable: SeenValue(key)})
            for key in self._members_of_type(node.type.key)
        }
        return self._combine(Map({key: part.value for key, part in seen.items()}), *seen.values())

    def _Call(self, node: ir.Call, names: Environment) -> SeenValue:
        given = zip(node.function.parameters, node.arguments, strict=True)
        return self._evaluate_function(
            node.function, {name: self.see_expression(argument, names) for (name, _), argument in given}
        )

    # --- comprehensions -----------------------------------------------------------------------------------------------

    def _Quantified(self, node: ir.Quantified, names: Environment) -> SeenValue:
        kept_out: list[StatePart] = []
        rounds = (
            (self.see_expression(node.body, environment), reads)
            for environment, reads in self._loop_rounds(node.generators, names, kept_out)
        )
        if node.kind in ("all", "any"):
            return self._short_circuit(node, names, rounds, kept_out)
        return self._fold_rounds(node, names, rounds, kept_out)

    def _loop_rounds(
        self, generators: tuple[ir.Generator, ...], names: Environment, kept_out: list[StatePart]
    ) -> Iterator[tuple[Environment, Reads]]:
        """The names of each round, with what lets it in; what keeps rounds out is added to `kept_out`."""
        if not generators:
            yield dict(names), ()
            return
        first, *others = generators
        for value, reads in self._admitted_values(first.source, names):
            inner = {**names, first.variable: value}
            holds, conditions = self._filter_conditions(first.conditions, inner)
            if not holds:
                kept_out += conditions
                continue
            for environment, more in self._loop_rounds(tuple(others), inner, kept_out):
                yield environment, (*reads, *conditions, *more)

    def _filter_conditions(self, conditions: tuple[ir.Expr, ...], names: Environment) -> tuple[bool, Reads]:
        """Whether a round is let in, and why or why not."""
        reads: list[StatePart] = []
        for condition in conditions:
            seen = self.see_expression(condition, names)
            if not seen.value:
                return False, seen.all_reads()
            reads += seen.all_reads()
        return True, tuple(reads)

    def _short_circuit(
        self, node: ir.Quantified, names: Environment, rounds: Rounds, kept_out: list[StatePart]
    ) -> SeenValue:
        """`any` stops at a true round, `all` at a false one."""
        stop = node.kind == "any"
        passed: list[tuple[SeenValue, Reads]] = []
        for seen, reads in rounds:
            if bool(seen.value) is stop:
                return SeenValue(stop, None, (*reads, *seen.all_reads()))
            passed.append((seen, reads))
        return SeenValue(not stop, None, (*self._all_reads(node, names, passed), *kept_out))

    def _fold_rounds(
        self, node: ir.Quantified, names: Environment, rounds: Rounds, kept_out: list[StatePart]
    ) -> SeenValue:
        """The others look at every round."""
        passed = list(rounds)
        reads = (*self._all_reads(node, names, passed), *kept_out)
        values = [seen.value for seen, _ in passed]
        default = None if node.default is None else self.see_expression(node.default, names)
        if default is not None and not values:
            return SeenValue(default.value, default.cell, (*reads, *default.reads))
        return SeenValue(_FOLDS[node.kind](values), None, reads)

    def _all_reads(self, node: ir.Quantified, names: Environment, rounds: list[tuple[SeenValue, Reads]]) -> Reads:
        """What all rounds rest on, and that there are no others."""
        whole = self._reads_of_all_rounds(node.generators[0].source, names)
        self.compared.append((node.where, whole))
        return (*whole, *(cell for seen, reads in rounds for cell in (*reads, *seen.all_reads())))


_FOLDS: dict[str, Any] = {"sum": sum, "min": min, "max": max, "set": Set}
_ARITHMETIC: dict[str, Any] = {
    "**": int.__pow__,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,  # pyright: ignore[reportUnknownMemberType]
    "%": operator.mod,
    "min": min,
    "max": max,
}
_COMPARE: dict[str, Any] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_SETS: dict[str, Any] = {
    "|": operator.or_,  # pyright: ignore[reportUnknownMemberType]
    "&": operator.and_,  # pyright: ignore[reportUnknownMemberType]
    "-": operator.sub,
    "^": operator.xor,  # pyright: ignore[reportUnknownMemberType]
    "<=": operator.le,
}


def decode_scalar(type_: types.Type, number: int) -> Any:
    """The value of a scalar type that a number of the typed form stands for."""
    match type_:
        case types.Bool():
            return bool(number)
        case types.Enumeration(python=python):
            return tuple(python)[number]
        case types.Identity(python=python):
            return python(number)
        case _:
            return number


def _written_cell(state: str, type_: types.Type, field: str, indexes: list[Any]) -> StatePart:
    parts: list[CellPart] = []
    for index in indexes:
        parts.append(("key" if isinstance(type_, types.Map) else "at", index))
        type_ = type_.value if isinstance(type_, types.Map) else getattr(type_, "of", type_)
    return StatePart(state, field, tuple(parts))


def _store_on_draft(draft: Draft, field: str, indexes: list[Any], statement: ir.Statement, value: Any) -> None:
    """Takes a statement's write on a draft."""
    if isinstance(statement, ir.Store):
        if not indexes:
            setattr(draft, field, value)
            return
        _container_on_draft(draft, field, indexes[:-1])[indexes[-1]] = value
        return
    target = _container_on_draft(draft, field, indexes)
    match statement:
        case ir.Append():
            target.append(value)
        case ir.Truncate():
            target.truncate(value)
        case ir.Add():
            target.add(value)
        case ir.Remove(strict=strict):
            (target.remove if strict else target.discard)(value)
        case _:
            raise TypeError(f"{type(statement).__name__} writes nothing")


def _container_on_draft(draft: Draft, field: str, indexes: list[Any]) -> Any:
    target = getattr(draft, field)
    for index in indexes:
        target = target[index]
    return target
