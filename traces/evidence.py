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
from typing import Any, Literal, TypeAlias, cast

from ..language import ir, types
from ..language.checks import members_of
from ..language.containers import ModelError, show
from ..language.drafts import Cells, Draft
from ..language.immutable import immutable
from ..language.judge import shape_of
from ..language.model import Action, Model
from ..language.records import KIND, made_of, part_called, part_of
from ..language.values import Bag, Map, Seq, Set, State

Part: TypeAlias = "tuple[Literal['key', 'at', 'attribute', 'length', 'member'], Any]"
"""A step down from a field: to a map's key, a sequence's offset, a record's attribute; its length; whether it has a
member."""


@immutable
class StatePart:
    """A part of a state that was read: which state (by its name in the text), the field, and the way down from it."""

    state: str
    field: str
    parts: tuple[Part, ...] = ()

    def text(self) -> str:
        """The cell as people write it: `log[A][0].epoch`, `len(log[A])`, `A in isr[B]`."""
        text = self.field
        for kind, part in self.parts:
            match kind:
                case "key" | "at":
                    text += f"[{show(part)}]"
                case "attribute":
                    text = f"type({text})" if part == KIND else f"{text}.{part}"
                case "length":
                    text = f"len({text})"
                case "member":
                    text = f"{show(part)} in {text}"
        return text

    def main(self) -> str:
        """The field, or the cell of a map, that it is in: `log[A]`."""
        return f"{self.field}[{show(self.parts[0][1])}]" if self.parts and self.parts[0][0] == "key" else self.field

    def look(self, state: State) -> Any:
        """What the cell holds in a state; `ABSENT` where the way to it is not there."""
        value: Any = getattr(state, self.field)
        for kind, part in self.parts:
            match kind:
                case "key":
                    value = value[part]
                case "at":
                    if not 0 <= part < len(value):
                        return ABSENT
                    value = value[part]
                case "attribute":
                    if value is None:
                        return ABSENT
                    value = part_called(value, part)
                case "length":
                    value = len(value)
                case "member":
                    value = part in value
        return value


class Absent:
    """What is where nothing is."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT = Absent()

Reads: TypeAlias = tuple[StatePart, ...]
MANY = 64  # cells: where there are more, each is kept once


@immutable
class Seen:
    """A value; the cell that it still is, if nothing was made of it yet; and the cells read on the way."""

    value: Any
    cell: StatePart | None = None
    reads: Reads = ()

    def __post_init__(self) -> None:
        """Drops repeated cells: each call of a function hands on the same ones, and they would multiply."""
        if len(self.reads) > MANY:
            object.__setattr__(self, "reads", tuple(dict.fromkeys(self.reads)))

    def down(self, kind: Any, part: Any, value: Any, *reads: StatePart) -> Seen:
        """A part of it."""
        here = self.cell
        if here is None or (here.parts and here.parts[-1][0] == "member"):
            return Seen(value, here, (*self.reads, *reads))
        return Seen(value, dataclasses.replace(here, parts=(*here.parts, (kind, part))), (*self.reads, *reads))

    def all(self) -> Reads:
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


class _Stopped(Exception):
    """A guard is false, or, with None, the guards are behind."""

    def __init__(self, guard: ir.Require | ir.Limit | None) -> None:
        super().__init__()
        self.guard = guard


class _Returned(Exception):
    def __init__(self, seen: Seen) -> None:
        super().__init__()
        self.seen = seen


Environment: TypeAlias = dict[str, Seen]
Rounds: TypeAlias = Iterator[tuple[Seen, Reads]]


class Reading:
    """An evaluation over given states, named as the text names them. ModelError where the text breaks."""

    def __init__(self, model: Model, states: Mapping[str, State]) -> None:
        self.model = model
        self.states = dict(states)
        self.writes: list[Write] = []
        self.guards: list[StatePart] = []
        self.control: list[Reads] = []
        self.compared: list[tuple[ir.Where, Reads]] = []
        self._is_trying = False

    # --- functions ----------------------------------------------------------------------------------------------------

    def call(self, function: ir.Function, given: Environment | None = None) -> tuple[Any, Reads]:
        """What a property's form answers, and the cells that decide it."""
        seen = self._function(function, given or {})
        return seen.value, tuple(dict.fromkeys(seen.all()))

    def _function(self, function: ir.Function, given: Environment) -> Seen:
        outer, self.control = self.control, []
        try:
            self._block(function.body, dict(given))
        except _Returned as returned:
            return returned.seen
        finally:
            self.control = outer
        return Seen(None)

    def step(self, action: Action, arguments: Mapping[str, Any]) -> Effects:
        """What a step rests on, taken from the state that the action's text names; it must be enabled."""
        self._block(action.form.body, self._given(action, arguments))
        return Effects(tuple(dict.fromkeys(self.guards)), tuple(self.writes))

    def false_guard(self, action: Action, arguments: Mapping[str, Any]) -> ir.Require | ir.Limit | None:
        """The first guard of a step that is false; None when it is enabled. Nothing is written, and nothing that the
        author's function prints is printed."""
        self._is_trying = True
        try:
            self._block(action.form.body, self._given(action, arguments))
        except _Stopped as stopped:
            return stopped.guard
        finally:
            self._is_trying = False
        return None

    def _given(self, action: Action, arguments: Mapping[str, Any]) -> Environment:
        given: Environment = {}
        for parameter in action.form.parameters:
            value = arguments[parameter.name]
            member = (
                None if parameter.pool is None else StatePart(action.form.state, parameter.pool, (("member", value),))
            )
            given[parameter.name] = Seen(value, member)
        return given

    # --- statements ---------------------------------------------------------------------------------------------------

    def _block(self, body: tuple[ir.Statement, ...], names: Environment) -> None:
        for statement in body:
            self._statement(statement, names)

    def _statement(self, statement: ir.Statement, names: Environment) -> None:
        match statement:
            case ir.Require(condition=condition) | ir.Limit(condition=condition):
                seen = self.see(condition, names)
                self.guards += seen.all()
                if self._is_trying and not seen.value:
                    raise _Stopped(statement)
            case ir.Let(name=name, value=value):
                names[name] = self.see(value, names)
            case ir.If(condition=condition, yes=yes, no=no):
                seen = self.see(condition, names)
                self.control.append(seen.all())
                self._block(yes if seen.value else no, names)
            case ir.For(variable=variable, source=source, body=body):
                for value, reads in list(self._admitted(source, names)):
                    self.control.append(reads)
                    names[variable] = value
                    self._block(body, names)
                    self.control.pop()
            case ir.Return(value=value):
                seen = self.see(value, names)
                raise _Returned(Seen(seen.value, seen.cell, (*self._why(), *seen.reads)))
            case ir.Assert():
                pass
            case _:
                self._write(statement, names)

    def _why(self) -> Reads:
        """What the tests on the way here rested on."""
        return tuple(cell for reads in self.control for cell in reads)

    def _write(self, statement: Any, names: Environment) -> None:
        if self._is_trying:
            raise _Stopped(None)
        place: ir.Place = statement.place
        state = next(iter(self.states))
        indexes = [self.see(index, names) for index in place.indexes]
        written = getattr(statement, "length", None) or statement.value
        seen = self.see(written, names)
        reads = (*self._why(), *(cell for index in indexes for cell in index.all()), *seen.all())
        cell = _place(state, self.model.field(place.field).type, place.field, [index.value for index in indexes])
        self.writes.append(Write(cell, statement, tuple(dict.fromkeys(reads))))
        draft = Draft(Cells(shape_of(self.model), self.states[state]))
        _store(draft, place.field, [index.value for index in indexes], statement, seen.value)
        self.states[state] = draft.__cells__.freeze()

    # --- sources of loops ---------------------------------------------------------------------------------------------

    def items(self, source: ir.Source, names: Environment) -> Iterator[Seen]:
        """Each value that a loop goes over, in order."""
        return (value for value, _ in self._admitted(source, names))

    def _admitted(self, source: ir.Source, names: Environment) -> Iterator[tuple[Seen, Reads]]:
        """Each value that a loop goes over, with what lets that round in."""
        match source:
            case ir.IntRange(start=start, stop=stop):
                first, last = self.see(start, names), self.see(stop, names)
                reads = (*first.all(), *last.all())
                yield from ((Seen(number), reads) for number in range(first.value, last.value))
            case ir.Members(of=of):
                yield from ((Seen(value), ()) for value in self._members(of))
            case ir.Elements(of=of):
                seen = self.see(of, names)
                is_sequence = isinstance(of.type, types.Seq)
                elements: tuple[Any, ...] = tuple(seen.value)
                for at, value in enumerate(elements):
                    if is_sequence:
                        yield seen.down("at", at, value), seen.reads
                    else:
                        yield Seen(value), seen.down("member", value, True).all()

    def _whole(self, source: ir.Source, names: Environment) -> Reads:
        """What a loop's rounds rest on altogether."""
        match source:
            case ir.IntRange(start=start, stop=stop):
                return (*self.see(start, names).all(), *self.see(stop, names).all())
            case ir.Elements(of=of):
                return self.see(of, names).all()
            case _:
                return ()

    def _members(self, of: types.Type) -> tuple[Any, ...]:
        return tuple(members_of(of, self.model.values))

    # --- expressions --------------------------------------------------------------------------------------------------

    def see(self, node: ir.Expr, names: Environment) -> Seen:
        """An expression's value, with what it rests on."""
        return getattr(self, f"_{type(node).__name__}")(node, names)

    def _made(self, value: Any, *parts: Seen) -> Seen:
        """A new value made from others."""
        return Seen(value, None, tuple(cell for part in parts for cell in part.all()))

    def _Const(self, node: ir.Const, names: Environment) -> Seen:
        return Seen(None if isinstance(node.type, (types.Option, types.Unit)) else decoded(node.type, node.number))

    def _OpenConst(self, node: ir.OpenConst, names: Environment) -> Seen:
        return Seen(self.model.values[node.name])

    def _Name(self, node: ir.Name, names: Environment) -> Seen:
        return names[node.name]

    def _StateField(self, node: ir.StateField, names: Environment) -> Seen:
        return Seen(getattr(self.states[node.state], node.field), StatePart(node.state, node.field))

    def _RecordField(self, node: ir.RecordField, names: Environment) -> Seen:
        seen = self.see(node.record, names)
        type_ = cast(types.Record, node.record.type)
        return seen.down("attribute", node.field, part_of(type_, seen.value, node.field))

    def _Index(self, node: ir.Index, names: Environment) -> Seen:
        container, index = self.see(node.container, names), self.see(node.index, names)
        kind = "at" if isinstance(node.container.type, types.Seq) else "key"
        return container.down(kind, index.value, container.value[index.value], *index.all())

    def _Slice(self, node: ir.Slice, names: Environment) -> Seen:
        bounds = [None if expression is None else self.see(expression, names) for expression in (node.start, node.stop)]
        whole = self.see(node.sequence, names)
        values = [None if bound is None else bound.value for bound in bounds]
        return self._made(whole.value[slice(*values)], whole, *(bound for bound in bounds if bound is not None))

    def _Length(self, node: ir.Length, names: Environment) -> Seen:
        seen = self.see(node.of, names)
        return self._made(len(seen.value), seen.down("length", None, len(seen.value)))

    def _Not(self, node: ir.Not, names: Environment) -> Seen:
        seen = self.see(node.operand, names)
        return self._made(not seen.value, seen)

    def _And(self, node: ir.And, names: Environment, *, stop: bool = False) -> Seen:
        passed: list[Seen] = []
        for operand in node.operands:
            seen = self.see(operand, names)
            if bool(seen.value) is stop:
                return self._made(stop, seen)
            passed.append(seen)
        return self._made(not stop, *passed)

    def _Or(self, node: ir.Or, names: Environment) -> Seen:
        return self._And(ir.And(node.operands, node.type, node.where), names, stop=True)

    def _Choice(self, node: ir.Choice, names: Environment) -> Seen:
        condition = self.see(node.condition, names)
        seen = self.see(node.yes if condition.value else node.no, names)
        return Seen(seen.value, seen.cell, (*condition.all(), *seen.reads))

    def _Arithmetic(self, node: ir.Arithmetic, names: Environment) -> Seen:
        left, right = self.see(node.left, names), self.see(node.right, names)
        if node.op in ("//", "%") and right.value == 0:
            raise ModelError("division by zero", node.where.file, node.where.line)
        return self._made(_ARITHMETIC[node.op](int(left.value), int(right.value)), left, right)

    def _Compare(self, node: ir.Compare, names: Environment) -> Seen:
        left, right = self.see(node.left, names), self.see(node.right, names)
        seen = self._made(_COMPARE[node.op](left.value, right.value), left, right)
        self.compared.append((node.where, seen.reads))
        return seen

    def _Contains(self, node: ir.Contains, names: Environment) -> Seen:
        element, container = self.see(node.element, names), self.see(node.container, names)
        inside = element.value in container.value
        held = container if isinstance(container.value, Seq) else container.down("member", element.value, inside)
        seen = self._made(inside, element, held)
        self.compared.append((node.where, seen.reads))
        return seen

    def _SetOperation(self, node: ir.SetOperation, names: Environment) -> Seen:
        left, right = self.see(node.left, names), self.see(node.right, names)
        return self._made(_SETS[node.op](left.value, right.value), left, right)

    def _Position(self, node: ir.Position, names: Environment) -> Seen:
        seen = self.see(node.of, names)
        return self._made(self._members(node.of.type).index(seen.value), seen)

    def _MemberAt(self, node: ir.MemberAt, names: Environment) -> Seen:
        seen, members = self.see(node.number, names), self._members(node.type)
        if not 0 <= seen.value < len(members):
            raise ModelError(f"there is no member {seen.value}")
        return self._made(members[seen.value], seen)

    def _IsMajority(self, node: ir.IsMajority, names: Environment) -> Seen:
        seen = self.see(node.subset, names)
        of = node.subset.type
        assert isinstance(of, types.Subset)
        return self._made(2 * len(seen.value) > len(self._members(of.of)), seen)

    def _Some(self, node: ir.Some, names: Environment) -> Seen:
        return self.see(node.value, names)

    def _IsNone(self, node: ir.IsNone, names: Environment) -> Seen:
        seen = self.see(node.option, names)
        self.compared.append((node.where, seen.all()))
        return self._made(seen.value is None, seen)

    def _Unwrap(self, node: ir.Unwrap, names: Environment) -> Seen:
        seen = self.see(node.option, names)
        if seen.value is None:
            raise ModelError("none where a value is needed", node.where.file, node.where.line)
        return seen

    def _MakeRecord(self, node: ir.MakeRecord, names: Environment) -> Seen:
        seen = [self.see(field, names) for field in node.fields]
        return self._made(made_of(node.type, (part.value for part in seen)), *seen)

    def _Replace(self, node: ir.Replace, names: Environment) -> Seen:
        record = self.see(node.record, names)
        seen = {name: self.see(expression, names) for name, expression in node.changes}
        changed = dataclasses.replace(record.value, **{name: part.value for name, part in seen.items()})
        return self._made(changed, record, *seen.values())

    def _MakeSubset(self, node: ir.MakeSubset, names: Environment) -> Seen:
        seen = [self.see(element, names) for element in node.elements]
        return self._made(Set(part.value for part in seen), *seen)

    def _FullSubset(self, node: ir.FullSubset, names: Environment) -> Seen:
        return Seen(Set(self._members(node.type.of)))

    def _MakeSeq(self, node: ir.MakeSeq, names: Environment) -> Seen:
        seen = [self.see(element, names) for element in node.elements]
        return self._made(Seq(part.value for part in seen), *seen)

    def _MakePool(self, node: ir.MakePool, names: Environment) -> Seen:
        seen = [self.see(element, names) for element in node.elements]
        return self._made((Bag if node.type.multiple else Set)(part.value for part in seen), *seen)

    def _Concat(self, node: ir.Concat, names: Environment) -> Seen:
        left, right = self.see(node.left, names), self.see(node.right, names)
        return self._made(left.value + right.value, left, right)

    def _MakeMap(self, node: ir.MakeMap, names: Environment) -> Seen:
        assert isinstance(node.type, types.Map)
        seen = {key: self.see(node.value, {**names, node.variable: Seen(key)}) for key in self._members(node.type.key)}
        return self._made(Map({key: part.value for key, part in seen.items()}), *seen.values())

    def _Call(self, node: ir.Call, names: Environment) -> Seen:
        given = zip(node.function.parameters, node.arguments, strict=True)
        return self._function(node.function, {name: self.see(argument, names) for (name, _), argument in given})

    # --- comprehensions -----------------------------------------------------------------------------------------------

    def _Quantified(self, node: ir.Quantified, names: Environment) -> Seen:
        kept_out: list[StatePart] = []
        rounds = (
            (self.see(node.body, environment), reads)
            for environment, reads in self._rounds(node.generators, names, kept_out)
        )
        if node.kind in ("all", "any"):
            return self._decided(node, names, rounds, kept_out)
        return self._folded(node, names, rounds, kept_out)

    def _rounds(
        self, generators: tuple[ir.Generator, ...], names: Environment, kept_out: list[StatePart]
    ) -> Iterator[tuple[Environment, Reads]]:
        """The names of each round, with what lets it in; what keeps rounds out is added to `kept_out`."""
        if not generators:
            yield dict(names), ()
            return
        first, *others = generators
        for value, reads in self._admitted(first.source, names):
            inner = {**names, first.variable: value}
            holds, conditions = self._conditions(first.conditions, inner)
            if not holds:
                kept_out += conditions
                continue
            for environment, more in self._rounds(tuple(others), inner, kept_out):
                yield environment, (*reads, *conditions, *more)

    def _conditions(self, conditions: tuple[ir.Expr, ...], names: Environment) -> tuple[bool, Reads]:
        """Whether a round is let in, and why or why not."""
        reads: list[StatePart] = []
        for condition in conditions:
            seen = self.see(condition, names)
            if not seen.value:
                return False, seen.all()
            reads += seen.all()
        return True, tuple(reads)

    def _decided(self, node: ir.Quantified, names: Environment, rounds: Rounds, kept_out: list[StatePart]) -> Seen:
        """`any` stops at a true round, `all` at a false one."""
        stop = node.kind == "any"
        passed: list[tuple[Seen, Reads]] = []
        for seen, reads in rounds:
            if bool(seen.value) is stop:
                return Seen(stop, None, (*reads, *seen.all()))
            passed.append((seen, reads))
        return Seen(not stop, None, (*self._everything(node, names, passed), *kept_out))

    def _folded(self, node: ir.Quantified, names: Environment, rounds: Rounds, kept_out: list[StatePart]) -> Seen:
        """The others look at every round."""
        passed = list(rounds)
        reads = (*self._everything(node, names, passed), *kept_out)
        values = [seen.value for seen, _ in passed]
        default = None if node.default is None else self.see(node.default, names)
        if default is not None and not values:
            return Seen(default.value, default.cell, (*reads, *default.reads))
        return Seen(_FOLDS[node.kind](values), None, reads)

    def _everything(self, node: ir.Quantified, names: Environment, rounds: list[tuple[Seen, Reads]]) -> Reads:
        """What all rounds rest on, and that there are no others."""
        whole = self._whole(node.generators[0].source, names)
        self.compared.append((node.where, whole))
        return (*whole, *(cell for seen, reads in rounds for cell in (*reads, *seen.all())))


_FOLDS: dict[str, Any] = {"sum": sum, "min": min, "max": max, "set": Set}
_ARITHMETIC: dict[str, Any] = {
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


def decoded(type_: types.Type, number: int) -> Any:
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


def _place(state: str, type_: types.Type, field: str, indexes: list[Any]) -> StatePart:
    parts: list[Part] = []
    for index in indexes:
        parts.append(("key" if isinstance(type_, types.Map) else "at", index))
        type_ = type_.value if isinstance(type_, types.Map) else getattr(type_, "of", type_)
    return StatePart(state, field, tuple(parts))


def _store(draft: Draft, field: str, indexes: list[Any], statement: ir.Statement, value: Any) -> None:
    """Takes a statement's write on a draft."""
    if isinstance(statement, ir.Store):
        if not indexes:
            setattr(draft, field, value)
            return
        _target(draft, field, indexes[:-1])[indexes[-1]] = value
        return
    target = _target(draft, field, indexes)
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


def _target(draft: Draft, field: str, indexes: list[Any]) -> Any:
    target = getattr(draft, field)
    for index in indexes:
        target = target[index]
    return target
