"""Calls, by what their names stand for: the few built-in functions, makers of values, and helpers."""

from __future__ import annotations

import ast
import builtins
import dataclasses
from collections.abc import Callable
from enum import Enum
from types import FunctionType
from typing import Any, cast

from .. import declare, ir, orders
from .. import values as containers
from ..declare import mark_of
from ..errors import AbandonedError
from ..kinds import Domain, range_of
from ..steps import is_step
from ..types import Enumeration, Identity, Int, Pool, Record, Seq, Subset, Type, scalar_size
from .comprehensions import elaborate_quantifier
from .container_calls import elaborate_bag, elaborate_map, elaborate_seq, elaborate_set
from .expressions import (
    BOOL,
    ArithmeticOp,
    constant_expression,
    elaborate_integer,
    fit_expression,
    make_arithmetic,
    number_constant,
    static_value,
)
from .helpers import call_helper, is_model_function
from .matching import unwrap_option
from .ordering import call_choose, call_next, call_position, call_previous, member_with_number, position_of
from .record_calls import elaborate_record, elaborate_replace
from .scope import MISSING, Scope, call_arguments, elaborate_expression, handles_expressions, undefined_name_advice
from .source import source_of_function
from .tuples import call_isinstance
from .type_text import describe

Builtin = Callable[[Scope, ast.Call, "Type | None"], ir.Expr]


@handles_expressions(ast.Call)
def call_by_name(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    """A call, by what its name stands for in the module."""
    found = scope.module_value(node.func)
    if found is MISSING:
        raise _unknown_call_error(scope, node)
    built_in = _builtin_named(found)
    if built_in is not None:
        return built_in(scope, node, expected_type)
    if isinstance(found, type):
        return _elaborate_construction(scope, found, node)
    if isinstance(found, FunctionType):
        return _elaborate_function_call(scope, found, node)
    raise _note_not_in_language(scope, node)


def _unknown_call_error(scope: Scope, node: ast.Call) -> AbandonedError:
    if isinstance(node.func, ast.Attribute):
        return _method_error(scope, node, node.func)
    if not isinstance(node.func, ast.Name) or node.func.id in scope.names:
        elaborate_expression(scope, node.func)  # which may be wrong in itself
    elif not scope.is_local(node.func.id):
        known = [name for name, value in scope.namespace.items() if callable(value)]
        return scope.noted_error(
            "TG201", node.func, f"nothing here is called {node.func.id}", undefined_name_advice(node.func.id, known)
        )
    return _note_not_in_language(scope, node)


def _method_error(scope: Scope, node: ast.Call, function: ast.Attribute) -> AbandonedError:
    if function.attr in ("append", "truncate", "add", "discard", "remove"):
        message = f".{function.attr}(...) changes the state and has no value"
        return scope.noted_error("TG119", node, message, "a statement of its own")
    owner = elaborate_expression(scope, function.value)
    return scope.noted_error(
        "TG119", node, f"{describe(owner.type)} has no method {function.attr}", _method_hint(function.attr, node.args)
    )


def _method_hint(method: str, arguments: list[ast.expr]) -> str:
    if method == "pop" and arguments and ast.unparse(arguments[0]) == "0":
        return "s.q[0], and s.q = s.q[1:]"
    hints = {
        "count": "sum(1 for x in xs if x == y)",
        "items": "for k in Keys, and m[k]",
        "keys": "for k in Keys",
        "values": "for k in Keys, and m[k]",
        "get": "m[k], as every key has a value",
        "union": "a | b",
        "intersection": "a & b",
        "difference": "a - b",
        "issubset": "a <= b",
        "update": "s.x |= others, or s.x.add(x) in a for loop",
        "clear": "s.x = Set()",
        "copy": "the value itself: values never change",
        "pop": "s.q[len(s.q) - 1], and .truncate(n)",
    }
    return hints.get(method, "a helper function: def helper(...) -> ...")


def _note_not_in_language(scope: Scope, node: ast.Call) -> AbandonedError:
    text = ast.unparse(node.func)
    hint = _CALL_HINTS.get(
        text, "len min max sum any all range replace is_majority, or a helper function with annotations"
    )
    if getattr(scope.module_value(node.func), "__module__", None) == "random" or text.startswith("random."):
        hint = "a parameter of the action: every value of its type is tried"
    return scope.noted_error("TG107", node, f"{text}(...) is not in the language", hint)


_CALL_HINTS = {
    "sorted": "min(...) or max(...), or a for loop: domains are visited in order",
    "list": "Seq()",
    "dict": "Map({k: value for k in Keys})",
    "set": "Set()",
    "frozenset": "Set()",
    "tuple": "a @record",
    "abs": "max(x, -x)",
    "reversed": "for i in range(len(q)), and q[len(q) - 1 - i]",
    "int": "1 if condition else 0",
    "bool": "a comparison, such as x != 0",
    "isinstance": "an enum field that says the kind",
    "float": "integers, in a smaller unit",
    "divmod": "a // b, and a % b",
    "pow": "a ** b",
}


# --- built-in functions ----------------------------------------------------------------------------------------------


def _elaborate_len(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    (argument,) = call_arguments(scope, node, 1, "len(container)")
    found = scope.module_value(argument)
    if isinstance(found, type):
        return _domain_size(scope, found, node)
    interval = range_of(found)
    if interval is not None:
        return constant_expression(scope, interval.hi - interval.lo + 1, node)
    of = unwrap_option(elaborate_expression(scope, argument))
    match of.type:
        case Seq(capacity=capacity) | Pool(capacity=capacity):
            return ir.Length(of, Int(0, max(capacity, 0)), scope.place_of(node))
        case Subset(of=element):
            return ir.Length(of, Int(0, scalar_size(element)), scope.place_of(node))
        case _:
            raise scope.noted_error(
                "TG203", argument, f"{describe(of.type)} has no length", "len of a Seq, a Set, a Bag, or a domain"
            )


def _domain_size(scope: Scope, cls: type[Any], node: ast.Call) -> ir.Expr:
    if issubclass(cls, Enum):
        return number_constant(scope, len(cls), node)
    if issubclass(cls, Domain):
        return constant_expression(scope, cls.domain_size, node)
    raise scope.noted_error("TG203", node, f"{cls.__name__} has no length", "len of a Seq, a Set, a Bag, or a domain")


def _extreme_builtin(kind: ArithmeticOp) -> Builtin:
    def elaborate(scope: Scope, node: ast.Call, expected: Type | None) -> ir.Expr:
        if len(node.args) == 1:
            default = _elaborate_default(scope, node, kind)
            return elaborate_quantifier(scope, "min" if kind == "min" else "max", node, default)
        if len(node.args) < 2 or node.keywords:
            raise scope.noted_error(
                "TG211", node, f"{kind} is not called like this", f"{kind}(a, b), or {kind}(... for ...)"
            )
        first = unwrap_option(elaborate_expression(scope, node.args[0]))
        if isinstance(first.type, Identity) and first.type.is_ordered:
            return _extreme_member(scope, kind, first, node)
        made = elaborate_integer(scope, node.args[0])
        for argument in node.args[1:]:
            made = make_arithmetic(scope, kind, made, elaborate_integer(scope, argument), node)
        return made

    return elaborate


def _extreme_member(scope: Scope, kind: ArithmeticOp, first: ir.Expr, node: ast.Call) -> ir.Expr:
    """`min(a, b)` of members of an ordered domain."""
    where = scope.place_of(node)
    made = position_of(first, where)
    for argument in node.args[1:]:
        made = make_arithmetic(scope, kind, made, position_of(fit_expression(scope, argument, first.type), where), node)
    return member_with_number(made, first.type, where)


def _elaborate_default(scope: Scope, node: ast.Call, kind: str) -> ir.Expr | None:
    call_arguments(scope, node, 1, f"{kind}(... for ..., default=0)", "default")
    if not node.keywords:
        return None
    value = unwrap_option(elaborate_expression(scope, node.keywords[0].value))
    is_member = isinstance(value.type, Identity) and value.type.is_ordered
    return value if is_member else elaborate_integer(scope, node.keywords[0].value)


def _quantifier_builtin(kind: Any) -> Builtin:
    def elaborate(scope: Scope, node: ast.Call, expected: Type | None) -> ir.Expr:
        call_arguments(scope, node, 1, f"{kind}(... for ... in ...)")
        return elaborate_quantifier(scope, kind, node)

    return elaborate


def _is_majority(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    (argument,) = call_arguments(scope, node, 1, "is_majority(set)")
    subset = unwrap_option(elaborate_expression(scope, argument))
    if not (isinstance(subset.type, Subset) and isinstance(subset.type.of, Identity)):
        raise scope.noted_error(
            "TG203", argument, f"this is {describe(subset.type)}", "a Set over a domain, such as Set[Replica]"
        )
    return ir.IsMajority(subset, BOOL, scope.place_of(node))


def _elaborate_range(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    raise scope.noted_error(
        "TG113", node, "a range is not a value by itself", "for i in range(start, stop), or start <= x < stop"
    )


def _visit_call(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    name = ast.unparse(node.func)
    raise scope.noted_error(
        "TG113", node, f"{name}(...) is visited, and is not a value by itself", f"for ... in {name}(...)"
    )


def _elaborate_guard(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    raise scope.noted_error(
        "TG310", node, f"{ast.unparse(node.func)}(...) has no value", "a statement of its own, in an action"
    )


@handles_expressions(ast.Lambda)
def _elaborate_lambda(scope: Scope, node: ast.Lambda, expected_type: Type | None) -> ir.Expr:
    raise scope.noted_error(
        "TG103", node, "functions are not values of the language", "a helper at module level: def helper(...) -> ..."
    )


# --- makers of values, helpers ----------------------------------------------------------------------------------------


def _elaborate_construction(scope: Scope, cls: type[Any], node: ast.Call) -> ir.Expr:
    mark = mark_of(cls)
    if mark is not None and mark.role == "state" and cls not in scope.program.types.images:
        raise scope.noted_error("TG107", node, *_no_state_text(scope, cls.__name__))
    type_ = scope.program.types.type_of_class(cls)
    if isinstance(type_, Record):
        return elaborate_record(scope, type_, node)
    if isinstance(type_, Identity):
        return _elaborate_member(scope, cls, type_, node)
    if isinstance(type_, Enumeration):
        hint = f"{type_.name}.{type_.members[0]}"
        raise scope.noted_error("TG107", node, f"{type_.name}(...) looks a member up by its value", hint)
    raise _note_not_in_language(scope, node)


def _no_state_text(scope: Scope, state: str) -> tuple[str, str]:
    """Why no state is made here, and what to write instead."""
    if scope.role == "initial":
        return "an @initial function makes one state, where it ends", f"return {state}(...) as its last statement"
    message = "a state is made by an @initial function only, as the value it returns"
    if scope.role == "action":
        return f"{message}; an action changes the state that it is given", "s.field = value, for each that changes"
    return message, f"return {state}(...) as the last statement of an @initial function"


def _elaborate_member(scope: Scope, cls: type[Any], type_: Identity, node: ast.Call) -> ir.Expr:
    match node.args:
        case [ast.Constant(value=int(index))] if 0 <= index < type_.size:
            return static_value(scope, cls(index), node)
        case [ast.Constant(value=int(index))]:
            hint = f"a member from {type_.name}(0) to {type_.name}({type_.size - 1})"
            raise scope.noted_error("TG202", node, f"{type_.name} has no member {index}", hint)
        case [number_constant] if type_.is_ordered and not node.keywords:
            return member_with_number(elaborate_integer(scope, number_constant), type_, scope.place_of(node))
        case _:
            raise scope.noted_error(
                "TG107", node, "a name is not made from a number", f"{type_.name}(0), a parameter, or a loop variable"
            )


def _elaborate_function_call(scope: Scope, function: FunctionType, node: ast.Call) -> ir.Expr:
    mark = mark_of(function)
    if mark is not None and mark.role in ("action", "initial"):
        message = f"{function.__name__} is an {mark.role} function; steps do not call each other"
        raise scope.noted_error("TG107", node, message, "a helper that both use")
    if mark is None and not is_model_function(function):
        raise _note_not_in_language(scope, node)
    found = source_of_function(function)
    if found is not None and is_step(found[1]):
        message = f"{function.__name__} acts, and has no value"
        raise scope.noted_error("TG107", node, message, "a statement of its own, in an action")
    return call_helper(scope, function, node)


_BUILTINS: dict[int, Builtin] = {
    id(found): handler
    for found, handler in cast(
        "list[tuple[Any, Builtin]]",
        [
            (builtins.len, _elaborate_len),
            (builtins.min, _extreme_builtin("min")),
            (builtins.max, _extreme_builtin("max")),
            (builtins.sum, _quantifier_builtin("sum")),
            (builtins.any, _quantifier_builtin("any")),
            (builtins.all, _quantifier_builtin("all")),
            (builtins.range, _elaborate_range),
            (builtins.isinstance, call_isinstance),
            (builtins.enumerate, _visit_call),
            (builtins.zip, _visit_call),
            (builtins.next, call_next),
            (orders.previous, call_previous),
            (orders.position, call_position),
            (orders.choose, call_choose),
            (orders.subsets, _visit_call),
            (containers.Seq, elaborate_seq),
            (containers.Set, elaborate_set),
            (containers.Bag, elaborate_bag),
            (containers.Map, elaborate_map),
            (containers.is_majority, _is_majority),
            (containers.replace, elaborate_replace),
            (dataclasses.replace, elaborate_replace),
            (declare.require, _elaborate_guard),
            (declare.limit, _elaborate_guard),
        ],
    )
}


def _builtin_named(python_value: Any) -> Builtin | None:
    return _BUILTINS.get(id(python_value))
