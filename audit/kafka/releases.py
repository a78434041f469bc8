"""Numbers of releases that are not Kafka's own: Kafka 2.0 to 4.1 is Confluent Platform 5.0 to 8.1."""

from __future__ import annotations

import re

from .versions import span

CONFLUENT = {
    "5.0": "2.0", "5.1": "2.1", "5.2": "2.2", "5.3": "2.3", "5.4": "2.4", "5.5": "2.5", "6.0": "2.6", "6.1": "2.7",
    "6.2": "2.8", "7.0": "3.0", "7.1": "3.1", "7.2": "3.2", "7.3": "3.3", "7.4": "3.4", "7.5": "3.5", "7.6": "3.6",
    "7.7": "3.7", "7.8": "3.8", "7.9": "3.9", "8.0": "4.0", "8.1": "4.1",
}  # fmt: skip
"""Confluent Platform's release to Kafka's (docs.confluent.io, versions and interoperability)."""

LAST_OF_KAFKA = 4
"""The largest major number that Kafka has; what is above is Confluent Platform's."""

METADATA_VERSIONS = (
    "3.0-IV1", "3.1-IV0", "3.2-IV0", "3.3-IV0", "3.3-IV1", "3.3-IV2", "3.3-IV3", "3.4-IV0", "3.5-IV0", "3.5-IV1",
    "3.5-IV2", "3.6-IV0", "3.6-IV1", "3.6-IV2", "3.7-IV0", "3.7-IV1", "3.7-IV2", "3.7-IV3", "3.7-IV4", "3.8-IV0",
    "3.9-IV0", "4.0-IV0", "4.0-IV1", "4.0-IV2", "4.0-IV3", "4.1-IV0", "4.1-IV1", "4.2-IV0", "4.2-IV1", "4.3-IV0",
)  # fmt: skip
"""The name of each level of `metadata.version` from 1 (MetadataVersion of 3.9.1 and 4.3.0). Brokers say numbers."""


SUFFIX = re.compile(r"[\d.]+(\.x)?(-(rc\d+|IV\d+|SNAPSHOT|ccs|ce|\d+))*", re.I)
"""A release with what builders put behind its number."""


def kafka_release(option: str, text: str, *, confluent: bool = False) -> tuple[str, str]:
    """A version as Kafka counts, of what an option says, and what is assumed, or "". `confluent`: the number may be
    Confluent Platform's, and so it is where its suffix is Confluent's (`7.6.0-ccs`). Raises ValueError for what is no
    version, and for one that Kafka does not have."""
    try:
        first, _ = span(text)
    except ValueError as error:
        raise ValueError(f"{option}: {error}.") from None
    if not SUFFIX.fullmatch(text.strip().lstrip("v")):
        raise ValueError(f"{option}: `{text}` is not a release: write it like 3.9.1, 3.9, 3.9.0-rc3 or 3.7-IV4.")
    if first[0] <= LAST_OF_KAFKA:
        return text, ""
    platform = f"{first[0]}.{first[1]}"
    kafka = CONFLUENT.get(platform)
    if kafka is None:
        raise ValueError(f"{option} {text}: neither Kafka nor Confluent Platform has a release of this number.")
    if not confluent and not re.search(r"-(ccs|ce)\b", text):
        raise ValueError(
            f"{option} {text}: Kafka has no such release. Confluent Platform {platform} is Kafka {kafka}: give {kafka}."
        )
    return kafka, f"Confluent Platform {platform} is Kafka {kafka}"
