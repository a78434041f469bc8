"""Going through the typed form: every node below a node, and a digest of what it means."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import Any

from ..language.constants import Constant

SILENT = frozenset({"where", "text", "python", "says", "line"})
"""Fields that change nothing in what a node means."""


@cache
def _fields(type_: type[Any]) -> tuple[str, ...]:
    return tuple(name for name in getattr(type_, "__dataclass_fields__", {}) if name not in SILENT)


def walk(node: Any) -> Iterator[Any]:
    """The node and every typed-form node below it, helper functions once each."""
    seen = set[int]()

    def visit(each: Any) -> Iterator[Any]:
        if isinstance(each, tuple):
            for part in each:
                yield from visit(part)
        elif _fields(type(each)) and id(each) not in seen:
            seen.add(id(each))
            yield each
            for name in _fields(type(each)):
                yield from visit(getattr(each, name))

    yield from visit(node)


def digest(node: Any) -> str:
    """A fingerprint of a typed form: equal for equal meanings, whatever the file's path, lines and comments are."""
    known: dict[int, bytes] = {}
    kept = list[Any]()

    def visit(each: Any) -> bytes:
        if isinstance(each, Constant):
            return f"constant {each.name}".encode()
        if isinstance(each, tuple | list):
            return hashlib.sha256(b"(" + b",".join(map(visit, each)) + b")").digest()
        if isinstance(each, frozenset):
            return visit(tuple(sorted(map(str, each))))
        names = _fields(type(each))
        if not names or isinstance(each, Enum):
            return f"{type(each).__name__} {each!r}".encode()
        if id(each) not in known:
            parts = b",".join(visit(getattr(each, name)) for name in names)
            known[id(each)] = hashlib.sha256(type(each).__name__.encode() + b":" + parts).digest()
            kept.append(each)
        return known[id(each)]

    return visit(node).hex()
