"""What a repair may change: settings, and where nodes stand. Each change says what becomes of a signature."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...language.immutable import immutable
from ..cluster.racks import worst_places
from ..kafka.profiles import (
    BY_METADATA,
    ELR_FOR_NEW,
    NEWEST,
    defects_mended_in_release,
    release_of_profile,
    switches_of_brokers,
    version_profiles,
)
from ..kafka.topic_settings import COMMIT_ACKS
from ..questions.questions import OF_DELIVERY
from ..questions.signature import Signature
from ..questions.situations import BY_NAME, OF_MACHINES, OF_RACKS, Name, modelled_voter_count


@immutable
class SettingChange:
    """One thing changed: its name in `plans`, the value as shown, and what becomes of a signature (None: nothing)."""

    name: str
    value: str
    change_signature: Callable[[Signature], Signature]

    @property
    def setting(self) -> str:
        """What is changed, as Kafka names it: `min.insync.replicas=2`; of a place, in words."""
        return _SETTING[self.name].format(self.value)


_SETTING = {
    "unclean": "unclean.leader.election.enable={}",
    "acks": "acks={}",
    "commit_acks": f"{COMMIT_ACKS}={{}}",
    "idempotence": "enable.idempotence={}",
    "client": "Java's client {}",
    "in_flight": "max.in.flight.requests.per.connection={}",
    "lower_min_isr": "min.insync.replicas={}",
    "min_isr": "min.insync.replicas={}",
    "replicas": "replication factor {}",
    "racks": "at most {} replicas in one rack",
    "release": "Kafka {}",
    "elr": "eligible.leader.replicas.version={}",
    "newest": "Kafka {} with eligible.leader.replicas.version=1",
    "fsync": "log.flush.interval.messages={}",
    "hosts": "a host for each {}",
    "each_rack": "a rack for each {}",
    "controllers": "{} voters on hosts without brokers",
    "voter_racks": "a rack for each {}",
}


@immutable
class SubjectRepair:
    """What came of looking for a repair of a subject: the document of the one that was found, what it changes, and why
    there is none where something fails."""

    document: dict[str, Any] | None = None
    changes: tuple[SettingChange, ...] = ()
    why_none: str = ""


NO_REPAIR = SubjectRepair()
"""Where none is looked for."""


MOST_VOTERS = 3
"""So many controllers, or ZooKeeper servers, are proposed where there are fewer."""


def possible_setting_changes(signature: Signature, *, of_offsets: bool = False) -> Iterator[SettingChange]:
    """What settings could be changed, the cheapest first. `of_offsets`: brokers write `__consumer_offsets`."""
    if signature.unclean:
        yield SettingChange("unclean", "false", lambda s: replace(s, unclean=False))
    if signature.acks != "all":
        name, value = ("commit_acks", "-1") if of_offsets else ("acks", "all")
        yield SettingChange(name, value, lambda s: replace(s, acks="all"))
    if not signature.idempotent and not of_offsets:
        yield SettingChange("idempotence", "true", lambda s: replace(s, idempotent=True))
    if signature.min_isr > 2:
        yield SettingChange("lower_min_isr", "2", lambda s: replace(s, min_isr=2))
    if signature.min_isr < 2:
        yield SettingChange("min_isr", "2", lambda s: replace(s, min_isr=2))
    if signature.replicas < 3:
        yield SettingChange("replicas", "3", _signature_with_three_replicas)
    if signature.replicas_in_rack > (signature.replicas + 1) // 2:  # what two racks can do
        most = (signature.replicas + 1) // 2
        yield SettingChange("racks", str(most), lambda s: _signature_spread_over_racks(s, (s.replicas + 1) // 2))
    if not signature.constants["bound_reads"]:
        yield SettingChange("release", READS_BOUND, _signature_with_bound_reads)
    if not signature.constants["elr"] and has_elr(signature):
        yield SettingChange("elr", "1", _signature_with_elr)
    if signature.switches:
        yield SettingChange("newest", release_of_profile(NEWEST), lambda s: replace(s, profile=NEWEST, switches=()))
    if not signature.fsync:
        yield SettingChange("fsync", "1", lambda s: replace(s, fsync=True))


def has_elr(signature: Signature) -> bool:
    """Whether brokers of its release, as they are, take eligible.leader.replicas.version=1: KRaft's of 4.1 and later
    (4.0.0 has KAFKA-19522)."""
    since = next(profile.since for profile in version_profiles() if profile.name == signature.profile)
    return since >= ELR_FOR_NEW


def _signature_with_elr(signature: Signature) -> Signature:
    """The same brokers with it: what else their release has not, they have not then."""
    return replace(signature, switches=tuple(pair for pair in signature.switches if pair[0] != "elr"))


def possible_sending_changes(signature: Signature, questions: Collection[str]) -> Iterator[SettingChange]:
    """How the producer could send instead, as far as that matters to what is asked."""
    if signature.gives_again and "no-loss" in questions:
        yield SettingChange("client", "2.5", lambda s: replace(s, gives_again=False))
    if signature.max_in_flight > 1 and OF_DELIVERY & {*questions}:
        yield SettingChange("in_flight", "1", lambda s: replace(s, max_in_flight=1))


def possible_placement_changes(signature: Signature, cells: Sequence[Name]) -> Iterator[SettingChange]:
    """Where nodes could stand instead, as far as that matters to what goes wrong in these cells."""
    faults = {BY_NAME[cell].fault.name for cell in cells}
    if (signature.one_machine or signature.hosts) and faults & {*OF_MACHINES}:
        yield SettingChange("hosts", "node", _signature_spread_over_hosts)
    if signature.replicas_in_rack > 1 and faults & OF_RACKS:
        yield SettingChange("each_rack", "replica", lambda s: _signature_spread_over_racks(s, 1))
    known = signature.co_located or signature.voters > 0
    emptied = "disk-loss" in faults and 0 < signature.enough_emptied <= signature.disk_voters
    if known and (modelled_voter_count(signature) < MOST_VOTERS or emptied):
        yield SettingChange("controllers", str(MOST_VOTERS), _signature_with_three_voters)
    crowded = max((voters for _, voters in signature.racks), default=0) + signature.open_voters > 1
    crowded = crowded if signature.racks else signature.voters_in_rack != 1
    if faults & OF_RACKS and known and not signature.co_located and crowded:
        yield SettingChange("voter_racks", "controller", _signature_with_voters_in_racks)


READS_BOUND = "2.5.1"
"""The first release that mends KAFKA-9835 (it is 2.6.0 of the next line)."""


def _signature_with_bound_reads(signature: Signature) -> Signature:
    """Brokers of that release, which speak the protocol that they spoke before."""
    binary = "kafka_2_2"
    mended = defects_mended_in_release(tuple(int(part) for part in READS_BOUND.split(".")), binary)
    then = dict(switches_of_brokers(binary, binary, kraft=False, elr=False, mended_defects=mended))
    kept = ((name, value) for name, value in signature.switches if name in BY_METADATA or name in then)
    return replace(signature, profile=binary, switches=tuple(kept))


def _signature_with_three_replicas(signature: Signature) -> Signature:
    """The new ones may be anywhere: at worst on the host, and in the rack, that has most."""
    more = max(0, 3 - signature.replicas)
    return replace(
        signature,
        replicas=3,
        co_located=False,
        replicas_in_rack=0,
        hosts=_places_with_more_replicas(signature.hosts, more),
        two_hosts=_places_with_more_replicas(signature.two_hosts, more),
        racks=(),
    )


def _places_with_more_replicas(places: tuple[tuple[int, int], ...], more: int) -> tuple[tuple[int, int], ...]:
    return worst_places((min(3, replicas + more), voters) for replicas, voters in places)


def _signature_spread_over_racks(signature: Signature, most: int) -> Signature:
    """At most so many replicas of a partition in one rack, wherever the voters are."""
    racks = worst_places((most, voters) for _, voters in signature.racks)
    return replace(signature, replicas_in_rack=min(most, signature.replicas_in_rack), racks=racks)


def _signature_spread_over_hosts(signature: Signature) -> Signature:
    return replace(signature, one_machine=False, hosts=(), two_hosts=(), disk_voters=int(signature.has_combined_nodes))


def _signature_with_three_voters(signature: Signature) -> Signature:
    """Nothing says in which racks the new ones are."""
    alone = worst_places((replicas, 0) for replicas, _ in signature.racks)
    hosts = worst_places((replicas, 0) for replicas, _ in signature.hosts if replicas > 1)
    two = worst_places((replicas, 0) for replicas, _ in signature.two_hosts) if hosts else ()
    return replace(
        signature,
        voters=MOST_VOTERS,
        co_located=False,
        shared_voters=0,
        has_combined_nodes=False,
        disk_voters=0,
        enough_emptied=min(1, signature.enough_emptied),
        voters_in_rack=0,
        racks=alone,
        open_voters=MOST_VOTERS if alone else 0,
        hosts=hosts,
        two_hosts=two,
    )


def _signature_with_voters_in_racks(signature: Signature) -> Signature:
    racks = worst_places((replicas, 1) for replicas, _ in signature.racks)
    return replace(signature, racks=racks, voters_in_rack=1, open_voters=0)
