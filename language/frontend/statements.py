"""Statements: guards, local names, writes through a path from the state, and the flow between them."""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable
from types import FunctionType

from .. import declare, ir
from ..errors import AbandonedError
from ..steps import METHODS
from ..types import Int, Option, Pool, Seq, Subset, Type, Unit
from ..where import Where
from .expressions import elaborate_condition, elaborate_integer, fit_expression
from .helpers import assigned_names
from .intervals import hull_of, widened_interval
from .matching import common_type, fit_to_type, is_known, is_type_fitting, type_text_with_numbers, widen_type
from .narrowing import narrow_scope
from .places import written_place
from .scope import MISSING, Binding, Scope, elaborate_block, elaborate_expression, handles_statements
from .sources import Iteration, bind_target, elaborate_source, keep_iteration
from .steps import call_step, is_step_helper
from .type_text import describe
from .unions import unpack_tuple

StatementSink = list[ir.Statement]


# --- expression statements: guards, writes by method, things that only people see ------------------------------------


@handles_statements(ast.Expr)
def elaborate_expression_statement(scope: Scope, node: ast.Expr, sink: StatementSink) -> bool:
    """A docstring, `...`, a guard, a write by method, or a `print` that engines leave out."""
    if isinstance(node.value, ast.Constant):
        return False
    if not isinstance(node.value, ast.Call):
        elaborate_expression(scope, node.value)
        meant = "require(condition)" if scope.role == "action" else "return condition"
        raise scope.noted_error("TG114", node, "a value that nobody uses", f"name = value, or {meant}")
    call = node.value
    found = scope.module_value(call.func)
    if found is declare.require or found is declare.limit:
        _elaborate_guard(scope, call, sink, is_limit=found is declare.limit)
    elif found is builtins.print or found is builtins.breakpoint:
        return False
    elif isinstance(call.func, ast.Attribute) and scope.module_value(call.func.value) is MISSING:
        _write_by_method(scope, call, call.func, sink)
    elif isinstance(found, FunctionType) and is_step_helper(found):
        call_step(scope, found, call, sink)
    else:
        elaborate_expression(scope, call)
        raise scope.noted_error(
            "TG114", node, "a helper has no effect, and its value is not used", "name = helper(...)"
        )
    return False


def _elaborate_guard(scope: Scope, call: ast.Call, sink: StatementSink, *, is_limit: bool) -> None:
    word = "limit" if is_limit else "require"
    if scope.role in ("helper", "property") or (is_limit and scope.role == "initial"):
        hint = (
            "return a bool, and require(helper(...)) in the action"
            if scope.role == "helper"
            else "a condition in the value"
        )
        raise scope.noted_error("TG310", call, f"{word} guards the steps of an action", hint)
    if len(call.args) != 1 or call.keywords:
        raise scope.noted_error("TG211", call, f"{word} takes one condition", f"{word}(condition)")
    for part in _conjuncts(call.args[0]):
        try:
            value = elaborate_condition(scope, part)
        except AbandonedError:
            continue
        narrow_scope(scope, part, True)
        text, where = scope.source.text_of(part), scope.place_of(part)
        sink.append(ir.Limit(value, text, where) if is_limit else ir.Require(value, text, where))


def _conjuncts(node: ast.expr) -> list[ast.expr]:
    """The operands of a top-level `and`, each a guard of its own."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return [part for value in node.values for part in _conjuncts(value)]
    return [node]


def _write_by_method(scope: Scope, call: ast.Call, function: ast.Attribute, sink: StatementSink) -> None:
    if function.attr not in METHODS:
        elaborate_expression(scope, call)
        raise scope.noted_error(
            "TG119",
            call,
            f".{function.attr}(...) is not in the language",
            ", ".join(f".{method}(x)" for method in METHODS),
        )
    place = written_place(scope, function.value, call)
    usage = f"{ast.unparse(function)}(x)"
    if len(call.args) != 1 or call.keywords:
        raise scope.noted_error("TG211", call, f".{function.attr} takes one argument", usage)
    sink.append(_elaborate_method(scope, function, place, call.args[0], scope.place_of(call)))


def _elaborate_method(
    scope: Scope, function: ast.Attribute, place: ir.Place, argument: ast.expr, where: Where
) -> ir.Statement:
    match place.type, function.attr:
        case Seq(of=of), "append":
            return ir.Append(place, fit_expression(scope, argument, of), where)
        case Seq(), "truncate":
            return ir.Truncate(place, elaborate_integer(scope, argument), where)
        case ((Subset(of=of) | Pool(of=of)), "add"):
            return ir.Add(place, fit_expression(scope, argument, of), where)
        case ((Subset(of=of) | Pool(of=of)), ("discard" | "remove")):
            return ir.Remove(place, fit_expression(scope, argument, of), function.attr == "remove", where)
        case _:
            message = f"{describe(place.type)} has no method {function.attr}"
            raise scope.noted_error("TG119", function, message, _method_hint(place.type, ast.unparse(function.value)))


def _method_hint(type_: Type, path: str) -> str:
    match type_:
        case Seq():
            return f"{path}.append(x), or {path}.truncate(n)"
        case Subset() | Pool():
            return f"{path}.add(x), {path}.discard(x), or {path}.remove(x)"
        case _:
            return f"{path} = value"


# --- assignments -----------------------------------------------------------------------------------------------------


@handles_statements(ast.Assign)
def elaborate_assignment(scope: Scope, node: ast.Assign, sink: StatementSink) -> bool:
    """`name = value`, `s.field[key] = value`."""
    if len(node.targets) > 1:
        raise scope.noted_error("TG114", node, "one value is given to several targets", "one assignment for each")
    _elaborate_assign(scope, node.targets[0], node.value, node, sink)
    return False


@handles_statements(ast.AugAssign)
def elaborate_augmented_assignment(scope: Scope, node: ast.AugAssign, sink: StatementSink) -> bool:
    """`target += value` and its like: the target's value, and then the operator."""
    load = _load_of(node.target)
    value = ast.copy_location(ast.BinOp(load, node.op, node.value), node)
    _elaborate_assign(scope, node.target, value, node, sink)
    return False


def _load_of(node: ast.Name | ast.Attribute | ast.Subscript) -> ast.expr:
    made = copy.copy(node)
    made.ctx = ast.Load()
    return made


@handles_statements(ast.AnnAssign)
def elaborate_annotated_assignment(scope: Scope, node: ast.AnnAssign, sink: StatementSink) -> bool:
    """`name: Type = value`, which gives `None` and empty containers their type."""
    if node.value is None or not isinstance(node.target, ast.Name):
        raise scope.noted_error(
            "TG114", node, "an annotation gives a type to a local name that gets a value", "name: Type = value"
        )
    types, variables = scope.program.types, scope.variables
    declared = types.read_annotation(node.annotation, scope.source, scope.namespace, variables).type
    if declared is None:
        raise scope.noted_error("TG312", node, "the state is not a value to keep", "a field of it")
    try:
        value = fit_expression(scope, node.value, declared)
    except AbandonedError:
        scope.poison_name(node.target.id)
        raise
    _bind_local(scope, node.target.id, value, widen_type(declared, value.type), node, sink)
    return False


def _elaborate_assign(scope: Scope, target: ast.expr, value: ast.expr, node: ast.stmt, sink: StatementSink) -> None:
    if isinstance(target, ast.Name):
        _assign_name(scope, target, value, node, sink)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _assign_parts(scope, target, value, node, sink)
    elif isinstance(target, (ast.Attribute, ast.Subscript)):
        place = written_place(scope, target, node)
        sink.append(ir.Store(place, fit_expression(scope, value, place.type), scope.place_of(node)))
    else:
        raise scope.noted_error(
            "TG114", target, "several targets at once are not in the language", "one assignment for each"
        )


def _assign_parts(
    scope: Scope, target: ast.Tuple | ast.List, value: ast.expr, node: ast.stmt, sink: StatementSink
) -> None:
    """`a, b = value`: the value, and then each part goes to its target, from left to right."""
    try:
        parts = _elaborate_parts(scope, target, value, node)
    except AbandonedError:
        for inner in ast.walk(target):
            if isinstance(inner, ast.Name):
                scope.poison_name(inner.id)
        raise
    where, kept = scope.place_of(node), list[ir.Expr]()
    for part in parts:
        name = scope.fresh_name("part")
        sink.append(ir.Let(name, part, where))
        kept.append(ir.Name(name, part.type, where))
    for element, part in zip(target.elts, kept, strict=True):
        _assign_value(scope, element, part, node, sink)


def _elaborate_parts(scope: Scope, target: ast.Tuple | ast.List, value: ast.expr, node: ast.stmt) -> list[ir.Expr]:
    """The parts of a tuple that is taken apart: of one that is written there, each as its target needs it."""
    if not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts):
        return unpack_tuple(scope, elaborate_expression(scope, value), len(target.elts), target)
    parts: list[ir.Expr] = []
    for element, part in zip(target.elts, value.elts, strict=True):
        if isinstance(element, (ast.Attribute, ast.Subscript)):
            parts.append(fit_expression(scope, part, written_place(scope, element, node).type))
        else:
            before = scope.names.get(element.id) if isinstance(element, ast.Name) else None
            parts.append(elaborate_expression(scope, part, None if before is None else before.type))
    return parts


def _assign_value(scope: Scope, target: ast.expr, value: ir.Expr, node: ast.stmt, sink: StatementSink) -> None:
    """Gives a target a value that is there already."""
    if isinstance(target, ast.Name):
        _check_target(scope, target, node)
        _bind_local(scope, target.id, value, value.type, node, sink)
    elif isinstance(target, (ast.Attribute, ast.Subscript)):
        place = written_place(scope, target, node)
        sink.append(ir.Store(place, fit_to_type(scope, value, place.type, target), scope.place_of(node)))
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element, part in zip(target.elts, unpack_tuple(scope, value, len(target.elts), target), strict=True):
            _assign_value(scope, element, part, node, sink)
    else:
        raise scope.noted_error("TG114", target, "each part goes to one target", "a, b = pair")


def _assign_name(scope: Scope, target: ast.Name, value: ast.expr, node: ast.stmt, sink: StatementSink) -> None:
    _check_target(scope, target, node)
    before = scope.names.get(target.id)
    try:
        found = elaborate_expression(scope, value, before.type if before is not None else None)
    except AbandonedError:
        scope.poison_name(target.id)
        raise
    _bind_local(scope, target.id, found, found.type, node, sink)


def _check_target(scope: Scope, target: ast.Name, node: ast.stmt) -> None:
    before = scope.names.get(target.id)
    if before is not None and before.piece is not None:
        message = f"{target.id} is a piece of the state; it is changed by index or by a method"
        raise scope.noted_error("TG312", node, message, f"{target.id}[key] = value, {target.id}.add(x), ...")
    if target.id in scope.states:
        message = f"{target.id} is the state; it is changed field by field"
        raise scope.noted_error("TG312", node, message, f"{target.id}.field = value")


def _bind_local(scope: Scope, name: str, value: ir.Expr, type_: Type, node: ast.stmt, sink: StatementSink) -> None:
    before = scope.names.get(name)
    if isinstance(type_, Unit):
        scope.poison_name(name)
        raise scope.noted_error("TG214", node, "this None could be of any type", f"{name}: T | None = None")
    if not is_known(type_):
        scope.poison_name(name)
        raise scope.noted_error(
            "TG214",
            node,
            "the capacity of this container is not known",
            f"{name}: Annotated[Seq[T], Capacity(n)] = ...",
        )
    if before is None:
        binding = _first_binding(scope, name, type_)
    elif before.is_loop_variable:
        raise scope.noted_error(
            "TG213", node, f"{name} is a loop variable and keeps its value for the round", "another name"
        )
    else:
        binding = before
    if before is not None and before.type is not None:
        type_ = _type_after_rebinding(scope, name, before.type, type_, node)
        value = fit_to_type(scope, value, type_, node)
    scope.names[name] = Binding(binding.name, type_)
    sink.append(ir.Let(binding.name, value, scope.place_of(node)))


def _first_binding(scope: Scope, name: str, type_: Type) -> Binding:
    """One unique name for a local name in the whole function, whichever branch binds it first."""
    known = scope.locals.get(name)
    if known is None or known.type is None or not is_type_fitting(type_, known.type):
        scope.locals[name] = known = Binding(scope.fresh_name(name), type_)
    return Binding(known.name, type_)


def _type_after_rebinding(scope: Scope, name: str, before: Type, after: Type, node: ast.stmt) -> Type:
    if isinstance(before, Int) and isinstance(after, Int):
        return hull_of(widened_interval(), after) if name in scope.changing else after
    joined = common_type(before, after)
    if isinstance(before, Subset) and joined is not None:
        if joined == before:
            return before
        message = f"{name} was {type_text_with_numbers(before)}, and this has room for other numbers"
        raise scope.noted_error(
            "TG213", node, message, f"{name}: Set[N] = ... where it begins, N being a range of both"
        )
    if joined is None or (isinstance(joined, Option) and not isinstance(before, Option)):
        message = f"{name} was {describe(before)}, and this is {describe(after)}"
        raise scope.noted_error("TG213", node, message, "another name")
    return joined if isinstance(before, Option) or name in scope.changing else after


# --- control flow ----------------------------------------------------------------------------------------------------


@handles_statements(ast.Pass)
def elaborate_pass(scope: Scope, node: ast.Pass, sink: StatementSink) -> bool:
    """`pass`."""
    return False


@handles_statements(ast.Assert)
def elaborate_assertion(scope: Scope, node: ast.Assert, sink: StatementSink) -> bool:
    """`assert condition`."""
    sink.append(ir.Assert(elaborate_condition(scope, node.test), scope.source.text_of(node.test), scope.place_of(node)))
    narrow_scope(scope, node.test, True)
    return False


@handles_statements(ast.If)
def elaborate_branch(scope: Scope, node: ast.If, sink: StatementSink) -> bool:
    """`if`, `elif`, `else`."""
    try:
        test: ir.Expr | None = elaborate_condition(scope, node.test)
    except AbandonedError:
        test = None  # its mistake is noted; the branches may hold more
    ends: list[bool] = []

    def way(within: Scope, nodes: list[ast.stmt], truth: bool) -> tuple[tuple[ir.Statement, ...], bool]:
        inside, end = elaborate_block(narrow_scope(within, node.test, truth), nodes)
        ends.append(end)
        return inside, end

    end = elaborate_branches(
        scope, test, lambda s: way(s, node.body, True), lambda s: way(s, node.orelse, False), scope.place_of(node), sink
    )
    if any(ends) and not end:  # what follows is reached by the other way only
        narrow_scope(scope, node.test, ends[1])
    return end


Body = Callable[[Scope], "tuple[tuple[ir.Statement, ...], bool]"]


def elaborate_branches(
    scope: Scope, test: ir.Expr | None, yes: Body, no: Body, where: Where, sink: StatementSink
) -> bool:
    """An `If`, and the names as they are after it."""
    first, second = scope.inner_scope(), scope.inner_scope()
    taken, taken_ends = yes(first)
    other, other_ends = no(second)
    _merge_scopes(scope, first, taken_ends, second, other_ends)
    if test is not None:
        sink.append(ir.If(test, taken, other, where))
    return taken_ends and other_ends


def _merge_scopes(scope: Scope, first: Scope, first_ends: bool, second: Scope, second_ends: bool) -> None:
    """After a branch a name has a value if both ways gave it one; a way that returns does not count."""
    if first_ends or second_ends:
        scope.names = second.names if first_ends else first.names
        return
    merged: dict[str, Binding] = {}
    for name, one in first.names.items():
        other = second.names.get(name)
        if other is None or one == other:
            if other is not None:
                merged[name] = one
            continue
        if one.type is None or other.type is None:
            merged[name] = Binding(one.name, None)
        elif one.name == other.name and is_type_fitting(one.type, other.type):
            merged[name] = Binding(one.name, common_type(one.type, other.type))
    scope.names = merged


@handles_statements(ast.For)
def elaborate_loop(scope: Scope, node: ast.For, sink: StatementSink) -> bool:
    """`for x in ...`. A local name that the loop changes is widened first; its own names end with it."""
    if node.orelse:
        raise scope.noted_error("TG116", node.orelse[0], "a loop has no else", "the statements after the loop")
    _check_targets(scope, node.target)
    inner = scope.inner_scope()
    changed = assigned_names(node.body)
    inner.changing = scope.changing | (changed & scope.names.keys())
    for name in changed & scope.names.keys():
        inner.names[name] = _widen_binding(scope.names[name])
    over, conditions, variable = _elaborate_iteration(inner, node, sink)
    body, _ = elaborate_block(inner, node.body)
    for name in changed & scope.names.keys():
        scope.names[name] = inner.names.get(name, scope.names[name])
    if over is not None:
        if conditions:
            body = (ir.If(conditions[0], body, (), scope.place_of(node)),)
        sink.append(ir.For(variable, over.type, over.source, body, scope.place_of(node)))
    return False


def _check_targets(scope: Scope, target: ast.expr) -> None:
    """A loop's own names are new ones."""
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and (node.id in scope.names or node.id in scope.states):
            message = f"the loop would overwrite {node.id}"
            raise scope.noted_error("TG213", node, message, "a loop variable with a name of its own")


def _elaborate_iteration(
    scope: Scope, node: ast.For, sink: StatementSink
) -> tuple[Iteration | None, tuple[ir.Expr, ...], str]:
    """What a loop ranges over, its names bound; None after a mistake, which is noted: the body may hold more."""
    try:
        over, first = keep_iteration(scope, elaborate_source(scope, node.iter), scope.place_of(node))
        binding, conditions = bind_target(scope, node.target, over)
    except AbandonedError:
        for inner in ast.walk(node.target):
            if isinstance(inner, ast.Name):
                scope.poison_name(inner.id)
        return None, (), ""
    sink += first
    return over, conditions, binding.name


def _widen_binding(binding: Binding) -> Binding:
    if not isinstance(binding.type, Int):
        return binding
    return Binding(binding.name, hull_of(widened_interval(), binding.type), binding.is_loop_variable)


@handles_statements(ast.Return)
def elaborate_return(scope: Scope, node: ast.Return, sink: StatementSink) -> bool:
    """`return value`, in a helper or a property."""
    if scope.call is not None:
        raise scope.noted_error("TG115", node, *_no_early_return_advice(node))
    if scope.role == "action":
        message = "an action has no value, and a loop in it runs to its end"
        raise scope.noted_error("TG115", node, message, "if ...: return outside of a loop, or require(condition)")
    if scope.role == "initial":
        raise scope.noted_error(
            "TG115", node, "an @initial function returns once, at its end", "if ...: names, and one return at the end"
        )
    assert scope.returns is not None
    if node.value is None:
        raise scope.noted_error(
            "TG203", node, f"nothing is returned, and {describe(scope.returns)} is needed", "return value"
        )
    try:
        value = fit_expression(scope, node.value, scope.returns)
    except AbandonedError:
        return True
    if scope.returned and not is_type_fitting(value.type, scope.returned[0]):
        message = (
            f"this is {type_text_with_numbers(value.type)}, and another return gives "
            f"{type_text_with_numbers(scope.returned[0])}"
        )
        raise scope.noted_error("TG203", node, message, "-> Set[N], N being a range of both")
    scope.returned.append(value.type)
    sink.append(ir.Return(value, scope.place_of(node)))
    return True


def _no_early_return_advice(node: ast.Return) -> tuple[str, str]:
    """Why a `return` in a step helper is not an early one, and what to write."""
    if node.value is not None:
        return "this helper says that it returns nothing", "-> the type of its value, and no writes"
    return (
        "a loop runs to its end, and a helper returns outside of it",
        "the loop over what comes before: for x in ...: if ...: a write",
    )


# --- what is not in the language -------------------------------------------------------------------------------------


@handles_statements(ast.While)
def _refuse_while(scope: Scope, node: ast.While, sink: StatementSink) -> bool:
    scope.note_mistake("TG101", node, "while may run for ever, and every step has to end", "for i in range(n): ...")
    return _refuse_block(scope, node.body)


@handles_statements(ast.Try, ast.TryStar, ast.Raise)
def _refuse_exception(scope: Scope, node: ast.Try | ast.TryStar | ast.Raise, sink: StatementSink) -> bool:
    scope.note_mistake(
        "TG102", node, "steps do not raise or catch exceptions", "require(condition), or assert condition"
    )
    return isinstance(node, ast.Raise) or _refuse_block(scope, node.body)


@handles_statements(ast.With)
def _refuse_with(scope: Scope, node: ast.With, sink: StatementSink) -> bool:
    scope.note_mistake("TG114", node, "a step has nothing to open or to close", "the statements inside it")
    return _refuse_block(scope, node.body)


def _refuse_block(scope: Scope, nodes: list[ast.stmt]) -> bool:
    """Looks for further mistakes inside a statement that is refused; its names cause no more messages."""
    elaborate_block(scope.inner_scope(), nodes)
    for name in assigned_names(nodes):
        scope.poison_name(name)
    return False


@handles_statements(ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)
def _refuse_definition(
    scope: Scope, node: ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef, sink: StatementSink
) -> bool:
    scope.poison_name(node.name)
    raise scope.noted_error(
        "TG104", node, "functions and classes stand at module level", "a helper at module level, with parameters"
    )


@handles_statements(ast.Break, ast.Continue)
def _refuse_jump(scope: Scope, node: ast.stmt, sink: StatementSink) -> bool:
    word = "break" if isinstance(node, ast.Break) else "continue"
    hint = "any(...), min(...), or a helper that returns" if word == "break" else "if condition: ..."
    raise scope.noted_error("TG109", node, f"{word} is not in the language", hint)
