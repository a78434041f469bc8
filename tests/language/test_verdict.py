"""Verdicts: what coverage says of an action, and which limits cut."""

from __future__ import annotations

from tidegate.language.verdict import ActionCoverage, GuardCoverage, cutting_limits

from ..support.steps import run_of
from ..support.traces import bind_model

GUARD = GuardCoverage("s.up", 3, False, 5, 0)
LIMIT = GuardCoverage("s.count < top", 4, True, 5, 2)
OPEN = GuardCoverage("s.count < top", 4, True, 5, 5)


def test_a_limit_cuts_where_it_stopped_something_and_a_guard_never_does() -> None:
    assert [guard.cuts for guard in (GUARD, LIMIT, OPEN)] == [False, True, False]
    actions = [ActionCoverage("one", 2, False, (GUARD, LIMIT)), ActionCoverage("other", 5, False, (OPEN,))]
    assert list(cutting_limits(actions)) == [("one", LIMIT)]


def test_an_action_that_should_have_happened() -> None:
    never, off, stopped = (
        ActionCoverage("a", 0, False, ()),
        ActionCoverage("a", 0, True, ()),
        ActionCoverage("a", 0, False, (), stopped_by="bounded"),
    )
    assert [action.never_happened for action in (never, off, stopped)] == [True, False, False]
    assert ActionCoverage("a", 1, False, (), stopped_by="bounded").happened_despite
    assert not stopped.happened_despite


def test_the_states_of_a_run_begin_with_its_start() -> None:
    run = run_of(bind_model("examples/die_hard.py"), "fill_big; big_to_small")
    assert [(state.small, state.big) for state in run.states()] == [(0, 0), (0, 5), (3, 2)]
