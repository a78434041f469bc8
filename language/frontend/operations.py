"""Operators in expressions: logic, arithmetic, sets, sequences and choices."""

from __future__ import annotations

import ast
from typing import Literal

from .. import ir
from ..errors import AbandonedError
from ..types import Int, Option, Pool, Record, Seq, Subset, Type, scalar_size
from ..where import Where
from .capacities import MEMBERS_MAX
from .expressions import (
    BOOL,
    ArithmeticOp,
    elaborate_condition,
    elaborate_integer,
    integer_hint,
    make_arithmetic,
    number_constant,
)
from .intervals import hull_of
from .matching import common_type, fit_to_type, is_member, unify_types, unwrap_option
from .narrowing import narrow_scope
from .scope import Scope, elaborate_expression, handles_expressions
from .type_text import describe

_ARITHMETIC: dict[type[ast.operator], ArithmeticOp] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
}
_SETS: dict[type[ast.operator], Literal["|", "&", "-", "^"]] = {
    ast.BitOr: "|",
    ast.BitAnd: "&",
    ast.Sub: "-",
    ast.BitXor: "^",
}
_MIRRORED: dict[type[ast.operator], tuple[str, str]] = {
    ast.Div: ("/", "//, which gives an integer"),
    ast.LShift: ("<<", "* by a power of two"),
    ast.RShift: (">>", "// by a power of two"),
    ast.MatMult: ("@", "*"),
}


@handles_expressions(ast.BoolOp)
def bool_operation(scope: Scope, node: ast.BoolOp, expected_type: Type | None) -> ir.Expr:
    """`a and b`, `a or b`; nested ones of the same operator are one."""
    made: list[ir.Expr] = []
    inner, goes_on = scope.inner_scope(), isinstance(node.op, ast.And)
    for operand in node.values:
        try:
            made.append(elaborate_condition(inner, operand))
        except AbandonedError:
            continue
        narrow_scope(inner, operand, goes_on)
    if len(made) < len(node.values):
        raise AbandonedError
    return (conjunction if isinstance(node.op, ast.And) else disjunction)(made, scope.place_of(node))


def conjunction(operands: list[ir.Expr], where: Where) -> ir.Expr:
    """All of the operands, left to right."""
    flat = [part for operand in operands for part in (operand.operands if isinstance(operand, ir.And) else (operand,))]
    return flat[0] if len(flat) == 1 else ir.And(tuple(flat), BOOL, where)


def disjunction(operands: list[ir.Expr], where: Where) -> ir.Expr:
    """Any of the operands, left to right."""
    flat = [part for operand in operands for part in (operand.operands if isinstance(operand, ir.Or) else (operand,))]
    return flat[0] if len(flat) == 1 else ir.Or(tuple(flat), BOOL, where)


@handles_expressions(ast.UnaryOp)
def unary_operation(scope: Scope, node: ast.UnaryOp, expected_type: Type | None) -> ir.Expr:
    """`not a`, `-a`, `+a`."""
    match node.op:
        case ast.Not():
            return ir.Not(elaborate_condition(scope, node.operand), BOOL, scope.place_of(node))
        case ast.USub():
            operand = elaborate_integer(scope, node.operand)
            if isinstance(operand, ir.Const):
                return number_constant(scope, -operand.number, node)
            return make_arithmetic(scope, "-", number_constant(scope, 0, node), operand, node)
        case ast.UAdd():
            return elaborate_integer(scope, node.operand)
        case _:
            raise scope.noted_error("TG112", node, "~ works on bits, and integers here are numbers", "not, or -")


@handles_expressions(ast.BinOp)
def binary_operation(scope: Scope, node: ast.BinOp, expected_type: Type | None) -> ir.Expr:
    """Arithmetic on integers, `| & - ^` on sets, `+` on sequences."""
    operator = type(node.op)
    if operator in _MIRRORED:
        symbol, hint = _MIRRORED[operator]
        raise scope.noted_error("TG112", node, f"{symbol} is not in the language", hint)
    left, right = _elaborate_operands(scope, node, expected_type)
    if isinstance(left.type, Subset) and isinstance(right.type, Subset):
        return _set_operation(scope, node, left, right)
    if isinstance(left.type, Seq) and isinstance(right.type, Seq) and operator is ast.Add:
        return _elaborate_concatenation(scope, left, right, node)
    if isinstance(left.type, Pool) or isinstance(right.type, Pool):
        return _operation_on_records(scope, node, left, right)
    if operator is ast.Add and isinstance(left.type, (Subset, Seq)) and unwrap_option(right).type == left.type.of:
        raise scope.noted_error("TG205", node, *_one_element_advice(node, left.type))
    for value, part in ((left, node.left), (right, node.right)):
        _check_operand(scope, value, part)
    if operator not in _ARITHMETIC:
        raise scope.noted_error("TG112", node, f"{_SETS[operator]} works on sets, not on integers", "and, or, + or *")
    return make_arithmetic(scope, _ARITHMETIC[operator], unwrap_option(left), unwrap_option(right), node)


def _one_element_advice(node: ast.BinOp, to: Subset | Seq) -> tuple[str, str]:
    """What is said of `s.row + x`, where x is one element: the cause, and what to write."""
    first, one = ast.unparse(node.left), ast.unparse(node.right)
    made, verb = (f"{first} + Seq([{one}])", "append") if isinstance(to, Seq) else (f"{first} | {{{one}}}", "add")
    here = f"{first}.{verb}({one}); or " if isinstance(node.left, (ast.Attribute, ast.Subscript)) else ""
    return f"this adds one element to a {describe(to)}", here + made


def _elaborate_operands(scope: Scope, node: ast.BinOp, expected_type: Type | None) -> tuple[ir.Expr, ir.Expr]:
    """Both operands; an empty or literal container takes its type from the other one, else from the expected type."""
    wanted = expected_type if isinstance(expected_type, (Subset, Seq, Pool)) else None
    if is_shapeless(node.left) and not is_shapeless(node.right):
        right = unwrap_option(elaborate_expression(scope, node.right, wanted))
        return unwrap_option(
            elaborate_expression(scope, node.left, type_from_other_operand(scope, node.left, right))
        ), right
    left = unwrap_option(elaborate_expression(scope, node.left, wanted))
    return left, unwrap_option(
        elaborate_expression(scope, node.right, type_from_other_operand(scope, node.right, left))
    )


def type_from_other_operand(scope: Scope, node: ast.expr, other: ir.Expr) -> Type | None:
    """The type that an operand takes from the other one. Beside a set of few known numbers, such as a table, a set that
    is made here has room for its own numbers too; None where it finds that by itself."""
    if not isinstance(other, ir.MakeSubset) or not isinstance(other.type.of, Int):
        return other.type
    match node:
        case ast.Set(elts=parts) | ast.Call(args=[ast.List(elts=parts) | ast.Tuple(elts=parts)]):
            found = [unwrap_option(elaborate_expression(scope, part)).type for part in parts]
        case ast.SetComp():
            return None
        case _:
            return other.type
    room = hull_of(other.type.of, *(type_ for type_ in found if isinstance(type_, Int)))
    return Subset(room) if scalar_size(room) <= MEMBERS_MAX else other.type


def is_shapeless(node: ast.expr) -> bool:
    """Whether an expression may need the expected type to have one: None, a container displayed or called for."""
    match node:
        case ast.Constant(value=None) | ast.Set() | ast.List() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id=called)):
            return called in ("Set", "Seq", "Bag", "Map")
        case _:
            return False


def _check_operand(scope: Scope, value: ir.Expr, node: ast.expr) -> None:
    if not isinstance(unwrap_option(value).type, Int):
        raise scope.noted_error(
            "TG205", node, f"this is {describe(value.type)}, not an integer", integer_hint(value.type)
        )


def _set_operation(scope: Scope, node: ast.BinOp, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    operator = type(node.op)
    if operator not in _SETS:
        raise scope.noted_error("TG112", node, "sets are combined with | & - ^", "a | b for all members of either")
    a, b, joined = unify_types(scope, left, right, "TG207", node)
    return ir.SetOperation(_SETS[operator], a, b, joined, scope.place_of(node))


def _operation_on_records(scope: Scope, node: ast.BinOp, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    """An operator on sets of records or of sets: the result has room for what may be in it."""
    operator = type(node.op)
    for value, part in ((left, node.left), (right, node.right)):
        if isinstance(value.type, Pool) and value.type.multiple:
            message, hint = "a Bag has no operators", "s.messages.add(m), s.messages.discard(m) in a for loop"
            raise scope.noted_error("TG112", part, message, hint)
    if operator not in _SETS:
        raise scope.noted_error("TG112", node, "sets are combined with | & - ^", "a | b for all members of either")
    a, b, joined = unify_types(scope, left, right, "TG207", node)
    assert isinstance(joined, Pool)
    assert isinstance(left.type, Pool)
    assert isinstance(right.type, Pool)
    first, second = _max_records(left, left.type), _max_records(right, right.type)
    room = first + second if operator in (ast.BitOr, ast.BitXor) else first
    if room > MEMBERS_MAX:
        raise scope.noted_error("TG402", node, f"this set may have {room} elements", f"at most {MEMBERS_MAX} elements")
    return ir.SetOperation(_SETS[operator], a, b, Pool(joined.of, room), scope.place_of(node))


def _max_records(value: ir.Expr, type_: Pool) -> int:
    """How many records a set has at most."""
    return len(value.elements) if isinstance(value, ir.MakePool) else max(type_.capacity, 0)


def _elaborate_concatenation(scope: Scope, left: ir.Expr, right: ir.Expr, node: ast.AST) -> ir.Expr:
    assert isinstance(left.type, Seq)
    assert isinstance(right.type, Seq)
    of = common_type(left.type.of, right.type.of)
    if of is None:
        message = f"{describe(left.type)} and {describe(right.type)} hold different types"
        raise scope.noted_error("TG207", node, message, "two sequences of one type")
    return ir.Concat(left, right, Seq(of, left.type.capacity + right.type.capacity), scope.place_of(node))


@handles_expressions(ast.IfExp)
def elaborate_choice(scope: Scope, node: ast.IfExp, expected_type: Type | None) -> ir.Expr:
    """`yes if condition else no`."""
    test = elaborate_condition(scope, node.test)
    true, false = (narrow_scope(scope.inner_scope(), node.test, truth) for truth in (True, False))
    if expected_type is None and is_shapeless(node.body):
        no = elaborate_expression(false, node.orelse)
        yes = elaborate_expression(true, node.body, no.type)
    else:
        yes = elaborate_expression(true, node.body, expected_type)
        no = elaborate_expression(false, node.orelse, expected_type if expected_type is not None else yes.type)
    union = expected_type.of if isinstance(expected_type, Option) else expected_type
    if isinstance(union, Record):
        yes, no = (
            fit_to_type(scope, branch, union, node) if is_member(branch.type, union) else branch for branch in (yes, no)
        )
    a, b, joined = unify_types(scope, yes, no, "TG203", node)
    return ir.Choice(test, a, b, joined, scope.place_of(node))
