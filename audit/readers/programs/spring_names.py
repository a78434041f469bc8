"""Names of Spring Boot's settings in whatever spelling: dots apart, neither case nor dashes matter (Spring Boot
reference, Relaxed Binding), but for the names in a map, such as `spring.kafka.properties`, which are Kafka's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from ...cluster.statements import Origin, Setting
from ...kafka import key_names

SPRING = {
    "transaction-id-prefix": "transactional.id",
    "auto-commit-interval": "auto.commit.interval.ms",
    "heartbeat-interval": "heartbeat.interval.ms",
    "max-poll-interval": "max.poll.interval.ms",
    "compression-type": "compression.type",
    "buffer-memory": "buffer.memory",
}
"""Spring Boot's names that are not Kafka's with dashes for dots."""

BOUND: Mapping[str, tuple[str, ...]] = {
    "producer": (
        "acks", "batch-size", "bootstrap-servers", "buffer-memory", "client-id", "compression-type", "key-serializer",
        "properties", "retries", "security", "ssl", "transaction-id-prefix", "value-serializer",
    ),
    "consumer": (
        "auto-commit-interval", "auto-offset-reset", "bootstrap-servers", "client-id", "enable-auto-commit",
        "fetch-max-wait", "fetch-min-size", "group-id", "heartbeat-interval", "isolation-level", "key-deserializer",
        "max-poll-interval", "max-poll-records", "properties", "security", "ssl", "value-deserializer",
    ),
}  # fmt: skip
"""The fields of a client that Spring Boot has (KafkaProperties.Producer and Consumer, up to 3.4): a name that
is none of them binds to nothing, whatever setting of Kafka's it looks like."""

_WORDS = (
    "spring", "kafka", "producer", "consumer", "streams", "admin", "properties", "config", "activate", "on-profile",
    "on-cloud-platform", "import", "profiles", "include", "group", "active", "application", "json", "location",
    "additional-location",
)  # fmt: skip
"""The words by which this reader finds its way."""

_ELEMENT = re.compile(r"\.?([^.\[\]]+)")
ARGUMENT = re.compile(
    r"""(?:--|-D)(?P<key>spring[.\[][\w.\-\[\]]+)=(?P<value>"[^"]*"|'[^']*'|[^\s"',;]*)""", re.IGNORECASE
)
"""An argument of an application, or a property of the Java machine that runs it."""


def uniform_name(name: str) -> str:
    """A name with what matters in it alone."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def documented_spelling(key: str) -> str:
    """A setting's name as Spring's documentation spells it; what is in a map of Kafka's settings stays as it is."""
    if uniform_name(key.partition(".")[0]) != "spring":
        return key
    known, found, end = {uniform_name(word): word for word in _WORDS}, list[str](), 0
    while (element := _ELEMENT.match(key, end)) is not None and found[-1:] != ["properties"]:
        if (word := known.get(uniform_name(element[1]))) is None:
            break
        found.append(word)
        end = element.end()
    return ".".join(found) + key[end:]


def settings_of_arguments(texts: Iterable[tuple[str, Origin]]) -> list[Setting]:
    """What arguments set of Spring's, with `--name=value` or `-Dname=value`."""
    found = [(match, where) for text, where in texts for match in ARGUMENT.finditer(text)]
    return [Setting(documented_spelling(match["key"]), match["value"].strip("\"'"), where) for match, where in found]


@cache
def _kafka_names_by_uniform_name() -> dict[str, str]:
    """Kafka's names of clients' settings, and Spring's for some of them, each without what does not matter."""
    every = key_names.names_by_scope()
    found = {uniform_name(name): name for name in sorted(every["producer"] | every["consumer"])}
    return found | {uniform_name(name): key for name, key in SPRING.items()}


def kafka_name(name: str) -> str:
    """Kafka's name of what Spring has as a setting of a producer or consumer."""
    return _kafka_names_by_uniform_name().get(uniform_name(name), name.lower().replace("-", "."))


def is_bound(name: str, kind: str) -> bool:
    """Whether a name below `spring.kafka.producer` or `spring.kafka.consumer` is one that Spring Boot reads. A variable
    has underscores for dashes as well as for dots."""
    first = _ELEMENT.match(name)
    fields = {uniform_name(field) for field in BOUND[kind]}
    return uniform_name(name) in fields or (first is not None and uniform_name(first[1]) in fields)


PLACED = re.compile(r"kafka[._](producer|consumer|properties)", re.IGNORECASE)


def strength_rank(setting: Setting) -> int:
    """How strong a setting is in Spring's own order, wherever it is stated: what is common to all clients, what a
    client's fields say, and its own map (KafkaProperties, buildProducerProperties)."""
    if re.search(r"kafka[._](producer|consumer)[._]properties", setting.origin.place, re.IGNORECASE):
        return 2
    return 0 if re.search(r"kafka[._]properties", setting.origin.place, re.IGNORECASE) else 1
