"""Frameworks that set up Kafka's clients by settings of their own. These are not read, which is said."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...cluster.statements import Origin
from ..parsed_file import Part

FRAMEWORKS = {
    "Quarkus": r"(mp\.messaging\.(incoming|outgoing|connector)|quarkus\.kafka(-streams)?)\..+",
    "Micronaut": r"kafka\.(producers|consumers|streams)\..+|micronaut\.(.+\.)?kafka\..+",
    "Spring Cloud Stream": r"spring\.cloud\.stream\.kafka\..+",
    "Quarkus or Micronaut": r"kafka\.(bootstrap\.servers|acks|retries|enable\.idempotence)",
    "Camel": r"camel\.component\.kafka\..+",
}
"""Settings that show which framework configures the clients (quarkus.io, smallrye.io, micronaut-projects.github.io,
docs.spring.io and camel.apache.org have their names)."""


def framework_of_keys(keys: Iterable[str]) -> str:
    """The first of the frameworks that one of these keys is a setting of; "" for none."""
    known = list(keys)
    return next((name for name, text in FRAMEWORKS.items() if any(re.fullmatch(text, key) for key in known)), "")


def keys_without_profile(text: str) -> set[str]:
    """Quarkus's settings with a profile, without it: `kafka.acks` of `%prod.kafka.acks=0`."""
    return set(re.findall(r"^\s*%[\w,\-]+\.([\w.\-]+)", text, re.MULTILINE))


VARIABLES = re.compile(
    r"(_?(DEV|TEST|PROD)_)?(MP_MESSAGING|QUARKUS_KAFKA|MICRONAUT_KAFKA|CAMEL_COMPONENT_KAFKA)_\w+|"
    r"SPRING_CLOUD_STREAM_\w+|(\w+_)?ACKS",
    re.IGNORECASE,
)
"""Variables by which other programs set up their clients: of these frameworks, and any that ends as acks does."""

READ = re.compile(r"(SPRING_KAFKA|CONNECT)_|KAFKA_(CFG_)?OFFSETS_COMMIT_REQUIRED_ACKS$", re.IGNORECASE)


def note_unread_clients(part: Part, name: str, variables: Iterable[tuple[str, str, Origin]]) -> None:
    """What is said of variables of a service or container that set up a producer and are not read."""
    for variable, _, where in variables:
        if VARIABLES.fullmatch(variable) and not READ.match(variable):
            what = f"`{variable}` of {name} sets up a Kafka client, and was not read"
            to_do = (
                "give what its clients log at their start (ProducerConfig values) as a file, and name it in audit.toml"
            )
            part.note("incomplete", "error", what, where, to_do)
            return


def unread_clients(path: str, framework: str) -> Part:
    """What is said of its file: clients are in it that nothing is known of, so that no audit passes by it."""
    part = Part(f"configuration of {framework}")
    what = f"{path} was not read: it sets up Kafka clients for {framework}, whose settings Tidegate does not read"
    to_do = "give what its clients log at their start (ProducerConfig values) as a file, and name it in audit.toml"
    part.note("incomplete", "error", what, Origin(path), to_do)
    return part
