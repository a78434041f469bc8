"""Parameters of actions and initial functions: messages of the state, or every value of a type."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from math import inf

from ..errors import AbandonedError
from ..forms import Parameter
from ..types import Bool, Enumeration, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type, value_count
from ..where import Where
from .capacities import MEMBERS_MAX, UNKNOWN_CAPACITY, with_full_capacity
from .helpers import CallSignature
from .intervals import UNBOUNDED_INT
from .scope import Program
from .type_text import describe

VALUES_MAX = 1 << 20
"""A parameter has at most so many values: each is tried in every state."""
_COUNTED_TYPES = 10**15
"""Beyond so many values their number is not written out."""


def parameters_of(program: Program, its: CallSignature, skip: int) -> tuple[Parameter, ...]:
    """The parameters that are right, after the first `skip`, which are states; mistakes in the others are noted."""
    made: list[Parameter] = []
    for node, type_ in its.parameters[skip:]:
        assert type_ is not None, "a state among the parameters was refused"
        if node.arg not in its.broken:
            with suppress(AbandonedError):
                made.append(_read_parameter(program, its, node, type_, has_state=skip > 0))
    return tuple(made)


def _read_parameter(program: Program, its: CallSignature, node: ast.arg, type_: Type, *, has_state: bool) -> Parameter:
    where = its.source.where(node)
    chosen = _chosen_field(program, its, node)
    holding = [name for name, pool in _message_fields(program).items() if pool.of == type_] if has_state else []
    if chosen is not None or holding:
        return Parameter(node.arg, type_, _pool_of_parameter(program, node, type_, chosen, holding, where), where)
    type_ = with_full_capacity(type_)
    mistake = _message_record_mistake(program, node, type_) if has_state else None
    mistake = mistake or _why_endless(node, type_) or _too_many(node, type_)
    if mistake is not None:
        program.diagnostics.add("TG308", where, *mistake)
        raise AbandonedError
    return Parameter(node.arg, type_, None, where)


# --- messages ---------------------------------------------------------------------------------------------------------


def _message_fields(program: Program) -> dict[str, Pool]:
    """The fields of the state that hold messages."""
    return {name: field for name, field in program.shape.fields.items() if isinstance(field, Pool)}


def _chosen_field(program: Program, its: CallSignature, node: ast.arg) -> str | None:
    """The field that `Member` names."""
    assert node.annotation is not None, "a parameter without annotation was refused"
    return program.types.read_annotation(node.annotation, its.source, its.function.__globals__).member_of


def _pool_of_parameter(
    program: Program, node: ast.arg, type_: Type, chosen_field: str | None, holding: list[str], where: Where
) -> str:
    """The state field whose members a message parameter ranges over."""
    if chosen_field is not None and chosen_field not in holding:
        message = f"the state has no Set or Bag of {describe(type_)} called {chosen_field}"
        hint = f"one of: {', '.join(holding)}" if holding else f"a field of type Set[{describe(type_)}]"
        program.diagnostics.add("TG308", where, message, hint)
        raise AbandonedError
    if chosen_field is None and len(holding) > 1:
        message = f"{node.arg} could come from {' or '.join(holding)}"
        program.diagnostics.add("TG307", where, message, f'Annotated[{describe(type_)}, Member("{holding[0]}")]')
        raise AbandonedError
    name = chosen_field or holding[0]
    if name in program.shape.ghosts:
        program.diagnostics.add(
            "TG303", where, f"{node.arg} would range over the ghost field {name}", "a field that is not a ghost"
        )
        raise AbandonedError
    return name


def _message_record_mistake(program: Program, node: ast.arg, type_: Type) -> tuple[str, str] | None:
    """What is wrong with a record that messages of the state are made of, or that is one of a union of them."""
    for name, pool in _message_fields(program).items():
        if any(member == type_ for member, _ in pool.of.variants):
            union = describe(pool.of)
            message = f"{node.arg} is of type {describe(type_)}, and the state holds messages of type {union}"
            return message, f"{node.arg}: {union}, and match {node.arg}: case {describe(type_)}(...): ..."
        if isinstance(type_, Option) and type_.of == pool.of:
            message = f"{node.arg} is a message of {name} or None, and a message is received as what it is"
            return message, f"{node.arg}: {describe(pool.of)}, and another action for the other case"
    return None


# --- every value of a type --------------------------------------------------------------------------------------------


def _why_endless(node: ast.arg, type_: Type) -> tuple[str, str] | None:
    """What is wrong with a type that has no list of values."""
    if _is_listed(type_):
        return None
    scalars, containers = (
        "a domain, an enum, bool, an int with a Range",
        "set, map, tuple, record, or Seq with a Capacity,",
    )
    hint = f"{scalars}, or an option, {containers} of such"
    return f"{node.arg} is {describe(type_)}, which has no list of values", hint


def _is_listed(type_: Type) -> bool:
    """Whether a type has finitely many values, all of which can be tried."""
    match type_:
        case Int():
            return type_ != UNBOUNDED_INT
        case Bool() | Enumeration() | Identity():
            return True
        case Option(of=of) | Subset(of=of):
            return _is_listed(of)
        case Seq(of=of, capacity=capacity) | Pool(of=of, capacity=capacity, multiple=False):
            return capacity != UNKNOWN_CAPACITY and _is_listed(of)
        case Map(key=key, value=value):
            return _is_listed(key) and _is_listed(value)
        case Record(fields=fields):
            return all(_is_listed(of) for _, of in fields)
        case _:
            return False


def _too_many(node: ast.arg, type_: Type) -> tuple[str, str] | None:
    """What is wrong with a type that has more values than an action is tried with."""
    for part in _types_inside_out(type_):
        if isinstance(part, Pool) and value_count(part.of) > MEMBERS_MAX:
            count = value_count(part.of)
            return f"{node.arg} has sets of {count:,} possible elements", f"at most {MEMBERS_MAX} possible elements"
        if _value_count(part) > VALUES_MAX:
            message = f"{node.arg} has {_count_text(_value_count(type_))} values, and an action is tried with each"
            return message, f"at most {VALUES_MAX:,} values, or several smaller parameters"
    return None


def _types_inside_out(type_: Type) -> Iterator[Type]:
    """A type after the types that it is made of."""
    match type_:
        case Option(of=of) | Subset(of=of) | Seq(of=of) | Pool(of=of):
            yield from _types_inside_out(of)
        case Map(key=key, value=value):
            yield from (*_types_inside_out(key), *_types_inside_out(value))
        case Record(fields=fields):
            for _, of in fields:
                yield from _types_inside_out(of)
        case _:
            pass
    yield type_


def _value_count(type_: Type) -> float:
    """How many values a type has; infinitely many where they are not worth the counting."""
    long = any(isinstance(part, Seq) and part.capacity > VALUES_MAX for part in _types_inside_out(type_))
    return inf if long or value_count(type_) > _COUNTED_TYPES else value_count(type_)


def _count_text(count: float) -> str:
    return f"more than {_COUNTED_TYPES:,}" if count == inf else f"{int(count):,}"
