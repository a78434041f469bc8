"""A gate's document: each claim of each check, what was recorded of it and what came out."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from tidegate.gates.checks import GateDifference, Result
from tidegate.gates.document import SCHEMA, GateRun, gate_document
from tidegate.reports.exits import Exit

from ..support.gates import DIFFERS, KNOWN, NIGHTLY, RECORDED, SETTINGS, document_of, records


def claims_of(check: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {claim["name"]: claim for claim in check["claims"]}


def test_it_says_when_the_gate_ran_what_came_out_and_what_was_not_run(tmp_path: Path) -> None:
    document = document_of(tmp_path, RECORDED, DIFFERS, NIGHTLY)
    assert (document["schema"], document["tier"], document["exit"]) == (SCHEMA, "commit", 6)
    assert (document["began"], document["seconds"]) == ("2026-01-02T03:04:05+00:00", 1.5)
    assert document["numbers"] == {"ok": 1, "differs": 1}
    (left,) = document["not_run"]
    assert (left["tier"], left["why"]) == ("nightly", "nightly") and left["name"].startswith("/")


def test_a_check_has_its_place_and_what_it_looked_at(tmp_path: Path) -> None:
    (check,) = document_of(tmp_path, RECORDED)["checks"]
    assert (check["kind"], check["line"], check["engine"], check["symmetry"]) == ("check", 3, "native", False)
    assert check["expected"]["counts"] == {"distinct_states": 3, "transitions": 4, "depth": 2}
    assert check["report"]["distinct_states"] == 3
    assert "properties" not in check["report"], "they are its claims"


def test_a_violation_that_is_recorded_is_ok_and_has_its_trace(tmp_path: Path) -> None:
    (check,) = document_of(tmp_path, KNOWN)["checks"]
    claim = claims_of(check)["one_inside"]
    assert (check["result"], claim["result"], claim["recorded"]) == ("ok", "ok", True)
    assert claim["expected"] == {"verdict": "violated", "steps": 4}
    assert claim["steps"] == 4 == len(claim["document"]["steps"])
    assert claim["replay"].startswith("tidegate replay ")


def test_what_differs_is_said_at_its_claim_alone(tmp_path: Path) -> None:
    wrong_count = RECORDED.replace("transitions = 4", "transitions = 5")
    other, counts = document_of(tmp_path, DIFFERS, wrong_count)["checks"]
    claims = claims_of(other)
    assert claims["one_inside"]["differences"] == ["one_inside: recorded holds, found violated after 4 steps"]
    assert not claims["one_inside"]["recorded"]
    claims = claims_of(counts)
    assert claims["counts"]["differences"] == ["transitions: recorded 5, found 4"]
    assert (claims["one_inside"]["result"], claims["counts"]["result"]) == ("ok", "differs")


def test_what_could_not_be_run_leaves_each_of_its_claims_undecided(tmp_path: Path) -> None:
    """A claim of a check that broke down is not ok for want of a difference of its own."""
    (entry,) = records(tmp_path, RECORDED)
    why = GateDifference("", "it was ended by SIGKILL")
    broken = Result(entry, "broke down", Exit.INTERNAL, 0.5, None, (why,))
    ended = GateRun(datetime(2026, 1, 2), 1.0, Exit.INTERNAL, is_interrupted=False)
    (check,) = gate_document([broken], [], ended, SETTINGS)["checks"]
    assert check["report"] is None
    assert {claim["result"] for claim in check["claims"]} == {"broke down"}
    assert all(why.text in claim["differences"] for claim in check["claims"])
