"""Two audits compared: which answers became worse and which better, topic by topic. `--diff`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from ..cluster.statements import UnreadableInputError
from .document import SCHEMA

_BADNESS = {"no loss found": 0, "not checked": 1, "depends": 2, "can lose": 3}
MOST = 200
"""Differences of one kind that are reported."""


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
    """What is worse, better, new and gone. Raises UnreadableInputError where the older one is not whole."""
    try:
        before, after = dict(_cells(old)), dict(_cells(new))
    except (KeyError, TypeError, AttributeError):
        raise UnreadableInputError("--diff: the older audit is not whole; make it again") from None
    changed = [(key, before[key], after[key]) for key in after if key in before and before[key] != after[key]]
    rows = [(_BADNESS.get(b, 1) - _BADNESS.get(a, 1), _row(key, a, b)) for key, a, b in changed]
    topics = {key[0] for key in before}, {key[0] for key in after}
    return {
        "worse": [row for by, row in rows if by > 0][:MOST],
        "better": [row for by, row in rows if by < 0][:MOST],
        "new": sorted(topics[1] - topics[0])[:MOST],
        "gone": sorted(topics[0] - topics[1])[:MOST],
    }


def _cells(document: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str, str, str], str]]:
    for subject in document["subjects"]:
        for topic in subject["topics"]:
            for question, cells in subject["table"].items():
                for name, cell in cells.items():
                    yield (topic, subject["producer"] or "", question, name), cell["word"]


def _row(key: tuple[str, str, str, str], before: str, after: str) -> dict[str, str]:
    topic, producer, question, cell = key
    about = {"topic": topic, "producer": producer, "question": question, "cell": cell}
    return {**about, "before": before, "after": after}
