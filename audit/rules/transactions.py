"""Rules about transactional producers: what the model of transactions finds of the brokers' version.

A row is there where a small exploration of `transactions` finds a run to it, in the profile that the version is; the
source of the finding is the command that shows the run. Where nothing is said, nothing was found within these bounds:
that is not a promise, and no row here says that a transaction cannot hang. What a request that is late makes of a
transaction needs one producer, but for what a fenced one does, and no fail-over. Which release is which profile, and
that a client speaks version 2, are rules; so is what is said of readers and of timeouts elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from ..cluster.cluster import Client, Cluster
from ..cluster.findings import Finding, ModelRun
from ..cluster.settings import base_family, setting_place
from ..exploring.small_models import SmallModel, explore_small_model
from ..kafka.transactions import BEFORE_VERSION_2, WITH_VERSION_2, ReleasesSince
from ..kafka.versions import is_at_least
from ..startup.client_settings import stated_setting
from ..startup.producers import TRANSACTIONAL, is_transactional, why_producer_stops

Bounds = Mapping[str, int]


_ONE: Bounds = {"clients": 1, "partitions": 1, "transactions": 1, "failovers": 0}
_NEXT: Bounds = {**_ONE, "transactions": 2}
_PAIR: Bounds = {**_NEXT, "partitions": 2}


@dataclass(frozen=True, eq=False)
class Hazard:
    """What a late request, or a time that is over, may do: a property that fails within one of these bounds."""

    fails: str
    of_offsets: bool
    bounds: tuple[Bounds, ...]
    what: str
    to_do: str
    source: str


_TO_3_7 = (
    "brokers of 3.7 or later (3.6 does not verify commits of offsets), with "
    "transaction.partition.verification.enable=true"
)
_TO_4_2 = "brokers of 4.2 or later, transaction.version=2, and clients of 4.0 or later"

HANGS = Hazard(
    "nothing_hangs", False,
    ({**_ONE, "timeouts": 1}, {**_ONE, "late_produces": 1}, {**_NEXT, "late_ends": 1}),
    "a request of a transaction that is late can leave what is written open for ever: all readers of committed records "
    "of that partition stop there, and its LastStableOffsetLag grows",
    _TO_3_7, "KAFKA-6119, KAFKA-14402",
)  # fmt: skip
HANGS_IN_OFFSETS = Hazard(
    "nothing_hangs", True, ({**_ONE, "late_produces": 1},),
    "where offsets are committed in transactions, such a commit that is late can stay open for ever in "
    "__consumer_offsets: it is not verified before 3.7, and the group waits for it",
    _TO_3_7, "KAFKA-15449",
)  # fmt: skip
UNFENCED = Hazard(
    "fenced_producers_have_no_effect", True, ({**_ONE, "clients": 2, "late_produces": 1},),
    "where offsets are committed in transactions, what a producer commits late that was fenced can be taken: its epoch "
    "is not checked before 2.4.1, and until 3.7 only where the group's partition has a newer one",
    "brokers of 3.7 or later", "KAFKA-15449",
)  # fmt: skip
TEARS = Hazard(
    "atomic_visibility", False, ({**_PAIR, "timeouts": 1}, {**_PAIR, "late_ends": 1}),
    "a request of a transaction that is late can end the next one, or get into it: half of a transaction is committed, "
    "and half aborted",
    _TO_4_2, "KIP-890, Jepsen on Bufstream 0.1.0",
)  # fmt: skip
MARKER = Hazard(
    "atomic_visibility", False, ({**_PAIR, "late_markers": 1},),
    "a marker that is sent twice can end the next transaction in one partition",
    _TO_4_2, "KIP-1228",
)  # fmt: skip
OLDER_COUNTS = Hazard(
    "newest_batch_counts", True, ({**_ONE, "batches": 2, "late_produces": 1},),
    "a copy of the first call's commit that is late takes the group's offset back, in every version: records are "
    "processed again",
    "one call of sendOffsetsToTransaction in a transaction", "commits of offsets have no sequence numbers (KIP-98)",
)  # fmt: skip
"""What needs an application that calls twice: no file says whether it does."""


_HAPPENS = {
    "timeouts": "time_out",
    "late_produces": "give_up_produce",
    "late_ends": "give_up_end",
    "late_markers": "repeat_marker",
}
"""What must have happened in an exploration, by what its bounds allow."""


@cache
def run_to_hazard(hazard: Hazard, release: ReleasesSince) -> ModelRun | None:
    """A shortest run to it in that release; None where the model finds none. Raises RuntimeError where an exploration
    does not end, or nothing was late in it."""
    profile = release.offsets if hazard.of_offsets else release.records
    for bounds in hazard.bounds:
        wanted = frozenset({"produce", *(_HAPPENS[name] for name in bounds if name in _HAPPENS)})
        small = SmallModel("transactions", bounds, (hazard.fails,), wanted, profile, "native")
        if hazard.fails in explore_small_model(small).steps:
            return ModelRun(f"transactions:{profile}", tuple(bounds.items()), hazard.fails)
    return None


def transaction_rules(cluster: Cluster) -> Iterator[Finding]:
    """What a transaction may meet, once for each hazard that the brokers' version has or may have."""
    wanting = [client for client in cluster.clients if client.kind == "producer" and is_transactional(client)]
    yield from shared_ids(wanting)
    writers = [client for client in wanting if not why_producer_stops(cluster, client)]
    if not writers:
        return
    version = cluster.versions.kafka.value if cluster.versions.kafka is not None else None
    writer, second = min(
        ((one, uses_transactions_version_2(cluster, one)) for one in writers), key=lambda pair: _ORDER[pair[1]]
    )
    where = setting_place(cluster, writer, TRANSACTIONAL)
    found = _rows_of_unknown_version(second) if version is None else _rows_of_known_version(version, second)
    for hazard, when, run in (*found, *_rows_of_repeated_calls(cluster, writers, second)):
        severity = "note" if when else "warning"
        source = f"{run.to_command}; {hazard.source}"
        yield Finding("advice", severity, when + hazard.what, where, hazard.to_do, source, run)


def shared_ids(writers: Iterable[Client]) -> Iterator[Finding]:
    """One id of two programs: each of them fences the other, since an id is of one producer (KIP-98). What a program
    completes by itself, as Streams and Spring do, and what is a placeholder, is left out."""
    of: dict[str, Client] = {}
    for writer in writers:
        stated = None if writer.is_embedded else stated_setting(writer, TRANSACTIONAL)
        if stated is None or re.search(r"[$({]", stated.value):
            continue
        first = of.setdefault(stated.value, writer)
        if first.origin.path != writer.origin.path:
            what = (
                f"`{TRANSACTIONAL}={stated.value}` is in {first.name} and in {writer.name}: each producer that starts "
                "fences the other, whose transaction is aborted and which writes no more"
            )
            yield Finding("contradiction", "error", what, stated.origin, "an id for each producer", "KIP-98")


_ORDER = {False: 0, None: 1, True: 2}

Row = tuple[Hazard, str, ModelRun]
"""A hazard; where it is, in words, if that is not known; and a run to it."""


def _rows_of_known_version(version: str, second: bool | None) -> Iterator[Row]:
    """Of a version that is known, with transactions of version 2, without, or either (None)."""
    newest = is_at_least(version, "4.0") is True
    old = _newest_release_of_version(version, BEFORE_VERSION_2)
    if newest and second is not False:
        yield from _rows_of_release(_newest_release_of_version(version, WITH_VERSION_2), "")
    if not newest:
        yield from _rows_of_release(old, "")
    elif second is not True:
        yield from _rows_of_release(
            old, "" if second is False else "without transaction.version=2, or with clients before 4.0, "
        )


def _rows_of_release(release: ReleasesSince, when: str) -> Iterator[Row]:
    """What the model finds in a release. What hangs with records is not said of offsets again; nor is a marker that is
    sent twice where other requests do the same. In version 2 what T6 finds of offsets shares its transaction's fate
    (docs/transactions.md)."""
    told = set[str]()
    for hazard in (HANGS, HANGS_IN_OFFSETS, TEARS, MARKER, UNFENCED):
        if hazard.fails in told or (hazard is UNFENCED and release in WITH_VERSION_2):
            continue
        run = run_to_hazard(hazard, release)
        if run is not None:
            told.add(hazard.fails)
            yield hazard, when, run


def _rows_of_unknown_version(second: bool | None) -> Iterator[Row]:
    """Where the brokers' version is not known: what hangs with records, and what tears, up to the last release that
    has it without version 2."""
    for hazard in (HANGS, TEARS):
        having = [(at, run) for at, release in enumerate(BEFORE_VERSION_2) if (run := run_to_hazard(hazard, release))]
        if not having:
            continue
        at, run = having[-1]
        last = at + 1
        repaired = BEFORE_VERSION_2[last].since if last < len(BEFORE_VERSION_2) else "4.0"
        known = repaired == "4.0" and second is False
        when = "" if known else f"where the brokers are of before {repaired} (their version is not known), "
        yield hazard, when, run


def _is_application_producer(writer: Client) -> bool:
    """Whether a producer is not one that Streams or Connect makes; one of Spring's profiles is an application's own."""
    return not writer.is_embedded or (writer.family is not None and writer.family.value != "java")


def _rows_of_repeated_calls(cluster: Cluster, writers: Iterable[Client], second: bool | None) -> Iterator[Row]:
    """What a second call of sendOffsetsToTransaction in a transaction may do: of producers that are an application's
    own. Kafka Streams calls once, and Connect never."""
    if not any(_is_application_producer(writer) for writer in writers):
        return
    version = cluster.versions.kafka
    newest = second is not False and version is not None and is_at_least(version.value, "4.0") is True
    releases = WITH_VERSION_2 if newest else BEFORE_VERSION_2
    run = run_to_hazard(
        OLDER_COUNTS, releases[-1] if version is None else _newest_release_of_version(version.value, releases)
    )
    if run is not None:
        yield OLDER_COUNTS, "where an application calls sendOffsetsToTransaction twice in a transaction, ", run


def _newest_release_of_version(version: str, releases: tuple[ReleasesSince, ...]) -> ReleasesSince:
    """The last of some releases that a version may be of; where its text leaves it open, the one before."""
    return next((one for one in reversed(releases) if is_at_least(version, one.since) is True), releases[0])


def uses_transactions_version_2(cluster: Cluster, writer: Client) -> bool | None:
    """Whether a producer's transactions are of version 2: its brokers have finalized that, and its client speaks it,
    as Java's does since 4.0, and librdkafka's does not; None where it is not known."""
    new = None if writer.version is None else is_at_least(writer.version.value, "4.0")
    speaks = {"java": new, "librdkafka": False}.get(base_family(writer) or "")
    both = (speaks, _has_version_2(cluster))
    return False if False in both else None if None in both else True


def _has_version_2(cluster: Cluster) -> bool | None:
    level = cluster.versions.features.get("transaction.version")
    if level is None:
        return False if cluster.versions.all_features else None
    return level.value.isdigit() and int(level.value) >= 2
