"""Lines of controllers and leaders, in the words of each release."""

from __future__ import annotations

import pytest
from tidegate.real.logs.zookeeper_lines import (
    BrokersChange,
    ControlledShutdown,
    ControllerElection,
    Event,
    NewController,
    PartitionChange,
    PartitionCreation,
    broker_events,
    controller_events,
)

from ...support.zookeeper_logs import NOBODY

CHANGED = PartitionChange("orders-0", 3, frozenset({1, 3}), 1, 2)


@pytest.mark.parametrize(
    ("text", "event"),
    [
        (
            "Changed partition orders-0 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader=1, "
            "leaderEpoch=2, isr=List(1, 3), zkVersion=3)",
            CHANGED,
        ),
        (
            "Changed partition orders-0 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=1, "
            "leaderEpoch=2, isr=List(1, 3), leaderRecoveryState=RECOVERED, partitionEpoch=3)",
            CHANGED,
        ),
        (
            "Changed partition orders-0 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=1, "
            "leaderEpoch=2, isrWithBrokerEpoch=List(BrokerState(brokerId=1, brokerEpoch=25), BrokerState(brokerId=3, "
            "brokerEpoch=-1)), leaderRecoveryState=RECOVERED, partitionEpoch=3)",
            CHANGED,
        ),
        (
            "Partition orders-0 state changed to (Leader:1,ISR:1,3,LeaderEpoch:2,ZkVersion:3,ControllerEpoch:1) after "
            "removing replica 2 from the ISR as part of transition to OfflineReplica",
            CHANGED,
        ),
        (
            "Sending become-leader LeaderAndIsr request PartitionState(controllerEpoch=1, leader=1, leaderEpoch=2, "
            "isr=1,3, zkVersion=3, replicas=1,2,3, isNew=false) to broker 1 for partition orders-0",
            CHANGED,
        ),
        (
            "ISR for partition orders-0 updated to [1,3] and zkVersion updated to [3]",
            PartitionChange("orders-0", 3, frozenset({1, 3}), None, None, is_asked_by_leader=True),
        ),
        (
            "Newly added brokers: 3, deleted brokers: , bounced brokers: 2, all live brokers: 1,2,3",
            BrokersChange(frozenset({3}), NOBODY, frozenset({2}), frozenset({1, 2, 3})),
        ),
        (
            "Newly added brokers: , deleted brokers: 2, all live brokers: 1,3",
            BrokersChange(NOBODY, frozenset({2}), NOBODY, frozenset({1, 3})),
        ),
        ("Epoch incremented to 7", ControllerElection(1, 7)),
        ("Currently active brokers in the cluster: HashSet(5, 1, 2, 3, 4)", NewController(frozenset({1, 2, 3, 4, 5}))),
        ("Shutting down broker 2", ControlledShutdown(2)),
        (
            "Changed partition orders-0 state from NonExistentPartition to NewPartition with assigned replicas 1,2,3",
            PartitionCreation("orders-0", (1, 2, 3)),
        ),
    ],
)
def test_lines_of_controllers_are_read_in_the_words_of_each_release(text: str, event: Event) -> None:
    assert list(controller_events(f"[2026-11-26 19:19:46,322] INFO [Controller id=1 epoch=1] {text} (logger)")) == [
        event
    ]


@pytest.mark.parametrize(
    "text",
    [
        "ISR updated to [1,3] and zkVersion updated to [3]",
        "ISR updated to 1,3 and version updated to [3]",
        "ISR updated to 1,3 and version updated to 3",
        "ISR updated to 1,3 (under-min-isr) and version updated to 3",
    ],
)
def test_lines_of_leaders_are_read(text: str) -> None:
    (event,) = broker_events(
        f"[2026-11-26 19:19:46,322] INFO [Partition orders-0 broker=1] {text} (kafka.cluster.Partition)"
    )
    assert event == PartitionChange("orders-0", 3, frozenset({1, 3}), None, None, is_asked_by_leader=True, controller=1)
