"""What the tests of states share: a model's state with containers of each kind, and drafts of it."""

from __future__ import annotations

from typing import Any

from tidegate.language import Domain, Set, record
from tidegate.language import types as t
from tidegate.language.drafts import Cells, Draft, Shape
from tidegate.language.model import Field


class Node(Domain, size=3, symmetric=True):
    """Someone."""


@record
class Note:
    """A record with a set in it."""

    to: Node | None
    text: int
    readers: Set[Node]


A, B, C = Node(0), Node(1), Node(2)


NODE = t.Identity("Node", 3, True, ("A", "B", "C"), Node)


SMALL = t.Int(0, 9)


NOTE = t.Record("Note", (("to", t.Option(NODE)), ("text", SMALL), ("readers", t.Subset(NODE))), Note)


def draft_of(**fields: tuple[t.Type, Any]) -> Draft:
    """A draft of a state with these fields: their types and first values."""
    declared = tuple(Field(name, type_, False, "", None) for name, (type_, _) in fields.items())
    made = type("Town", (), {"__annotations__": dict.fromkeys(fields, Any)})
    shape = Shape(made, declared, {})
    return Draft(Cells(shape, shape(**{name: value for name, (_, value) in fields.items()})))


LOG = t.Seq(SMALL, 4)


LOGS = t.Map(NODE, LOG)


def everyone() -> list[Node]:
    return [A, B, C]
