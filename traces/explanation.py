"""Why a property is false: the first false conjunct in the author's own words, and the values that make it so.

    return all(o < len(s.log[r]) for r in Replica for o in range(s.high_watermark[r]))

is broken down to `o < len(s.log[r])` with `r = A, o = 0`. The walk goes down through `and`, `all`, `not any`, `not`,
the conclusion of `not a or b`, conditional expressions, local names, loops and early returns; at a call of a helper it
stops, and says inside the helper why that is false. Sub-expressions are evaluated as Python evaluates them, so that
nothing is explained that does not happen.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, cast

from ..language.ir import Where
from ..language.model import Model, Property
from ..language.source import function_node, words
from ..language.values import Set, State

_DEEPEST = 8  # calls within calls that an explanation follows


@dataclass(frozen=True, slots=True)
class Reason:
    """A condition that is false, as written, the values of the names that it was met with, and, when it is the call of
    a helper, the reason inside the helper. `where` it stands, if that is known."""

    conjunct: str
    witness: Mapping[str, Any]
    because: Reason | None = None
    where: Where | None = None

    def innermost(self) -> Reason:
        """The reason at the end of the chain."""
        return self if self.because is None else self.because.innermost()


def why_false(model: Model, prop: Property, state: State, after: State | None = None) -> Reason:
    """The reason why `prop` is false of a state, or of the step from `state` to `after`.

    Where the text cannot be followed the whole property is the reason, by its name.
    """
    states = (state,) if after is None else (state, after)
    found = _inside(prop.run, states, 0)
    return Reason(prop.name, {}) if found is None else found


def _inside(function: Callable[..., Any], values: tuple[Any, ...], depth: int, want: bool = True) -> Reason | None:
    """Why a call answers `not want`; None when that cannot be followed."""
    if not isinstance(function, FunctionType) or depth > _DEEPEST:
        return None
    try:
        node = function_node(function)
        names = dict(zip([argument.arg for argument in node.args.args], values, strict=True))
        told = {name: value for name, value in names.items() if depth and not isinstance(value, State)}
        walk = _Walk(function.__code__.co_filename, function.__globals__, names, depth, want, told)
        walk.block(node.body)
    except _Told as told:
        return told.reason
    except Exception:  # a form that is not followed, or a text that is gone: the caller says less, and is still right
        return None
    return None


class _Told(Exception):
    """The walk came to a `return` and knows the reason."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.conjunct)
        self.reason = reason


class _Lost(Exception):
    """The walk met a form that it does not follow."""


@dataclass(slots=True)
class _Walk:
    """One function being walked: the names bound so far, which of them are witnesses, and what locals were made
    from."""

    file: str
    globals: dict[str, Any]
    names: dict[str, Any]
    depth: int
    want: bool
    witness: dict[str, Any] = field(default_factory=dict[str, Any])
    made_from: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    taken: list[tuple[ast.expr, bool]] = field(default_factory=list[tuple[ast.expr, bool]])

    # --- statements ---------------------------------------------------------------------------------------------------

    def block(self, body: list[ast.stmt]) -> None:
        """Walks statements in order, until a `return` gives the reason."""
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        """Walks one statement."""
        match node:
            case ast.Return(value=value) if value is not None:
                raise _Told(self.returned(value))
            case ast.If(test=test, body=yes, orelse=no):
                self.branch(test, yes, no)
            case ast.For(target=target, iter=source, body=body, orelse=[]):
                for item in self.items(source):
                    self.bind(target, item)
                    self.block(body)
                self.unbind(target)
            case ast.Match(subject=subject, cases=cases):
                self.match(subject, cases)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                self.assign(node)
            case ast.Expr() | ast.Assert() | ast.Pass():
                pass
            case _:
                raise _Lost

    def branch(self, test: ast.expr, yes: list[ast.stmt], no: list[ast.stmt]) -> None:
        """Walks the branch that is taken, remembering why."""
        holds = bool(self.value(test))
        self.taken.append((test, holds))
        self.block(yes if holds else no)
        if not isinstance(yes[-1], ast.Return):
            self.taken.pop()  # what follows does not depend on the test

    def match(self, subject: ast.expr, cases: list[ast.match_case]) -> None:
        """Walks the case that matches, Python deciding which."""
        arms = [ast.match_case(case.pattern, case.guard, [_set_hit(at)]) for at, case in enumerate(cases)]
        scope = self.scope()
        self.execute(ast.Match(subject, arms), scope)
        if "__hit__" in scope:
            hit: int = scope["__hit__"]
            self.block(cases[hit].body)

    def assign(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        """Binds local names as the statement does."""
        scope = self.scope()
        self.execute(node, scope)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for name in (each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)):
            self.names[name] = scope[name]
            self.made_from.pop(name, None)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            self.made_from[node.targets[0].id] = node.value

    def returned(self, value: ast.expr) -> Reason:
        """The reason for a returned value: for `return False` that of the condition that led there."""
        if isinstance(value, ast.Constant):
            if not self.taken:
                raise _Lost
            test, holds = self.taken[-1]
            return self.reason(test, not holds)
        return self.reason(value, self.want)

    # --- expressions --------------------------------------------------------------------------------------------------

    def reason(self, node: ast.expr, want: bool) -> Reason:
        """Why an expression that should be `want` is not."""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.reason(operand, not want)
            case ast.BoolOp(op=ast.And(), values=values) if want:
                return self.reason(self.first(values, False), True)
            case ast.BoolOp(op=ast.Or(), values=values) if not want:
                return self.reason(self.first(values, True), False)
            case ast.BoolOp(op=ast.Or(), values=[*conditions, conclusion]) if all(map(_is_negation, conditions)):
                return self.reason(conclusion, True)
            case ast.IfExp(test=test, body=yes, orelse=no):
                return self.reason(yes if self.value(test) else no, want)
            case ast.Name(id=name) if name in self.made_from:
                return self.reason(self.made_from[name], want)
            case ast.Call(func=ast.Name(id="all" | "any" as name), args=[over]) if (name == "all") is want:
                return self.quantified(node, over, want)
            case ast.Call(func=ast.Name(), args=arguments, keywords=[]):
                return self.called(node, arguments, want)
            case _:
                return self.told(node, want)

    def told(self, node: ast.expr, want: bool, because: Reason | None = None) -> Reason:
        """The reason is this expression as written."""
        text = words(self.file, node)
        if not want:
            text = f"not {text}" if isinstance(node, ast.Call | ast.Name | ast.Attribute) else f"not ({text})"
        end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return Reason(text, dict(self.witness), because, Where(self.file, node.lineno, node.col_offset, *end))

    def first(self, values: list[ast.expr], holding: bool) -> ast.expr:
        """The first operand that decides."""
        return next(value for value in values if bool(self.value(value)) is holding)

    def called(self, node: ast.Call, arguments: list[ast.expr], want: bool) -> Reason:
        """A call is the reason, and inside the helper is why."""
        function = self.value(node.func)
        values = tuple(self.value(argument) for argument in arguments)
        return self.told(node, want, _inside(function, values, self.depth + 1, want))

    def quantified(self, node: ast.expr, over: ast.expr, want: bool) -> Reason:
        """`all` that is false, `any` that should be: the first values of its variables for which the body decides."""
        if not isinstance(over, ast.GeneratorExp | ast.ListComp | ast.SetComp):
            return self.told(node, want)
        for _ in self.bindings(over.generators):
            if bool(self.value(over.elt)) is not want:
                return self.reason(over.elt, want)
        return self.told(node, want)

    def bindings(self, generators: list[ast.comprehension]) -> Iterator[None]:
        """Binds the variables of a comprehension to each of their values in turn."""
        if not generators:
            yield
            return
        first, *others = generators
        for item in self.items(first.iter):
            self.bind(first.target, item)
            if all(self.value(condition) for condition in first.ifs):
                yield from self.bindings(others)
        self.unbind(first.target)

    def items(self, source: ast.expr) -> Iterable[Any]:
        """What a loop goes over, in order."""
        found = self.value(source)
        return Set(cast("set[Any]", found)) if isinstance(found, set) else found

    def bind(self, target: ast.expr, value: Any) -> None:
        """Binds a loop variable: a name, or a tuple of them."""
        if isinstance(target, ast.Tuple):
            for each, item in zip(target.elts, value, strict=True):
                self.bind(each, item)
        else:
            name = cast(ast.Name, target).id
            self.names[name] = self.witness[name] = value

    def unbind(self, target: ast.expr) -> None:
        """Forgets a loop variable: its loop is over."""
        for each in ast.walk(target):
            if isinstance(each, ast.Name):
                self.names.pop(each.id, None)
                self.witness.pop(each.id, None)

    def scope(self) -> dict[str, Any]:
        """Globals and locals in one: a nested comprehension sees only globals."""
        return {**self.globals, **self.names}

    def value(self, node: ast.expr) -> Any:
        """What an expression is here."""
        return eval(compile(ast.Expression(node), self.file, "eval", dont_inherit=True), self.scope())

    def execute(self, node: ast.stmt, scope: dict[str, Any]) -> None:
        """Runs one statement in a scope."""
        module = ast.fix_missing_locations(ast.Module([node], []))
        exec(compile(module, self.file, "exec", dont_inherit=True), scope)


def _set_hit(number: int) -> ast.stmt:
    return ast.Assign([ast.Name("__hit__", ast.Store())], ast.Constant(number))


def _is_negation(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
