"""Kafka's releases, the levels of their features, and the numbers of Confluent Platform. What is not in these tables is
not known: nothing may be answered of it as of another release."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .versions import RELEASES, is_at_least, releases_meant

CONFLUENT = {
    "5.0": "2.0", "5.1": "2.1", "5.2": "2.2", "5.3": "2.3", "5.4": "2.4", "5.5": "2.5", "6.0": "2.6", "6.1": "2.7",
    "6.2": "2.8", "7.0": "3.0", "7.1": "3.1", "7.2": "3.2", "7.3": "3.3", "7.4": "3.4", "7.5": "3.5", "7.6": "3.6",
    "7.7": "3.7", "7.8": "3.8", "7.9": "3.9", "8.0": "4.0", "8.1": "4.1",
}  # fmt: skip
"""Confluent Platform's release to Kafka's (docs.confluent.io, versions and interoperability)."""

METADATA_VERSIONS = (
    "3.0-IV1", "3.1-IV0", "3.2-IV0", "3.3-IV0", "3.3-IV1", "3.3-IV2", "3.3-IV3", "3.4-IV0", "3.5-IV0", "3.5-IV1",
    "3.5-IV2", "3.6-IV0", "3.6-IV1", "3.6-IV2", "3.7-IV0", "3.7-IV1", "3.7-IV2", "3.7-IV3", "3.7-IV4", "3.8-IV0",
    "3.9-IV0", "4.0-IV0", "4.0-IV1", "4.0-IV2", "4.0-IV3", "4.1-IV0", "4.1-IV1", "4.2-IV0", "4.2-IV1", "4.3-IV0",
    "4.4-IV0", "4.4-IV1", "4.4-IV2",
)  # fmt: skip
"""The name of each level of `metadata.version` from 1 (MetadataVersion of 3.9.1 and 4.4.0). Brokers say numbers."""

FEATURES: Mapping[str, tuple[tuple[str, int], ...]] = {
    "kraft.version": (("3.9", 1),),
    "transaction.version": (("4.0", 2),),
    "group.version": (("4.0", 1),),
    "eligible.leader.replicas.version": (("4.0", 1),),
    "share.version": (("4.1", 1), ("4.4", 2)),
    "streams.version": (("4.2", 1),),
}
"""The newest level of each feature that a release may have, by the release from which on it may (Features of 3.9.1,
Feature of 4.0.0 to 4.4.0: LATEST_PRODUCTION)."""


SUFFIX = re.compile(r"[\d.]+(\.x)?(-(rc\d+|IV\d+|SNAPSHOT|ccs|ce|\d+))*", re.I)
"""A release with what builders put behind its number."""


def newest_level(feature: str, release: str) -> int | None:
    """The newest level of a feature that a release may have, 0 before it has the feature; None if that is not known."""
    if feature not in FEATURES:
        return None
    levels = [level for since, level in FEATURES[feature] if is_at_least(release, since) is not False]
    return max(levels, default=0)


def why_release_not_known(text: str) -> str:
    """Why a release is not known, in words; "" for one that is, and for a text that leaves open which it is of those
    that are known, such as "4". Raises ValueError for what is no version."""
    first, last = releases_meant(text)
    if any(first[:2] <= release <= last[:2] for release in RELEASES):
        return ""
    platform = f"{first[0]}.{first[1]}"
    oldest, newest = (f"{major}.{minor}" for major, minor in (RELEASES[0], RELEASES[-1]))
    known = f"Kafka {oldest} to {newest} are known here"
    if platform in CONFLUENT and first[:2] > RELEASES[-1]:
        return f"{known}; Confluent Platform {platform} is Kafka {CONFLUENT[platform]}"
    return known


def is_metadata_version(text: str) -> bool:
    """Whether a level of `metadata.version` is known: its name, or a known release for the newest one that it has."""
    return text in METADATA_VERSIONS if "-" in text else not why_release_not_known(text)


def kafka_release(option: str, text: str, *, confluent: bool = False) -> tuple[str, str]:
    """A version as Kafka counts, of what an option says, and what is assumed, or "". `confluent`: the number may be
    Confluent Platform's, and so it is where its suffix is Confluent's (`7.6.0-ccs`). What it is may be a release that
    is not known (`why_release_not_known`). Raises ValueError for what is no version."""
    try:
        first, _ = releases_meant(text)
    except ValueError as error:
        raise ValueError(f"{option}: {error}.") from None
    if not SUFFIX.fullmatch(text.strip().lstrip("v")):
        raise ValueError(f"{option}: `{text}` is not a release: write it like 3.9.1, 3.9, 3.9.0-rc3 or 3.7-IV4.")
    kafka = CONFLUENT.get(f"{first[0]}.{first[1]}")
    if first[:2] <= RELEASES[-1] or kafka is None or not (confluent or re.search(r"-(ccs|ce)\b", text)):
        return text, ""
    return kafka, f"Confluent Platform {first[0]}.{first[1]} is Kafka {kafka}"


def known_release(option: str, text: str) -> str:
    """The same where only a known release will do. Raises ValueError for any other."""
    kafka, _ = kafka_release(option, text)
    why = why_release_not_known(kafka)
    if why:
        raise ValueError(f"{option} {text}: this release is not known: {why}.")
    return kafka
