"""Properties of whole runs, from marked functions to values: their cases, one for each combination of the values of
their parameters, and the fairness that they rest on."""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import FunctionType
from typing import Any, cast

from . import ir
from .checks import members_of
from .constants import Value
from .declare import Fairness, Mark, StepCondition
from .errors import Diagnostics, suggest_name
from .forms import Parameter
from .frontend.folding import Folder, is_never_error
from .frontend.roles import elaborate_on_runs, first_doc_line
from .frontend.scope import Program
from .frontend.source import source_of_function
from .model import Action, Liveness, LivenessCase, LivenessKind, Property
from .types import Bool, Enumeration, Identity, Int, Type
from .where import Where

SCALARS = (Int, Bool, Enumeration, Identity)
"""The types whose values `each` takes one by one, and so does a parameter of a property."""
_CODE = "TG318"


def elaborate_predicates(program: Program, function: FunctionType, mark: Mark) -> dict[FunctionType, ir.Function]:
    """The typed forms of a property's predicates. Raises AbandonedError after noting what is wrong with them."""
    forms = {its: elaborate_on_runs(program, its, mark.role) for its in predicates(function, mark)}
    forms |= {its: elaborate_on_runs(program, its, mark.role) for its in conditions_of_steps(mark)}
    wanted = forms[function].parameters
    for then in mark.then:
        if forms[then].parameters != wanted:
            message = f"{then.__name__} comes after {function.__name__}, and takes other parameters"
            names = ", ".join(name for name, _ in wanted) or "none but the state"
            program.diagnostics.add(_CODE, forms[then].where, message, f"those of {function.__name__}: {names}")
    return forms


def predicates(function: FunctionType, mark: Mark) -> tuple[FunctionType, ...]:
    """The functions that a marked one consists of: itself, and what comes then."""
    return (function, *mark.then)


def conditions_of_steps(mark: Mark) -> tuple[FunctionType, ...]:
    """The functions that say of which steps the fairness of a property is."""
    return tuple(cast(FunctionType, fair.where.run) for fair in mark.fairness if fair.where is not None)


def check_fairness(
    functions: tuple[tuple[FunctionType, Mark], ...], forms: Mapping[FunctionType, Any], diagnostics: Diagnostics
) -> None:
    """Notes fairness of what is no action, of a fault, and of each value of what is no parameter."""
    actions = {function.__name__: (function, mark) for function, mark in functions if mark.role == "action"}
    for function, mark in functions:
        _check_limits(function, mark, actions, diagnostics)
        for fairness in mark.fairness:
            where, known = _place(function, fairness), list[FunctionType]()
            for name in fairness.actions:
                if name not in actions:
                    diagnostics.add(_CODE, where, f"no action is called {name}", suggest_name(name, actions))
                    continue
                action, its = actions[name]
                known.append(action)
                if its.kind == "fault":
                    message = f"{name} is a fault, and no fault has to happen"
                    diagnostics.add(_CODE, where, message, "fairness of actions of the protocol and of clients")
            if len(known) == len(fairness.actions) and set(known) <= set(forms):
                named_parameters = [(action.__name__, forms[action].parameters) for action in known]
                for name in fairness.parameters:
                    _check_each_parameter(named_parameters, name, where, diagnostics)
                if fairness.where is not None and fairness.where.run in forms:
                    _check_condition(named_parameters, forms[fairness.where.run], where, diagnostics)


def _check_limits(function: FunctionType, mark: Mark, actions: Mapping[str, object], diagnostics: Diagnostics) -> None:
    """Notes limits of what is no action, and of one that must happen in the same claim."""
    fair = {name for fairness in mark.fairness for name in fairness.actions}
    for name in mark.respected_limits:
        where = _decorator_place(function)
        if name not in actions:
            diagnostics.add(_CODE, where, f"no action is called {name}", suggest_name(name, actions))
        elif name in fair:
            message = f"{name} is fair in this claim, so that a run goes on with it beyond its limits"
            diagnostics.add(_CODE, where, message, "fairness of it, or limits_of(...) it")


def _check_each_parameter(
    actions: list[tuple[str, tuple[Parameter, ...]]], name: str, where: Where, diagnostics: Diagnostics
) -> None:
    """Notes a parameter that one of the actions does not have, whose values are not taken one by one, or that is not of
    one type in all of them."""
    types = list[Type]()
    for action, parameters in actions:
        found = {parameter.name: parameter for parameter in parameters}
        if name not in found:
            diagnostics.add(_CODE, where, f"{action} has no parameter {name}", suggest_name(name, found))
            continue
        types.append(found[name].type)
        if not isinstance(found[name].type, SCALARS):
            message = f"{name} of {action} has no values that are taken one by one"
            diagnostics.add(_CODE, where, message, "a parameter that is a member, an enum, a bool or an int")
    if any(type_ != types[0] for type_ in types):
        diagnostics.add(_CODE, where, f"{name} has several types in these actions", "a fairness for each of them")


def _check_condition(
    actions: list[tuple[str, tuple[Parameter, ...]]], form: ir.Function, where: Where, diagnostics: Diagnostics
) -> None:
    """Notes a condition of steps that reads what is no parameter of one of the actions, or that may have no value."""
    for action, parameters in actions:
        found = {parameter.name: parameter.type for parameter in parameters}
        for name, type_ in form.parameters:
            if found.get(name) != type_:
                message = f"{form.name} reads {name}, and {action} has no parameter {name} of this type"
                diagnostics.add(_CODE, where, message, "the state, and parameters of the actions by their names")
    match form.body:
        case (ir.Return(value=value),) if is_never_error(value):
            return
        case _:
            message = f"{form.name} may be an error of the model in some states, where no step can be taken"
            diagnostics.add(_CODE, form.where, message, "one return, of comparisons and membership alone")


def _place(function: FunctionType, fairness: Fairness) -> Where:
    """Where a decorator says a fairness: its call, or else the decorator."""
    located = source_of_function(function)
    assert located is not None, "a function whose text is gone was refused"
    source, node = located
    for decorator in node.decorator_list:
        for part in ast.walk(decorator):
            match part:
                case ast.Call(func=ast.Name(id="weak" | "strong"), args=args) if (
                    tuple(ast.unparse(argument).strip("'\"") for argument in args) == fairness.actions
                ):
                    return source.where(part)
                case _:
                    continue
    return _decorator_place(function)


def _decorator_place(function: FunctionType) -> Where:
    """Where the first decorator of a function stands."""
    located = source_of_function(function)
    assert located is not None, "a function whose text is gone was refused"
    source, node = located
    return source.where(node.decorator_list[0])


def liveness(
    function: FunctionType,
    mark: Mark,
    kind: LivenessKind,
    forms: Mapping[FunctionType, ir.Function],
    runs: Mapping[FunctionType, Callable[..., Any]],
    folder: Folder,
    values: Mapping[str, Value],
    ghosts: tuple[frozenset[str], bool],
) -> Liveness:
    """A property as a value. `ghosts` are those that it reads, and whether one of them was folded away: then it has no
    cases."""
    read, gone = ghosts
    form = forms[function]
    cases = () if gone else tuple(_cases(function, mark, forms, runs, folder, values))
    says = first_doc_line(function.__doc__)
    whole = tuple(folder.fold_function(forms[its]) for its in predicates(function, mark))
    fairness = tuple(_bind_condition(fair, forms, runs, folder) for fair in mark.fairness)
    return Liveness(function.__name__, kind, says, cases, fairness, form.where, whole, read, mark.respected_limits)


def _bind_condition(
    fairness: Fairness,
    forms: Mapping[FunctionType, ir.Function],
    runs: Mapping[FunctionType, Callable[..., Any]],
    folder: Folder,
) -> Fairness:
    """A fairness with the meaning that its condition of steps has in a bound model."""
    if fairness.where is None:
        return fairness
    its = cast(FunctionType, fairness.where.run)
    bound = StepCondition(fairness.where.name, runs[its], folder.fold_function(forms[its]))
    return replace(fairness, where=bound)


def _cases(
    function: FunctionType,
    mark: Mark,
    forms: Mapping[FunctionType, ir.Function],
    runs: Mapping[FunctionType, Callable[..., Any]],
    folder: Folder,
    values: Mapping[str, Value],
) -> Iterator[LivenessCase]:
    parameters = forms[function].parameters
    for chosen in itertools.product(*(members_of(type_, values) for _, type_ in parameters)):
        arguments = tuple(zip((name for name, _ in parameters), chosen, strict=True))

        def predicate(its: FunctionType, arguments: tuple[tuple[str, Any], ...] = arguments) -> Property:
            form = bind_arguments(folder.fold_function(forms[its]), arguments, values)
            run = functools.partial(runs[its], **dict(arguments))
            return Property(its.__name__, "invariant", first_doc_line(its.__doc__), form, run)

        if mark.then:
            yield LivenessCase(arguments, predicate(mark.then[0]), predicate(function))
        else:
            yield LivenessCase(arguments, predicate(function))


def bind_arguments(
    form: ir.Function, arguments: tuple[tuple[str, Any], ...], values: Mapping[str, Value]
) -> ir.Function:
    """A predicate with its parameters bound to values."""
    given = dict(arguments)
    lets = tuple(let(name, type_, given[name], form.where, values) for name, type_ in form.parameters)
    return replace(form, parameters=(), body=(*lets, *form.body))


def let(name: str, type_: Type, value: Any, where: Where, values: Mapping[str, Value]) -> ir.Let:
    """A name bound to a value of a scalar type, whose size may be one of these `values` of constants."""
    number = int(value) if isinstance(type_, Int) else members_of(type_, values).index(value)
    return ir.Let(name, ir.Const(number, type_, where), where)


def values_of(action: Action, name: str, values: Mapping[str, Value]) -> tuple[Any, ...]:
    """The values of a parameter of an action, of which a fairness is claimed one by one."""
    chosen = next(parameter for parameter in action.form.parameters if parameter.name == name)
    return members_of(chosen.type, values)
