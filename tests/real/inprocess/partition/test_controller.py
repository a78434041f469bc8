"""A controller of a release with one partition: what it answers, and what it has on record then."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from tidegate.real.inprocess.hosting import Host, Step
from tidegate.real.inprocess.partition.controller import LEVELS, ControllerSettings, HostedPartition, Level
from tidegate.real.inprocess.program import CONTROLLER, HostError

from ....support.hosting import hosted_release

NEWEST = "4.3.1"


@contextmanager
def running_controller(version: str, settings: ControllerSettings) -> Generator[HostedPartition]:
    """A controller of a release."""
    with Host(hosted_release(version, CONTROLLER), CONTROLLER, brief=True) as host:
        yield HostedPartition(host, settings)


def stop(broker: int) -> tuple[Step, ...]:
    """A broker is shut down as it should be: it asks until it may go."""
    return (("stop", broker),)


def fence(broker: int) -> tuple[Step, ...]:
    """The controller does not hear of a broker any more."""
    return ("silence", broker), ("fence",)


@pytest.mark.parametrize(("version", "left"), [("4.1.1", set[int]()), (NEWEST, {1, 2})])
def test_who_says_where_its_copy_is_empties_an_elr_of_two(version: str, left: set[int]) -> None:
    """Until 4.2, by the fix of apache/kafka#20716: in fifteen calls, of which the first eight make the partition."""
    settings = ControllerSettings(brokers=2, replicas=(1, 2), directories=2, elr=True)
    with running_controller(version, settings) as controller:
        controller.take(*stop(1), *stop(2))
        assert (controller.state.leader, controller.state.isr, controller.state.elr) == (None, set(), {1, 2})
        controller.take(("silence", 1), ("register", 1, 1, 3))
        assert controller.state.elr == {1, 2}
        (assigned,) = controller.take(("assign", 1, 3))
        assert assigned.error == "NONE"
        assert controller.state.elr == left
        assert controller.state.directories == (3, 1)


@pytest.mark.parametrize("version", ["3.7.2", "3.9.1", "4.1.1", NEWEST])
def test_whom_the_controller_fences_leaves_the_isr_and_another_one_leads(version: str) -> None:
    with running_controller(version, ControllerSettings()) as controller:
        before = controller.state
        assert (before.leader, before.leader_epoch, before.isr, before.fenced_brokers) == (1, 0, {1, 2, 3}, set())
        controller.take(*fence(1))
        seen = controller.state
        assert (seen.leader, seen.leader_epoch, seen.partition_epoch, seen.isr) == (2, 1, 1, {2, 3})
        assert (seen.fenced_brokers, seen.active_replicas) == ({1}, {2, 3})
        (told,) = controller.take(("heartbeat", 1, 0, 0))
        assert (told.error, told.state.fenced_brokers, told.state.isr) == ("NONE", set(), {2, 3})


def test_a_leader_changes_the_isr_if_it_knows_the_newest_epochs() -> None:
    with running_controller(NEWEST, ControllerSettings()) as controller:
        answers = controller.take(
            ("alter_isr", 1, 0, 1, 0, 2, 0),
            ("alter_isr", 1, 1, 1, 0, 2, 0, 3, 0),
            ("alter_isr", 2, 0, 1, 0, 2, 0),
            ("silence", 3),
            ("register", 3, 1, 1),
            ("heartbeat", 3, 0, 0),
            ("alter_isr", 1, 0, 1, 0, 2, 0, 3, 1),
            ("alter_isr", 1, 0, 1, 0, 2, 0, 3, 0),
        )
        assert [answer.error for answer in answers] == [
            "NONE", "INVALID_UPDATE_VERSION", "INVALID_REQUEST", "NONE", "NONE", "NONE", "INELIGIBLE_REPLICA", "NONE",
        ]  # fmt: skip
        assert [sorted(answer.state.isr) for answer in answers] == [[1, 2]] * 7 + [[1, 2, 3]]


def test_elections_by_elr_by_the_last_known_leader_and_unclean_ones() -> None:
    with running_controller(NEWEST, ControllerSettings(elr=True)) as controller:
        controller.take(*fence(1), *fence(2), *fence(3))
        assert (controller.state.elr, controller.state.last_known) == ({2, 3}, (3,))
        controller.take(("heartbeat", 2, 0, 0))
        assert (controller.state.leader, controller.state.isr, controller.state.elr) == (2, {2}, {3})
        controller.take(*fence(2), ("register", 2, 0, 1), ("silence", 3), ("register", 3, 0, 1))
        assert (controller.state.leader, controller.state.elr, controller.state.last_known) == (None, set(), (2,))
        controller.take(("heartbeat", 3, 0, 0))
        assert controller.state.leader is None
        controller.take(("heartbeat", 2, 0, 0))
        assert (controller.state.leader, controller.state.isr, controller.state.is_recovering) == (2, {2}, True)
    with running_controller(NEWEST, ControllerSettings(replicas=(1, 2), brokers=2)) as controller:
        refused, _, _, elected = controller.take(("elect", 1), *fence(2), ("heartbeat", 2, 0, 0))
        assert (refused.error, elected.state.leader) == ("ELECTION_NOT_NEEDED", 1)
        *_, elected = controller.take(*fence(1), ("elect", 1))
        assert (elected.error, elected.state.leader, elected.state.isr) == ("NONE", 2, {2})


def test_a_reassignment_waits_for_the_new_copy_and_may_be_cancelled() -> None:
    with running_controller(NEWEST, ControllerSettings(brokers=3, replicas=(1, 2))) as controller:
        controller.take(("reassign", 3, 2))
        assert (controller.state.replicas, controller.state.adding, controller.state.removing) == ((3, 2, 1), {3}, {1})
        controller.take(("cancel",))
        assert (controller.state.replicas, controller.state.adding) == ((2, 1), set())
        controller.take(("reassign", 3, 2))
        (done,) = controller.take(("alter_isr", 1, 0, 1, 0, 2, 0, 3, 0))
        assert (done.error, done.state.replicas, done.state.leader) == ("NEW_LEADER_ELECTED", (3, 2), 3)


@pytest.mark.parametrize("version", ["3.7.2", "4.1.1", NEWEST])
@pytest.mark.parametrize("level", LEVELS)
def test_settings_are_heeded_at_each_level(version: str, level: Level) -> None:
    with running_controller(version, ControllerSettings(min_isr=3, unclean=True, level=level)) as controller:
        is_heeded = version != "3.7.2"  # KAFKA-12670
        assert (controller.state.min_isr, controller.state.is_unclean) == (3, is_heeded)
        controller.take(*fence(2), *fence(3), *fence(1), ("heartbeat", 3, 0, 0))
        assert controller.state.leader == (3 if is_heeded else None)


def test_another_controller_has_the_same_of_the_same_log() -> None:
    with running_controller(NEWEST, ControllerSettings(elr=True)) as controller:
        controller.take(*fence(1), *stop(2), ("silence", 1), ("register", 1, 0, 2), ("assign", 1, 2))
        before = controller.state
        controller.take(("fail_over",))
        assert controller.state == before


def test_a_call_that_is_none_is_an_error_of_the_host() -> None:
    with (
        running_controller(NEWEST, ControllerSettings()) as controller,
        pytest.raises(HostError, match="No enum constant"),
    ):
        controller.take(("levitate", 1))
