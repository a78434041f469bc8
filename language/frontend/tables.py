"""Tables: sets, sequences, maps and records of constants that a model's file holds at module level."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, cast

from .. import ir
from .. import values as containers
from ..declare import mark_of
from ..nested_constants import holds_constants
from ..records import box_type
from ..types import Bool, Enumeration, Identity, Int, Map, Pool, Record, Seq, Subset, Type, scalar_size
from .annotations import MEMBERS_MAX, describe
from .intervals import UNBOUNDED_INT, hull
from .matching import fit, join
from .scope import Scope

Reader = Callable[[Scope, Any, ast.AST, Type | None], ir.Expr]
"""Reads one constant: a member, a number, or another table. The type, where there is one, is what it is needed as."""


def is_table(found: Any) -> bool:
    """Whether a module-level value is a set, a sequence, a map or a record."""
    mark = mark_of(cast("type[Any]", type(found)))
    is_record = mark is not None and mark.role == "record"
    return is_record or isinstance(found, (containers.Set, containers.Seq, containers.Map))


def table(scope: Scope, found: Any, node: ast.AST, read: Reader, expected: Type | None = None) -> ir.Expr:
    """The typed form of a table. A set has `expected`'s elements, if it is one; an empty table has its type from it."""
    match found:
        case containers.Set():
            wanted = expected if isinstance(expected, Subset) else None
            elements, of = _elements(scope, _sorted_elements(cast("containers.Set[Any]", found)), node, read, wanted)
            return _set(scope, elements, of, node)
        case containers.Seq():
            wanted = expected if isinstance(expected, Seq) else None
            elements, of = _elements(scope, tuple(cast("containers.Seq[Any]", found)), node, read, wanted)
            return ir.MakeSeq(elements, Seq(of, len(elements)), scope.where(node))
        case containers.Map():
            wanted = expected if isinstance(expected, Map) else None
            return _map(scope, dict(cast("containers.Map[Any, Any]", found).items()), node, read, wanted)
        case _:
            return _record(scope, found, node, read)


def _record(scope: Scope, found: Any, node: ast.AST, read: Reader) -> ir.Expr:
    type_ = scope.program.types.type_of_class(cast("type[Any]", type(found)))
    assert isinstance(type_, Record)
    fields = (fit(scope, read(scope, getattr(found, name), node, of), of, node) for name, of in type_.fields)
    return ir.MakeRecord(tuple(fields), type_, scope.where(node))


def _sorted_elements(found: containers.Set[Any]) -> tuple[Any, ...]:
    """The elements of a set in their order; by their texts where constants are among them, which have no order yet."""
    return tuple(sorted(found.plain_items(), key=repr) if holds_constants(found) else found)


def _elements(
    scope: Scope, found: tuple[Any, ...], node: ast.AST, read: Reader, wanted: Seq | Subset | None = None
) -> tuple[tuple[ir.Expr, ...], Type]:
    """What a table holds, brought to one type, and that type."""
    if not found and wanted is None:
        raise scope.error("TG214", node, "this table is empty, and could be of any type", "Set() or Seq() in its place")
    of = None if wanted is None or wanted.of == UNBOUNDED_INT else wanted.of
    for element in found:
        if not _is_empty(element):
            made = read(scope, element, node, of).type
            of = made if of is None else _hull(scope, of, made, node)
    if of is None:
        raise scope.error("TG214", node, "this table holds empty ones only", "a helper function that returns it")
    return tuple(fit(scope, read(scope, element, node, of), of, node) for element in found), of


def _is_empty(found: Any) -> bool:
    if isinstance(found, containers.Set):  # one with constants in it is not counted before they have values
        return not any(True for _ in cast("containers.Set[Any]", found).plain_items())
    return isinstance(found, containers.Seq) and not len(cast("containers.Seq[Any]", found))


def _hull(scope: Scope, one: Type, other: Type, node: ast.AST) -> Type:
    """The type that holds both: sets of numbers are sets of more numbers."""
    match one, other:
        case Subset(of=Int() as a), Subset(of=Int() as b):
            return Subset(hull(a, b))
        case Map(key=key, value=a), Map(key=k, value=b) if key == k:
            return Map(key, _hull(scope, a, b, node))
        case Seq(of=a), Seq(of=b):
            return Seq(_hull(scope, a, b, node), max(one.capacity, other.capacity))
        case _:
            joined = join(one, other)
    if joined is None:
        message = f"{describe(one)} and {describe(other)} in one table"
        raise scope.error("TG203", node, message, "elements of one type")
    return joined


def _set(scope: Scope, elements: tuple[ir.Expr, ...], of: Type, node: ast.AST) -> ir.Expr:
    if isinstance(of, Subset):
        box = box_type(of, describe(of))
        elements, of = tuple(fit(scope, element, box, node) for element in elements), box
    if isinstance(of, Record):
        return ir.MakePool(elements, Pool(of, len(elements)), scope.where(node))
    if not isinstance(of, (Int, Bool, Enumeration, Identity)):
        raise scope.error("TG217", node, f"a set of {describe(of)} cannot be made here", "a Seq of them")
    if scalar_size(of) > MEMBERS_MAX:
        message = f"this set has {scalar_size(of)} possible members"
        raise scope.error("TG402", node, message, f"at most {MEMBERS_MAX} possible members")
    return ir.MakeSubset(elements, Subset(of), scope.where(node))


def _map(scope: Scope, found: dict[Any, Any], node: ast.AST, read: Reader, wanted: Map | None) -> ir.Expr:
    keys, key = _elements(scope, tuple(found), node, read)
    if not all(isinstance(element, ir.Const) for element in keys):
        message = "a key of this table is a constant that is not given a value"
        raise scope.error("TG203", node, message, "keys that are numbers; or a value for the constant")
    held = None if wanted is None else Seq(wanted.value, len(found))
    values, value = _elements(scope, tuple(found.values()), node, read, held)
    if isinstance(key, Int):
        numbers = [cast(Int, element.type).lo for element in keys]
        key = hull(Int(min(numbers), min(numbers)), Int(max(numbers), max(numbers)))
    if not isinstance(key, (Int, Bool, Enumeration, Identity)) or scalar_size(key) != len(keys):
        message = f"{describe(key)} has other values than the {len(keys)} keys of this table"
        raise scope.error("TG203", node, message, "a value for every key")
    where, variable = scope.where(node), scope.fresh("key")
    name = ir.Name(variable, key, where)
    made = values[-1]
    for one, held in zip(keys[-2::-1], values[-2::-1], strict=True):
        made = ir.Choice(ir.Compare("==", name, one, Bool(), where), held, made, value, where)
    return ir.MakeMap(variable, made, Map(key, value), where)
