"""Two audits compared: which settings changed, which answers became worse and which better, topic by topic, and the
same in at most 30 lines of words. `--diff`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from ..cluster.statements import UnreadableInputError
from ..questions.situations import BY_NAME, Cell, cell_title
from .cluster_words import LOST
from .document import SCHEMA
from .headline import GRAVEST

_BADNESS = {"no loss found": 0, "not checked": 1, "depends": 2, "can lose": 3}
_LOSES, _OPEN = "can lose", ("not checked", "depends")
_GOES_ON = {"no loss found": "go on", "can lose": "stop"}
_AVAILABLE: Mapping[str, Mapping[str, str]] = {"writable": _GOES_ON, "readable": _GOES_ON, "groups": _GOES_ON}
"""What an answer is called where nothing is lost, and something goes on or stops."""
_BAD = (_LOSES, *_OPEN)
MOST = 200
"""Differences of one kind that are reported."""
MOST_LINES = 28
"""Lines of words: with the headlines of both audits a terminal shows 30."""
_MOST_NAMES = 3


def read_document(path: Path) -> Mapping[str, Any]:
    """An earlier audit's JSON. Raises UnreadableInputError."""
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableInputError(f"--diff {path}: {error.strerror}") from None
    except ValueError as error:
        raise UnreadableInputError(f"--diff {path}: not JSON: {error}") from None
    if not isinstance(found, dict) or cast("dict[str, Any]", found).get("schema") != SCHEMA:
        raise UnreadableInputError(f"--diff {path}: not what `tidegate audit --json` prints ({SCHEMA})")
    return cast("dict[str, Any]", found)


def compare_documents(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """What changed in settings, what is worse, better, new and gone, and `says`, the same in words. Raises
    UnreadableInputError where the older one is not whole."""
    try:
        before, after = dict(_answer_words_by_cell(old)), dict(_answer_words_by_cell(new))
        settings = list(_changed_settings(old, new))
    except (KeyError, TypeError, AttributeError):
        raise UnreadableInputError("--diff: the older audit is not whole; make it again") from None
    changed = [(key, before[key], after[key]) for key in after if key in before and before[key] != after[key]]
    rows = [(_BADNESS.get(b, 1) - _BADNESS.get(a, 1), _changed_answer_row(key, a, b)) for key, a, b in changed]
    topics = {key[0] for key in before}, {key[0] for key in after}
    found: dict[str, Any] = {
        "settings": settings[:MOST],
        "worse": [row for by, row in rows if by > 0][:MOST],
        "better": [row for by, row in rows if by < 0][:MOST],
        "new": sorted(topics[1] - topics[0])[:MOST],
        "gone": sorted(topics[0] - topics[1])[:MOST],
    }
    late = [f"not whole: {new['out_of_time']}"] if new.get("out_of_time") else []
    lines = [*late, *_change_lines(found)]
    more = [f"and {len(lines) - MOST_LINES + 1} lines more, which --json has"] if len(lines) > MOST_LINES else []
    found["headlines"] = [_document_headline(old), _document_headline(new)]
    return {**found, "says": [*lines[: MOST_LINES - 1], *more] if more else lines}


def _document_headline(document: Mapping[str, Any]) -> str:
    """What an audit says first; one that was made before there was a summary has its worst topics' headline."""
    summary = document.get("summary")
    return f"{summary['mark']} {summary['headline']}" if summary else str(document["headline"])


def _changed_settings(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """The settings that answers rest on and that are others now, topic by topic."""
    before, after = _settings_by_topic(old), _settings_by_topic(new)
    for (topic, key), value in after.items():
        known = before.get((topic, key), value)
        if known != value:
            yield {"topic": topic, "key": key, "before": known, "after": value}


def _settings_by_topic(document: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    return {
        (topic, used["key"]): used["value"]
        for subject in document["subjects"]
        for topic in subject["topics"]
        for used in subject["settings"]
    }


def _change_lines(change: Mapping[str, Any]) -> Iterator[str]:
    """What changed, a line for all topics of which the same is said: settings, what is worse, what is better."""
    said: dict[str, dict[str, None]] = {}
    for row in change["settings"]:
        said.setdefault(f"{row['key']}: {row['before']} → {row['after']}", {})[row["topic"]] = None
    yield from (f"changed: {_topic_names_text(topics)}: {says}" for says, topics in said.items())
    rows = [*change["worse"], *change["better"]]
    for kind, whether, alike in (
        ("worse", "", [row for row in rows if row["after"] == _LOSES]),
        ("better", "", [row for row in rows if row["before"] == _LOSES and row["after"] not in _OPEN]),
        ("not known now", "whether ", [row for row in rows if row["after"] in _OPEN]),
        ("decided now", "whether ", [row for row in rows if row["before"] in _OPEN and row["after"] not in _BAD]),
    ):
        yield from (
            f"{kind}: {_topic_names_text(topics)}: {whether}{says}"
            for says, topics in _topics_by_changed_answer(alike).items()
        )
    for kind in ("new", "gone"):
        if change[kind]:
            yield f"{kind}: {_topic_names_text(change[kind])}"


def _topics_by_changed_answer(rows: Iterable[Mapping[str, str]]) -> dict[str, dict[str, None]]:
    """Sentences about answers that changed, each with its topics: a question with all faults by which it did."""
    faults: dict[tuple[str, str, str, str], list[Cell]] = {}
    for row in rows:
        key = row["topic"], row["question"], row["before"], row["after"]
        if row["cell"] in BY_NAME:
            faults.setdefault(key, []).append(BY_NAME[row["cell"]])
    said: dict[str, dict[str, None]] = {}
    for (topic, question, before, after), cells in faults.items():
        first, *rest = sorted(cells, key=GRAVEST.index)
        more = f", and in {len(rest)} more {'case' if len(rest) == 1 else 'cases'}" if rest else ""
        state = cell_title(first).removeprefix(first.fault.when)
        what = f"{LOST.get(question, question)} when {first.fault.when}{state}{more}"
        words = _AVAILABLE.get(question, {})
        said.setdefault(f"{what} ({words.get(before, before)} → {words.get(after, after)})", {})[topic] = None
    return said


def _topic_names_text(topics: Iterable[str]) -> str:
    every = list(topics)
    more = f" and {len(every) - _MOST_NAMES} more" if len(every) > _MOST_NAMES else ""
    return f"{', '.join(every[:_MOST_NAMES])}{more}"


def _answer_words_by_cell(document: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str, str, str], str]]:
    for subject in document["subjects"]:
        for topic in subject["topics"]:
            for question, cells in subject["table"].items():
                for name, cell in cells.items():
                    yield (topic, subject["producer"] or "", question, name), cell["word"]


def _changed_answer_row(key: tuple[str, str, str, str], before: str, after: str) -> dict[str, str]:
    topic, producer, question, cell = key
    about = {"topic": topic, "producer": producer, "question": question, "cell": cell}
    return {**about, "before": before, "after": after}
