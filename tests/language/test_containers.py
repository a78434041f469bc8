"""Containers: how values print, in which order they are, and what a view that was overtaken may do."""

from __future__ import annotations

from enum import Enum
from random import Random
from typing import Any

import pytest
from tidegate.language import Bag, Map, Seq, Set
from tidegate.language import types as t
from tidegate.language.checks import members_of
from tidegate.language.values import ModelError, sort_key, value_text

from ..support.drafts import LOGS, NODE, A, B, Note, draft_of, everyone


class Phase(Enum):
    """Two members, printed by name."""

    IDLE = "i"
    BUSY = "b"


@pytest.mark.parametrize("index", [-1, 2, None, True])
def test_an_index_is_from_0_to_the_end(index: Any) -> None:
    with pytest.raises(ModelError):
        Seq([4, 5])[index]


def test_values_print_as_people_write_them() -> None:
    assert value_text(Note(None, 2, Set([B, A]))) == "Note(to=none, text=2, readers={A, B})"
    assert value_text(Map({A: Seq([1]), B: Seq()})) == "{A: [1], B: []}"
    assert value_text({B, A}) == "{A, B}"
    assert [value_text(value) for value in (True, False, None, Phase.BUSY, 3)] == ["true", "false", "none", "BUSY", "3"]
    assert value_text(Bag([2, 1, 1])) == "Bag(1, 1, 2)"


def test_the_order_of_values_follows_their_structure() -> None:
    notes = [Note(to, text, Set(readers)) for to in (None, A, B) for text in (0, 1) for readers in ((), (A,), (B,))]
    shuffled = Random(0).sample(notes, len(notes))
    assert sorted(shuffled, key=sort_key) == notes
    subsets = members_of(t.Subset(NODE), {})
    assert [value_text(subset) for subset in subsets[:5]] == ["{}", "{A}", "{B}", "{A, B}", "{C}"]
    assert sorted(subsets, key=sort_key) == list(subsets)
    assert sorted([Phase.BUSY, Phase.IDLE], key=sort_key) == [Phase.IDLE, Phase.BUSY]


def test_a_view_that_was_overtaken_does_not_write() -> None:
    s = draft_of(log=(LOGS, Map({node: Seq[int]() for node in everyone()})))
    log = s.log[A]
    s.log[A].append(1)
    with pytest.raises(ModelError, match="was written since this name was bound"):
        log.append(2)
