"""What the tests of formulas share: names, fields and numbers of the typed form."""

from __future__ import annotations

from tidegate.language import ir
from tidegate.language.types import Bool, Identity, Int, Map
from tidegate.language.where import Where

HERE = Where("model.py", 1, 0, 1, 1)


REPLICA = Identity("Replica", 2, True, ("A", "B"), int)


OFFSET = Int(0, 2)


def name(text: str) -> ir.Name:
    return ir.Name(text, REPLICA, HERE)


def state_field(field: str, state: str = "s") -> ir.StateField:
    return ir.StateField(state, field, Map(REPLICA, Bool()), HERE)


def up(replica: str, state: str = "s") -> ir.Index:
    return ir.Index(state_field("up", state), name(replica), Bool(), HERE)


def number(value: int) -> ir.Const:
    return ir.Const(value, OFFSET, HERE)
