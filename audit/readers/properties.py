"""Java properties: server.properties of brokers and controllers, and those of producers and consumers.

javaproperties reads them: it keeps each entry's source text, so that lines are exact even after continuations.
(jproperties keeps no positions.)
"""

from __future__ import annotations

import io
import re
from pathlib import PurePath

import javaproperties

from ..cluster.cluster import Client
from ..cluster.statements import MARK, Origin, Setting, StatedValue
from ..kafka import key_names
from .broker_properties import BROKER_MARKS, broker_part
from .parsed_file import Part, decode_as_latin
from .programs import connect, frameworks, spring_names, spring_profiles, workers
from .programs.spring_profiles import part_of_spring_settings

PLAUSIBLE = re.compile(r"[A-Za-z0-9_.\-\[\]$>]{1,200}")
BLANKS = "".join(map(chr, range(33)))
"""What `String.trim` of Java takes away: a blank that does not break, which editors paste, is none of them."""


def property_entries(path: str, text: str) -> tuple[list[Setting], list[Origin]]:
    """The settings of a properties file, and the places of lines that are none. ValueError for a bad escape."""
    found: list[Setting] = []
    odd: list[Origin] = []
    line = 1
    for entry in javaproperties.parse(io.StringIO(decode_as_latin(text), newline="")):
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


def read_properties(path: str, text: str) -> Part | None:
    """A properties file of a broker, a controller or clients; None if it is none of these."""
    try:
        settings, odd = property_entries(path, text)
    except ValueError as error:
        part = Part("properties")
        part.note(
            "not_read", "error", f"{path} is not a properties file: {type(error).__name__}", Origin(path), "correct it"
        )
        return part
    return part_of_settings(path, settings, odd, text)


def part_of_settings(path: str, settings: list[Setting], odd: list[Origin], text: str = "") -> Part | None:
    """What a list of settings is, by the keys in it and the file's name."""
    keys = {spring_names.documented_spelling(setting.key) for setting in settings}
    part: Part | None = None
    if (framework := frameworks.framework_of_keys(keys | frameworks.keys_without_profile(text))) and not any(
        key.startswith("spring.kafka.") for key in keys
    ):
        return frameworks.unread_clients(path, framework)
    if any(key.startswith("spring.kafka.") for key in keys):
        part = part_of_spring_settings(path, spring_profiles.spring_line_settings(settings, text))
        if framework:
            part.findings += frameworks.unread_clients(path, framework).findings
    elif connect.CLASS in keys:
        part = connect.connector_of_lines(path, settings)
    elif (part := workers.read_workers(path, settings)) is not None:
        pass
    elif keys & BROKER_MARKS or "server" in PurePath(path).stem or _key_counts_by_role(keys)["broker"] > 0:
        part = broker_part(path, settings, text)
    elif kinds := client_kinds(path, keys):
        part = part_of_clients(path, settings, kinds)
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


def _key_counts_by_role(keys: set[str]) -> dict[str, int]:
    """How many keys only a broker, only a producer, only a consumer has."""
    every = key_names.names_by_scope()
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
    scores = _key_counts_by_role(keys)
    if keys & PRODUCER_ONLY:
        scores["producer"] += 1
    kinds = tuple(kind for kind in ("producer", "consumer") if scores[kind])
    if kinds:
        return kinds
    stem = PurePath(path).stem.lower()
    known = key_names.names_by_scope()
    named = tuple(kind for kind in ("producer", "consumer") if kind in stem)
    return named if keys & (known["producer"] | known["consumer"] | known["librdkafka"]) or named else ()


def part_of_clients(path: str, settings: list[Setting], kinds: tuple[str, ...]) -> Part:
    """A client's own file. Its family is stated only by keys and classes that no other family has."""
    part = Part(" and ".join(kinds) + " properties")
    family = client_family_of_settings(settings)
    stem = PurePath(path).name
    for kind in kinds:
        word = "producer" if kind == "producer" else "consumer"
        part.clients.append(Client(stem, word, Origin(path), family, None, tuple(settings)))
    return part


def client_family_of_settings(settings: list[Setting]) -> StatedValue | None:
    """Java's serializers are classes of Java; some keys are librdkafka's alone."""
    every = key_names.names_by_scope()
    java = every["producer"] | every["consumer"]
    only_java = java - every["librdkafka"]
    only_rd = every["librdkafka"] - java - every["broker"]
    for setting in settings:
        if setting.key in ("key.serializer", "value.serializer", "key.deserializer", "value.deserializer"):
            return StatedValue("java", setting.origin, f"`{setting.key}` is a setting of the Java client")
    marks = [("java", setting) for setting in settings if setting.key in only_java]
    marks += [
        ("librdkafka", setting) for setting in settings if setting.key in only_rd and setting.key not in PRODUCER_ONLY
    ]
    families = {family for family, _ in marks}
    if len(families) != 1:
        return None
    family, mark = marks[0]
    return StatedValue(family, mark.origin, f"`{mark.key}` is a setting of the {family} client alone")
