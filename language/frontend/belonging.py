"""Whether a record that a set is made of surely belongs to the set's type, or has to be checked where it is made."""

from __future__ import annotations

from collections.abc import Iterator

from .. import ir
from ..records import is_box
from ..types import Bool, Enumeration, Identity, Int, Option, Pool, Record, Subset, Type


def unchecked_elements(node: object) -> Iterator[tuple[ir.Expr, Type]]:
    """The records of a set that an expression makes which may not belong to it, such as one with an integer outside its
    range, each with the type of the set's records."""
    match node:
        case ir.MakePool(elements=elements, type=Pool(of=of)):
            stored = frozenset[str]()
        case ir.Quantified(kind="set", body=body, type=Pool(of=of), generators=generators):
            elements, stored = (body,), frozenset(_stored(generators))
        case _:
            return
    yield from ((each, of) for each in elements if not _belongs(each, of, stored))


def _stored(generators: tuple[ir.Generator, ...]) -> Iterator[str]:
    """The names that stand for parts of the state, or for records of a set: these were checked when they were stored,
    or when the set was made."""
    known: set[str] = set()
    for each in generators:
        if isinstance(each.source, ir.Elements) and _is_checked(each.source.of, known):
            known.add(each.variable)
            yield each.variable


def _is_checked(node: ir.Expr, names: set[str]) -> bool:
    return isinstance(node.type, Pool) or is_stored(node, names)


def is_stored(node: ir.Expr, names: frozenset[str] | set[str] = frozenset()) -> bool:
    """Whether an expression is a part of a state, or of what one of these names stands for."""
    match node:
        case ir.RecordField(record=inner) | ir.Index(container=inner) | ir.Unwrap(option=inner):
            return is_stored(inner, names)
        case ir.Name(name=name):
            return name in names
        case _:
            return isinstance(node, ir.StateField)


def _belongs(value: ir.Expr, of: Type, stored: frozenset[str]) -> bool:
    if value.type == of and is_stored(value, stored):
        return True
    match of:
        case Int(lo=lo, hi=hi, lo_open=None, hi_open=None):
            within = isinstance(value.type, Int) and lo <= value.type.lo and value.type.hi <= hi
            return within and not isinstance(value, ir.RecordField)
        case Option(of=inner):
            return _is_absent(value) or (isinstance(value, ir.Some) and _belongs(value.value, inner, stored))
        case Record(fields=fields) if isinstance(value, ir.MakeRecord):
            parts = zip(value.fields, fields, strict=True)
            return is_box(of) or all(_belongs(part, each, stored) for part, (_, each) in parts)
        case _:
            return isinstance(of, (Bool, Enumeration, Identity, Subset))


def _is_absent(value: ir.Expr) -> bool:
    return isinstance(value, ir.Const) and isinstance(value.type, Option)
