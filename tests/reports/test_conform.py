"""What `conform` found, in the terminal and as a picture: side by side.

Also of: `conform_picture`.
"""

from __future__ import annotations

import xml.dom.minidom
from typing import Any

from tidegate.reports.conform import conform_text
from tidegate.reports.conform_picture import difference_picture
from tidegate.reports.text_page import TextFormat

FORMAT = TextFormat(width=100)
DIFFERENCE: dict[str, Any] = {
    "direction": "model-to-code",
    "operations": [],
    "why": "controller 2 differs",
    "action": "vote",
    "fields": ["role"],
    "steps": ["A stands.", "B votes."],
    "model": {"1": "leader", "2": "voted"},
    "kafka": {"1": "leader", "2": "prospective"},
    "file": "out/vote-1.trace.json",
}


OF_CODE = DIFFERENCE | {
    "direction": "code-to-model",
    "action": "Vote",
    "operations": ["wait(1)", "exchange(1, 2, Vote)"],
    "file": "out/Vote-1.history.json",
}


def report_lines(*differences: dict[str, Any], **changes: Any) -> list[str]:
    """What came of it, by line."""
    document: dict[str, Any] = {
        "kafka": "4.1.1",
        "model": "kraft",
        "model_of": None,
        "seed": 1,
        "runs": 2,
        "steps": 40,
        "histories": 3,
        "observations": 50,
        "undecided": 0,
        "kinds": 9,
        "ended": 2,
        "seconds": 3.0,
        "interrupted": False,
        "why": "",
        "differences": list(differences),
        "compared": ["role", "epoch"],
        "actions": ["vote"],
        "pairs": 3,
        "missing": [["", "vote"], ["vote", "fetch"], ["vote", "vote"]],
        "not_driven": [["vote", "vote"]],
        "never": {},
        "without_effect": {},
        "abstracted": {"truncate": "why"},
    }
    return conform_text(document | changes, FORMAT).splitlines()


def test_where_nothing_differs_it_says_what_was_compared_and_what_was_not() -> None:
    assert report_lines() == [
        "✓ Kafka 4.1.1 and kraft: no difference in 2 runs of the model (40 steps) and 3 histories of the code",
        "  (50 states), seed 1, 3 s",
        "",
        "compared of each voter after each step: role, epoch",
        "from the model to the code: 1 action and 3 pairs of actions in a row",
        "  actions never taken: none",
        "  pairs that Kafka's code cannot be brought to: vote then vote",
        "  pairs not reached yet: the start then vote, vote then fetch",
        "  other pairs the model has not within 2 epochs, 1 record and 1 restart",
        "from the code to the model: 9 kinds of exchanges, timeouts, records and restarts; 0 histories",
        "  undecided; 2 histories in which a node ended, as docs/kafka-findings.md says",
        "coarser in the model: truncate (docs/conformance.md says how)",
    ]


def test_what_was_never_taken_says_why_and_where_nothing_came_of_a_step() -> None:
    never = {"write": "", "lose": "messages are exchanges", "fetch": "", "duplicate": "messages are exchanges"}
    assert report_lines(never=never, without_effect={"hear_from": 2, "vote": 1})[5:8] == [
        "  actions never taken: write, fetch",
        "  actions never taken: lose, duplicate (messages are exchanges)",
        "  steps that had no effect on Kafka's code, where their run ends: hear_from in 2 runs, vote in 1 run",
    ]


def test_pairs_beyond_the_first_are_counted() -> None:
    missing = [["vote", f"action_{number}"] for number in range(12)]
    line = next(line for line in report_lines(missing=missing) if "not reached yet" in line)
    assert "vote then action_0" in line
    assert "and 4 more (--json has all)" in " ".join(line.strip() for line in report_lines(missing=missing))


def test_one_direction_alone_says_nothing_of_the_other() -> None:
    lines = report_lines(histories=0, observations=0)
    assert lines[0] == "✓ Kafka 4.1.1 and kraft: no difference in 2 runs of the model (40 steps), seed 1, 3 s"
    assert not any("from the code to the model" in line for line in lines)
    lines = report_lines(runs=0, steps=0, model_of="3.9")
    assert (
        lines[0] == "✓ Kafka 4.1.1 and kraft of 3.9: no difference in 3 histories of the code (50 states), seed 1, 3 s"
    )
    assert not any("from the model to the code" in line for line in lines)


def test_where_nothing_was_compared_nothing_conforms() -> None:
    nothing = report_lines(runs=0, steps=0, histories=0, observations=0, interrupted=True)
    assert nothing[0] == "? Kafka 4.1.1 and kraft: nothing was compared; interrupted"
    cut = " ".join(report_lines(differences=[], interrupted=True, why="Kafka did not answer"))
    assert cut.startswith("? Kafka 4.1.1 and kraft: cut short, and no difference in ") and "✓" not in cut
    ended = report_lines(runs=0, steps=0, histories=0, observations=0, interrupted=True, why="Kafka did not answer")
    assert ended[0] == "? Kafka 4.1.1 and kraft: nothing was compared; Kafka did not answer"


def test_a_difference_of_the_code_has_its_schedule_and_is_taken_again_by_replay() -> None:
    lines = report_lines(OF_CODE)
    assert lines[2:] and "✗ Vote: role" in lines
    assert "  on Kafka's code: wait(1); exchange(1, 2, Vote)" in lines
    assert "  tidegate conform --replay out/Vote-1.history.json" in lines


def test_a_picture_has_both_sides_and_marks_what_differs() -> None:
    drawn = difference_picture(OF_CODE | {"steps": ["A <stands>. " * 20]}, "4.1.1")
    assert xml.dom.minidom.parseString(drawn).getElementsByTagName("svg")
    assert "A &lt;stands&gt;." in drawn and "then Kafka&#x27;s code takes exchange(1, 2, Vote)" in drawn
    assert "controller 2 (B)" in drawn and "the model of 3.9" in difference_picture(OF_CODE, "4.1.1", "3.9")
    assert drawn.count('class="m"') == 1 and '<text x="520" ' in drawn and ">prospective</text>" in drawn


def test_a_difference_has_its_steps_and_both_sides() -> None:
    lines = report_lines(DIFFERENCE)
    assert lines[0].startswith("✗ Kafka 4.1.1 and kraft: 1 difference in 2 runs of")
    assert lines[3:6] == ["✗ vote: role", "    1. A stands.", "    2. B votes."]
    assert [line.split() for line in lines[6:9]] == [
        ["the", "model", "Kafka", "4.1.1"],
        ["1", "leader", "leader"],
        ["≠", "2", "voted", "prospective"],
    ]
    assert lines[9] == "  tidegate confirm out/vote-1.trace.json --in-process --kafka-version 4.1.1 --steps"
