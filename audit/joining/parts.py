"""What is put together of the parts of all files, and what is found on the way; settings without what may be secret."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..cluster.cluster import DuplicateId
from ..cluster.findings import Finding
from ..cluster.statements import HIDDEN, MARK, Origin, Setting, Unread
from ..kafka import key_names
from ..kafka.keys import is_value_kept, registry
from ..readers.parsed_file import Part


@dataclass
class JoinedParts:
    """The parts, what disagrees in them, nodes whose id is another's, and what is taken for granted."""

    parts: Sequence[Part]
    findings: list[Finding] = field(default_factory=list[Finding])
    twice: list[DuplicateId] = field(default_factory=list[DuplicateId])
    assumptions: list[str] = field(default_factory=list[str])

    def disagree(self, what: str, first: Origin, second: Origin, to_do: str) -> None:
        self.findings.append(Finding("contradiction", "warning", f"{what} ({first})", second, to_do))

    def incomplete(self, what: str, where: Origin, to_do: str) -> None:
        """What leaves the audit undecided."""
        self.findings.append(Finding("incomplete", "error", what, where, to_do))

    def note_unread(self, unread: Unread) -> None:
        """What was given and may be configuration, but was not read."""
        if unread.may_be_configuration:
            self.incomplete(f"{unread.path} was not read: {unread.reason}", Origin(unread.path), unread.to_do)


def withhold_values(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """The same settings without the values that the audit has no use for: they may be anything, secrets too.

    A name of one word that no setting has, nor nearly has, is a piece of some text: it is withheld as well.
    """
    return tuple(_scrub_setting(setting) for setting in settings)


def _scrub_setting(setting: Setting) -> Setting:
    key = registry().get(setting.key)
    value = _counts(setting.value) if key is not None and key.stored_as == "counts" else setting.value
    if is_value_kept(setting.key.removeprefix(MARK), value):
        return replace(setting, value=value)
    scopes = tuple(key_names.names_by_scope())
    plain = not re.search(r"[._\-]", setting.key) and not any(
        setting.key in key_names.names_by_scope()[s] for s in scopes
    )
    text = plain and key_names.nearest_name(setting.key, scopes) is None
    return replace(setting, key=HIDDEN if text else setting.key, value=HIDDEN)


def _counts(value: str) -> str:
    """How many replicas and observers a placement asks for (`3 replicas, 2 observers`); the value if it is no such."""
    try:
        found = json.loads(value)
        counts = [sum(int(group["count"]) for group in found.get(name) or ()) for name in ("replicas", "observers")]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return value
    return f"{counts[0]} replicas, {counts[1]} observers"
