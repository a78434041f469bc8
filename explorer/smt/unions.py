"""Values of unions: a record of the union has its own fields, and what only others have is absent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from ...language.records import absent
from ...language.types import Option, Record
from .shapes import Fields, Maybe
from .terms import Bit, Number, conjunction, implies

if TYPE_CHECKING:
    from .encoding import Encoding


def is_of_one(encoding: Encoding, type_: Record, shape: Fields) -> Bit:
    """Whether the parts of a value are those that the record has which it says to be; True of what is no union."""
    if not type_.variants:
        return True
    parts = list(shape.parts.values())
    kind = cast(Number, parts[0])
    return conjunction(
        implies(encoding.algebra.is_at(kind, at), conjunction(_parts_of(encoding, type_, at, shape)))
        for at in range(len(type_.variants))
    )


def _parts_of(encoding: Encoding, type_: Record, at: int, shape: Fields) -> Iterator[Bit]:
    """What must be so of each part if the value is the record of that number."""
    member, places = type_.variants[at]
    own = dict(zip(places, (of for _, of in member.fields), strict=True))
    for place, (name, of) in enumerate(type_.fields):
        part = shape.parts[name]
        if place in own:
            if isinstance(part, Maybe) and own[place] != of:
                yield part.present
        elif isinstance(of, Option):
            yield implies(cast(Maybe, part).present, False)
        elif place:
            yield encoding.algebra.same(part, encoding.stored(of, encoding.constant(of, absent(of)))[0])
