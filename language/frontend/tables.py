"""Tables: sets, sequences, maps and records of constants that a model's file holds at module level."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, cast

from .. import ir
from .. import values as containers
from ..declare import mark_of
from ..types import Bool, Enumeration, Identity, Int, Map, Record, Seq, Subset, Type, scalar_size
from .annotations import MEMBERS_MAX, describe
from .intervals import hull
from .matching import fit, join
from .scope import Scope

Reader = Callable[[Scope, Any, ast.AST], ir.Expr]
"""Reads one constant: a member, a number, or another table."""


def is_table(found: Any) -> bool:
    """Whether a module-level value is a set, a sequence, a map or a record."""
    mark = mark_of(cast("type[Any]", type(found)))
    is_record = mark is not None and mark.role == "record"
    return is_record or isinstance(found, (containers.Set, containers.Seq, containers.Map))


def table(scope: Scope, found: Any, node: ast.AST, read: Reader) -> ir.Expr:
    """The typed form of a table."""
    where = scope.where(node)
    match found:
        case containers.Set():
            elements, of = _elements(scope, tuple(cast("containers.Set[Any]", found)), node, read)
            return _set(scope, elements, of, node)
        case containers.Seq():
            elements, of = _elements(scope, tuple(cast("containers.Seq[Any]", found)), node, read)
            return ir.MakeSeq(elements, Seq(of, len(elements)), where)
        case containers.Map():
            return _map(scope, dict(cast("containers.Map[Any, Any]", found).items()), node, read)
        case _:
            type_ = scope.program.types.named(cast("type[Any]", type(found)))
            assert isinstance(type_, Record)
            fields = (fit(scope, read(scope, getattr(found, name), node), of, node) for name, of in type_.fields)
            return ir.MakeRecord(tuple(fields), type_, where)


def _elements(scope: Scope, found: tuple[Any, ...], node: ast.AST, read: Reader) -> tuple[tuple[ir.Expr, ...], Type]:
    if not found:
        raise scope.error("TG214", node, "this table is empty, and could be of any type", "Set() or Seq() in its place")
    made = [read(scope, each, node) for each in found]
    of = made[0].type
    for each in made[1:]:
        joined = join(of, each.type)
        if joined is None:
            message = f"{describe(of)} and {describe(each.type)} in one table"
            raise scope.error("TG203", node, message, "elements of one type")
        of = joined
    return tuple(fit(scope, each, of, node) for each in made), of


def _set(scope: Scope, elements: tuple[ir.Expr, ...], of: Type, node: ast.AST) -> ir.Expr:
    if not isinstance(of, (Int, Bool, Enumeration, Identity)):
        raise scope.error("TG217", node, f"a set of {describe(of)} cannot be made here", "a Seq of them")
    if scalar_size(of) > MEMBERS_MAX:
        message = f"this set has {scalar_size(of)} possible members"
        raise scope.error("TG402", node, message, f"at most {MEMBERS_MAX} possible members")
    return ir.MakeSubset(elements, Subset(of), scope.where(node))


def _map(scope: Scope, found: dict[Any, Any], node: ast.AST, read: Reader) -> ir.Expr:
    keys, key = _elements(scope, tuple(found), node, read)
    values, value = _elements(scope, tuple(found.values()), node, read)
    if isinstance(key, Int):
        numbers = [cast(Int, each.type).lo for each in keys]
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
