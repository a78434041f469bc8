"""The nearest state, from one that somebody looks at, in which a property fails or a witness is reached."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tidegate.explorer.nearest_state import find_nearest_state
from tidegate.explorer.search import Search

from ..support.steps import run_of
from ..support.traces import bind_model


def test_the_way_begins_where_one_is_and_is_the_shortest(cache: Path) -> None:
    model = bind_model("examples/die_hard.py")
    state = run_of(model, "fill_big; big_to_small; empty_small; big_to_small").states()[-1]
    (witness,) = [prop for prop in model.properties if prop.kind == "reachable"]
    found = find_nearest_state(model, state, witness, Search(cache=cache))
    assert found.run is not None
    assert (found.run.start, [step.action for step in found.run.steps]) == (state, ["fill_big", "big_to_small"])


def test_where_there_is_none_nothing_is_found(cache: Path) -> None:
    model = bind_model("examples/lock.py:careful")
    invariant = model.properties[0]
    found = find_nearest_state(model, run_of(model, "take(A)").states()[-1], invariant, Search(cache=cache))
    assert (found.run, found.stop_reason, found.failure) == (None, "", None) and found.states == 3


def test_what_this_model_cannot_evaluate_is_refused() -> None:
    model = bind_model("examples/lock.py:careful")
    with pytest.raises(ValueError, match="one_inside reads ghosts"):
        find_nearest_state(model, run_of(model, "").start, replace(model.properties[0], form=None), Search())
