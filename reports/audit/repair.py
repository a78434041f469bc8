"""A repair's commands: as many as a reader looks at, and all of them for the file that is worked through."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

MAX_PARTITIONS = 20
"""Of a reassignment so many partitions are shown; `--out` writes them all."""

WHERE_ALL_IS = "--out DIR writes them all"


def step_lines(step: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a step on a page: its file, cut, and the first of many commands that are alike."""
    if step["file"] is not None:
        partitions = step["file"]["document"]["partitions"]
        yield json.dumps({**step["file"]["document"], "partitions": partitions[:MAX_PARTITIONS]})
        if len(partitions) > MAX_PARTITIONS:
            yield f"# the first {MAX_PARTITIONS} of {len(partitions):,} partitions; {WHERE_ALL_IS}"
    yield from step["commands"][: step["shown"]]
    more = len(step["commands"]) - step["shown"]
    if more > 0:
        yield f"# and {more:,} {'line' if more == 1 else 'lines'} more of this kind; {WHERE_ALL_IS}"


def repair_script(name: str, repair: Mapping[str, Any]) -> str:
    """Every step with all its commands, to be worked through from top to bottom."""
    lines = [f"# {name}", f"# {repair['headline']}"]
    for number, step in enumerate(repair["steps"], 1):
        lines += ["", f"# {number}. {step['says']}", *step["commands"]]
    return "\n".join([*lines, "", *(f"# {says}" for says in repair["notes"]), ""])
