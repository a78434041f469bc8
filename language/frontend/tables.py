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
from .capacities import MEMBERS_MAX
from .intervals import UNBOUNDED_INT, hull_of
from .matching import common_type, fit_to_type
from .scope import Scope
from .type_text import describe

Reader = Callable[[Scope, Any, ast.AST, Type | None], ir.Expr]
"""Reads one constant: a member, a number, or another table. The type, where there is one, is what it is needed as."""


def is_table(python_value: Any) -> bool:
    """Whether a module-level value is a set, a sequence, a map or a record."""
    mark = mark_of(cast("type[Any]", type(python_value)))
    is_record = mark is not None and mark.role == "record"
    return is_record or isinstance(python_value, (containers.Set, containers.Seq, containers.Map))


def elaborate_table(
    scope: Scope, python_value: Any, node: ast.AST, read: Reader, expected_type: Type | None = None
) -> ir.Expr:
    """The typed form of a table. A set has `expected_type`'s elements, if it is one; an empty table has its type from
    it."""
    match python_value:
        case containers.Set():
            wanted = expected_type if isinstance(expected_type, Subset) else None
            elements, of = _elaborate_elements(
                scope, _sorted_elements(cast("containers.Set[Any]", python_value)), node, read, wanted
            )
            return _elaborate_set(scope, elements, of, node)
        case containers.Seq():
            wanted = expected_type if isinstance(expected_type, Seq) else None
            elements, of = _elaborate_elements(
                scope, tuple(cast("containers.Seq[Any]", python_value)), node, read, wanted
            )
            return ir.MakeSeq(elements, Seq(of, len(elements)), scope.place_of(node))
        case containers.Map():
            wanted = expected_type if isinstance(expected_type, Map) else None
            return _elaborate_map(
                scope, dict(cast("containers.Map[Any, Any]", python_value).items()), node, read, wanted
            )
        case _:
            return _elaborate_record(scope, python_value, node, read)


def _elaborate_record(scope: Scope, python_value: Any, node: ast.AST, read: Reader) -> ir.Expr:
    type_ = scope.program.types.type_of_class(cast("type[Any]", type(python_value)))
    assert isinstance(type_, Record)
    fields = (
        fit_to_type(scope, read(scope, getattr(python_value, name), node, of), of, node) for name, of in type_.fields
    )
    return ir.MakeRecord(tuple(fields), type_, scope.place_of(node))


def _sorted_elements(python_set: containers.Set[Any]) -> tuple[Any, ...]:
    """The elements of a set in their order; by their texts where constants are among them, which have no order yet."""
    return tuple(sorted(python_set.plain_items(), key=repr) if holds_constants(python_set) else python_set)


def _elaborate_elements(
    scope: Scope, python_values: tuple[Any, ...], node: ast.AST, read: Reader, wanted_type: Seq | Subset | None = None
) -> tuple[tuple[ir.Expr, ...], Type]:
    """What a table holds, brought to one type, and that type."""
    if not python_values and wanted_type is None:
        raise scope.noted_error(
            "TG214", node, "this table is empty, and could be of any type", "Set() or Seq() in its place"
        )
    of = None if wanted_type is None or wanted_type.of == UNBOUNDED_INT else wanted_type.of
    for element in python_values:
        if not _is_empty(element):
            made = read(scope, element, node, of).type
            of = made if of is None else _joined_type(scope, of, made, node)
    if of is None:
        raise scope.noted_error("TG214", node, "this table holds empty ones only", "a helper function that returns it")
    return tuple(fit_to_type(scope, read(scope, element, node, of), of, node) for element in python_values), of


def _is_empty(python_value: Any) -> bool:
    if isinstance(python_value, containers.Set):  # one with constants in it is not counted before they have values
        return not any(True for _ in cast("containers.Set[Any]", python_value).plain_items())
    return isinstance(python_value, containers.Seq) and not len(cast("containers.Seq[Any]", python_value))


def _joined_type(scope: Scope, one: Type, other: Type, node: ast.AST) -> Type:
    """The type that holds both: sets of numbers are sets of more numbers."""
    match one, other:
        case Subset(of=Int() as a), Subset(of=Int() as b):
            return Subset(hull_of(a, b))
        case Map(key=key, value=a), Map(key=k, value=b) if key == k:
            return Map(key, _joined_type(scope, a, b, node))
        case Seq(of=a), Seq(of=b):
            return Seq(_joined_type(scope, a, b, node), max(one.capacity, other.capacity))
        case _:
            joined = common_type(one, other)
    if joined is None:
        message = f"{describe(one)} and {describe(other)} in one table"
        raise scope.noted_error("TG203", node, message, "elements of one type")
    return joined


def _elaborate_set(scope: Scope, elements: tuple[ir.Expr, ...], of: Type, node: ast.AST) -> ir.Expr:
    if isinstance(of, Subset):
        box = box_type(of, describe(of))
        elements, of = tuple(fit_to_type(scope, element, box, node) for element in elements), box
    if isinstance(of, Record):
        return ir.MakePool(elements, Pool(of, len(elements)), scope.place_of(node))
    if not isinstance(of, (Int, Bool, Enumeration, Identity)):
        raise scope.noted_error("TG217", node, f"a set of {describe(of)} cannot be made here", "a Seq of them")
    if scalar_size(of) > MEMBERS_MAX:
        message = f"this set has {scalar_size(of)} possible members"
        raise scope.noted_error("TG402", node, message, f"at most {MEMBERS_MAX} possible members")
    return ir.MakeSubset(elements, Subset(of), scope.place_of(node))


def _elaborate_map(
    scope: Scope, python_map: dict[Any, Any], node: ast.AST, read: Reader, wanted_map: Map | None
) -> ir.Expr:
    keys, key = _elaborate_elements(scope, tuple(python_map), node, read)
    if not all(isinstance(element, ir.Const) for element in keys):
        message = "a key of this table is a constant that is not given a value"
        raise scope.noted_error("TG203", node, message, "keys that are numbers; or a value for the constant")
    held = None if wanted_map is None else Seq(wanted_map.value, len(python_map))
    values, value = _elaborate_elements(scope, tuple(python_map.values()), node, read, held)
    if isinstance(key, Int):
        numbers = [cast(Int, element.type).lo for element in keys]
        key = hull_of(Int(min(numbers), min(numbers)), Int(max(numbers), max(numbers)))
    if not isinstance(key, (Int, Bool, Enumeration, Identity)) or scalar_size(key) != len(keys):
        message = f"{describe(key)} has other values than the {len(keys)} keys of this table"
        raise scope.noted_error("TG203", node, message, "a value for every key")
    where, variable = scope.place_of(node), scope.fresh_name("key")
    name = ir.Name(variable, key, where)
    made = values[-1]
    for one, held in zip(keys[-2::-1], values[-2::-1], strict=True):
        made = ir.Choice(ir.Compare("==", name, one, Bool(), where), held, made, value, where)
    return ir.MakeMap(variable, made, Map(key, value), where)
