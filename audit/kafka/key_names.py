"""Every setting's name that Kafka's releases and librdkafka define, by scope, to separate typos from the rest.

`key_names.txt` is made from what the releases' own classes say (`tests/capture/`); a test holds it to that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from .keys import settings_table

OTHERS = re.compile(
    r"(ssl|sasl|security|metric|metrics|metrics\.reporters|listener|listeners|config\.providers|confluent|log4j|kafka|"
    r"rlmm|rsm|remote|cruise|strimzi|client\.quota|principal|authorizer|plugin|interceptor|schema|basic|bearer|"
    r"zookeeper|super|allow|delegation|password|specific|value|auto\.register|quota|early|unstable|group)\..+",
)
"""Settings of plug-ins, of security and of platforms: they are nobody's typo, and say nothing about loss."""

WINDOW = 0.84


@cache
def names_by_scope() -> Mapping[str, frozenset[str]]:
    """The names by scope: broker, topic, producer, consumer, librdkafka."""
    found: dict[str, set[str]] = {}
    for line in files("tidegate.audit.kafka").joinpath("key_names.txt").read_text(encoding="utf-8").splitlines():
        scope, name = line.split("\t")
        found.setdefault(scope, set()).add(name)
    return {scope: frozenset(names) for scope, names in found.items()}


@cache
def canonical_names(family: str) -> Mapping[str, str]:
    """The names that a family of clients has for settings of Kafka, to Kafka's own."""
    return {alias: key.name for key in settings_table().values() for alias in key.aliases.get(family, ())}


@cache
def client_setting_aliases() -> frozenset[str]:
    """Every name that a family of clients has for a setting of Kafka."""
    return frozenset(name for key in settings_table().values() for alias in key.aliases.values() for name in alias)


@cache
def nearest_name(name: str, scopes: tuple[str, ...]) -> str | None:
    """The setting that a misspelt one may mean, or None if none is near."""
    every = sorted(set[str]().union(*(names_by_scope()[scope] for scope in scopes)) | set(OLD))
    found = get_close_matches(name.lower().replace("_", ".").replace("-", "."), every, 1, WINDOW)
    return found[0] if found else None


OLD = {
    "request.required.acks": "acks",
    "message.send.max.retries": "retries",
    "metadata.broker.list": "bootstrap.servers",
    "queue.buffering.max.ms": "linger.ms",
}
"""Names of the Scala producer, which is gone since 2.0; librdkafka has kept some of them."""

GUARANTEE, REPLICAS = "processing.guarantee", "replication.factor"
"""Settings of Kafka Streams that its clients do not take, and that need new brokers (StreamsConfig)."""

GROUP_PROTOCOL = "group.protocol"
"""A setting of Streams and of consumers, which mean different things by it."""
