"""The plain engine: published counts, endings, coverage, and agreement with the native engine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tidegate.invariants.replication as properties
import tidegate.model.replication as replication
from tidegate.explorer.native.search import check as native
from tidegate.explorer.plain import check
from tidegate.explorer.search import Progress, Search
from tidegate.language.binding import load
from tidegate.language.judge import attempt, format_run, initial_states, replay
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict
from tidegate.reports.check.terminal import check_headline
from tidegate.reports.exits import Exit, exit_of_verdict

from ..conftest import ROOT
from ..support.engines import bind_text, text_of

COURIER = load(ROOT / "tests" / "fixtures" / "models" / "courier.py")
REPLICATION = load(replication, properties=(properties,))
ENGINE = sys.modules[check.__module__]
EVERYTHING = Search(keep_going=True)


def courier(**constants: Any) -> Model:
    return COURIER.bind(constants=constants)


def words(verdict: Verdict) -> dict[str, str]:
    return {prop.name: prop.verdict for prop in verdict.properties}


# --- counts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("profile", "states", "depth"),
    [
        ("truncate_to_hw", 1251, 16),
        ("kip101", 1177, 15),
        ("kip279", 1177, 15),
        ("kip320_first_try", 1165, 15),
        ("kip320", 957, 15),
    ],
)
def test_counts_of_the_published_replication(profile: str, states: int, depth: int) -> None:
    bounds = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1}
    verdict = check(REPLICATION.bind(profile=profile, constants=bounds, ghosts=False), EVERYTHING)
    assert (verdict.distinct_states, verdict.depth) == (states, depth)
    assert sum(level.states or 0 for level in verdict.levels) == states


def test_orbits_of_the_published_replication() -> None:
    bounds = {"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
    model = REPLICATION.bind(profile="kip320", constants=bounds, ghosts=False)
    verdict = check(model, Search(symmetry=True))
    assert (verdict.distinct_states, verdict.symmetry) == (1165, ("Replica",))


# --- endings ----------------------------------------------------------------------------------------------------------


def test_the_first_violation_ends_the_search_with_the_shortest_run() -> None:
    verdict = check(courier(), Search())
    assert (verdict.verdict, verdict.outcome) == ("violated", "safety")
    assert words(verdict)["shelves_are_sorted"] == "violated"
    assert words(verdict)["nothing_is_unwritten"] == "undecided"
    run = verdict.properties[0].run
    assert run is not None
    assert len(run.steps) == 4
    assert replay(courier(), run.start, [(step.action, step.arguments) for step in run.steps]) == run


def test_keeping_on_decides_everything() -> None:
    verdict = check(courier(), Search(keep_going=True))
    assert words(verdict) == {
        "shelves_are_sorted": "violated",
        "arrived_is_written": "holds",
        "nothing_is_unwritten": "holds",
        "most_have_letters": "reached",
    }
    assert verdict.verdict == "violated"


def test_a_witness_that_is_missing_beside_what_holds_is_a_warning() -> None:
    model = COURIER.bind(constants={"letters": 1, "people": 2})
    verdict = check(model, Search())
    assert words(verdict)["most_have_letters"] == "missing"
    assert (verdict.verdict, verdict.outcome, verdict.never_happens) == ("holds", "none", ("most_have_letters",))


def test_a_witness_that_is_missing_is_the_answer_where_witnesses_alone_were_asked_for() -> None:
    model = COURIER.bind(constants={"letters": 1, "people": 2}, properties=["most_have_letters"])
    verdict = check(model, Search())
    assert (verdict.verdict, verdict.outcome, exit_of_verdict(verdict)) == ("holds", "vacuous", Exit.VACUOUS)
    assert check_headline(verdict).startswith("✗ courier holds, but no state shows most_have_letters: ")


def test_an_action_that_never_happens_is_a_warning_unless_a_constant_says_so() -> None:
    spent = check(courier(letters=1, people=1, losses=0), Search())
    assert (spent.outcome, exit_of_verdict(spent), spent.never_happens[0]) == ("none", Exit.HOLDS, "lose")
    assert [action.name for action in spent.actions if not action.firings and not action.switched_off] == ["lose"]
    assert [action.name for action in spent.actions if action.switched_off] == ["err"]
    whole = check(courier(letters=1, people=1), Search())
    assert (whole.verdict, whole.outcome, whole.assurance) == ("holds", "none", "exhaustive within bounds")


def test_without_ghosts_what_reads_them_is_not_judged() -> None:
    verdict = check(COURIER.bind(constants={"letters": 1}, ghosts=False), Search())
    assert words(verdict)["arrived_is_written"] == "not_checked"


def test_a_broken_step_ends_the_search_before_it() -> None:
    verdict = check(courier(mistake="index"), Search())
    assert (verdict.verdict, verdict.outcome) == ("violated", "model_error")
    failure = verdict.failure
    assert failure is not None
    assert failure.message == "index 0 is outside a Seq of length 0"
    assert failure.where.startswith(str(COURIER.files[0]))
    assert failure.action == "err"
    assert format_run(courier(mistake="index"), failure.run) == "morning(true); write(A)"


def test_a_deadlock_is_no_bound() -> None:
    model = replace(courier(letters=1), terminals=())
    verdict = check(model, Search())
    assert (verdict.verdict, verdict.outcome) == ("violated", "deadlock")
    assert verdict.failure is not None
    assert verdict.failure.run.steps[-1].action == "close"


def test_a_time_limit_is_inconclusive_and_says_what_was_explored() -> None:
    verdict = check(courier(), Search(seconds=0))
    assert (verdict.verdict, verdict.outcome) == ("inconclusive", "none")
    assert verdict.assurance == "none: the time limit of 0 s was reached"
    assert (verdict.distinct_states or 0) > 2
    assert words(verdict)["shelves_are_sorted"] == "undecided"


def test_a_time_limit_holds_between_two_choices_of_one_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ENGINE, "CHOICES_BETWEEN_LOOKS", 1)
    verdict = check(courier(), Search(seconds=0))
    assert verdict.assurance == "none: the time limit of 0 s was reached"
    assert verdict.distinct_states == len(list(initial_states(courier())))


def test_a_memory_limit_is_inconclusive() -> None:
    verdict = check(courier(), Search(memory_bytes=1))
    assert verdict.verdict == "inconclusive"
    assert "memory" in verdict.assurance


def test_ctrl_c_still_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ENGINE, "attempt", _interrupted_after(30, attempt))
    verdict = check(courier(), Search())
    assert (verdict.verdict, verdict.assurance) == ("inconclusive", "none: stopped by Ctrl-C")
    assert (verdict.distinct_states or 0) > 2


def _interrupted_after(count: int, call: Callable[..., Any]) -> Callable[..., Any]:
    left = iter(range(count))

    def interrupt_after(*arguments: Any) -> Any:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return call(*arguments)

    return interrupt_after


def test_progress_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ENGINE, "REPORT_SECONDS", 0)
    reported: list[Progress] = []
    verdict = check(courier(), Search(keep_going=True), reported.append)
    assert [progress.distinct for progress in reported] == sorted(progress.distinct for progress in reported)
    assert (reported[-1].distinct, reported[-1].frontier) == (verdict.distinct_states, 0)


# --- coverage ---------------------------------------------------------------------------------------------------------


def test_every_conjunct_limit_and_budget_is_counted() -> None:
    verdict = check(courier(), Search(keep_going=True))
    write, lose = ({action.name: action for action in verdict.actions}[name] for name in ("write", "lose"))
    assert [(guard.text, guard.is_limit) for guard in write.guards] == [
        ("s.office == Office.OPEN", False),
        ("to in s.awake", False),
        ("s.written < letters", True),
        ("len(s.bag) < 2", True),
    ]
    first, *others = write.guards
    assert first.evaluations == 2 * (verdict.distinct_states or 0), "one for each person in each state"
    assert all(later.evaluations == earlier.passes for earlier, later in zip(write.guards, others, strict=False))
    assert write.guards[-1].passes == write.firings
    (budget,) = lose.guards
    assert (budget.text, budget.is_limit, budget.passes) == ("losses_left > 0", True, lose.firings)
    assert budget.evaluations > budget.passes
    assert sum(action.firings for action in verdict.actions) == verdict.transitions


# --- the native engine ------------------------------------------------------------------------------------------------


def comparable(verdict: Verdict) -> dict[str, Any]:
    """What two engines must agree on. A search that a broken step ended has counted as far as it came."""
    failure = verdict.failure
    if failure is not None:
        return {"outcome": verdict.outcome, "failure": (failure.message, failure.where, failure.action)}
    return {
        "word": (verdict.verdict, verdict.outcome, verdict.assurance),
        "counts": (verdict.distinct_states, verdict.transitions, verdict.depth),
        "levels": [level.states for level in verdict.levels],
        "properties": [(prop.name, prop.verdict, prop.run and len(prop.run.steps)) for prop in verdict.properties],
        "actions": [(action.name, action.firings, action.switched_off) for action in verdict.actions],
    }


def cuts(verdict: Verdict) -> list[tuple[str, int]]:
    """How often each limit stopped a step."""
    guards = [guard for action in verdict.actions for guard in action.guards if guard.is_limit]
    return [(guard.text, guard.evaluations - guard.passes) for guard in guards]


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("constants", [{}, {"people": 3, "letters": 1}, {"mistake": "capacity"}], ids=str)
def test_the_engines_agree(constants: dict[str, Any], symmetry: bool) -> None:
    model = courier(**constants)
    search = Search(symmetry=symmetry, keep_going=True)
    assert comparable(native(model, search)) == comparable(check(model, search))


def test_the_engines_agree_on_what_is_at_the_bound() -> None:
    assert cuts(native(courier(), EVERYTHING)) == cuts(check(courier(), EVERYTHING))
    model = replace(courier(letters=1, losses=0), terminals=())
    assert native(model, Search()).outcome == check(model, Search()).outcome == "deadlock"


BREAKS = """
@action
def up(s: World, by: Small) -> None:
    '''Up, which breaks the type from 2 on.'''
    require(0 < by < 3)
    s.count += by
"""


@pytest.mark.parametrize(
    "claim", ["", "\n@invariant\ndef low(s: World) -> bool:\n    '''Low.'''\n    return s.count < 2\n"]
)
def test_a_level_that_is_cut_short_counts(claim: str, tmp_path: Path) -> None:
    """The depth says how far the search came, as the native engine's does."""
    model = bind_text(tmp_path, text_of("count: Small", "count=0", BREAKS + claim))
    mine = check(model, Search())
    assert mine.outcome == ("safety" if claim else "model_error")
    assert (mine.depth, sum(level.states or 0 for level in mine.levels)) == (2 if claim else 3, mine.distinct_states)
    assert native(model, Search()).depth == mine.depth


def test_steps_are_counted_once_all_states_are_expanded(tmp_path: Path) -> None:
    """An engine that stops within a state has looked at other steps of it than another."""
    model = bind_text(tmp_path, text_of("count: Small", "count=0", BREAKS))
    for engine in (check, native):
        broken = engine(model, Search())
        assert (broken.outcome, broken.transitions) == ("model_error", None)
    model = bind_text(tmp_path, text_of("count: Small", "count=0", BREAKS.replace("s.count += by", "s.count = by")))
    assert check(model, Search()).transitions == native(model, Search()).transitions == 6
