"""Bounded checking: lengths as the explorer's, plain Python's word on every run, limits that are heeded.

Also of: `circuits`, `cnf`, `sat`, `unrolling`.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import z3
from tidegate.cli.main import main
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Progress, Search
from tidegate.explorer.smt import bmc, circuits, cnf, sat, unrolling
from tidegate.explorer.smt.encoding import finite
from tidegate.explorer.smt.predicate import predicate
from tidegate.explorer.smt.states import fresh_state
from tidegate.gates.records import named_bounds
from tidegate.invariants.catalogue import find
from tidegate.language.model import Model
from tidegate.language.steptext import StepError
from tidegate.language.verdict import DisagreementError, Verdict
from tidegate.reports.exits import Exit

from ...conftest import ROOT
from ...support.commands import run_interrupted, run_without
from ...support.engines import bind_text, length, text_of
from ...support.shipped import tiered_rows

SHORT: list[tuple[str, str, dict[str, int], str, int]] = [
    ("replication:truncate_to_hw", "one_record", {}, "weak_isr", 8),
    ("replication:truncate_to_hw", "two_replicas", {}, "strong_isr", 9),
    ("replication:truncate_to_hw", "two_replicas", {}, "true_high_watermark_never_decreases", 9),
    ("replication:truncate_to_hw", "two_replicas", {}, "no_truncation_below_true_high_watermark", 9),
    ("raft:no_fsync", "two_elections", {}, "committed_entries_reach_majority", 8),
    ("raft:empty_disk", "two_elections", {}, "terms_never_decrease", 2),
    ("raft:empty_disk", "two_elections", {}, "election_safety", 9),
    ("raft:check_quorum", "small", {}, "no_disruption", 7),
]


def model_of(name: str, bounds: str | None = None, properties: tuple[str, ...] = (), **constants: Any) -> Model:
    definition, profile = find(name)
    settings = {**(named_bounds(name)[bounds] if bounds else {}), **constants}
    return definition.bind(name, profile=profile, constants=settings, properties=properties or None)


def small(folder: Path, fields: str, start: str, body: str, **options: Any) -> Model:
    return bind_text(folder, text_of(fields, start, body), **options)


def check_bounded(model: Model, depth: int, **options: Any) -> Verdict:
    return bmc.check(model, Search(depth=depth, **options))


# --- agreement --------------------------------------------------------------------------------------------------------


ORDINARY = ("weak_isr", "terms_never_decrease", "no_disruption")
"""A property of each kind, of three models; the others are alike."""


@pytest.mark.parametrize(
    ("name", "bounds", "constants", "prop", "steps"),
    tiered_rows(SHORT, lambda row: row[3] in ORDINARY),
    ids=str,
)
def test_lengths_are_the_explorers(name: str, bounds: str, constants: Any, prop: str, steps: int) -> None:
    model = model_of(name, bounds, (prop,), **constants)
    mine = check_bounded(model, steps)
    theirs = ENGINES["native"](model, Search(symmetry=True), None)
    assert mine.outcome == theirs.outcome == "safety"
    assert length(mine.properties[0].run) == length(theirs.properties[0].run) == steps
    assert mine.assurance == "a counterexample, the shortest, replayed in plain Python"


def test_one_step_less_is_not_enough() -> None:
    verdict = check_bounded(model_of("raft:check_quorum", "small", ("no_disruption",)), 6)
    assert (verdict.verdict, verdict.outcome) == ("holds", "none")
    assert verdict.assurance == "bounded to depth 6"
    assert [prop.verdict for prop in verdict.properties] == ["holds"]


COUNTER = "count: Small"
STEPS = """
@action
def step(s: World) -> None:
    '''One more.'''
    limit(s.count < 3)
    s.count += 1


@invariant
def small(s: World) -> bool:
    '''It is small.'''
    return s.count < 2


@transition
def slow(before: World, after: World) -> bool:
    '''It does not come to three.'''
    return after.count < 3


@reachable
def one(s: World) -> bool:
    '''One.'''
    return s.count == 1


@reachable
def many(s: World) -> bool:
    '''More than there can be.'''
    return s.count > 3
"""


def test_every_kind_of_property(tmp_path: Path) -> None:
    verdict = check_bounded(small(tmp_path, COUNTER, "count=0", STEPS), 5, keep_going=True)
    found = {prop.name: (prop.verdict, length(prop.run)) for prop in verdict.properties}
    assert found == {
        "small": ("violated", 2),
        "slow": ("violated", 3),
        "one": ("reached", 1),
        "many": ("undecided", None),
    }
    first = check_bounded(small(tmp_path, COUNTER, "count=0", STEPS), 5)
    assert {prop.name: prop.verdict for prop in first.properties} == {
        "small": "violated", "slow": "undecided", "one": "reached", "many": "undecided",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("s.count += 1", "4 is outside 0..3"),
        ("s.count = s.count + 1 + 0 // (2 - s.count)", "division by zero"),
        ("assert s.count < 1\n    s.count += 1", "assert s.count < 1"),
    ],
)
def test_steps_that_break_the_model(tmp_path: Path, body: str, message: str) -> None:
    text = f"@action\ndef step(s: World) -> None:\n    '''A step.'''\n    {body}\n"
    model = small(tmp_path, COUNTER, "count=0", text)
    mine, theirs = check_bounded(model, 5), ENGINES["python"](model, Search(), None)
    assert mine.outcome == theirs.outcome == "model_error"
    assert mine.failure is not None and theirs.failure is not None
    assert message in mine.failure.message and mine.failure.message == theirs.failure.message
    assert length(mine.failure.run) == length(theirs.failure.run)
    assert mine.failure.where == theirs.failure.where


def test_a_property_that_breaks(tmp_path: Path) -> None:
    body = STEPS.split("@invariant")[0] + (
        "@invariant\ndef odd(s: World) -> bool:\n    '''Odd.'''\n    return 4 // (2 - s.count) >= 0\n"
    )
    verdict = check_bounded(small(tmp_path, COUNTER, "count=0", body), 5)
    assert verdict.outcome == "model_error" and verdict.failure is not None
    assert verdict.failure.message == "odd: division by zero" and length(verdict.failure.run) == 2


def test_deadlock(tmp_path: Path) -> None:
    body = STEPS.split("@invariant")[0].replace("limit(", "require(")
    model = small(tmp_path, COUNTER, "count=0", body)
    verdict = check_bounded(model, 5)
    assert verdict.outcome == "deadlock" and verdict.failure is not None and length(verdict.failure.run) == 3
    ending = body + "\n\n@terminal\ndef done(s: World) -> bool:\n    '''Done.'''\n    return s.count == 3\n"
    assert check_bounded(small(tmp_path, COUNTER, "count=0", ending), 5).outcome == "none"
    assert check_bounded(small(tmp_path, COUNTER, "count=0", STEPS.split("@invariant")[0]), 5).outcome == "none"


def test_a_terminal_that_cannot_be_evaluated_breaks_the_model(tmp_path: Path) -> None:
    """As in the other engines: it is asked where nothing can happen, in order, up to the first that is true."""
    body = STEPS.split("@invariant")[0].replace("limit(", "require(")
    broken = "\n\n@terminal\ndef done(s: World) -> bool:\n    '''Done.'''\n    return 10 // (3 - s.count) > 0\n"
    ending = "\n\n@terminal\ndef high(s: World) -> bool:\n    '''High.'''\n    return s.count == 3\n"
    model = small(tmp_path, COUNTER, "count=0", body + broken + ending)
    for verdict in (check_bounded(model, 5), ENGINES["python"](model, Search(), None)):
        assert verdict.outcome == "model_error" and verdict.failure is not None
        assert (verdict.failure.message, length(verdict.failure.run)) == ("done: division by zero", 3)
    assert check_bounded(small(tmp_path, COUNTER, "count=0", body + ending + broken), 5).outcome == "none"


def test_messages_in_flight() -> None:
    verdict = check_bounded(model_of("raft:always_truncate", "delayed", ("two_leaders", "election_safety")), 6)
    assert verdict.assurance == "bounded to depth 6"


# --- what goes wrong --------------------------------------------------------------------------------------------------


def test_a_run_that_python_does_not_take_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise StepError("step 1 is disabled")

    monkeypatch.setattr(unrolling, "replay", refuse)
    with pytest.raises(DisagreementError, match="bmc found a run that plain Python does not take: step 1 is disabled"):
        check_bounded(model_of("raft:empty_disk", "two_elections", ("terms_never_decrease",)), 3)


def test_time_ends_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver has an hour, and three steps later none: it is not waited for."""
    model, solvers = model_of("raft", "four_terms", ("election_safety",)), list[sat.SatSolver]()

    class NotingSolver(sat.SatSolver):
        def __init__(self, *limits: Any) -> None:
            super().__init__(*limits)
            solvers.append(self)

    def late(progress: Progress) -> None:
        if progress.depth == 3:
            solvers[0].deadline = 0.0

    monkeypatch.setattr(bmc, "SatSolver", NotingSolver)
    verdict = bmc.check(model, Search(depth=60, seconds=3600.0), late)
    assert verdict.verdict == "inconclusive"
    assert verdict.assurance.startswith("none: the time limit was reached; no run of at most ")
    assert solvers[0].process.returncode is not None


def test_time_ends_it_while_formulas_become_clauses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is over before the first clause is made, and no solver begins."""

    def begin(*limits: Any) -> None:
        raise AssertionError("a solver began")

    monkeypatch.setattr(bmc, "SatSolver", begin)
    verdict = bmc.check(small(tmp_path, COUNTER, "count=0", STEPS), Search(depth=5, seconds=1e-9))
    assert (verdict.verdict, verdict.assurance) == ("inconclusive", "none: the time limit was reached")


def test_time_ends_a_pass_of_z3_that_does_not_look_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes much longer than the limit is ended, and leaves no process behind."""
    monkeypatch.setattr(cnf, "_tactic", partial(time.sleep, 60))
    with pytest.raises(sat.SolverEndedError, match="the time limit was reached"):
        cnf.clauses_of([z3.Bool("x")], time.monotonic() + 0.5)
    assert multiprocessing.active_children() == []


def test_a_process_that_dies_while_it_makes_clauses_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cnf, "_tactic", partial(os._exit, 3))
    with pytest.raises(sat.SolverEndedError, match=r"no clauses were made: the solver's process ended \(exit 3\)"):
        cnf.clauses_of([z3.Bool("x")], time.monotonic() + 600)
    assert multiprocessing.active_children() == []


def test_a_limit_changes_no_clause() -> None:
    formulas = [z3.Bool("x") == z3.And(z3.Bool("y"), z3.Bool("z")), z3.Or(z3.Bool("x"), z3.Bool("y"))]
    assert cnf.clauses_of(formulas, time.monotonic() + 600) == cnf.clauses_of(formulas)


def test_time_ends_the_sending_and_the_reading_of_clauses() -> None:
    """Both look at the clock as they go, and not once when all is done."""
    over = time.monotonic()
    solver = sat.SatSolver(over)
    taken = list[int]()
    try:
        with pytest.raises(sat.SolverEndedError, match="the time limit was reached"):
            solver.add(taken.append(at) or [1] for at in range(100_000))
    finally:
        solver.close()
    assert len(taken) == 1
    with pytest.raises(sat.SolverEndedError, match="the time limit was reached"):
        cnf.read_dimacs("p cnf 1 1\n1 0\n", over)


def test_time_ends_the_making_of_formulas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No clause is asked for where the limit is over after the first of many steps."""
    model = small(tmp_path, COUNTER, "count=0", STEPS)
    monkeypatch.setattr(circuits, "clauses_of", refuse_call)
    with pytest.raises(sat.SolverEndedError, match="the time limit was reached"):
        circuits.circuits_of(model, finite(model), time.monotonic())


def refuse_call(*given: Any) -> None:
    """Nobody comes so far."""
    raise AssertionError("clauses were asked for")


def test_one_formula_is_cut_too(tmp_path: Path) -> None:
    """However much one property or one action says, no more is made of it after the limit."""
    model = small(tmp_path, COUNTER, "count=0", STEPS)
    form, encoding = model.properties[0].form, finite(model)
    assert form is not None
    state = fresh_state(model, encoding, "s")
    predicate(form, encoding, state)
    encoding.deadline = time.monotonic()
    with pytest.raises(sat.SolverEndedError, match="the time limit was reached"):
        predicate(form, encoding, state)


SCATTERED = """
@initial
def anywhere(a: Node, b: Node, c: Node) -> World:
    '''Anywhere but all at one.'''
    require(not (a == b and b == c))
    return World(at=Map({m: a if m == Node(0) else b if m == Node(1) else c for m in Node}))


@action
def move(s: World, node: Node) -> None:
    '''{node} goes to the first.'''
    s.at[node] = Node(0)


@reachable
def settled(s: World) -> bool:
    '''All are at the last, but one.'''
    return sum(s.at[m] == Node(2) for m in Node) == 2


@invariant
def apart(s: World) -> bool:
    '''Not all are at the first.'''
    return any(s.at[m] != Node(0) for m in Node)
"""


def test_an_initial_function_is_one_formula_however_many_states_it_gives(tmp_path: Path) -> None:
    """24 starts of three nodes; a formula for each of thousands took longer than the search."""
    before = "class Node(Domain, size=3):\n    '''A node.'''\n"
    text = text_of("at: Map[Node, Node]", "at=0", SCATTERED, before=before)
    model = bind_text(tmp_path, re.sub(r"@initial\ndef start.*?\n    \)\n", "", text, flags=re.DOTALL))
    assert len(circuits.circuits_of(model, finite(model)).starts) == 1
    mine, theirs = check_bounded(model, 3), ENGINES["native"](model, Search(), None)
    for verdict in (mine, theirs):
        found = {prop.name: (prop.verdict, length(prop.run)) for prop in verdict.properties}
        assert found == {"settled": ("reached", 0), "apart": ("violated", 1)}


def test_a_solver_that_is_gone_is_reported_and_closed() -> None:
    """What was not sent any more is not sent when it is closed."""
    solver = sat.SatSolver(memory_bytes=2**40)
    solver.process.kill()
    solver.process.wait()
    with pytest.raises(sat.SolverEndedError, match="the memory limit"):
        solver.add([(1,)])
    solver.close()


@pytest.mark.parametrize("bits", [20, 24, 25])
def test_little_memory_is_no_solver_that_is_missing(bits: int) -> None:
    solver = sat.SatSolver(memory_bytes=2**bits)
    with pytest.raises(sat.SolverEndedError, match="the memory limit"):
        much_to_solve(solver)
    solver.close()


def much_to_solve(solver: sat.SatSolver) -> None:
    """More than a megabyte holds."""
    solver.add([(number, -number - 1) for number in range(1, 500_000)])
    solver.solve([1])


def test_memory_ends_it() -> None:
    verdict = check_bounded(model_of("raft", "four_terms", ("election_safety",)), 60, memory_bytes=2**25)
    assert verdict.verdict == "inconclusive"
    assert "the memory limit was reached by the solver" in verdict.assurance


def test_ctrl_c_ends_it_with_a_report(cache: Path) -> None:
    command = [
        "check",
        "raft",
        "--bounds",
        "four_terms",
        "--property",
        "election_safety",
        "--engine",
        "bmc",
        "--depth",
        "60",
    ]
    done = run_interrupted(command, "seen.depth == 3", cache)
    assert done.returncode == 5
    assert "stopped by Ctrl-C" in done.stdout


def test_ctrl_c_while_the_solver_works_ends_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    solvers = list[sat.SatSolver]()

    def interrupt(solver: sat.SatSolver) -> None:
        solvers.append(solver)
        raise KeyboardInterrupt

    monkeypatch.setattr(sat.SatSolver, "_answer", interrupt)
    verdict = check_bounded(model_of("raft", "four_terms", ("election_safety",)), 60)
    assert verdict.verdict == "inconclusive" and "stopped by Ctrl-C" in verdict.assurance
    assert solvers[0].process.returncode is not None


def test_progress_names_the_length(tmp_path: Path) -> None:
    reported: list[Progress] = []
    bmc.check(small(tmp_path, COUNTER, "count=0", STEPS), Search(depth=1), reported.append)
    assert [progress.says.split(",")[0] for progress in reported] == ["runs of 0 steps", "runs of 1 steps"]


def test_without_z3_it_says_what_to_install() -> None:
    done = run_without("z3", ["check", "raft", "--engine", "bmc"])
    assert done.exit == 64
    assert done.err.endswith("pip install '.[prove]' in the clone\n")


# --- solvers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", [sat.Cadical, sat.Z3])
def test_both_solvers_count_alike(backend: Any) -> None:
    solver: sat.Backend = backend()
    solver.add([[1, 2], [-1, 2], [-2, 3]])
    found = solver.solve([])
    assert found is not None and found[2:4] == [True, True]
    assert solver.solve([-3]) is None
    solver.add([[-2]])
    assert solver.solve([]) is None


def no_spec(name: str) -> None:
    """Nothing is installed."""


def test_z3_stands_in_for_cadical(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sat, "find_spec", no_spec)
    verdict = check_bounded(model_of("raft:empty_disk", "two_elections", ("terms_never_decrease",)), 3)
    assert length(verdict.properties[0].run) == 2


def test_a_solver_that_cannot_be_imported_is_reported_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pysat").mkdir()
    (tmp_path / "pysat" / "__init__.py").write_text("raise ImportError('built for another Python')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    lock = str(ROOT / "examples" / "lock.py")
    assert main(["check", lock, "--engine", "bmc", "--depth", "3"]) is Exit.USAGE
    said = capsys.readouterr().err
    assert "the solver of clauses is installed, and cannot be imported; install it again with: pip install" in said
    assert "Traceback" not in said


NOTES = """
@action
def take(s: World, note: Annotated[Note, Member("notes")]) -> None:
    '''One of the notes is taken.'''
    require(note.at == NUMBER)
    s.taken = note.at
"""


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_message_that_can_be_taken_is_no_deadlock_wherever_it_is_kept(number: int, tmp_path: Path) -> None:
    before = "@record\nclass Note:\n    '''A note.'''\n\n    at: Small\n"
    fields = "notes: Annotated[Set[Note], Capacity(3)]\ntaken: Small"
    start = "notes={Note(at=n) for n in range(1, 4)}\ntaken=0"
    model = bind_text(tmp_path, text_of(fields, start, NOTES.replace("NUMBER", str(number)), before=before))
    assert bmc.check(model, Search(depth=1)).failure is None


def test_what_is_not_counted_is_no_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Runs of bounded length are looked at without counting states: null in JSON, and no level has a number."""
    small(tmp_path, COUNTER, "count=0", STEPS)
    (path,) = tmp_path.glob("*.py")
    main(["check", str(path), "--engine", "bmc", "--depth", "2", "--json"])
    report = json.loads(capsys.readouterr().out)
    uncounted = ("distinct_states", "transitions", "states_per_second", "bytes_per_state")
    assert [report[name] for name in uncounted] == [None] * 4
    assert [(level["depth"], level["states"]) for level in report["levels"]] == [(1, None), (2, None), (3, None)]
