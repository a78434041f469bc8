"""Random schedules on a release's controller of partitions: what they find, and that it is found again.

Also of: `known`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tidegate.real.inprocess.hosting import Host, Schedule
from tidegate.real.inprocess.partition.controller import ControllerSettings, HostedPartition
from tidegate.real.inprocess.partition.hunting import ControllerCase, finding_of, hunt_controller
from tidegate.real.inprocess.partition.known import ticket_of
from tidegate.real.inprocess.program import CONTROLLER
from tidegate.reports.exits import Exit

from ....conftest import RunHere
from ....support.hosting import hosted_release

WORLD = ControllerSettings(brokers=4, directories=2)
WITH_ELR = ControllerSettings(brokers=4, directories=2, elr=True)
ELR_WITHOUT_COPY: Schedule = (("reassign", 2),)


@pytest.mark.parametrize(
    ("version", "tickets"),
    [("3.7.2", {"KAFKA-18106", "KAFKA-12670", "KAFKA-15665"}), ("4.1.1", {"apache/kafka#20716"})],
)
def test_known_defects_are_found_with_seed_1(version: str, tickets: set[str]) -> None:
    found = list(hunt_controller(hosted_release(version, CONTROLLER), 1, runs=400, seconds=None))
    assert tickets <= {case.known_as for case in found if isinstance(case, ControllerCase)}


@pytest.mark.parametrize("version", ["4.1.1", "4.3.1"])
def test_a_reassignment_to_fewer_than_min_isr_leaves_brokers_in_the_elr_that_hold_no_copy(version: str) -> None:
    with Host(hosted_release(version, CONTROLLER), CONTROLLER, brief=True) as host:
        found = finding_of(host, WITH_ELR, ELR_WITHOUT_COPY, "replicas_hold")
        assert found is not None
        assert found.why == "the ISR is [2], the ELR [1, 3], and the replicas are [2]"
        assert finding_of(host, WORLD, ELR_WITHOUT_COPY, "replicas_hold") is None


def test_a_broker_whose_reassignment_was_cancelled_is_elected_with_a_new_copy() -> None:
    """It left the replicas, and not the ELR; when it is added again its copy is empty."""
    settings = ControllerSettings(brokers=3, replicas=(1, 2), elr=True)
    with Host(hosted_release("4.1.1", CONTROLLER), CONTROLLER, brief=True) as host:
        controller = HostedPartition(host, settings)
        joins = ("reassign", 1, 2, 3), ("alter_isr", 1, 0, 1, 0, 3, 0)
        controller.take(("silence", 2), ("fence",), *joins, ("cancel",))
        assert (controller.state.replicas, controller.state.elr) == ((1, 2), {3})
        controller.take(("reassign", 1, 2, 3), ("silence", 1), ("fence",))
        assert (controller.state.leader, controller.state.isr) == (3, {3})
        assert not controller.state.is_recovering


@pytest.mark.parametrize("version", ["4.3.1", "4.4.0"])
def test_since_4_3_one_whose_reassignment_was_complete_is_elected_with_a_new_copy(version: str) -> None:
    """KAFKA-19975: it is complete with 3 alone in sync, and 1, which led, is in the ELR, as is 2, which never left."""
    settings = ControllerSettings(brokers=3, replicas=(1, 2), elr=True)
    with Host(hosted_release(version, CONTROLLER), CONTROLLER, brief=True) as host:
        controller = HostedPartition(host, settings)
        controller.take(("silence", 2), ("fence",), ("reassign", 2, 3), ("alter_isr", 1, 0, 1, 0, 3, 0))
        state = controller.state
        assert (state.leader, state.isr, state.replicas, state.elr) == (3, {3}, (2, 3), {1, 2})
        controller.take(("reassign", 1, 2), ("silence", 3), ("fence",))
        assert (controller.state.leader, controller.state.isr) == (1, {1})
        assert not controller.state.is_recovering


def test_once_min_isr_is_set_nobody_is_eligible_who_has_left() -> None:
    settings = ControllerSettings(brokers=3, replicas=(1, 2), elr=True)
    with Host(hosted_release("4.1.1", CONTROLLER), CONTROLLER, brief=True) as host:
        controller = HostedPartition(host, settings)
        joins = ("reassign", 1, 2, 3), ("alter_isr", 1, 0, 1, 0, 3, 0)
        controller.take(("silence", 2), ("fence",), *joins, ("cancel",), ("set_min_isr", 1, 2))
        assert controller.state.elr == set()
        controller.take(("reassign", 1, 2, 3), ("silence", 1), ("fence",))
        assert controller.state.leader is None


def test_a_ticket_is_of_releases_before_its_fix() -> None:
    assert ticket_of("leader_is_unfenced", (4, 0, 0)) == "KAFKA-19522"
    assert ticket_of("leader_is_unfenced", (4, 1, 0)) == ""


def test_what_is_saved_is_found_again(run_here: RunHere, tmp_path: Path) -> None:
    hosted_release("4.1.1", CONTROLLER)
    command = ("hunt", "partition", "--kafka-version", "4.1.1", "--runs", "100", "--out", str(tmp_path))
    ended, said = run_here(*command)
    assert ended == Exit.SAFETY
    assert "replicas_hold: the ISR is" in said
    saved = tmp_path / "replicas_hold-1.schedule.json"
    assert json.loads(saved.read_text(encoding="utf-8"))["steps"] == [["reassign", 2]]
    ended, said = run_here("hunt", "--replay", str(saved))
    assert ended == Exit.SAFETY
    ended, said = run_here("hunt", "--replay", str(saved), "--kafka-version", "3.9.1")
    assert ended == Exit.USAGE
    assert "does not show it" in said
