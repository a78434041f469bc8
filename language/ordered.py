"""Set displays in an author's function, made ours: `{a, b}` and `{x for x in ...}` are `Set`s, which have an order.

Python iterates its own sets in an order that differs from run to run; a loop over one must meet the members in the
order of their domain, as in every engine. A function with such a display is compiled again from the author's text,
with the same file and lines, so that `pdb` and tracebacks notice nothing. All other functions keep their own code.
"""

from __future__ import annotations

import ast
import copy
import dis
from types import CodeType, FunctionType

from .source import NoSource, function_node

NAME = "__Set__"
"""What the compiled display calls: a global of every bound module."""


class SetsInOrder(ast.NodeTransformer):
    """Turns set displays into calls of `Set`."""

    def visit_Set(self, node: ast.Set) -> ast.expr:
        """`{a, b}`"""
        self.generic_visit(node)
        return _set_of(node, ast.List(node.elts, ast.Load()))

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        """`{x for x in xs}`"""
        self.generic_visit(node)
        return _set_of(node, ast.ListComp(node.elt, node.generators))


def _set_of(node: ast.expr, elements: ast.expr) -> ast.expr:
    call = ast.Call(ast.Name(NAME, ast.Load()), [ast.copy_location(elements, node)], [])
    return ast.fix_missing_locations(ast.copy_location(call, node))


def code_with_order(function: FunctionType) -> CodeType:
    """The function's code with its set displays made ours: its own code when it has none, or its text is gone."""
    own = function.__code__
    if own.co_freevars or not _displays_sets(own):
        return own
    try:
        node = SetsInOrder().visit(copy.deepcopy(function_node(function)))
    except NoSource:
        return own
    made = compile(ast.Module([node], []), own.co_filename, "exec", dont_inherit=True)
    return next(each for each in made.co_consts if isinstance(each, CodeType) and each.co_name == own.co_name)


def _displays_sets(code: CodeType) -> bool:
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return (
        any(each.opname in ("BUILD_SET", "SET_ADD") for each in dis.get_instructions(code))
        or any(isinstance(each, frozenset) for each in code.co_consts)
        or any(map(_displays_sets, inner))
    )
