"""Helper functions: each is elaborated once for the types of its arguments and the states it is given."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import FunctionType
from typing import Any, cast

from .. import ir
from ..constants import Constant, ConstantExpression
from ..declare import PRIVATE, depth_of, is_of_language, mark_of
from ..errors import AbandonedError
from ..immutable import immutable
from ..kinds import Domain
from ..types import Bool, Int, Option, Pool, Seq, Type, Unit
from ..where import Where
from .intervals import is_inside, widened_interval
from .matching import common_type, fit_to_type, is_type_fitting, widen_type
from .scope import Program, Role, Scope, elaborate_block, elaborate_expression
from .source import Source, source_of_function
from .type_text import describe


@immutable
class CallSignature:
    """A function's text and its parameters in order: None is the type of a parameter that takes the state.

    The types of `broken` parameters are wrong, which is noted.
    """

    function: Any  # a FunctionType, which as the type of an attribute would mean a method
    source: Source
    node: ast.FunctionDef
    parameters: tuple[tuple[ast.arg, Type | None], ...]
    returns: Type | None
    broken: frozenset[str] = frozenset()


def assigned_names(nodes: list[ast.stmt]) -> frozenset[str]:
    """Every name that these statements bind, comprehensions' own variables left out."""
    return frozenset(_assigned_names(nodes))


def names_rebound(node: ast.FunctionDef) -> frozenset[str]:
    """Every name that a function binds more than once, where its parameters are bound once before its body."""
    times = Counter([*_assigned_names(node.body), *(argument.arg for argument in node.args.args)])
    return frozenset(name for name, count in times.items() if count > 1)


def _assigned_names(nodes: list[ast.stmt]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Assign(targets=targets):
                yield from (name for target in targets for name in _stored_names(target))
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name)):
                yield name
            case ast.For(target=target, body=body, orelse=orelse):
                yield from (inner.id for inner in ast.walk(target) if isinstance(inner, ast.Name))
                yield from _assigned_names(body + orelse)
            case ast.If(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
                yield from _assigned_names(body + orelse)
            case ast.Match(cases=cases):
                for case in cases:
                    captures = (inner.name for inner in ast.walk(case.pattern) if isinstance(inner, ast.MatchAs))
                    yield from (name for name in captures if name is not None)
                    yield from _assigned_names(case.body)
            case _:
                pass


def _stored_names(target: ast.expr) -> Iterator[str]:
    return (node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))


def read_signature(
    program: Program,
    function: FunctionType,
    source: Source,
    node: ast.FunctionDef,
    variables: Mapping[Any, Type] | None = None,
) -> CallSignature:
    """Reads a function's annotations, and notes what is wrong with them. Raises AbandonedError when little is left.

    `variables` are the types that its type variables stand for.
    """
    _check_shape(program, source, node)
    parameters: list[tuple[ast.arg, Type | None]] = []
    broken: set[str] = set()
    for argument in node.args.args:
        try:
            parameters.append((argument, _parameter_type(program, function, source, argument, variables)))
        except AbandonedError:
            parameters.append((argument, Unit()))
            broken.add(argument.arg)
    returns = _return_type(program, function, source, node, variables)
    return CallSignature(function, source, node, tuple(parameters), returns, frozenset(broken))


def _check_shape(program: Program, source: Source, node: ast.FunctionDef) -> None:
    arguments = node.args
    extra = [*arguments.posonlyargs, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    odd = next((parameter for parameter in extra if parameter is not None), None)
    if odd is not None:
        message = f"{odd.arg} is not an ordinary parameter"
        program.diagnostics.add("TG122", source.where(odd), message, "plain parameters, each with its type")
        raise AbandonedError


def _parameter_type(
    program: Program, function: FunctionType, source: Source, node: ast.arg, variables: Mapping[Any, Type] | None
) -> Type | None:
    if node.annotation is None:
        hint = f"{node.arg}: Replica, or {node.arg}: {program.shape.name} for the state"
        program.diagnostics.add("TG210", source.where(node), f"{node.arg} has no type", hint)
        raise AbandonedError
    return program.types.read_annotation(node.annotation, source, function.__globals__, variables).type


def _return_hint(function: FunctionType) -> str:
    mark = mark_of(function)
    if mark is None:
        return "-> bool, or the type of its value; -> None for a helper that acts"
    return {"action": "-> None", "initial": "-> the @state class", "projection": "-> the type of its value"}.get(
        mark.role, "-> bool"
    )


def _return_type(
    program: Program,
    function: FunctionType,
    source: Source,
    node: ast.FunctionDef,
    variables: Mapping[Any, Type] | None,
) -> Type | None:
    if node.returns is None:
        where = source.where(node)
        heading = Where(where.file, where.line, where.column, where.line, where.column + len(f"def {node.name}"))
        program.diagnostics.add("TG210", heading, f"{node.name} does not say what it returns", _return_hint(function))
        raise AbandonedError
    return program.types.read_annotation(node.returns, source, function.__globals__, variables).type


# --- calls -----------------------------------------------------------------------------------------------------------


def call_helper(scope: Scope, function: FunctionType, node: ast.Call) -> ir.Expr:
    """A call of a helper with these arguments."""
    program = scope.program
    found = source_of_function(function)
    if found is None:
        raise scope.noted_error(
            "TG008", node, f"the text of {function.__name__} cannot be found", "a function written in a file"
        )
    is_too_deep = program.stack.count(function) > _recursion_depth(scope, function, node)
    variables = bound_variables(scope, function, *found, node)
    its = read_signature(program, function, *found, variables)
    if its.broken:
        raise AbandonedError
    states, arguments = _bind_arguments(scope, its, node)
    if is_too_deep and its.returns is not None:
        return _too_deep(its.returns, scope.place_of(node.func))
    made = _elaborate_call(program, its, states, tuple(argument.type for argument in arguments), variables)
    return ir.Call(made, tuple(arguments), made.returns, scope.place_of(node))


def _recursion_depth(scope: Scope, function: FunctionType, node: ast.Call) -> int:
    """How deep a function may call itself here; 0 for one that does not do so."""
    depth = depth_of(function)
    if depth is None:
        if function in scope.program.stack:
            hint = f"@recursive(depth=n) above {function.__name__}, or a loop over a bounded range"
            raise scope.noted_error("TG106", node, f"{function.__name__} calls itself", hint)
        return 0
    opened = sorted(depth.names() & scope.program.types.open)
    if opened:
        message = f"how deep {function.__name__} calls itself depends on {opened[0]}, which is not given a value"
        raise scope.noted_error("TG106", node, message, f"a value for {opened[0]}, or a number for the depth")
    return depth.value(scope.program.values)


def _too_deep(returns: Type, where: Where) -> ir.Expr:
    """A value that there is not: evaluated, it is an error of the model."""
    of = returns.of if isinstance(returns, Option) else returns
    if isinstance(of, Int):
        of = Int(0, 0)
    elif isinstance(of, (Seq, Pool)):
        of = replace(of, capacity=max(of.capacity, 0))
    value = ir.Unwrap(ir.Const(0, Option(of), where), of, where)
    return ir.Some(value, Option(of), where) if isinstance(returns, Option) else value


def call_on_state(program: Program, its: CallSignature, state: str) -> ir.Call:
    """A predicate over one state, asked of the state that the caller calls `state`."""
    ((parameter, _),) = its.parameters
    made = _elaborate_call(program, its, {parameter.arg: state}, (), {})
    return ir.Call(made, (), Bool(), its.source.where(its.node))


def bound_variables(
    scope: Scope, function: FunctionType, source: Source, node: ast.FunctionDef, call: ast.Call
) -> dict[Any, Type]:
    """What a helper's type variables stand for in a call: the types of the arguments say it."""
    types, variables = scope.program.types, dict[Any, Type]()
    annotated = [parameter for parameter in node.args.args if parameter.annotation is not None]
    generic = [
        parameter
        for parameter in annotated
        if types.has_variables(cast(ast.expr, parameter.annotation), source, function.__globals__)
    ]
    if not generic:
        return variables
    arguments = bind_arguments(scope, node, source, function, call)
    for parameter in generic:
        where, argument = arguments[parameter.arg]
        found, wanted = elaborate_expression(where, argument).type, cast(ast.expr, parameter.annotation)
        if not types.infer_variables(wanted, source, function.__globals__, found, variables):
            message = f"this is {describe(found)}, and {ast.unparse(wanted)} is needed"
            raise scope.noted_error("TG203", argument, message, f"a value of {ast.unparse(wanted)}")
    return variables


def _bind_arguments(scope: Scope, its: CallSignature, node: ast.Call) -> tuple[dict[str, str], list[ir.Expr]]:
    """The caller's state for each state parameter, and the other arguments in order."""
    values = bind_arguments(scope, its.node, its.source, its.function, node)
    states: dict[str, str] = {}
    arguments: list[ir.Expr] = []
    for parameter, type_ in its.parameters:
        where, argument = values[parameter.arg]
        if type_ is not None:
            value = elaborate_expression(where, argument, type_)
            arguments.append(fit_to_type(where, value, type_, argument))
        elif (state := scope.state_called(argument)) is not None:
            states[parameter.arg] = state
        else:
            raise scope.noted_error(
                "TG203", argument, f"{its.node.name} needs the state itself here", "the caller's own state parameter"
            )
    return states, arguments


def bind_arguments(
    scope: Scope, helper: ast.FunctionDef, source: Source, function: FunctionType, node: ast.Call
) -> dict[str, tuple[Scope, ast.expr]]:
    """Each parameter's argument, and the scope to read it in: a default is read where the helper stands."""
    names = [parameter.arg for parameter in helper.args.args]
    hint = f"{helper.name}({', '.join(names)})"
    if len(node.args) > len(names) or any(isinstance(argument, ast.Starred) for argument in node.args):
        raise scope.noted_error(
            "TG211", node, f"{helper.name} takes {len(names)} arguments, not {len(node.args)}", hint
        )
    found = {name: (scope, argument) for name, argument in zip(names, node.args, strict=False)}
    for keyword in node.keywords:
        if keyword.arg not in names or keyword.arg in found:
            raise scope.noted_error("TG211", keyword, f"{helper.name} has no free parameter {keyword.arg}", hint)
        found[keyword.arg] = (scope, keyword.value)
    defaults = helper.args.defaults
    outside = Scope(scope.program, source, function.__globals__, "helper")
    for name, default in zip(names[len(names) - len(defaults) :], defaults, strict=True):
        found.setdefault(name, (outside, default))
    missing = [name for name in names if name not in found]
    if missing:
        raise scope.noted_error("TG211", node, f"{helper.name} also needs {', '.join(missing)}", hint)
    return found


def _elaborate_call(
    program: Program,
    its: CallSignature,
    states: dict[str, str],
    argument_types: tuple[Type, ...],
    variables: Mapping[Any, Type],
) -> ir.Function:
    declared = [type_ for _, type_ in its.parameters if type_ is not None]
    types = tuple(
        _bounded_argument_type(widen_type(want, found)) for want, found in zip(declared, argument_types, strict=True)
    )
    levels = {function: program.stack.count(function) for function in program.stack if depth_of(function) is not None}
    key = (its.function, tuple(states.items()), types, tuple(levels.items()))
    if key not in program.helpers:
        program.helpers[key] = None
        program.stack.append(its.function)
        try:
            program.helpers[key] = _elaborate_helper(program, its, states, types, variables)
        finally:
            program.stack.pop()
    made = program.helpers[key]
    if made is None:
        raise AbandonedError
    return made


def _bounded_argument_type(type_: Type) -> Type:
    """Very wide integer arguments share one elaboration."""
    wide = isinstance(type_, Int) and type_.hi - type_.lo > 2**20 and is_inside(type_, widened_interval())
    return widened_interval() if wide else type_


def _elaborate_helper(
    program: Program, its: CallSignature, states: dict[str, str], types: tuple[Type, ...], variables: Mapping[Any, Type]
) -> ir.Function:
    remaining = iter(types)
    named = tuple((argument.arg, next(remaining)) for argument, type_ in its.parameters if type_ is not None)
    return function_form(program, its, "helper", states, named, variables)


def function_form(
    program: Program,
    its: CallSignature,
    role: Role,
    states: dict[str, str],
    parameters: tuple[tuple[str, Type], ...],
    variables: Mapping[Any, Type] | None = None,
) -> ir.Function:
    """The typed form of a pure function. Raises AbandonedError when anything in it is wrong."""
    scope = Scope(program, its.source, its.function.__globals__, role)
    scope.states = states
    scope.variables = variables or {}
    scope.assigned, scope.rebound = assigned_names(its.node.body), names_rebound(its.node)
    scope.returns = its.returns
    scope.used.update(states.values())
    for name, type_ in parameters:
        scope.bind_name(name, type_)
    errors = program.diagnostics.count
    body, ends = elaborate_block(scope, its.node.body)
    if program.diagnostics.count > errors:
        raise AbandonedError
    if not ends or its.returns is None:
        raise scope.noted_error(
            "TG220", its.node.body[-1], f"{its.node.name} may end here without a value", "return ..., on every way"
        )
    return ir.Function(
        its.node.name,
        parameters,
        tuple(states.values()),
        body,
        _result_type(its.returns, scope.returned),
        its.source.where(its.node),
    )


def _result_type(declared_type: Type, returned_types: list[Type]) -> Type:
    found: Type | None = None
    for type_ in returned_types:
        found = type_ if found is None else common_type(found, type_)
        assert is_type_fitting(type_, declared_type), f"{describe(type_)} was fitted to {describe(declared_type)}"
    return declared_type if found is None else _narrow_return_type(declared_type, found)


def _narrow_return_type(declared_type: Type, found_type: Type) -> Type:
    """Integers keep the interval that was found: a declared range is not checked at a return."""
    if isinstance(declared_type, Int):
        return found_type
    return declared_type if isinstance(declared_type, Bool) else widen_type(declared_type, found_type)


# --- whose functions they are ---------------------------------------------------------------------------------------


def is_model_function(function: FunctionType) -> bool:
    """Whether a function belongs to a model's text: its module lies beside the user's file, holds constants, domains,
    or marked things, or is written in the language."""
    if function.__module__.startswith(PRIVATE):
        return True
    return any(_is_model_thing(global_) for global_ in function.__globals__.values())


def _is_model_thing(value: object) -> bool:
    if isinstance(value, type):
        ours = is_of_language(value)
        return ours or mark_of(value) is not None or (issubclass(value, Domain) and value is not Domain)
    return isinstance(value, (Constant, ConstantExpression)) or (
        isinstance(value, FunctionType) and (mark_of(value) is not None or is_of_language(value))
    )
