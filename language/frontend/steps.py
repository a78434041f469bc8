"""Step helpers: helpers that return nothing and hold guards, limits and writes. A call of one is elaborated in place.

The state goes to the caller's state. A parameter that the helper writes to stands for the cell that it is given, with
the indexes of its path as they are at the call. Any other parameter is a value, as it is at the call. Every place in
what comes out knows the call, so that one text, elaborated twice, is two.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import reduce
from types import FunctionType
from typing import cast

from .. import ir
from ..declare import mark_of
from ..errors import AbandonedError
from ..steps import is_step, pieces, returns_as_branches
from ..types import Map, Seq, Type
from .effects import check_parameters, check_writes
from .helpers import (
    CallSignature,
    assigned_names,
    bind_arguments,
    bound_variables,
    is_model_function,
    names_rebound,
    read_signature,
)
from .matching import fit_to_type, is_known, is_type_fitting, widen_type
from .places import is_path, written_place
from .scope import Binding, CellArgument, Scope, elaborate_block, elaborate_expression
from .source import source_of_function
from .type_text import describe


def is_step_helper(function: FunctionType) -> bool:
    """Whether a function is a helper of a model that acts: it says that it returns nothing."""
    if mark_of(function) is not None or not is_model_function(function):
        return False
    found = source_of_function(function)
    return found is not None and is_step(found[1])


def call_step(scope: Scope, function: FunctionType, node: ast.Call, sink: list[ir.Statement]) -> None:
    """Appends what a call of a step helper does. Raises AbandonedError after noting why it cannot be called here."""
    _check_role(scope, function, node)
    found = source_of_function(function)
    assert found is not None, "is_step_helper has found its text"
    if function in scope.program.stack:
        hint = "a loop over a bounded range; only a helper that returns a value may be @recursive"
        raise scope.noted_error("TG106", node, f"{function.__name__} calls itself", hint)
    variables = bound_variables(scope, function, *found, node)
    its = read_signature(scope.program, function, *found, variables)
    if its.broken:
        raise AbandonedError
    inner = _scope_of_helper(scope, its, node)
    inner.variables = variables
    check_parameters(inner, its.node, pieces(function, its.node, _definition_of))
    errors = scope.program.diagnostics.count
    _bind_parameters(scope, inner, its, node, sink)
    scope.program.calls.add(scope.place_of(node))
    scope.program.stack.append(function)
    try:
        body, _ends = elaborate_block(inner, returns_as_branches(its.node.body))
    finally:
        scope.program.stack.pop()
    if scope.program.diagnostics.count == errors:
        check_writes(inner, its.node, body)
    sink.extend(body)


def _check_role(scope: Scope, function: FunctionType, node: ast.Call) -> None:
    if scope.role == "helper":
        message = f"{function.__name__} acts, and a helper that returns a value only looks"
        raise scope.noted_error("TG304", node, message, "a call in an action, or in a helper that returns None")
    if scope.role == "property":
        raise scope.noted_error(
            "TG305", node, f"{function.__name__} acts, and a property only looks", "a call in an action"
        )


def _scope_of_helper(scope: Scope, its: CallSignature, node: ast.Call) -> Scope:
    """The scope of a helper's body: its own names, unique in the caller."""
    inner = Scope(scope.program, its.source, its.function.__globals__, scope.role)
    inner.used, inner.arguments = scope.used, scope.arguments
    inner.assigned, inner.rebound = assigned_names(its.node.body), names_rebound(its.node)
    inner.call = scope.place_of(node)
    return inner


# --- arguments --------------------------------------------------------------------------------------------------------


def _bind_parameters(scope: Scope, inner: Scope, its: CallSignature, node: ast.Call, sink: list[ir.Statement]) -> None:
    """Gives each parameter what it stands for."""
    arguments = bind_arguments(scope, its.node, its.source, its.function, node)
    written = pieces(its.function, its.node, _definition_of)
    for parameter, type_ in its.parameters:
        where, argument = arguments[parameter.arg]
        if type_ is None:
            state = where.state_called(argument)
            if state is None:
                message = f"{its.node.name} needs the state itself here"
                raise scope.noted_error("TG203", argument, message, "the caller's own state parameter")
            inner.states[parameter.arg] = state
        elif parameter.arg in written:
            inner.names[parameter.arg] = _bind_piece(where, its, parameter.arg, type_, argument, sink)
        else:
            inner.names[parameter.arg] = _bind_value(where, inner, parameter.arg, type_, argument, sink)


def _definition_of(function: FunctionType) -> ast.FunctionDef:
    found = source_of_function(function)
    if found is None:
        raise AbandonedError
    return found[1]


def _bind_piece(
    scope: Scope, its: CallSignature, name: str, type_: Type, argument: ast.expr, sink: list[ir.Statement]
) -> Binding:
    """A parameter that stands for the cell it is given."""
    if not is_path(scope, argument):
        message = f"{its.node.name} writes to its parameter {name}, and this is not a piece of the state"
        raise scope.noted_error("TG314", argument, message, "a path from the state: s.field[key]...")
    place = written_place(scope, argument, argument)
    if not is_type_fitting(place.type, type_):
        message = f"this is {describe(place.type)}, and {describe(type_)} is needed"
        raise scope.noted_error("TG203", argument, message, f"a piece of the state that is a {describe(type_)}")
    place = replace(place, indexes=tuple(_keep_index(scope, index, sink) for index in place.indexes))
    return Binding(name, place.type, piece=CellArgument(place, _read_cell(scope, place)))


def _keep_index(scope: Scope, index: ir.Expr, sink: list[ir.Statement]) -> ir.Expr:
    """An index as it is at the call, whatever is written later."""
    if isinstance(index, (ir.Name, ir.Const, ir.OpenConst)):
        return index
    name = scope.fresh_name("at")
    scope.arguments.add(name)
    sink.append(ir.Let(name, index, index.where))
    return ir.Name(name, index.type, index.where)


def _read_cell(scope: Scope, place: ir.Place) -> ir.Expr:
    """What reads a cell."""
    field = scope.program.shape.fields[place.field]
    return reduce(_element_at, place.indexes, ir.StateField(_state_name(scope), place.field, field, place.where))


def _state_name(scope: Scope) -> str:
    """What the action calls its state: a helper knows it by its state parameter, or by a piece that it was given."""
    if scope.states:
        return next(iter(scope.states.values()))
    read: ir.Expr = next(name.piece.read for name in scope.names.values() if name.piece is not None)
    while isinstance(read, ir.Index):
        read = read.container
    return cast(ir.StateField, read).state


def _element_at(container: ir.Expr, index: ir.Expr) -> ir.Expr:
    type_ = cast("Map | Seq", container.type)
    return ir.Index(container, index, type_.value if isinstance(type_, Map) else type_.of, container.where)


def _bind_value(
    scope: Scope, inner: Scope, name: str, type_: Type, argument: ast.expr, sink: list[ir.Statement]
) -> Binding:
    """A parameter that is a value: what cannot change is put in for it, anything else gets a name."""
    value = fit_to_type(scope, elaborate_expression(scope, argument, type_), type_, argument)
    settled = widen_type(type_, value.type)
    if not is_known(settled):
        hint = f"a name with a type: {name}: Annotated[Seq[T], Capacity(n)] = ..., before the call"
        raise scope.noted_error("TG214", argument, "the capacity of this container is not known", hint)
    if isinstance(value, (ir.Name, ir.Const, ir.OpenConst)) and name not in inner.assigned:
        return Binding(name, value.type, value=value)
    unique = inner.fresh_name(name)
    inner.arguments.add(unique)
    sink.append(ir.Let(unique, value, value.where))
    inner.locals[name] = Binding(unique, settled)
    return Binding(unique, settled)
