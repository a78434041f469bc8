"""Comparisons: equality at any one type, order on integers, bools and sets, `in`, `is None`, and chains of them."""

from __future__ import annotations

import ast
from typing import Any, Literal

from .. import ir
from ..records import box_type, unbox_type
from ..types import Bool, Enumeration, Identity, Int, Option, Pool, Seq, Subset, Type
from ..where import Where
from .expressions import BOOL
from .folding import is_never_error
from .matching import fit_to_type, unify_types, unwrap_option
from .operations import conjunction, disjunction, is_shapeless, type_from_other_operand
from .ordering import note_no_order, position_of
from .scope import Scope, elaborate_expression, handles_expressions
from .type_text import describe

CompareOp = Literal["==", "!=", "<", "<=", ">", ">="]

_COMPARE: dict[type[ast.cmpop], CompareOp] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "==",
    ast.IsNot: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


@handles_expressions(ast.Compare)
def elaborate_comparison(scope: Scope, node: ast.Compare, expected_type: Type | None) -> ir.Expr:
    """`a < b`, `a == b`, `a in b`, `a is None`, and chains of them."""
    operands = [node.left, *node.comparators]
    links = [_elaborate_link(scope, a, op, b, node) for a, op, b in zip(operands, node.ops, operands[1:], strict=False)]
    return conjunction(links, scope.place_of(node))


def _elaborate_link(scope: Scope, left: ast.expr, op: ast.cmpop, right: ast.expr, node: ast.Compare) -> ir.Expr:
    """One link of a chain. Expressions have no effect, so that a middle operand may stand in two links."""
    if isinstance(op, (ast.In, ast.NotIn)):
        found = _elaborate_membership(scope, left, right, node)
        return found if isinstance(op, ast.In) else ir.Not(found, BOOL, scope.place_of(node))
    if is_shapeless(left) and not is_shapeless(right):
        b = elaborate_expression(scope, right)
        a = elaborate_expression(scope, left, type_from_other_operand(scope, left, b))
    else:
        a = elaborate_expression(scope, left)
        b = elaborate_expression(scope, right, type_from_other_operand(scope, right, a))
    symbol = _COMPARE[type(op)]
    if _is_none(left) or _is_none(right):
        return _none_test(scope, b if _is_none(left) else a, symbol, node)
    if isinstance(op, (ast.Is, ast.IsNot)) and not isinstance(unwrap_option(a).type, (Enumeration, Bool)):
        raise scope.noted_error("TG112", node, "`is` compares objects, and values have no identity", "==, or `is None`")
    return compare_values(scope, symbol, a, b, node)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _none_test(scope: Scope, option: ir.Expr, symbol: CompareOp, node: ast.AST) -> ir.Expr:
    if symbol not in ("==", "!="):
        raise scope.noted_error("TG206", node, "None has no order", "is None, or is not None")
    if not isinstance(option.type, Option):
        hint = f"declare it as {describe(option.type)} | None, or drop the test"
        raise scope.noted_error("TG208", node, f"this is {describe(option.type)}, never None", hint)
    test = ir.IsNone(option, BOOL, scope.place_of(node))
    return test if symbol == "==" else ir.Not(test, BOOL, scope.place_of(node))


def compare_values(scope: Scope, symbol: CompareOp, left: ir.Expr, right: ir.Expr, node: ast.AST) -> ir.Expr:
    """A comparison of two values: equality at any one type, order on integers, bools, and sets (as subsets)."""
    if symbol in ("==", "!="):
        a, b, _ = unify_types(scope, left, right, "TG207", node)
        return ir.Compare(symbol, a, b, BOOL, scope.place_of(node))
    a, b, joined = unify_types(scope, unwrap_option(left), unwrap_option(right), "TG207", node)
    if isinstance(joined, Subset) or (isinstance(joined, Pool) and not joined.multiple):
        return _subset_order(symbol, a, b, scope.place_of(node))
    if isinstance(joined, Identity) and joined.is_ordered:
        a, b = position_of(a, a.where), position_of(b, b.where)
    elif not isinstance(joined, (Int, Bool)):
        raise note_no_order(scope, joined, node)
    return ir.Compare(symbol, a, b, BOOL, scope.place_of(node))


def _subset_order(symbol: CompareOp, left: ir.Expr, right: ir.Expr, where: Where) -> ir.Expr:
    if symbol in (">", ">="):
        left, right = right, left
    within = ir.SetOperation("<=", left, right, BOOL, where)
    if symbol in ("<=", ">="):
        return within
    return ir.And((within, ir.Compare("!=", left, right, BOOL, where)), BOOL, where)


def _elaborate_membership(scope: Scope, element: ast.expr, container: ast.expr, node: ast.AST) -> ir.Expr:
    if isinstance(container, (ast.Tuple, ast.List)):
        if not container.elts:
            raise scope.noted_error("TG214", container, "nothing is in an empty tuple", "False")
        return _elaborate_one_of(scope, element, container.elts, node)
    if isinstance(container, ast.Set) and _is_number(scope, element):
        return _elaborate_one_of(scope, element, container.elts, node)
    owner = scope.module_value(container)
    if isinstance(owner, type):
        raise scope.noted_error(
            "TG221", container, f"{owner.__name__} is a type; every value of it is in it", "True, or a set"
        )
    if is_shapeless(container):
        value = elaborate_expression(scope, element)
        holder = elaborate_expression(scope, container, _set_type_of(unwrap_option(value).type))
    else:
        holder = unwrap_option(elaborate_expression(scope, container))
        value = None
    if not isinstance(holder.type, (Subset, Pool, Seq)):
        raise scope.noted_error(
            "TG203", container, f"nothing is `in` {describe(holder.type)}", "a Set, a Seq, or a tuple of values"
        )
    made = elaborate_expression(scope, element, unbox_type(holder.type.of)) if value is None else value
    return is_contained(scope, made, holder, element, node)


def _elaborate_one_of(scope: Scope, element: ast.expr, values: list[ast.expr], node: ast.AST) -> ir.Expr:
    """`element in (a, b)`: one equality or another, unless some value may be an error, which it is in any case."""
    where = scope.place_of(node)
    links = [_elaborate_equality(scope, element, value, node) for value in values]
    if len(links) < 2 or all(map(is_never_error, links[1:])):
        return disjunction(links, where)
    yes, no = ir.Const(1, Int(1, 1), where), ir.Const(0, Int(0, 0), where)
    asked = tuple(ir.Choice(link, yes, no, Int(0, 1), where) for link in links)
    return ir.Contains(yes, ir.MakeSeq(asked, Seq(Int(0, 1), len(asked)), where), BOOL, where)


def _is_number(scope: Scope, element: ast.expr) -> bool:
    return isinstance(unwrap_option(elaborate_expression(scope, element)).type, Int)


def is_contained(scope: Scope, element: ir.Expr, holder: ir.Expr, part: ast.AST, node: ast.AST) -> ir.Expr:
    """`element in holder`. None is never in a container of plain values, which is not an error."""
    assert isinstance(holder.type, (Subset, Pool, Seq))
    where, of = scope.place_of(node), holder.type.of
    if isinstance(element.type, Subset) and isinstance(holder.type, Subset):
        hint = f"{ast.unparse(part)} <= ..., which asks whether every element of it is there"
        raise scope.noted_error("TG203", node, "a set is no element of this set, which holds no sets", hint)
    test = ir.Contains(fit_to_type(scope, element, of, part), holder, BOOL, where)
    if isinstance(element.type, Option) and not isinstance(of, Option):
        return ir.And((ir.Not(ir.IsNone(element, BOOL, where), BOOL, where), test), BOOL, where)
    return test


def _set_type_of(element: Type) -> Type | None:
    if isinstance(element, Subset):
        return Pool(box_type(element, describe(element)), 0)
    return Subset(element) if isinstance(element, (Int, Bool, Enumeration, Identity)) else None


def _elaborate_equality(scope: Scope, left: ast.expr, right: ast.expr, node: ast.AST) -> ir.Expr:
    return _elaborate_link(scope, left, ast.Eq(), right, ast.Compare(left, [ast.Eq()], [right], **_place_of_node(node)))


def _place_of_node(node: ast.AST) -> dict[str, Any]:
    return {
        attribute: getattr(node, attribute) for attribute in ("lineno", "col_offset", "end_lineno", "end_col_offset")
    }
