"""The commands of a repair: so many on a page, and all in the script."""

from __future__ import annotations

import json
from typing import Any

from tidegate.reports.audit.repair import MAX_PARTITIONS, repair_script, step_lines


def step(commands: list[str], shown: int, partitions: int | None = None) -> dict[str, Any]:
    document = {"version": 1, "partitions": list(range(partitions or 0))}
    return {
        "says": "Set it.",
        "commands": commands,
        "shown": shown,
        "file": None if partitions is None else {"document": document},
    }


def test_of_commands_that_are_alike_the_first_are_shown_and_the_rest_counted() -> None:
    assert list(step_lines(step(["a", "b"], 2))) == ["a", "b"]
    assert list(step_lines(step(["a", "b"], 1))) == [
        "a",
        "# and 1 line more of this kind; --out DIR writes them all",
    ]


def test_of_a_long_reassignment_the_first_partitions_are_shown() -> None:
    first, says = step_lines(step([], 0, MAX_PARTITIONS + 5))
    assert len(json.loads(first)["partitions"]) == MAX_PARTITIONS
    assert says == "# the first 20 of 25 partitions; --out DIR writes them all"
    assert len(list(step_lines(step([], 0, MAX_PARTITIONS)))) == 1


def test_the_script_has_every_command() -> None:
    repair = {"headline": "One setting.", "steps": [step(["a", "b"], 1)], "notes": ["Then look."]}
    assert repair_script("orders", repair) == "# orders\n# One setting.\n\n# 1. Set it.\na\nb\n\n# Then look.\n"
