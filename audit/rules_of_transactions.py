"""Rules about transactional producers: which versions of Kafka let a transaction hang, or tear it, as the model has it.

Each verdict is one of `spec/transactions.toml`. Where nothing is said, nothing was found within the bounds there: that
is no promise, and no rule here says that a transaction cannot hang.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .cluster import Client, Cluster, Finding
from .keys import at_least, place_of, underneath
from .starting import TRANSACTIONAL, is_transactional


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
_HANGS_IN_OFFSETS = (
    "where offsets are committed in transactions, such a commit that is late can stay open for ever in "
    "__consumer_offsets: it is not verified before 3.7, and the group waits for it"
)
_VERIFIED = (
    "brokers of 3.7 or later (3.6 does not verify commits of offsets), with "
    "transaction.partition.verification.enable=true"
)
_MARKER = "a marker that is sent twice can end the next transaction in one partition"
_VERSION_2 = "transaction.version=2, and clients of 4.0 or later"
_OF_VERSION_2 = "brokers of 4.2 or later, transaction.version=2, and clients of 4.0 or later"

FAULTS = (
    Fault("1.0", None, "kafka_0_11", "nothing_hangs", _HANGS, _VERIFIED, "KAFKA-6119, KAFKA-14402"),
    Fault("2.5", "1.0", "kafka_1_1", "nothing_hangs", _HANGS, _VERIFIED, "KAFKA-14402"),
    Fault("3.6", "2.5", "kafka_2_5", "nothing_hangs", _HANGS, _VERIFIED, "KAFKA-14402"),
    Fault("3.7", "3.6", "kafka_2_5", "nothing_hangs", _HANGS_IN_OFFSETS, _VERIFIED, "KAFKA-15449"),
    Fault("1.0", None, "kafka_0_11", "atomic_visibility", _TEARS, _OF_VERSION_2, "KIP-890"),
    Fault("3.6", "1.0", "kafka_2_5", "atomic_visibility", _TEARS, _OF_VERSION_2, "KIP-890"),
    Fault("4.0", "3.6", "kafka_3_6", "atomic_visibility", _TEARS, _OF_VERSION_2, "KIP-890, Jepsen on Bufstream 0.1.0"),
    Fault("4.2", "4.0", "kafka_4_1", "atomic_visibility", _MARKER, _OF_VERSION_2, "KIP-1228"),
    Fault("", "4.0", "kafka_3_6", "atomic_visibility", _TEARS, _VERSION_2, "KIP-890"),
)
"""The last one is of transactions that are not of version 2, which every broker since 4.0 still takes."""


def of_transactions(cluster: Cluster) -> Iterator[Finding]:
    """What a transaction may meet, once for each fault that the brokers' version has or may have."""
    writers = [client for client in cluster.clients if client.kind == "producer" and is_transactional(client)]
    if not writers:
        return
    version = cluster.versions.kafka.value if cluster.versions.kafka is not None else None
    writer, second = min(((one, of_version_2(cluster, one)) for one in writers), key=lambda pair: _ORDER[pair[1]])
    where = place_of(cluster, writer, TRANSACTIONAL)
    for fault in FAULTS:
        if not _may_be_of(fault, version, second):
            continue
        known, when = _known(fault, version, second)
        severity = "warning" if known else "note"
        yield Finding("advice", severity, when + fault.what, where, fault.to_do, fault.source)


_ORDER = {False: 0, None: 1, True: 2}


def of_version_2(cluster: Cluster, writer: Client) -> bool | None:
    """Whether a producer's transactions are of version 2: its brokers have finalized that, and its client speaks it,
    as Java's does since 4.0, and librdkafka's does not; None where it is not known."""
    new = None if writer.version is None else at_least(writer.version.value, "4.0")
    speaks = {"java": new, "librdkafka": False}.get(underneath(writer) or "")
    both = (speaks, _has_version_2(cluster))
    return False if False in both else None if None in both else True


def _has_version_2(cluster: Cluster) -> bool | None:
    level = cluster.versions.features.get("transaction.version")
    if level is None:
        return False if cluster.versions.all_features else None
    return level.value.isdigit() and int(level.value) >= 2


def _known(fault: Fault, version: str | None, second: bool | None) -> tuple[bool, str]:
    """Whether the fault is known to be there, and otherwise where it is, in words."""
    if not fault.before:
        return second is False, "" if second is False else "without transaction.version=2, or with clients before 4.0, "
    if version is not None and at_least(version, fault.before) is False:
        return True, ""
    return False, f"where the brokers are of before {fault.before} (their version is not known), "


def _may_be_of(fault: Fault, version: str | None, second: bool | None) -> bool:
    """Whether a version may have the fault; one that is not known may have those of the last that hang, and tear."""
    if not fault.before and second is True:
        return False
    if version is None:
        return fault.before in ("3.6", "" if second is False else "4.0") and fault.since != "1.0"
    repaired = fault.before != "" and at_least(version, fault.before) is True
    return not repaired and (fault.since is None or at_least(version, fault.since) is not False)
