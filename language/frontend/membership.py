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
            elements, stored = (body,), frozenset(_checked_names(generators))
        case _:
            return
    yield from ((element, of) for element in elements if not _is_surely_of_type(element, of, stored))


def _checked_names(generators: tuple[ir.Generator, ...]) -> Iterator[str]:
    """The names that stand for parts of the state, or for records of a set: these were checked when they were stored,
    or when the set was made."""
    known: set[str] = set()
    for generator in generators:
        if isinstance(generator.source, ir.Elements) and _is_checked(generator.source.of, known):
            known.add(generator.variable)
            yield generator.variable


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


def _is_surely_of_type(value: ir.Expr, of: Type, stored_names: frozenset[str]) -> bool:
    if value.type == of and is_stored(value, stored_names):
        return True
    match of:
        case Int(lo=lo, hi=hi, lo_open=None, hi_open=None):
            within = isinstance(value.type, Int) and lo <= value.type.lo and value.type.hi <= hi
            return within and not isinstance(value, ir.RecordField)
        case Option(of=inner):
            return _is_absent(value) or (
                isinstance(value, ir.Some) and _is_surely_of_type(value.value, inner, stored_names)
            )
        case Record(fields=fields) if isinstance(value, ir.MakeRecord):
            parts = zip(value.fields, fields, strict=True)
            return is_box(of) or all(
                _is_surely_of_type(part, field_type, stored_names) for part, (_, field_type) in parts
            )
        case _:
            return isinstance(of, (Bool, Enumeration, Identity, Subset))


def _is_absent(value: ir.Expr) -> bool:
    return isinstance(value, ir.Const) and isinstance(value.type, Option)
