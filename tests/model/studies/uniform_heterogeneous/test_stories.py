"""The coordinator's assignor for members that subscribe to different topics, as stories."""

from __future__ import annotations

from tidegate.language.judge import holds, initial_states, is_terminal, steps

from ....support.shipped import bind_shipped

MODEL = bind_shipped("uniform_heterogeneous")


def test_from_every_beginning_one_assignment_is_made_and_is_legal() -> None:
    start = next(iter(initial_states(MODEL)))
    (step,) = steps(MODEL, start)
    assert step.action == "assign" and not list(steps(MODEL, step.state_after))
    assert is_terminal(MODEL, step.state_after)


def test_owners_have_subscribed_and_the_target_is_balanced() -> None:
    start = next(iter(initial_states(MODEL)))
    (step,) = steps(MODEL, start)
    for prop in MODEL.properties:
        if prop.kind == "invariant":
            assert holds(MODEL, prop, step.state_after), prop.name
