"""Properties of programs that run Kafka's clients for others: Connect's workers, Streams applications, MirrorMaker 2.

What is set with `producer.` and `consumer.` is their clients'; the topics that they create for themselves are asked
about like any other. Sources: `Worker`, `DistributedConfig`, `MirrorSourceConfig`, `StreamsConfig`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Literal

from ...cluster.cluster import Client, Topic, TopicUse
from ...cluster.statements import Origin, Setting, StatedValue
from ...kafka import key_names
from ..parsed_file import Part

STORAGE = ("offset.storage", "config.storage", "status.storage")
STORAGE_REPLICAS = "3"
"""Of Connect's topics, where nothing is set (`DistributedConfig`)."""

MIRRORS: Mapping[str, tuple[str, str]] = {
    "heartbeats": ("heartbeats.topic.replication.factor", "3"),
    "(checkpoints of MirrorMaker)": ("checkpoints.topic.replication.factor", "3"),
    "(offset syncs of MirrorMaker)": ("offset-syncs.topic.replication.factor", "3"),
    "(topics that MirrorMaker mirrors)": ("replication.factor", "2"),
}
"""The topics that MirrorMaker creates, each with its setting for the replicas and the default of it."""

_PRODUCER = {"acks": "all", "enable.idempotence": "false", "max.in.flight.requests.per.connection": "1"}
_CONSUMER = {"auto.offset.reset": "earliest", "enable.auto.commit": "false"}
"""What Connect sets for its clients by itself (`Worker.baseProducerConfigs`, `baseConsumerConfigs`)."""

_EXACTLY_ONCE = ("exactly_once", "exactly_once_beta", "exactly_once_v2")


def read_workers(path: str, settings: Sequence[Setting]) -> Part | None:
    """The properties of one of these programs; None if they are of none."""
    by_key = {setting.key: setting for setting in settings}
    if "clusters" in by_key and any(text.endswith(".bootstrap.servers") for text in by_key):
        return _part_of_mirrors(path, settings)
    if "application.id" in by_key:
        return _part_of_streams(path, settings, by_key)
    if any(f"{prefix}.topic" in by_key for prefix in STORAGE) or (
        "offset.storage.file.filename" in by_key or {"key.converter", "value.converter"} <= by_key.keys()
    ):
        return part_of_worker(path, settings)
    return None


def part_of_worker(path: str, settings: Sequence[Setting]) -> Part:
    """A worker of Connect, wherever its settings stand."""
    by_key = {setting.key: setting for setting in settings}
    part = Part("Connect worker properties")
    asked = by_key.get("exactly.once.source.support")
    exactly = (
        _exactly_once_producer_settings(by_key, asked.origin)
        if asked is not None and asked.value.lower() == "enabled"
        else []
    )
    _add_worker_clients(part, path, settings, "Kafka Connect runs the Java client", exactly)
    for prefix in STORAGE:
        topic = by_key.get(f"{prefix}.topic")
        if topic is not None and topic.value:
            own = [setting for setting in settings if setting.key.startswith(f"{prefix}.") and setting.key != topic.key]
            topical = tuple(Setting(setting.key[len(prefix) + 1 :], setting.value, setting.origin) for setting in own)
            factor = by_key.get(f"{prefix}.replication.factor")
            add_topic(part, topic.value, topic.origin, factor, STORAGE_REPLICAS, topical)
    return part


def _exactly_once_producer_settings(setting_by_key: Mapping[str, Setting], where: Origin) -> list[Setting]:
    """What Connect sets for the producers of source connectors whatever is stated, where it is to write exactly once
    (KIP-618, since 3.3; `Worker.exactlyOnceSourceTaskProducerConfigs`). With `preparing` it does not yet."""
    group = setting_by_key.get("group.id")
    return [
        Setting("enable.idempotence", "true", where),
        Setting("transactional.id", f"{'' if group is None else group.value}-(connector)-(task)", where),
    ]


def _part_of_mirrors(path: str, settings: Sequence[Setting]) -> Part:
    """A file for several clusters. Which of them is audited it does not say: the topics are those of each target."""
    part = Part("MirrorMaker properties")
    _add_worker_clients(part, path, settings, "MirrorMaker runs the Java client")
    add_mirror_topics(part, Origin(path), settings)
    return part


def add_mirror_topics(part: Part, where: Origin, settings: Sequence[Setting], which: str = "") -> None:
    """The topics that MirrorMaker creates; `which` is what the settings for their replicas begin with."""
    for name, (key, default) in MIRRORS.items():
        if re.match(which, key) is None:
            continue
        pattern = re.compile(rf"(?:[^.]+->[^.]+\.)?{re.escape(key)}")
        stated = [setting for setting in settings if pattern.fullmatch(setting.key)]
        least = min(stated, key=lambda setting: _small_number(setting.value), default=None)
        add_topic(part, name, where if least is None else least.origin, least, default, ())


def _part_of_streams(path: str, settings: Sequence[Setting], setting_by_key: Mapping[str, Setting]) -> Part:
    part = Part("Streams properties")
    name, application = PurePath(path).name, setting_by_key["application.id"]
    for kind in ("producer", "consumer"):
        mine = [
            setting for setting in settings if not re.match(r"(producer|consumer|main\.consumer|admin)\.", setting.key)
        ]
        prefixed = [setting for setting in settings if setting.key.startswith((f"{kind}.", f"main.{kind}."))]
        stripped = [
            Setting(setting.key.rpartition(f"{kind}.")[2], setting.value, setting.origin) for setting in prefixed
        ]
        once = [
            setting for setting in settings if setting.key == key_names.GUARANTEE and setting.value in _EXACTLY_ONCE
        ]
        exactly = [
            setting for asked in once[-1:] for setting in _exactly_once_settings(kind, application.value, asked.origin)
        ]
        first, last = (
            _streams_consumer_settings(path)
            if kind == "consumer"
            else (_transaction_timeout_settings(path) if once else [], [])
        )
        asked = [setting_by_key[key] for key in (key_names.GUARANTEE, key_names.REPLICAS) if key in setting_by_key]
        given = [*first, *_settings_of_clients(mine, kind), *stripped, *exactly, *last, *asked]
        given = [setting for setting in given if setting.key != key_names.GROUP_PROTOCOL]
        _add_embedded_client(part, path, kind, given, "Streams runs the Java client")
    protocols = tuple(setting for setting in settings if _PROTOCOL_OF_STREAMS.fullmatch(setting.key))
    part.clients = [replace(one, of_streams=protocols) if one.kind == "consumer" else one for one in part.clients]
    pattern = f"{re.escape(application.value)}-.*-(changelog|repartition)"
    part.uses.append(TopicUse("topic", pattern, application.origin, (name,)))
    factor = setting_by_key.get(key_names.REPLICAS)
    where = application.origin if factor is None else factor.origin
    add_topic(part, f"{application.value}{CHANGELOG}", where, factor, "-1", (), writes_with_all=False)
    if factor is None:
        part.created_topics = [replace(topic, streams=path) for topic in part.created_topics]
    return part


_PROTOCOL_OF_STREAMS = re.compile(rf"((main\.)?consumer\.)?{re.escape(key_names.GROUP_PROTOCOL)}")


def _exactly_once_settings(kind: str, application: str, where: Origin) -> list[Setting]:
    """What Streams sets whatever is stated for its clients, where it is to process exactly once: its producers write
    transactions, with ids that begin with the application's (NON_CONFIGURABLE_PRODUCER_EOS_CONFIGS)."""
    if kind == "consumer":
        return [Setting("isolation.level", "read_committed", where)]
    return [
        Setting("enable.idempotence", "true", where),
        Setting("transactional.id", f"{application}-(instance)", where),
    ]


def _transaction_timeout_settings(path: str) -> list[Setting]:
    """How long a transaction of Streams takes at most, unless it is stated (StreamsConfig, DEFAULT_TRANSACTION_TIMEOUT,
    since 2.6; before that it is the producer's own default)."""
    return [Setting("transaction.timeout.ms", "10000", Origin(path, None, "StreamsConfig"))]


CHANGELOG = "-(store)-changelog"
"""What the name of a store's topic ends with, the store being whatever the application calls it."""


def _streams_consumer_settings(path: str) -> tuple[list[Setting], list[Setting]]:
    """What Streams sets for its consumers: where they begin, unless it is stated, and that nothing commits by a clock,
    whatever is stated (StreamsConfig, CONSUMER_DEFAULT_OVERRIDES and NON_CONFIGURABLE_CONSUMER_DEFAULT_CONFIGS)."""
    where = Origin(path, None, "StreamsConfig")
    return [Setting("auto.offset.reset", "earliest", where)], [Setting("enable.auto.commit", "false", where)]


def _settings_of_clients(settings: Sequence[Setting], kind: str) -> list[Setting]:
    """What of the application's own settings its clients take too."""
    return [setting for setting in settings if setting.key in key_names.names_by_scope()[kind]]


def _add_worker_clients(
    part: Part, path: str, settings: Sequence[Setting], why: str, exactly: Sequence[Setting] = ()
) -> None:
    for kind, base in (("producer", _PRODUCER), ("consumer", _CONSUMER)):
        given = [Setting(key, value, Origin(path, None, "Worker")) for key, value in base.items()]
        prefix = re.compile(rf"(?:.*\.)?{kind}\.(?:override\.)?")
        for setting in sorted(settings, key=_acks_weakness):
            found = prefix.match(setting.key)
            if found:
                given.append(Setting(setting.key[found.end() :], setting.value, setting.origin))
        overridden = {setting.key for setting in given if setting.origin.line is not None}
        kept = [setting for setting in given if setting.origin.line is not None or setting.key not in overridden]
        _add_embedded_client(part, path, kind, [*kept, *(exactly if kind == "producer" else ())], why)


def _acks_weakness(setting: Setting) -> int:
    """The order in which the last one counts: of several clusters or clients in one file, the weakest acks."""
    weakest_last = ("all", "-1", "1", "0")
    known = setting.key.endswith(".acks") and setting.value in weakest_last
    return weakest_last.index(setting.value) if known else 0


def _add_embedded_client(part: Part, path: str, kind: str, settings: Sequence[Setting], why: str) -> None:
    part.clients.append(replace(java_client(path, PurePath(path).name, kind, settings, why), is_embedded=True))


def java_client(path: str, name: str, kind: str, settings: Sequence[Setting], why: str) -> Client:
    """A producer or consumer of the Java client; settings may be written with its kind before them."""
    word: Literal["producer", "consumer"] = "producer" if kind == "producer" else "consumer"
    family = StatedValue("java", Origin(path), why)
    bare = tuple(replace(setting, key=setting.key.removeprefix(f"{kind}.")) for setting in settings)
    return Client(name, word, Origin(path), family, None, bare)


def add_topic(
    part: Part,
    name: str,
    origin: Origin,
    factor: Setting | None,
    default: str,
    settings: tuple[Setting, ...],
    *,
    writes_with_all: bool = True,
) -> None:
    """A topic that the program creates; -1 replicas are the brokers' default. `writes_with_all`: it writes it with
    acks=all whatever is set for its producers."""
    number = _small_number(factor.value if factor is not None else default)
    part.created_topics.append(
        Topic(
            name,
            origin,
            replication_factor=number if number > 0 else None,
            settings=settings,
            is_made_by_program=writes_with_all,
        )
    )


def _small_number(text: str) -> int:
    return int(text) if re.fullmatch(r"-?\d{1,4}", text) else -1
