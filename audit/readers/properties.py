"""Java properties: server.properties of brokers and controllers, and those of producers and consumers.

javaproperties reads them: it keeps each entry's source text, so that lines are exact even after continuations.
(jproperties keeps no positions.)
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Literal

import javaproperties

from ..cluster.cluster import Broker, Client, Role
from ..cluster.statements import MARK, Origin, Setting, Stated
from ..kafka import key_names as names
from .parsed_file import Part, in_latin
from .programs import connect, frameworks, workers
from .programs import spring_names as relaxed
from .programs import spring_profiles as profiles

BROKER_MARKS = frozenset(
    {"broker.id", "node.id", "process.roles", "zookeeper.connect", "log.dirs", "log.dir", "controller.quorum.voters"}
)
PLAUSIBLE = re.compile(r"[A-Za-z0-9_.\-\[\]$>]{1,200}")
BLANKS = "".join(map(chr, range(33)))
"""What `String.trim` of Java takes away: a blank that does not break, which editors paste, is none of them."""

VERSION_KEYS = {"inter.broker.protocol.version": "inter_broker_protocol"}


def entries(path: str, text: str) -> tuple[list[Setting], list[Origin]]:
    """The settings of a properties file, and the places of lines that are none. ValueError for a bad escape."""
    found: list[Setting] = []
    odd: list[Origin] = []
    line = 1
    for entry in javaproperties.parse(io.StringIO(in_latin(text), newline="")):
        source = entry.source.replace("\r\n", "\n").replace("\r", "\n")
        if isinstance(entry, javaproperties.KeyValue):
            origin = Origin(path, line)
            separated = re.search(r"[=:]|\S\s+\S", source) is not None
            if PLAUSIBLE.fullmatch(entry.key.removeprefix(MARK)) and separated:
                found.append(Setting(entry.key, entry.value.strip(BLANKS), origin))
            else:
                odd.append(origin)
        line += source.count("\n")
    return found, odd


def read(path: str, text: str) -> Part | None:
    """A properties file of a broker, a controller or clients; None if it is none of these."""
    try:
        settings, odd = entries(path, text)
    except ValueError as error:
        part = Part("properties")
        part.note(
            "not_read", "error", f"{path} is not a properties file: {type(error).__name__}", Origin(path), "correct it"
        )
        return part
    return of_settings(path, settings, odd, text)


def of_settings(path: str, settings: list[Setting], odd: list[Origin], text: str = "") -> Part | None:
    """What a list of settings is, by the keys in it and the file's name."""
    keys = {relaxed.spelt(setting.key) for setting in settings}
    part: Part | None = None
    if (framework := frameworks.of(keys | frameworks.with_profile(text))) and not any(
        key.startswith("spring.kafka.") for key in keys
    ):
        return frameworks.unread(path, framework)
    if any(key.startswith("spring.kafka.") for key in keys):
        part = spring(path, profiles.of_lines(settings, text))
        if framework:
            part.findings += frameworks.unread(path, framework).findings
    elif connect.CLASS in keys:
        part = connect.of_lines(path, settings)
    elif (part := workers.read(path, settings)) is not None:
        pass
    elif keys & BROKER_MARKS or "server" in PurePath(path).stem or _scores(keys)["broker"] > 0:
        part = of_broker(path, settings, text)
    elif kinds := client_kinds(path, keys):
        part = of_clients(path, settings, kinds)
    if part is not None:
        for origin in odd:
            part.note(
                "not_read",
                "warning",
                "a line that is not of the form `key=value`",
                origin,
                "correct or remove the line",
            )
    return part


def _scores(keys: set[str]) -> dict[str, int]:
    """How many keys only a broker, only a producer, only a consumer has."""
    every = names.by_scope()
    others = {
        scope: set[str]().union(*(v for k, v in every.items() if k not in (scope, "librdkafka"))) for scope in every
    }
    rd = every["librdkafka"]
    scores = {scope: len({k for k in keys if k in every[scope] and k not in others[scope]}) for scope in SCOPES}
    if scores["broker"] and keys & rd and not keys & BROKER_MARKS:
        scores["broker"] = len({k for k in keys if k in every["broker"] - rd and k not in others["broker"]})
    return scores


SCOPES = ("broker", "producer", "consumer")
PRODUCER_ONLY = frozenset({"request.required.acks", "message.send.max.retries", "queue.buffering.max.ms"})


def client_kinds(path: str, keys: set[str]) -> tuple[str, ...]:
    """Which clients a file configures: by keys that only one of them has, else by the file's name."""
    scores = _scores(keys)
    if keys & PRODUCER_ONLY:
        scores["producer"] += 1
    kinds = tuple(kind for kind in ("producer", "consumer") if scores[kind])
    if kinds:
        return kinds
    stem = PurePath(path).stem.lower()
    known = names.by_scope()
    named = tuple(kind for kind in ("producer", "consumer") if kind in stem)
    return named if keys & (known["producer"] | known["consumer"] | known["librdkafka"]) or named else ()


def of_broker(path: str, settings: list[Setting], text: str = "") -> Part:
    """A broker's or controller's own file."""
    part = Part("server.properties")
    by_key = {setting.key: setting for setting in settings}
    roles = by_key.get("process.roles")
    part.control_plane = "kraft" if roles else ("zookeeper" if "zookeeper.connect" in by_key else None)
    part.brokers.append(broker_of(settings, Origin(path)))
    for key, fact in VERSION_KEYS.items():
        if key in by_key:
            part.fact(fact, by_key[key].value, by_key[key].origin)
    _distribution_of(part, path, text, settings)
    return part


def broker_of(settings: Sequence[Setting], origin: Origin) -> Broker:
    """A node as its static settings make it. Without `process.roles` it is a broker of ZooKeeper's time."""
    by_key = {setting.key: setting for setting in settings if setting.value}
    number = by_key.get("node.id", by_key.get("broker.id"))
    roles = by_key.get("process.roles")
    rack = by_key.get("broker.rack")
    words = tuple(word.strip() for word in roles.value.split(",")) if roles else ()
    names_of_roles: tuple[Role, ...] = tuple(role for role in ("broker", "controller") if role in words)
    if "zookeeper.connect" in by_key and not words:
        names_of_roles = ("broker",)
    return Broker(
        int(number.value) if number and re.fullmatch(r"\d{1,9}", number.value) else None,
        origin,
        host=host_of(by_key),
        rack=Stated(rack.value, rack.origin) if rack and "${" not in rack.value else None,
        roles=names_of_roles,
        settings=tuple(settings),
    )


def _distribution_of(part: Part, path: str, text: str, settings: list[Setting]) -> None:
    """Whose Kafka the broker runs. Apache's own sample files say so in their first lines. A managed service does not
    let its customers set a node's id, roles, log directories or quorum: who states these runs the broker, and Apache's
    defaults hold unless a platform's own keys, another file or an option says otherwise."""
    if any(setting.key.startswith("confluent.") for setting in settings):
        return
    if "Licensed to the Apache Software Foundation" in text[:600]:
        assumed = "the file carries Apache's header, so the broker runs Apache Kafka's code"
        part.fact("distribution", "apache", Origin(path, 1), assumed)
        return
    own = next((setting for setting in settings if setting.key in BROKER_MARKS), None)
    if own is not None:
        assumed = f"a file with `{own.key}` is of a broker that you run yourself, and it runs Apache Kafka's code"
        part.fact("distribution_of_own_file", "apache", own.origin, assumed)


def host_of(by_key: dict[str, Setting]) -> str | None:
    """The host that a broker advertises to its clients, or None."""
    for key in ("advertised.listeners", "listeners", "advertised.host.name", "host.name"):
        if key in by_key:
            found = re.search(r"(?:^|://)([A-Za-z0-9.\-]+)(?::\d+)?", by_key[key].value)
            if found and found[1] not in ("0.0.0.0", ""):
                return found[1]
    return None


def of_clients(path: str, settings: list[Setting], kinds: tuple[str, ...]) -> Part:
    """A client's own file. Its family is stated only by keys and classes that no other family has."""
    part = Part(" and ".join(kinds) + " properties")
    family = family_of(settings)
    stem = PurePath(path).name
    for kind in kinds:
        word = "producer" if kind == "producer" else "consumer"
        part.clients.append(Client(stem, word, Origin(path), family, None, tuple(settings)))
    return part


def family_of(settings: list[Setting]) -> Stated | None:
    """Java's serializers are classes of Java; some keys are librdkafka's alone."""
    every = names.by_scope()
    java = every["producer"] | every["consumer"]
    only_java = java - every["librdkafka"]
    only_rd = every["librdkafka"] - java - every["broker"]
    for setting in settings:
        if setting.key in ("key.serializer", "value.serializer", "key.deserializer", "value.deserializer"):
            return Stated("java", setting.origin, f"`{setting.key}` is a setting of the Java client")
    marks = [("java", setting) for setting in settings if setting.key in only_java]
    marks += [
        ("librdkafka", setting) for setting in settings if setting.key in only_rd and setting.key not in PRODUCER_ONLY
    ]
    families = {family for family, _ in marks}
    if len(families) != 1:
        return None
    family, mark = marks[0]
    return Stated(family, mark.origin, f"`{mark.key}` is a setting of the {family} client alone")


UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "": 1}


def spring(path: str, given: Sequence[Setting], *, whole: bool = True) -> Part:
    """Spring Boot's `spring.kafka.producer.*` and `spring.kafka.consumer.*`, and the properties of both, which make a
    client where they are a producer's, or a consumer's. `whole`: where nothing is, the application has both."""
    part = Part("Spring Boot properties")
    settings = [replace(setting, key=relaxed.spelt(setting.key)) for setting in given]
    kinds = _kinds(settings, whole=whole)
    settings = list(_bound(settings, part))
    for kind in kinds:
        mine = [_of_spring(setting, kind) for setting in settings if _prefix(setting.key, kind) is not None]
        mine.sort(key=relaxed.rank)
        origin = Origin(path)
        where = mine[0].origin if mine else origin
        family = Stated("spring", where, "Spring's client is the Java client with defaults of its own")
        every = (*mine, *profiles.of_the_application(settings))
        part.clients.append(Client(PurePath(path).name, kind, origin, family, None, every))
    for setting in settings if part.clients else ():
        if profiles.IMPORT.fullmatch(setting.key):
            what = f"`{setting.key}` names configuration that replaces what this file sets, and it was not read"
            part.note("incomplete", "error", what, setting.origin, profiles.IN_FORCE, profiles.EXTERNAL)
    streams = next((setting for setting in settings if setting.key.startswith("spring.kafka.streams.")), None)
    if streams is not None:
        what = f"`{streams.key}` sets up Kafka Streams, whose settings in Spring's files are not read"
        part.note("incomplete", "error", what, streams.origin, profiles.IN_FORCE, profiles.EXTERNAL)
    return part


def _bound(settings: Sequence[Setting], part: Part) -> Iterator[Setting]:
    """The settings without those that Spring Boot binds to nothing, each of which is named."""
    for setting in settings:
        own = re.match(r"spring\.kafka\.(producer|consumer)\.(?!properties[.\[])(.+)", setting.key)
        if own is None or relaxed.is_bound(own[2], own[1]):
            yield setting
            continue
        what = (
            f"`{setting.key}` has no effect: Spring Boot has no such setting, and what an application reads itself is "
            "not known here"
        )
        to_do = f"write Kafka's own name below spring.kafka.{own[1]}.properties"
        part.note("unknown_key", "warning", what, setting.origin, to_do, "Spring Boot, KafkaProperties")


KINDS: tuple[Literal["producer", "consumer"], ...] = ("producer", "consumer")


def _kinds(settings: Sequence[Setting], *, whole: bool) -> Sequence[Literal["producer", "consumer"]]:
    """Which clients an application has: those with settings of their own, and those that common settings are about."""
    own = {kind for kind in KINDS if any(setting.key.startswith(f"spring.kafka.{kind}.") for setting in settings)}
    common = {_of_spring(s, "").key for s in settings if _prefix(s.key, "") is not None}
    every = names.by_scope()
    for kind, other in (KINDS, KINDS[::-1]):
        own |= {kind} if common & (every[kind] - every[other]) else set()
    if not own and whole and any(setting.key.startswith("spring.kafka.") for setting in settings):
        streams = all(re.match(r"spring\.kafka\.(streams|admin)\.", s.key) for s in settings if "kafka" in s.key)
        return () if streams else KINDS
    return tuple(kind for kind in KINDS if kind in own)


def _prefix(key: str, kind: str) -> str | None:
    """What stands before the name of Kafka's in a setting of this kind of clients, or of all."""
    base = f"spring.kafka.{kind}." if kind else "spring.kafka.properties."
    every = (f"{base}properties.", f"{base}properties[", base, "spring.kafka.properties.", "spring.kafka.properties[")
    return next((prefix for prefix in every if key.startswith(prefix)), None)


def _of_spring(setting: Setting, kind: str) -> Setting:
    prefix = _prefix(setting.key, kind) or ""
    name, origin = setting.key[len(prefix) :], setting.origin
    if not relaxed.PLACED.search(origin.place):
        origin = replace(origin, place=setting.key)
    if "properties" in prefix:
        return replace(setting, key=name.strip("[]"), origin=origin)
    key, value = relaxed.of_kafka(name), setting.value
    length = re.fullmatch(r"(\d{1,12})\s*(ms|s|m|h|d|)", value)
    if key.endswith(".ms") and length:
        value = str(int(length[1]) * UNITS[length[2]])
    if key == "isolation.level":
        value = value.lower().replace("-", "_")
    return replace(setting, key=key, value=value, origin=origin)
