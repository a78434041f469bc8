"""What `prove` does when a solver does not come back, or a process dies: what it was at is not proved and not kept, and
everything else is answered."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tidegate.cli.main import main
from tidegate.explorer.smt import process_pool
from tidegate.explorer.smt.finite_instances import FiniteInstance
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.process_pool import OVERDUE, watch_deadline
from tidegate.explorer.smt.prover import Prover
from tidegate.explorer.smt.questions import ProofQuestions, SolverAnswer
from tidegate.language.binding import load
from tidegate.language.proof import Obligation, Proof
from tidegate.reports.exits import Exit

from ...conftest import ROOT

FOLLOWER = ROOT / "tests" / "fixtures" / "models" / "follower.py"
LOST = Obligation("defined", "", "lead")
AFTER = Obligation("step", "in_order", "lead")
"""Of the same action, and so in the task of the one before."""


def never(seconds: float = 0.0) -> None:
    """Stands in for a solver that does not hear its clock."""
    with watch_deadline(seconds):
        while True:
            time.sleep(3600.0)


def dies(seconds: float = 0.0) -> None:
    """Stands in for a solver that takes its process along."""
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache, and no patience beyond the time limit of a query."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("TIDEGATE_CACHE", str(folder))
    monkeypatch.setattr(process_pool, "GRACE", 0.0)
    monkeypatch.setattr(process_pool, "_POLL_SECONDS", 0.05)
    return folder


def lose(monkeypatch: pytest.MonkeyPatch, how: Callable[[], None], *which: Obligation) -> None:
    """Some questions never come back."""
    ask = ProofQuestions.ask_solver

    def lose_answer(self: ProofQuestions, obligation: Obligation, *, hard: bool, once: bool = False) -> SolverAnswer:
        if obligation in which:
            how()
        return ask(self, obligation, hard=hard, once=once)

    monkeypatch.setattr(ProofQuestions, "ask_solver", lose_answer)


def proof_of(folder: Path, workers: int = 1) -> Proof:
    definition = load(FOLLOWER)
    asked = ProofRequest(folder=folder, workers=workers)
    return Induction(definition, definition.bind(str(FOLLOWER)), asked).prove(lambda _: None)


def words(proof: Proof) -> dict[Obligation, tuple[str, str]]:
    return {finding.obligation: (finding.word, finding.reason) for finding in proof.findings}


def is_kept(folder: Path, obligation: Obligation) -> bool:
    held = [json.loads(file.read_text(encoding="utf-8")) for file in folder.glob("proofs/*.json")]
    wanted = (obligation.kind, obligation.goal, obligation.action)
    return wanted in [(claim.get("kind"), claim.get("goal"), claim.get("action")) for claim in held]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("how", "reason"), [(never, OVERDUE), (dies, "the solver's process died (SIGKILL)")], ids=["never", "dies"]
)
def test_a_question_that_does_not_come_back_is_not_proved_and_everything_else_is(
    how: Callable[[], None], reason: str, workers: int, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose(monkeypatch, how, LOST)
    proof = proof_of(own_cache, workers)
    found = words(proof)
    assert found.pop(LOST) == ("not proved", reason)
    assert AFTER in found and set(found.values()) == {("proved", "")}
    assert proof.word == "not proved"
    assert is_kept(own_cache, AFTER) and not is_kept(own_cache, LOST)


def test_two_questions_of_one_task_that_do_not_come_back(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lose(monkeypatch, never, LOST, AFTER)
    found = words(proof_of(own_cache))
    assert found[LOST] == found[AFTER] == ("not proved", OVERDUE)
    assert len(found) == 6


def test_the_report_says_what_was_ended(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lose(monkeypatch, never, AFTER)
    assert main(["prove", str(FOLLOWER), "--workers", "1"]) is Exit.INCONCLUSIVE
    said = " ".join(capsys.readouterr().out.split())
    assert f"? not proved: that lead keeps in_order {OVERDUE}" in said
    assert "of 6 obligations 5 proved and 1 not proved" in said


def test_where_a_small_copy_does_not_come_back_the_question_is_asked_without_bounds(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where little is new, copies are searched first, for all that is new of an action."""
    assert proof_of(own_cache).word == "proved"
    for file in own_cache.glob("proofs/*.json"):
        held = json.loads(file.read_text(encoding="utf-8"))
        if (held.get("kind"), held["goal"], held["action"]) == (AFTER.kind, AFTER.goal, AFTER.action):
            file.unlink()

    def sketches(*_: Any) -> Iterator[Any]:
        never()
        yield

    monkeypatch.setattr(FiniteInstance, "sketch_counterexamples", sketches)
    proof = proof_of(own_cache)
    assert proof.word == "proved"
    assert [finding.obligation for finding in proof.findings if not finding.is_cached] == [AFTER]


def test_whether_something_is_vacuous_is_not_known_then(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def is_empty(*_: Any) -> bool:
        never()
        return False

    monkeypatch.setattr(Prover, "_is_empty", is_empty)
    proof = proof_of(own_cache)
    assert f"whether in_order is vacuous is not known: {OVERDUE}" in proof.notes


def test_a_query_that_comes_back_in_time_ends_nothing(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows a query in its process is watched no more."""
    lose(monkeypatch, ask_in_time, LOST)
    assert proof_of(own_cache).word == "proved"


def ask_in_time() -> None:
    """A query that ends, and more time than it had after it."""
    with watch_deadline(3600.0):
        pass
    until = process_pool._watch.get()  # pyright: ignore[reportPrivateUsage]
    assert until.value == 0.0


def test_nothing_is_ended_where_nobody_watches() -> None:
    with watch_deadline(-1.0):
        assert process_pool._watch.get() is None  # pyright: ignore[reportPrivateUsage]
