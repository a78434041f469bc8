"""JUnit of a gate: its counts, and characters that XML does not have."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from tidegate.reports.gate.junit import gate_junit


def test_junit_counts_and_survives_odd_characters() -> None:
    claim: dict[str, Any] = {"name": "a", "result": "ok", "differences": [], "document": None, "html": None}
    failed = {**claim, "name": "b", "result": "differs", "differences": ["no\x00 <good>\nsecond"]}
    check: dict[str, Any] = {
        "name": "m  small",
        "model": "m",
        "seconds": 0.75,
        "report": None,
        "claims": [claim, failed],
    }
    document: dict[str, Any] = {"began": "2026-01-02T03:04:05+00:00", "checks": [check], "not_run": []}
    suite = ElementTree.fromstring(gate_junit(document).partition("\n")[2])[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("time")) == ("2", "1", "0.750")
    shown = suite.findall("testcase")[1][0]
    assert shown.get("message") == "no\ufffd <good>"
    assert shown.text == "no\ufffd <good>\nsecond"
