"""Runs of the model on a release's controller of partitions: no difference, and each planted one is found.

Also of: `calls`, `compared`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import pytest
from tidegate.language.model import Model
from tidegate.real.inprocess.hosting import Host
from tidegate.real.inprocess.partition.calls import WHY_NOT
from tidegate.real.inprocess.partition.compared import COMPARED
from tidegate.real.inprocess.partition.conforming import (
    MOVES,
    RELEASES,
    ControllerReach,
    RecordDifference,
    conform,
    draw_run,
    hosted_models,
    taken_on,
)
from tidegate.real.inprocess.program import CONTROLLER
from tidegate.reports.exits import Exit

from ....conftest import RunHere
from ....support.hosting import hosted_release
from ....support.shipped import tier_parameters

KAFKA = "4.1"


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """A process that hosts controllers of 4.1.1."""
    with Host(hosted_release("4.1.1", CONTROLLER), CONTROLLER, brief=True) as process:
        yield process


@pytest.mark.parametrize("version", tier_parameters(RELEASES, lambda version: version == "4.1.1"))
def test_a_release_does_what_the_model_does(version: str) -> None:
    found = list(conform(hosted_release(version, CONTROLLER), 3, runs=12, seconds=None))
    differences = [(one.signature, one.says, one.calls) for one in found if isinstance(one, RecordDifference)]
    assert not differences
    (reach,) = found
    assert isinstance(reach, ControllerReach)
    assert reach.runs == 12
    assert reach.steps > 200
    assert {"fence", "restart", "shut_down", "reassign", "elect_uncleanly", "assign_directory"} <= set(reach.actions)


@pytest.mark.parametrize("field", COMPARED)
def test_a_planted_change_in_each_compared_field_is_found(host: Host, field: str) -> None:
    generator, counts = random.Random(7), Counter[tuple[str, str]]()
    models = hosted_models(KAFKA)
    for number in range(20):
        run = draw_run(models[number % 6], generator, counts)
        assert taken_on(host, models[number % 6], KAFKA, run).difference is None
        found = taken_on(host, models[number % 6], KAFKA, run, field).difference
        if found is not None and field in found.fields:
            return
    pytest.fail(f"20 runs do not show that {field} is another one")


def test_a_release_beside_the_model_of_another_one_differs_in_a_few_steps() -> None:
    """Before 3.9 the controller does not heed unclean.leader.election.enable (KAFKA-12670)."""
    found = conform(hosted_release("3.7.2", CONTROLLER), 1, runs=12, seconds=None, held_against="3.9")
    differences = [one for one in found if isinstance(one, RecordDifference)]
    unclean = [one for one in differences if one.model.values["unclean"] and "leader" in one.fields]
    assert unclean
    shortest = min(unclean, key=lambda one: len(one.run.steps))
    assert shortest.of_kafka.leader is None
    assert shortest.of_model.leader is not None
    assert len(shortest.run.steps) <= 8


def test_what_is_not_driven_is_an_action_of_the_model() -> None:
    assert set(WHY_NOT) <= {action.name for action in hosted_models(KAFKA)[0].actions}


def test_a_seed_gives_the_same_runs_again() -> None:
    models = hosted_models(KAFKA)
    one, other = (list(islice(_drawn_actions(models[0], 5), 3)) for _ in range(2))
    assert one == other


def _drawn_actions(model: Model, seed: int) -> Iterator[list[str]]:
    generator, counts = random.Random(seed), Counter[tuple[str, str]]()
    while True:
        yield [step.action for step in draw_run(model, generator, counts).steps]


@pytest.mark.parametrize("kafka", ["4.1", "4.3"])
def test_runs_that_begin_with_moves_come_to_one_who_has_left_and_is_eligible(kafka: str) -> None:
    generator, counts, left = random.Random(3), Counter[tuple[str, str]](), 0
    for _ in range(4):
        states = draw_run(hosted_models(kafka)[0], generator, counts, MOVES).states()
        left += any(state.registered.elr - state.assignment.replicas for state in states)
    assert left


def test_what_compares_nothing_does_not_conform(run_here: RunHere) -> None:
    hosted_release("4.1.1", CONTROLLER)
    ended, said = run_here("conform", "partition", "--kafka-version", "4.1.1", "--time", "0.001")
    assert ended == Exit.INCONCLUSIVE
    assert "nothing was compared" in said


def test_the_command_says_what_was_compared_and_what_was_left_out(run_here: RunHere) -> None:
    hosted_release("4.1.1", CONTROLLER)
    ended, said = run_here("conform", "partition", "--kafka-version", "4.1.1", "--runs", "2")
    assert ended == Exit.HOLDS
    assert "no difference in 2 runs of the model" in said
    assert "unknown_directories" in said
    assert "lose_disk, lose_directory" in said
    ended, said = run_here("conform", "partition", "--kafka-version", "4.1.1", "--direction", "code-to-model")
    assert ended == Exit.USAGE
