"""What an operator watches: what shows beforehand that a fault would lose records, or stop writes.

    shown_beforehand(cells, "kraft", 3, 2)          ("AtMinIsrPartitionCount above 0", "FencedBrokerCount above 0")

A metric is named by the last part of its MBean's name, as Kafka's documentation does (Monitoring); `--describe` is of
kafka-topics.sh. What is about all replicas in sync is shown by no change of a metric: the configuration alone says it,
which `--describe` prints, and a metric that is never as it should be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..questions.situations import OF_CONTROLLERS, SITUATIONS, Cell

NOTHING = "nothing: every metric is as it should be"
"""What shows a loss that needs no replica to be missing before."""

ONE_COPY = "ReplicationFactor: 1 in kafka-topics.sh --describe"
"""What shows the same where there is one replica."""

ALWAYS_AT_MIN = "AtMinIsrPartitionCount is always above 0: min.insync.replicas equals the replicas"
"""What shows the same where all replicas are needed: a partition is counted while its ISR has as many members as the
setting says (core/cluster/Partition.scala, 3.9.1: isAtMinIsr)."""

_SITUATIONS: Mapping[str, str] = {
    "all": "",
    "min-isr": "AtMinIsrPartitionCount above 0",
    "one": "UnderMinIsrPartitionCount above 0, where min.insync.replicas is above 1; one id in Isr of --describe; "
    "and once nobody leads, OfflinePartitionsCount above 0",
}
"""What shows that a partition is in a situation. With one in sync nobody leads when that one is gone, until it is back,
as it may be without records, or another one is elected."""

_FAULTS: Mapping[str, str] = {
    "leader-move": "PreferredReplicaImbalanceCount above 0: leaders will be moved back",
    "cut-off": "IsrShrinksPerSec rises",
    "cut-off-power-loss": "IsrShrinksPerSec rises",
    "disk-loss": "the disk's own reports (SMART)",
    "directory-loss": "OfflineLogDirectoryCount above 0; the disk's own reports (SMART)",
    "rack-cut-off": "UnderReplicatedPartitions above 0",
}
"""What shows that a fault is near; of the others nothing does."""

_LAG = "a voter's lag in kafka-metadata-quorum.sh describe --replication"
_FEWER = "fewer servers than there should be in ZooKeeper's own metrics (quorum_size)"
_BY_CONTROL_PLANE: Mapping[tuple[str, str], str] = {
    ("cut-off", "zookeeper"): "ZooKeeperExpiresPerSec above 0",
    ("cut-off", "kraft"): "FencedBrokerCount above 0",
    ("rack-cut-off", "zookeeper"): "ZooKeeperExpiresPerSec above 0 at every broker of a rack",
    ("rack-cut-off", "kraft"): "FencedBrokerCount as high as a rack has brokers",
    **{(fault, "kraft"): _LAG for fault in OF_CONTROLLERS},
    **{(fault, "zookeeper"): _FEWER for fault in OF_CONTROLLERS},
}


def warning_signs(
    cells: Iterable[Cell], control_plane: str | None, replicas: int | None, least_isr: int | None
) -> tuple[str, ...]:
    """What shows it beforehand, the situation before the fault; where a fault that gives no sign is enough with all
    replicas in sync, what says so all the time, or NOTHING. `cells` are those in which a question is answered with a
    loss; of `replicas` and `least_isr` (min.insync.replicas), None is not known."""
    failing = list(cells)
    signs = [_sign_of_fault(cell, control_plane) for cell in failing]
    if any(cell.situation == SITUATIONS[0] and not sign for cell, sign in zip(failing, signs, strict=True)):
        always = {ONE_COPY: replicas == 1, ALWAYS_AT_MIN: replicas is not None and least_isr == replicas}
        return tuple(sign for sign, is_so in always.items() if is_so) or (NOTHING,)
    found = [_SITUATIONS[cell.situation.name] for cell in failing] + signs
    return tuple(dict.fromkeys(sign for sign in found if sign))


def _sign_of_fault(cell: Cell, control_plane: str | None) -> str:
    name = cell.fault.name
    return _BY_CONTROL_PLANE.get((name, control_plane or ""), _FAULTS.get(name, ""))
