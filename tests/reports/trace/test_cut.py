"""A run that is very long is shown by its ends."""

from __future__ import annotations

import pytest
from tidegate.language.binding import load
from tidegate.language.judge import initial_states, run_text
from tidegate.language.verdict import Run
from tidegate.reports.text_page import TextFormat
from tidegate.reports.trace.cut import cut_trace
from tidegate.reports.trace.states import document_states
from tidegate.reports.trace.terminal import trace_page
from tidegate.traces.document import run_document

from ...conftest import ROOT
from ...traces.test_document import VALIDATOR


def test_a_run_that_is_very_long_is_whole_and_shown_by_its_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidegate.reports.trace.cut.MAX_STEPS", 200)
    monkeypatch.setattr("tidegate.reports.trace.cut.KEPT_STEPS", 20)
    model = load(ROOT / "examples" / "lock.py").bind(profile="careful")
    once = run_text(model, "take(A); leave(A)").steps
    document = run_document(model, Run(next(iter(initial_states(model))), once * 101))
    VALIDATOR.validate(document)
    assert [step["i"] for step in document["steps"]] == list(range(1, 203))
    assert document["truncated"] is None and cut_trace(document)["truncated"] is not None
    shown = cut_trace(document)
    VALIDATOR.validate(shown)
    assert [step["i"] for step in shown["steps"]] == [*range(1, 21), *range(183, 203)]
    assert shown["truncated"]["says"] == "steps 21 to 182 of 202 are left out"
    assert set(shown["states"]["183"]) == {"held", "place"} == set(shown["states"]["0"])
    assert dict(document_states(shown)) == {at: state for at, state in document_states(document) if at < 21 or at > 182}
    shown = trace_page(document, TextFormat(width=100)).text()
    numbers = [int(line[:5]) for line in shown.splitlines() if line[:5].strip().isdecimal()]
    assert numbers == [*range(1, 21), *range(183, 203)]
    assert "  ... steps 21 to 182 of 202 are left out ...\n" in shown
    assert document["replay"] not in shown and "tidegate replay FILE.trace.json" in shown
