"""Assignments to local names that were meant as writes to the state, and would be silent."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from .. import ir
from .scope import Scope
from .traversal import traverse_forms

_WRITES = (ir.Store, ir.Append, ir.Truncate, ir.Add, ir.Remove)
_CELL = "a write through a path from the state: s.field[key] = ..."


def check_parameters(scope: Scope, node: ast.FunctionDef, pieces: frozenset[str]) -> None:
    """Notes each assignment to a parameter of a step helper: it gives the name another value, and the state keeps its
    own. What is said of a parameter that stands for a piece of the state is said elsewhere."""
    names = {argument.arg for argument in node.args.args} - pieces
    for target in _assigned_names(node.body):
        if target.id in names:
            message = f"{target.id} is a parameter of {node.name}: this changes the name, not what the caller gave"
            hint = f"in a helper that takes the state, s.field = ...; for a value of its own, new_{target.id} = ..."
            scope.note_mistake("TG108", target, message, hint)


def check_writes(scope: Scope, node: ast.FunctionDef, body: Iterable[ir.Statement]) -> None:
    """Notes local names that nothing reads, in a step that writes nothing: its whole effect would be lost."""
    if any(isinstance(part, (*_WRITES, ir.Assert)) for part in traverse_forms(*body)):
        return
    read = {load.id for load in ast.walk(node) if isinstance(load, ast.Name) and isinstance(load.ctx, ast.Load)}
    for target in _assigned_names(node.body):
        if target.id not in read:
            message = f"nothing reads {target.id}, and {node.name} writes nothing to the state"
            scope.note_mistake("TG108", target, message, _CELL)


def _assigned_names(body: list[ast.stmt]) -> Iterator[ast.Name]:
    """The names that assignments of these statements give a value to, and those inside them."""
    for statement in body:
        for inner in ast.walk(statement):
            match inner:
                case ast.Assign(targets=targets):
                    yield from (part for target in targets for part in _stored_names(target))
                case ast.AnnAssign(target=ast.Name() as name) | ast.AugAssign(target=ast.Name() as name):
                    yield name
                case _:
                    pass


def _stored_names(target: ast.expr) -> Iterator[ast.Name]:
    return (node for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
