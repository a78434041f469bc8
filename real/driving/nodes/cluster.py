"""A small real cluster, whatever it is driven through: one controller, a few brokers, one topic."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path

from ....language.errors import UsageError
from ....language.immutable import immutable
from ...history.moments import Moment
from . import disks, wire
from .gates import Gate
from .processes import CONTROLLER, free_port
from .releases import Release
from .running import START_SECONDS, NodesError, RunningNodes, wait_for

TOPIC = "orders"
ELR_FEATURE = "eligible.leader.replicas.version"
ANSWER_SECONDS = 30.0


@immutable
class ClusterSpec:
    """What a cluster is made for: brokers in the order of assignment, settings of the topic, and the clocks; `more` are
    other settings of brokers, and `features` other features of a cluster that has a choice. The topic has so many
    `partitions`; what is seen is of the first. `spare`: each broker has a second directory."""

    brokers: tuple[int, ...]
    topic: Mapping[str, str]
    elr: bool
    session: int
    lag: int
    more: Mapping[str, object] = field(default_factory=dict[str, object])
    features: Mapping[str, int] = field(default_factory=dict[str, int])
    partitions: int = 1
    spare: bool = False


class DrivenCluster(RunningNodes):
    """A cluster, from its start (`start_nodes`) to its end. Within it, brokers are numbers. Ends with `with`."""

    def __init__(self, release: Release, needs: ClusterSpec, kept_folder: Path | None = None) -> None:
        super().__init__(release, kept_folder)
        self.needs = needs
        self.answers: dict[int, int] = {}
        self.order = list(needs.brokers)

    # --- its start ----------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        self._write()
        self.nodes.start(CONTROLLER)
        for broker in self.needs.brokers:
            self.nodes.start(broker, self.environment(broker))
        self.wait_until("the brokers did not start", self._all_there, START_SECONDS)
        with self._connect_to_any_broker() as connection:
            wire.create_topic(connection, TOPIC, self.order, self.needs.topic, self.needs.partitions)
        self.wait_until("the topic was not made everywhere", self._topic_is_known, START_SECONDS)
        leader = self.order[0]
        for follower in self.order[1:]:
            for _ in range(2):
                if not self.gates.pass_one(Gate(follower, leader, wire.FETCH), START_SECONDS):
                    raise NodesError(f"broker {follower} did not fetch from broker {leader}")

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
            if self.needs.spare:
                self.nodes.add_directory(broker)
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
        return self.live_brokers() >= set(self.needs.brokers)

    def _topic_is_known(self) -> bool:
        return all(self.read_metadata(broker) is not None for broker in self.needs.brokers)

    # --- what is seen -------------------------------------------------------------------------------------------------

    def registered_state(self) -> Moment:
        """What the controller has on record of the partition now. NodesError where a node has died by itself, or where
        the partition is not followed any more."""
        self.check()
        found = disks.read_history(self.nodes.data(CONTROLLER), TOPIC)
        if found is None:
            raise NodesError("the topic is not in the controller's log")
        if found.end_reason is not None:
            raise NodesError(f"the partition is not followed any more: {found.end_reason}")
        return found.moments[-1]

    def live_brokers(self) -> set[int]:
        """The brokers that the controller regards as alive. NodesError where a node has died by itself, and where the
        controller's log cannot be read."""
        self.check()
        try:
            return disks.read_live_brokers(self.nodes.data(CONTROLLER))
        except UsageError as error:
            raise NodesError(f"which brokers are alive is not known: {error}") from None

    def read_metadata(self, broker: int, topic: str = TOPIC) -> wire.PartitionMetadata | None:
        """What a broker has learned of the partition; None where it does not answer or knows nothing."""
        try:
            with contextlib.closing(wire.Connection(self.ports[broker])) as connection:
                return wire.read_metadata(connection, topic)
        except OSError:
            return None

    def is_leader(self, broker: int, topic: str = TOPIC, *, other_broker: int | None = None) -> bool:
        """Whether a broker knows that it leads a topic; `other_broker`: whether that other broker knows."""
        known = self.read_metadata(broker if other_broker is None else other_broker, topic)
        return known is not None and known.leader == broker

    # --- clients ------------------------------------------------------------------------------------------------------

    def _send(self, broker: int, value: bytes, acks: int, record: int | None) -> None:
        code = -1
        with (
            contextlib.suppress(OSError),
            contextlib.closing(wire.Connection(self.ports[broker], 3_600.0)) as connection,
        ):
            code = wire.produce(connection, wire.produce_request(TOPIC, wire.record_batch(value), acks))
        if record is not None:
            self.answers[record] = code

    def write_filler(self, broker: int) -> None:
        """Writes a record that is none of the trace's, with acks=1."""
        self._send(broker, disks.FILLER, 1, None)

    def move_to_front(self, broker: int) -> None:
        """Moves a broker to the front of the order of assignment."""
        self.order.remove(broker)
        self.order.insert(0, broker)
        self._assign()

    def _assign(self) -> None:
        with self._connect_to_any_broker() as connection:
            wire.reassign_replicas(connection, TOPIC, self.order)

    def elect_leader(self, kind: int) -> None:
        """An operator's election. wire.BrokerError where the controller does not."""
        with self._connect_to_any_broker() as connection:
            wire.elect_leader(connection, TOPIC, kind)

    def _connect_to_any_broker(self) -> contextlib.closing[wire.Connection]:
        """A connection to a broker that runs. One that is unfenced may open its port a little later."""
        found = wait_for(self._connection_or_none, ANSWER_SECONDS)
        if found is None:
            raise NodesError(f"no broker answers, after {ANSWER_SECONDS:g} s")
        return contextlib.closing(found)

    def _connection_or_none(self) -> wire.Connection | None:
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

    def lose_disk(self, broker: int) -> None:
        """It stops, and its disk is empty."""
        self.kill(broker)
        self.nodes.empty(broker)

    def lose_directory(self, broker: int) -> None:
        """It is down, and starts again without the directory with its copy."""
        self.nodes.lose_directory(broker)

    def start(self, broker: int) -> None:
        """Starts a broker that is down."""
        self.nodes.start(broker, self.environment(broker))

    # --- what is let through ------------------------------------------------------------------------------------------

    def gate_fetches(self, followers: Iterable[int], leader: int, is_open: bool) -> None:
        """Lets followers fetch as they like, or holds them again."""
        for follower in followers:
            gate = Gate(follower, leader, wire.FETCH)
            self.gates.open(gate) if is_open else self.gates.shut(gate)

    def requested_isr(self, leader: int) -> frozenset[int] | None:
        """The ISR that a leader's waiting AlterPartition asks for; None where none waits."""
        waiting = self.gates.waiting_request(Gate(leader, CONTROLLER, wire.ALTER_PARTITION))
        return None if waiting is None else waiting.asks

    def pass_alter_partition(self, leader: int, seconds: float) -> bool:
        """Lets one AlterPartition and its answer through; whether that happened."""
        return self.gates.pass_one(Gate(leader, CONTROLLER, wire.ALTER_PARTITION), seconds)

    def gate_metadata(self, broker: int, is_open: bool) -> None:
        """Whether a broker hears what the controller writes."""
        gate = Gate(broker, CONTROLLER, wire.FETCH)
        self.gates.open(gate) if is_open else self.gates.shut(gate)

    def gate_heartbeats(self, broker: int, is_open: bool) -> None:
        """Whether a broker's heartbeats reach the controller."""
        gate = Gate(broker, CONTROLLER, wire.HEARTBEAT)
        self.gates.open(gate) if is_open else self.gates.shut(gate)

    def open_gates(self) -> None:
        """Opens every gate."""
        for one in self.needs.brokers:
            self.gate_metadata(one, True)
            self.gate_heartbeats(one, True)
            self.gates.open(Gate(one, CONTROLLER, wire.ALTER_PARTITION))
            self.gate_fetches([other for other in self.needs.brokers if other != one], one, True)
