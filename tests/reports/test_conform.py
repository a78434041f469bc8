"""What `conform` found, in the terminal: side by side."""

from __future__ import annotations

from typing import Any

from tidegate.reports.conform import conform_text
from tidegate.reports.text_page import TextFormat

FORMAT = TextFormat(width=100)
DIFFERENCE: dict[str, Any] = {
    "action": "vote",
    "fields": ["role"],
    "steps": ["A stands.", "B votes."],
    "model": {"1": "leader", "2": "voted"},
    "kafka": {"1": "leader", "2": "prospective"},
    "file": "out/vote-1.trace.json",
}


def report_lines(*differences: dict[str, Any], steps: int = 40, interrupted: bool = False) -> list[str]:
    """What came of it, by line."""
    document = {
        "kafka": "4.1.1",
        "model": "kraft",
        "seed": 1,
        "runs": 2,
        "steps": steps,
        "seconds": 3.0,
        "interrupted": interrupted,
        "differences": list(differences),
        "compared": ["role", "epoch"],
        "actions": ["vote"],
        "pairs": 3,
        "never": [],
        "abstracted": {"truncate": "why"},
    }
    return conform_text(document, FORMAT).splitlines()


def test_where_nothing_differs_it_says_what_was_compared_and_what_was_not() -> None:
    assert report_lines() == [
        "✓ Kafka 4.1.1 and kraft: no difference in 2 runs of seed 1, 40 steps compared, 3 s",
        "",
        "compared of each voter after each step: role, epoch",
        "1 action and 3 pairs of actions in a row",
        "never taken: none",
        "coarser in the model: truncate (docs/conformance.md says how)",
    ]


def test_where_nothing_was_compared_nothing_conforms() -> None:
    assert report_lines(steps=0, interrupted=True)[0] == "? Kafka 4.1.1 and kraft: nothing was compared; interrupted"


def test_a_difference_has_its_steps_and_both_sides() -> None:
    lines = report_lines(DIFFERENCE)
    assert lines[0].startswith("✗ Kafka 4.1.1 and kraft: 1 difference in 2 runs")
    assert lines[2:5] == ["✗ vote: role", "    1. A stands.", "    2. B votes."]
    assert [line.split() for line in lines[5:8]] == [
        ["the", "model", "Kafka", "4.1.1"],
        ["1", "leader", "leader"],
        ["≠", "2", "voted", "prospective"],
    ]
    assert lines[8] == "  tidegate confirm out/vote-1.trace.json --in-process --kafka-version 4.1.1 --steps"
