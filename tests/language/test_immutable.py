"""Frozen dataclasses that are quick to declare: they behave as `dataclass(frozen=True, slots=True)` does."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest
from tidegate.language.immutable import immutable


@immutable
class Point:
    """A point."""

    x: int
    y: int = 2


def test_it_is_a_value() -> None:
    assert Point(1) == Point(1, 2) == Point(x=1, y=2) != Point(2, 1)
    assert hash(Point(1)) == hash(Point(1, 2))
    assert repr(Point(1)) == "Point(x=1, y=2)"
    assert {Point(1): "a"}[Point(1, 2)] == "a"
    assert [field.name for field in dataclasses.fields(Point)] == ["x", "y"]


def test_it_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Point(1).x = 3  # type: ignore[misc]
    assert not hasattr(Point(1), "__dict__")


def test_it_is_replaced_copied_and_pickled() -> None:
    assert dataclasses.replace(Point(1), y=5) == Point(1, 5)
    assert copy.deepcopy(Point(1, 3)) == pickle.loads(pickle.dumps(Point(1, 3))) == Point(1, 3)


@pytest.mark.parametrize("given", [(), (1, 2, 3)])
def test_it_takes_its_fields_and_no_others(given: tuple[int, ...]) -> None:
    with pytest.raises(TypeError):
        Point(*given)
