"""Brokers that have the topic of offsets, whose partitions the driver places; and one beside them, which has the topic
that groups consume, and on which no step of a trace falls."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ....language.errors import UsageError
from ...logs import metadata_log
from ...logs.encoding import Reader, int16, int64
from ..nodes import disks, group_wire, wire
from ..nodes.client import ClientProcess
from ..nodes.cluster import ANSWER_SECONDS, TOPIC, ClusterSpec, DrivenCluster
from ..nodes.gates import Gate
from ..nodes.processes import CONTROLLER
from ..nodes.releases import Release
from ..nodes.running import START_SECONDS, NodesError, wait_for
from .world import OffsetsObservation, RegisteredPartition

OFFSETS = "__consumer_offsets"
SESSION_MS, LAG_MS = 9_000, 600_000
COMMIT_MS = 20_000
_OFFSET_KEYS = (0, 1)
"""Versions of a key of `__consumer_offsets` that is a group's offset."""
NONE, UNASKED = "no coordinator", "not asked"
CLIENT: Mapping[str, object] = {
    "max.poll.records": 1,
    "session.timeout.ms": 10_000,
    "heartbeat.interval.ms": 500,
    "enable.auto.commit": "false",
    "allow.auto.create.topics": "false",
    "reconnect.backoff.ms": 50,
    "retry.backoff.ms": 100,
}
"""Settings of a group's consumer where it begins again."""


def hash_group(group: str) -> int:
    """The hash of a group's id by which its partition is found: String.hashCode of ASCII, without its sign."""
    found = 0
    for letter in group.encode("ascii"):
        found = (31 * found + letter) & 0xFFFFFFFF
    signed = found - (1 << 32) if found & 0x80000000 else found
    return 0 if signed == -(1 << 31) else abs(signed)


def group_in_partition(name: str, partition: int, partitions: int) -> str:
    """An id that begins with a name, and whose offsets are in a partition."""
    return next(one for number in range(10_000) if hash_group(one := f"{name}{number}") % partitions == partition)


def registered_partitions(data: Path) -> dict[int, RegisteredPartition]:
    """The partitions of `__consumer_offsets` that a controller has on record; none where there is no such topic."""
    topic, found = "", dict[int, RegisteredPartition]()
    for entry in _read_entries(data):
        fields = entry.fields
        match entry.kind:
            case "TOPIC_RECORD" if fields["name"] == OFFSETS:
                topic, found = fields["topicId"], {}
            case "REMOVE_TOPIC_RECORD" if fields["topicId"] == topic:
                topic, found = "", {}
            case "PARTITION_RECORD" if fields["topicId"] == topic:
                found[fields["partitionId"]] = _update_partition(None, fields)
            case "PARTITION_CHANGE_RECORD" if fields["topicId"] == topic:
                found[fields["partitionId"]] = _update_partition(found[fields["partitionId"]], fields)
            case _:
                pass
    return found


def _update_partition(part: RegisteredPartition | None, fields: Mapping[str, Any]) -> RegisteredPartition:
    """A partition after a record; what the record does not have is as it was."""

    def brokers(name: str, before: Sequence[int] | frozenset[int]) -> tuple[int, ...]:
        given = fields.get(name)
        return tuple(before if given is None else given)

    part = part or RegisteredPartition((), frozenset(), frozenset(), frozenset(), None)
    leader = fields.get("leader", -2)
    return RegisteredPartition(
        brokers("replicas", part.replicas),
        frozenset(brokers("isr", part.isr)),
        frozenset(brokers("addingReplicas", part.adding)),
        frozenset(brokers("removingReplicas", part.removing)),
        part.leader if leader == -2 else None if leader < 0 else leader,
    )


def count_fences(data: Path) -> Counter[int]:
    """How often a controller has fenced each broker that had registered."""
    found = Counter[int]()
    for entry in _read_entries(data):
        if entry.kind == "FENCE_BROKER_RECORD":
            found[entry.fields["id"]] += 1
        elif entry.kind == "BROKER_REGISTRATION_CHANGE_RECORD" and entry.fields.get("fenced", 0) > 0:
            found[entry.fields["brokerId"]] += 1
    return found


def knows_directories(data: Path, broker: int) -> bool:
    """Whether a controller knows the log directories that a broker has registered with last as those of its partitions
    of `__consumer_offsets`; where a release has no directories in its metadata, there is nothing to know."""
    of, places, topic = dict[int, list[str]](), dict[int, tuple[list[int], list[str]]](), ""
    for entry in _read_entries(data):
        fields = entry.fields
        if entry.kind == "REGISTER_BROKER_RECORD":
            of[fields["brokerId"]] = fields.get("logDirs") or []
        elif entry.kind == "TOPIC_RECORD" and fields["name"] == OFFSETS:
            topic, places = fields["topicId"], {}
        elif entry.kind in ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD") and fields["topicId"] == topic:
            number = fields["partitionId"]
            replicas, directories = places.get(number, ([], []))
            places[number] = fields.get("replicas") or replicas, fields.get("directories") or directories
    return all(
        not directories or directories[replicas.index(broker)] in of[broker]
        for replicas, directories in places.values()
        if broker in replicas
    )


def _read_entries(data: Path) -> list[Any]:
    try:
        return [entry.record for entry in metadata_log.read_metadata_log(data / metadata_log.TOPIC).entries]
    except UsageError:
        return []


def read_offsets(segment: Path) -> list[tuple[str, int]]:
    """The offsets of groups that a segment of `__consumer_offsets` has, with the groups' ids."""
    found = list[tuple[str, int]]()
    for _, _, batch in disks.read_batches(segment):
        for one in () if batch.is_control_batch else batch:
            key, value = Reader(bytes(one.key or b"")), one.value
            if value is not None and int16(key) in _OFFSET_KEYS:
                group, reader = key.take(int16(key)).decode(), Reader(bytes(value))
                int16(reader)
                found.append((group, int64(reader)))
    return found


class OffsetsCluster(DrivenCluster):
    """A controller, and brokers 1, 2, ... of which none runs yet; one broker more has the topic that groups consume.
    Ends with `with`."""

    def __init__(
        self, release: Release, brokers: int, groups: Mapping[str, int], homes: int, kept_folder: Path | None
    ) -> None:
        self.numbers = tuple(range(1, brokers + 1))
        self.beside = brokers + 1
        self.homes = homes
        self.ids = {name: group_in_partition(name, home, homes) for name, home in groups.items()}
        self._emptied = set[int]()
        self._names = {id_: name for name, id_ in self.ids.items()}
        more = {
            "offsets.topic.num.partitions": homes,
            "offsets.topic.replication.factor": brokers + 2,
            "offsets.commit.timeout.ms": COMMIT_MS,
            "group.initial.rebalance.delay.ms": 0,
            "group.min.session.timeout.ms": 1_000,
        }
        super().__init__(
            release, ClusterSpec((*self.numbers, self.beside), {}, False, SESSION_MS, LAG_MS, more), kept_folder
        )

    def _start(self) -> None:
        self._write()
        self.open_gates()
        self.nodes.start(CONTROLLER)
        self.start(self.beside)
        self.wait_until(
            "the broker beside them did not start", lambda: self.beside in self.live_brokers(), START_SECONDS
        )
        with self._connect_to_any_broker() as connection:
            wire.create_topic(connection, TOPIC, [self.beside], {"min.insync.replicas": "1"})
        self.wait_until("the topic was not made", lambda: self.is_leader(self.beside), START_SECONDS)

    def _connection_or_none(self) -> wire.Connection | None:
        """A connection to the broker beside them, which may open its port a little after it is unfenced."""
        with contextlib.suppress(OSError):
            return wire.Connection(self.ports[self.beside])
        return None

    # --- what is seen -------------------------------------------------------------------------------------------------

    def observe(self) -> OffsetsObservation:
        """All of it. NodesError where a node has died by itself."""
        alive = frozenset(self.live_brokers()) - {self.beside}
        data = self.nodes.data(CONTROLLER)
        parts = registered_partitions(data)
        copies = {
            (number, broker): self._copied_commits(number, broker)
            for number, part in parts.items()
            for broker in part.replicas
        }
        committed = {name: self._committed_words(group) if parts else UNASKED for name, group in self.ids.items()}
        return OffsetsObservation(alive, parts, copies, committed, count_fences(data))

    def _copied_commits(self, number: int, broker: int) -> tuple[tuple[str, int], ...]:
        written = read_offsets(self.nodes.data(broker) / f"{OFFSETS}-{number}" / disks.SEGMENT)
        return tuple((self._names.get(group, group), offset) for group, offset in written)

    def _committed_words(self, group: str) -> str:
        """What a group's coordinator says, in words: with the broker that it is."""
        try:
            if (broker := self.coordinator(group)) is None:
                return NONE
            with self._connect_to(broker) as connection:
                offset = group_wire.read_committed(connection, group, TOPIC, [0])[0]
        except (wire.BrokerError, OSError) as error:
            return f"no answer ({error})"
        return f"{'none' if offset is None else offset}, by {broker}"

    def coordinator(self, group: str) -> int | None:
        """The broker that coordinates a group; None where brokers know of none."""
        with self._connect_to_any_broker() as connection:
            found = wire.find_coordinator(connection, group, wire.OF_GROUPS)
        return None if found is None or found < 0 else found

    def _connect_to(self, broker: int) -> contextlib.closing[wire.Connection]:
        return contextlib.closing(wire.Connection(self.ports[broker], 2 * COMMIT_MS / 1_000))

    # --- brokers ------------------------------------------------------------------------------------------------------

    def start_and_wait(self, broker: int) -> None:
        """Starts a broker, and waits until the controller has unfenced it. NodesError where that does not happen."""
        self.start(broker)
        if broker in self._emptied:
            self._emptied.remove(broker)
            self._await_registration(broker)
        self.wait_until(f"broker {broker} did not start", lambda: broker in self.live_brokers(), START_SECONDS)

    def lose_disk(self, broker: int) -> None:
        """It is down, and its disk is empty."""
        super().lose_disk(broker)
        self._emptied.add(broker)

    def _await_registration(self, broker: int) -> None:
        """Has a broker with an empty disk be unfenced only once the controller knows its new log directory (KIP-858):
        in the other order nobody leads where it is the only one in sync. NodesError where it came in that order."""
        data = self.nodes.data(CONTROLLER)
        folders = [
            self.nodes.data(broker) / f"{OFFSETS}-{number}"
            for number, part in registered_partitions(data).items()
            if broker in part.replicas
        ]

        def has_them() -> bool:
            return all(folder.exists() for folder in folders) or broker in self.live_brokers()

        self.wait_until(f"broker {broker} did not start", has_them, START_SECONDS)
        self.gate_heartbeats(broker, False)
        if (broker in self.live_brokers() and not knows_directories(data, broker)) or not wait_for(
            lambda: knows_directories(data, broker), ANSWER_SECONDS
        ):
            raise NodesError(
                f"broker {broker} was not unfenced after the controller knew its new log directory: in another order "
                "nobody leads whose only replica in sync it has (KIP-858)"
            )
        self.gate_heartbeats(broker, True)

    def hold_fetches(self, fetches: frozenset[tuple[int, int]]) -> None:
        """Holds fetches, given as `(follower, leader)`."""
        for follower, leader in fetches:
            self.gates.shut(Gate(follower, leader, wire.FETCH))

    def release_fetches(self, fetches: frozenset[tuple[int, int]]) -> None:
        """Lets them through."""
        for follower, leader in fetches:
            self.gates.open(Gate(follower, leader, wire.FETCH))

    def all_fetches(self) -> frozenset[tuple[int, int]]:
        """All that may be held."""
        return frozenset((one, other) for one in self.numbers for other in self.numbers if one != other)

    # --- the topic ----------------------------------------------------------------------------------------------------

    def create_topic(self, placement: Sequence[Sequence[int]], min_isr: int) -> None:
        """Makes `__consumer_offsets`. wire.BrokerError where the controller does not."""
        settings = {"cleanup.policy": "compact", "min.insync.replicas": str(min_isr)}
        with self._connect_to_any_broker() as connection:
            wire.place_topic(connection, OFFSETS, placement, settings)

    def delete_topic(self) -> None:
        """Deletes it. wire.BrokerError where the controller does not."""
        with self._connect_to_any_broker() as connection:
            wire.delete_topic(connection, OFFSETS)

    def reassign_partition(self, number: int, order: Sequence[int]) -> None:
        """Reassigns a partition. wire.BrokerError where the controller does not."""
        with self._connect_to_any_broker() as connection:
            wire.reassign_replicas(connection, OFFSETS, order, number)

    # --- groups -------------------------------------------------------------------------------------------------------

    def write_record(self, record: int) -> None:
        """Appends a record to the topic that groups consume. NodesError where the broker beside them does not."""
        with self._connect_to_any_broker() as connection:
            batch = wire.record_batch(str(record).encode())
            if code := wire.produce(connection, wire.produce_request(TOPIC, batch, -1)):
                raise NodesError(f"record {record} was not written: {wire.ERRORS.get(code, f'error {code}')}")

    def can_read(self, record: int) -> bool:
        """Whether a reader of that topic is given a record."""
        with self._connect_to_any_broker() as connection:
            return str(record).encode() in wire.read_values(connection, TOPIC)[1]

    def commit_offset(self, name: str, offset: int) -> str:
        """Has a group commit, once: "" where its coordinator takes it, else why not."""
        group = self.ids[name]
        try:
            if (broker := self.coordinator(group)) is None:
                return NONE
            with self._connect_to(broker) as connection:
                group_wire.commit_offsets(connection, group, TOPIC, {0: offset})
        except wire.BrokerError as error:
            return wire.ERRORS.get(error.code, f"error {error.code}")
        except OSError as error:
            return str(error)
        return ""

    def start_consumer(self, name: str, reset: str) -> ClientProcess:
        """A process with Kafka's own consumer of a group, which polls until it is told otherwise. It is to have the
        partition of the topic that groups consume."""
        number = 900 + list(self.ids).index(name)
        settings = {
            **CLIENT,
            "client.id": number,
            "group.id": self.ids[name],
            "auto.offset.reset": reset,
            "topic": TOPIC,
            "bootstrap.servers": f"127.0.0.1:{self.ports[self.beside]}",
        }
        client = ClientProcess(self.release, "Consumer", settings, self.folder.path / f"client-{number}.log")
        client.ask(f"assign 0:{number}", START_SECONDS)
        client.ask("join", START_SECONDS)
        return client

    def is_empty(self, name: str) -> bool:
        """Whether a group has no members, as far as its coordinator says."""
        try:
            broker = self.coordinator(self.ids[name])
            if broker is None:
                return False
            with self._connect_to(broker) as connection:
                return not group_wire.list_members(connection, self.ids[name])
        except (wire.BrokerError, OSError):
            return False
