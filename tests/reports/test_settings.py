"""Constants on a line or two: sizes apart from switches."""

from __future__ import annotations

from tidegate.reports.settings import sizes_text, switches_text, symmetry_text

CONSTANTS = {"replicas": 3, "log_size": 2, "fence": True, "trim": False, "truncation": "common_prefix"}


def test_sizes_are_the_integers() -> None:
    assert sizes_text(CONSTANTS) == "replicas=3, log_size=2"


def test_switches_are_the_rest() -> None:
    assert switches_text(CONSTANTS) == "truncation=common_prefix; on: fence; off: trim"
    assert switches_text({"replicas": 3}) == ""


def test_what_is_folded_is_named() -> None:
    assert symmetry_text(["Replica"]) == "symmetry of Replica"
