"""Steps as text: written, read again, and refused with the step and the reason."""

from __future__ import annotations

import pytest
from tidegate.language.judge import initial_states, steps
from tidegate.language.steptext import StepError, format_step, parse_start, parse_steps, split_steps, step_name

from ..support.traces import bind_model


def test_what_is_written_is_read_again() -> None:
    model = bind_model("tests/fixtures/models/courier.py")
    for state in initial_states(model):
        for step in steps(model, state):
            text = format_step(step.action, step.arguments)
            ((action, arguments),) = parse_steps(model, text)
            assert (action.name, arguments) == (step.action, dict(step.arguments)), text


def test_steps_are_parted_outside_brackets() -> None:
    assert split_steps("a(b;c); d\n e ;; ") == ["a(b;c)", "d", "e"]
    assert [step_name(step) for step in ("take(A)", "leave", "move (x)")] == ["take", "leave", "move"]


def test_an_argument_alone_needs_no_name() -> None:
    assert format_step("stop", {}) == "stop"
    assert format_step("take", {"client": 1}) == "take(1)"
    assert format_step("move", {"source": 1, "target": 2}) == "move(source=1, target=2)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("take(A); tke(B)", "step 2, tke(B): there is no 'tke'; did you mean take?"),
        ("take", "step 1, take: it needs client"),
        ("take(A, B)", "step 1, take(A, B): it takes 1 arguments, not 2"),
        ("take(who=A)", "step 1, take(who=A): it has no parameter who; it takes client"),
        ("take(A", "step 1, take(A: it is not written as name(argument, ...)"),
    ],
)
def test_what_cannot_be_read_says_which_step_and_why(text: str, said: str) -> None:
    with pytest.raises(StepError) as caught:
        parse_steps(bind_model("examples/lock.py"), text)
    assert str(caught.value) == said


def test_a_start_has_its_arguments() -> None:
    initial, arguments = parse_start(bind_model("tests/fixtures/models/courier.py"), "morning(everyone=True)")
    assert (initial.name, arguments) == ("morning", {"everyone": True})
