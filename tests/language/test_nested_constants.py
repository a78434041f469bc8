"""Tables and defaults that hold constants: they have the constants' values in a bound model."""

from __future__ import annotations

from tidegate.language import Map, Seq, Set, constant, record
from tidegate.language.nested_constants import bind_nested, defaults_of, holds_constants

size = constant(3, minimum=1, maximum=9, says="a size")


@record
class Entry:
    """A record with a constant for a default."""

    number: int = size
    other: int = 1


def bind(thing: object) -> object:
    return 7 if thing is size else thing


def test_which_things_hold_constants() -> None:
    assert holds_constants(Seq([1, size])) and not holds_constants(Seq([1, 2]))
    assert holds_constants(Map({1: size})) and holds_constants(Entry)
    assert defaults_of(Entry) == {"number": size, "other": 1}


def test_constants_within_are_bound() -> None:
    assert bind_nested(Seq([1, size]), bind) == Seq([1, 7])
    assert bind_nested(Set([size]), bind) == Set([7])
    assert bind_nested(Map({1: size}), bind) == Map({1: 7})
    made = bind_nested(Entry, bind)
    assert made() == Entry(number=7, other=1) and made(2) == Entry(number=2, other=1)
    assert isinstance(made(), Entry)
