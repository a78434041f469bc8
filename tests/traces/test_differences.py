"""Differences: cell by cell, as deep as the types go, and states read back from them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tidegate.language.judge import initial_states, steps
from tidegate.language.verdict import Run, Step
from tidegate.traces.differences import state_changes, state_to_json
from tidegate.traces.document import KEYFRAME_INTERVAL, run_document

from ..support.courier import MODEL, SWAPPED, document_of


def test_differences_go_as_deep_as_the_types() -> None:
    steps_ = document_of(SWAPPED)["steps"]
    assert [step["changed"] for step in steps_] == [
        ["awake: + A"],
        ["written: 0 -> 1", "bag: + Letter(to=A, number=0)"],
        ["written: 1 -> 2", "bag: + Letter(to=A, number=1)"],
        [
            "bag: - Letter(to=A, number=1)",
            "shelf[A]: + Letter(to=A, number=1) at 0",
            "last: none -> A",
            "arrived: + 1",
        ],
        ["bag: - Letter(to=A, number=0)", "shelf[A]: + Letter(to=A, number=0) at 1", "arrived: + 0"],
    ]
    assert steps_[3]["writes"] == ["bag", "shelf[A]", "last", "arrived"]
    assert steps_[3]["lane"] == "A"
    assert steps_[3]["reads"] == ["bag", "awake"]


def apply_delta(before: dict[str, Any], delta: dict[str, Any]) -> dict[str, Any]:
    """The state after a delta, as a reader of the document makes it (bags and sets as sorted lists)."""
    state = json.loads(json.dumps(before))
    for row in delta.get("~", []):
        *path, last, _old, new = row
        cell(state, path)[last] = new
    for row in reversed(delta.get("-", [])):
        take(state, row[:-1], row[-1])
    for row in delta.get("+", []):
        give(state, row[:-1], row[-1])
    return state


def cell(state: Any, path: list[Any]) -> Any:
    for key in path:
        state = state[key]
    return state


def take(state: Any, path: list[Any], value: Any) -> None:
    if isinstance(path[-1], int):
        assert cell(state, path[:-1]).pop() == value
    else:
        cell(state, path).remove(value)


def give(state: Any, path: list[Any], value: Any) -> None:
    cell(state, path[:-1] if isinstance(path[-1], int) else path).append(value)


def sorted_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: sorted_lists(setting) for name, setting in value.items()}  # pyright: ignore
    return sorted(value, key=json.dumps) if isinstance(value, list) else value  # pyright: ignore


@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False))
def test_states_are_read_back_from_deltas_and_keyframes(random: Any) -> None:
    state = random.choice(list(initial_states(MODEL)))
    run, taken = Run(state, ()), list[Step]()
    for _ in range(KEYFRAME_INTERVAL + 3):
        choices = list(steps(MODEL, state))
        if not choices:
            break
        taken.append(random.choice(choices))
        state = taken[-1].state_after
    run = Run(run.start, tuple(taken))
    states = json.loads(json.dumps(run_document(MODEL, run)["states"]))
    shown: dict[str, Any] = {}
    for at, real in enumerate(run.states()):
        row = states[str(at)]
        shown = row if at % states["keyframe_every"] == 0 else apply_delta(shown, row)
        assert sorted_lists(shown) == sorted_lists(state_to_json(real))


def test_nothing_changes_between_equal_states() -> None:
    for state in initial_states(MODEL):
        assert state_changes(MODEL.fields, state, state) == []
