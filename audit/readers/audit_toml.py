"""audit.toml: which clients write and read which topics, which of them matter most, and what must hold of them; whether
pods of brokers are on nodes of their own, where no manifest says so, the services of several compose files on computers
of their own; and in which racks nodes and ZooKeeper's servers stand.

[topic."payments.*"]
producer = "pay.properties"
consumer = ["ledger.properties"]
critical = true
require = "strict"

[group.billing]
consumer = "billing.properties"

[pods]
nodes = "apart"

[services]
computers = "apart"

[spring]
profiles = ["prod", "eu"]

[racks]
"zk1.example" = "a"
101 = "b"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any, Literal, cast

from ..cluster.cluster import TopicUse
from ..cluster.statements import Origin, StatedValue, UnreadableInputError
from .parsed_file import Part
from .programs.active_profiles import SAID

FIELDS: Mapping[str, frozenset[str]] = {
    "topic": frozenset({"producer", "producers", "consumer", "consumers", "critical", "require"}),
    "group": frozenset({"producer", "producers", "consumer", "consumers", "critical"}),
}
PLACES = {"pods": "nodes", "services": "computers"}
"""What may run on one machine or on several, and the word for these."""


SECTIONS = ("topic", "group", "pods", "services", "spring", "racks")


def is_recognised(path: str, text: str) -> bool:
    """Whether a file in TOML is a mapping, by its name or a section."""
    named = re.search(r"audit[^/]*\.toml$", path) is not None
    return named or re.search(rf"^\s*\[\s*({'|'.join(SECTIONS)})\b", text, re.M) is not None


def read_audit_toml(path: str, text: str) -> Part:
    """The mapping. Raises UnreadableInputError for what is no TOML: what is not understood must not be left out."""
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UnreadableInputError(f"{path}: {error}. Correct its TOML; see `tidegate audit --help`.") from None
    part = Part("audit.toml")
    for subject, entries in document.items():
        if subject in PLACES:
            _read_placement(part, path, text, subject, entries)
            continue
        if subject == "spring":
            _read_active_profiles(part, path, text, entries)
            continue
        if subject == "racks":
            _read_racks(part, path, text, entries)
            continue
        if subject not in ("topic", "group") or not _is_table(entries):
            where = Origin(path, first_line_with(text, subject))
            part.note(
                "incomplete",
                "error",
                f"`{subject}` is not a section of audit.toml",
                where,
                "topic, group, pods, services, racks or spring",
            )
            continue
        for pattern, entry in _as_table(entries).items():
            _read_use_entry(part, path, text, "topic" if subject == "topic" else "group", pattern, entry)
    return part


def _read_placement(part: Part, path: str, text: str, section: str, entries: Any) -> None:
    """Raises UnreadableInputError for what is no answer."""
    word = PLACES[section]
    origin = Origin(path, first_line_with(text, word), section)
    found = _as_table(entries) if _is_table(entries) else {}
    if set(found) != {word} or found[word] not in ("apart", "shared"):
        raise UnreadableInputError(f'{origin}: [{section}] has one line: {word} = "apart", or {word} = "shared".')
    part.fact(word, str(found[word]), origin)


def _read_active_profiles(part: Part, path: str, text: str, entries: Any) -> None:
    """Raises UnreadableInputError for what is no list of profiles."""
    origin = Origin(path, first_line_with(text, "profiles"), "spring")
    found = _as_table(entries) if _is_table(entries) else {}
    names = _as_list(found.get("profiles", []))
    if set(found) != {"profiles"} or not names or not all(isinstance(name, str) and name for name in names):
        raise UnreadableInputError(
            f'{origin}: [spring] has one line: profiles = ["prod"], those that are active, in order.'
        )
    part.fact(SAID, ",".join(map(str, names)), origin)


def _read_racks(part: Part, path: str, text: str, entries: Any) -> None:
    """Raises UnreadableInputError for what names no rack."""
    found = _as_table(entries) if _is_table(entries) else {"": None}
    for name, rack in found.items():
        origin = Origin(path, first_line_with(text, name or "racks"), "racks")
        if not isinstance(rack, str) or not rack:
            raise UnreadableInputError(
                f'{origin}: [racks] has lines such as "zk1" = "a": a host or an id, and its rack.'
            )
        part.racks[name] = StatedValue(rack, origin)


def _read_use_entry(
    part: Part, path: str, text: str, subject: Literal["topic", "group"], pattern: str, entry: Any
) -> None:
    origin = Origin(path, first_line_with(text, pattern), f"{subject}.{pattern}")
    if not _is_table(entry):
        raise UnreadableInputError(f"{origin}: {subject}.{pattern} is not a table. Write [{subject}.{pattern!r}].")
    try:
        re.compile(pattern)
    except re.error as error:
        raise UnreadableInputError(f"{origin}: `{pattern}` is not a regular expression: {error}.") from None
    fields = _as_table(entry)
    for name in sorted(set(fields) - FIELDS[subject]):
        to_do = f"one of {sorted(FIELDS[subject])}"
        part.note("incomplete", "error", f"`{name}` is not a field of {subject}", origin, to_do)
    part.uses.append(
        TopicUse(
            subject,
            pattern,
            origin,
            _client_names(fields, "producer", origin),
            _client_names(fields, "consumer", origin),
            _critical_flag(fields, origin),
            _stated_requirements(fields, origin),
        )
    )


def _client_names(fields: dict[str, Any], word: str, origin: Origin) -> tuple[str, ...]:
    found: list[str] = []
    for name in (word, word + "s"):
        value = fields.get(name, [])
        for file in _as_list(value):
            if not isinstance(file, str):
                raise UnreadableInputError(f"{origin}: `{name}` is a file's name, or a list of them.")
            found.append(file)
    return tuple(found)


def _stated_requirements(fields: dict[str, Any], origin: Origin) -> tuple[str, ...]:
    """What must hold, as it is written: a requirement that is not known is refused where it is asked."""
    stated = _as_list(fields.get("require", []))
    if not all(isinstance(text, str) for text in stated) or ("require" in fields and not stated):
        raise UnreadableInputError(f"{origin}: `require` is a text that --require takes, or a list of them.")
    return tuple(map(str, stated))


def _critical_flag(fields: dict[str, Any], origin: Origin) -> bool:
    value = fields.get("critical", False)
    if not isinstance(value, bool):
        raise UnreadableInputError(f"{origin}: `critical` is true or false.")
    return value


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _as_table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value)  # TOML's keys are strings


def _as_list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else [value]


def first_line_with(text: str, word: str) -> int | None:
    """The first line that has the word; the parser keeps no places."""
    lines = text.splitlines()
    return next((i for i, line in enumerate(lines, 1) if word in line), None)
