"""The fields of a state that anything asked of a model depends on, its constants having their present values.

A field is in the cone if a property, a guard, a limit or a parameter of an action that can happen reads it, or if what
is stored into a field of the cone depends on it. Two states that agree in the cone take the same steps, to states that
agree in it again, and have the same properties: a search that keeps one of them finds every violation, with a run of
the same length (cone-of-influence reduction; Clarke, Grumberg, Peled, "Model Checking", 1999, section 13.2). What is
kept of the other fields is 0. What a step would break in them alone (a sequence that is full) is not seen.

Reading is taken as wide as the text allows; only a condition of constants, and what it decides, is taken narrowly.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

from ...language import ir
from ...language.constants import Value
from ...language.forms import ActionForm
from ...language.model import Model
from ..traversal import children, traverse

Read = frozenset[str]
"""Names of fields, and those of local names as `_local_name` has them."""

EMPTY_READ: Read = frozenset()


def _local_name(name: str) -> str:
    """A local name among names of fields, none of which has a colon."""
    return f":{name}"


class Cones:
    """The cones of a bound model and of those that differ from it in values of open constants. What was found for some
    values serves all others for which every condition of constants that was asked for comes to the same."""

    def __init__(self, cell: int = 0) -> None:
        """`cell` is the first of the context's cells that have the bits of a state's words that are kept."""
        self.cell = cell
        self._asked: dict[str, ir.Expr] = {}
        self._texts = TextFacts()
        self._found: dict[tuple[object, ...], Read] = {}

    def cached_cone(self, model: Model) -> Read:
        """The fields of a model's cone."""
        reader = DependencyReader(model.values, self._asked, self._texts)
        before = self._found.get(self._key(reader))
        if before is not None:
            return before
        found = _compute_cone(model, reader)
        self._found[self._key(reader)] = found
        return found

    def _key(self, reader: DependencyReader) -> tuple[object, ...]:
        return tuple(reader.constant_number(form) for form in self._asked.values())


def cone_of(model: Model) -> Read:
    """The fields of the cone of what is asked of a model."""
    return Cones().cached_cone(model)


def _compute_cone(model: Model, reader: DependencyReader) -> Read:
    kept = set[str]()
    for claim in (*model.properties, *model.terminals, *model.bounds, *model.step_bounds, *model.lemmas):
        if claim.form is not None:
            kept |= reader.texts.fields_in(claim.form)
    for prop in model.properties:
        for _, form in prop.action_forms:
            kept |= reader.texts.fields_in(form)
    stored: dict[str, set[str]] = {}
    for action in model.actions:
        if not reader.is_off(action.form.body):
            kept |= ActionReads(reader, action.form, stored).asked
    waiting = list(kept)
    while waiting:
        more = stored.get(waiting.pop(), set()) - kept
        kept |= more
        waiting += more
    return frozenset(field.name for field in model.fields if field.name in kept)


class TextFacts:
    """What follows from the text of a model alone, whatever the values of its constants are: computed once."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int], tuple[Any, Any]] = {}

    def _read_once(self, kind: str, form: Any, make: Callable[[Any], Any]) -> Any:
        """`make(form)`, the first time. The form is kept, so that no other one has its place in memory."""
        known = self._kept.get((kind, id(form)))
        if known is None:
            known = self._kept[kind, id(form)] = (form, make(form))
        return known[1]

    def fields_in(self, form: Any) -> Read:
        """Every field that is read anywhere in it."""
        return self._read_once("fields", form, _fields_of)

    def child_nodes(self, form: Any) -> list[Any]:
        """The nodes directly below one."""
        return self._read_once("below", form, children)

    def text(self, form: ir.Expr) -> str | None:
        """As `constants_text`."""
        return self._read_once("text", form, constants_text)

    def branch_conditions(self, function: ir.Function) -> list[ir.Expr]:
        """Those of a function's own branches."""
        nodes = self._read_once("conditions", function, lambda one: list(traverse(one.body, helpers=False)))
        return [node.condition for node in nodes if isinstance(node, ir.If)]

    def may_be_known(self, form: ir.Expr) -> bool:
        """Whether constants may decide a condition, as `DependencyReader.known` says of some of their values."""
        return self._read_once("known", form, self._may_be_known)

    def _may_be_known(self, form: ir.Expr) -> bool:
        if self.text(form) is not None:
            return True
        match form:
            case ir.And(operands=operands) | ir.Or(operands=operands):
                return any(map(self.may_be_known, operands))
            case ir.Not(operand=operand):
                return self.may_be_known(operand)
            case _:
                return False

    def reads_whatever_constants(self, form: Any) -> Read | None:
        """What an expression reads where no value of a constant changes that; None where one may, or it has a call."""
        return self._read_once("plain", form, self._reads_whatever_constants)

    def _reads_whatever_constants(self, form: Any) -> Read | None:
        match form:
            case ir.StateField(field=field):
                return frozenset({field})
            case ir.Name(name=name):
                return frozenset({_local_name(name)})
            case ir.Call():
                return None
            case ir.And() | ir.Or() | ir.Not() if self.may_be_known(form):
                return None
            case ir.Choice(condition=condition) if self.may_be_known(condition):
                return None
            case _:
                parts = [self.reads_whatever_constants(part) for part in self.child_nodes(form)]
                return None if None in parts else EMPTY_READ.union(*(part for part in parts if part is not None))


def _fields_of(form: Any) -> Read:
    return frozenset(node.field for node in traverse(form) if isinstance(node, ir.StateField))


class DependencyReader:
    """What expressions read, where the values of constants decide what is evaluated. The conditions of constants that
    it asks for are added to `asked_conditions`, by their text."""

    def __init__(self, values: Mapping[str, Value], asked_conditions: dict[str, ir.Expr], texts: TextFacts) -> None:
        self.numbers = {name: _number(value) for name, value in values.items()}
        self.asked = asked_conditions
        self.texts = texts
        self._functions: dict[int, tuple[ir.Function, Read]] = {}

    def constant_number(self, form: ir.Expr) -> int:
        """What an expression of constants comes to, of those that have a text."""
        match form:
            case ir.OpenConst(name=name):
                return self.numbers[name]
            case ir.Arithmetic(op=op, left=left, right=right) | ir.Compare(op=op, left=left, right=right):
                return int(SIGNS[op](self.constant_number(left), self.constant_number(right)))
            case ir.And(operands=operands):
                return int(all(self.constant_number(operand) for operand in operands))
            case ir.Or(operands=operands):
                return int(any(self.constant_number(operand) for operand in operands))
            case ir.Not(operand=operand):
                return 1 - self.constant_number(operand)
            case _:
                return form.number if isinstance(form, ir.Const) else 0

    def constant_value(self, form: ir.Expr) -> int | None:
        """Whether a condition is true in every state, or false in every one (1 or 0), if constants decide it."""
        if not self.texts.may_be_known(form):
            return None
        text = self.texts.text(form)
        if text is not None:
            return self.constant_number(self.asked.setdefault(text, form))
        match form:
            case ir.And(operands=operands):
                return self._known_of_many(operands, 0)
            case ir.Or(operands=operands):
                return self._known_of_many(operands, 1)
            case ir.Not(operand=operand):
                inner = self.constant_value(operand)
                return None if inner is None else 1 - inner
            case _:
                return None

    def _known_of_many(self, operands: Iterable[ir.Expr], decides: int) -> int | None:
        numbers = [self.constant_value(operand) for operand in operands]
        if decides in numbers:
            return decides
        return None if None in numbers else 1 - decides

    def is_off(self, body: Iterable[ir.Statement]) -> bool:
        """Whether one of an action's guards is false in every state."""
        return any(isinstance(one, ir.Require) and self.constant_value(one.condition) == 0 for one in body)

    def reads(self, form: Any) -> Read:
        """What the value of an expression, or of anything in one, depends on."""
        plain = self.texts.reads_whatever_constants(form)
        if plain is not None:
            return plain
        match form:
            case ir.And() | ir.Or() | ir.Not() if self.constant_value(form) is not None:
                return EMPTY_READ
            case ir.Choice(condition=condition, yes=yes, no=no) if (
                chosen := self.constant_value(condition)
            ) is not None:
                return self.reads(yes if chosen else no)
            case ir.Call(function=function, arguments=arguments):
                return self._reads_of_call(function, arguments)
            case _:
                return self.reads_of_all(self.texts.child_nodes(form))

    def reads_of_all(self, forms: Iterable[Any]) -> Read:
        """What several of them depend on."""
        return EMPTY_READ.union(*(self.reads(form) for form in forms))

    def _reads_of_call(self, function: ir.Function, arguments: tuple[ir.Expr, ...]) -> Read:
        """What a function reads of the state, and of its arguments those that it reads."""
        _, read = self._functions.get(id(function)) or self._functions.setdefault(
            id(function), (function, FunctionReads(self, function).read)
        )
        own = {_local_name(name) for name, _ in function.parameters}
        given = zip(function.parameters, arguments, strict=True)
        return (read - own).union(*(self.reads(value) for (name, _), value in given if _local_name(name) in read))


def _number(value: Value) -> int:
    return list(type(value)).index(value) if isinstance(value, Enum) else int(value)


SIGNS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def constants_text(form: ir.Expr) -> str | None:
    """An expression over constants alone, as a text that is the same for equal ones; None for every other, and for what
    is not worth being decided."""
    match form:
        case ir.Const(number=number):
            return str(number)
        case ir.OpenConst(name=name):
            return name
        case ir.Arithmetic(op=op, left=left, right=right) | ir.Compare(op=op, left=left, right=right):
            return _joined_texts([left, right], f" {op} ") if op in SIGNS else None
        case ir.And(operands=operands):
            return _joined_texts(operands, " and ")
        case ir.Or(operands=operands):
            return _joined_texts(operands, " or ")
        case ir.Not(operand=operand):
            inner = constants_text(operand)
            return None if inner is None else f"(not {inner})"
        case _:
            return None


def _joined_texts(forms: Iterable[ir.Expr], separator: str) -> str | None:
    texts = [constants_text(form) for form in forms]
    return None if None in texts else f"({separator.join(text for text in texts if text is not None)})"


class Walk:
    """Statements one after the other, with what decides whether each is executed. Local names stand for all that is
    ever stored in them."""

    def __init__(self, reader: DependencyReader) -> None:
        self.reader = reader
        self.locals: dict[str, set[str]] = {}

    def resolve_names(self, read: Iterable[str]) -> Read:
        """The same with what local names stand for in their place; a name of no `Let` stays."""
        found, waiting = set[str](), list(read)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.locals.get(name, ())
        return frozenset(found)

    def executed_statements(self, body: Iterable[ir.Statement], deciding: Read) -> Iterator[tuple[ir.Statement, Read]]:
        """Every other statement that may be executed, with what decides whether it is; ends at one that returns."""
        for statement in body:
            match statement:
                case ir.Let(name=name, value=value):
                    self.locals.setdefault(_local_name(name), set()).update(deciding, self.reader.reads(value))
                case ir.If(condition=condition, yes=yes, no=no):
                    chosen = self.reader.constant_value(condition)
                    inside = deciding if chosen is not None else deciding | self.reader.reads(condition)
                    for branch in (yes, no) if chosen is None else (yes if chosen else no,):
                        yield from self.executed_statements(branch, inside)
                    if chosen is not None and _has_sure_return(yes if chosen else no):
                        return
                case ir.For(source=source, body=inner):
                    yield from self.executed_statements(inner, deciding | self.reader.reads(source))
                case _:
                    yield statement, deciding


def _has_sure_return(body: Iterable[ir.Statement]) -> bool:
    """Whether statements surely return: one of them does, whatever it is in."""
    return any(
        isinstance(statement, ir.Return)
        or (isinstance(statement, ir.If) and _has_sure_return(statement.yes) and _has_sure_return(statement.no))
        for statement in body
    )


class FunctionReads:
    """What a function's value depends on: fields, and its parameters as local names."""

    def __init__(self, reader: DependencyReader, function: ir.Function) -> None:
        walk = Walk(reader)
        read = set[str]()
        for statement, under in walk.executed_statements(function.body, EMPTY_READ):
            read |= under | reader.reads_of_all(reader.texts.child_nodes(statement))
        # Whether a statement after one that may return is executed depends on what that one was under, which is here.
        for condition in reader.texts.branch_conditions(function):
            if read and reader.constant_value(condition) is None:
                read |= reader.reads(condition)
        self.read = walk.resolve_names(read)


class ActionReads:
    """What an action asks, `asked`; what it stores is added to `stored_reads`: for each field what that depends on."""

    def __init__(self, reader: DependencyReader, form: ActionForm, stored_reads: dict[str, set[str]]) -> None:
        walk = Walk(reader)
        steps = list(walk.executed_statements(form.body, EMPTY_READ))
        asked = {parameter.pool for parameter in form.parameters if parameter.pool is not None}
        for statement, under in steps:
            if isinstance(statement, ir.Store | ir.Append | ir.Truncate | ir.Add | ir.Remove):
                place = statement.place
                value = statement.length if isinstance(statement, ir.Truncate) else statement.value
                read = under | reader.reads_of_all((*place.indexes, value))
                stored_reads.setdefault(place.field, set()).update(walk.resolve_names(read))
            else:
                asked |= walk.resolve_names(under | reader.reads_of_all(reader.texts.child_nodes(statement)))
        self.asked = asked
