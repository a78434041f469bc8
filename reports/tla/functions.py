"""Functions of the typed form as operators of TLA+: what statements come to, and the helpers that formulas call.

TLA+ has no assignment: a name that is bound again is another name, a loop is a fold over the sequence of what it
visits, and of a branch that returns the rest is the other branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

from ...language import ir
from ...language.types import Type
from ..spec.notation import traverse_form
from .expressions import FormulaScope, expression_formula, sequence_text, source_text
from .names import Names
from .terms import ATOM, POSTFIX, Binder, Conditional, FlatFormula, LetDefinition, Term, define, flat_text, lay_out

Key = TypeVar("Key")
Rest: TypeAlias = Callable[[FormulaScope], Term]
"""What comes after some statements, in the scope that they leave."""
Wrap: TypeAlias = Callable[[Term], Term]
"""What is made of a value that is returned."""


class Operators:
    """The helpers that a module defines, each before what calls it."""

    def __init__(self, names: Names, field_types: Mapping[str, Type]) -> None:
        self.lines: list[str] = []
        self._names, self._field_types = names, field_types
        self._known: dict[object, str] = {}
        self._kept: list[ir.Function] = []
        self._texts: dict[tuple[str, tuple[str, ...]], str] = {}

    def formula_scope(self, primed_states: frozenset[str] = frozenset()) -> FormulaScope:
        """The scope of a formula without local names, `primed_states` being the states after a step."""
        return FormulaScope(
            self._names, self.operator_name, inline_call, states_after=primed_states, field_types=self._field_types
        )

    def operator_name(self, function: ir.Function, scope: FormulaScope) -> str:
        """The operator that a helper is, with primes inside where it is given the state after a step."""
        after = scope.states_after & frozenset(function.states)
        key = (id(function), after)
        if key not in self._known:
            self._kept.append(function)
            self._known[key] = self._define(function, after)
        return self._known[key]

    def _define(self, function: ir.Function, primed_states: frozenset[str]) -> str:
        wanted = f"{function.name}_next" if primed_states else function.name
        parameters, scope = bind_all([name for name, _ in function.parameters], self.formula_scope(primed_states))
        body = returned_value(function.body, scope)
        lines = tuple(lay_out(body, 4, "    "))
        shape = (wanted.lstrip("_"), (*parameters, *lines))
        if shape not in self._texts:
            name = self._names.declare((id(function), primed_states), wanted)
            head = f"{name}({', '.join(parameters)})" if parameters else name
            short = f"{head} == {lines[0].strip()}"
            self.lines += [short, ""] if len(lines) == 1 and len(short) <= 100 else [f"{head} ==", *lines, ""]
            self._texts[shape] = name
        return self._texts[shape]


def bind_all(wanted_names: Sequence[str], scope: FormulaScope) -> tuple[list[str], FormulaScope]:
    """Names for some variables, and the scope in which they have them."""
    found: list[str] = []
    for name in wanted_names:
        shown, scope = scope.bind(name)
        found.append(shown)
    return found, scope


def inline_call(call: ir.Call, scope: FormulaScope) -> Term:
    """What a helper returns, written out where it is called: it reads fields that the step has written before."""
    inside = scope
    definitions: list[tuple[str, Term]] = []
    for (name, _), argument in zip(call.function.parameters, call.arguments, strict=True):
        value = expression_formula(argument, scope)
        if isinstance(value, FlatFormula) and value.level == ATOM:
            inside = replace(inside, local={**inside.local, name: value.text})
            continue
        shown, inside = inside.define(name)
        definitions.append((shown, value))
    return define(definitions, returned_value(call.function.body, inside))


def returned_value(
    statements: Sequence[ir.Statement],
    scope: FormulaScope,
    rest: Rest | None = None,
    wrap_returned: Wrap = lambda value: value,
) -> Term:
    """What statements return, as `wrap_returned` gives it, or what comes after them where they return nothing."""
    if not statements:
        assert rest is not None, "the front end has seen that a function returns on every path"
        return rest(scope)
    statement, *others = statements

    def go_on(inside: FormulaScope) -> Term:
        return returned_value(others, inside, rest, wrap_returned)

    match statement:
        case ir.Return(value=value):
            return wrap_returned(expression_formula(value, scope))
        case ir.Let(name=name, value=value):
            shown, inside = scope.define(name)
            named, rest_of_it = expression_formula(value, scope), go_on(inside)
            return named if rest_of_it == FlatFormula(shown, ATOM) else LetDefinition(shown, named, rest_of_it)
        case ir.If(condition=condition, yes=yes, no=no) if contains_return(statement):
            then, otherwise = (returned_value((*branch, *others), scope, rest, wrap_returned) for branch in (yes, no))
            return Conditional(expression_formula(condition, scope), then, otherwise)
        case ir.If():
            definitions, inside = merge_locals(statement, scope)
            return define(definitions, go_on(inside))
        case ir.For() if contains_return(statement):
            return _returning_loop_term(statement, scope, go_on, wrap_returned)
        case ir.For():
            definitions, inside = fold_locals(statement, scope)
            return define(definitions, go_on(inside))
        case ir.Assert(condition=condition, text=text):
            failure = FlatFormula(f'Assert(FALSE, "{quote_text(text)}")', POSTFIX)
            return Conditional(expression_formula(condition, scope), go_on(scope), failure)
        case _:
            raise TypeError(f"a helper cannot hold {type(statement).__name__}")


def quote_text(text: str) -> str:
    """A text as it stands in a string of TLA+, on one line."""
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')


def contains_return(node: Any) -> bool:
    """Whether a statement holds a `return` of its own function."""
    match node:
        case ir.Return():
            return True
        case ir.If(yes=yes, no=no):
            return any(map(contains_return, (*yes, *no)))
        case ir.For(body=body):
            return any(map(contains_return, body))
        case _:
            return False


def assigned_names(statements: Sequence[ir.Statement]) -> Iterator[str]:
    """The local names that statements bind, in order, each once."""
    lets = (part for part in traverse_form(tuple(statements)) if isinstance(part, ir.Let))
    return iter(dict.fromkeys(let.name for let in lets))


def merge_locals(branch: ir.If, scope: FormulaScope) -> tuple[list[tuple[str, Term]], FormulaScope]:
    """The names that a branch binds, each with its value as of the condition. What only one side binds is not read
    after it, unless it had a value before."""
    found: list[tuple[str, Term]] = []
    inside = scope
    for name in assigned_names((*branch.yes, *branch.no)):
        sides = [name in scope.local or name in set(assigned_names(side)) for side in (branch.yes, branch.no)]
        if not all(sides):
            continue
        yes, no = (returned_value(side, scope, _local_name_term(name)) for side in (branch.yes, branch.no))
        shown, inside = inside.define(name)
        found.append((shown, Conditional(expression_formula(branch.condition, scope), yes, no)))
    return found, inside


def _local_name_term(name: str) -> Rest:
    return lambda scope: FlatFormula(scope.local[name], ATOM)


def fold_locals(loop: ir.For, scope: FormulaScope) -> tuple[list[tuple[str, Term]], FormulaScope]:
    """The definitions that a loop comes to which binds names again, and the scope after it."""
    carried = [name for name in assigned_names(loop.body) if name in scope.local]
    if not carried:
        return [], scope
    so_far, inside = scope.bind("so_far")
    inside = with_locals(inside, unpack_values(carried, so_far))
    variable, inside = inside.bind(loop.variable)
    step = returned_value(loop.body, inside, lambda end: pack_values([end.local[name] for name in carried]))
    step_name, outside = replace(scope, used_names=inside.used_names).define("visit")
    start = pack_values([scope.local[name] for name in carried])
    after, outside = outside.define("visited")
    folded = FlatFormula(f"Fold({step_name}, {start.text}, {sequence_text(loop.source, scope)})", POSTFIX)
    return [(f"{step_name}({so_far}, {variable})", step), (after, folded)], with_locals(
        outside, unpack_values(carried, after)
    )


def pack_values(values: Sequence[str]) -> FlatFormula:
    """Values as one: a tuple, where they are several."""
    return FlatFormula(values[0] if len(values) == 1 else f"<<{', '.join(values)}>>", ATOM)


def unpack_values(keys: Sequence[Key], packed_value: str) -> dict[Key, str]:
    """Each part of a packed value, by what it is."""
    parts = [packed_value] if len(keys) == 1 else [f"{packed_value}[{at}]" for at in range(1, len(keys) + 1)]
    return dict(zip(keys, parts, strict=True))


def with_locals(scope: FormulaScope, parts: Mapping[str, str]) -> FormulaScope:
    """The scope in which local names are shown so."""
    return replace(scope, local={**scope.local, **parts})


def _returning_loop_term(loop: ir.For, scope: FormulaScope, rest: Rest, wrap_returned: Wrap) -> Term:
    r"""A loop that may return: `\E` where what it returns does not depend on where; else a fold that keeps what was
    returned."""
    match loop.body:
        case (ir.If(condition=condition, yes=(ir.Return(value=value),), no=()),) if not _names_in_expression(value) & {
            loop.variable
        }:
            name, inside = scope.bind(loop.variable)
            found = Binder(f"\\E {name} \\in {source_text(loop.source, scope)}", expression_formula(condition, inside))
            return Conditional(found, wrap_returned(expression_formula(value, scope)), rest(scope))
        case _:
            return _returning_fold_term(loop, scope, rest, wrap_returned)


def _names_in_expression(expression: ir.Expr) -> set[str]:
    return {part.name for part in traverse_form(expression) if isinstance(part, ir.Name)}


def _returning_fold_term(loop: ir.For, scope: FormulaScope, rest: Rest, wrap_returned: Wrap) -> Term:
    """The fold of `<<TRUE, value>>`, where the loop has returned, and of `<<FALSE, names...>>`, where it goes on."""
    carried = [name for name in assigned_names(loop.body) if name in scope.local]
    so_far, inside = scope.bind("so_far")
    inside = _scope_of_running_tuple(carried, so_far, inside)
    variable, inside = inside.bind(loop.variable)
    body = returned_value(
        loop.body,
        inside,
        lambda end: FlatFormula(_running_tuple_text([end.local[name] for name in carried]), ATOM),
        lambda value: FlatFormula(f"<<TRUE, {flat_text(value)}>>", ATOM),
    )
    step = Conditional(FlatFormula(f"{so_far}[1]", POSTFIX), FlatFormula(so_far, ATOM), body)
    step_name, outside = replace(scope, used_names=inside.used_names).define("visit")
    after, outside = outside.define("visited")
    start = _running_tuple_text([scope.local[name] for name in carried])
    folded = FlatFormula(f"Fold({step_name}, {start}, {sequence_text(loop.source, scope)})", POSTFIX)
    then = rest(_scope_of_running_tuple(carried, after, outside))
    done = Conditional(FlatFormula(f"{after}[1]", POSTFIX), wrap_returned(FlatFormula(f"{after}[2]", POSTFIX)), then)
    return define([(f"{step_name}({so_far}, {variable})", step), (after, folded)], done)


def _running_tuple_text(values: Sequence[str]) -> str:
    return f"<<{', '.join(['FALSE', *values])}>>"


def _scope_of_running_tuple(names: Sequence[str], packed_value: str, scope: FormulaScope) -> FormulaScope:
    parts = {name: f"{packed_value}[{at}]" for at, name in enumerate(names, 2)}
    return replace(scope, local={**scope.local, **parts})
