"""A run that is drawn step by step: the same for the same seed, and never a step that the model does not allow."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from tidegate.explorer.scheduler import RandomOperator, schedule_run
from tidegate.language.judge import replay
from tidegate.language.values import State
from tidegate.language.verdict import Step

from ..support.traces import bind_model

COURIER = bind_model("tests/fixtures/models/courier.py", losses=2)


def test_a_seed_is_its_run_and_each_step_is_one_of_the_model() -> None:
    runs = [schedule_run(COURIER, RandomOperator(COURIER, 0.3), seed=seed, steps_max=20).run for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]
    for run in runs:
        taken = replay(COURIER, run.start, [(step.action, step.arguments) for step in run.steps])
        assert taken.states() == run.states()


def test_with_no_probability_no_fault_happens() -> None:
    for seed in range(20):
        run = schedule_run(COURIER, RandomOperator(COURIER, 0), seed=seed, steps_max=30).run
        assert "lose" not in [step.action for step in run.steps]


class TwoSteps:
    """Takes two steps, and then ends the run."""

    left = 2

    def choose(self, random: Random, state: State, possible: Sequence[Step]) -> Step | None:
        self.left -= 1
        return None if self.left < 0 else possible[0]


def test_who_chooses_may_end_it_and_is_heard() -> None:
    heard: list[str] = []
    made = schedule_run(COURIER, TwoSteps(), seed=3, steps_max=9, heard=lambda _, step: heard.append(step.action))
    assert made.ended_by_itself and len(made.run.steps) == 2
    assert heard == [step.action for step in made.run.steps]


def test_what_breaks_the_model_ends_the_run() -> None:
    model = bind_model("tests/fixtures/models/courier.py", mistake="range")
    broken = [schedule_run(model, RandomOperator(model, 0), seed=seed, steps_max=50) for seed in range(5)]
    assert any(made.error is not None for made in broken)


def test_a_probability_is_one() -> None:
    with pytest.raises(ValueError, match="is not a probability"):
        RandomOperator(COURIER, 1.5)
