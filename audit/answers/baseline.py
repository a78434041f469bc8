"""What has been looked at and accepted, with a reason and a day on which it is looked at again: `--baseline`.

An entry accepts faults in states of a partition, of topics, that come from the settings that it names, or one of the
assumptions below. Nothing else is accepted with it: what comes from another setting later on counts.
"""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from ...language.errors import suggest_name
from ...language.immutable import immutable
from ..cluster.cluster import Topic
from ..cluster.statements import UnreadableInputError
from ..questions.signature import Subject, Variant
from .answer import ASSUMPTIONS
from .requirements import (
    Requirement,
    RequirementCheck,
    UnknownRequirementError,
    parse_requirement,
    requirements_of_subject,
)
from .risky_settings import risky_settings
from .verdicts import ON_DISK_OF_CONTROLLER

_OF_FINDINGS, _OF_ASSUMPTIONS = {"topic", "finding", "reason", "expiry"}, {"assumption", "reason", "expiry"}
_EXAMPLE = '[[accepted]] with topic = "logs.*", finding = "no-loss=power-loss@one", reason = "...", expiry = 2027-01-31'


@immutable
class AcceptedFinding:
    """One entry: topics (a regular expression, matched whole), requirements as `--require` takes them, the settings
    that they come from, why they are accepted, and until when; or an `assumption`. `place` is where it stands."""

    topic: str
    findings: tuple[str, ...]
    because: tuple[str, ...]
    reason: str
    expiry: datetime.date
    assumption: str = ""
    place: str = ""

    def is_about_topic(self, topic: str) -> bool:
        """Whether it is about a topic."""
        return re.fullmatch(self.topic, topic) is not None

    def is_covering(self, subject: Subject, check: RequirementCheck) -> bool:
        """Whether it is about what came of a requirement of all of these topics."""
        if self.assumption:
            return check.answer is not None and check.answer.why == ON_DISK_OF_CONTROLLER
        return check.requirement.to_text in self.findings and all(
            self.is_about_topic(topic.name) for topic in subject.topics
        )


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
    return tuple(
        _parse_accepted_finding(entry, f"--baseline {path}, accepted {at}") for at, entry in enumerate(listed, 1)
    )


def _parse_accepted_finding(value: Any, place: str) -> AcceptedFinding:
    keys = set(cast("dict[str, Any]", value)) if isinstance(value, dict) else set[str]()
    if keys - {"because"} != _OF_FINDINGS and keys != _OF_ASSUMPTIONS:
        raise UnreadableInputError(
            f"{place}: write exactly topic, finding, reason and expiry, and because where a setting is to blame: "
            f"{_EXAMPLE}; or assumption, reason and expiry"
        )
    entry = cast("dict[str, Any]", value)
    reason, expiry = entry["reason"], entry["expiry"]
    if not isinstance(expiry, datetime.date) or isinstance(expiry, datetime.datetime):
        raise UnreadableInputError(f"{place}: expiry is {expiry!r}; write a day without quotes, such as 2027-01-31")
    if not isinstance(reason, str) or not reason.strip():
        raise UnreadableInputError(f"{place}: the reason is a text, and is not empty")
    if "assumption" in entry:
        name = entry["assumption"]
        if name not in ASSUMPTIONS:
            raise UnreadableInputError(f"{place}: assumption is {name!r}; {suggest_name(str(name), ASSUMPTIONS)}")
        return AcceptedFinding("", (), (), reason, expiry, assumption=name, place=place)
    findings, because = (_parse_texts(entry.get(key, []), key, place) for key in ("finding", "because"))
    for finding in findings:
        _check_finding(finding, place)
    return AcceptedFinding(_parse_topic_pattern(entry["topic"], place), findings, because, reason, expiry, place=place)


def _parse_texts(value: Any, key: str, place: str) -> tuple[str, ...]:
    texts = cast("list[Any]", value) if isinstance(value, list) else [value]
    if not all(isinstance(text, str) for text in texts):
        raise UnreadableInputError(f"{place}: {key} is a text, or a list of texts")
    return tuple(texts)


def _check_finding(finding: str, place: str) -> None:
    try:
        if "=" not in finding:
            raise UnknownRequirementError("one fault in one state is accepted, and no other with it")
        parse_requirement(finding)
    except UnknownRequirementError as error:
        raise UnreadableInputError(
            f"{place}: finding is {finding!r}: {error}; write QUESTION=FAULT@SITUATION, or a list of them, such as "
            "no-loss=power-loss@one"
        ) from None


def _parse_topic_pattern(topic: Any, place: str) -> str:
    try:
        return re.compile(topic).pattern
    except (re.error, TypeError) as error:
        raise UnreadableInputError(f"{place}: topic is not a regular expression: {error}") from None


def split_subjects(subjects: Iterable[Subject], entries: Sequence[AcceptedFinding]) -> list[Subject]:
    """The subjects, apart where an entry is about some of the topics of one and not about others: what is accepted of
    one topic is accepted of it, and of no topic that is like it."""
    made: dict[tuple[int, tuple[bool, ...]], list[Topic]] = {}
    every = list(subjects)
    for number, subject in enumerate(every):
        for topic in subject.topics:
            about = tuple(not entry.assumption and entry.is_about_topic(topic.name) for entry in entries)
            made.setdefault((number, about), []).append(topic)
    return [replace(every[number], topics=tuple(topics)) for (number, _), topics in made.items()]


def check_baseline(
    entries: Iterable[AcceptedFinding], subjects: Sequence[Subject], requirements: Iterable[Requirement]
) -> None:
    """Raises UnreadableInputError for an entry that is about nothing: no such topic, nothing of the kind is required of
    it, or nothing depends on its assumption."""
    asked = tuple(requirements)
    for entry in entries:
        if entry.assumption:
            if not any(_may_be_controllers_disk(variant) for subject in subjects for variant in subject.variants):
                raise UnreadableInputError(
                    f"{entry.place}: {entry.assumption} is about nodes that are brokers and controllers, and nothing "
                    "here depends on it; take it out"
                )
            continue
        about = [subject for subject in subjects if any(entry.is_about_topic(topic.name) for topic in subject.topics)]
        if not about:
            names = list(dict.fromkeys(topic.name for subject in subjects for topic in subject.topics))[:20]
            raise UnreadableInputError(
                f"{entry.place}: no topic matches {entry.topic!r}; {suggest_name(entry.topic, names)}; mend the entry, "
                "or take it out"
            )
        for finding in entry.findings:
            if not any(_is_required(finding, subject, asked) for subject in about):
                raise UnreadableInputError(
                    f"{entry.place}: {finding} is not required of {entry.topic}, so that nothing is accepted by it; "
                    "take it out"
                )


def _may_be_controllers_disk(variant: Variant) -> bool:
    """Whether a lost disk that loses nothing by itself is not decided, since a controller's may be lost with it."""
    return 0 < variant.signature.enough_emptied <= variant.signature.disk_voters


def _is_required(finding: str, subject: Subject, requirements: Sequence[Requirement]) -> bool:
    return any(
        one.to_text == finding and one.is_about(subject) for one in requirements_of_subject(subject, requirements)
    )


def mark_accepted(
    checks: Iterable[RequirementCheck], subject: Subject, entries: Sequence[AcceptedFinding], today: datetime.date
) -> list[RequirementCheck]:
    """The checks, those that are not met and are accepted marked with the reason. What has expired counts again, and so
    does what comes from a setting that the entry does not name."""
    return [_apply_acceptance(check, subject, entries, today) for check in checks]


def _apply_acceptance(
    check: RequirementCheck, subject: Subject, entries: Sequence[AcceptedFinding], today: datetime.date
) -> RequirementCheck:
    if check.result == "met":
        return check
    note = ""
    for entry in entries:
        if not entry.is_covering(subject, check):
            continue
        beside = [] if entry.assumption else _unnamed_settings(subject, check, entry)
        if beside:
            note = f"is not accepted: it comes from {', '.join(beside)}, too, which `because` of {entry.topic} lacks"
        elif entry.expiry < today:
            note = f"was accepted until {entry.expiry}: {entry.reason}"
        else:
            until = f"accepted until {entry.expiry}: {entry.reason}"
            assumed = ASSUMPTIONS.get(entry.assumption, "")
            return replace(check, result="accepted", note=until, assumption=assumed)
    return replace(check, note=note) if note else check


def _unnamed_settings(subject: Subject, check: RequirementCheck, entry: AcceptedFinding) -> list[str]:
    """The settings that it comes from and that the entry does not name."""
    return [one for one in risky_settings(subject, check.requirement.question) if one not in entry.because]
