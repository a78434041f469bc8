"""Where the steps of a saved trace stand in its text, and where the statements stand that make them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from ..language.immutable import immutable
from ..traces.document import SCHEMA

ENDING = ".trace.json"
"""How the name of a saved trace ends."""


@immutable
class TraceStep:
    """A step: its number from 1 and its sentence; the line of the trace's text where it begins, from 1; and the file
    and line of the statement that makes it."""

    number: int
    sentence: str
    line: int
    file: Path
    statement: int


def trace_steps(text: str, path: Path, folders: Iterable[Path]) -> Sequence[TraceStep]:
    """The steps of a trace whose files are found: below one of these folders, or one that the trace lies in. None of a
    text that is no trace, such as one that is being written."""
    try:
        document: Any = json.loads(text)
    except ValueError:
        return []
    if not isinstance(document, dict) or cast(dict[str, Any], document).get("schema") != SCHEMA:
        return []
    roots = [*folders, *path.parents]
    found: list[TraceStep] = []
    line, at = text.count("\n", 0, text.find('"steps"')) + 1, max(text.find('"steps"'), 0)
    for step in cast(dict[str, Any], document).get("steps", []):
        begins = re.compile(rf'"i":\s*{step["i"]}\b').search(text, at)
        place = step.get("statement") or step["where"]
        file = _file_of_trace(place["file"], roots)
        if begins is not None:
            line, at = line + text.count("\n", at, begins.start()), begins.start()
            line_of_step = line
            if file is not None:
                found.append(TraceStep(step["i"], step["sentence"], line_of_step, file, place["line"]))
    return found


def step_at(steps: Sequence[TraceStep], line: int) -> TraceStep | None:
    """The step that a line of the trace belongs to: the last that begins there or before."""
    return max((step for step in steps if step.line <= line), key=lambda step: step.line, default=None)


def _file_of_trace(name: str, roots: Iterable[Path]) -> Path | None:
    """A file that a trace names from the root of its repository, or by its name alone."""
    return next((root / name for root in roots if (root / name).is_file()), None)
