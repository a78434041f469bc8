"""Frameworks that set up Kafka's clients by settings of their own. These are not read, which is said."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..cluster import Origin
from .parsed_file import Part

FRAMEWORKS = {
    "Quarkus": r"(mp\.messaging\.(incoming|outgoing|connector)|quarkus\.kafka(-streams)?)\..+",
    "Micronaut": r"kafka\.(producers|consumers|streams)\..+|micronaut\.(.+\.)?kafka\..+",
    "Spring Cloud Stream": r"spring\.cloud\.stream\.kafka\..+",
    "Quarkus or Micronaut": r"kafka\.(bootstrap\.servers|acks|retries|enable\.idempotence)",
    "Camel": r"camel\.component\.kafka\..+",
}
"""Settings that show which framework configures the clients (quarkus.io, smallrye.io, micronaut-projects.github.io,
docs.spring.io and camel.apache.org have their names)."""


def of(keys: Iterable[str]) -> str:
    """The first of the frameworks that one of these keys is a setting of; "" for none."""
    known = list(keys)
    return next((name for name, text in FRAMEWORKS.items() if any(re.fullmatch(text, key) for key in known)), "")


def with_profile(text: str) -> set[str]:
    """Quarkus's settings with a profile, without it: `kafka.acks` of `%prod.kafka.acks=0`."""
    return set(re.findall(r"^\s*%[\w,\-]+\.([\w.\-]+)", text, re.MULTILINE))


def unread(path: str, framework: str) -> Part:
    """What is said of its file: clients are in it that nothing is known of, so that no audit passes by it."""
    part = Part(f"configuration of {framework}")
    what = f"{path} was not read: it sets up Kafka clients for {framework}, whose settings Tidegate does not read"
    to_do = "give what its clients log at their start (ProducerConfig values) as a file, and name it in audit.toml"
    part.note("incomplete", "error", what, Origin(path), to_do)
    return part
