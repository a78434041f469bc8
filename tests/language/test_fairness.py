"""Fairness in plain Python: which steps it is about, and whether a loop meets it."""

from __future__ import annotations

from tidegate.language.declare import Fairness
from tidegate.language.fairness import can_happen, groups_of, is_counted_step, meet_fairness
from tidegate.language.judge import initial_states
from tidegate.language.steptext import parse_steps
from tidegate.language.verdict import Step

from ..support.steps import run_of
from ..support.traces import bind_model

LOCK = bind_model("examples/lock.py:careful")


def test_a_group_for_each_value_of_a_parameter() -> None:
    (whole,) = groups_of(LOCK, Fairness(("take",), False))
    assert whole.text() == "take"
    per_client = list(groups_of(LOCK, Fairness(("take", "leave"), False, ("client",))))
    assert [group.text() for group in per_client] == [
        "take(client=A) or leave(client=A)",
        "take(client=B) or leave(client=B)",
    ]
    ((_, arguments),) = parse_steps(LOCK, "take(B)")
    (start,) = initial_states(LOCK)
    assert [group.has_step(LOCK, start, "take", arguments) for group in per_client] == [False, True]


def test_a_step_counts_where_it_changes_something() -> None:
    run = run_of(LOCK, "take(A); leave(A)")
    start, inside, outside = run.states()
    assert is_counted_step(LOCK, start, inside)
    assert not is_counted_step(LOCK, start, outside), "it is the same state"


def test_whether_a_group_can_happen() -> None:
    (start,) = initial_states(LOCK)
    inside = run_of(LOCK, "take(A)").states()[-1]
    take_b = list(groups_of(LOCK, Fairness(("take",), False, ("client",))))[1]
    assert can_happen(LOCK, take_b, start) and not can_happen(LOCK, take_b, inside)


def test_a_loop_is_weakly_fair_to_who_cannot_always_go_and_not_strongly() -> None:
    run = run_of(LOCK, "take(A); leave(A)")
    loop: list[Step] = list(run.steps)
    take_a, take_b = groups_of(LOCK, Fairness(("take",), False, ("client",)))
    taken = meet_fairness(LOCK, take_a, False, run.states(), loop)
    assert taken is not None and taken.step == 1
    weakly = meet_fairness(LOCK, take_b, False, run.states(), loop)
    assert weakly is not None and weakly.absent == (1,), "while A is inside B cannot enter"
    assert meet_fairness(LOCK, take_b, True, run.states(), loop) is None
