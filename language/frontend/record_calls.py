"""Records that a text makes, and `replace`, which makes one of another."""

from __future__ import annotations

import ast
from inspect import get_annotations
from typing import Any

from .. import ir
from ..errors import AbandonedError, suggest_name
from ..nested_constants import defaults_of
from ..types import Record, Type
from .expressions import (
    fit_expression,
    static_value,
)
from .matching import fit_to_type, unwrap_option
from .scope import Scope, elaborate_expression
from .type_text import describe


def elaborate_replace(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    """`replace(record, field=value)`, or of a state, where it stands for the image of an abstract model."""
    usage = "replace(record, field=value)"
    if len(node.args) != 1:
        raise scope.noted_error("TG211", node, "replace takes one record, and its changes by name", usage)
    state, image = scope.state_called(node.args[0]), scope.program.own_image
    if state is not None and image is not None:
        return _elaborate_image(scope, state, image, node)
    record = unwrap_option(elaborate_expression(scope, node.args[0]))
    if not isinstance(record.type, Record):
        raise scope.noted_error("TG203", node.args[0], f"this is {describe(record.type)}, not a record", usage)
    changes = _elaborate_changes(scope, record.type, node)
    return ir.Replace(record, tuple(changes.items()), record.type, scope.place_of(node))


def _elaborate_image(scope: Scope, state: str, image: Record, node: ast.Call) -> ir.Expr:
    """A state as one of the same model with other constants, some fields changed: what a mapping to it returns."""
    changes, own, where = _elaborate_changes(scope, image, node), scope.program.shape.fields, scope.place_of(node)
    fields = (changes.get(name) or ir.StateField(state, name, own[name], where) for name, _ in image.fields)
    return ir.MakeRecord(tuple(fields), image, where)


def _elaborate_changes(scope: Scope, type_: Record, node: ast.Call) -> dict[str, ir.Expr]:
    """What `replace` changes of a record of this type, by field. TG202 for a field that there is not."""
    fields, changes = dict(type_.fields), dict[str, ir.Expr]()
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg not in fields:
            message = f"{type_.name} has no field {keyword.arg}"
            if keyword.arg in scope.program.shape.ghosts and type_ is scope.program.own_image:
                message = f"{type_.name}.{keyword.arg} is a ghost, and an image has none"
            raise scope.noted_error("TG202", keyword, message, suggest_name(str(keyword.arg), fields))
        changes[keyword.arg] = fit_expression(scope, keyword.value, fields[keyword.arg])
    return changes


def elaborate_record(scope: Scope, type_: Record, node: ast.Call) -> ir.Expr:
    """`Name(field=value)` of a record class, or of the image of an abstract model."""
    is_image = type_.python in scope.program.types.images
    defaults = vars(type_.python) if is_image else defaults_of(type_.python)
    given = {name: defaults[name] for name, _ in type_.fields if name in defaults}
    if is_image:
        _check_ghosts(scope, type_, node)
    fields = record_arguments(scope, dict(type_.fields), type_.name, node, given)
    return ir.MakeRecord(tuple(fields), type_, scope.place_of(node))


def _check_ghosts(scope: Scope, type_: Record, node: ast.Call) -> None:
    """TG202 for a field that only the abstract model's own state has, since an image has no ghosts."""
    for keyword in node.keywords:
        if keyword.arg in get_annotations(type_.python) and keyword.arg not in dict(type_.fields):
            message = f"{type_.name}.{keyword.arg} is a ghost, and an image has none"
            raise scope.noted_error("TG202", keyword, message, f"{type_.name}(...) without {keyword.arg}")


def record_arguments(
    scope: Scope,
    fields: dict[str, Type],
    name: str,
    node: ast.Call,
    defaults: dict[str, Any] | None = None,
    blanks: dict[str, ir.Expr] | None = None,
) -> list[ir.Expr]:
    """One expression per field, from positional and named arguments, else from its default, or as it is when it is
    blank. TG211 or TG202 when they do not fit."""
    names = list(fields)
    usage = f"{name}({', '.join(f'{field}=...' for field in names)})"
    if len(node.args) > len(names):
        raise scope.noted_error("TG211", node, f"{name} has {len(names)} fields", usage)
    given: dict[str, ast.expr] = dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg not in fields:
            raise scope.noted_error(
                "TG202", keyword, f"{name} has no field {keyword.arg}", suggest_name(str(keyword.arg), fields)
            )
        given[str(keyword.arg)] = keyword.value
    missing = [field for field in names if field not in given | (defaults or {}) | (blanks or {})]
    if missing:
        raise scope.noted_error("TG211", node, f"{name} also needs {', '.join(missing)}", usage)
    return _field_values(scope, fields, given, defaults or {}, blanks or {}, node)


def _field_values(
    scope: Scope,
    fields: dict[str, Type],
    field_nodes: dict[str, ast.expr],
    defaults: dict[str, Any],
    blanks: dict[str, ir.Expr],
    node: ast.Call,
) -> list[ir.Expr]:
    made: list[ir.Expr] = []
    for name, type_ in fields.items():
        try:
            if name in field_nodes:
                made.append(fit_expression(scope, field_nodes[name], type_))
            elif name in blanks:
                made.append(blanks[name])
            else:
                made.append(fit_to_type(scope, static_value(scope, defaults[name], node, type_), type_, node))
        except AbandonedError:
            continue
    if len(made) < len(fields):
        raise AbandonedError
    return made
