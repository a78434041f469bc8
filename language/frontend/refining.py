"""A refinement as a property of steps: the images of both ends are equal, or an abstract action leads from one to the
other.

The author's function is elaborated twice, over the state before a step and over the state after it. What it returns is
checked as a state of the abstract model is: an image outside the abstract types is an error of the model.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import FunctionType

from .. import ir
from ..declare import STUTTERS
from ..errors import AbandonedError
from ..immutable import immutable
from ..model import Model
from ..records import is_tuple
from ..types import Bool, Enumeration, Identity, Map, Option, Record, Seq, Subset, Type
from ..where import Where
from .abstract_steps import (
    UnsupportedError,
    checked_state,
    disjunction,
    initial_predicates,
    range_checked_value,
    step_predicates,
)
from .helpers import CallSignature, function_form, read_signature
from .roles import heading_place, locate_function
from .scope import Program

STATES = ("before", "after")
"""What a refinement calls the ends of a step."""
IMAGES = ("@image", "@next")
"""The local names of their images."""


@immutable
class Relation:
    """What a refinement asks of a step: of one by any action, and by those of which it says what they may be. `mapping`
    is the author's function alone, `image` binds what it makes of the state before a step, checked as a state of the
    abstract model, and `start` says whether the image of a state is initial."""

    mapping: ir.Function
    image: ir.Let
    start: ir.Function
    form: ir.Function
    action_forms: Mapping[str, ir.Function]


def elaborate_refinement(
    program: Program,
    function: FunctionType,
    abstract: Model,
    record: Record,
    may_be: Mapping[str, tuple[str, ...]],
) -> Relation:
    """Elaborates a refinement. Raises AbandonedError after noting TG311 or TG317."""
    source, node = locate_function(program, function)
    its = read_signature(program, function, source, node)
    where = heading_place(source, node)
    if record.python is program.shape.python and its.returns is None:
        its = replace(its, returns=record)
    _check_signature(program, its, record, where)
    images = [_image_function(program, its, record, state) for state in STATES]
    lets = [ir.Let(name, ir.Call(image, (), record, where), where) for name, image in zip(IMAGES, images, strict=True)]
    before, after = (ir.Name(name, record, where) for name in IMAGES)
    try:
        steps = step_predicates(abstract, record, before, after)
        starting = disjunction(initial_predicates(abstract, record, before), where)
    except UnsupportedError as problem:
        note_refusal(program, function, problem, abstract)
        raise AbandonedError from None
    ways = {STUTTERS: ir.Compare("==", before, after, Bool(), where), **steps}

    def one_of(names: Iterable[str]) -> ir.Function:
        told = disjunction((ways[name] for name in names if name in ways), where)
        return ir.Function(node.name, (), STATES, (*lets, ir.Return(told, where)), Bool(), where)

    asked = {name: one_of(way for way in ways if way in allowed) for name, allowed in may_be.items()}
    ((parameter, _),) = its.parameters
    begun = (lets[0], ir.Return(starting, where))
    start = ir.Function(node.name, (), STATES[:1], begun, Bool(), where)
    return Relation(_elaborate_mapping(program, its, parameter.arg), lets[0], start, one_of(ways), asked)


def note_refusal(program: Program, function: FunctionType, problem: UnsupportedError, abstract: Model) -> None:
    """Notes that an abstract model cannot be refined, at the decorator, with the line of the abstract model."""
    hint = f"another abstract model than {abstract.name}: one whose states are data and whose actions assign it"
    message = f"{problem.message} ({abstract.name}, line {problem.where.outermost().line})"
    program.diagnostics.add("TG317", decorator_place(program, function), message, hint)


def decorator_place(program: Program, function: FunctionType, name: str | None = None) -> Where:
    """Where `@refines` stands above a function, or the value that it gives a constant."""
    source, node = locate_function(program, function)
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call):
            given = (keyword.value for keyword in decorator.keywords if keyword.arg == name)
            return source.where(next(given, decorator))
    return heading_place(source, node)


def step_place(program: Program, function: FunctionType, action: str) -> Where:
    """Where `@refines` says which abstract action an action may be."""
    source, node = locate_function(program, function)
    for decorator in node.decorator_list:
        for given in ast.walk(decorator):
            if isinstance(given, ast.Dict):
                found = (key for key in given.keys if key is not None and _last_name(key) == action)
                return source.where(next(found, given))
    return decorator_place(program, function)


def _last_name(key: ast.expr) -> object:
    """What an expression that stands for an action ends in: its name."""
    match key:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=name):
            return name
        case _:
            return None


def _check_signature(program: Program, its: CallSignature, record: Record, where: Where) -> None:
    """One state comes in, one state of the abstract model goes out."""
    takes_state = [type_ is None for _, type_ in its.parameters] == [True]
    if takes_state and its.returns == record and not its.node.args.defaults:
        return
    message = f"{its.node.name} is a refinement: a function from the state to a {record.name} of the abstract model"
    usage = f"def {its.node.name}(s: {program.shape.name}) -> {record.name}"
    program.diagnostics.add("TG311", where, message, usage)
    raise AbandonedError


def _image_function(program: Program, its: CallSignature, record: Record, state: str) -> ir.Function:
    """The author's function over the state of this name, its value checked against the abstract types."""
    form = _elaborate_mapping(program, its, state)
    return replace(form, body=_check_returned_states(program, its, form.body, record), returns=record)


def _elaborate_mapping(program: Program, its: CallSignature, state: str) -> ir.Function:
    """The author's function over the state of this name."""
    ((parameter, _),) = its.parameters
    program.stack.append(its.function)
    image = its.returns
    program.own_image = image if isinstance(image, Record) and image.python is program.shape.python else None
    try:
        return function_form(program, its, "helper", {parameter.arg: state}, ())
    finally:
        program.own_image = None
        program.stack.pop()


def _check_returned_states(
    program: Program, its: CallSignature, body: tuple[ir.Statement, ...], record: Record
) -> tuple[ir.Statement, ...]:
    """The statements, with every state that they return checked field by field."""
    made: list[ir.Statement] = []
    for statement in body:
        match statement:
            case ir.Return(value=ir.MakeRecord(fields=fields) as value):
                for part, (name, of) in zip(fields, record.fields, strict=True):
                    _check_classes(program, its, name, part, of)
                parts = tuple(
                    range_checked_value(part, of) for part, (_, of) in zip(fields, record.fields, strict=True)
                )
                made.append(replace(statement, value=replace(value, fields=parts)))
            case ir.Return(value=value):
                assert isinstance(value.type, Record), "its type is the one that the function returns"
                for (name, found), (_, of) in zip(value.type.fields, record.fields, strict=True):
                    _check_classes(program, its, name, ir.RecordField(value, name, found, value.where), of)
                made.append(replace(statement, value=checked_state(value, record)))
            case ir.If(yes=yes, no=no):
                made.append(
                    replace(
                        statement,
                        yes=_check_returned_states(program, its, yes, record),
                        no=_check_returned_states(program, its, no, record),
                    )
                )
            case ir.For(body=inner):
                made.append(replace(statement, body=_check_returned_states(program, its, inner, record)))
            case _:
                made.append(statement)
    return tuple(made)


def _check_classes(program: Program, its: CallSignature, field: str, part: ir.Expr, wanted_type: Type) -> None:
    """Types agree by name and shape; values are of the abstract model only where the classes are its own."""
    other = _differing_class(part.type, wanted_type)
    if other is None:
        return
    message = f"{field} holds a {other} of the abstract model, and this is another class of that name"
    program.diagnostics.add("TG317", part.where, message, f"import {other} from the abstract model's file")
    raise AbandonedError


def _differing_class(found_type: Type, wanted_type: Type) -> str | None:
    """The name of a class that two types mean differently."""
    match found_type, wanted_type:
        case (Enumeration(), Enumeration()) | (Identity(), Identity()):
            return None if found_type.python is wanted_type.python else wanted_type.name
        case Record(variants=a), Record(variants=b) if a and b:
            parts = [(x, y) for (x, _), (y, _) in zip(a, b, strict=False)]
        case Record(fields=a), Record(fields=b):
            if not is_tuple(found_type) and found_type.python is not wanted_type.python:
                return wanted_type.name
            parts = [(x, y) for (_, x), (_, y) in zip(a, b, strict=False)]
        case (Option(of=a), Option(of=b)) | (Seq(of=a), Seq(of=b)) | (Subset(of=a), Subset(of=b)):
            parts = [(a, b)]
        case Map(key=k, value=a), Map(key=q, value=b):
            parts = [(k, q), (a, b)]
        case _:
            return None
    return next((name for part in parts if (name := _differing_class(*part)) is not None), None)
