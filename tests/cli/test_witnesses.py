"""`check --witness` and `replay --shrink` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

from ..conftest import Run

LOCK = "examples/lock.py"


def test_witnesses_are_shown_beside_the_verdict_and_saved(tidegate: Run, tmp_path: Path) -> None:
    asked = ["--witness", "somebody_inside", "--witness", "longest"]
    done = tidegate("check", f"{LOCK}:careful", *asked, "--out", str(tmp_path))
    assert done.exit == 0
    assert "a witness of somebody_inside after 1 step" in done.out
    assert "the longest run to take, 1 step" in done.out
    assert "the longest run to leave, 2 steps" in done.out
    saved = json.loads((tmp_path / "longest-leave.trace.json").read_text(encoding="utf-8"))
    assert [step["step"] for step in saved["steps"]] == ["take(A)", "leave(A)"]


def test_a_witness_of_nothing_is_refused_with_what_there_is(tidegate: Run) -> None:
    for name, reported in (
        ("somebody_insid", "the model has no such witness; did you mean somebody_inside"),
        ("longest:tak", "the model has no action tak; did you mean take"),
    ):
        done = tidegate("check", f"{LOCK}:careful", "--witness", name)
        assert (done.exit, done.out) == (64, "")
        assert reported in done.err


def test_what_was_not_met_is_said(tidegate: Run) -> None:
    done = tidegate("check", f"{LOCK}:careful", "--witness", "longest:look")
    assert done.exit == 0
    assert "no trace of longest:look: this search did not reach it" in done.out


def test_shrinking_needs_a_failure(tidegate: Run) -> None:
    done = tidegate("replay", f"{LOCK}:careful", "--shrink", "--steps", "take(A)")
    assert (done.exit, done.out) == (64, "")
    assert "no property fails along these steps" in done.err
