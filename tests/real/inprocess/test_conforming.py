"""Runs of the model on Kafka's own code: which are drawn, what is compared, and that a difference in each field
shows."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import replace

import pytest
from tidegate.language import judge
from tidegate.language.verdict import Run
from tidegate.real.driving.controllers.driver import expected_observations
from tidegate.real.driving.controllers.world import ControllerObservation
from tidegate.real.driving.nodes.running import CountedPatience, wait_for
from tidegate.real.inprocess.compared import COMPARED, differing_fields
from tidegate.real.inprocess.conforming import (
    ABSTRACTED,
    LENGTH,
    ComparisonReach,
    Difference,
    action_without_effect,
    conform,
    draw_run,
    hosted_model,
    is_abstracted,
    taken_on,
)
from tidegate.real.inprocess.hosting import Host
from tidegate.real.inprocess.hunting import RELEASES

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
        assert not any(map(is_abstracted, draw_run(model, "4.1", drawn, counted).steps))
    steps = "election_timeout(A); give_up(A)"
    assert is_abstracted(judge.run_text(model, steps).steps[-1]) and "give_up" in ABSTRACTED
    asks = "election_timeout(A); ask_for_pre_vote(voter=A, peer=B); vote(candidate=A, voter=B); "
    asks += "begin_quorum_epoch(leader=A, voter=C); fetch_timeout(C); give_up(C)"
    assert not is_abstracted(judge.run_text(model, asks).steps[-1])


def test_how_often_is_looked_does_not_depend_on_how_busy_the_machine_is() -> None:
    looked = Counter[float]()
    for pause in (0.0, 0.06):

        def look(pause: float = pause) -> None:
            time.sleep(pause)
            looked[pause] += 1

        assert wait_for(look, 0.2, CountedPatience()) is None
    assert looked[0.0] == looked[0.06] > 3


# --- Kafka's own code -----------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["3.9.1", "4.1.1"])
def test_kafka_takes_every_pair_of_actions_that_it_can_be_brought_to_as_the_model_does(kafka: str) -> None:
    *differences, looked = conform(hosted_release(kafka), 1, runs=120, seconds=None, directions=["model-to-code"])
    assert not differences, differences[0]
    assert isinstance(looked, ComparisonReach) and looked.steps > 500 and looked.pairs > 100
    assert set(looked.not_driven) <= set(looked.missing) and not looked.code.histories
    assert {then for _, then in set(looked.missing) - set(looked.not_driven)} <= {"hear_from"}


@pytest.mark.nightly
@pytest.mark.timeout(7200)  # minutes on a quiet machine: what a call of Kafka's hangs in, the host ends itself
@pytest.mark.parametrize("kafka", RELEASES)
def test_every_release_and_its_model_do_the_same(kafka: str) -> None:
    *differences, looked = conform(hosted_release(kafka), 2, runs=150, seconds=None)
    assert not differences, differences[0]
    assert isinstance(looked, ComparisonReach) and looked.runs == looked.code.histories == 150


@pytest.mark.long
def test_both_directions_are_taken_in_turn() -> None:
    *differences, looked = conform(hosted_release(), 1, runs=3, seconds=None)
    assert not differences and isinstance(looked, ComparisonReach)
    assert (looked.runs, looked.code.histories) == (3, 3)
    assert looked.compared_states == looked.steps + looked.code.observations > looked.steps > 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("defect", "fields"), [("forgets_vote", {"role", "voted_for"}), ("loses_quorum_state", {"role", "epoch"})]
)
def test_a_planted_defect_of_the_host_is_a_difference(defect: str, fields: set[str]) -> None:
    """Without its `quorum-state` a voter takes the epoch from its log, and so differs in its role at least, or in its
    epoch."""
    found = next(conform(hosted_release(), 1, runs=200, seconds=300, directions=["model-to-code"], defect=defect))
    assert isinstance(found, Difference)
    assert found.run.steps[-1].action == "restart" and fields & set(found.fields)
    assert len(found.run.steps) <= 6


STANDS_LATER = "election_timeout(B); ask_for_pre_vote(voter=B, peer=C)"
"""The voter that voted stands in the next epoch, with its empty log."""
LED = "election_timeout(A); ask_for_pre_vote(voter=A, peer=B); vote(candidate=A, voter=B)"


@pytest.mark.long
@pytest.mark.parametrize(
    "steps",
    [
        f"{LED}; resign(A); election_timeout(A); ask_for_pre_vote(voter=A, peer=C)",
        f"{LED}; election_timeout(B); begin_quorum_epoch(leader=A, voter=C); ask_for_pre_vote(voter=B, peer=C)",
        "election_timeout(A); election_timeout(B); ask_for_pre_vote(voter=A, peer=B); election_timeout(A); "
        "ask_for_pre_vote(voter=B, peer=C); ask_for_pre_vote(voter=A, peer=C); election_timeout(C); "
        "vote(candidate=B, voter=C)",
        f"{LED}; {STANDS_LATER}; election_timeout(B); refuse_vote(candidate=B, voter=A)",
    ],
    ids=["resigned", "a leader is named", "votes while it asks", "refuses a pre-vote"],
)
def test_what_was_mended_in_the_model_is_what_kafka_does(steps: str) -> None:
    """Until it was mended the model had the first ask in the epoch that it led, and the second stand."""
    model = hosted_model("4.1")
    with Host(hosted_release(), brief=True) as host:
        taken = taken_on(host, model, "4.1", judge.run_text(model, steps))
    assert len(taken) == len(steps.split(";")) and all(one.divergence is None for one in taken)


@pytest.mark.long
def test_a_step_of_which_nothing_comes_is_counted_and_is_no_difference() -> None:
    """A leader that resigned asks each voter once to start an election; in the model it may ask again."""
    model = hosted_model("4.1")
    asked = "end_quorum_epoch(leader=A, voter=C)"
    run = judge.run_text(
        model, f"{LED}; begin_quorum_epoch(leader=A, voter=C); resign(A); {asked}; give_up(C); {asked}"
    )
    with Host(hosted_release(), brief=True) as host:
        taken = taken_on(host, model, "4.1", run)
    assert action_without_effect(run, taken) == "end_quorum_epoch" and len(taken) == len(run.steps) - 1
    assert action_without_effect(Run(run.start, run.steps[:-1]), taken) is None
    parted = (*taken[:-1], replace(taken[-1], divergence="controller 3 differs"))
    assert action_without_effect(run, parted) is None


@pytest.mark.long
def test_what_the_model_has_not_is_a_difference() -> None:
    model = hosted_model("4.1")
    steps = "election_timeout(A); ask_for_pre_vote(voter=A, peer=B); vote(candidate=A, voter=B)"
    run = judge.run_text(model, steps)
    wrong = replace(run.steps[-1], state_after=run.states()[-2])
    with Host(hosted_release(), brief=True) as host:
        assert all(one.divergence is None for one in taken_on(host, model, "4.1", run))
        taken = taken_on(host, model, "4.1", Run(run.start, (*run.steps[:-1], wrong)))
    assert taken[-1].divergence is not None and taken[-1].expected_observation == expected_observations(
        run.states()[-2]
    )
