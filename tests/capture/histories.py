"""Runs a small cluster in KRaft through what `validate` follows, and keeps its controller's log for the tests.

    python -m tests.capture.histories lag_together 4.1.0 elr LOG

The scenario is one of `SCENARIOS`; `elr` or `plain` says whether the cluster has eligible leader replicas. Needs Java
17, Maven and about 0.7 GB of memory.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from tidegate.real.driving.nodes import wire
from tidegate.real.driving.nodes.cluster import ClusterSpec
from tidegate.real.driving.nodes.disks import SEGMENT
from tidegate.real.driving.nodes.processes import CONTROLLER
from tidegate.real.driving.nodes.releases import fetch_release
from tidegate.real.driving.partition.cluster import PartitionCluster
from tidegate.real.logs.metadata_log import TOPIC as METADATA
from tidegate.real.logs.metadata_log import read_metadata_log

TOPIC = "orders"
SETTINGS = {"min.insync.replicas": "2", "unclean.leader.election.enable": "false"}
SECONDS = 60.0


def lag_together(cluster: PartitionCluster) -> None:
    """Both followers lag, and leave the ISR in one request; then the leader's process dies."""
    await_isr(cluster, 1, 2, 3)
    cluster.gate_fetches([2, 3], 1, False)
    cluster.send_record(1, 0, 1)
    await_isr(cluster, 1)
    die_and_start(cluster, 1)
    cluster.gate_fetches([2, 3], 1, True)
    await_isr(cluster, 1, 2, 3)


def reassign_copies(cluster: PartitionCluster) -> None:
    """4 comes for 1, and 3 dies meanwhile; 1 is added; the copies are 3 and 1 alone, at once; 1 dies."""
    await_isr(cluster, 1, 2, 3)
    cluster.gate_fetches([4], 1, False)
    reassign(cluster, 2, 3, 4)
    die_and_start(cluster, 3)
    await_isr(cluster, 1, 2, 3)
    cluster.gate_fetches([4], 1, True)
    await_isr(cluster, 2, 3, 4)
    reassign(cluster, 2, 3, 4, 1)
    await_isr(cluster, 1, 2, 3, 4)
    reassign(cluster, 3, 1)
    await_isr(cluster, 1, 3)
    die_and_start(cluster, 1)
    await_isr(cluster, 1, 3)


def early(cluster: PartitionCluster) -> None:
    """3 lags, and the copies are to be 1 and 3. Up to 3.7 that is complete at once (KAFKA-15665)."""
    await_isr(cluster, 1, 2, 3)
    cluster.gate_fetches([3], 1, False)
    cluster.send_record(1, 0, 1)
    await_isr(cluster, 1, 2)
    reassign(cluster, 1, 3)
    cluster.wait_until("the copies are not 1 and 3", lambda: len(cluster.observe().isr) < 2 or later(cluster), SECONDS)
    cluster.gate_fetches([3], 1, True)
    await_isr(cluster, 1, 3)


def cancel_reassignment(cluster: PartitionCluster) -> None:
    """4 is to come for 1, and that is cancelled before it has caught up."""
    await_isr(cluster, 1, 2, 3)
    cluster.gate_fetches([4], 1, False)
    reassign(cluster, 2, 3, 4)
    cluster.wait_until("nothing is under way", cluster.is_reassigned, SECONDS)
    cluster.cancel_reassignment()
    die_and_start(cluster, 1)
    await_isr(cluster, 1, 2, 3)


def all_die(cluster: PartitionCluster) -> None:
    """All processes die at once, also the controller's, and start again."""
    await_isr(cluster, 1, 2, 3)
    for broker in cluster.needs.brokers:
        cluster.kill(broker)
    cluster.set_controller_running(False)
    cluster.set_controller_running(True)
    for broker in cluster.needs.brokers:
        cluster.start(broker)
    cluster.wait_until(
        "not all have registered anew", lambda: registrations(cluster) == 2 * len(cluster.needs.brokers), SECONDS
    )
    cluster.wait_until("not all are back", lambda: cluster.live_brokers() == set(cluster.needs.brokers), SECONDS)
    await_isr(cluster, 1, 2, 3)


def leader_first(cluster: PartitionCluster) -> None:
    """All processes die at once, and the leader's host has lost its power and the last record. It starts first, and up
    to 3.9 it leads, takes another record, and has the others cut off what it lost. From 4.0 on it does not lead."""
    await_isr(cluster, 1, 2, 3)
    cluster.produce_record(1, 0, -1, SECONDS)
    cluster.wait_until("the record is not everywhere", lambda: all(cluster.observe().logs.values()), SECONDS)
    for broker in (2, 3):
        cluster.kill(broker)
    cluster.lose_power(1, 0)
    cluster.set_controller_running(False)
    cluster.set_controller_running(True)
    cluster.start(1)
    cluster.wait_until(
        "1 does not lead", lambda: cluster.read_metadata(1) is not None and cluster.is_leader(1), SECONDS
    )
    cluster.produce_record(1, 1, 1, SECONDS)
    for broker in (2, 3):
        cluster.start(broker)
    cluster.wait_until("not all are back", lambda: cluster.live_brokers() == set(cluster.needs.brokers), SECONDS)
    await_isr(cluster, 1, 2, 3)


def registrations(cluster: PartitionCluster) -> int:
    """How often brokers have registered."""
    entries = read_metadata_log(cluster.nodes.data(CONTROLLER) / METADATA).entries
    return sum(entry.record.kind == "REGISTER_BROKER_RECORD" for entry in entries)


SCENARIOS: Mapping[str, tuple[Callable[[PartitionCluster], None], tuple[int, ...]]] = {
    "lag_together": (lag_together, (1, 2, 3)),
    "reassigned": (reassign_copies, (1, 2, 3, 4)),
    "early": (early, (1, 2, 3)),
    "leader_first": (leader_first, (1, 2, 3)),
    "all_die": (all_die, (1, 2, 3)),
    "cancelled": (cancel_reassignment, (1, 2, 3, 4)),
}
"""What happens, and the brokers; 1, 2 and 3 have the copies in the beginning."""


def await_isr(cluster: PartitionCluster, *brokers: int) -> None:
    """Until the ISR is these."""
    cluster.wait_until(f"the ISR is not {brokers}", lambda: cluster.observe().isr == frozenset(brokers), SECONDS)


def later(cluster: PartitionCluster) -> bool:
    """Whether the controller has taken the reassignment of 3.8 and later, which waits for broker 3."""
    return cluster.release.parts >= (3, 8)


def die_and_start(cluster: PartitionCluster, broker: int) -> None:
    """Its process dies, is fenced, and starts again."""
    cluster.kill(broker)
    cluster.wait_until(f"broker {broker} is not fenced", lambda: broker not in cluster.live_brokers(), SECONDS)
    cluster.start(broker)
    cluster.wait_until(f"broker {broker} is not back", lambda: broker in cluster.live_brokers(), SECONDS)


def reassign(cluster: PartitionCluster, *brokers: int) -> None:
    """The copies are to be on these, in this order."""
    cluster.order = list(brokers)
    live = next(iter(cluster.nodes.running.keys() - {CONTROLLER}))
    with contextlib.closing(wire.Connection(cluster.ports[live])) as connection:
        wire.reassign_replicas(connection, TOPIC, brokers)


def capture(name: str, version: str, elr: bool, target: Path) -> None:
    """Runs a scenario, and keeps the controller's log."""
    happens, brokers = SCENARIOS[name]
    with PartitionCluster(fetch_release(version), ClusterSpec(brokers, SETTINGS, elr, 3_000, 3_000)) as cluster:
        cluster.order = [1, 2, 3]
        cluster.start_all()
        cluster.open_gates()
        happens(cluster)
        shutil.copy(cluster.nodes.data(CONTROLLER) / METADATA / SEGMENT, target)


if __name__ == "__main__":
    capture(sys.argv[1], sys.argv[2], sys.argv[3] == "elr", Path(sys.argv[4]))
