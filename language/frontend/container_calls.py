"""Containers that a text makes: `Seq`, `Set`, `Bag`, `Map`, and sets as Python writes them; its lists are errors."""

from __future__ import annotations

import ast
from dataclasses import replace

from .. import ir
from ..kinds import range_of
from ..records import box_type
from ..types import Pool, Record, Seq, Subset, Type
from .comprehensions import (
    collect_set,
    elaborate_map_comprehension,
    elaborate_set_comprehension,
    element_generator,
    subset_of,
)
from .expressions import fit_expression
from .matching import common_type, fit_to_type, unwrap_option
from .membership import is_stored
from .scope import Scope, call_arguments, elaborate_expression, handles_expressions
from .sources import elaborate_source
from .type_text import describe


def elaborate_seq(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    """`Seq()` or `Seq([a, b])`; TG111 for another container."""
    wanted = expected_type if isinstance(expected_type, Seq) else None
    nodes = _displayed_elements(scope, node, "Seq([a, b])")
    if nodes is None:
        raise scope.noted_error(
            "TG111",
            node.args[0],
            "a sequence is not made from another container",
            "Seq([a, b]), or a for loop that appends",
        )
    if wanted is not None:
        made = tuple(fit_expression(scope, element, wanted.of) for element in nodes)
        return ir.MakeSeq(made, Seq(wanted.of, len(made)), scope.place_of(node))
    elements, of = _elaborate_elements(scope, nodes, node, "Seq")
    return ir.MakeSeq(elements, Seq(of, len(elements)), scope.place_of(node))


def _displayed_elements(scope: Scope, node: ast.Call, usage: str) -> list[ast.expr] | None:
    """The elements displayed in `Seq([a, b])` or `Set({a, b})`; None when the argument is something else."""
    if len(node.args) > 1 or node.keywords:
        raise scope.noted_error("TG211", node, f"{ast.unparse(node.func)} takes one argument or none", usage)
    if not node.args:
        return []
    argument = node.args[0]
    return argument.elts if isinstance(argument, (ast.List, ast.Tuple, ast.Set)) else None


def _elaborate_elements(
    scope: Scope, nodes: list[ast.expr], node: ast.AST, kind: str
) -> tuple[tuple[ir.Expr, ...], Type]:
    """Elements of a display without an expected type, and the one type they have."""
    if not nodes:
        hint = f"a place where the type is known, such as a field of the state; or x: {kind}[...] = {kind}()"
        raise scope.noted_error("TG214", node, f"this empty {kind} could be of any type", hint)
    made = [elaborate_expression(scope, element) for element in nodes]
    of = made[0].type
    for element, part in zip(made[1:], nodes[1:], strict=True):
        joined = common_type(of, element.type)
        if joined is None:
            raise scope.noted_error(
                "TG203", part, f"{describe(of)} and {describe(element.type)} in one container", "elements of one type"
            )
        of = joined
    return tuple(fit_to_type(scope, element, of, part) for element, part in zip(made, nodes, strict=True)), of


def elaborate_set(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    """`Set()`, `Set([a, b])`, `Set(Replica)`, or the elements of another container as a set."""
    nodes = _displayed_elements(scope, node, "Set(), Set([a, b]) or Set(Replica)")
    if nodes is not None:
        return _set_of_elements(scope, nodes, node, expected_type)
    argument = node.args[0]
    if isinstance(argument, (ast.SetComp, ast.GeneratorExp, ast.ListComp)):
        return elaborate_set_comprehension(scope, argument, expected_type)
    found = scope.module_value(argument)
    if isinstance(found, type) or range_of(found) is not None:
        over = elaborate_source(scope, argument)
        return ir.FullSubset(subset_of(scope, over.type, node), scope.place_of(node))
    if isinstance(argument, ast.Call) and scope.module_value(argument.func) is range:
        generators, body, _ = element_generator(scope, argument)
        type_ = expected_type if isinstance(expected_type, Subset) else subset_of(scope, body.type, node)
        return ir.Quantified("set", generators, body, None, type_, scope.place_of(node))
    value = unwrap_option(elaborate_expression(scope, argument, expected_type))
    if isinstance(value.type, (Subset, Pool)) and not getattr(value.type, "multiple", False):
        return value
    generators, body, rounds = element_generator(scope, argument)
    if isinstance(body.type, Record) and not is_stored(value):
        hint = f"{{x for x in {scope.source.text_of(argument)}}}"
        raise scope.noted_error("TG217", node, "this is made of records that are not in the state", hint)
    return collect_set(scope, generators, body, rounds, node)


@handles_expressions(ast.Set)
def _set_display(scope: Scope, node: ast.Set, expected_type: Type | None) -> ir.Expr:
    return _set_of_elements(scope, node.elts, node, expected_type)


def _set_of_elements(scope: Scope, nodes: list[ast.expr], node: ast.AST, expected_type: Type | None) -> ir.Expr:
    where = scope.place_of(node)
    if isinstance(expected_type, Subset):
        return ir.MakeSubset(
            tuple(fit_expression(scope, element, expected_type.of) for element in nodes), expected_type, where
        )
    if isinstance(expected_type, Pool) and not expected_type.multiple:
        room = replace(expected_type, capacity=max(expected_type.capacity, len(nodes)))
        return ir.MakePool(tuple(fit_expression(scope, element, expected_type.of) for element in nodes), room, where)
    elements, of = _elaborate_elements(scope, nodes, node, "Set")
    if isinstance(of, Record):
        return ir.MakePool(elements, Pool(of, len(elements)), where)
    if isinstance(of, Subset):
        box = box_type(of, describe(of))
        inside = tuple(fit_to_type(scope, element, box, node) for element in elements)
        return ir.MakePool(inside, Pool(box, len(inside)), where)
    bare = tuple(unwrap_option(element) for element in elements)
    return ir.MakeSubset(bare, subset_of(scope, bare[0].type if len(bare) == 1 else getattr(of, "of", of), node), where)


def elaborate_bag(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    """`Bag()` or `Bag([a, b])`, of records; TG217 for other elements."""
    nodes = _displayed_elements(scope, node, "Bag(), or Bag([a, b])")
    if nodes is None:
        raise scope.noted_error("TG111", node.args[0], "a bag is not made from another container", "Bag([a, b])")
    if isinstance(expected_type, Pool) and expected_type.multiple:
        return ir.MakePool(
            tuple(fit_expression(scope, element, expected_type.of) for element in nodes),
            expected_type,
            scope.place_of(node),
        )
    elements, of = _elaborate_elements(scope, nodes, node, "Bag")
    if not isinstance(of, Record):
        raise scope.noted_error("TG217", node, f"a Bag holds records, not {describe(of)}", "Map[K, int] to count")
    return ir.MakePool(elements, Pool(of, len(elements), multiple=True), scope.place_of(node))


def elaborate_map(scope: Scope, node: ast.Call, expected_type: Type | None) -> ir.Expr:
    """`Map({k: value for k in Keys})`; TG111 for anything else."""
    usage = "Map({k: value for k in Keys})"
    (argument,) = call_arguments(scope, node, 1, usage)
    if isinstance(argument, ast.DictComp):
        return elaborate_map_comprehension(scope, argument, expected_type, node)
    raise scope.noted_error("TG111", argument, "a Map is made from one comprehension over all its keys", usage)


_PYTHON_CONTAINERS: dict[type[ast.expr], tuple[str, str]] = {
    ast.List: ("list", "Seq([a, b])"),
    ast.Dict: ("dict", "Map({k: value for k in Keys})"),
    ast.DictComp: ("dict", "Map({k: value for k in Keys})"),
}


@handles_expressions(ast.List, ast.Dict, ast.DictComp)
def _python_container(scope: Scope, node: ast.expr, expected_type: Type | None) -> ir.Expr:
    kind, hint = _PYTHON_CONTAINERS[type(node)]
    if isinstance(node, ast.List):
        hint = f"Seq({scope.source.text_of(node)})"
    if isinstance(node, ast.Dict) and not node.keys and isinstance(expected_type, (Subset, Pool)):
        hint = "Set()"
    if isinstance(node, ast.Dict) and None in node.keys:
        hint = "s.field[key] = value, for each key that has another value"
    raise scope.noted_error("TG111", node, f"a {kind} is not a value of the language", hint)
