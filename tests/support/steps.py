"""Runs from the text of their steps, taken by the judge."""

from __future__ import annotations

from tidegate.language.judge import initial_states, run_text
from tidegate.language.model import Model
from tidegate.language.verdict import Run


def run_of(model: Model, text: str) -> Run:
    """The run of these steps, from the model's only initial state."""
    assert len(list(initial_states(model))) == 1
    return run_text(model, text)
