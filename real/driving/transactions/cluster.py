"""A small real cluster for transactions: a coordinator, a topic on a broker for each partition of the model, and gates
that hold what the coordinator sends to them."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..nodes import disks, wire
from ..nodes.clocks import NodeClocks
from ..nodes.cluster import ClusterSpec, DrivenCluster
from ..nodes.gates import Gate
from ..nodes.releases import Release
from ..nodes.running import START_SECONDS, NodesError, wait_for
from . import wire as txn_wire
from .world import RETRIABLE, ProducerRequest, ProducerResponse, TransactionsObservation

STATE = "__transaction_state"
TIMEOUT_MS = 600_000
AHEAD_SECONDS = 660
"""By how much the clocks of brokers are put forward, so that a transaction has taken too long."""
SETTINGS: Mapping[str, int] = {
    "transaction.state.log.num.partitions": 1,
    "transaction.state.log.replication.factor": 2,
    "transaction.state.log.min.isr": 1,
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": 200,
}
_COMMIT = 1


class TransactionsCluster(DrivenCluster):
    """A cluster whose topics are those of partitions, on brokers 1, 2, 3 in this order. Ends with `with`."""

    def __init__(
        self,
        release: Release,
        partitions: Iterable[str],
        version_2: bool,
        *,
        clocks: bool,
        kept_folder: Path | None = None,
    ) -> None:
        self.homes = {name: number for number, name in enumerate(partitions, 1)}
        brokers = tuple(range(1, max(2, len(self.homes)) + 1))
        features = {"transaction.version": 2 if version_2 else 0}
        super().__init__(release, ClusterSpec(brokers, {}, False, 12_000, 600_000, SETTINGS, features), kept_folder)
        self.version_2 = version_2
        self.coordinator = 0
        self._clocks = NodeClocks(self.folder.path) if clocks else None
        self._copies = dict[str, bytes]()

    # --- its start ----------------------------------------------------------------------------------------------------

    def environment(self, broker: int) -> Mapping[str, str]:
        return {} if self._clocks is None else self._clocks.environment(broker)

    def _start(self) -> None:
        if self._clocks is not None:
            self._clocks.build()
        super()._start()
        self.open_gates()
        for name, broker in self.homes.items():
            with self._connect_to_any_broker() as connection:
                wire.create_topic(connection, topic_of(name), [broker], {})
            self.wait_until(
                f"{topic_of(name)} was not made", lambda at=broker, of=name: self.is_leader(at, topic_of(of))
            )
        for sender in self.needs.brokers:
            for receiver in self.needs.brokers:
                self.gates.shut(Gate(sender, receiver, wire.WRITE_TXN_MARKERS))
        self.wait_until("no broker became the coordinator", self._finds_coordinator)
        self.wait_until("the coordinator's log has one replica", self._is_whole)

    def _finds_coordinator(self) -> bool:
        """Whether there is a coordinator that answers for the id."""
        with self._connect_to_any_broker() as connection:
            found = txn_wire.coordinator(connection)
        if found is None:
            return False
        self.coordinator = found
        return self._describe_transaction() is not None

    def _is_whole(self) -> bool:
        with self._connect_to(self.coordinator) as connection:
            found = wire.read_metadata(connection, STATE)
        return found is not None and len(found.isr) == SETTINGS["transaction.state.log.replication.factor"]

    def _connect_to(self, broker: int) -> contextlib.closing[wire.Connection]:
        return contextlib.closing(wire.Connection(self.ports[broker]))

    # --- what is seen -------------------------------------------------------------------------------------------------

    def observe(self, clients: Mapping[str, int]) -> TransactionsObservation:
        """All of it; `clients` are the epochs that clients have, as brokers count them."""
        self.check()
        found = wait_for(self._describe_transaction, START_SECONDS)
        if found is None:
            raise NodesError("the coordinator does not say how it is with the id")
        logs = {name: self._stored_records(name) for name in self.homes}
        return TransactionsObservation(
            found.state,
            found.epoch + 1,
            frozenset(name for name in self.homes if topic_of(name) in found.topics),
            {name: tuple((txn, status) for _, txn, status in log) for name, log in logs.items()},
            {name: sum(offset < self._last_stable_offset(name) for offset, _, _ in log) for name, log in logs.items()},
            {name: epoch + 1 for name, epoch in clients.items()},
        )

    def _describe_transaction(self) -> txn_wire.TransactionDescription | None:
        try:
            with self._connect_to(self.coordinator) as connection:
                return txn_wire.describe_transaction(connection)
        except OSError:
            return None

    def _last_stable_offset(self, name: str) -> int:
        with self._connect_to(self.homes[name]) as connection:
            return txn_wire.stable_offset(connection, topic_of(name))

    def _stored_records(self, name: str) -> list[tuple[int, int, str]]:
        """The offset, transaction and status of each record; a marker ends what is open of its producer id."""
        found, open_ = list[tuple[int, int, str]](), dict[int, list[int]]()
        segment = self.nodes.data(self.homes[name]) / f"{topic_of(name)}-0" / disks.SEGMENT
        for _, _, batch in disks.read_batches(segment):
            for one in batch:
                if not batch.is_control_batch:
                    open_.setdefault(batch.producer_id, []).append(len(found))
                    found.append((one.offset, int(one.value), "open"))
                    continue
                status = "committed" if struct.unpack_from(">hh", one.key)[1] == _COMMIT else "aborted"
                for place in open_.pop(batch.producer_id, []):
                    found[place] = (*found[place][:2], status)
        return found

    # --- what is done -------------------------------------------------------------------------------------------------

    def send_request(self, one: ProducerRequest, seconds: float, again: frozenset[int] = RETRIABLE) -> ProducerResponse:
        """Sends a request, again after errors that say so, until there is an answer or the time is over."""
        found = ProducerResponse(txn_wire.LOST)

        def is_answered() -> bool:
            nonlocal found
            found = self._ask_broker(one)
            return found.code not in again

        wait_for(is_answered, seconds)
        return found

    def _ask_broker(self, one: ProducerRequest) -> ProducerResponse:
        broker = self.coordinator if one.kind in ("init", "add", "end") else self.homes[name_of(one.topic)]
        try:
            with self._connect_to(broker) as connection:
                return txn_wire.send_request(connection, one, self.version_2, TIMEOUT_MS)
        except OSError:
            return ProducerResponse(txn_wire.LOST)

    def pass_marker(self, name: str, seconds: float) -> bool:
        """Lets the coordinator's marker for a partition through; whether one came."""
        return self.gates.pass_one(self._marker_gate(name), seconds)

    def keep_marker(self, name: str, seconds: float) -> bool:
        """Keeps a copy of the marker for a partition, which waits; whether one came."""
        found = wait_for(lambda: self.gates.waiting_request(self._marker_gate(name)), seconds)
        if found is not None:
            self._copies[name] = found.frame
        return found is not None

    def send_kept_marker(self, name: str) -> int:
        """Sends the copy; the error code of its answer."""
        with self._connect_to(self.homes[name]) as connection:
            return txn_wire.resend_marker(self._copies[name], connection)

    def _marker_gate(self, name: str) -> Gate:
        return Gate(self.coordinator, self.homes[name], wire.WRITE_TXN_MARKERS)

    def advance_clocks(self) -> None:
        """Puts the clocks of all brokers forward."""
        assert self._clocks is not None
        for broker in self.needs.brokers:
            self._clocks.advance(broker, AHEAD_SECONDS)

    def move_coordinator(self, seconds: float) -> bool:
        """Has the other replica of the coordinator's log lead; whether it does. What the old one had sent is lost."""
        old = self.coordinator
        with self._connect_to(old) as connection:
            known = wire.read_metadata(connection, STATE)
        assert known is not None
        new = next(broker for broker in known.isr if broker != old)
        with self._connect_to_any_broker() as connection:
            wire.reassign_replicas(connection, STATE, [new, old])
            wire.elect_leader(connection, STATE, wire.PREFERRED)
        found = wait_for(lambda: self._finds_coordinator() and self.coordinator == new, seconds)
        for receiver in self.needs.brokers:
            self.gates.drop(Gate(old, receiver, wire.WRITE_TXN_MARKERS))
        return bool(found)


def topic_of(name: str) -> str:
    """The topic of a partition of the model."""
    return f"orders-{name.lower()}"


def name_of(topic: str) -> str:
    """The partition of the model that a topic is."""
    return topic.removeprefix("orders-").upper()
