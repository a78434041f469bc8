"""The containers: values that agree with Python's own list, dict and set, and refuse what Python lets pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate.language import Bag, Map, Seq, Set
from tidegate.language.values import ModelError

from ..support.drafts import A, B, Note

numbers = st.integers(-3, 6)


lists = st.lists(numbers, max_size=6)


# --- as values --------------------------------------------------------------------------------------------------------
@given(lists, lists)
def test_a_seq_is_a_list_that_never_changes(left: list[int], right: list[int]) -> None:
    seq = Seq(left)
    assert list(seq) == left
    assert len(seq) == len(left)
    assert list(seq + Seq(right)) == left + right
    assert (seq == Seq(right)) == (left == right)
    assert all(seq[at] == left[at] for at in range(len(left)))
    assert all((number in seq) == (number in left) for number in range(-3, 7))
    assert list(seq) == left


@given(lists, st.integers(0, 8), st.integers(0, 8))
def test_slices_are_cut_as_python_cuts_them(given_: list[int], start: int, stop: int) -> None:
    assert list(Seq(given_)[start:stop]) == given_[start:stop]
    assert list(Seq(given_)[start:]) == given_[start:]
    assert list(Seq(given_)[:stop]) == given_[:stop]


@given(st.sets(numbers), st.sets(numbers))
def test_a_set_is_a_set_and_goes_with_pythons_own(left: set[int], right: set[int]) -> None:
    ours, theirs = Set(left), Set(right)
    assert list(ours) == sorted(left)
    for other in (theirs, right, frozenset(right)):
        assert ours | other == left | right
        assert ours & other == left & right
        assert ours - other == left - right
        assert ours ^ other == left ^ right
        assert (ours <= other, ours < other, ours >= other) == (left <= right, left < right, left >= right)
    assert right - ours == right - left
    assert right | ours == right | left
    assert hash(ours | theirs) == hash(theirs | ours)


@given(lists)
def test_a_bag_counts(given_: list[int]) -> None:
    bag = Bag(given_)
    assert list(bag) == sorted(given_)
    assert len(bag) == len(given_)
    assert all(bag.count(number) == given_.count(number) for number in range(-3, 7))
    assert bag == Bag(reversed(given_))
    assert hash(bag) == hash(Bag(reversed(given_)))


@given(st.dictionaries(numbers, numbers))
def test_a_map_is_a_dict_that_never_changes(given_: dict[int, int]) -> None:
    backwards = dict(reversed(given_.items()))
    assert dict(Map(given_).items()) == given_
    assert Map(given_) == Map(backwards)
    assert hash(Map(given_)) == hash(Map(backwards))
    assert all(Map(given_)[key] == value for key, value in given_.items())


def test_what_python_lets_pass_is_refused() -> None:
    with pytest.raises(ModelError, match="negative bound: -1"):
        Seq([4, 5])[-1:]
    with pytest.raises(ModelError, match="none is not a key of this Map; its keys are A, B"):
        Map({A: 0, B: 0})[None]  # pyright: ignore[reportArgumentType]
    with pytest.raises(ModelError, match="this Seq is a value and cannot be changed"):
        Seq([4]).append(5)
    with pytest.raises(ModelError, match="this Set is a value and cannot be changed"):
        Note(A, 1, Set()).readers.add(B)
