"""Steps as text: `"produce; fetch(B); crash(A)"`, the form in which tests, documents and people give a run.

A step is an action's name and its arguments, by position or by name. Values are written as they print: `A`, `{A, B}`,
`2`, `true`, `none`, `HIGH_WATERMARK`, `VoteRequest(term=2, source=A)`, `[a, b]`, `{A: 1, B: 0}`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, TypeVar, cast

from . import types
from .checks import check_for, members_of
from .forms import Parameter
from .model import Action, Initial, Model
from .records import is_box, is_tuple, make_record, unbox_type
from .values import Bag, Map, ModelError, Seq, Set, value_text

A = TypeVar("A", Action, Initial)


class StepError(Exception):
    """A step of a given sequence cannot be taken, or its text cannot be read. The message says which step, and why."""


def format_step(name: str, arguments: Mapping[str, Any]) -> str:
    """A step as text: the bare name without arguments, one argument without its name, several with theirs."""
    if not arguments:
        return name
    if len(arguments) == 1:
        return f"{name}({value_text(next(iter(arguments.values())))})"
    return f"{name}(" + ", ".join(f"{key}={value_text(value)}" for key, value in arguments.items()) + ")"


def parse_steps(model: Model, text: str) -> list[tuple[Action, dict[str, Any]]]:
    """The actions and arguments that a text names. StepError, naming the step, when it cannot be read."""
    actions = {action.name: action for action in model.actions}
    return [_parse(model, number, step, actions) for number, step in enumerate(split_steps(text), 1)]


def parse_start(model: Model, step: str) -> tuple[Initial, dict[str, Any]]:
    """The initial function and arguments that a text names. StepError when it cannot be read."""
    return _parse(model, 0, step, {initial.name: initial for initial in model.initials})


def split_steps(text: str) -> list[str]:
    """The steps of a text: parted by `;` or line ends outside brackets, blanks left out."""
    steps = [""]
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character in ";\n" and depth == 0:
            steps.append("")
        else:
            steps[-1] += character
    return [step.strip() for step in steps if step.strip()]


def step_name(step: str) -> str:
    """The name that a step's text begins with."""
    return step.partition("(")[0].strip()


def _parse(model: Model, number: int, step: str, known_actions: Mapping[str, A]) -> tuple[A, dict[str, Any]]:
    name = step_name(step)
    named = known_actions.get(name)
    where = f"step {number}, {step}" if number else step
    if named is None:
        import difflib

        near = difflib.get_close_matches(name, known_actions, 1)
        hint = f"did you mean {near[0]}?" if near else "the names are " + ", ".join(known_actions)
        raise StepError(f"{where}: there is no {name!r}; {hint}")
    try:
        return named, _arguments(model, step, named.form.parameters)
    except (ModelError, _ValueTextError) as error:
        raise StepError(f"{where}: {error}") from error


class _ValueTextError(Exception):
    """A piece of text that is not a value of its type."""


def _arguments(model: Model, step: str, parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    call = _expression(step)
    given = _arguments_by_name(call, [parameter.name for parameter in parameters])
    by_name = {parameter.name: parameter for parameter in parameters}
    read = {name: _value(model, step, node, by_name[name].type) for name, node in given.items()}
    missing = [name for name in by_name if name not in read]
    if missing:
        raise _ValueTextError(f"it needs {', '.join(missing)}")
    return {name: check_for(by_name[name].type, model.values)(read[name]) for name in by_name}


def _expression(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        raise _ValueTextError("it is not written as name(argument, ...)") from None


def _arguments_by_name(call: ast.expr, names: list[str]) -> dict[str, ast.expr]:
    """The written arguments of a step or a record by name, those given by position first."""
    if isinstance(call, ast.Name):
        return {}
    if not isinstance(call, ast.Call):
        raise _ValueTextError("it is not written as name(argument, ...)")
    if len(call.args) > len(names):
        raise _ValueTextError(f"it takes {len(names)} arguments, not {len(call.args)}")
    given = dict(zip(names, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg not in names:
            takes = ", ".join(names) or "none"
            raise _ValueTextError(f"it has no parameter {keyword.arg}; it takes {takes}")
        if keyword.arg in given:
            raise _ValueTextError(f"{keyword.arg} is given twice")
        given[keyword.arg] = keyword.value
    return given


def _value(model: Model, step: str, node: ast.expr, type_: types.Type) -> Any:
    """The value of a type that a piece of text stands for."""
    match type_:
        case types.Option(of=of):
            return None if _word(step, node).lower() == "none" else _value(model, step, node, of)
        case types.Record():
            return _record(model, step, node, type_)
        case types.Subset(of=of) | types.Pool(of=of, multiple=False):
            return Set(_value(model, step, element, of) for element in _elements(step, node, "Set"))
        case types.Pool(of=of):
            return Bag(_value(model, step, element, of) for element in _elements(step, node, "Bag"))
        case types.Seq(of=of):
            return Seq(_value(model, step, element, of) for element in _elements(step, node, "Seq"))
        case types.Map(key=key, value=value):
            return Map(dict(_entries(model, step, node, key, value)))
        case _:
            return _scalar(model, step, node, type_)


def _word(step: str, node: ast.expr) -> str:
    return ast.get_source_segment(step, node) or ast.unparse(node)


def _scalar(model: Model, step: str, node: ast.expr, type_: types.Type) -> Any:
    word = _word(step, node)
    choices = {name: value for value in members_of(type_, model.values) for name in _spellings(value)}
    if word in choices:
        return choices[word]
    bare = word.rpartition(".")[2].strip("\"'")
    if bare in choices:
        return choices[bare]
    listed = list(dict.fromkeys(value_text(value) for value in choices.values()))
    allowed = ", ".join(listed) if len(listed) <= 12 else f"{listed[0]} to {listed[-1]}"
    raise _ValueTextError(f"{word} is not one of {allowed}")


def _spellings(value: Any) -> Iterable[str]:
    if isinstance(value, bool):
        return (value_text(value), str(value))
    if isinstance(value, Enum):
        return (value.name, str(value.value))
    return (value_text(value),)


def _record(model: Model, step: str, node: ast.expr, type_: types.Record) -> Any:
    if is_box(type_):
        return _value(model, step, node, unbox_type(type_))
    if is_tuple(type_):
        return make_record(type_, _parts(model, step, node, type_))
    if type_.variants:
        return _member(model, step, node, type_)
    if not isinstance(node, ast.Call) or _word(step, node.func) != type_.name:
        raise _ValueTextError(f"{_word(step, node)} is not written as {type_.name}(...)")
    given = _arguments_by_name(node, [name for name, _ in type_.fields])
    missing = [name for name, _ in type_.fields if name not in given]
    if missing:
        raise _ValueTextError(f"{type_.name} needs {', '.join(missing)}")
    return type_.python(**{name: _value(model, step, given[name], field) for name, field in type_.fields})


def _parts(model: Model, step: str, node: ast.expr, type_: types.Record) -> list[Any]:
    """The written parts of a tuple."""
    parts = node.elts if isinstance(node, ast.Tuple) else []
    if len(parts) != len(type_.fields):
        raise _ValueTextError(f"{_word(step, node)} is not written as ({', '.join(['...'] * len(type_.fields))})")
    return [_value(model, step, part, of) for part, (_, of) in zip(parts, type_.fields, strict=True)]


def _member(model: Model, step: str, node: ast.expr, type_: types.Record) -> Any:
    """A record of a union."""
    name = _word(step, node.func) if isinstance(node, ast.Call) else ""
    for member, _ in type_.variants:
        if member.name == name:
            return _record(model, step, node, member)
    listed = ", ".join(f"{member.name}(...)" for member, _ in type_.variants)
    raise _ValueTextError(f"{_word(step, node)} is not one of {listed}")


def _elements(step: str, node: ast.expr, name: str) -> list[ast.expr]:
    """The written elements of `{a, b}`, `[a, b]`, `{}`, or `Set([a, b])`."""
    match node:
        case ast.Set(elts=elements) | ast.List(elts=elements) | ast.Tuple(elts=elements):
            return elements
        case ast.Dict(keys=[]):
            return []
        case ast.Call(func=ast.Name(id=called), args=[]) if called == name:
            return []
        case ast.Call(func=ast.Name(id=called), args=[ast.Set() | ast.List() | ast.Dict() as inner]) if called == name:
            return _elements(step, inner, name)
        case ast.Call(func=ast.Name(id=called), args=elements) if called == name:
            return elements
        case _:
            raise _ValueTextError(f"{_word(step, node)} is not a {name}")


def _entries(model: Model, step: str, node: ast.expr, key: types.Type, value: types.Type) -> Iterable[tuple[Any, Any]]:
    if not isinstance(node, ast.Dict):
        raise _ValueTextError(f"{_word(step, node)} is not a Map")
    for left, right in zip(node.keys, node.values, strict=True):
        yield _value(model, step, cast(ast.expr, left), key), _value(model, step, right, value)
