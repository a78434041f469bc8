"""From how a search ended to the verdict: nothing is said to hold that was not looked at."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tidegate.explorer.search import Search, interrupt_text, time_limit_text
from tidegate.explorer.verdicts import Ending, json_constant, notes_of, verdict_of
from tidegate.language.verdict import ActionCoverage, Failure

from ..support.steps import run_of
from ..support.traces import bind_model

MODEL = bind_model("examples/lock.py:careless")
WITNESS = run_of(MODEL, "look(A); take(A)")
RUN = run_of(MODEL, "look(A); look(B); take(A); take(B)")
ALIVE = tuple(ActionCoverage(action.name, 1, action.switched_off, ()) for action in MODEL.actions)
EXHAUSTED = Ending(
    "python", True, None, None, False, {"somebody_inside": WITNESS}, 7, 0.1, 0.0, None, (), ALIVE, (), 0, (),
)  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "verdict", "outcome", "assurance"),
    [
        ({}, "holds", "none", "exhaustive within bounds"),
        ({"runs": {}}, "holds", "none", "exhaustive within bounds"),
        ({"actions": (replace(ALIVE[0], firings=0), *ALIVE[1:])}, "holds", "none", "exhaustive within bounds"),
        (
            {"runs": {"one_inside": RUN}},
            "violated", "safety", "a counterexample, the shortest, replayed in plain Python",
        ),
        ({"is_exhausted": False, "stop_reason": "out of time"}, "inconclusive", "none", "none: out of time"),
        ({"is_exhausted": False, "sample_scope": "sampled: 3 walks"}, "holds", "none", "sampled: 3 walks"),
        (
            {"failure": Failure("it breaks", "m.py:1", RUN, "take", {})},
            "violated", "model_error", "a counterexample, the shortest, replayed in plain Python",
        ),
        (
            {"failure": Failure("nothing can happen", "m.py:1", RUN, None, None), "deadlock": True},
            "violated", "deadlock", "a counterexample, the shortest, replayed in plain Python",
        ),
    ],
)  # fmt: skip
def test_what_an_ending_comes_to(changed: dict[str, Any], verdict: str, outcome: str, assurance: str) -> None:
    found = verdict_of(MODEL, replace(EXHAUSTED, **changed))
    assert (found.outcome, found.assurance) == (outcome, assurance)
    assert found.verdict == verdict and found.is_exhaustive == assurance.startswith("exhaustive")
    assert found.stop_reason == changed.get("stop_reason")


@pytest.mark.parametrize(
    ("why", "is_interrupted"),
    [(interrupt_text(KeyboardInterrupt()), True), (time_limit_text(3), False), ("stopped by a full disk", False)],
)
def test_whether_a_search_was_interrupted_is_no_matter_of_words(why: str, is_interrupted: bool) -> None:
    found = verdict_of(MODEL, replace(EXHAUSTED, is_exhausted=False, stop_reason=why, runs={}))
    assert found.is_interrupted == is_interrupted and found.assurance == f"none: {why}"


def test_what_was_not_looked_at_is_undecided() -> None:
    found = verdict_of(MODEL, replace(EXHAUSTED, is_exhausted=False, stop_reason="Ctrl-C", runs={}))
    assert {prop.name: prop.verdict for prop in found.properties} == {
        "one_inside": "undecided", "somebody_inside": "undecided",
    }  # fmt: skip


def test_what_a_shown_run_violates_is_not_open() -> None:
    """Whatever the search was stopped by."""
    found = verdict_of(
        MODEL, replace(EXHAUSTED, is_exhausted=False, stop_reason="Ctrl-C", runs={"somebody_inside": RUN})
    )
    assert (found.verdict, found.properties[0].verdict) == ("violated", "violated")


def test_what_a_search_leaves_out_is_noted() -> None:
    assert notes_of(Search()) == ()
    assert notes_of(Search(deadlocks=False, projection="counted")) == (
        "deadlocks were not looked for: --no-deadlock",
        "one state was kept for each value of @projection counted",
    )
    assert json_constant(3) == 3
