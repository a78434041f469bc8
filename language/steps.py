"""The text of step helpers: functions that return nothing, hold guards, limits and writes, and are called by actions.

    def power_down(s: Partition, broker: Broker) -> None
    def lose(network: Bag[M], message: M) -> None

Front end and plain Python agree on them through what is said here: which functions they are, which of their parameters
stand for a piece of the state (those that they write to; any other is a value), and how an early `return` reads.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any, cast

METHODS = ("append", "truncate", "add", "discard", "remove")
"""The methods that write."""

NodeOf = Callable[[FunctionType], ast.FunctionDef]
"""Gives a function's text; raises what its caller expects when there is none."""


def is_step(node: ast.FunctionDef) -> bool:
    """Whether a helper with this text is one that acts: it says that it returns nothing."""
    return isinstance(node.returns, ast.Constant) and node.returns.value is None


def called_function(node: ast.stmt, globals_: dict[str, Any]) -> FunctionType | None:
    """The function that a statement calls; None for any other statement."""
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return None
    found = _static(node.value.func, globals_)
    return found if isinstance(found, FunctionType) else None


def _static(node: ast.expr, globals_: dict[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return globals_.get(node.id)
    owner = _static(node.value, globals_) if isinstance(node, ast.Attribute) else None
    return getattr(owner, cast(ast.Attribute, node).attr, None) if isinstance(owner, ModuleType) else None


# --- pieces of the state ----------------------------------------------------------------------------------------------


def pieces(function: FunctionType, node: ast.FunctionDef, node_of: NodeOf) -> frozenset[str]:
    """The parameters that stand for a piece of the state: it writes to them, or a step helper that it calls does."""
    names = frozenset(argument.arg for argument in node.args.args)
    return frozenset(_written_names(function, node.body, node_of, (function,))) & names


def _written_names(
    function: FunctionType, body: list[ast.stmt], node_of: NodeOf, callers: tuple[FunctionType, ...]
) -> Iterator[str]:
    """The names that statements write through."""
    for statement in body:
        for inner in _blocks(statement):
            yield from _written_names(function, inner, node_of, callers)
        match statement:
            case ast.Assign(targets=targets):
                cells = (node for target in targets for node in _targets(target))
                yield from (_root(cell) for cell in cells if isinstance(cell, ast.Subscript))
            case ast.AugAssign(target=ast.Subscript() as target):
                yield _root(target)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=holder, attr=attr))) if attr in METHODS:
                yield _root(holder)
            case ast.Expr(value=ast.Call() as call):
                inner = called_function(statement, function.__globals__)
                if inner is not None and inner not in callers:
                    yield from _names_given_to_writers(call, inner, node_of, (*callers, inner))
            case _:
                pass


def _names_given_to_writers(
    call: ast.Call, function: FunctionType, node_of: NodeOf, callers: tuple[FunctionType, ...]
) -> Iterator[str]:
    """The names that a call gives to parameters which the helper writes through."""
    node = node_of(function)
    if not is_step(node):
        return
    written = set(_written_names(function, node.body, node_of, callers))
    names = [argument.arg for argument in node.args.args]
    given = [*zip(names, call.args, strict=False), *((keyword.arg, keyword.value) for keyword in call.keywords)]
    yield from (_root(argument) for name, argument in given if name in written)


def _targets(target: ast.expr) -> Iterator[ast.expr]:
    """What an assignment gives values to: the parts of `a, b` one by one."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _targets(element)
    else:
        yield target


def _root(node: ast.expr) -> str:
    """The name that a path begins with; "" when it begins with something else."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    match node:
        case ast.If(body=body, orelse=orelse) | ast.For(body=body, orelse=orelse):
            yield from (body, orelse)
        case ast.Match(cases=cases):
            yield from (case.body for case in cases)
        case _:
            pass


# --- early returns ----------------------------------------------------------------------------------------------------


def returns_as_branches(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements with each early `return` read as a branch: what follows an `if` or a `match` that may return
    stands in those branches that go on. A `return` inside a loop is left where it is."""
    made: list[ast.stmt] = []
    for at, statement in enumerate(body):
        if _is_return(statement):
            break
        if isinstance(statement, ast.If) and _may_return(statement):
            return [*made, _branch_if(statement, body[at + 1 :])]
        if isinstance(statement, ast.Match) and _may_return(statement):
            return [*made, _branch_match(statement, body[at + 1 :])]
        made.append(statement)
    return made


def _branch_if(node: ast.If, rest: list[ast.stmt]) -> ast.If:
    yes, no = returns_as_branches([*node.body, *rest]), returns_as_branches([*node.orelse, *copy.deepcopy(rest)])
    return ast.copy_location(ast.If(node.test, yes or [_pass_node(node)], no), node)


def _branch_match(node: ast.Match, rest: list[ast.stmt]) -> ast.Match:
    cases: list[ast.match_case] = []
    for case in node.cases:
        body = returns_as_branches([*case.body, *copy.deepcopy(rest)])
        cases.append(ast.match_case(case.pattern, case.guard, body or [_pass_node(node)]))
    last = node.cases[-1]
    if rest and not (last.guard is None and isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None):
        anything = ast.copy_location(ast.MatchAs(), last.pattern)
        cases.append(ast.match_case(anything, None, returns_as_branches(rest) or [_pass_node(node)]))
    return ast.copy_location(ast.Match(node.subject, cases), node)


def _pass_node(node: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Pass(), node)


def _is_return(node: ast.stmt) -> bool:
    return isinstance(node, ast.Return) and node.value is None


def _may_return(node: ast.stmt) -> bool:
    """Whether some way through a statement, loops left aside, ends in a `return`."""
    if isinstance(node, (ast.If, ast.Match)):
        return any(_may_return(statement) for inner in _blocks(node) for statement in inner)
    return _is_return(node)
