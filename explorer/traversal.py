"""Going through the typed form: every node below a node, and a digest of what it means."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import Any, cast, get_args

from ..language.constants import Constant
from ..language.ir import Add, Append, Expr, Function, Remove, StateField, Store, Truncate
from ..language.model import Property

EXPRESSIONS: frozenset[type[Any]] = frozenset(get_args(Expr))
"""The classes of the nodes that have a value."""

WRITES = (Store, Append, Truncate, Add, Remove)
"""The statements that write a field of the state."""

SILENT = frozenset({"where", "text", "python", "says", "line"})
"""Fields that change nothing in what a node means."""


@cache
def _field_names(type_: type[Any]) -> tuple[str, ...]:
    return tuple(name for name in getattr(type_, "__dataclass_fields__", {}) if name not in SILENT)


def _class_of(value: object) -> type[Any]:
    return type(value)


def children(node: Any) -> list[Any]:
    """The typed-form nodes directly below a node, those in tuples included, in order."""
    found: list[Any] = []
    for name in _field_names(_class_of(node)):
        part = getattr(node, name)
        if part.__class__ is tuple:
            _gather_nodes(part, found)
        elif _field_names(_class_of(part)):
            found.append(part)
    return found


def _gather_nodes(parts: tuple[Any, ...], nodes: list[Any]) -> None:
    for part in parts:
        if part.__class__ is tuple:
            _gather_nodes(part, nodes)
        elif _field_names(_class_of(part)):
            nodes.append(part)


def is_expression(node: Any) -> bool:
    """Whether a node of the typed form has a value."""
    return _class_of(node) in EXPRESSIONS


def traverse(node: Any, *, helpers: bool = True) -> Iterator[Any]:
    """The node (or each node of a tuple) and every typed-form node below it, once each; `helpers` enters their
    bodies."""
    seen, waiting = set[int](), list[Any](cast(tuple[Any, ...], node) if isinstance(node, tuple) else [node])
    while waiting:
        found = waiting.pop()
        if id(found) not in seen and (helpers or not isinstance(found, Function)):
            seen.add(id(found))
            yield found
            waiting += reversed(children(found))


def fields_of_property(prop: Property) -> frozenset[str]:
    """The fields that a property reads, those included that its helpers read."""
    return frozenset(node.field for node in traverse(prop.form) if isinstance(node, StateField))


def digest(node: Any) -> str:
    """A fingerprint of a typed form: equal for equal meanings, whatever the file's path, lines and comments are."""
    known: dict[int, bytes] = {}
    kept = list[Any]()

    def visit(part: Any) -> bytes:
        if isinstance(part, Constant):
            return f"constant {part.name}".encode()
        if isinstance(part, tuple | list):
            return hashlib.sha256(b"(" + b",".join(map(visit, cast(tuple[Any, ...], part))) + b")").digest()
        if isinstance(part, frozenset):
            return visit(tuple(sorted(map(str, cast(frozenset[Any], part)))))
        names = _field_names(_class_of(part))
        if not names or isinstance(part, Enum):
            return f"{type(part).__name__} {part!r}".encode()
        if id(part) not in known:
            parts = b",".join(visit(getattr(part, name)) for name in names)
            known[id(part)] = hashlib.sha256(type(part).__name__.encode() + b":" + parts).digest()
            kept.append(part)
        return known[id(part)]

    return visit(node).hex()
