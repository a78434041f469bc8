"""Which profile of the model of a partition a release of Kafka is, and what its patches and protocol versions change.

The profiles themselves are in `model/partition/releases.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from ...invariants import partition as properties
from ...invariants.partition import reads, waiting
from ...language.binding import Definition, load
from ...language.constants import PlainValue
from ...language.immutable import immutable
from ...model import partition
from .versions import RELEASES, SPANS

MOST_REPLICAS = 5
"""The largest replication factor that the model has."""


@immutable
class Profile:
    """A version of the model: its name, the first release that has it, and for which control plane it is."""

    name: str
    since: tuple[int, int]


NEWEST = "kafka_4_3"

FIRST_KRAFT = SPANS["kraft"][0][:2]
"""KRaft is for production since (KIP-833); what there was before is not modelled."""

LAST_ZOOKEEPER = SPANS["zookeeper"][1][:2]

FIRST_ELR, ELR_FOR_NEW = (4, 0), (4, 1)
"""Since when eligible.leader.replicas.version may be 1, and since when it is for clusters that are new (KIP-966)."""

KIP_360 = (2, 5)
"""Since when brokers let an idempotent producer bump its epoch; with clients of that release."""

BY_METADATA = (
    "truncation", "fence_fetch", "alter_partition", "maximal_isr", "reject_restarted", "keep_epoch", "elr",
    "assign_directories",
)  # fmt: skip
"""Switches that metadata.version, or inter.broker.protocol.version, turns on; the others come with the binary."""

OF_FETCHED_TRUNCATION = ("skip_diverging", "fence_truncation", "truncate_first")
"""Switches about followers that truncate on a fetch's answer. They do from protocol 2.7 on, since when
leaders ask the controller for the ISR (ApiVersion.isTruncationOnFetchSupported); before, nothing is to mend."""


@cache
def audited_model_definition() -> Definition:
    """The partition, with properties that only audits ask about."""
    return load(partition, (properties, reads, waiting))


@cache
def version_profiles() -> tuple[Profile, ...]:
    """The versions that the model has, oldest first."""
    found = [
        Profile(name, (int(match[1]), int(match[2])))
        for name in audited_model_definition().profiles
        if (match := re.fullmatch(r"kafka_(\d+)_(\d+)", name)) and int(match[2]) < 100
    ]
    return tuple(sorted(found, key=lambda profile: profile.since))


@cache
def switches_of_profile(profile: str) -> Mapping[str, PlainValue]:
    """Every constant that any version differs in, with its value in one of them."""
    model = audited_model_definition()
    names = {name for version in version_profiles() for name in model.profiles[version.name]}
    given: Mapping[str, Any] = model.profiles[profile]
    return {name: _plain_constant(given.get(name, model.constants[name].default)) for name in sorted(names)}


def _plain_constant(value: Any) -> PlainValue:
    return value if isinstance(value, bool | int | str) else str(value.value)


def _zookeeper_switches() -> Mapping[str, PlainValue]:
    """What is otherwise with ZooKeeper in every version: unclean elections are heeded, a reassignment awaits all that
    shall have a copy (KafkaController.isReassignmentComplete), and KIP-903 is not there."""
    with_, without = (
        audited_model_definition().profiles["kafka_3_9_zookeeper"],
        audited_model_definition().profiles["kafka_3_9"],
    )
    differs = {name: _plain_constant(value) for name, value in with_.items() if without.get(name) != value}
    return {**differs, "heed_unclean": True, "await_target": True}


def profiles_within(first: tuple[int, ...], last: tuple[int, ...], *, kraft: bool) -> list[str]:
    """The profiles that a span of releases may mean, oldest first."""
    known = [one for one in version_profiles() if (one.since >= FIRST_KRAFT if kraft else one.since <= LAST_ZOOKEEPER)]
    starts = [profile.since if kraft or place else (0, 0) for place, profile in enumerate(known)]
    ends = [*starts[1:], (1 << 30, 0) if kraft else FIRST_ELR]
    spans = zip(known, starts, ends, strict=True)
    return [profile.name for profile, start, end in spans if first < end and last >= start]


def switches_of_brokers(
    binary: str, protocol: str, *, kraft: bool, elr: bool, mended_defects: Iterable[str] = (), old_format: bool = False
) -> tuple[tuple[str, PlainValue], ...]:
    """The switches of brokers with one profile's binary that speak another's protocol, where not as in the newest.
    `mended_defects` are those that the binary's release has already (`defects_mended_in_release`); an `old_format` has
    no leader epochs."""
    made = {**switches_of_profile(binary), **dict.fromkeys(mended_defects, True)}
    of_protocol = [name for name in BY_METADATA if kraft or name != "keep_epoch"]  # a rule of KRaft's controllers
    made |= {name: name in mended_defects or switches_of_profile(protocol)[name] for name in of_protocol}
    made |= {} if switches_of_profile(protocol)["alter_partition"] else dict.fromkeys(OF_FETCHED_TRUNCATION, True)
    made |= {"truncation": switches_of_profile(version_profiles()[0].name)["truncation"]} if old_format else {}
    made |= {} if kraft else _zookeeper_switches()
    made["elr"] = elr
    newest = {**switches_of_profile(NEWEST), "check_last_leader": True}
    before = any(profile.name == binary and profile.since < (4, 1) for profile in version_profiles())
    made |= {"check_last_leader": False} if elr and before else {}  # KAFKA-19522: 4.0.0 has it, 4.1.0 not
    return tuple(sorted((name, value) for name, value in made.items() if newest[name] != value))


MENDED: Mapping[str, tuple[tuple[int, ...], ...]] = {
    "truncate_each_epoch": ((2, 0, 1), (2, 1, 0)),
    "record_epoch": ((2, 0, 1), (2, 1, 0)),
    "await_epoch_start": ((2, 0, 1), (2, 1, 0)),
    "bound_reads": ((2, 5, 1), (2, 6, 0)),
    "skip_diverging": ((2, 8, 1), (3, 0, 0)),
    "fence_truncation": ((2, 8, 1), (3, 0, 0)),
    "prefer_in_sync": ((3, 3, 2), (3, 4, 0)),
    "keep_epoch": ((3, 6, 0),),
    "truncate_first": ((3, 4, 1), (3, 5, 0)),
    "await_target": ((3, 8, 0),),
}
"""Releases between two profiles that mend what the earlier one has not (model/partition/state.py, beside each switch):
the first of each line of releases; the last is for all that come after it."""


def defects_mended_in_release(
    first: tuple[int, ...], binary: str, spoken: tuple[int, ...] | None = None
) -> tuple[str, ...]:
    """What a release has beyond its profile, given the first one that it may be; `spoken` is that of the
    metadata.version, where one is stated: what goes by it is there from that release on."""
    since = {profile.name: profile.since for profile in version_profiles()}[binary]
    of_protocol = [name for name in MENDED if name in BY_METADATA and spoken is not None]
    of_binary = [
        name
        for name, releases in MENDED.items()
        if name not in of_protocol and since <= releases[-1][:2] and switches_of_profile(binary)[name] is not True
    ]
    at = {**dict.fromkeys(of_protocol, min(first, spoken or first)), **dict.fromkeys(of_binary, first)}
    return tuple(name for name, releases in MENDED.items() if name in at and _is_since(at[name], releases))


def _is_since(first: tuple[int, ...], releases: Sequence[tuple[int, ...]]) -> bool:
    return first[:3] >= releases[-1] or any(first[:2] == release[:2] and first[:3] >= release for release in releases)


def releases_text_of_profile(profile: str, first: tuple[int, ...], last: tuple[int, ...], *, kraft: bool) -> str:
    """`3.9 to 4.0`: the releases between two that a profile stands for."""
    since = next(version.since for version in version_profiles() if version.name == profile)
    later = next((version.since for version in version_profiles() if version.since > since), (1 << 30, 0))
    most = last if kraft else min(last, LAST_ZOOKEEPER)
    meant = [release for release in RELEASES if max(since, first[:2]) <= release < later and release <= most]
    texts = [f"{major}.{minor}" for major, minor in meant[:1] + meant[1:][-1:]] or [release_of_profile(profile)]
    return " to ".join(texts)


def release_of_profile(profile: str) -> str:
    """`3.7` of `kafka_3_7`."""
    return profile.removeprefix("kafka_").replace("_", ".", 1)
