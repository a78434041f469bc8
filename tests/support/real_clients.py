"""Clients on real brokers: a small cluster, a connection that is lost at a chosen moment, and members in processes."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import kafka
from tidegate.real.driving.nodes import wire
from tidegate.real.driving.nodes.cluster import ClusterSpec
from tidegate.real.driving.nodes.gates import Gate, GatedRequest, Gates, ProxiedConnection
from tidegate.real.driving.nodes.processes import Nodes, bound_command
from tidegate.real.driving.nodes.releases import Release
from tidegate.real.driving.nodes.running import wait_for
from tidegate.real.driving.partition.cluster import PartitionCluster

SECONDS = 60.0
PRODUCER = 900
"""The client id of the producer, by which a gate knows it."""
_GROUPS: Mapping[str, object] = {
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 1,
    "group.initial.rebalance.delay.ms": 0,
    "group.min.session.timeout.ms": 1000,
}
LEADER, FOLLOWER = 1, 2
NEEDS = ClusterSpec(
    brokers=(LEADER, FOLLOWER), topic={"min.insync.replicas": "1"}, elr=False, session=3000, lag=600_000
)


class Lines(Gates):
    """Gates at which a connection may be lost: with a request before it arrives, or with its answer. `cut` counts them,
    and `lost` has the last such request of each gate. Answers may wait there, too."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._to_cut = dict[tuple[Gate, str], bool]()
        self._kept = set[Gate]()
        self.cut = 0
        self.lost = dict[Gate, bytes]()

    def lose(self, gate: Gate, what: str, *, then_shut: bool = False) -> None:
        """The next `request` there, or the next `answer`, is lost with its connection; what comes after it may have to
        wait until the gate is opened."""
        with self._lock:
            self._to_cut[gate, what] = then_shut

    def keep_answers(self, gate: Gate, on: bool) -> None:
        """Whether answers wait there, once nothing is to be lost; requests pass."""
        with self._lock:
            (self._kept.add if on else self._kept.discard)(gate)

    def _keeps(self, gate: Gate | None) -> bool:
        with self._lock:
            return gate in self._kept

    def _loses(self, gate: Gate | None, what: str) -> None:
        with self._lock:
            if gate is None or (gate, what) not in self._to_cut:
                return
            then_shut = self._to_cut.pop((gate, what))
            if then_shut:
                self.shut(gate)
            self.cut += 1
        raise ConnectionAbortedError(f"the {what} is lost")

    def wait_for_request(self, request: GatedRequest, pair: ProxiedConnection) -> bool:
        passes = super().wait_for_request(request, pair)
        try:
            self._loses(request.gate, "request")
        except ConnectionAbortedError:
            assert request.gate is not None
            self.lost[request.gate] = request.frame
            raise
        return passes

    def wait_for_response(self, gate: Gate | None, pair: ProxiedConnection) -> bool:
        self._loses(gate, "answer")
        wait_for(lambda: not self._keeps(gate) or pair.is_closed(), SECONDS)
        return super().wait_for_response(gate, pair)


class _WithGroups(Nodes):
    def __init__(self, release: Release, folder: Path, groups: Mapping[str, object]) -> None:
        super().__init__(release, folder)
        self.groups = groups

    def write(self, node: int, settings: Mapping[str, object]) -> None:
        super().write(node, {**settings, **_GROUPS, **self.groups})


class Clients(PartitionCluster):
    """Two brokers, of which the first leads, and clients."""

    def __init__(self, release: Release, **groups: object) -> None:
        super().__init__(release, NEEDS)
        self.nodes = _WithGroups(release, self.folder.path, groups)
        self.lines = Lines()
        self.gates = self.lines
        self.members = list[Member]()

    def end(self) -> None:
        for member in self.members:
            member.kill()
        super().end()

    def topic(self, name: str, broker: int) -> None:
        """A topic with one partition that a broker has alone."""
        with contextlib.closing(wire.Connection(self.ports[broker])) as connection:
            wire.create_topic(connection, name, [broker], {})

    def producer(self, **settings: Any) -> Any:
        """A producer of the Python client, which is known to gates."""
        servers = [
            f"127.0.0.1:{self.ports[broker]}" for broker in self.needs.brokers if broker not in self.stopped_brokers()
        ]
        common = {"client_id": str(PRODUCER), "retry_backoff_ms": 100, "request_timeout_ms": 5000}
        untyped: Any = kafka
        return untyped.KafkaProducer(bootstrap_servers=servers, **{**common, **settings})

    def member(self, name: str, topic: str, group: str, *, automatic: bool, reset: str = "earliest") -> Member:
        """A member of a group, in a process of its own."""
        script = str(Path(__file__).with_name("real_member.py"))
        port = str(self.ports[FOLLOWER])
        return self._member(topic, name, [sys.executable, script, port, topic, group, name, str(automatic), reset])

    def java_member(self, number: int, topic: str, **settings: str) -> Member:
        """A member of the group that has the topic's name, of Kafka's own client of this release, in a process of its
        own; gates know it by its number. `_` stands for a setting's dots."""
        common = {
            "bootstrap_servers": f"127.0.0.1:{self.ports[FOLLOWER]}",
            "group_id": topic,
            "client_id": str(number),
            "auto_offset_reset": "earliest",
        }
        given = [f"{key.replace('_', '.')}={value}" for key, value in {**common, **settings}.items()]
        script = str(Path(__file__).parent.parent / "capture" / "Member.java")
        jars = f"{self.release.jars}/*"
        return self._member(topic, str(number), [self.release.java, "-Xmx128m", "-cp", jars, script, topic, *given])

    def _member(self, topic: str, name: str, command: list[str]) -> Member:
        made = Member(command, self.folder.path / f"{topic}-{name}")
        self.members.append(made)
        return made

    def leader_is(self, broker: int) -> None:
        """Waits until a broker leads, and has learned it."""

        def leads() -> bool:
            known = self.read_metadata(broker)
            return known is not None and known.leader == broker

        assert wait_for(leads, SECONDS), f"broker {broker} does not lead"

    def read_all(self, broker: int, count: int) -> list[int]:
        """What a consumer reads of the topic from its leader; it waits for so many records, and then for none more."""
        wait_for(lambda: len(self.read_records(broker) or []) >= count or None, SECONDS)
        return self.read_records(broker) or []


class Member:
    """A consumer's process."""

    def __init__(self, command: list[str], errors: Path) -> None:
        pipe = subprocess.PIPE
        with errors.open("w") as said:
            self.process = subprocess.Popen(bound_command(command), stdin=pipe, stdout=pipe, stderr=said, text=True)

    def tell(self, line: str) -> None:
        """Says what to do, and waits for nothing."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        """The answer to what was said."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def does(self, *lines: str) -> list[str]:
        """Does one thing after the other, and gives the answers."""
        answers = list[str]()
        for line in lines:
            self.tell(line)
            answers.append(self.answer())
        return answers

    def pause(self) -> None:
        """It stands still, all of its threads."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """It goes on where it stood."""
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Its process dies."""
        self.process.kill()
        self.process.wait()
