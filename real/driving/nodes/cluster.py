"""A small real cluster: one controller, a few brokers, one topic; what is done to it, and what is seen of it."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from ....language.immutable import immutable
from ...history.assignments import Assignment
from . import disks, wire
from .gates import Gate
from .processes import CONTROLLER, free_port
from .releases import Release
from .running import BETWEEN, START_SECONDS, Broken, Running, wait_for

TOPIC = "orders"
ELR_FEATURE = "eligible.leader.replicas.version"
ANSWER_SECONDS = 30.0
ATTEMPTS = 3


@immutable
class Seen:
    """What is seen of the partition: what the controller has on record, and the records of each broker's log as
    `(record, leader epoch)`; without those that the driver wrote as a bait."""

    leader: int | None
    leader_epoch: int
    isr: frozenset[int]
    elr: frozenset[int]
    fenced: frozenset[int]
    logs: Mapping[int, tuple[tuple[int, int], ...]]


@immutable
class Needs:
    """What a cluster is made for: brokers in the order of assignment, settings of the topic, and the clocks; `more` are
    other settings of brokers, and `features` other features of a cluster that has a choice. The topic has so many
    `partitions`; what is seen is of the first."""

    brokers: tuple[int, ...]
    topic: Mapping[str, str]
    elr: bool
    session: int
    lag: int
    more: Mapping[str, object] = field(default_factory=dict[str, object])
    features: Mapping[str, int] = field(default_factory=dict[str, int])
    partitions: int = 1


def started(release: Release, needs: Needs, kept: Path | None = None) -> Cluster:
    """A cluster that has started. Where another process has taken one of its ports meanwhile, it is tried again with
    others; not in a folder that is kept. Broken where it does not start."""
    for attempt in range(1, ATTEMPTS + 1):
        cluster = Cluster(release, needs, kept)
        try:
            cluster.start_all()
            return cluster
        except Broken as error:
            if "already in use" not in str(error) or kept is not None or attempt == ATTEMPTS:
                raise
    raise AssertionError("the last attempt returns or raises")


class Cluster(Running):
    """A cluster, from its start (`started`) to its end. Within it, brokers are numbers. Ends with `with`."""

    def __init__(self, release: Release, needs: Needs, kept: Path | None = None) -> None:
        super().__init__(release, kept)
        self.needs = needs
        self.answers: dict[int, int] = {}
        self.order = list(needs.brokers)

    # --- its start ----------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        self._write()
        self.nodes.start(CONTROLLER)
        for broker in self.needs.brokers:
            self.nodes.start(broker, self.environment(broker))
        self.until("the brokers did not start", self._all_there, START_SECONDS)
        with self._anyone() as connection:
            wire.create_topic(connection, TOPIC, self.order, self.needs.topic, self.needs.partitions)
        self.until("the topic was not made everywhere", self._topic_is_known, START_SECONDS)
        leader = self.order[0]
        for follower in self.order[1:]:
            for _ in range(2):
                if not self.gates.let_one(Gate(follower, leader, wire.FETCH), START_SECONDS):
                    raise Broken(f"broker {follower} did not fetch from broker {leader}")

    def environment(self, broker: int) -> Mapping[str, str]:
        """What a broker's process is started with besides."""
        del broker
        return {}

    def _write(self) -> None:
        brokers = self.needs.brokers
        self.ports = {node: free_port() for node in (CONTROLLER, *brokers)}
        near = {node: self.gates.listen(node, port) for node, port in self.ports.items()}
        both = {"controller.quorum.voters": f"{CONTROLLER}@127.0.0.1:{near[CONTROLLER]}"}
        clocks = {"broker.session.timeout.ms": self.needs.session, "replica.lag.time.max.ms": self.needs.lag}
        listener = f"CONTROLLER://127.0.0.1:{self.ports[CONTROLLER]}"
        mine = {"process.roles": "controller", "node.id": CONTROLLER, "listeners": listener}
        self.nodes.write(CONTROLLER, {**both, **clocks, **mine})
        for broker in brokers:
            mine = {
                "process.roles": "broker",
                "node.id": broker,
                "listeners": f"PLAINTEXT://127.0.0.1:{self.ports[broker]}",
            }
            advertised = {"advertised.listeners": f"PLAINTEXT://127.0.0.1:{near[broker]}"}
            self.nodes.write(broker, {**both, **clocks, **mine, **advertised, **self.needs.more})
            self.gates.shut(Gate(broker, CONTROLLER, wire.ALTER_PARTITION))
            for other in brokers:
                self.gates.shut(Gate(other, broker, wire.FETCH))
        has_choice = self.release.parts >= (4, 0)
        features = {ELR_FEATURE: int(self.needs.elr), **self.needs.features}
        self.nodes.format_controller(features if has_choice else {})

    def _all_there(self) -> bool:
        return self.alive() >= set(self.needs.brokers)

    def _topic_is_known(self) -> bool:
        return all(self.knows(broker) is not None for broker in self.needs.brokers)

    # --- what is seen -------------------------------------------------------------------------------------------------

    def seen(self) -> Seen:
        """The partition as it is now. Broken where a node has died by itself."""
        self.check()
        found = disks.history(self.nodes.data(CONTROLLER), TOPIC)
        if found is None:
            raise Broken("the topic is not in the controller's log")
        if found.ended is not None:
            raise Broken(f"the partition is not followed any more: {found.ended}")
        now = found.moments[-1]
        logs = {broker: self._log(broker) for broker in self.needs.brokers}
        return Seen(now.leader, now.leader_epoch, now.isr, now.elr, now.fenced, logs)

    def _log(self, broker: int) -> tuple[tuple[int, int], ...]:
        written = disks.records(self.nodes.data(broker) / f"{TOPIC}-0" / disks.SEGMENT)
        return tuple((int(one.value), one.epoch) for one in written if one.value != disks.BAIT)

    def alive(self) -> set[int]:
        """The brokers that the controller regards as alive. Broken where a node has died by itself."""
        self.check()
        return disks.alive(self.nodes.data(CONTROLLER))

    def high_watermark(self, broker: int) -> int:
        """What a broker's checkpoint says of it; it is written every 200 ms."""
        return disks.checkpoint(self.nodes.data(broker) / "replication-offset-checkpoint", TOPIC)

    def knows(self, broker: int, topic: str = TOPIC) -> wire.Known | None:
        """What a broker has learned of the partition; None where it does not answer or knows nothing."""
        try:
            with contextlib.closing(wire.Connection(self.ports[broker])) as connection:
                return wire.known(connection, topic)
        except OSError:
            return None

    def leads(self, broker: int, topic: str = TOPIC, *, by: int | None = None) -> bool:
        """Whether a broker knows that it leads a topic; `by`: whether that other broker knows."""
        known = self.knows(broker if by is None else by, topic)
        return known is not None and known.leader == broker

    def read(self, broker: int) -> list[int] | None:
        """The records that a consumer reads from a broker from the beginning, once all of its log may be read; None
        where it cannot be read yet."""
        written = disks.records(self.nodes.data(broker) / f"{TOPIC}-0" / disks.SEGMENT)
        end = written[-1].offset + 1 if written else 0
        try:
            with contextlib.closing(wire.Connection(self.ports[broker])) as connection:
                high_watermark, values = wire.read_values(connection, TOPIC)
        except (OSError, wire.Refused):
            return None
        return [int(value) for value in values if value != disks.BAIT] if high_watermark >= end else None

    # --- clients ------------------------------------------------------------------------------------------------------

    def produce(self, broker: int, record: int, acks: int, within: float) -> int:
        """Sends a record to a broker, until its log has it; the error with which the broker refuses it, 0 for none.
        Its answer may come later: `answers` has it."""
        until = time.monotonic() + within
        while True:
            self.answers.pop(record, None)
            self.send(broker, record, acks)
            has = wait_for(lambda: self._has(broker, record) or record in self.answers, within)
            code = self.answers.get(record, 0)
            if (has and code not in (wire.NOT_LEADER, -1)) or time.monotonic() > until:
                return code
            time.sleep(BETWEEN)

    def send(self, broker: int, record: int, acks: int) -> None:
        """Sends a record once, and waits for nothing."""
        arguments = broker, str(record).encode(), acks, record
        threading.Thread(target=self._send, args=arguments, daemon=True).start()

    def _has(self, broker: int, record: int) -> bool:
        return record in [one for one, _ in self._log(broker)]

    def _send(self, broker: int, value: bytes, acks: int, record: int | None) -> None:
        code = -1
        with (
            contextlib.suppress(OSError),
            contextlib.closing(wire.Connection(self.ports[broker], 3_600.0)) as connection,
        ):
            connection.send(wire.PRODUCE, 7, wire.produce_body(TOPIC, value, acks))
            code = wire.produced(connection.answer()) if acks else 0
        if record is not None:
            self.answers[record] = code

    def acknowledged(self) -> frozenset[int]:
        """The records that the producer has an answer for that says they are safe."""
        return frozenset(record for record, code in self.answers.items() if code == 0)

    def bait(self, broker: int) -> None:
        """Writes a record that is none of the trace's, with acks=1."""
        self._send(broker, disks.BAIT, 1, None)

    def prefer(self, broker: int) -> None:
        """Moves a broker to the front of the order of assignment."""
        self.order.remove(broker)
        self.order.insert(0, broker)
        self._assign()

    def reassign(self, brokers: Iterable[int], first: int | None) -> None:
        """Reassigns the partition to some brokers, in the order of assignment, but for the first. wire.Refused where
        the controller does not."""
        kept = [one for one in self.order if one in set(brokers)]
        self.order = sorted(kept, key=lambda one: one != first)
        self._assign()

    def assign(self, brokers: Sequence[int]) -> Sequence[int]:
        """Reassigns the partition to these brokers, in this order. wire.Refused where the controller does not."""
        before, self.order = self.order, list(brokers)
        try:
            self._assign()
        except (wire.Refused, OSError):
            self.order = before
            raise
        return self.order

    def undo_assignment(self) -> Sequence[int]:
        """Cancels the reassignment that is under way; the brokers that have a copy then. wire.Refused where the
        controller does not."""
        held = self._assignment()
        with self._anyone() as connection:
            wire.reassign(connection, TOPIC, None)
        self.order = self.order if held is None else sorted(held.replicas - held.adding)
        return self.order

    def is_reassigned(self) -> bool:
        """Whether a reassignment is under way."""
        held = self._assignment()
        return held is not None and held.under_way

    def _assignment(self) -> Assignment | None:
        """Who has a copy, once the partition was reassigned."""
        found = disks.history(self.nodes.data(CONTROLLER), TOPIC)
        return None if found is None else found.moments[-1].assignment

    def unsettle(self) -> None:
        """Has the controller write the partition anew, the order of assignment changed and changed back: requests that
        leaders made before are stale."""
        for _ in range(2):
            self.order[-2:] = reversed(self.order[-2:])
            self._assign()

    def _assign(self) -> None:
        with self._anyone() as connection:
            wire.reassign(connection, TOPIC, self.order)

    def elect(self, kind: int) -> None:
        """An operator's election. wire.Refused where the controller does not."""
        with self._anyone() as connection:
            wire.elect(connection, TOPIC, kind)

    def _anyone(self) -> contextlib.closing[wire.Connection]:
        """A connection to a broker that runs. One that is unfenced may open its port a little later."""
        found = wait_for(self._connected, ANSWER_SECONDS)
        if found is None:
            raise Broken(f"no broker answers, after {ANSWER_SECONDS:g} s")
        return contextlib.closing(found)

    def _connected(self) -> wire.Connection | None:
        for broker in self.needs.brokers:
            if broker in self.nodes.running:
                with contextlib.suppress(OSError):
                    return wire.Connection(self.ports[broker])
        return None

    # --- faults -------------------------------------------------------------------------------------------------------

    def kill(self, broker: int) -> None:
        """Its process dies."""
        if broker in self.nodes.running:
            self.nodes.kill(broker)

    def lose_power(self, broker: int, kept: int) -> str:
        """Its host loses power, and so many records were on the disk; what was cut, in words."""
        self.kill(broker)
        try:
            had, size = disks.cut(self.nodes.data(broker), TOPIC, kept)
        except ValueError as error:
            raise Broken(f"broker {broker} cannot lose what is on its disk: {error}") from None
        return f"killed, and its log cut to {size} bytes: {kept} of {had} records are left"

    def lose_any_power(self, broker: int, chance: random.Random) -> str:
        """Its host loses power, and any number of records that may be lost are; what was cut, in words."""
        self.kill(broker)
        least, had = disks.may_be_lost(self.nodes.data(broker), TOPIC)
        return self.lose_power(broker, chance.randint(least, had))

    def lose_disk(self, broker: int) -> None:
        """It stops, and its disk is empty."""
        self.kill(broker)
        self.nodes.empty(broker)

    def shut_down(self, broker: int, seconds: float) -> bool:
        """A controlled shutdown; whether it ended in time."""
        return self.nodes.terminate(broker, seconds)

    def start(self, broker: int) -> None:
        """Starts a broker that is down."""
        self.nodes.start(broker, self.environment(broker))

    def control(self, on: bool) -> None:
        """Whether the controller's process runs: SIGKILL, or a start, where it does not yet."""
        if on and CONTROLLER not in self.nodes.running:
            self.nodes.start(CONTROLLER)
        elif not on:
            self.kill(CONTROLLER)

    # --- what is let through ------------------------------------------------------------------------------------------

    def let_fetch(self, follower: int, leader: int, within: float) -> bool:
        """Lets one fetch and its answer through; whether that happened."""
        return self.gates.let_one(Gate(follower, leader, wire.FETCH), within)

    def stream(self, followers: Iterable[int], leader: int, on: bool) -> None:
        """Lets followers fetch as they like, or holds them again."""
        for follower in followers:
            gate = Gate(follower, leader, wire.FETCH)
            self.gates.open(gate) if on else self.gates.shut(gate)

    def asked(self, leader: int) -> frozenset[int] | None:
        """The ISR that a leader's waiting AlterPartition asks for; None where none waits."""
        waiting = self.gates.waiting(Gate(leader, CONTROLLER, wire.ALTER_PARTITION))
        return None if waiting is None else waiting.asks

    def let_alter(self, leader: int, within: float) -> bool:
        """Lets one AlterPartition and its answer through; whether that happened."""
        return self.gates.let_one(Gate(leader, CONTROLLER, wire.ALTER_PARTITION), within)

    def alter(self, leader: int, on: bool) -> None:
        """Lets a leader's AlterPartition through as it likes, or holds it."""
        gate = Gate(leader, CONTROLLER, wire.ALTER_PARTITION)
        self.gates.open(gate) if on else self.gates.shut(gate)

    def hear(self, broker: int, on: bool) -> None:
        """Whether a broker hears what the controller writes."""
        gate = Gate(broker, CONTROLLER, wire.FETCH)
        self.gates.open(gate) if on else self.gates.shut(gate)

    def beat(self, broker: int, on: bool) -> None:
        """Whether a broker's heartbeats reach the controller."""
        gate = Gate(broker, CONTROLLER, wire.HEARTBEAT)
        self.gates.open(gate) if on else self.gates.shut(gate)

    def open_all(self) -> None:
        """Opens every gate."""
        for one in self.needs.brokers:
            self.hear(one, True)
            self.beat(one, True)
            self.gates.open(Gate(one, CONTROLLER, wire.ALTER_PARTITION))
            self.stream([other for other in self.needs.brokers if other != one], one, True)

    def down(self) -> Sequence[int]:
        """The brokers whose process does not run."""
        return [broker for broker in self.needs.brokers if broker not in self.nodes.running]
