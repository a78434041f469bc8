"""A broker, a topic with as many partitions as the model has, and a group of Kafka's own consumers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..nodes import disks, group_wire, wire
from ..nodes.client import ClientProcess
from ..nodes.clocks import NodeClocks
from ..nodes.cluster import TOPIC, ClusterSpec, DrivenCluster
from ..nodes.gates import Gate
from ..nodes.releases import Release
from ..nodes.running import NodesError, wait_for
from .world import GroupObservation, MemberObservation

BROKER, GROUP = 1, "tidegate"
FIRST = 901
"""The client id of the first member."""
COMMIT_MS = 600_000
SETTINGS: Mapping[str, object] = {
    "group.id": GROUP,
    "max.poll.records": 1,
    "max.poll.interval.ms": 7_200_000,
    "session.timeout.ms": 10_000,
    "heartbeat.interval.ms": 500,
    "auto.commit.interval.ms": COMMIT_MS,
    "request.timeout.ms": 3_600_000,
    "default.api.timeout.ms": 3_600_000,
    "reconnect.backoff.ms": 50,
    "retry.backoff.ms": 100,
    "connections.max.idle.ms": 7_200_000,
    "allow.auto.create.topics": "false",
}
_GROUPS: Mapping[str, object] = {
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 1,
    "group.min.session.timeout.ms": 1_000,
    "group.max.session.timeout.ms": 7_200_000,
}
_BY_KIP_848: Mapping[str, object] = {
    "group.coordinator.rebalance.protocols": "classic,consumer",
    "group.consumer.min.session.timeout.ms": SETTINGS["session.timeout.ms"],
    "group.consumer.session.timeout.ms": SETTINGS["session.timeout.ms"],
    "group.consumer.min.heartbeat.interval.ms": SETTINGS["heartbeat.interval.ms"],
    "group.consumer.heartbeat.interval.ms": SETTINGS["heartbeat.interval.ms"],
}
"""With `group.protocol=consumer` these are the broker's settings, and none of the consumer's."""
REBALANCE_DELAY_MS = 3_000
"""For how long the coordinator waits for more members where several join a group that has none."""


class ConsumersCluster(DrivenCluster):
    """Broker 1, which is the coordinator, and consumers. `only_committed`: the group has committed offset 0 of each
    partition at first; `together`: several are to join it while it has no members. Ends with `with`."""

    def __init__(
        self,
        release: Release,
        partitions: int,
        members: int,
        settings: Mapping[str, object],
        *,
        only_committed: bool,
        together: bool = False,
        kept_folder: Path | None = None,
    ) -> None:
        self.by_kip_848 = settings.get("group.protocol") == "consumer"
        more = {**_GROUPS, "group.initial.rebalance.delay.ms": REBALANCE_DELAY_MS if together else 0}
        more |= _BY_KIP_848 if self.by_kip_848 else {}
        super().__init__(
            release, ClusterSpec((BROKER,), {}, False, 12_000, 600_000, more, partitions=partitions), kept_folder
        )
        self.partitions = partitions
        sessions = ("session.timeout.ms", "heartbeat.interval.ms") if self.by_kip_848 else ()
        ours = {name: value for name, value in SETTINGS.items() if name not in sessions}
        self.settings = {**ours, **settings, "topic": TOPIC}
        self.committed, self.together = only_committed, together
        self.numbers = range(FIRST, FIRST + members)
        self.clients = dict[int, ClientProcess]()
        self._clocks = NodeClocks(self.folder.path)

    # --- its start ----------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        self._clocks.build()
        super()._start()
        self.wait_until("the group's coordinator did not start", self._coordinates)
        for number in self.numbers if self.together else ():
            self.start_client(number)

    def _coordinates(self) -> bool:
        every = range(self.partitions)
        try:
            with self._connect_to_any_broker() as connection:
                if wire.find_coordinator(connection, GROUP, wire.OF_GROUPS) is None:
                    return False
                if self.committed:
                    group_wire.commit_offsets(connection, GROUP, TOPIC, dict.fromkeys(every, 0))
                group_wire.read_committed(connection, GROUP, TOPIC, every)
        except wire.BrokerError:
            return False
        return True

    def start_client(self, number: int) -> None:
        """Starts a member's process where it does not run; it does not join the group yet."""
        if number in self.clients:
            return
        settings = {**self.settings, "client.id": number, "bootstrap.servers": f"127.0.0.1:{self.ports[BROKER]}"}
        errors = self.folder.path / f"client-{number}.log"
        self.clients[number] = ClientProcess(
            self.release, "Consumer", settings, errors, self._clocks.environment(number)
        )

    def end(self) -> None:
        for client in self.clients.values():
            client.kill()
        super().end()

    # --- what is seen -------------------------------------------------------------------------------------------------

    def observe(self) -> GroupObservation:
        """What the broker says."""
        self.check()
        every = range(self.partitions)
        with self._connect_to_any_broker() as connection:
            logs = {one: group_wire.read_bounds(connection, TOPIC, one) for one in every}
            offsets = group_wire.read_committed(connection, GROUP, TOPIC, every)
            found = (group_wire.list_consumers if self.by_kip_848 else group_wire.list_members)(connection, GROUP)
        return GroupObservation(logs, offsets, frozenset(int(one) for one in found))

    def observe_member(self, number: int, seconds: float) -> MemberObservation | None:
        """What a consumer says; None where it says nothing in time."""
        said = self.clients[number].ask("look", seconds)
        if said is None:
            return None
        wrong, *rest = said.split()
        pairs = [one.split(":") for one in rest]
        positions = {int(one): int(position) for one, position in pairs if position != "none"}
        return MemberObservation(frozenset(int(one) for one, _ in pairs), positions, wrong)

    # --- the topic ----------------------------------------------------------------------------------------------------

    def write_record(self, partition: int, record: int, age: int = 0) -> None:
        """Appends a record, of so many seconds ago. NodesError where the broker does not."""
        batch = wire.record_batch(str(record).encode(), age)
        with self._connect_to_any_broker() as connection:
            if code := wire.produce(connection, wire.produce_request(TOPIC, batch, -1, partition)):
                raise NodesError(f"record {record} was not written: {wire.ERRORS.get(code, f'error {code}')}")

    def delete_records(self, partition: int, end_offset: int) -> None:
        """Deletes the records below an offset."""
        with self._connect_to_any_broker() as connection:
            group_wire.delete_records(connection, TOPIC, partition, end_offset)

    def truncate(self, partition: int, kept_records: int) -> str:
        """The broker loses power, with so many records of a partition on the disk, and is elected again once the
        controller has fenced it, so that there is another leader epoch; what was cut, in words."""
        self.kill(BROKER)
        try:
            had, size = disks.cut_log(self.nodes.data(BROKER), TOPIC, kept_records, partition)
        except ValueError as error:
            raise NodesError(f"the broker cannot lose what is on its disk: {error}") from None
        self.wait_until("the broker that lost power was not fenced", lambda: BROKER not in self.live_brokers())
        self.start(BROKER)
        self.wait_until("the broker did not start again", lambda: self.live_brokers() == {BROKER} and self._serves())
        return f"killed, its log cut to {size} bytes, {kept_records} of {had} records, and started again"

    def _serves(self) -> bool:
        try:
            self.observe()
        except (wire.BrokerError, OSError):
            return False
        return True

    def add_partition(self, seconds: float) -> bool:
        """Adds a partition; whether the broker leads it in time."""
        with self._connect_to_any_broker() as connection:
            group_wire.add_partitions(connection, TOPIC, self.partitions + 1)
        self.partitions += 1
        segment = self.nodes.data(BROKER) / f"{TOPIC}-{self.partitions - 1}" / disks.SEGMENT
        return bool(wait_for(lambda: segment.exists() and self._leads_all(), seconds))

    def _leads_all(self) -> bool:
        try:
            with self._connect_to_any_broker() as connection:
                group_wire.read_bounds(connection, TOPIC, self.partitions - 1)
        except wire.BrokerError:
            return False
        return True

    def delete_offset(self, partition: int) -> None:
        """Deletes the group's offset."""
        with self._connect_to_any_broker() as connection:
            group_wire.delete_offset(connection, GROUP, TOPIC, partition)

    # --- members ------------------------------------------------------------------------------------------------------

    def instruct(self, number: int, line: str, seconds: float) -> str | None:
        """Has a consumer do something; its answer, None where none comes in time."""
        return self.clients[number].ask(line, seconds)

    def output(self, number: int) -> list[str]:
        """All that a consumer has said."""
        return self.clients[number].said

    def kill_client(self, number: int) -> None:
        """A consumer's process dies."""
        self.clients.pop(number).kill()

    def is_running(self, number: int) -> bool:
        """Whether a consumer's process runs."""
        return number in self.clients

    def gate_member_heartbeats(self, number: int, is_open: bool) -> None:
        """Whether a consumer's heartbeats arrive."""
        gate = Gate(number, BROKER, wire.MEMBER_HEARTBEAT)
        self.gates.open(gate) if is_open else self.gates.shut(gate)

    def gate_requests(self, number: int, api: int, is_open: bool) -> None:
        """Whether a consumer's requests of one kind arrive."""
        gate = Gate(number, BROKER, api)
        self.gates.open(gate) if is_open else self.gates.shut(gate)

    def has_pending_request(self, number: int, api: int) -> bool:
        """Whether a request of a consumer waits that does not arrive."""
        return self.gates.is_holding(Gate(number, BROKER, api))

    def advance_clock(self, number: int) -> None:
        """Puts a consumer's clock forward, so that it commits in its next poll."""
        self._clocks.advance(number, COMMIT_MS // 1_000 + 1)

    def hold_commits(self, number: int, is_held: bool) -> None:
        """Holds a consumer's commits, or lets them through."""
        gate = Gate(number, BROKER, wire.OFFSET_COMMIT)
        self.gates.shut(gate) if is_held else self.gates.open(gate)

    def has_pending_commit(self, number: int) -> bool:
        """Whether a commit waits."""
        return self.gates.is_holding(Gate(number, BROKER, wire.OFFSET_COMMIT))

    def drop_commit(self, number: int, seconds: float) -> bool:
        """Loses the commit that waits, with its connection; whether one came in time."""
        gate = Gate(number, BROKER, wire.OFFSET_COMMIT)
        came = wait_for(lambda: self.gates.is_holding(gate), seconds)
        self.gates.drop(gate)
        return bool(came)
