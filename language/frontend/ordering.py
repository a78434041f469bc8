"""The order of values: neighbours, numbers and extremes of an ordered domain, and the first of some values."""

from __future__ import annotations

import ast
from dataclasses import replace

from .. import ir
from ..errors import AbandonedError
from ..types import Bool, Enumeration, Identity, Int, Seq, Type, scalar_size
from ..where import Where
from .expressions import constant_expression, make_arithmetic, number_constant
from .matching import unwrap_option
from .scope import Scope, elaborate_expression
from .sources import bind_target, elaborate_filters, elaborate_source
from .type_text import describe


def ordered_member(scope: Scope, node: ast.expr) -> ir.Expr:
    """The typed form of a member of an ordered domain. TG206 for anything else."""
    value = unwrap_option(elaborate_expression(scope, node))
    if isinstance(value.type, Identity) and value.type.is_ordered:
        return value
    raise note_no_order(scope, value.type, node)


def note_no_order(scope: Scope, type_: Type, node: ast.AST) -> AbandonedError:
    """Notes that values of a type have no order."""
    hint = "==, or an integer field to order by"
    if isinstance(type_, Identity):
        hint = f"==, or class {type_.name}(Domain, ..., ordered=True)"
    return scope.noted_error("TG206", node, f"{describe(type_)} has no order", hint)


def position_of(value: ir.Expr, where: Where) -> ir.Expr:
    """The number of a scalar, from 0; of an integer itself."""
    if isinstance(value.type, Int):
        return value
    return ir.Position(value, Int(0, scalar_size(value.type) - 1), where)


def member_with_number(number: ir.Expr, type_: Type, where: Where) -> ir.Expr:
    """The scalar with a number."""
    return number if isinstance(type_, Int) else ir.MemberAt(number, type_, where)


def call_position(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    """`position(node)`."""
    if len(node.args) != 1 or node.keywords:
        raise scope.noted_error("TG211", node, "position takes one member", "position(node)")
    return position_of(ordered_member(scope, node.args[0]), scope.place_of(node))


def call_next(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    """`next(node)`."""
    return _elaborate_neighbour(scope, node, 1)


def call_previous(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    """`previous(node)`."""
    return _elaborate_neighbour(scope, node, -1)


def _elaborate_neighbour(scope: Scope, node: ast.Call, step: int) -> ir.Expr:
    if len(node.args) != 1 or node.keywords:
        name = ast.unparse(node.func)
        raise scope.noted_error("TG211", node, f"{name} takes one member of an ordered domain", f"{name}(node)")
    member, where = ordered_member(scope, node.args[0]), scope.place_of(node)
    assert isinstance(member.type, Identity)
    size = constant_expression(scope, member.type.python.domain_size, node)
    moved = make_arithmetic(scope, "+", position_of(member, where), number_constant(scope, step, node), node)
    around = make_arithmetic(scope, "%", moved, size, node)
    within = Int(0, member.type.size - 1)  # a remainder by the size, whatever the size is
    return ir.MemberAt(replace_type(around, within), member.type, where)


def replace_type(value: ir.Expr, type_: Int) -> ir.Expr:
    """An arithmetic expression with the interval that is known to hold it."""
    return replace(value, type=type_) if isinstance(value, ir.Arithmetic) else value


def call_choose(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    """`choose(x for x in xs if ...)`: the first, by its number or its index; an error when there is none."""
    match node.args:
        case [ast.GeneratorExp(elt=ast.Name(id=chosen), generators=[generator])] if not node.keywords:
            pass
        case _:
            usage = "choose(x for x in xs if ...)"
            raise scope.noted_error("TG211", node, "choose takes the values that one loop visits", usage)
    if not isinstance(generator.target, ast.Name) or generator.target.id != chosen:
        raise scope.noted_error("TG211", node, "what is chosen is what the loop visits", "choose(x for x in xs if ...)")
    over, where = elaborate_source(scope, generator.iter), scope.place_of(node)
    inner = scope.inner_scope()
    if isinstance(over.source, ir.Elements) and isinstance(over.source.of.type, Seq):
        return _first_of_sequence(inner, generator, over.source.of, where)
    if not isinstance(over.type, (Int, Bool, Enumeration, Identity)):
        hint = "a parameter, which is tried with each; or min(...) of a field"
        raise scope.noted_error("TG211", node, f"{describe(over.type)} has no first value to choose", hint)
    binding, conditions = bind_target(inner, generator.target, over)
    made = ir.Generator(binding.name, over.type, over.source, (*conditions, *elaborate_filters(inner, generator.ifs)))
    at = position_of(ir.Name(binding.name, over.type, where), where)
    return member_with_number(ir.Quantified("min", (made,), at, None, at.type, where), over.type, where)


def _first_of_sequence(scope: Scope, generator: ast.comprehension, row: ir.Expr, where: Where) -> ir.Expr:
    """The element at the first index at which the conditions hold."""
    assert isinstance(row.type, Seq) and isinstance(generator.target, ast.Name)
    capacity = max(row.type.capacity, 0)
    index = Int(0, max(0, capacity - 1))
    variable = scope.fresh_name("index")
    at = ir.Name(variable, index, where)
    scope.alias_name(generator.target.id, ir.Index(row, at, row.type.of, where))
    stop = ir.Length(row, Int(0, capacity), where)
    source = ir.IntRange(ir.Const(0, Int(0, 0), where), stop, where)
    made = ir.Generator(variable, index, source, tuple(elaborate_filters(scope, generator.ifs)))
    return ir.Index(row, ir.Quantified("min", (made,), at, None, index, where), row.type.of, where)
