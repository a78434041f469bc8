"""Tuples and unions of records taken apart: their parts, and which of its records a value is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .. import ir
from ..records import KIND, is_tuple
from ..types import Bool, Option, Record, Type
from ..where import Where
from .matching import field_of, member_part, number_of_member, unwrap_option
from .scope import Scope
from .type_text import describe


def tuple_part(scope: Scope, value: ir.Expr, type_: Record, node: ast.Subscript) -> ir.Expr:
    """`pair[0]`: a part of a tuple, by a number that is written there."""
    at = node.slice.value if isinstance(node.slice, ast.Constant) else None
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < len(type_.fields):
        message = f"a part of {describe(type_)} is read by a number from 0 to {len(type_.fields) - 1}"
        raise scope.noted_error("TG215", node.slice, message, "pair[0], or first, second = pair")
    name, of = type_.fields[at]
    return ir.RecordField(value, name, of, scope.place_of(node))


def unpack_tuple(scope: Scope, value: ir.Expr, count: int, node: ast.AST) -> list[ir.Expr]:
    """The parts of a tuple that is taken apart into so many names."""
    value = unwrap_option(value)
    if not isinstance(value.type, Record) or not is_tuple(value.type):
        raise scope.noted_error(
            "TG203", node, f"{describe(value.type)} is not a tuple", "one name, and its parts by field"
        )
    fields = value.type.fields
    if len(fields) != count:
        message = f"{describe(value.type)} has {len(fields)} parts, and {count} names are here"
        raise scope.noted_error("TG203", node, message, "a name for each part")
    return [field_of(value, name, of) for name, of in fields]


def name_parts(scope: Scope, target: ast.expr, value: ir.Expr) -> None:
    """Makes the names of a loop's target stand for a value, or for the parts of it."""
    if isinstance(target, ast.Name):
        scope.alias_name(target.id, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element, part in zip(target.elts, unpack_tuple(scope, value, len(target.elts), target), strict=True):
            name_parts(scope, element, part)
    else:
        raise scope.noted_error("TG116", target, "a loop binds names", "for x in ..., or for a, b in ...")


# --- unions -----------------------------------------------------------------------------------------------------------


def is_one_of(value: ir.Expr, union: Record, numbers: list[int], where: Where) -> ir.Expr:
    """Whether a value of a union is one of these records."""
    kinds = union.fields[0][1]
    kind = ir.RecordField(value, KIND, kinds, where)
    tests: list[ir.Expr] = [ir.Compare("==", kind, ir.Const(number, kinds, where), Bool(), where) for number in numbers]
    return tests[0] if len(tests) == 1 else ir.Or(tuple(tests), Bool(), where)


def one_of(value: ir.Expr, numbers: list[int], where: Where) -> ir.Expr:
    """Whether a value of a union, or an option of one, is one of these records; None is none of them."""
    if not isinstance(value.type, Option):
        assert isinstance(value.type, Record), "it is a union"
        return is_one_of(value, value.type, numbers, where)
    union = value.type.of
    assert isinstance(union, Record), "it is a union"
    there = ir.Not(ir.IsNone(value, Bool(), where), Bool(), where)
    return ir.And((there, is_one_of(ir.Unwrap(value, union, where), union, numbers, where)), Bool(), where)


def union_part(scope: Scope, value: ir.Expr, union: Record, name: str, node: ast.AST) -> ir.Expr:
    """`message.source`: a field of those records of a union that have it; an error of the model for the others. Where
    `isinstance` was asked of the message, a record that it is none of plays no part."""
    where = scope.place_of(node)
    having = list(_members_having(union, name))
    asked = node.value if isinstance(node, ast.Attribute) else None
    left = scope.records_of(asked.id) if isinstance(asked, ast.Name) else None
    having = [(at, of) for at, of in having if left is None or at in left] or having
    if not having:
        message = f"no record of {union.name} has a field {name}"
        raise scope.noted_error("TG202", node, message, "case Record(field=x): in a match over it")
    types = {of for _, of in having}
    if len(types) > 1:
        message = f"{name} is of several types in {union.name}"
        raise scope.noted_error("TG203", node, message, "case Record(field=x): in a match over it")
    ((first, of), *others) = having
    found = member_part(value, union, first, name, where)
    for at, _ in others:
        other = member_part(value, union, at, name, where)
        found = ir.Choice(is_one_of(value, union, [at], where), other, found, of, where)
    if len(having) == len(union.variants) or isinstance(of, Option):
        return found
    numbers = [at for at, _ in having]
    known = ir.Choice(
        is_one_of(value, union, numbers, where), ir.Some(found, Option(of), where), ir.Const(0, Option(of), where),
        Option(of), where,
    )  # fmt: skip
    return ir.Unwrap(known, of, where)


def _members_having(union: Record, name: str) -> Iterator[tuple[int, Type]]:
    for at, (member, _) in enumerate(union.variants):
        for text, of in member.fields:
            if text == name:
                yield at, of


def record_type_named(scope: Scope, node: ast.expr) -> Record | None:
    """The record type that a class stands for; None if it is none."""
    found = scope.module_value(node)
    type_ = scope.program.types.type_of_class(found) if isinstance(found, type) else None
    return type_ if isinstance(type_, Record) else None


def asked_records(scope: Scope, node: ast.expr, union: Type) -> list[int]:
    """The records that `isinstance` asks for: a class, a tuple of classes or a union of them."""
    if isinstance(node, ast.Tuple):
        return [at for element in node.elts for at in asked_records(scope, element, union)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return asked_records(scope, node.left, union) + asked_records(scope, node.right, union)
    at = number_of_member(union, record_type_named(scope, node)) if isinstance(union, Record) else None
    if at is None:
        message = f"{ast.unparse(node)} is not a record of {describe(union)}"
        raise scope.noted_error("TG203", node, message, "a record of the union that the value is of")
    return [at]
