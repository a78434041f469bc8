"""The judge: what happens, what does not and why, and what is an error of the model, at the author's line."""

from __future__ import annotations

import linecache
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidegate.language.binding import load
from tidegate.language.judge import (
    StoppedStep,
    attempt,
    format_run,
    holds,
    initial_states,
    instances,
    is_deadlock,
    is_terminal,
    replay,
    run_text,
    steps,
)
from tidegate.language.model import Model
from tidegate.language.steptext import StepError, format_step, parse_steps, split_steps
from tidegate.language.values import ModelError, Seq, Set, State, value_text
from tidegate.language.verdict import Run, Step

from ..conftest import ROOT

COURIER = ROOT / "tests" / "fixtures" / "models" / "courier.py"
DEFINITION = load(COURIER)


def courier(**constants: Any) -> Model:
    return DEFINITION.bind(constants=constants)


MODEL = courier(people=2)


def walk(model: Model, seed: int, length: int = 12) -> Run:
    """A random run."""
    random = Random(seed)
    start = random.choice(list(initial_states(model)))
    state, taken = start, list[Step]()
    for _ in range(length):
        choices = list(steps(model, state))
        if not choices:
            break
        taken.append(random.choice(choices))
        state = taken[-1].state_after
    return Run(start, tuple(taken))


# --- what happens -----------------------------------------------------------------------------------------------------


def test_initial_functions_range_over_their_parameters() -> None:
    asleep, awake = initial_states(MODEL)
    assert value_text(asleep.awake) == "{}"
    assert value_text(awake.awake) == "{A, B}"
    assert awake.losses_left == 1, "a budget is a field, whole at first"


def test_instances_come_in_one_order() -> None:
    start = run_text(MODEL, "morning(true); write(A); write(B)").states()[-1]
    written = [format_step(action.name, arguments) for action, arguments in instances(MODEL, start)]
    assert written == [
        "wake({})", "wake({A})", "wake({B})", "wake({A, B})",
        "write(A)", "write(B)",
        "deliver(Letter(to=A, number=0))", "deliver(Letter(to=B, number=1))",
        "lose(Letter(to=A, number=0))", "lose(Letter(to=B, number=1))",
        "close",
    ]  # fmt: skip


def test_a_scenario() -> None:
    run = run_text(
        MODEL, "wake({A}); write(A); deliver(Letter(A, 0)); wake({B}); write(to=B); lose(Letter(B, 1)); close"
    )
    first, second, third, *_, last = (step.state_after for step in run.steps)
    assert value_text(first.awake) == "{A}"
    assert value_text(second.bag) == "Bag(Letter(to=A, number=0))"
    assert (value_text(third.shelf), value_text(third.last), value_text(third.arrived)) == (
        "{A: [Letter(to=A, number=0)], B: []}", "A", "{0}",
    )  # fmt: skip
    assert last.losses_left == 0
    assert is_terminal(MODEL, last)
    assert holds(MODEL, MODEL.properties[0], last)


def test_states_that_were_left_stay_as_they_were() -> None:
    for seed in range(20):
        run = walk(MODEL, seed)
        before = [hash(state) for state in run.states()]
        for state in run.states():
            list(steps(MODEL, state))
        assert [hash(state) for state in run.states()] == before
        assert replay(MODEL, run.start, [(step.action, step.arguments) for step in run.steps]) == run


def test_two_searches_through_one_model_do_not_meet() -> None:
    asleep, awake = initial_states(MODEL)
    together = list(zip(steps(MODEL, asleep), steps(MODEL, awake), strict=False))
    alone = list(zip(list(steps(MODEL, asleep)), list(steps(MODEL, awake)), strict=False))
    assert together == alone


# --- what does not ----------------------------------------------------------------------------------------------------


def why(text: str, model: Model = MODEL) -> str:
    with pytest.raises(StepError) as error:
        run_text(model, text)
    return str(error.value)


def test_a_disabled_step_names_its_guard_and_what_is_enabled() -> None:
    assert why("write(A)") == (
        "step 1, write(A), is disabled: to in s.awake is false; enabled here: wake({A}); wake({B}); wake({A, B})"
    )
    assert why("wake({A}); deliver(Letter(B, 1))").startswith(
        "step 2, deliver(Letter(to=B, number=1)), is disabled: letter in s."
    )
    assert why("wake({A}); wake({A, B})").startswith(
        "step 2, wake({A, B}), is disabled: len(who & s.awake) == 0 is false"
    )


def test_a_bound_is_not_a_guard() -> None:
    full = "wake({A}); write(A); write(A); write(A)"
    assert "step 4, write(A), is blocked by the model's bound: s.written < letters is false" in why(full)
    spent = "wake({A}); write(A); write(A); lose(Letter(A, 0)); lose(Letter(A, 1))"
    assert "step 5, lose(Letter(to=A, number=1)), is blocked by the model's bound: the budget losses is spent" in why(
        spent
    )


def test_what_stops_a_step_knows_its_line() -> None:
    asleep, awake = initial_states(MODEL)
    write = MODEL.action("write")
    person = MODEL.namespace["Person"](0)
    stopped = attempt(MODEL, asleep, write, {"to": person})
    assert isinstance(stopped, StoppedStep)
    assert not stopped.is_limit
    assert "to in s.awake" in linecache.getline(str(COURIER), stopped.line)
    assert isinstance(attempt(MODEL, awake, write, {"to": person}), State)


def test_a_spent_budget_stops_before_any_write() -> None:
    model = courier(losses=0)
    state = run_text(model, "wake({A}); write(A)").states()[-1]
    lose, letter = model.action("lose"), next(iter(state.bag))
    assert attempt(model, state, lose, {"letter": letter}) == StoppedStep(True, 0, "losses")


def test_deadlock_is_reported_from_the_bound_and_from_the_end() -> None:
    run = run_text(MODEL, "morning(true); write(A); write(B); deliver(Letter(A, 0)); deliver(Letter(B, 1)); close")
    assert not any(is_deadlock(MODEL, state) for state in run.states())
    last = run.states()[-1]
    assert not list(steps(MODEL, last))
    assert is_terminal(MODEL, last)
    assert is_deadlock(replace(MODEL, terminals=()), last)


# --- errors of the model ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mistake", "message", "line"),
    [
        ("RANGE", "written: 3 is outside 0..2", "s.written = letters + 1"),
        ("CAPACITY", "shelf[A] is full: its capacity is 3", "s.shelf[person].append"),
        ("INDEX", "index 0 is outside a Seq of length 0", "s.shelf[person][0].number"),
        ("MISSING", "none is not a key of this Map; its keys are A, B", "s.shelf[s.last].truncate(0)"),
        ("DIVISION", "division by zero", "1 // (s.written - 1)"),
        ("ASSERTION", "failed: assert s.written == 0", "assert s.written == 0"),
    ],
)
def test_an_error_names_the_authors_line_and_the_step(mistake: str, message: str, line: str) -> None:
    model = courier(mistake=mistake)
    with pytest.raises(ModelError) as error:
        run_text(model, "wake({A}); write(A); err(A)")
    assert error.value.message == message
    assert error.value.file == str(COURIER)
    assert line in linecache.getline(error.value.file, error.value.line)
    assert error.value.where == f"{COURIER}:{error.value.line}"
    assert format_step(error.value.action or "", error.value.arguments or {}) == "err(A)"


def test_a_property_that_cannot_be_evaluated_is_an_error(tmp_path: Path) -> None:
    text = COURIER.read_text() + (
        "\n\n@invariant\ndef first_is_first(s: Town) -> bool:\n"
        '    """Wrong."""\n    return all(s.shelf[p][0].number == 0 for p in Person)\n'
    )
    path = tmp_path / "wrong.py"
    path.write_text(text)
    model = load(path).bind(properties=["first_is_first"])
    with pytest.raises(ModelError, match="index 0 is outside a Seq of length 0") as error:
        holds(model, model.properties[0], next(initial_states(model)))
    assert error.value.line == text[: text.index("return all(s.shelf[p][0]")].count("\n") + 1


# --- ghosts -----------------------------------------------------------------------------------------------------------


def test_without_ghosts_writes_to_them_vanish() -> None:
    model = DEFINITION.bind(ghosts=False)
    for seed in range(10):
        run = walk(DEFINITION.bind(), seed)
        plain = run_text(model, format_run(model, run)) if run.start.awake == Set() else None
        if plain is not None:
            kept = [field.name for field in model.fields]
            assert [[getattr(s, name) for name in kept] for s in plain.states()] == [
                [getattr(s, name) for name in kept] for s in run.states()
            ]
    assert not hasattr(next(initial_states(model)), "arrived")
    ghostly = next(prop for prop in model.properties if prop.name == "arrived_is_written")
    with pytest.raises(ValueError, match="reads ghosts"):
        holds(model, ghostly, next(initial_states(model)))


# --- text -------------------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_a_run_is_read_back_from_its_text(seed: int, people: int) -> None:
    model = courier(people=people)
    run = walk(model, seed)
    assert run_text(model, format_run(model, run)) == run


def test_steps_are_parted_outside_brackets() -> None:
    assert split_steps("a; b(c; d)\n e({1}) ;;") == ["a", "b(c; d)", "e({1})"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wrte(A)", "step 1, wrte(A): there is no 'wrte'; did you mean write?"),
        ("close; fly", "step 2, fly: there is no 'fly'; the names are wake, write, deliver, lose, close, err"),
        ("write(C)", "step 1, write(C): C is not one of A, B"),
        ("write", "step 1, write: it needs to"),
        ("write(A, B)", "step 1, write(A, B): it takes 1 arguments, not 2"),
        ("write(from_=A)", "step 1, write(from_=A): it has no parameter from_; it takes to"),
        ("write(A", "step 1, write(A: it is not written as name(argument, ...)"),
        ("deliver(A)", "step 1, deliver(A): A is not written as Letter(...)"),
        ("deliver(Letter(A))", "step 1, deliver(Letter(A)): Letter needs number"),
        ("deliver(Letter(A, 9))", "step 1, deliver(Letter(A, 9)): 9 is not one of 0, 1, 2"),
        ("wake(A)", "step 1, wake(A): A is not a Set"),
    ],
)
def test_text_that_cannot_be_read_says_what_to_write(text: str, message: str) -> None:
    with pytest.raises(StepError) as error:
        parse_steps(MODEL, text)
    assert str(error.value) == message


@pytest.mark.parametrize("text", ["wake({A, B})", "wake(Set({A, B}))", "wake(Set(A, B))", "wake(who=[A, B])"])
def test_a_set_may_be_written_in_several_ways(text: str) -> None:
    assert format_step(*_parse_step(text)) == "wake({A, B})"


def _parse_step(text: str) -> tuple[str, dict[str, Any]]:
    ((action, arguments),) = parse_steps(MODEL, text)
    return action.name, arguments


def test_the_beginning_is_named_unless_it_is_the_first() -> None:
    assert format_run(MODEL, run_text(MODEL, "wake({A})")) == "wake({A})"
    assert format_run(MODEL, run_text(MODEL, "morning(everyone=true); write(A)")) == "morning(true); write(A)"


def test_plain_python_can_be_stepped_by_hand() -> None:
    """The README's promise: a model runs without compiling, and a step is an ordinary value."""
    state = next(initial_states(MODEL))
    for step in islice(steps(MODEL, state), 1):
        assert (step.action, step.arguments["who"]) == ("wake", {MODEL.namespace["Person"](0)})
        assert step.state_after.shelf[MODEL.namespace["Person"](0)] == Seq()
