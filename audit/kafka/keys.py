"""What each setting is, and what it is where nobody states it. The table is `keys.toml`; this file reads and asks it.

`setting_value` answers for a topic, a broker or a client: stated, a default with its source, or unknown with what to
give.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NewType

from ...language.immutable import immutable
from .versions import is_at_least, is_version

Scope = Literal["topic", "broker", "producer", "consumer"]

LARGEST: Mapping[str, int] = {"short": 2**15 - 1, "int": 2**31 - 1, "long": 2**63 - 1}
"""The types of whole numbers, each with its largest."""

NEVER_EMPTY = (*LARGEST, "boolean", "version")
"""Types of settings whose value is refused if it is empty (`ConfigDef.parseType`, `ApiVersionValidator`)."""

WITH_FILES = ("java", "librdkafka")
"""Families of clients that are configured by properties; the others are in their programs, and stated by `--client`."""


KeyName = NewType("KeyName", str)
"""The name of a setting that is declared (`declared_key`)."""

Kept = Literal["text", "word", "number", "names", "host", "path", "counts", "nothing"]
"""As what a setting's value is kept: as written, or where it is plain; the numbers of a placement; not at all."""

PLAIN: Mapping[Kept, str] = {
    "word": r"[A-Za-z0-9.+\-]{1,20}",
    "number": r"-?[0-9]{1,18}",
    "names": r"[A-Za-z][A-Za-z0-9_.:\-, ]{0,199}|[, ]*",
    "host": r"[A-Za-z0-9_.:%\-\[\]]{1,253}",
    "path": r"[A-Za-z0-9_./\-]{1,200}",
    "counts": r"\d+ replicas, \d+ observers|",
    "nothing": r"(?!)",
}
"""What a value looks like that is kept."""


@immutable
class DefaultRow:
    """One default: who has it (`of`: a distribution or a client family), from which version until before which.

    `where` names the part of it that has this default, if others have another: a class, a number of zones.
    `idempotent` is "true" or "false" where only producers that are asked to be idempotent, or that are not, have it.
    With `is_fixed` the client has this value whatever is set.
    """

    of: str
    value: str
    source: str
    since: str = ""
    until: str = ""
    where: str = ""
    idempotent: str = ""
    is_fixed: bool = False


@immutable
class Key:
    """One setting. `broker_names` are its names in server.properties, strongest first; `factors` scale their values.

    `least` is the smallest legal number, `legal` the legal words (`*` at the end stands for anything), empty for any.
    A number may have a fraction for the clients of the families `fractions`. `stored_as` says as what its value is
    kept. With `only_checked` no answer rests on it, and its value keeps a node from starting if it is not legal.
    Brokers, and clients of the settings of clients, define it from the release `since` on and before `until` ("": in
    all of them), and another one does not read it. With `least_of_topic` the least value is that of a topic's setting,
    and a broker takes less. `most` is the largest legal number, and with `any_case` words count in capitals, too.
    """

    name: KeyName
    scopes: tuple[Scope, ...]
    type: Literal["short", "int", "long", "boolean", "string", "list", "version"]
    broker_names: tuple[KeyName, ...]
    factors: tuple[int, ...]
    least: int | None
    legal: tuple[str, ...]
    legal_of: Mapping[str, tuple[str, ...]]
    aliases: Mapping[str, tuple[str, ...]]
    defaults: tuple[DefaultRow, ...]
    fractions: tuple[str, ...] = ()
    stored_as: Kept = "text"
    only_checked: bool = False
    since: str = ""
    until: str = ""
    least_of_topic: bool = False
    most: int | None = None
    any_case: bool = False

    def is_defined(self, kafka: str) -> bool:
        """Whether a release defines it; not where its text leaves that open."""
        if self.since and is_at_least(kafka, self.since) is not True:
            return False
        return not self.until or is_at_least(kafka, self.until) is False


@cache
def _read_keys_table() -> dict[str, Any]:
    return tomllib.loads(files("tidegate.audit.kafka").joinpath("keys.toml").read_text(encoding="utf-8"))


@cache
def settings_table() -> Mapping[str, Key]:
    """Every setting that the audit understands, by Kafka's name for it (the topic's, where it has one)."""
    return {entry["name"]: _parse_key(entry) for entry in _read_keys_table()["key"]}


def _parse_key(text: dict[str, Any]) -> Key:
    names = tuple(KeyName(name) for name in text.get("broker_names", [text["name"]]))
    return Key(
        KeyName(text["name"]),
        tuple(text["scopes"]),
        text["type"],
        names,
        tuple(text.get("factors", [1] * len(names))),
        text.get("least"),
        tuple(text.get("legal", ())),
        {family: tuple(words) for family, words in text.get("legal_of", {}).items()},
        {family: tuple(words) for family, words in text.get("aliases", {}).items()},
        tuple(map(_default_row, text.get("defaults", ()))),
        tuple(text.get("fractions", ())),
        since=text.get("since", ""),
        until=text.get("until", ""),
        least_of_topic=text.get("least_of_topic", False),
        any_case=text.get("any_case", False),
    )


def _default_row(row: Mapping[str, Any]) -> DefaultRow:
    return DefaultRow(**{"is_fixed" if name == "fixed" else name: value for name, value in row.items()})


@cache
def other_settings() -> Mapping[str, Key]:
    """The settings that no answer rests on, by name: a node may not start for them, or they say where it stands."""
    return {name: _parse_other_key(name, entry) for entry in _read_keys_table()["others"] for name in entry["names"]}


def _parse_other_key(name: str, text: dict[str, Any]) -> Key:
    default = text.get("default")
    return Key(
        KeyName(name),
        ("broker",),
        text["type"],
        (KeyName(name),),
        (1,),
        text.get("least"),
        tuple(text.get("legal", ())),
        {},
        {},
        () if default is None else (DefaultRow("apache", default, "kafka.apache.org/39, Broker Configs"),),
        stored_as="word" if text.get("checked") else text["kept"],
        only_checked=text.get("checked", False),
        since=text.get("since", ""),
        until=text.get("until", ""),
        most=text.get("most"),
        any_case=text.get("any_case", False),
    )


@cache
def client_settings() -> Mapping[str, tuple[Key, ...]]:
    """The settings of Java's clients that no answer rests on, and for which a client may not start, by name: one row
    for all releases, or several, each of some."""
    found: dict[str, tuple[Key, ...]] = {}
    for entry in _read_keys_table()["clients"]:
        for name in entry["names"]:
            key = replace(
                _parse_other_key(name, {"kept": "word", **entry}), scopes=tuple(entry["scopes"]), only_checked=True
            )
            found[name] = (*found.get(name, ()), key)
    return found


class UndeclaredKeyError(KeyError):
    """A setting that `keys.toml` does not have: its value would be withheld, and a rule about it would do nothing."""


def declared_key(name: str) -> KeyName:
    """The name of a setting that is asked for, to be called when a module is imported. Raises UndeclaredKeyError."""
    if name not in settings_by_any_name():
        raise UndeclaredKeyError(f"`{name}` is asked for and not in audit/kafka/keys.toml: declare it there")
    return KeyName(name)


@cache
def settings_by_any_name() -> Mapping[str, Key]:
    """Every setting by every name that a file may give it, those of families of clients too."""
    aliases = {name: key for key in settings_table().values() for names in key.aliases.values() for name in names}
    of_clients = {name: rows[-1] for name, rows in client_settings().items()}
    return {**of_clients, **other_settings(), **aliases, **settings_by_name()}


def is_value_kept(name: str, value: str) -> bool:
    """Whether a setting's value is kept as it is: a plain value of what the setting has, and no text that may be
    anything, secrets too."""
    key = settings_by_any_name().get(name)
    if key is None:
        return False
    blank = key.only_checked and not value
    return blank or key.stored_as == "text" or re.fullmatch(PLAIN[key.stored_as], value) is not None


@cache
def settings_by_name() -> Mapping[str, Key]:
    """Every setting by every name that a broker or topic may give it."""
    rows = settings_table().values()
    return {name: _key_under_broker_name(key, name) for key in rows for name in (key.name, *key.broker_names)}


def _key_under_broker_name(key: Key, name: str) -> Key:
    """The setting as brokers have it by a name of theirs: some have a least value of a topic's alone."""
    return replace(key, least=None) if key.least_of_topic and name != key.name else key


@cache
def settings_uncertain_by_distribution() -> Mapping[str, frozenset[str]]:
    """The distributions that run Apache Kafka's code, each with the settings for which its defaults are not certain."""
    return {name: frozenset(but) for name, but in _read_keys_table()["distributions"].items()}


@cache
def wrapped_families() -> Mapping[str, Any]:
    """The families of clients that wrap another one: like which they are, and but for which settings."""
    return _read_keys_table()["families"]


OTHER = "other"
"""The distribution, or the family of clients, that is in no list: none of its defaults is known."""


@cache
def distribution_names() -> frozenset[str]:
    """What `--distribution` may name."""
    rows = {row.of for key in settings_table().values() if {"broker", "topic"} & {*key.scopes} for row in key.defaults}
    return frozenset({*settings_uncertain_by_distribution(), *rows, "cp-server", OTHER})


@cache
def client_families() -> frozenset[str]:
    """What `--client` may name: the families of clients, and those that wrap one."""
    rows = {
        row.of for key in settings_table().values() if {"producer", "consumer"} & {*key.scopes} for row in key.defaults
    }
    return frozenset({*rows, *wrapped_families(), OTHER})


def is_true(value: str) -> bool:
    """Whether Kafka takes a word for true: in any case, with blanks around it (`ConfigDef.parseType`, BOOLEAN)."""
    return value.strip().lower() == "true"


def is_false(value: str) -> bool:
    """Whether Kafka takes a word for false, as `is_true`."""
    return value.strip().lower() == "false"


def canonical_value(key: Key, value: str, family: str | None) -> str:
    """A value as Kafka's clients write it: librdkafka takes words in any case, and four more for true and false
    (rdkafka_conf.c, rd_kafka_anyconf_set_prop), and Sarama's constants have names (async_producer.go, RequiredAcks)."""
    if family == "sarama" and key.name == "acks":
        return {"WaitForAll": "all", "WaitForLocal": "1", "NoResponse": "0"}.get(value.removeprefix("sarama."), value)
    if key.type == "boolean" and (is_true(value) or is_false(value)):
        return value.strip().lower()
    if family != "librdkafka" or key.type not in ("boolean", "string"):
        return value
    if key.type == "boolean":
        return {"t": "true", "1": "true", "f": "false", "0": "false"}.get(value.lower(), value)
    return value.lower() if key.legal else value


def why_illegal(key: Key, value: str, family: str | None = None) -> str:
    """What is wrong with a value, in words, or ''. A value with a placeholder (`${...}`) is not checked."""
    message = "" if "${" in value else _why_value_wrong(key, value, family)
    return f"{message}{_invisible_characters_text(value)}" if message else ""


def _invisible_characters_text(value: str) -> str:
    """What nobody sees in a value: blanks other than the space, and characters without a shape."""
    found = dict.fromkeys(mark for mark in value if mark != " " and (mark.isspace() or not mark.isprintable()))
    named = [f"{unicodedata.name(mark, 'a control character').lower()} (U+{ord(mark):04X})" for mark in found]
    return f": it has {', '.join(named)}" if named else ""


def _why_value_wrong(key: Key, value: str, family: str | None) -> str:
    value = canonical_value(key, value, family)
    if key.type in LARGEST:
        return _why_number_wrong(key, _drop_zero_fraction(value) if family in key.fractions else value)
    if key.type == "boolean":
        return "" if value in ("true", "false") else "is neither true nor false"
    if key.type == "version":
        return "" if re.match(r"\d", value) and is_version(value) else "is not a version"
    legal = key.legal_of.get(family or "", key.legal)
    value = value.lower() if key.any_case else value
    words = [word.strip() for word in value.split(",")] if key.type == "list" else [value]
    bad = [w for w in words if legal and not any(_matches_word_pattern(w, text) for text in legal)]
    return f"is not one of {', '.join(legal)}" if bad and value else ""


def is_never_blank(key: Key) -> bool:
    """Whether a client refuses it with an empty value: one of several words, or a number (ConfigDef, ValidString)."""
    return key.type in NEVER_EMPTY or (key.type == "string" and bool(key.legal) and "" not in key.legal)


def _drop_zero_fraction(value: str) -> str:
    """A number without its fraction, if that is one."""
    whole, _, fraction = value.partition(".")
    return whole if re.fullmatch(r"\d*", fraction, re.ASCII) else value


def _why_number_wrong(key: Key, value: str) -> str:
    if not re.fullmatch(r"[+-]?\d{1,19}", value):
        return "is not a whole number"
    most = LARGEST[key.type]
    if int(value) > most:
        return f"is above {most}, the largest {key.type}"
    if int(value) < -most - 1:
        return f"is below {-most - 1}, the least {key.type}"
    if key.most is not None and int(value) > key.most:
        return f"is above {key.most}, the largest that is legal"
    return f"is below {key.least}, the least that is legal" if key.least is not None and int(value) < key.least else ""


def _matches_word_pattern(word: str, pattern: str) -> bool:
    return word.startswith(pattern[:-1]) if pattern.endswith("*") else word == pattern
