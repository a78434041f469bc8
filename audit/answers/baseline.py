"""What has been looked at and accepted, with a reason and a day on which it is looked at again: `--baseline`."""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from ...language.immutable import immutable
from ..cluster.statements import UnreadableInputError
from ..questions.questions import QUESTION
from ..questions.signature import Subject
from .requirements import RequirementCheck

_KEYS = {"topic", "finding", "reason", "expiry"}
_EXAMPLE = '[[accepted]] with topic = "logs.*", finding = "no-loss", reason = "...", expiry = 2027-01-31'


@immutable
class AcceptedFinding:
    """One entry: topics (a regular expression, matched whole), a question, why it is accepted, and until when."""

    topic: str
    finding: str
    reason: str
    expiry: datetime.date

    def covers(self, subject: Subject, question: str) -> bool:
        """Whether it is about a question of all of these topics."""
        return question == self.finding and all(re.fullmatch(self.topic, topic.name) for topic in subject.topics)


def read_baseline(path: Path) -> tuple[AcceptedFinding, ...]:
    """The entries of a file. Raises UnreadableInputError that says what is wrong with it."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableInputError(f"--baseline {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnreadableInputError(f"--baseline {path}: not TOML: {error}") from None
    entries: Any = table.get("accepted")
    if set(table) != {"accepted"} or not isinstance(entries, list):
        raise UnreadableInputError(f"--baseline {path}: write {_EXAMPLE}")
    listed = cast("list[Any]", entries)
    return tuple(_entry(entry, f"--baseline {path}, accepted {at}") for at, entry in enumerate(listed, 1))


def _entry(given: Any, place: str) -> AcceptedFinding:
    if not isinstance(given, dict) or set(cast("dict[str, Any]", given)) != _KEYS:
        raise UnreadableInputError(f"{place}: write exactly topic, finding, reason and expiry: {_EXAMPLE}")
    entry = cast("dict[str, Any]", given)
    topic, finding, reason, expiry = (entry[key] for key in ("topic", "finding", "reason", "expiry"))
    if not isinstance(expiry, datetime.date) or isinstance(expiry, datetime.datetime):
        raise UnreadableInputError(f"{place}: expiry is {expiry!r}; write a day without quotes, such as 2027-01-31")
    if finding not in QUESTION:
        raise UnreadableInputError(f"{place}: finding is {finding!r}, which is not one of {', '.join(QUESTION)}")
    if not isinstance(topic, str) or not isinstance(reason, str) or not reason.strip():
        raise UnreadableInputError(f"{place}: topic and reason are texts, and the reason is not empty")
    try:
        re.compile(topic)
    except re.error as error:
        raise UnreadableInputError(f"{place}: topic is not a regular expression: {error}") from None
    return AcceptedFinding(topic, finding, reason, expiry)


def mark_accepted(
    checks: Iterable[RequirementCheck], subject: Subject, entries: Sequence[AcceptedFinding], today: datetime.date
) -> list[RequirementCheck]:
    """The checks, those that failed and are accepted marked with the reason. What has expired counts again."""
    return [_apply_acceptance(check, subject, entries, today) for check in checks]


def _apply_acceptance(
    check: RequirementCheck, subject: Subject, entries: Sequence[AcceptedFinding], today: datetime.date
) -> RequirementCheck:
    if check.result == "met":
        return check
    for entry in entries:
        if entry.covers(subject, check.requirement.question):
            if entry.expiry < today:
                return replace(check, note=f"was accepted until {entry.expiry}: {entry.reason}")
            return replace(check, result="accepted", note=f"accepted until {entry.expiry}: {entry.reason}")
    return check
