"""Sentences: the first line of an action's docstring, read as a template over the state before the step."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.binding import load
from tidegate.language.judge import initial_states, run_text
from tidegate.language.values import ModelError
from tidegate.traces.document import run_document
from tidegate.traces.sentences import action_sentence, split_template

from ..support.courier import COURIER, MODEL, SWAPPED, document_of


def test_every_step_has_its_sentence_in_the_state_before_it() -> None:
    assert [step["sentence"] for step in document_of(SWAPPED)["steps"]] == [
        "{A} wake up.",
        "Letter 0 is written to A.",
        "Letter 1 is written to A.",
        "A gets letter 1, 0 on the shelf already.",
        "A gets letter 0, 1 on the shelf already.",
    ]


def test_a_template_may_hold_any_expression_and_braces() -> None:
    pieces = list(split_template("{{x}} {d['k'][1:]}, {len({1, 2})}."))
    assert "".join(piece if isinstance(piece, str) else "#" for piece in pieces) == "{x} #, #."
    for wrong in ("{x", "x}", "{}", "{1 +}"):
        with pytest.raises(SyntaxError):
            list(split_template(wrong))


def test_a_sentence_that_cannot_be_filled_in_is_an_error_but_spoils_no_trace() -> None:
    start = next(initial_states(MODEL))
    deliver = MODEL.action("deliver")
    with pytest.raises(ModelError):
        action_sentence(MODEL, deliver, start, {"letter": None})


def test_a_sentence_that_breaks_says_why_in_the_trace(tmp_path: Path) -> None:
    path = tmp_path / "follower.py"
    text = (COURIER.parent / "follower.py").read_text(encoding="utf-8")
    path.write_text(text.replace("The higher one goes on.", "On from {6 // s.high}."), encoding="utf-8")
    document = run_document(model := load(path).bind(), run_text(model, "lead; lead"))
    first, second = (step["sentence"] for step in document["steps"])
    assert first.startswith("lead (the sentence in its docstring cannot be filled in: ") and "zero" in first
    assert second == "On from 6."
