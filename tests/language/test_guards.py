"""Probes of guards: each conjunct is counted where Python evaluates it, and says what is false."""

from __future__ import annotations

from tidegate.language.guards import PassingProbes, guards_of, insert_probes
from tidegate.language.judge import attempt, initial_states, instances
from tidegate.language.model import Model

from ..support.steps import run_of
from ..support.traces import bind_model


def lock() -> Model:
    return bind_model("examples/lock.py:careless")


def test_a_conjunct_behind_a_false_one_is_not_evaluated() -> None:
    model = lock()
    look = model.action("look")
    function, probes = insert_probes(look.run)
    (start,) = initial_states(model)
    (first, *_) = [arguments for action, arguments in instances(model, start) if action is look]
    attempt(model, start, look, first, function)
    assert [conjunct.text for conjunct in probes.conjuncts] == [
        "not compare_and_set", "s.place[client] == Place.OUTSIDE", "not s.held",
    ]  # fmt: skip
    assert [probes.counts(number) for number in range(3)] == [(1, 1)] * 3
    held = run_of(model, "look(B); take(B)").states()[-1]
    attempt(model, held, look, first, function)
    assert probes.counts(2) == (2, 1)
    assert probes.false is not None and probes.false.text == "not s.held"
    probes.restart()
    assert probes.counts(0) == (0, 0) == probes.counts(None)


def test_passing_probes_let_the_step_happen_and_count_what_was_false() -> None:
    model = lock()
    leave = model.action("leave")
    passing = PassingProbes()
    function, _ = insert_probes(leave.run, passing)
    (start,) = initial_states(model)
    arguments = next(arguments for action, arguments in instances(model, start) if action is leave)
    after = attempt(model, start, leave, arguments, function)
    assert after == start, "who is outside leaves to where it is"
    assert passing.missed == 1


def test_guards_are_found_in_every_branch() -> None:
    model = bind_model("examples/lock.py:careless", compare_and_set=False)
    assert [guard.text for guard in guards_of(model.action("take").form.body)] == [
        "s.place[client] == Place.AT_THE_DOOR"
    ]
