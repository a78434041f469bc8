"""Subsets, the first of some values, and numbers of members, in plain Python."""

from __future__ import annotations

import pytest
from tidegate.language import Domain
from tidegate.language.orders import choose, position, previous, subsets
from tidegate.language.values import ModelError, Set


class Rank(Domain, size=3, ordered=True):
    """A rank."""


def test_subsets_come_in_the_order_of_their_bit_masks() -> None:
    assert list(subsets("abc")) == [Set(names) for names in ("", "a", "b", "ab", "c", "ac", "bc", "abc")]
    assert list(subsets("")) == [Set()]


def test_the_first_is_chosen_and_of_nothing_nothing() -> None:
    assert choose(number for number in (5, 3, 4) if number < 5) == 3
    with pytest.raises(ModelError, match="nothing to choose from"):
        choose([])


def test_numbers_are_known_and_neighbours_not_before_the_model_is_bound() -> None:
    assert [position(Rank(index)) for index in range(3)] == [0, 1, 2]
    with pytest.raises(TypeError, match="when the model is bound"):
        previous(Rank(1))
