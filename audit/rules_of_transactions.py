"""Rules about transactional producers: which versions of Kafka let a transaction hang, or tear it, as the model has it.

Each verdict is one of `spec/transactions.toml`. Where nothing is said, nothing was found within the bounds there: that
is no promise, and no rule here says that a transaction cannot hang.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .cluster import Cluster, Finding
from .keys import at_least, place_of
from .starting import stated


@dataclass(frozen=True)
class Fault:
    """What a transaction may meet in the versions before one: `profile` of `transactions` violates `fails`."""

    before: str  # the release that has the repair
    since: str | None  # the first release of which the profile speaks
    profile: str
    fails: str
    what: str
    to_do: str
    source: str


_HANGS = (
    "a request of a transaction that is late can leave what is written open for ever: all readers of committed records "
    "of that partition stop there"
)
_TEARS = (
    "a request of a transaction that is late can end the next one, or get into it: half of a transaction is committed, "
    "and half aborted"
)
_VERIFIED = "brokers of 3.6 or later, with transaction.partition.verification.enable=true"
_OF_VERSION_2 = "brokers of 4.2 or later, transaction.version=2, and clients of 4.0 or later"

FAULTS = (
    Fault("1.0", None, "kafka_0_11", "nothing_hangs", _HANGS, _VERIFIED, "KAFKA-6119, KAFKA-14402"),
    Fault("2.5", "1.0", "kafka_1_1", "nothing_hangs", _HANGS, _VERIFIED, "KAFKA-14402"),
    Fault("3.6", "2.5", "kafka_2_5", "nothing_hangs", _HANGS, _VERIFIED, "KAFKA-14402"),
    Fault("1.0", None, "kafka_0_11", "atomic_visibility", _TEARS, _OF_VERSION_2, "KIP-890"),
    Fault("3.6", "1.0", "kafka_2_5", "atomic_visibility", _TEARS, _OF_VERSION_2, "KIP-890"),
    Fault("4.0", "3.6", "kafka_3_6", "atomic_visibility", _TEARS, _OF_VERSION_2, "KIP-890, Jepsen on Bufstream 0.1.0"),
    Fault(
        "4.2",
        "4.0",
        "kafka_4_1",
        "atomic_visibility",
        "a marker that is sent twice can end the next transaction in one partition, and without transaction.version=2 "
        "and clients of 4.0 a request that is late can end all of it",
        _OF_VERSION_2,
        "KIP-1228",
    ),
    Fault(
        "",
        "4.2",
        "kafka_3_6",
        "atomic_visibility",
        f"without transaction.version=2, or with clients before 4.0, {_TEARS}",
        "transaction.version=2, and clients of 4.0 or later",
        "KIP-890",
    ),
)


def of_transactions(cluster: Cluster) -> Iterator[Finding]:
    """What a transaction may meet, once for each fault that the brokers' version has or may have."""
    writer = next((c for c in cluster.clients if c.kind == "producer" and stated(c, "transactional.id")), None)
    if writer is None:
        return
    where = place_of(cluster, writer, "transactional.id")
    version = cluster.versions.kafka.value if cluster.versions.kafka is not None else None
    for fault in FAULTS:
        if _may_be_of(fault, version):
            known = not fault.before or (version is not None and at_least(version, fault.before) is False)
            when = "" if known else f"where the brokers are of before {fault.before} (their version is not known), "
            severity = "warning" if fault.before and known else "note"
            yield Finding("advice", severity, when + fault.what, where, fault.to_do, fault.source)


def _may_be_of(fault: Fault, version: str | None) -> bool:
    """Whether a version may have the fault; one that is not known may have those of the last that hang, and tear."""
    if version is None:
        return fault.before in ("3.6", "4.0") and fault.since != "1.0"
    repaired = fault.before != "" and at_least(version, fault.before) is True
    return not repaired and (fault.since is None or at_least(version, fault.since) is not False)
