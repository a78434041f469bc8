"""An author's function as plain Python runs it: the same text, with what the typed form says beyond Python put in.

    {a, b}                          __Set__([a, b]), a `Set`, which has an order (Python's own differs from run to run)
    s.isr - {s.leader}              s.isr - {__some__(s.leader, "s.leader")}: None is no value where one is needed
    s.history.append(s.log[r][0])   pass, when the ghost `history` is folded away: nothing is evaluated only for it
    s.low | {n}                     s.low | {__within__(n, 0, 3)}: a set holds integers within its range only
    {Ack(n + 1)}                    {__adaptations__.checked_record(Ack(n + 1), 7)}, and records that belong to it only
    after the last `require`        __spend__(s): a budget that is spent stops the step here, and evaluates no more
    network.remove(message)         __current__(network).remove(message), where `network` is a piece of the state
    lose(s.network, message)        __step3__(s.network, message): a copy of the step helper, adapted for this call

The typed form decides where; a function in which nothing changes keeps its own code. File, lines and names stay the
author's, so that `pdb`, `print` and tracebacks notice nothing.
"""

from __future__ import annotations

import ast
import dis
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from types import CodeType, FunctionType
from typing import Any, TypeAlias, cast

from .containers import ModelError
from .drafts import SINK, current, spend_budget
from .immutable import immutable
from .source import NoSourceError, function_node, words
from .steps import called_function, returns_as_branches
from .values import Set
from .where import Where

KEY = "__adaptations__"
"""Where the globals of a bound module keep its `Adaptations`."""


AdaptationFacts: TypeAlias = "tuple[str, Where | frozenset[Where], tuple[int, int] | int | str | None]"
"""What is said of one place: a field of `Adaptations`, the place, and what else that field has of it."""


@immutable
class Adaptations:
    """What the typed form says of the places of a model's text.

    `required_values` are expressions that must not be None; `ranges` has the elements of sets that must lie within
    bounds, and `elements` the records of sets with the checks of their types; `dropped_places` are statements,
    patterns, arguments and values of fields that only serve ghosts that were folded away; `guards` has for each action
    with a budget, by its file and name (a helper in another file may be called so, too), the conditions that it
    requires, after the last of which the budget is asked. `calls` are the calls of step helpers, `pieces` the names in
    these that stand for a piece of the state. A place in a step helper knows the call, since what holds of one call
    need not hold of the next. `copied_calls` are the calls that need a copy of the helper. `codes` keeps what was made
    of functions with these adaptations, so that it is made once."""

    required_values: frozenset[Where] = frozenset()
    dropped_places: frozenset[Where] = frozenset()
    ranges: Mapping[Where, tuple[int, int]] = field(default_factory=dict[Where, "tuple[int, int]"])
    elements: Mapping[Where, Callable[[Any], Any]] = field(default_factory=dict[Where, "Callable[[Any], Any]"])
    guards: Mapping[tuple[str, str], frozenset[Where]] = field(
        default_factory=dict[tuple[str, str], "frozenset[Where]"]
    )
    calls: frozenset[Where] = frozenset()
    pieces: frozenset[Where] = frozenset()
    copied_calls: frozenset[Where] = frozenset()
    codes: dict[Any, AdaptedFunction] = field(default_factory=dict[Any, "AdaptedFunction"], compare=False, repr=False)
    facts_by_line: dict[tuple[str, int], list[AdaptationFacts]] = field(
        default_factory=dict[tuple[str, int], "list[AdaptationFacts]"], compare=False, repr=False
    )
    places_by_file: dict[str, set[tuple[int, int]]] = field(
        default_factory=dict[str, "set[tuple[int, int]]"], compare=False, repr=False
    )

    def places_in(self, file: str) -> set[tuple[int, int]]:
        """Where in a file, by line and column, something begins of which anything is said, in whatever call."""
        if not self.places_by_file:
            for said in self._all_facts():
                place = cast(Where, said[1])
                self.places_by_file.setdefault(place.file, set()).add((place.line, place.column))
        return self.places_by_file.get(file, set())

    def facts_about(self, file: str, node: ast.FunctionDef) -> frozenset[AdaptationFacts]:
        """What is said of a function's text, and of the step helpers that it calls: all that its code depends on."""
        if not self.facts_by_line:
            for said in self._all_facts():
                place = cast(Where, said[1]).outermost()
                self.facts_by_line.setdefault((place.file, place.line), []).append(said)
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        inside = {said for line in lines for said in self.facts_by_line.get((file, line), ())}
        guards = self.guards.get((file, node.name))
        return frozenset(inside if guards is None else {*inside, ("guards", guards, node.name)})

    def _all_facts(self) -> Iterator[AdaptationFacts]:
        for name in ("required_values", "dropped_places", "calls", "pieces", "copied_calls"):
            yield from ((name, place, None) for place in cast("frozenset[Where]", getattr(self, name)))
        yield from (("ranges", place, bounds) for place, bounds in self.ranges.items())
        yield from (("elements", place, number) for number, place in enumerate(self.elements))

    def checked_record(self, value: Any, number: int) -> Any:
        """A record that is put into a set, in its canonical form; ModelError where it is not of the set's type. The
        check is that of `elements` with this number."""
        return list(self.elements.values())[number](value)


@immutable
class AdaptedFunction:
    """A function's code, and the copies of step helpers that it calls, each with a name that only it is called by."""

    code: CodeType
    copies: tuple[tuple[str, FunctionType, AdaptedFunction], ...] = ()


Change = Callable[[ast.FunctionDef, FunctionType, "Where | None"], None]
"""Changes the text of a function, or of the copy of a step helper for a call, before it is adapted."""


def check_some(value: Any, text: str) -> Any:
    """The value, where the typed form takes it out of an option. ModelError for None."""
    if value is None:
        raise ModelError(f"{text} is none, and a value is needed")
    return value


def check_in_range(value: int | range | Set[int] | None, lo: int, hi: int) -> int | range | Set[int] | None:
    """The integer that is put into a set, or the range or set of them. ModelError outside the range of the set's
    elements; no set, None, is one that is looked at elsewhere."""
    for number in () if value is None else (value,) if isinstance(value, int) else value:
        if not lo <= number <= hi:
            raise ModelError(
                f"{number} is outside {lo}..{hi}, the range of the set that it is put into; "
                "require a number within it, or declare a wider range where the set comes from"
            )
    return value


_SET_DISPLAYS = frozenset(dis.opmap[opcode] for opcode in ("BUILD_SET", "SET_ADD"))
"""The instructions that make a set, each the first byte of two."""

GLOBALS: dict[str, Any] = {
    "__Set__": Set,
    "__some__": check_some,
    "__within__": check_in_range,
    "__spend__": spend_budget,
    "__current__": current,
    "__gone__": SINK,
}
"""What adapted code calls: globals of every bound module, beside its `Adaptations`."""

_DRAFT = "__draft__"
"""The parameter that a copy of a step helper has the state in, where it asks a budget."""

_numbers = itertools.count(1)


def adapt_function(
    function: FunctionType,
    adaptations: Adaptations,
    call: Where | None = None,
    spends: bool = False,
    change: Change | None = None,
) -> AdaptedFunction:
    """The function with its text adapted: its own code when nothing is to be changed, or its text is gone.

    With `call`, the copy of a step helper for that call, which `spends` when it holds the last guard of an action with
    a budget. With `change`, the text changed by it first, and a copy for every call.
    """
    if change is not None:
        return _adapt_text(function, adaptations, call, spends, change)
    key = function, call, spends
    known = adaptations.codes.get(key)
    if known is None:
        made = _cached_adaptation(function, adaptations) if call is None and not spends else None
        known = adaptations.codes[key] = made or _adapt_text(function, adaptations, call, spends, None)
    return known


_ADAPTED: dict[tuple[FunctionType, frozenset[AdaptationFacts]], AdaptedFunction] = {}
"""What was made of functions for any binding of their modules: most of what is said of a function does not depend on
the constants, and adapting all of a model's functions takes a third of binding it."""
MAX_ADAPTED = 4096


def _cached_adaptation(function: FunctionType, adaptations: Adaptations) -> AdaptedFunction | None:
    """The function as it was adapted when the same was said of it; None where its text is gone."""
    try:
        node = function_node(function)
    except NoSourceError:
        return None
    key = function, adaptations.facts_about(function.__code__.co_filename, node)
    known = _ADAPTED.get(key)
    if known is None:
        if len(_ADAPTED) >= MAX_ADAPTED:
            _ADAPTED.clear()
        known = _ADAPTED[key] = _adapt_text(function, adaptations, None, False, None)
    return known


def bind_adapted(
    function: FunctionType,
    adapted_function: AdaptedFunction,
    globals_of: Callable[[FunctionType], dict[str, Any]],
    value_of: Callable[[Any], Any],
) -> FunctionType:
    """The adapted function over the globals that `globals_of` gives for a function, with defaults that `value_of` gives
    for the author's; and with it its copies of step helpers over theirs."""
    globals_ = globals_of(function)
    for name, helper, copy in adapted_function.copies:
        globals_[name] = bind_adapted(helper, copy, globals_of, value_of)
    defaults = None if function.__defaults__ is None else tuple(map(value_of, function.__defaults__))
    result = FunctionType(adapted_function.code, globals_, function.__name__, defaults, function.__closure__)
    result.__annotations__ = function.__annotations__
    result.__qualname__ = function.__qualname__
    result.__module__ = function.__module__
    result.__doc__ = function.__doc__
    result.__dict__.update(function.__dict__)
    return result


def _adapt_text(
    function: FunctionType, adaptations: Adaptations, call: Where | None, spends: bool, change: Change | None
) -> AdaptedFunction:
    own = function.__code__
    if own.co_freevars:
        return AdaptedFunction(own)
    try:
        node = function_node(function)
    except NoSourceError:
        if change is not None:
            raise
        return AdaptedFunction(own)
    untouched = change is None and not spends and not _is_touched(node, own.co_filename, adaptations, call)
    if untouched and not _has_set_display(own):
        return AdaptedFunction(own)
    node = cast(ast.FunctionDef, _copy_tree(node))
    if change is not None:
        change(node, function, call)
    copies = tuple(_adapt_definition(node, function, adaptations, call, spends, change))
    made = compile(ast.Module([node], []), own.co_filename, "exec", dont_inherit=True)
    code = next(
        constant for constant in made.co_consts if isinstance(constant, CodeType) and constant.co_name == own.co_name
    )
    return AdaptedFunction(code, copies)


def _copy_tree(part: Any) -> Any:
    """A syntax tree, or a part of one, apart from the original: `copy.deepcopy` for trees, and a few times faster."""
    if isinstance(part, list):
        return [_copy_tree(element) for element in cast(list[Any], part)]
    if not isinstance(part, ast.AST):
        return part
    return type(part)(**{name: _copy_tree(value) for name, value in vars(part).items()})


def _is_touched(node: ast.FunctionDef, file: str, adaptations: Adaptations, call: Where | None) -> bool:
    """Whether any of the adaptations lies within the function, or a call in it needs a copy of a step helper."""
    known = adaptations
    places = (
        *known.required_values,
        *known.dropped_places,
        *known.ranges,
        *known.elements,
        *known.pieces,
        *known.copied_calls,
    )
    last = node.end_lineno or node.lineno
    inside = any(place.call == call and place.file == file and node.lineno <= place.line <= last for place in places)
    return inside or (call is None and (file, node.name) in adaptations.guards)


def _adapt_definition(
    node: ast.FunctionDef,
    function: FunctionType,
    adaptations: Adaptations,
    call: Where | None,
    spends: bool,
    change: Change | None,
) -> Iterator[tuple[str, FunctionType, AdaptedFunction]]:
    """Changes a function's definition in place. Answers with the copies of step helpers that it calls then."""
    file = function.__code__.co_filename
    spending = _spending_of(node, file, adaptations, call, spends)
    if spending is not None:
        node.body = spending.insert_into_body(returns_as_branches(node.body))
    if spends:
        node.args.kwonlyargs.append(ast.arg(_DRAFT))
        node.args.kw_defaults.append(None)
    adapter = _Adapter(file, adaptations, call, spending, change is not None)
    adapter.visit(node)
    ast.fix_missing_locations(node)
    for name, place, statement in adapter.copies:
        helper = called_function(statement, function.__globals__)
        assert helper is not None, "the front end found the helper"
        statement.value.func = ast.copy_location(ast.Name(name, ast.Load()), statement.value.func)
        inner = spending is not None and place in spending.calls
        yield name, helper, adapt_function(helper, adaptations, place, inner, change)


class _Adapter(ast.NodeTransformer):
    """Puts in everything but budgets. `copies` are the calls that go to a copy of the helper: its name, and where."""

    def __init__(
        self,
        file: str,
        adaptations: Adaptations,
        call: Where | None,
        spending: _BudgetQuestions | None,
        all_calls: bool,
    ) -> None:
        self.file, self.call = file, call
        self.begins = adaptations.places_in(file)
        self.needed = adaptations.required_values
        self.dropped = adaptations.dropped_places
        self.ranges = adaptations.ranges
        self.checked = {place: number for number, place in enumerate(adaptations.elements)}
        self.pieces = adaptations.pieces
        self.calls = adaptations.calls
        self.copied = adaptations.calls if all_calls else adaptations.copied_calls
        self.spending = spending
        self.copies: list[tuple[str, Where, Any]] = []
        self._is_argument = False

    def visit(self, node: ast.AST) -> Any:
        """A statement that only serves folded ghosts becomes `pass`; an expression that must not be None is asked."""
        if (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)) not in self.begins:
            return super().visit(node)  # most nodes: to make a place of each would take longer than all else here
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef) and self._is_among(self.dropped, node):
            return ast.copy_location(ast.Pass(), node)
        if self._is_argument and isinstance(node, ast.expr) and self._is_among(self.dropped, node):
            return ast.copy_location(ast.Name("__gone__", ast.Load()), node)
        made = super().visit(node)
        if isinstance(node, ast.Name) and self._is_among(self.pieces, node):
            made = _call_node("__current__", [node], node)
        if isinstance(node, ast.expr) and self._is_among(self.needed, node) and _is_loaded(node):
            made = _call_node("__some__", [cast(ast.expr, made), ast.Constant(words(self.file, node))], node)
        bounds = self._bounds_of(node)
        if bounds is not None:
            made = _call_node("__within__", [cast(ast.expr, made), *map(ast.Constant, bounds)], node)
        number = self._check_of(node)
        if number is not None:
            made = _call_node(f"{KEY}.checked_record", [cast(ast.expr, made), ast.Constant(number)], node)
        return made

    def _check_of(self, node: ast.AST) -> int | None:
        known = bool(self.checked) and isinstance(node, ast.expr) and hasattr(node, "lineno")
        return self.checked.get(_place(self.file, cast(ast.expr, node), self.call)) if known else None

    def _bounds_of(self, node: ast.AST) -> tuple[int, int] | None:
        known = bool(self.ranges) and isinstance(node, ast.expr) and hasattr(node, "lineno")
        return self.ranges.get(_place(self.file, cast(ast.expr, node), self.call)) if known else None

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """A call of a step helper: its arguments without what only serves folded ghosts, and a copy if it needs one."""
        if not isinstance(node.value, ast.Call) or not self._is_among(self.calls, node.value):
            self.generic_visit(node)
            return node
        place = _place(self.file, node.value, self.call)
        self._is_argument = True
        node.value.args = [self.visit(argument) for argument in node.value.args]
        for keyword in node.value.keywords:
            keyword.value = self.visit(keyword.value)
        self._is_argument = False
        spends = self.spending is not None and place in self.spending.calls
        if spends:
            node.value.keywords.append(
                ast.keyword(_DRAFT, ast.Name(cast(_BudgetQuestions, self.spending).state, ast.Load()))
            )
        if spends or place in self.copied:
            self.copies.append((f"__step{next(_numbers)}__", place, node))
        return node

    def visit_Match(self, node: ast.Match) -> ast.stmt:
        """The cases up to the first that asks a folded ghost."""
        gone = (at for at, case in enumerate(node.cases) if self._is_among(self.dropped, case.pattern))
        kept = node.cases[: next(gone, None)]
        if not kept:
            return ast.copy_location(ast.Pass(), node)
        node.cases = kept
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """`World(count=0, history=...)` without the ghosts that were folded away."""
        kept = [keyword for keyword in node.keywords if not self._is_among(self.dropped, keyword.value)]
        node.keywords = kept
        self.generic_visit(node)
        return node

    def visit_Set(self, node: ast.Set) -> ast.expr:
        """`{a, b}`"""
        self.generic_visit(node)
        return _call_node("__Set__", [ast.copy_location(ast.List(node.elts, ast.Load()), node)], node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        """`{x for x in xs}`"""
        self.generic_visit(node)
        return _call_node("__Set__", [ast.copy_location(ast.ListComp(node.elt, node.generators), node)], node)

    def _is_among(self, places: frozenset[Where], node: ast.expr | ast.stmt | ast.pattern) -> bool:
        return bool(places) and hasattr(node, "lineno") and _place(self.file, node, self.call) in places


def _call_node(name: str, arguments: list[ast.expr], node: ast.AST) -> ast.expr:
    owner, _, own = name.rpartition(".")
    named = ast.Attribute(ast.Name(owner, ast.Load()), own, ast.Load()) if owner else ast.Name(name, ast.Load())
    call = ast.Call(named, arguments, [])
    return ast.fix_missing_locations(ast.copy_location(call, node))


def _is_loaded(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load)


def _place(file: str, node: ast.expr | ast.stmt | ast.pattern, call: Where | None) -> Where:
    end_line, end_column = cast(int, node.end_lineno), cast(int, node.end_col_offset)
    return Where(file, node.lineno, node.col_offset, end_line, end_column, call)


# --- budgets ----------------------------------------------------------------------------------------------------------


def _spending_of(
    node: ast.FunctionDef, file: str, adaptations: Adaptations, call: Where | None, spends: bool
) -> _BudgetQuestions | None:
    """How a function asks a budget: an action that has one by itself, or the step helper with its last guard."""
    if call is None:
        guards = adaptations.guards.get((file, node.name))
        return (
            None if guards is None else _BudgetQuestions(file, guards, call, node.args.args[0].arg, adaptations.calls)
        )
    every = frozenset[Where]().union(*adaptations.guards.values())
    return _BudgetQuestions(file, every, call, _DRAFT, adaptations.calls) if spends else None


class _BudgetQuestions:
    """Puts the question to a budget into a function. `calls` are the calls in which a step helper is to ask it."""

    def __init__(
        self, file: str, guards: frozenset[Where], call: Where | None, state: str, steps: frozenset[Where]
    ) -> None:
        self.file, self.call, self.state, self.steps = file, call, state, steps
        self.guards = [place for guard in guards if (place := self._guard_in_own_text(guard)) is not None]
        self.calls: set[Where] = set()

    def _guard_in_own_text(self, guard: Where) -> Where | None:
        """A guard's place in the function's own text: the call, for one in a step helper."""
        place: Where | None = guard
        while place is not None and place.call != self.call:
            place = place.call
        return place if place is not None and place.file == self.file else None

    def insert_into_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements that ask right after the last `require` of every path, as `roles.add_budget` does it."""
        last = max((at for at, node in enumerate(body) if self._has_require(node)), default=-1)
        if last < 0:
            return [self._budget_question(), *body]
        statement = body[last]
        if isinstance(statement, ast.Expr) and self._is_step(statement):
            self.calls.add(_place(self.file, statement.value, self.call))
            return body
        if isinstance(statement, ast.If):
            statement.body, statement.orelse = (
                self.insert_into_body(statement.body),
                self.insert_into_body(statement.orelse),
            )
            return body
        if isinstance(statement, ast.Match):
            self._insert_into_cases(statement)
            return body
        return [*body[: last + 1], self._budget_question(), *body[last + 1 :]]

    def _insert_into_cases(self, statement: ast.Match) -> None:
        for case in statement.cases:
            case.body = self.insert_into_body(case.body)
        statement.cases.append(ast.match_case(ast.MatchAs(), None, [self._budget_question()]))
        if isinstance(statement.cases[-2].pattern, ast.MatchAs) and statement.cases[-2].guard is None:
            statement.cases.pop()

    def _budget_question(self) -> ast.stmt:
        state = ast.Name(self.state, ast.Load())
        return ast.Expr(ast.Call(ast.Name("__spend__", ast.Load()), [state], []))

    def _is_step(self, statement: ast.Expr) -> bool:
        return _place(self.file, statement.value, self.call) in self.steps

    def _has_require(self, node: ast.stmt) -> bool:
        first, last = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
        return any(
            first <= (guard.line, guard.column) and (guard.end_line, guard.end_column) <= last for guard in self.guards
        )


def _has_set_display(code: CodeType) -> bool:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return (
        not _SET_DISPLAYS.isdisjoint(code.co_code[::2])
        or any(isinstance(constant, frozenset) for constant in code.co_consts)
        or any(map(_has_set_display, inner))
    )
