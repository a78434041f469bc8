"""Which guard stops a step: an action's function with a probe around each conjunct of each `require` and `limit`.

    require(s.up[r] and s.up[s.leader])     becomes     require(probe(0, s.up[r]) and probe(1, s.up[s.leader]))

Nothing else changes, so conjuncts are evaluated exactly when Python evaluates them. It serves "why is this disabled?"
and the coverage of guards; whether a step happens is decided by the author's own function, never by this one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, cast

from .adaptation import KEY, adapt_function, bind_adapted
from .declare import limit, require
from .immutable import immutable
from .ir import For, If, Limit, Require, Statement
from .source import words
from .where import Where


@immutable
class Conjunct:
    """One condition of a guard: its text, where it stands, and whether it belongs to the bounds."""

    text: str
    where: Where
    is_limit: bool


def guards_of(body: tuple[Statement, ...]) -> Iterator[Require | Limit]:
    """The guards of an action's typed form, in the order of its text, a budget's limit included."""
    for statement in body:
        match statement:
            case Require() | Limit():
                yield statement
            case If(yes=yes, no=no):
                yield from guards_of(yes)
                yield from guards_of(no)
            case For(body=inner):
                yield from guards_of(inner)
            case _:
                pass


class Probes:
    """What the probes of one action saw: per conjunct, how often it was evaluated and how often it was true.

    `false` is the conjunct that was false last.
    """

    def __init__(self) -> None:
        self.conjuncts: list[Conjunct] = []
        self.evaluated: list[int] = []
        self.passed: list[int] = []
        self.false: Conjunct | None = None

    def add(self, conjunct: Conjunct) -> int:
        """A new conjunct's number."""
        self.conjuncts.append(conjunct)
        self.evaluated.append(0)
        self.passed.append(0)
        return len(self.conjuncts) - 1

    def restart(self) -> None:
        """Forgets the counts."""
        self.evaluated = [0] * len(self.conjuncts)
        self.passed = [0] * len(self.conjuncts)

    def counts(self, number: int | None) -> tuple[int, int]:
        """How often a conjunct was evaluated and true; never, when there is no such conjunct."""
        return (0, 0) if number is None else (self.evaluated[number], self.passed[number])

    def __call__(self, number: int, value: Any) -> Any:
        """Counts a conjunct's value and answers with it."""
        self.evaluated[number] += 1
        if value:
            self.passed[number] += 1
        else:
            self.false = self.conjuncts[number]
        return value


class PassingProbes(Probes):
    """Probes that let every step pass: what an action would do if its guards were true. `missed` is how many conjuncts
    were false."""

    missed = 0

    def __call__(self, number: int, value: Any) -> Any:
        """Counts a conjunct that is false, and answers that it is true."""
        self.missed += not super().__call__(number, value)
        return True


def insert_probes(function: Callable[..., Any], probes: Probes | None = None) -> tuple[Callable[..., None], Probes]:
    """The action's function with probes, and the probes: these, or new ones. NoSourceError when its text cannot be
    read."""
    original = cast(FunctionType, function)
    probes = probes or Probes()

    def probe(node: ast.FunctionDef, of: FunctionType, call: Where | None) -> None:
        _Prober(of.__code__.co_filename, of.__globals__, probes, call).visit(node)

    made = adapt_function(original, original.__globals__[KEY], change=probe)
    kept: dict[int, dict[str, Any]] = {}

    def globals_of(helper: FunctionType) -> dict[str, Any]:
        return kept.setdefault(id(helper.__globals__), {**helper.__globals__, "__probe__": probes})

    return bind_adapted(original, made, globals_of, lambda given: given), probes


class _Prober(ast.NodeTransformer):
    """Puts the probes in."""

    def __init__(self, file: str, globals_: dict[str, Any], probes: Probes, call: Where | None) -> None:
        self.file, self.call = file, call
        self.globals = globals_
        self.probes = probes

    def visit_Call(self, node: ast.Call) -> ast.Call:
        guard = self.globals.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if (guard is require or guard is limit) and len(node.args) == 1:
            node.args = [self._condition(node.args[0], guard is limit)]
        return node

    def _condition(self, node: ast.expr, is_limit: bool) -> ast.expr:
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            node.values = [self._condition(value, is_limit) for value in node.values]
            return node
        end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        where = Where(self.file, node.lineno, node.col_offset, *end, self.call)
        conjunct = Conjunct(words(self.file, node), where, is_limit)
        number = ast.Constant(self.probes.add(conjunct))
        probe = ast.Call(ast.Name("__probe__", ast.Load()), [number, node], [])
        return ast.copy_location(probe, node)
