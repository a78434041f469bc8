"""Clients whose family or release is not stated: what every one that it may be refuses, and what some of them refuse.

A file of properties is Java's or librdkafka's; the others are stated by `--client`. Java's releases that brokers of 4.0
do not support (KIP-896) raise no doubt by what they refuse, but nothing is certain that one of them takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from ...language.immutable import immutable
from ..cluster.cluster import Client
from ..cluster.findings import Finding
from ..cluster.settings import base_family
from ..cluster.statements import StatedValue
from ..kafka.keys import WITH_FILES
from ..kafka.versions import RELEASES

RELEASES_OF: Mapping[str, tuple[str, ...]] = {
    "java": tuple(f"{major}.{minor}" for major, minor in RELEASES if (major, minor) >= (2, 1)),
    "librdkafka": ("1.8.2", "1.9.0", "2.3.0", "2.4.0", "2.10.0", "2.16.0"),
    "kafka-python": ("2.0.2", "2.2.0", "3.0.0"),
    "sarama": ("1.20.0", "1.37.0"),
    "franz-go": ("1.0.0", "1.4.0"),
}
"""By family the releases at which what a client refuses changes, oldest first."""
OLD_JAVA = ("0.11.0", "1.0", "1.1", "2.0")
"""Releases of Java's clients before these."""


@immutable
class PossibleRefusal:
    """Why some of the clients that one may be do not start: the first reason, of which client it is, and whether all of
    them refuse something."""

    reason: Finding
    of: str
    is_certain: bool


def possible_refusal(client: Client, refuse: Callable[[Client], Iterable[Finding]]) -> PossibleRefusal | None:
    """What the clients that one may be refuse, by `refuse`; None where nothing is, or the client is stated."""
    tried = [(known, next(iter(refuse(known)), None)) for known in possible_clients(client)]
    found = [(known, reason) for known, reason in tried if reason is not None]
    if not found:
        return None
    known, reason = found[-1]
    family, version = (stated.value if stated is not None else "" for stated in (known.family, known.version))
    of_old = (next(iter(refuse(one)), None) for one in _clients_of_releases(client, "java", OLD_JAVA))
    is_certain = len(found) == len(tried) and (base_family(client) not in (None, "java") or all(of_old))
    return PossibleRefusal(reason, f"{family} {version}", is_certain)


def possible_clients(client: Client) -> list[Client]:
    """The clients that one may be whose family or release is not stated; none of one that is stated."""
    if client.version is not None:
        return []
    family = base_family(client)
    names = (family,) if family is not None else WITH_FILES
    return [one for name in names for one in _clients_of_releases(client, name, RELEASES_OF.get(name, ()))]


def _clients_of_releases(client: Client, family: str, releases: Iterable[str]) -> list[Client]:
    stated = client.family or StatedValue(family, client.origin, "not stated")
    versions = [StatedValue(release, client.origin, "not stated") for release in releases]
    return [replace(client, family=stated, version=version) for version in versions]


def unknown_start(client: Client, refusal: PossibleRefusal) -> Finding:
    """That it is not known whether a client starts."""
    what = f"whether {client.name} starts is not known, since its family or release is not stated: of {refusal.of} "
    what += refusal.reason.what
    to_do = f"--client FAMILY:VERSION says which it is; else {refusal.reason.to_do}"
    return Finding("incomplete", "warning", what, refusal.reason.where, to_do, refusal.reason.source)
