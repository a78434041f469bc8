"""Traversal of the typed form: the parts of an expression or a statement, and rebuilding it with its parts changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, cast

from .. import ir
from ..where import Where

_PARTS: dict[type[Any], tuple[str, ...]] = {
    ir.Const: (),
    ir.OpenConst: (),
    ir.Name: (),
    ir.StateField: (),
    ir.RecordField: ("record",),
    ir.Index: ("container", "index"),
    ir.Slice: ("sequence", "start", "stop"),
    ir.Length: ("of",),
    ir.Not: ("operand",),
    ir.And: ("operands",),
    ir.Or: ("operands",),
    ir.Choice: ("condition", "yes", "no"),
    ir.Arithmetic: ("left", "right"),
    ir.Compare: ("left", "right"),
    ir.Contains: ("element", "container"),
    ir.SetOperation: ("left", "right"),
    ir.IsMajority: ("subset",),
    ir.Position: ("of",),
    ir.MemberAt: ("number",),
    ir.Some: ("value",),
    ir.IsNone: ("option",),
    ir.Unwrap: ("option",),
    ir.MakeRecord: ("fields",),
    ir.Replace: ("record", "changes"),
    ir.MakeSubset: ("elements",),
    ir.FullSubset: (),
    ir.MakeSeq: ("elements",),
    ir.Concat: ("left", "right"),
    ir.MakePool: ("elements",),
    ir.MakeMap: ("value",),
    ir.MakeState: ("fields",),
    ir.Quantified: ("generators", "body", "default"),
    ir.Call: ("arguments",),
    ir.IntRange: ("start", "stop"),
    ir.Members: (),
    ir.Elements: ("of",),
    ir.Generator: ("source", "conditions"),
    ir.Place: ("indexes",),
    ir.Require: ("condition",),
    ir.Limit: ("condition",),
    ir.Let: ("value",),
    ir.Store: ("place", "value"),
    ir.Append: ("place", "value"),
    ir.Truncate: ("place", "length"),
    ir.Add: ("place", "value"),
    ir.Remove: ("place", "value"),
    ir.If: ("condition",),
    ir.For: ("source",),
    ir.Assert: ("condition",),
    ir.Return: ("value",),
}
"""The attributes of each form that hold expressions, sources, generators and places, in order of evaluation. The blocks
of `If` and `For` are not among them."""

_FIELDS = {cls: tuple(field.name for field in dataclasses.fields(cls)) for cls in _PARTS}


def direct_parts(form: Any) -> Iterator[Any]:
    """The direct parts of an expression, a source, a generator, a place, or a statement (not the blocks inside it)."""
    for name in _PARTS[type(form)]:
        part = getattr(form, name)
        if isinstance(part, tuple):
            for element in cast("tuple[Any, ...]", part):
                yield element[1] if isinstance(element, tuple) else element
        elif part is not None:
            yield part


def rebuild_form(form: Any, change: Callable[[Any], Any]) -> Any:
    """The form with `change` applied to each direct part; the form itself when nothing changed."""
    changed: dict[str, Any] = {}
    for name in _PARTS[type(form)]:
        before = getattr(form, name)
        after = _change_part(before, change)
        if after is not before:
            changed[name] = after
    if not changed:
        return form
    return type(form)(*(changed.get(name, getattr(form, name)) for name in _FIELDS[type(form)]))


def _change_part(part: Any, change: Callable[[Any], Any]) -> Any:
    if part is None:
        return None
    if not isinstance(part, tuple):
        return change(part)
    before = cast("tuple[Any, ...]", part)
    after = tuple(_changed_element(element, change) for element in before)
    return before if all(a is b for a, b in zip(before, after, strict=True)) else after


def _changed_element(element: Any, change: Callable[[Any], Any]) -> Any:
    """An element of a tuple of parts: a part, or a name with a part."""
    if not isinstance(element, tuple):
        return change(element)
    name, before = cast("tuple[str, Any]", element)
    after = change(before)
    return cast(Any, element) if after is before else (name, after)


def traverse_forms(*forms: Any, helpers: bool = True) -> Iterator[Any]:
    """The forms and everything in them, the bodies of pure `helpers` included (each once)."""
    seen: set[int] = set()
    stack: list[Any] = [*forms]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(direct_parts(node))
        if isinstance(node, ir.Call) and helpers and id(node.function) not in seen:
            seen.add(id(node.function))
            stack.extend(node.function.body)
        elif isinstance(node, ir.If):
            stack.extend(node.yes + node.no)
        elif isinstance(node, ir.For):
            stack.extend(node.body)


def fields_read(*forms: Any) -> dict[str, Where]:
    """The state fields that these forms look at, each with one place where they do."""
    found: dict[str, Where] = {}
    for form in forms:
        for node in traverse_forms(form):
            if isinstance(node, ir.StateField):
                found.setdefault(node.field, node.where)
    return found


WRITES = (ir.Store, ir.Append, ir.Truncate, ir.Add, ir.Remove)
"""The statements that write."""


def fields_written(body: tuple[ir.Statement, ...]) -> frozenset[str]:
    """The state fields that statements may write."""
    return frozenset(write.place.field for form in body for write in traverse_forms(form) if isinstance(write, WRITES))


def places_of(body: tuple[ir.Statement, ...]) -> frozenset[Where]:
    """Where these statements and those in their blocks stand."""
    return frozenset(statement.where for form in body for statement in _statements_within(form))


def _statements_within(form: ir.Statement) -> Iterator[ir.Statement]:
    yield form
    match form:
        case ir.If(yes=yes, no=no):
            inner = yes + no
        case ir.For(body=body):
            inner = body
        case _:
            inner = ()
    for statement in inner:
        yield from _statements_within(statement)
