"""What `hunt` found, in the terminal."""

from __future__ import annotations

from typing import Any

from tidegate.reports.hunt import PROPERTIES, case_text, hunt_text, observation_text
from tidegate.reports.text_page import TextFormat

FORMAT = TextFormat(width=100)
NODE: dict[str, Any] = {
    "up": True,
    "role": "Follower",
    "leader": 2,
    "epoch": 3,
    "log": [[1, 0], [1, 7], [3, -2]],
    "high_watermark": -1,
}
CASE: dict[str, Any] = {
    "kafka": "3.7.2",
    "finding": {"property": "one_leader", "why": "node 2 leads epoch 1, which node 3 leads", "stack": ["x"] * 9},
    "known_as": "",
    "world_in_words": "3 voters, seed 7",
    "steps_in_words": ["tick(1)", "deliver(1, 2, Vote)"],
    "recovers": False,
    "lines": ["INFO one"],
    "file": "found/one_leader-1.schedule.json",
}


def report_of_hunt(*found: dict[str, Any], interrupted: bool = False) -> str:
    """A hunt with some findings."""
    document = {"kafka": "3.7.2", "seed": 1, "runs": 20, "steps": 3000, "states": 12, "seconds": 4.2}
    return hunt_text({**document, "interrupted": interrupted, "why": "", "found": list(found)}, FORMAT)


def test_nothing_found_is_no_praise() -> None:
    first, second = report_of_hunt().splitlines()
    assert first == "✓ Kafka 3.7.2: nothing was found in 20 runs of seed 1, 3,000 steps, 12 different states, 4 s"
    assert second == "Other schedules were not looked at, so that this proves nothing."
    cut = " ".join(report_of_hunt(interrupted=True).split())
    assert "cut short, and nothing was found in " in cut and "4 s; interrupted" in cut and "✓" not in cut


def test_findings_come_first_and_each_can_be_taken_again() -> None:
    lines = report_of_hunt(CASE, {**CASE, "known_as": "KAFKA-17333", "file": None}).splitlines()
    assert lines[0].startswith("✗ Kafka 3.7.2: 2 findings in 20 runs")
    assert lines[1] == "  one_leader: node 2 leads epoch 1, which node 3 leads"
    assert lines[2] == "  one_leader (KAFKA-17333): node 2 leads epoch 1, which node 3 leads"
    assert lines.count("  tidegate hunt --replay found/one_leader-1.schedule.json") == 1
    assert "    1. tick(1)" in lines and lines.count("    x") == 12


def test_a_case_shows_what_is_seen_after_each_step() -> None:
    text = case_text({**CASE, "recovers": True}, [[NODE, {"up": False}]], FORMAT)
    assert (
        "    1. tick(1)\n         node 1: Follower of 2 in epoch 3, log 1L 1#7 3c, committed nothing that it knows"
        in text
    )
    assert "         node 2: down\n    2. deliver(1, 2, Vote)\n  Then nothing is lost any more" in text
    assert (
        observation_text({**NODE, "role": "Leader", "log": [], "high_watermark": 0})
        == "Leader in epoch 3, log empty, committed 0"
    )


def test_each_property_is_said_in_words() -> None:
    assert all(says[0].islower() or says.startswith("Kafka") for says in PROPERTIES.values())
