"""Cells of the state, as a path names them: what a write goes to, and what a step helper is given."""

from __future__ import annotations

import ast

from .. import ir
from ..errors import AbandonedError
from ..types import Map, Seq
from .expressions import elaborate_index
from .scope import Scope, elaborate_expression
from .type_text import describe


def written_place(scope: Scope, node: ast.expr, statement: ast.AST) -> ir.Place:
    """The cell of the state that a path names, to write to it. Raises AbandonedError after noting why it is none."""
    root, path = _split_path(node)
    if not _is_cell(scope, root):
        raise _note_no_place(scope, node, root)
    if scope.role in ("helper", "property"):
        code = "TG304" if scope.role == "helper" else "TG305"
        hint = (
            "return the new value, and let the action store it; or write in a helper that returns None"
            if scope.role == "helper"
            else "a value, without writing"
        )
        raise scope.noted_error(code, statement, f"a {_LOOKS[scope.role]} only looks at the state", hint)
    made, place = _path_root(scope, root)
    indexes = list(place.indexes)
    for key in path:
        if isinstance(key, ast.Slice) or not isinstance(made.type, (Map, Seq)):
            hint = "s.q = s.q[:n] + ..., or .truncate(n)" if isinstance(made.type, Seq) else "the whole cell"
            raise scope.noted_error("TG215", key, f"a part of {describe(made.type)} cannot be written by index", hint)
        made = elaborate_index(scope, made, key, key)
        assert isinstance(made, ir.Index)
        indexes.append(made.index)
    return ir.Place(place.field, tuple(indexes), made.type, scope.place_of(node))


_LOOKS = {"helper": "helper that returns a value", "property": "property"}


def is_path(scope: Scope, node: ast.expr) -> bool:
    """Whether an expression names a cell of the state: `s.log[r]`, or a piece of the state by its name."""
    return _is_cell(scope, _split_path(node)[0])


def _split_path(node: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
    """What a path begins with, and its indexes from left to right."""
    path: list[ast.expr] = []
    while isinstance(node, ast.Subscript):
        path.insert(0, node.slice)
        node = node.value
    return node, path


def _is_cell(scope: Scope, root: ast.expr) -> bool:
    if isinstance(root, ast.Name):
        return root.id in scope.names and scope.names[root.id].piece is not None
    return isinstance(root, ast.Attribute) and scope.state_called(root.value) is not None


def _path_root(scope: Scope, root: ast.expr) -> tuple[ir.Expr, ir.Place]:
    """What a path begins with: as a value, and as a cell."""
    made = elaborate_expression(scope, root)
    if isinstance(root, ast.Name):
        piece = scope.names[root.id].piece
        assert piece is not None, "a path begins with a piece"
        return made, piece.place
    assert isinstance(made, ir.StateField)
    return made, ir.Place(made.field, (), made.type, made.where)


def _note_no_place(scope: Scope, node: ast.expr, root: ast.expr) -> AbandonedError:
    """Notes why a path does not lead to a cell of the state."""
    bottom = root
    while isinstance(bottom, (ast.Attribute, ast.Subscript)):
        bottom = bottom.value
    if isinstance(bottom, ast.Name) and scope.state_called(bottom) is None:
        message = (
            f"{ast.unparse(bottom)} is the value at the moment it was bound; writing to it would not change the state"
        )
        return scope.noted_error("TG108", node, message, "a path from the state: s.field[key]...")
    if isinstance(root, ast.Attribute):
        owner = ast.unparse(root.value)
        message = f"{owner} is a record, and records never change"
        return scope.noted_error("TG120", node, message, f"{owner} = replace({owner}, {root.attr}=...)")
    return scope.noted_error(
        "TG108", node, "this is a value, not a cell of the state", "a path from the state: s.field[key]..."
    )
