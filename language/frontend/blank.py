"""What a ghost of a class of its own holds at first, as the typed form has it: `checks.blank_of` is the same in plain
Python."""

from __future__ import annotations

from .. import ir
from ..types import Bool, Enumeration, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type
from ..where import Where


def blank_value(type_: Type, where: Where, depth: int = 0) -> ir.Expr | None:
    """The blank value of a type, inside as many maps as `depth` says; None for a type that has none."""
    match type_:
        case Int(lo=lo, lo_open=None):
            return ir.Const(lo, Int(lo, lo), where)
        case Bool() | Enumeration() | Option():
            return ir.Const(0, type_, where)
        case Record(fields=fields, variants=()):
            parts = tuple(part for _, of in fields if (part := blank_value(of, where, depth)) is not None)
            return ir.MakeRecord(parts, type_, where) if len(parts) == len(fields) else None
        case Map(key=key, value=value):
            held = blank_value(value, where, depth + 1)
            named = key.name.lower() if isinstance(key, (Identity, Enumeration)) else "number"
            return None if held is None else ir.MakeMap(f"{named}{depth or ''}", held, type_, where)
        case Seq():
            return ir.MakeSeq((), type_, where)
        case Subset():
            return ir.MakeSubset((), type_, where)
        case Pool():
            return ir.MakePool((), type_, where)
        case _:
            return None
