"""How many elements a container holds: what is known where its author states nothing."""

from __future__ import annotations

from dataclasses import replace

from ..types import Map, Option, Pool, Seq, Type, has_elements, value_count

UNKNOWN_CAPACITY = -1
"""The capacity of a bare `Seq[...]` or `Set[...]` of records: taken from the value, in helpers only."""
MEMBERS_MAX = 64
"""A subset is one machine word."""


def with_full_capacity(type_: Type) -> Type:
    """The type in which each set of few possible members has room for all of them."""
    match type_:
        case Pool(of=of, capacity=capacity, multiple=False) if capacity == UNKNOWN_CAPACITY:
            count = _value_count(of)
            return type_ if count is None or count > MEMBERS_MAX else replace(type_, capacity=count)
        case Option(of=of) | Seq(of=of):
            made = with_full_capacity(of)
            return type_ if made is of else replace(type_, of=made)
        case Map(value=value):
            made = with_full_capacity(value)
            return type_ if made is value else replace(type_, value=made)
        case _:
            return type_


def _value_count(of: Type) -> int | None:
    """How many values a type has; None when they cannot be listed, and for one with sequences or sets of records."""
    try:
        return None if has_elements(of) else value_count(of)
    except TypeError:
        return None


def capacity_text(type_: Seq | Pool) -> str:
    """How far a container without a capacity could grow, in words that follow `could grow`."""
    count = _value_count(type_.of) if isinstance(type_, Pool) and not type_.multiple else None
    return "without end" if count is None else f"to {count:,} members, and has room for all of at most {MEMBERS_MAX}"
