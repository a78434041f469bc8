"""A stage is taken, what is seen compared with what is wanted, and what could not be had is no divergence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from tidegate.language.binding import load
from tidegate.language.judge import initial_states, replay
from tidegate.language.model import Model
from tidegate.language.steptext import parse_steps
from tidegate.language.verdict import Run
from tidegate.real.driving.nodes.running import NodesError
from tidegate.real.driving.stages import (
    DivergenceError,
    NoEffectError,
    Stage,
    StageDriver,
    describe_differences,
    diverging_stage,
    stage_fields,
)

from ...conftest import ROOT


def lock_run(steps: str = "look(A); look(B); take(A)") -> tuple[Model, Run]:
    model = load(ROOT / "examples" / "lock.py").bind("lock", {}, "careless")
    return model, replay(model, next(initial_states(model)), parse_steps(model, steps))


@dataclass
class LockPlan:
    """The lock's run as stages, one for each step."""

    stages: Sequence[Stage]
    kafka: str = "4.1"
    shows: str = "both are in"


def plan() -> LockPlan:
    model, run = lock_run()
    return LockPlan([Stage(**stage_fields(model, run, at, at, "commanded")) for at in range(len(run.steps))])


@dataclass
class Lock:
    """A lock that does as it is told, but for what `refuses` and `ignores`."""

    places: dict[str, str] = field(default_factory=lambda: {"A": "outside", "B": "outside"})
    refuses: str = ""
    ignores: str = ""


class LockDriver(StageDriver[Stage, dict[str, str], dict[str, str]]):
    """Drives it: what is to be seen is where everybody is."""

    nodes = "locks"

    def __init__(self, lock: Lock) -> None:
        super().__init__(plan(), 0.01)
        self.lock = lock

    def _do(self, stage: Stage) -> str:
        return self._move(stage, "at_the_door" if stage.action == "look" else "inside")

    def _move(self, stage: Stage, place: str) -> str:
        if stage.action == self.lock.refuses:
            raise DivergenceError(f"{stage.action} was refused")
        if stage.action == self.lock.ignores:
            raise NoEffectError(f"{stage.action} did not come")
        self.lock.places[str(stage.arguments["client"])] = place
        return f"{stage.action} was asked for"

    def _expect(self, stage: Stage) -> dict[str, str]:
        return {str(client): place.value for client, place in stage.state_after.place.items()}

    def _observe(self, wanted_observation: dict[str, str]) -> dict[str, str]:
        return dict(self.lock.places)

    def _parting(self, wanted_observation: dict[str, str], seen_observation: dict[str, str]) -> str:
        return describe_differences(wanted_observation, seen_observation)


def test_a_stage_has_the_numbers_the_sentence_and_both_states_of_its_steps() -> None:
    model, run = lock_run()
    made = Stage(**stage_fields(model, run, 0, 1, "awaited"))
    assert (made.first, made.last, made.action, made.kind) == (1, 2, "look", "awaited")
    assert made.says == "A looks and finds the lock free."
    assert (made.state_before, made.state_after) == (run.start, run.states()[2])
    numbered = stage_fields(model, run, 1, 1, "awaited", numbers=(4, 9, 12))
    assert (numbered["first"], numbered["last"]) == (9, 9)


def test_a_run_that_comes_about_is_confirmed() -> None:
    heard: list[int] = []
    found = LockDriver(Lock()).outcome(lambda stage: heard.append(stage.first))
    assert found.is_confirmed and found.why == "every step came about: both are in"
    assert heard == [1, 2, 3] == [taken.stage.first for taken in found.stages]
    assert diverging_stage(found.stages) is None
    assert [taken.did for taken in found.stages] == ["look was asked for", "look was asked for", "take was asked for"]


def test_what_is_seen_otherwise_ends_the_run_at_its_stage() -> None:
    found = LockDriver(Lock({"A": "outside", "B": "inside"})).outcome()
    assert not found.is_confirmed and found.why == "at step 1 the locks did otherwise"
    parted = diverging_stage(found.stages)
    assert parted is not None and parted.divergence == "B: inside in place of outside, after 0.01 s"


def test_what_is_refused_is_a_divergence_in_its_own_words() -> None:
    found = LockDriver(Lock(refuses="take")).outcome()
    assert [taken.divergence for taken in found.stages] == [None, None, "take was refused"]


def test_what_did_not_come_contradicts_nothing_unless_something_else_came() -> None:
    with pytest.raises(NodesError, match="step 3: take did not come, and nothing else happened"):
        LockDriver(Lock(ignores="take")).outcome()
    elsewhere = LockDriver(Lock({"A": "inside", "B": "outside"}, ignores="look")).outcome()
    assert elsewhere.stages[-1].divergence == "look did not come"


def test_differences_are_said_by_what_they_are_about() -> None:
    assert describe_differences({"leader": "1", "ISR": "1 2"}, {"leader": "2", "ISR": "1 2"}) == (
        "leader: 2 in place of 1"
    )
    assert describe_differences({"leader": "1"}, {"leader": "1"}) == ""
