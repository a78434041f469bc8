"""What is put together of the parts of all files, and what is found on the way; settings without what may be secret."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..cluster.cluster import DuplicateId
from ..cluster.findings import Finding
from ..cluster.settings import ONE_MOMENT, normalize_boolean
from ..cluster.statements import HIDDEN, MARK, Origin, Setting, StatedValue, Unread
from ..kafka import key_names
from ..kafka.keys import is_value_kept, settings_by_any_name
from ..readers.parsed_file import Part


@dataclass
class JoinedParts:
    """The parts, what disagrees in them, nodes whose id is another's, and what is taken for granted."""

    parts: Sequence[Part]
    findings: list[Finding] = field(default_factory=list[Finding])
    twice: list[DuplicateId] = field(default_factory=list[DuplicateId])
    assumptions: list[str] = field(default_factory=list[str])
    contradicting_statements: dict[str, dict[str, StatedValue]] = field(
        default_factory=dict[str, dict[str, StatedValue]]
    )
    doubted_things: dict[str, list[tuple[str, str, Origin]]] = field(
        default_factory=dict[str, list[tuple[str, str, Origin]]]
    )

    def agree(self, of: str, settings: Iterable[Setting]) -> tuple[Setting, ...]:
        """The settings of one thing, each once: what is stated with several values is marked, and noted. What is said
        to be its own is stronger than what is only described as its. Values that are not kept decide nothing."""
        by_key: dict[str, list[Setting]] = {}
        for setting in withhold_values(settings):
            by_key.setdefault(setting.key, []).append(setting)
        return tuple(self._agreed_setting(of, stated) for stated in by_key.values())

    def _agreed_setting(self, of: str, settings: Sequence[Setting]) -> Setting:
        own = [setting for setting in settings if setting.whose == ""] or settings
        by_value = {normalize_boolean(setting).value: setting for setting in (*settings, *own)}
        if len(by_value) == 1:
            return own[-1]
        stated = tuple(StatedValue(by_value[value].value, by_value[value].origin) for value in sorted(by_value))
        self.contradict(f"`{own[0].key}` of {of}", stated)
        return replace(by_value[min(by_value)], contradicting=stated)

    def contradict(self, what: str, statements: Sequence[StatedValue]) -> None:
        """What files state with several values, of which nothing says which one is in force."""
        by_value = self.contradicting_statements.setdefault(what, {})
        for said in statements:
            by_value.setdefault(said.value, said)

    def doubt(self, of: str, doubt: str, where: Origin) -> None:
        """Of what files describe in several ways, so that none of them can be used."""
        self.doubted_things.setdefault(doubt.partition(",")[0], []).append((of, doubt, where))

    def contradictions(self) -> Iterator[Finding]:
        """All that is stated in several ways: each leaves the audit undecided. What is of one kind in the same files is
        one finding."""
        found: dict[tuple[str, ...], list[str]] = {}
        for what, by_value in self.contradicting_statements.items():
            paths = sorted({said.origin.path for said in by_value.values()})
            found.setdefault((what.partition(" of ")[0], *paths), []).append(what)
        for same in found.values():
            stated = [said for _, said in sorted(self.contradicting_statements[same[0]].items())]
            values = " and ".join(f"{one.value} ({one.origin})" for one in stated)
            what = f"{same[0]} is {values}{_further_count_text(same)}: these contradict each other"
            text = f"{what}, and nothing says which one is in force"
            yield Finding("incomplete", "error", text, stated[-1].origin, f"give {ONE_MOMENT}")
        for doubts in self.doubted_things.values():
            of, doubt, where = doubts[0]
            text, _, to_do = doubt.partition(";")
            yield Finding(
                "incomplete",
                "error",
                f"{of}: {text}{_further_count_text(doubts)}",
                where,
                to_do.strip() or f"give {ONE_MOMENT}",
            )

    def one_fact(self, name: str) -> StatedValue | None:
        """What is stated once for all; where it is stated in several ways, one of them, and that is noted."""
        stated = [fact for part in self.parts for fact in part.facts.get(name, ())]
        if len({fact.value for fact in stated}) > 1:
            self.contradict(f"`{name}`", stated)
        return max(stated, key=lambda fact: fact.value, default=None)

    def disagree(self, what: str, first: Origin, second: Origin, to_do: str) -> None:
        self.findings.append(Finding("contradiction", "warning", f"{what} ({first})", second, to_do))

    def incomplete(self, what: str, where: Origin, to_do: str) -> None:
        """What leaves the audit undecided."""
        self.findings.append(Finding("incomplete", "error", what, where, to_do))

    def note_unread(self, unread: Unread) -> None:
        """What was given and may be configuration, but was not read."""
        if unread.may_be_configuration:
            self.incomplete(f"{unread.path} was not read: {unread.reason}", Origin(unread.path), unread.to_do)


def _further_count_text(same: Sequence[object]) -> str:
    return f", and so for {len(same) - 1} more" if len(same) > 1 else ""


def withhold_values(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """The same settings without the values that the audit has no use for: they may be anything, secrets too.

    A name of one word that no setting has, nor nearly has, is a piece of some text: it is withheld as well.
    """
    return tuple(_scrub_setting(setting) for setting in settings)


def _scrub_setting(setting: Setting) -> Setting:
    key = settings_by_any_name().get(setting.key)
    value = _placement_counts_text(setting.value) if key is not None and key.stored_as == "counts" else setting.value
    if is_value_kept(setting.key.removeprefix(MARK), value):
        return replace(setting, value=value)
    scopes = tuple(key_names.names_by_scope())
    plain = not re.search(r"[._\-]", setting.key) and not any(
        setting.key in key_names.names_by_scope()[s] for s in scopes
    )
    text = plain and key_names.nearest_name(setting.key, scopes) is None
    return replace(setting, key=HIDDEN if text else setting.key, value=HIDDEN)


def _placement_counts_text(value: str) -> str:
    """How many replicas and observers a placement asks for (`3 replicas, 2 observers`); the value if it is no such."""
    try:
        found = json.loads(value)
        counts = [sum(int(group["count"]) for group in found.get(name) or ()) for name in ("replicas", "observers")]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return value
    return f"{counts[0]} replicas, {counts[1]} observers"
