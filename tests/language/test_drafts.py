"""Drafts: writes through a path are writes to plain Python's own containers, and states are values."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate.language import Bag, Map, Seq, Set
from tidegate.language import types as t
from tidegate.language.drafts import Shape
from tidegate.language.model import Field
from tidegate.language.values import ModelError, State

from ..support.drafts import LOGS, NOTE, SMALL, A, B, Node, Note, draft_of, everyone


def test_a_name_keeps_the_value_it_had() -> None:
    s = draft_of(log=(LOGS, Map(dict.fromkeys(everyone(), Seq([1])))))
    before, log = s.log, s.log[A]
    s.log[A].append(2)
    assert list(log) == [1]
    assert list(before[A]) == [1]
    assert list(s.log[A]) == [1, 2]
    assert list(s.log[B]) == [1]


@given(st.lists(st.tuples(st.sampled_from(["append", "truncate", "store"]), st.sampled_from("ABC"), st.integers(0, 4))))
def test_writes_through_a_path_are_writes_to_a_dict_of_lists(writes: list[tuple[str, str, int]]) -> None:
    s = draft_of(log=(LOGS, Map({node: Seq() for node in everyone()})))
    twin: dict[Node, list[int]] = {node: [] for node in everyone()}
    for what, label, number in writes:
        node = Node("ABC".index(label))
        kept = s.log[node]
        held = list(twin[node])
        if what == "append" and len(held) < 4:
            s.log[node].append(number)
            twin[node].append(number)
        elif what == "truncate" and number <= len(held):
            s.log[node].truncate(number)
            del twin[node][number:]
        elif what == "store" and number < len(held):
            s.log[node][number] = 9
            twin[node][number] = 9
        assert list(kept) == held, "a name bound before a write keeps its value"
        assert {node: list(s.log[node]) for node in everyone()} == twin


@given(st.lists(st.tuples(st.sampled_from(["add", "discard"]), st.integers(0, 3))))
def test_sets_and_bags_in_a_draft(writes: list[tuple[str, int]]) -> None:
    pool = t.Pool(NOTE, 99)
    s = draft_of(pool=(pool, Set()), bag=(t.Pool(NOTE, 99, True), Bag()), few=(t.Subset(SMALL), set[int]()))
    twin, counted = set[int](), Counter[int]()
    for what, number in writes:
        note = Note(None, number, Set())
        getattr(s.pool, what)(note)
        getattr(s.bag, what)(note)
        getattr(s.few, what)(number)
        if what == "add":
            twin.add(number)
            counted[number] += 1
        else:
            twin.discard(number)
            counted[number] = max(0, counted[number] - 1)
    assert s.few == twin
    assert {held.text for held in s.pool} == twin
    assert Counter(held.text for held in s.bag) == +counted


def test_states_are_values_with_names() -> None:
    shape = Shape(type("Town", (), {"__annotations__": {}}), (Field("count", SMALL, False, "", None),), {})
    state = shape(count=3)
    assert isinstance(state, State)
    assert (state.count, repr(state), hash(state)) == (3, "Town(count=3)", hash(shape(count=3)))
    assert shape.replace(state, count=4) == shape(count=4) != state
    with pytest.raises(AttributeError):
        state.count = 4  # pyright: ignore
    with pytest.raises(ModelError, match="needs a value for its field count"):
        shape()


def test_an_unchanged_field_is_the_same_object_in_the_next_state() -> None:
    s = draft_of(log=(LOGS, Map({node: Seq[int]() for node in everyone()})), notes=(t.Pool(NOTE, 2), Set()))
    before = s.__cells__.origin
    s.log[A].append(1)
    after = s.__cells__.state_at_present()
    assert after.notes is before.notes
    assert after.log[B] is before.log[B]
    assert after.log != before.log
