"""What brokers of a cluster with ZooKeeper write of partitions and of each other, line by line.

* `controller.log` of the broker that is the controller (kafka.controller.KafkaController): since when it is, which
  brokers are there, which are shut down, which topics are created and deleted, and, from 2.7 on, each ISR that a leader
  asks for. The file is at TRACE as Kafka ships it; the last is at DEBUG;
* `state-change.log` (state.change.logger, of PartitionStateMachine, ReplicaStateMachine and ControllerChannelManager):
  each election, and each broker that the controller takes out of an ISR. At INFO from 2.6 on, at TRACE before, as Kafka
  ships it;
* `server.log` of a leader (kafka.cluster.Partition): each ISR that it has changed, with its version, from 2.1 on at
  INFO; and of each broker its release, its cluster, and its settings when it starts.

The state of a partition has a version in ZooKeeper, which each change adds one to: `zkVersion`, and `partitionEpoch`
since 3.0. So it is known whether a change is missing, and where each one belongs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from ...language.immutable import immutable

_CONTROLLER = re.compile(r"\[Controller id=(?P<id>\d+)(?: epoch=(?P<epoch>\d+))?\] (?P<text>.*)")
_ELECTED = re.compile(r".*?\bEpoch incremented to (\d+)")
_BROKERS = re.compile(
    r"Newly added brokers: ([\d,]*), deleted brokers: ([\d,]*)(?:, bounced brokers: ([\d,]*))?, "
    r"all live brokers: ([\d,]*)"
)
_ACTIVE = re.compile(r"Currently active brokers in the cluster: \w*\(([\d, ]*)\)")
_STOPPING = re.compile(r"Shutting down broker (\d+)")
_DELETED = re.compile(r"New topics: \[.*?\], deleted topics: \[\w*\((?P<names>[^)]*)\)\]")
_TOPIC_IDS = re.compile(r"TopicIdReplicaAssignment\((?P<topic>[^,]+),Some\((?P<id>[^)]+)\)")
_CREATED = re.compile(r"Changed partition (\S+) state from \S+ to NewPartition with assigned replicas ([\d,]+)")
_ONLINE = re.compile(
    r"Changed partition (?P<name>\S+) from \w+ to OnlinePartition with state (?P<state>LeaderAndIsr\(.*)"
)
_REMOVED = re.compile(
    r"Partition (?P<name>\S+) state changed to (?P<state>\(.*\)) after removing replica (\d+) from the ISR"
)
_SENT = re.compile(
    r"Sending (?:\S+ )?(?:LeaderAndIsr|UpdateMetadata) request (?P<state>\w*PartitionState\(.*\)) to brokers? .*"
    r"for partition (?P<name>\S+)"
)
_ASKED = re.compile(r"ISR for partition (?P<name>\S+) updated to (?P<state>LeaderAndIsr\(.*)")
_ASKED_OLD = re.compile(r"ISR for partition (\S+) updated to \[([\d,]+)\] and zkVersion updated to \[(\d+)\]")
_LEADER = re.compile(
    r"\[Partition (?P<name>\S+) broker=(?P<broker>\d+)\] ISR updated to \[?(?P<isr>[\d,]+)\]?(?: \([^)]*\))? and "
    r"(?:zkVersion|version) updated to \[?(?P<version>\d+)\]?"
)
_RELEASE = re.compile(r"Kafka version ?: (\d+\.\d+\.\d+)")
CLUSTER = re.compile(r"Cluster ID = (\S+)")
_SETTING = re.compile(
    r"^\s(min\.insync\.replicas|unclean\.leader\.election\.enable|inter\.broker\.protocol\.version) = (\S+)"
)
_BROKER = re.compile(r"^\sbroker\.id = (\d+)")
_LOG_OF = re.compile(r"Created log for partition (?P<topic>\S+)-\d+ in \S+ with properties \{(?P<config>.*?)\}")
_OVERRIDE = re.compile(r"Processing override for entityPath: topics/(?P<topic>\S+) with config: \w+\((?P<config>.*?)\)")
_OF_TOPIC = re.compile(r"(min\.insync\.replicas|unclean\.leader\.election\.enable)(?: -> |=)([^,\s)]+)")

_FIELDS: Mapping[str, re.Pattern[str]] = {
    "leader": re.compile(r"\b(?:leader=|Leader:)(-?\d+)"),
    "epoch": re.compile(r"\b(?:leaderEpoch=|LeaderEpoch:)(\d+)"),
    "version": re.compile(r"\b(?:zkVersion=|ZkVersion:|partitionEpoch=|PartitionEpoch:)(\d+)"),
}
_ISR = re.compile(r"\b(?:isr=|ISR:)(?:\w*\(|\[)?(?P<isr>\d*(?:, ?\d+)*)")
_ISR_WITH_EPOCHS = re.compile(r"\bisrWithBrokerEpoch=\w*\((?P<isr>(?:BrokerState\([^)]*\)(?:, )?)*)\)")
_MEMBER = re.compile(r"brokerId=(\d+)")
NOBODY = -1


@immutable
class ControllerElection:
    """A broker becomes the controller, in a controller epoch."""

    controller: int
    epoch: int


@immutable
class BrokersChange:
    """The controller sees which brokers are registered: who is new, who is gone, who registered anew meanwhile."""

    new_brokers: frozenset[int]
    gone_brokers: frozenset[int]
    bounced_brokers: frozenset[int]
    live: frozenset[int]


@immutable
class NewController:
    """A controller that takes over sees who is registered."""

    live: frozenset[int]


@immutable
class ControlledShutdown:
    """A broker asks the controller for a controlled shutdown."""

    broker: int


@immutable
class PartitionCreation:
    """A partition gets its replicas, in the order of assignment."""

    name: str
    replicas: tuple[int, ...]


@immutable
class Relocation:
    """Some partition's replicas are being reassigned, or a topic is deleted: what is said of `name`, a partition or a
    topic, goes no further."""

    name: str
    why: str


@immutable
class TopicId:
    """The id of a topic, from 2.8 on."""

    topic: str
    id: str


@immutable
class PartitionChange:
    """The state of a partition in ZooKeeper at a version. `is_asked_by_leader`: its leader wanted this ISR, so that
    leader and epoch are those of the version before; else it is by the controller."""

    name: str
    version: int
    isr: frozenset[int]
    leader: int | None
    epoch: int | None
    is_asked_by_leader: bool = False
    controller: int | None = None


@immutable
class BrokerFact:
    """What a broker says of itself: its `release`, its `cluster`, or a setting."""

    name: str
    value: str
    topic: str | None = None


Event: TypeAlias = (
    ControllerElection
    | BrokersChange
    | NewController
    | ControlledShutdown
    | PartitionCreation
    | Relocation
    | TopicId
    | PartitionChange
    | BrokerFact
)


def broker_numbers(text: str | None) -> frozenset[int]:
    """The brokers of a list with commas."""
    return frozenset(int(one) for one in re.findall(r"\d+", text or ""))


def controller_of_line(text: str) -> tuple[int, int | None] | None:
    """Which broker writes a line as the controller, and in which controller epoch where the line says it."""
    found = _CONTROLLER.search(text)
    return None if found is None else (int(found["id"]), int(found["epoch"]) if found["epoch"] else None)


def controller_events(text: str) -> Iterator[Event]:
    """What a line of a controller says."""
    found = _CONTROLLER.search(text)
    if found is None:
        return
    said = found["text"]
    if elected := _ELECTED.match(said):
        yield ControllerElection(int(found["id"]), int(elected[1]))
    elif brokers := _BROKERS.match(said):
        added, deleted, bounced, live = map(broker_numbers, brokers.groups())
        yield BrokersChange(added, deleted, bounced, live)
    elif active := _ACTIVE.match(said):
        yield NewController(broker_numbers(active[1]))
    elif stopping := _STOPPING.match(said):
        yield ControlledShutdown(int(stopping[1]))
    elif created := _CREATED.match(said):
        yield PartitionCreation(created[1], tuple(map(int, created[2].split(","))))
    elif topics := _DELETED.match(said):
        yield from (
            Relocation(name.strip(), "the topic was deleted") for name in topics["names"].split(",") if name.strip()
        )
        yield from (TopicId(one["topic"], one["id"]) for one in _TOPIC_IDS.finditer(said))
    else:
        yield from _change_events(said)


def _change_events(message: str) -> Iterator[Event]:
    if old := _ASKED_OLD.match(message):
        yield PartitionChange(old[1], int(old[3]), broker_numbers(old[2]), None, None, is_asked_by_leader=True)
    elif asked := _ASKED.match(message):
        yield from _partition_changes(asked["name"], asked["state"], is_asked_for=True)
    elif state := _ONLINE.match(message) or _REMOVED.match(message) or _SENT.match(message):
        yield from _partition_changes(state["name"], state["state"], is_asked_for=False)
    elif moved := re.match(
        r".*?(?:reassign\w*|Updated assigned replicas).*?(?:partition |partitions? )(\S+-\d+)\b", message
    ):
        yield Relocation(moved[1], "its replicas were reassigned")


def _partition_changes(name: str, text: str, *, is_asked_for: bool) -> Iterator[PartitionChange]:
    found = {field: pattern.search(text) for field, pattern in _FIELDS.items()}
    whole = _ISR_WITH_EPOCHS.search(text)
    isr = frozenset(map(int, _MEMBER.findall(whole["isr"]))) if whole else None
    if isr is None and (short := _ISR.search(text)):
        isr = broker_numbers(short["isr"])
    leader, epoch, version = (found[field] for field in ("leader", "epoch", "version"))
    if leader and epoch and version and isr is not None:
        yield PartitionChange(
            name, int(version[1]), isr, int(leader[1]), int(epoch[1]), is_asked_by_leader=is_asked_for
        )


def broker_events(text: str) -> Iterator[Event]:
    """What a line of a broker says, whether it is the controller or not."""
    if (leader := _LEADER.search(text)) is not None:
        by = int(leader["broker"])
        yield PartitionChange(
            leader["name"],
            int(leader["version"]),
            broker_numbers(leader["isr"]),
            None,
            None,
            is_asked_by_leader=True,
            controller=by,
        )
    elif (release := _RELEASE.search(text)) is not None:
        yield BrokerFact("release", release[1])
    elif (cluster := CLUSTER.search(text)) is not None:
        yield BrokerFact("cluster", cluster[1])
    elif (setting := _SETTING.match(text)) is not None:
        yield BrokerFact(setting[1], setting[2])
    elif (override := _OVERRIDE.search(text) or _LOG_OF.search(text)) is not None:
        yield from (BrokerFact(name, value, override["topic"]) for name, value in _OF_TOPIC.findall(override["config"]))
