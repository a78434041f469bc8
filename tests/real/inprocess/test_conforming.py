"""Runs of the model on Kafka's own code: which are drawn, what is compared, and that a difference in each field
shows."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from tidegate.language import judge
from tidegate.language.verdict import Run
from tidegate.real.driving.controllers.driver import expected_observations
from tidegate.real.driving.controllers.world import ControllerObservation
from tidegate.real.inprocess.conforming import (
    ABSTRACTED,
    COMPARED,
    LENGTH,
    ComparisonReach,
    Difference,
    conform,
    differing_fields,
    draw_run,
    hosted_model,
    is_abstracted,
    taken_on,
)
from tidegate.real.inprocess.hosting import Host

from ...support.hosting import hosted_release

SEEN = ControllerObservation("leader", 2, 1, None, ((1, 0), (2, 0)), 1)
OTHERWISE = {
    "role": "follower",
    "epoch": 3,
    "leader": 2,
    "voted_for": 1,
    "log": ((1, 0),),
    "high_watermark": 2,
}


@pytest.mark.parametrize("field", COMPARED)
def test_a_difference_in_each_field_is_seen(field: str) -> None:
    assert differing_fields({1: SEEN, 2: SEEN}, {1: SEEN, 2: SEEN}) == ()
    changed = replace(SEEN, **{field: OTHERWISE[field]})
    assert differing_fields({1: SEEN, 2: SEEN}, {1: SEEN, 2: changed}) == (field,)
    assert set(OTHERWISE) == set(COMPARED)


def test_a_node_that_is_down_differs_in_all_that_the_model_has() -> None:
    assert differing_fields({1: SEEN}, {1: None}) == ("role", "epoch", "leader", "log", "high_watermark")


def test_all_that_is_seen_of_a_voter_is_compared() -> None:
    assert set(COMPARED) == set(ControllerObservation.__dataclass_fields__)


@pytest.mark.parametrize("kafka", ["3.9", "4.1"])
def test_runs_are_drawn_by_their_seed_and_take_what_was_seldom_taken(kafka: str) -> None:
    model = hosted_model(kafka)
    counted: Counter[tuple[str, str]] = Counter()
    first = [draw_run(model, kafka, random.Random(3), Counter()) for _ in range(2)]
    assert first[0] == first[1]
    drawn = random.Random(3)
    for _ in range(6):
        before = ""
        for step in draw_run(model, kafka, drawn, counted).steps:
            counted[before, step.action] += 1
            before = step.action
    assert {"election_timeout", "vote", "fetch", "begin_quorum_epoch", "restart"} <= {action for _, action in counted}
    assert max(counted.values()) < 6 * LENGTH / 10


def test_steps_in_which_the_model_is_coarser_are_named_and_not_drawn() -> None:
    model = hosted_model("4.1")
    drawn, counted = random.Random(1), Counter[tuple[str, str]]()
    for _ in range(5):
        run = draw_run(model, "4.1", drawn, counted)
        assert not any(is_abstracted(model, state, step) for state, step in zip(run.states(), run.steps, strict=False))
    steps = "election_timeout(A); election_timeout(B); ask_for_pre_vote(voter=A, peer=C)"
    run = judge.run_text(model, f"{steps}; vote(candidate=A, voter=B)")
    assert is_abstracted(model, run.states()[-2], run.steps[-1]) and "vote" in ABSTRACTED
    run = judge.run_text(model, f"{steps}; vote(candidate=A, voter=C)")
    assert not is_abstracted(model, run.states()[-2], run.steps[-1])


# --- Kafka's own code -----------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["3.9.1", "4.1.1"])
def test_kafka_does_what_the_model_does(kafka: str) -> None:
    *differences, looked = conform(hosted_release(kafka), 1, runs=25, seconds=None)
    assert not differences, differences[0]
    assert isinstance(looked, ComparisonReach) and looked.steps > 300 and looked.pairs > 40


@pytest.mark.long
@pytest.mark.parametrize(
    ("defect", "fields"), [("forgets_vote", {"voted_for"}), ("loses_quorum_state", {"role", "epoch"})]
)
def test_a_planted_defect_of_the_host_is_a_difference(defect: str, fields: set[str]) -> None:
    """Without its `quorum-state` a voter takes the epoch from its log, and so differs in its role at least, or in its
    epoch."""
    found = next(conform(hosted_release(), 1, runs=200, seconds=300, defect=defect))
    assert isinstance(found, Difference)
    assert found.run.steps[-1].action == "restart" and fields & set(found.fields)
    assert len(found.run.steps) <= 6


LED = "election_timeout(A); ask_for_pre_vote(voter=A, peer=B); vote(candidate=A, voter=B)"


@pytest.mark.long
@pytest.mark.parametrize(
    "steps",
    [
        f"{LED}; resign(A); election_timeout(A); ask_for_pre_vote(voter=A, peer=C)",
        f"{LED}; election_timeout(B); begin_quorum_epoch(leader=A, voter=C); ask_for_pre_vote(voter=B, peer=C)",
    ],
    ids=["resigned", "a leader is named"],
)
def test_what_was_mended_in_the_model_is_what_kafka_does(steps: str) -> None:
    """Until it was mended the model had the first ask in the epoch that it led, and the second stand."""
    model = hosted_model("4.1")
    with Host(hosted_release(), brief=True) as host:
        taken = taken_on(host, model, "4.1", judge.run_text(model, steps))
    assert len(taken) == len(steps.split(";")) and all(one.divergence is None for one in taken)


@pytest.mark.long
def test_what_the_model_has_not_is_a_difference() -> None:
    model = hosted_model("4.1")
    steps = "election_timeout(A); ask_for_pre_vote(voter=A, peer=B); vote(candidate=A, voter=B)"
    run = judge.run_text(model, steps)
    wrong = replace(run.steps[-1], after=run.states()[-2])
    with Host(hosted_release(), brief=True) as host:
        assert all(one.divergence is None for one in taken_on(host, model, "4.1", run))
        taken = taken_on(host, model, "4.1", Run(run.start, (*run.steps[:-1], wrong)))
    assert taken[-1].divergence is not None and taken[-1].expected_observation == expected_observations(
        run.states()[-2]
    )
