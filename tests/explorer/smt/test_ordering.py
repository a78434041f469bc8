"""Steps that can be taken in either order, of which one is enough."""

from __future__ import annotations

from tidegate.explorer.smt.ordering import Footprint, swappable

A, B = 0b01, 0b10


def test_steps_are_apart_where_neither_writes_what_the_other_looks_at() -> None:
    assert Footprint(A, A).is_apart_from(Footprint(B, B))
    assert Footprint(A, 0).is_apart_from(Footprint(A, 0)), "both only look"
    assert not Footprint(A, B).is_apart_from(Footprint(B, 0))
    assert not Footprint(A, A).is_apart_from(Footprint(0, A))


def test_the_one_of_the_smaller_number_comes_first() -> None:
    touches = [Footprint(A, A), Footprint(B, B), Footprint(A | B, A)]
    assert swappable(touches) == [(1, 0)]
