"""What `isinstance` says of a name: which records of its union it may still be where a condition is true, or false.

Only of a name that keeps its value: a parameter, a local name that is bound once, what a loop visits, a name in a
pattern. A path from the state may be written before it is read again.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from ..errors import AbandonedError
from ..types import Option, Record
from .scope import Scope
from .unions import asked_records

Fact = tuple[str, frozenset[int]]


def narrow_scope(scope: Scope, test: ast.expr, truth: bool) -> Scope:
    """The scope, in which names are from here on what they are where a condition has this truth."""
    for name, numbers in _facts_of_test(scope, test, truth):
        before = scope.records_of(name)
        scope.known[name] = scope.names[name], numbers if before is None else before & numbers
    return scope


def _facts_of_test(scope: Scope, test: ast.expr, truth: bool) -> Iterator[Fact]:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _facts_of_test(scope, operand, not truth)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) == truth:
            for value in values:
                yield from _facts_of_test(scope, value, truth)
        case ast.Call(func=func, args=[ast.Name(id=name), records]) if scope.module_value(func) is builtins.isinstance:
            yield from _facts_of_isinstance(scope, name, records, truth)
        case _:
            pass


def _facts_of_isinstance(scope: Scope, name: str, records: ast.expr, truth: bool) -> Iterator[Fact]:
    """What one `isinstance` says. That an option is none of some records says nothing: it may be None."""
    binding = scope.names.get(name)
    if binding is None or binding.piece is not None or (name in scope.rebound and not binding.is_loop_variable):
        return
    union = binding.type.of if isinstance(binding.type, Option) else binding.type
    if not isinstance(union, Record) or not union.variants:
        return
    try:
        numbers = frozenset(asked_records(scope, records, union))
    except AbandonedError:
        return  # it is noted where the condition is elaborated
    if truth:
        yield name, numbers
    elif not isinstance(binding.type, Option):
        yield name, frozenset(range(len(union.variants))) - numbers
