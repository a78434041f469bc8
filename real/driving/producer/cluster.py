"""Two brokers, a topic for each partition of the model, and Kafka's own producer, whose requests wait on their way."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..nodes import disks, wire
from ..nodes.client import ClientProcess
from ..nodes.cluster import TOPIC, ClusterSpec, DrivenCluster
from ..nodes.gates import Gate
from ..nodes.lines import CLIENT, ClientConnection, ClientGates
from ..nodes.releases import Release
from ..nodes.running import NodesError, wait_for
from .world import ProducerObservation, number_producers

BROKERS = (1, 2)
_BAIT = -1
SETTINGS: Mapping[str, object] = {
    "batch.size": 0,
    "linger.ms": 0,
    "delivery.timeout.ms": 7_200_000,
    "request.timeout.ms": 3_600_000,
    "reconnect.backoff.ms": 50,
    "retry.backoff.ms": 200,
    "connections.max.idle.ms": 7_200_000,
}


class ProducerCluster(DrivenCluster):
    """Brokers 1 and 2, of which 1 leads first, and a producer. `refuses`: the topic takes writes with acks=all only
    while both are in sync. Ends with `with`."""

    def __init__(
        self,
        release: Release,
        partitions: int,
        settings: Mapping[str, object],
        *,
        refuses: bool = False,
        kept_folder: Path | None = None,
    ) -> None:
        topic = {"min.insync.replicas": "2" if refuses else "1"}
        super().__init__(
            release, ClusterSpec(BROKERS, topic, False, 12_000, 3_000 if refuses else 600_000), kept_folder
        )
        self.lines = ClientGates()
        self.gates = self.lines
        self.topics = [topic_of(partition) for partition in range(partitions)]
        self.settings = {**SETTINGS, **settings, "client.id": CLIENT}
        self.client: ClientProcess | None = None
        self._late: ClientConnection | None = None
        self._outcomes: dict[int, str] = {}
        self._heard = 0

    def _start(self) -> None:
        super()._start()
        for topic in self.topics[1:]:
            with self._connect_to_any_broker() as connection:
                wire.create_topic(connection, topic, self.order, self.needs.topic)
            self.wait_until(f"{topic} was not made", lambda name=topic: self.is_leader(BROKERS[0], name))
        self.start_client()

    def end(self) -> None:
        if self.client is not None:
            self.client.kill()
        super().end()

    def start_client(self) -> None:
        """Starts the producer's process. From its first answer on it uses the listeners that brokers advertise, which
        lead through the lines."""
        servers = ",".join(f"127.0.0.1:{self.ports[broker]}" for broker in BROKERS)
        settings = {**self.settings, "bootstrap.servers": servers}
        self._heard = 0
        self.client = ClientProcess(self.release, "Producer", settings, self.folder.path / "client.log")

    # --- what is seen -------------------------------------------------------------------------------------------------

    def observe(self) -> ProducerObservation:
        """All of it."""
        leader = self.registered_state().leader
        logs = {topic: [] if leader is None else self._written_records(leader, topic) for topic in self.topics}
        return ProducerObservation(leader, number_producers(logs), self._outcomes_told())

    def _written_records(self, broker: int, topic: str) -> list[tuple[int, int, int, int]]:
        segment = self.nodes.data(broker) / f"{topic}-0" / disks.SEGMENT
        return [
            (int(one.value), batch.producer_id, batch.producer_epoch, batch.base_sequence)
            for _, _, batch in disks.read_batches(segment)
            for one in batch
            if bytes(one.value) != disks.FILLER
        ]

    def _outcomes_told(self) -> dict[int, str]:
        """What the producer was told last of each record."""
        assert self.client is not None
        said = self.client.said[self._heard :]
        self._heard += len(said)
        for line in said:
            word, *rest = line.split()
            if word in ("ack", "error"):
                self._outcomes[int(rest[0])] = "acknowledged" if word == "ack" else "given up"
        return dict(self._outcomes)

    def count_batches(self, broker: int) -> int:
        """How many of the trace's batches the log of a broker has."""
        return len(self._written_records(broker, TOPIC))

    # --- the producer -------------------------------------------------------------------------------------------------

    def send_record(self, record: int, partition: int, seconds: float) -> bool:
        """Has the producer send a record; whether `send()` returned."""
        assert self.client is not None
        self._outcomes_told()
        self._outcomes.pop(record, None)
        before = self.client.said.count(f"sent {record}")
        self.client.write_line(f"send {record} {self.topics[partition]}")
        client = self.client
        return bool(wait_for(lambda: client.said.count(f"sent {record}") > before, seconds))

    def close_client(self, seconds: float) -> bool:
        """Has the producer closed at once; whether it was."""
        assert self.client is not None
        self.client.write_line("close")
        return self.client.wait_for_line("closed", seconds)

    def restart_client(self, keep: int | None, *, forget: bool) -> None:
        """The producer's process dies, and another one starts. Of the requests that wait the first one to the broker
        `keep` may arrive later; `forget`: what was told of records that are not acknowledged counts no more."""
        assert self.client is not None
        self._outcomes_told()
        self.client.kill()
        for broker in BROKERS:
            self.cut_connection(broker, keep=broker == keep)
        if forget:
            self._outcomes = {one: word for one, word in self._outcomes.items() if word == "acknowledged"}
        self.start_client()

    def known_leader(self, partition: int, seconds: float) -> int:
        """The leader that the producer knows; -1 for none."""
        assert self.client is not None
        client, before = self.client, len(self.client.said)
        client.write_line(f"leader {self.topics[partition]}")

        def answers() -> list[str]:
            return [line for line in client.said[before:] if line.startswith("leader ")]

        found = wait_for(answers, seconds)
        return int(found[0].split()[1]) if found else -1

    # --- its requests, and their answers ------------------------------------------------------------------------------

    def count_pending_requests(self, broker: int) -> int:
        """How many of its requests wait on the way to a broker."""
        line = self.lines.by_broker.get(broker)
        return 0 if line is None else line.queued_count()

    def pass_request(self, broker: int) -> None:
        """Lets the first of them go."""
        self.lines.by_broker[broker].let_request()

    def pending_response(self, broker: int) -> int | None:
        """The error code of a broker's first answer that waits; None where none does."""
        line = self.lines.by_broker.get(broker)
        return None if line is None else line.answer()

    def pass_response(self, broker: int) -> None:
        """Lets that answer go."""
        self.lines.by_broker[broker].let_answer()

    def cut_connection(self, broker: int, *, keep: bool) -> None:
        """The producer's connection to a broker is lost; the first request that waits may be kept."""
        line = self.lines.by_broker.pop(broker, None)
        if line is not None:
            line.cut(keep=keep)
        if keep:
            self._late = line

    def pass_kept_request(self) -> None:
        """What was kept goes to its broker."""
        assert self._late is not None
        self._late.let_request()

    def kept_response(self) -> int | None:
        """The error code of the answer to it, which nobody waits for; None before there is one."""
        assert self._late is not None
        return self._late.answer()

    # --- leaders ------------------------------------------------------------------------------------------------------

    def move_leader(self, broker: int, seconds: float) -> bool:
        """Has a broker lead; whether both brokers know it."""
        self.move_to_front(broker)
        self.elect_leader(wire.PREFERRED)
        return bool(wait_for(lambda: all(self.is_leader(broker, other_broker=one) for one in BROKERS), seconds))

    def shrink_isr(self, leader: int, *, bait: bool, seconds: float) -> bool:
        """Has the ISR shrink to its leader; whether it does. With `bait` a record more is written, which the other
        broker lacks."""
        if bait:
            self.write_filler(leader)
        if not wait_for(lambda: self.requested_isr(leader) == frozenset({leader}), seconds):
            return False
        return self.pass_alter_partition(leader, seconds) and bool(
            wait_for(lambda: self.registered_state().isr == frozenset({leader}), seconds)
        )

    def set_writable(self, leader: int, is_writable: bool, seconds: float) -> bool:
        """Whether the leader, which is alone in sync, takes writes with acks=all; waits until it does as is said."""
        with self._connect_to_any_broker() as connection:
            code = wire.set_topic_config(connection, TOPIC, "min.insync.replicas", "1" if is_writable else "2")
        if code:
            raise NodesError(f"min.insync.replicas cannot be changed: error {code}")
        wanted = 0 if is_writable else wire.NOT_ENOUGH_REPLICAS

        def does() -> bool:
            self.answers.pop(_BAIT, None)
            self._send(leader, disks.FILLER, -1, _BAIT)
            return self.answers.get(_BAIT) == wanted

        return bool(wait_for(does, seconds))

    def pass_fetch(self, leader: int, seconds: float) -> bool:
        """Lets the other broker fetch once from the leader; whether it did."""
        (follower,) = set(BROKERS) - {leader}
        return self.gates.pass_one(Gate(follower, leader, wire.FETCH), seconds)


def topic_of(partition: int) -> str:
    """The topic of a partition of the model."""
    return f"{TOPIC}{partition or ''}"
