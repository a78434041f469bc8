"""What stands around a trace in its page: all states of a small model, and nothing where that would mislead."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.cli.neighbourhood import (
    MAX_STEPS,
    graph_of_trace,
    neighbourhood_of_saved_trace,
    neighbourhood_of_trace,
)
from tidegate.language.model import Model

from ..support.traces import bind_model, counterexample

LOST = ("replication:kip101", "strong_isr")


@pytest.fixture(scope="module")
def model() -> Model:
    return bind_model(LOST[0], (LOST[1],))


def test_a_run_stands_among_the_states_around_it(model: Model) -> None:
    document = counterexample(*LOST, "python")
    found = neighbourhood_of_trace(model, document)
    assert found is not None and len(found["path"]) == len(document["steps"]) + 1
    assert not found["complete"], "it has more states than a page holds"
    small = neighbourhood_of_trace(model, document, size=40_000)
    assert small is not None and len(small["nodes"]) < len(found["nodes"])


@pytest.mark.parametrize(
    ("part", "value"),
    [("replay", None), ("called", {"A": "broker 1"}), ("cluster", {"brokers": 3}), ("steps", [None] * (MAX_STEPS + 1))],
    ids=["a run from no initial state", "an audit's", "one in the words of a cluster", "a long one"],
)
def test_of_what_a_page_cannot_go_on_from_there_is_none(model: Model, part: str, value: Any) -> None:
    document = counterexample(*LOST, "python") | {part: value}
    assert neighbourhood_of_trace(model, document) is None
    assert graph_of_trace(model, document) == ""


def test_a_model_in_a_file_is_not_carried_out_to_look_at_a_trace() -> None:
    """It may come from anywhere."""
    saved = counterexample("examples/lock.py:careless", "one_inside")
    assert neighbourhood_of_saved_trace(saved | {"model": "elsewhere/evil.py:careless"}) == (None, "")


def test_of_a_model_that_is_not_as_it_was_there_is_none() -> None:
    """The steps of the trace cannot be taken any more; the page is the trace alone."""
    saved = counterexample(*LOST, "python")
    around, _ = neighbourhood_of_saved_trace(saved)
    assert around is not None
    steps = [step | {"step": "no_such_action(A)"} for step in saved["steps"]]
    assert neighbourhood_of_saved_trace(saved | {"steps": steps}) == (None, "")
