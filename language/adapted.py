"""An author's function as plain Python runs it: the same text, with what the typed form says beyond Python put in.

    {a, b}                          __Set__([a, b]), a `Set`, which has an order (Python's own differs from run to run)
    s.isr - {s.leader}              s.isr - {__some__(s.leader, "s.leader")}: None is no value where one is needed
    s.history.append(s.log[r][0])   pass, when the ghost `history` is folded away: nothing is evaluated only for it
    s.low | {n}                     s.low | {__within__(n, 0, 3)}: a set holds integers within its range only
    after the last `require`        __spend__(s): a budget that is spent stops the step here, and evaluates no more

The typed form decides where; a function in which nothing changes keeps its own code. File, lines and names stay the
author's, so that `pdb`, `print` and tracebacks notice nothing.
"""

from __future__ import annotations

import ast
import dis
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any, cast

from .containers import ModelError
from .drafts import spend
from .ir import Where
from .source import NoSource, function_node, words
from .values import Set

KEY = "__adaptations__"
"""Where the globals of a bound module keep its `Adaptations`."""


@dataclass(frozen=True, slots=True)
class Adaptations:
    """What the typed form says of the places of a model's text.

    `needed` are expressions that must not be None; `ranges` has the elements of sets that must lie within bounds;
    `dropped` are statements, patterns and values of fields that only serve ghosts that were folded away; `guards` has
    for each action with a budget, by its name, the conditions that it requires, after the last of which the budget is
    asked. `codes` keeps what was made of functions with these adaptations, so that it is made once.
    """

    needed: frozenset[Where] = frozenset()
    dropped: frozenset[Where] = frozenset()
    ranges: Mapping[Where, tuple[int, int]] = field(default_factory=dict[Where, "tuple[int, int]"])
    guards: Mapping[str, frozenset[Where]] = field(default_factory=dict[str, "frozenset[Where]"])
    codes: dict[FunctionType, CodeType] = field(default_factory=dict[FunctionType, CodeType], compare=False, repr=False)


def some(value: Any, text: str) -> Any:
    """The value, where the typed form takes it out of an option. ModelError for None."""
    if value is None:
        raise ModelError(f"{text} is none, and a value is needed")
    return value


def within(value: int | range, lo: int, hi: int) -> int | range:
    """The integer that is put into a set, or the range of them. ModelError outside the range of the set's elements."""
    for each in value if isinstance(value, range) else (value,):
        if not lo <= each <= hi:
            raise ModelError(f"{each} is outside {lo}..{hi}")
    return value


_SET_DISPLAYS = frozenset(dis.opmap[each] for each in ("BUILD_SET", "SET_ADD"))
"""The instructions that make a set, each the first byte of two."""

GLOBALS: dict[str, Any] = {"__Set__": Set, "__some__": some, "__within__": within, "__spend__": spend}
"""What adapted code calls: globals of every bound module, beside its `Adaptations`."""


def adapted_code(function: FunctionType, adaptations: Adaptations) -> CodeType:
    """The function's code with its text adapted: its own code when nothing is to be changed, or its text is gone."""
    known = adaptations.codes.get(function)
    if known is None:
        known = adaptations.codes[function] = _adapted(function, adaptations)
    return known


def _adapted(function: FunctionType, adaptations: Adaptations) -> CodeType:
    own = function.__code__
    if own.co_freevars:
        return own
    try:
        node = function_node(function)
    except NoSource:
        return own
    if not _is_touched(node, own.co_filename, adaptations) and not _displays_sets(own):
        return own
    node = cast(ast.FunctionDef, _copied(node))
    if not adapt(node, own.co_filename, adaptations) and not _displays_sets(own):
        return own
    made = compile(ast.Module([node], []), own.co_filename, "exec", dont_inherit=True)
    return next(each for each in made.co_consts if isinstance(each, CodeType) and each.co_name == own.co_name)


def _copied(part: Any) -> Any:
    """A syntax tree, or a part of one, apart from the original: `copy.deepcopy` for trees, and a few times faster."""
    if isinstance(part, list):
        return [_copied(each) for each in cast(list[Any], part)]
    if not isinstance(part, ast.AST):
        return part
    return type(part)(**{name: _copied(each) for name, each in vars(part).items()})


def _is_touched(node: ast.FunctionDef, file: str, adaptations: Adaptations) -> bool:
    """Whether any of the adaptations lies within the function."""
    places = (*adaptations.needed, *adaptations.dropped, *adaptations.ranges)
    last = node.end_lineno or node.lineno
    inside = any(each.file == file and node.lineno <= each.line <= last for each in places)
    return inside or node.name in adaptations.guards


def adapt(node: ast.FunctionDef, file: str, adaptations: Adaptations) -> bool:
    """Changes a function's definition in place. Answers whether there was anything to change."""
    guards = adaptations.guards.get(node.name)
    if guards is not None:
        state = ast.Name(node.args.args[0].arg, ast.Load())
        node.body = _spending(node.body, guards, ast.Expr(ast.Call(ast.Name("__spend__", ast.Load()), [state], [])))
    adapter = _Adapter(file, adaptations)
    adapter.visit(node)
    ast.fix_missing_locations(node)
    return adapter.changed or guards is not None


class _Adapter(ast.NodeTransformer):
    """Puts in everything but budgets."""

    def __init__(self, file: str, adaptations: Adaptations) -> None:
        self.file = file
        self.needed = adaptations.needed
        self.dropped = adaptations.dropped
        self.ranges = adaptations.ranges
        self.changed = False

    def visit(self, node: ast.AST) -> Any:
        """A statement that only serves folded ghosts becomes `pass`; an expression that must not be None is asked."""
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef) and self._is_in(self.dropped, node):
            self.changed = True
            return ast.copy_location(ast.Pass(), node)
        made = super().visit(node)
        if isinstance(node, ast.expr) and self._is_in(self.needed, node) and _is_read(node):
            self.changed = True
            made = _called("__some__", [cast(ast.expr, made), ast.Constant(words(self.file, node))], node)
        bounds = self._bounds_of(node)
        if bounds is not None:
            self.changed = True
            made = _called("__within__", [cast(ast.expr, made), *map(ast.Constant, bounds)], node)
        return made

    def _bounds_of(self, node: ast.AST) -> tuple[int, int] | None:
        known = bool(self.ranges) and isinstance(node, ast.expr) and hasattr(node, "lineno")
        return self.ranges.get(_place(self.file, cast(ast.expr, node))) if known else None

    def visit_Match(self, node: ast.Match) -> ast.stmt:
        """The cases up to the first that asks a folded ghost."""
        gone = (at for at, case in enumerate(node.cases) if self._is_in(self.dropped, case.pattern))
        kept = node.cases[: next(gone, None)]
        if not kept:
            self.changed = True
            return ast.copy_location(ast.Pass(), node)
        self.changed = self.changed or len(kept) < len(node.cases)
        node.cases = kept
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """`World(count=0, history=...)` without the ghosts that were folded away."""
        kept = [each for each in node.keywords if not self._is_in(self.dropped, each.value)]
        self.changed = self.changed or len(kept) < len(node.keywords)
        node.keywords = kept
        self.generic_visit(node)
        return node

    def visit_Set(self, node: ast.Set) -> ast.expr:
        """`{a, b}`"""
        self.generic_visit(node)
        return _called("__Set__", [ast.copy_location(ast.List(node.elts, ast.Load()), node)], node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        """`{x for x in xs}`"""
        self.generic_visit(node)
        return _called("__Set__", [ast.copy_location(ast.ListComp(node.elt, node.generators), node)], node)

    def _is_in(self, places: frozenset[Where], node: ast.expr | ast.stmt | ast.pattern) -> bool:
        return bool(places) and hasattr(node, "lineno") and _place(self.file, node) in places


def _called(name: str, arguments: list[ast.expr], node: ast.AST) -> ast.expr:
    call = ast.Call(ast.Name(name, ast.Load()), arguments, [])
    return ast.fix_missing_locations(ast.copy_location(call, node))


def _is_read(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load)


def _place(file: str, node: ast.expr | ast.stmt | ast.pattern) -> Where:
    end_line, end_column = cast(int, node.end_lineno), cast(int, node.end_col_offset)
    return Where(file, node.lineno, node.col_offset, end_line, end_column)


# --- budgets ----------------------------------------------------------------------------------------------------------


def _spending(body: list[ast.stmt], guards: frozenset[Where], spent: ast.stmt) -> list[ast.stmt]:
    """The statements with `spent` put in right after the last `require` of every path, as `roles.spend` does it."""
    last = max((at for at, each in enumerate(body) if _holds_one(each, guards)), default=-1)
    if last < 0:
        return [spent, *body]
    statement = body[last]
    put_in: Callable[[list[ast.stmt]], list[ast.stmt]] = lambda inner: _spending(inner, guards, spent)  # noqa: E731
    if isinstance(statement, ast.If):
        statement.body, statement.orelse = put_in(statement.body), put_in(statement.orelse)
        return body
    if isinstance(statement, ast.Match):
        for case in statement.cases:
            case.body = put_in(case.body)
        statement.cases.append(ast.match_case(ast.MatchAs(), None, [spent]))
        if isinstance(statement.cases[-2].pattern, ast.MatchAs) and statement.cases[-2].guard is None:
            statement.cases.pop()
        return body
    return [*body[: last + 1], spent, *body[last + 1 :]]


def _holds_one(statement: ast.stmt, guards: frozenset[Where]) -> bool:
    first, last = (statement.lineno, statement.col_offset), (statement.end_lineno or 0, statement.end_col_offset or 0)
    return any(first <= (each.line, each.column) and (each.end_line, each.end_column) <= last for each in guards)


def _displays_sets(code: CodeType) -> bool:
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return (
        not _SET_DISPLAYS.isdisjoint(code.co_code[::2])
        or any(isinstance(each, frozenset) for each in code.co_consts)
        or any(map(_displays_sets, inner))
    )
