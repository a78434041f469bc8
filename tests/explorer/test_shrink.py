"""Shrinking: what comes out fails the same property, no step of it can go, and it is the same each time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tidegate.explorer.shrink import NotFailingError, lane_switches, shrink_run
from tidegate.invariants.catalogue import find
from tidegate.language.binding import load
from tidegate.language.judge import format_run, holds, initial_states, replay, run_text, steps
from tidegate.language.model import Model, Property
from tidegate.language.steptext import StepError
from tidegate.language.verdict import Run, Step
from tidegate.traces.document import lanes_of

from ..conftest import ROOT

LOCK = load(ROOT / "examples" / "lock.py").bind("lock:careless", profile="careless", constants={"clients": 3})


def replication() -> Model:
    definition, profile = find("replication:truncate_to_hw")
    return definition.bind("replication:truncate_to_hw", {"replicas": 2}, profile, properties=["strong_isr"])


REPLICATION = replication()


def property_of(model: Model, name: str) -> Property:
    return {prop.name: prop for prop in model.properties}[name]


def fails_first_at_its_end(model: Model, run: Run, prop: Property) -> bool:
    return [holds(model, prop, state) for state in run.states()] == [True] * len(run.steps) + [False]


def fails_without_step(model: Model, run: Run, at: int, prop: Property) -> bool:
    """Whether the run still fails the property without one step."""
    given_ = [(step.action, step.arguments) for step in run.steps]
    try:
        rest = replay(model, run.start, given_[:at] + given_[at + 1 :])
    except StepError:
        return False
    return any(not holds(model, prop, state) for state in rest.states())


def walk(model: Model, random: Any, length: int) -> Run:
    state = random.choice(list(initial_states(model)))
    start, taken = state, list[Step]()
    for _ in range(length):
        choices = list(steps(model, state))
        if not choices:
            break
        taken.append(random.choice(choices))
        state = taken[-1].state_after
    return Run(start, tuple(taken))


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([(LOCK, "one_inside"), (REPLICATION, "strong_isr")]))
def test_a_walk_is_shrunk_to_what_it_needs(random: Any, which: tuple[Model, str]) -> None:
    model, prop = which[0], property_of(*which)
    run = walk(model, random, 60)
    assume(any(not holds(model, prop, state) for state in run.states()))
    found = shrink_run(model, run, prop)
    assert fails_first_at_its_end(model, found, prop)
    assert len(found.steps) <= len(run.steps)
    assert not [at for at in range(len(found.steps)) if fails_without_step(model, found, at, prop)]
    assert shrink_run(model, run, prop) == found
    assert shrink_run(model, found, prop) == found


def test_steps_that_do_not_matter_go_and_each_client_acts_in_a_row() -> None:
    run = run_text(LOCK, "look(C); look(A); look(B); take(C); leave(C); take(A); take(B)")
    found = shrink_run(LOCK, run, property_of(LOCK, "one_inside"))
    assert format_run(LOCK, found) == "look(C); look(A); take(A); take(C)"
    assert lanes_of(LOCK, found) == ["C", "A", "A", "C"]
    assert lane_switches(LOCK, found) == 2


def test_a_run_that_fails_nothing_is_not_shrunk() -> None:
    run = run_text(LOCK, "look(A); take(A)")
    with pytest.raises(NotFailingError, match="one_inside"):
        shrink_run(LOCK, run, property_of(LOCK, "one_inside"))


def test_a_property_that_fails_at_once_needs_no_step() -> None:
    """Shrinking such a run used to go on for ever."""

    def never(_: object) -> bool:
        return False

    run = run_text(LOCK, "look(C); look(A)")
    false = replace(property_of(LOCK, "one_inside"), run=never)
    assert shrink_run(LOCK, run, false) == Run(run.start, ())
    assert shrink_run(LOCK, Run(run.start, ()), false) == Run(run.start, ())
