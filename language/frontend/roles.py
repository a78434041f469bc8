"""Marked functions as a whole: actions, initial functions, properties, and the sentences in actions' docstrings."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from dataclasses import replace
from types import FunctionType

from .. import ir
from ..declare import ghosts_of
from ..errors import AbandonedError, Diagnostics
from ..forms import ActionForm, InitialForm, Parameter
from ..immutable import immutable
from ..steps import returns_as_branches
from ..types import Bool, Enumeration, Identity, Int, Unit
from ..where import Where
from . import calls, comparisons, patterns, statements
from .blank import blank_value
from .effects import check_writes
from .folding import Folder
from .helpers import CallSignature, assigned_names, call_on_state, function_form, names_rebound, read_signature
from .parameters import parameters_of
from .record_calls import record_arguments
from .rules import Ghosts, check_order, drop_ghost_writes, drop_names
from .scope import Program, Role, Scope, StateShape, elaborate_block, elaborate_expression
from .source import Source, source_of_function
from .traversal import fields_read, fields_written, traverse_forms
from .type_text import describe

PHASES = (calls, comparisons, patterns, statements)
"""Imported so that they register what they elaborate."""


@immutable
class ElaboratedFunction:
    """A function's typed form before folding, with what the ghost rule found out about it. `arguments` are the names
    that keep the arguments of step helpers."""

    body: tuple[ir.Statement, ...]
    ghosts: Ghosts
    arguments: frozenset[str] = frozenset()

    def drop_ghosts(self, ghost_fields: frozenset[str], body: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        """`body`, which is this text or made from it, without what only serves these ghost fields."""
        ghosts = Ghosts(ghost_fields, Diagnostics())
        ghosts.check_body(self.body)
        return self._drop_unused_arguments(body, drop_ghost_writes(body, ghosts))

    def _drop_unused_arguments(
        self, before: tuple[ir.Statement, ...], after: tuple[ir.Statement, ...]
    ) -> tuple[ir.Statement, ...]:
        """Without the arguments of step helpers that were there for ghosts only."""
        used = self.arguments & _names_read(before)
        while used:
            kept = drop_names(after, used - _names_read(after))
            if kept == after:
                break
            after = kept
        return after

    def is_dependent_on(self, fields: Set[str]) -> bool:
        """Whether anything but these ghost fields themselves depends on one of them."""
        notes = Diagnostics()
        Ghosts(frozenset(fields), notes).check_body(self.body)
        return bool(notes.first_message())


def _names_read(body: tuple[ir.Statement, ...]) -> frozenset[str]:
    return frozenset(node.name for node in traverse_forms(*body, helpers=False) if isinstance(node, ir.Name))


def locate_function(program: Program, function: FunctionType) -> tuple[Source, ast.FunctionDef]:
    """A collected function's text. Raises AbandonedError after noting TG008 when there is none."""
    code = function.__code__
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        where = Where(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 1)
        message = f"{function.__name__} is an `async def`, and nothing of a model waits: a step happens at once"
        program.diagnostics.add("TG114", where, message, f"def {function.__name__}(...)")
        raise AbandonedError
    found = source_of_function(function)
    if found is None:
        message = f"{function.__name__} has no text at {code.co_filename}:{code.co_firstlineno}"
        where = Where(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)
        program.diagnostics.add(
            "TG008", where, message, "a function written in a file, unchanged since it was imported"
        )
        raise AbandonedError
    return found


def heading_place(source: Source, node: ast.FunctionDef) -> Where:
    """The place of a function's `def name`."""
    where = source.where(node)
    return Where(where.file, where.line, where.column, where.line, where.column + len(f"def {node.name}"))


def _read_role_signature(program: Program, function: FunctionType, states: int, role: str) -> CallSignature:
    """A role's signature: so many parameters for the state come first, and no others do."""
    source, node = locate_function(program, function)
    its = read_signature(program, function, source, node)
    if node.args.defaults:
        message = f"{node.name} is {role}: every value of its parameters is tried, and none is a default"
        program.diagnostics.add("TG122", source.where(node.args.defaults[0]), message, "a parameter without a default")
        raise AbandonedError
    kinds = [type_ is None for _, type_ in its.parameters]
    if kinds[:states] != [True] * states or any(kinds[states:]):
        name = program.shape.name
        wanted = {0: "no state parameter", 1: f"the state first: s: {name}", 2: f"before: {name}, after: {name}"}[
            states
        ]
        hint = _USAGE[role].format(name) + (_ROLE_ADVICE.get((role, len(kinds)), "") if all(kinds) else "")
        program.diagnostics.add(
            "TG311", heading_place(source, node), f"{node.name} is {role}, and takes {wanted}", hint
        )
        raise AbandonedError
    if len(kinds) > states > 0 and role not in ("an action", *_LIVENESS_NAMES.values()):
        extra = node.args.args[states]
        message = f"{node.name} is {role}, and {extra.arg} is not a state: nothing says which {extra.arg} is meant"
        hint = f"all(... for {extra.arg} in ...) or any(... for {extra.arg} in ...) over the states alone"
        program.diagnostics.add("TG311", source.where(extra), message, hint)
        raise AbandonedError
    return its


_ROLE_ADVICE = {
    ("an invariant", 2): "; or @transition, for what holds of every step",
    ("a transition", 1): "; or @invariant, for what holds of every state",
}
"""The role that was meant where a function takes as many states as another one."""
_USAGE = {
    "an action": "def act(s: {0}, replica: Replica) -> None",
    "an initial function": "def start() -> {0}",
    "an invariant": "def holds(s: {0}) -> bool",
    "a lemma": "def holds(s: {0}) -> bool, or of a step: def keeps(before: {0}, after: {0}) -> bool",
    "a reachable": "def happens(s: {0}) -> bool",
    "a terminal": "def may_end(s: {0}) -> bool",
    "a bound": "def within(s: {0}) -> bool, or of a step: def slow(before: {0}, after: {0}) -> bool",
    "a transition": "def grows(before: {0}, after: {0}) -> bool",
    **dict.fromkeys(
        (
            "an always_possible",
            "a leads_to",
            "an initially_leads_to",
            "a leads_to_always",
            "an always_eventually",
            "an eventually_always",
        ),
        "def happens(s: {0}) -> bool",
    ),
    "a projection": "def seen_as(s: {0}) -> tuple[Replica, bool]",
}


def _scope_of_body(program: Program, its: CallSignature, role: Role, skip: int) -> Scope:
    scope = Scope(program, its.source, its.function.__globals__, role)
    scope.assigned, scope.rebound = assigned_names(its.node.body), names_rebound(its.node)
    for node, _type in its.parameters[:skip]:
        scope.states[node.arg] = node.arg
        scope.used.add(node.arg)
    for node, type_ in its.parameters[skip:]:
        scope.bind_name(node.arg, None if node.arg in its.broken else type_)
    return scope


# --- actions and initial functions -----------------------------------------------------------------------------------


@immutable
class ActionText:
    """An action elaborated and checked, not yet folded."""

    its: CallSignature
    parameters: tuple[Parameter, ...]
    elaborated_function: ElaboratedFunction

    def form(self, folder: Folder, left_out: frozenset[str], budget: str | None) -> ActionForm:
        """The action's typed form, folded, without the ghosts in `left_out`, its fault budget spent in it."""
        body = folder.fold_body(self.elaborated_function.body)
        if left_out:
            body = folder.fold_body(self.elaborated_function.drop_ghosts(left_out, body))
        where = heading_place(self.its.source, self.its.node)
        state = self.its.parameters[0][0].arg
        reads = frozenset(fields_read(*body)) | {
            parameter.pool for parameter in self.parameters if parameter.pool is not None
        }
        written = fields_written(body)
        if budget is not None:
            reads, written = reads | {budget_field(budget)}, written | {budget_field(budget)}
        return ActionForm(self.its.node.name, state, self.parameters, body, reads, written, where)


def elaborate_action(program: Program, function: FunctionType) -> ActionText:
    """Elaborates an action and checks the rules of a step. Raises AbandonedError when nothing useful came of it."""
    its = _read_role_signature(program, function, 1, "an action")
    parameters = parameters_of(program, its, 1)
    scope, errors = _scope_of_body(program, its, "action", 1), program.diagnostics.count
    body, _ends = elaborate_block(scope, returns_as_branches(its.node.body))
    if program.diagnostics.count == errors:
        check_writes(scope, its.node, body)
    check_order(body, program.diagnostics)
    ghosts = Ghosts(program.shape.ghosts, program.diagnostics)
    ghosts.check_body(body)
    check_sentence(program, its, _scope_of_body(program, its, "sentence", 1))
    body = (*_limits_of_bounds(program, its.parameters[0][0].arg), *body)
    return ActionText(its, parameters, ElaboratedFunction(body, ghosts, frozenset(scope.arguments)))


def _limits_of_bounds(program: Program, state: str) -> Iterator[ir.Limit]:
    """The limits that the model's `@bound` predicates put before every action. Mistakes in them are noted elsewhere."""
    for function in program.bounds:
        with suppress(AbandonedError):
            its = _read_role_signature(program, function, 1, "a bound")
            condition, where = call_on_state(program, its, state), heading_place(its.source, its.node)
            yield ir.Limit(condition, f"@bound {function.__name__}", where, bound_name=function.__name__)


@immutable
class InitialText:
    """An initial function elaborated and checked, not yet folded."""

    its: CallSignature
    parameters: tuple[Parameter, ...]
    elaborated_function: ElaboratedFunction
    result: ir.MakeState

    def form(
        self, folder: Folder, fields: Iterable[str], left_out: frozenset[str], extra: tuple[ir.Expr, ...]
    ) -> InitialForm:
        """The typed form: of the state's `fields` those that are not `left_out`, then those that the fault budgets
        add."""
        body = folder.fold_body(self.elaborated_function.body)
        if left_out:
            body = folder.fold_body(self.elaborated_function.drop_ghosts(left_out, body))
        named = zip(fields, self.result.fields, strict=True)
        kept = [folder.fold_part(term) for name, term in named if name not in left_out]
        result = ir.MakeState((*kept, *extra), self.result.where)
        return InitialForm(
            self.its.node.name, self.parameters, body, result, heading_place(self.its.source, self.its.node)
        )


def elaborate_initial(program: Program, function: FunctionType) -> InitialText:
    """Elaborates an initial function. Raises AbandonedError when nothing useful came of it."""
    its = _read_role_signature(program, function, 0, "an initial function")
    parameters = parameters_of(program, its, 0)
    scope = _scope_of_body(program, its, "initial", 0)
    *before, last = its.node.body
    body, _ends = elaborate_block(scope, before)
    ghosts = Ghosts(program.shape.ghosts, program.diagnostics)
    if not isinstance(last, ast.Return) or not _is_state_construction(scope, last.value):
        name = program.shape.name
        raise scope.noted_error(
            "TG115", last, f"an @initial function ends by returning a {name}", f"return {name}(field=..., ...)"
        )
    assert isinstance(last.value, ast.Call)
    call = last.value
    if program.shape.broken:
        raise AbandonedError
    shape = program.shape
    defaults = {name: vars(shape.python)[name] for name in shape.fields if name in vars(shape.python)}
    fields = record_arguments(
        scope, dict(shape.fields), shape.name, call, defaults, _blank_ghosts(shape, scope.place_of(call))
    )
    _check_initial_ghosts(program, ghosts, body, fields)
    elaborated = ElaboratedFunction(body, ghosts, frozenset(scope.arguments))
    return InitialText(its, parameters, elaborated, ir.MakeState(tuple(fields), scope.place_of(call)))


def _blank_ghosts(shape: StateShape, where: Where) -> dict[str, ir.Expr]:
    """What the ghosts of classes of their own begin with."""
    ghosts = (name for cls in ghosts_of(shape.python) for name in cls.__annotations__)
    found = ((name, blank_value(shape.fields[name], where)) for name in ghosts)
    return {name: value for name, value in found if value is not None}


def _is_state_construction(scope: Scope, node: ast.expr | None) -> bool:
    return isinstance(node, ast.Call) and scope.module_value(node.func) is scope.program.shape.python


def _check_initial_ghosts(
    program: Program, ghosts: Ghosts, body: tuple[ir.Statement, ...], fields: list[ir.Expr]
) -> None:
    """No initial function reads a state, so that only its own names could carry one: there are no ghosts to follow."""
    ghosts.check_body(body)
    assert not fields_read(*fields), "an initial function has no state to read"


# --- properties ------------------------------------------------------------------------------------------------------


def elaborate_predicate(program: Program, function: FunctionType, role: str) -> ir.Function:
    """Elaborates an invariant, a lemma, a witness, a terminal predicate, or a transition property."""
    two = role == "transition" or (role in ("lemma", "bound") and is_about_steps(function))
    its = _read_role_signature(program, function, 2 if two else 1, _ROLE_NAMES[role])
    if not isinstance(its.returns, Bool):
        usage = _USAGE[_ROLE_NAMES[role]].format(program.shape.name)
        message = f"{its.node.name} is {_ROLE_NAMES[role]}: a bool about the state, and nothing else"
        program.diagnostics.add("TG311", heading_place(its.source, its.node), message, usage)
        raise AbandonedError
    return _elaborate_on_states(program, its)


def elaborate_projection(program: Program, function: FunctionType) -> ir.Function:
    """Elaborates a projection, whose value may be of any type of data."""
    program.types.of_projection = True
    try:
        its = _read_role_signature(program, function, 1, "a projection")
    finally:
        program.types.of_projection = False
    if its.returns is None or isinstance(its.returns, Unit):
        message = f"{its.node.name} is a projection: a value of the state, and not the state itself"
        usage = _USAGE["a projection"].format(program.shape.name)
        program.diagnostics.add("TG311", heading_place(its.source, its.node), message, usage)
        raise AbandonedError
    return _elaborate_on_states(program, its)


def _elaborate_on_states(program: Program, its: CallSignature) -> ir.Function:
    """The typed form of a function that takes states and nothing else."""
    names = {node.arg: node.arg for node, _ in its.parameters}
    program.stack.append(its.function)
    try:
        form = function_form(program, its, "property", names, ())
    finally:
        program.stack.pop()
    return replace(form, where=heading_place(its.source, its.node))


def is_about_steps(function: FunctionType) -> bool:
    """Whether a lemma or a bound is about the states before and after a step, and not about one state."""
    return function.__code__.co_argcount == 2


_ROLE_NAMES = {
    "invariant": "an invariant",
    "lemma": "a lemma",
    "reachable": "a reachable",
    "terminal": "a terminal",
    "bound": "a bound",
    "transition": "a transition",
}

_LIVENESS_NAMES = {
    "always_possible": "an always_possible",
    "leads_to": "a leads_to",
    "initially_leads_to": "an initially_leads_to",
    "leads_to_always": "a leads_to_always",
    "always_eventually": "an always_eventually",
    "eventually_always": "an eventually_always",
}


def elaborate_on_runs(program: Program, function: FunctionType, role: str) -> ir.Function:
    """Elaborates a predicate of a property of liveness: over a state, and over parameters that stand for all their
    values."""
    its = _read_role_signature(program, function, 1, _LIVENESS_NAMES[role])
    if not isinstance(its.returns, Bool):
        usage = _USAGE[_LIVENESS_NAMES[role]].format(program.shape.name)
        message = f"{its.node.name} is {_LIVENESS_NAMES[role]}: a bool about the state and its parameters"
        program.diagnostics.add("TG311", heading_place(its.source, its.node), message, usage)
        raise AbandonedError
    named = tuple((parameter.name, parameter.type) for parameter in parameters_of(program, its, 1))
    for node, type_ in its.parameters[1:]:
        if not isinstance(type_, Int | Bool | Enumeration | Identity):
            message = f"{node.arg} is {describe(type_)}, and what is claimed is claimed of each of its values"
            program.diagnostics.add(
                "TG308", its.source.where(node), message, "a domain, an enum, a bool, or an int with a Range"
            )
            raise AbandonedError
    state = its.parameters[0][0].arg
    program.stack.append(its.function)
    try:
        form = function_form(program, its, "property", {state: state}, named)
    finally:
        program.stack.pop()
    return replace(form, where=heading_place(its.source, its.node))


# --- fault budgets ---------------------------------------------------------------------------------------------------


def budget_field(constant: str) -> str:
    """The state field that holds what is left of a fault budget."""
    return f"{constant}_left"


def add_budget(form: ActionForm, constant: str, type_: Int) -> ActionForm:
    """The action with its budget: a limit after its last guard, and one less at its end."""
    where = form.where
    field = budget_field(constant)
    left = ir.StateField(form.state, field, type_, where)
    zero, one = ir.Const(0, Int(0, 0), where), ir.Const(1, Int(1, 1), where)
    some = ir.Compare(">", left, zero, Bool(), where)
    guard = ir.Limit(some, f"{field} > 0", where, constant)
    less = ir.Arithmetic("-", left, one, Int(type_.lo - 1, type_.hi - 1), where)
    store = ir.Store(ir.Place(field, (), type_, where), less, where)
    return replace(form, body=(*_insert_after_guards(form.body, guard), store))


def _insert_after_guards(body: tuple[ir.Statement, ...], guard: ir.Limit) -> tuple[ir.Statement, ...]:
    """The guard put in right after the last `require` of every path."""
    last = max((at for at, node in enumerate(body) if _has_require(node)), default=-1)
    if last < 0:
        return (guard, *body)
    statement = body[last]
    if isinstance(statement, ir.If):
        inner = replace(
            statement, yes=_insert_after_guards(statement.yes, guard), no=_insert_after_guards(statement.no, guard)
        )
        return (*body[:last], inner, *body[last + 1 :])
    return (*body[: last + 1], guard, *body[last + 1 :])


def _has_require(statement: ir.Statement) -> bool:
    match statement:
        case ir.Require():
            return True
        case ir.If(yes=yes, no=no):
            return any(_has_require(inner) for inner in yes + no)
        case ir.For(body=body):
            return any(_has_require(inner) for inner in body)
        case _:
            return False


# --- sentences -------------------------------------------------------------------------------------------------------


def first_doc_line(doc: str | None) -> str:
    """A docstring's first line; "" without one."""
    return next((line.strip() for line in (doc or "").splitlines() if line.strip()), "")


def check_sentence(program: Program, its: CallSignature, scope: Scope) -> None:
    """Elaborates what stands in braces in an action's sentence; TG309 where it cannot be evaluated."""
    line = first_doc_line(ast.get_docstring(its.node))
    docstring = its.node.body[0]
    for text, start in fields_in_sentence(line):
        where = _place_in_docstring(its.source, docstring, line, start, len(text))
        problem = _field_problem(program, scope, text)
        if problem:
            program.diagnostics.add(
                "TG309", where, problem, "{parameter}, {s.field}, or any expression over them; {{ for a brace"
            )


def fields_in_sentence(line: str) -> Iterator[tuple[str, int]]:
    """What stands in braces in a sentence, and where it begins; `{{` and `}}` are plain braces."""
    at = 0
    while at < len(line):
        if line.startswith(("{{", "}}"), at):
            at += 2
        elif line[at] == "{":
            end, depth = at + 1, 1
            while end < len(line) and depth:
                depth += {"{": 1, "}": -1}.get(line[end], 0)
                end += 1
            yield ("{", at) if depth else (line[at + 1 : end - 1], at + 1)
            at = end
        elif line[at] == "}":
            yield "}", at
            at += 1
        else:
            at += 1


def _field_problem(program: Program, scope: Scope, text: str) -> str:
    """Why a field cannot be evaluated, or ""."""
    if text in ("{", "}"):
        return "this brace is never closed" if text == "{" else "this brace closes nothing"
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return f"{{{text}}} is not an expression"
    own = Diagnostics()
    outside, program.diagnostics = program.diagnostics, own
    try:
        _elaborate_words(scope, node)
    except AbandonedError:
        pass
    finally:
        program.diagnostics = outside
    return own.first_message()


def _elaborate_words(scope: Scope, node: ast.expr) -> None:
    """Elaborates what is shown: an expression, or texts between which conditions choose."""
    if isinstance(node, ast.IfExp):
        elaborate_expression(scope, ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test))
        for branch in (node.body, node.orelse):
            if not (isinstance(branch, ast.Constant) and isinstance(branch.value, str)):
                _elaborate_words(scope, branch)
    else:
        elaborate_expression(scope, node)


def _place_in_docstring(source: Source, node: ast.stmt, line: str, start: int, length: int) -> Where:
    """Where a piece of the sentence stands in the file; the whole docstring when it is not written there literally."""
    for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
        text = source.lines[number - 1]
        column = text.find(line)
        if column >= 0:
            before = len(text[: column + start].encode())
            return Where(source.path, number, before, number, before + len(line[start : start + length].encode()))
    return source.where(node)
