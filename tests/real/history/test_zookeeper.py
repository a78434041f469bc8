"""A history that brokers' logs tell: when a broker was down, fenced, and back."""

from __future__ import annotations

from tidegate.real.history.moments import History
from tidegate.real.history.zookeeper import MOST_AT_ONCE, TimedEvent, build_histories, order_events
from tidegate.real.history.zookeeper_logs import read_zookeeper
from tidegate.real.logs.zookeeper_lines import (
    BrokersChange,
    ControlledShutdown,
    ControllerElection,
    Event,
    NewController,
    PartitionChange,
    PartitionCreation,
    Relocation,
)

from ...support.zookeeper_logs import EXAMPLE, NOBODY


def history_of(*events: Event) -> History:
    told = [TimedEvent(number, event, f"line {number}") for number, event in enumerate(events)]
    (history,) = build_histories(told, {})
    return history


def state(version: int, leader: int, epoch: int, *isr: int) -> PartitionChange:
    return PartitionChange("orders-0", version, frozenset(isr), leader, epoch)


START = (
    NewController(frozenset({1, 2, 3})),
    PartitionCreation("orders-0", (1, 2, 3)),
    state(0, 1, 0, 1, 2, 3),
)


def brokers_gone(*brokers: int) -> BrokersChange:
    return BrokersChange(NOBODY, frozenset(brokers), NOBODY, frozenset({1, 2, 3}) - set(brokers))


def test_a_broker_is_fenced_with_the_change_that_its_death_makes() -> None:
    moments = history_of(*START, brokers_gone(2, 3), state(1, 1, 1, 1, 3), state(2, 1, 2, 1)).moments
    assert [sorted(moment.fenced_brokers) for moment in moments] == [[], [2], [2, 3]]


def test_a_broker_that_registered_anew_is_fenced_and_is_back() -> None:
    bounced = BrokersChange(NOBODY, NOBODY, frozenset({1}), frozenset({1, 2, 3}))
    moments = history_of(*START, bounced, state(1, 2, 1, 2, 3)).moments
    assert [sorted(moment.fenced_brokers) for moment in moments] == [[], [1], []]
    assert moments[-1].unsure == {1}


def test_a_broker_that_was_shut_down_has_been_down() -> None:
    back = BrokersChange(frozenset({1}), NOBODY, NOBODY, frozenset({1, 2, 3}))
    moments = history_of(*START, ControlledShutdown(1), state(1, 2, 1, 2, 3), brokers_gone(1), back).moments
    assert [
        (sorted(one.fenced_brokers), sorted(one.stopping_brokers), sorted(one.restarted_brokers)) for one in moments
    ] == [
        ([], [], []),
        ([1], [1], []),
        ([], [], [1]),
    ]


def test_more_brokers_at_once_than_the_model_has_are_not_judged() -> None:
    events = (
        NewController(frozenset({1, 2, 3, 4})),
        PartitionCreation("orders-0", (1, 2, 3, 4)),
        state(0, 1, 0, 1, 2, 3, 4),
        BrokersChange(NOBODY, frozenset({1, 2, 3}), NOBODY, frozenset({4})),
        state(1, 4, 1, 4),
    )
    history = history_of(*events)
    assert MOST_AT_ONCE == 2
    assert len(history.moments) == 1
    assert history.missing is not None


def test_a_topic_that_is_deleted_is_followed_until_then() -> None:
    history = history_of(*START, Relocation("orders", "the topic was deleted"), state(1, 2, 1, 2, 3))
    assert (history.end_reason, len(history.moments)) == ("the topic was deleted", 1)


def test_controllers_follow_each_other_by_their_epochs() -> None:
    """Their clocks are not compared: the second is an hour behind."""
    first = [TimedEvent(7_200_000, ControllerElection(1, 4), "a"), TimedEvent(7_200_001, ControlledShutdown(2), "b")]
    second = [TimedEvent(3_600_000, ControllerElection(2, 6), "c")]
    events, notes = order_events({2: second, 1: first}, [])
    assert [told.where for told in events] == ["a", "b", "c"]
    assert notes == ["no file has what controllers of epochs 5 to 5 did: give controller.log of each broker"]


def test_settings_are_those_of_brokers_and_of_topics() -> None:
    _, cluster = read_zookeeper(EXAMPLE)
    (history,) = cluster.histories
    assert history.settings == {"min.insync.replicas": "2", "unclean.leader.election.enable": "false"}
    assert cluster.zookeeper is not None
    assert (cluster.zookeeper.releases, cluster.zookeeper.protocols) == (("2.8.2",), ("2.8-IV1",))
