"""What else could happen in a state, and why the rest could not."""

from __future__ import annotations

from tidegate.language.judge import instances, run_text, steps
from tidegate.language.steptext import format_step
from tidegate.traces.choices import disabled_steps

from ..support.courier import MODEL, SWAPPED


def test_why_disabled_agrees_with_what_happens() -> None:
    state = run_text(MODEL, SWAPPED).states()[2]
    shown = {row["step"] for row in disabled_steps(MODEL, state)}
    enabled = {format_step(step.action, step.arguments) for step in steps(MODEL, state)}
    assert shown.isdisjoint(enabled)
    assert shown | enabled == {format_step(action.name, given_) for action, given_ in instances(MODEL, state)}
