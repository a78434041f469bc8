"""Values of unions: a record of the union has its own fields, and what only others have is absent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from ...language.types import Option, Record, Type
from .algebra import Algebra, ExtensionalError
from .shapes import Fields, Shape, SymbolicOption
from .terms import Bit, Number, conjunction, implies

AbsentShape = Callable[[Type], Shape]
"""The terms of what a part of a type holds that a value does not have."""


def is_of_stated_record(algebra: Algebra, absent: AbsentShape, type_: Record, shape: Fields) -> Bit:
    """Whether the parts of a value are those that the record has which it says to be; True of what is no union."""
    if not type_.variants:
        return True
    parts = list(shape.parts.values())
    kind = cast(Number, parts[0])
    return conjunction(
        implies(algebra.is_constant(kind, at), conjunction(_parts_of(algebra, absent, type_, at, shape)))
        for at in range(len(type_.variants))
    )


def _parts_of(algebra: Algebra, absent: AbsentShape, type_: Record, record_number: int, shape: Fields) -> Iterator[Bit]:
    """What must be so of each part if the value is the record of that number."""
    member, places = type_.variants[record_number]
    own = dict(zip(places, (of for _, of in member.fields), strict=True))
    for place, (name, of) in enumerate(type_.fields):
        part = shape.parts[name]
        if place in own:
            if isinstance(part, SymbolicOption) and own[place] != of:
                yield part.present
        elif isinstance(of, Option):
            yield implies(cast(SymbolicOption, part).present, False)
        elif place:
            yield _is_absent(algebra, part, absent(of))


def _is_absent(algebra: Algebra, part: Shape, nothing: Shape) -> Bit:
    """Whether a part is as where it is absent. True of one without an end, of which that takes a quantifier: this is
    only ever assumed, so that a proof is about more values than there are, and never about fewer."""
    try:
        return algebra.are_same(part, nothing)
    except ExtensionalError:
        return True
