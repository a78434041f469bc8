"""Counterexamples to induction: as near to an initial state as can be, and called reachable where a run leads there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.smt import induction
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.reach import Reach
from tidegate.explorer.smt.sampling import Sample
from tidegate.language.binding import load
from tidegate.language.proof import Counterexample
from tidegate.reports.check.proof import counterexample_document
from tidegate.reports.document import not_replayed_text

from .test_induction import COUNTS, Wrong, X

ROWS = {
    **COUNTS,
    "other_": ("Number", "0"),
    "row": ("Annotated[Seq[Number], Capacity(top)]", "Seq()"),
    "q": ("Set[Node]", "Set()"),
}
STEPS = {
    "join r: Node": "s.q.add(r)",
    "put": "limit(len(s.row) < top)\ns.row.append(s.x)",
    "grow": "limit(s.other_ < top)\ns.other_ += 1",
    "step r: Node": "require(len(s.row) > 1 and r in s.q and s.x == 1)\ns.bad = True",
}


def found_in(folder: Path, wrong: Wrong) -> tuple[Induction, Counterexample]:
    """The first counterexample of a model's proof."""
    path = folder / "wrong.py"
    path.write_text(wrong.text(), encoding="utf-8")
    definition = load(path)
    proof = Induction(definition, definition.bind(), ProofRequest(workers=1))
    found = next(finding for finding in proof.prove(lambda _: None).findings if finding.counterexample is not None)
    assert found.counterexample is not None
    return proof, found.counterexample


def test_a_counterexample_differs_from_a_first_state_only_where_it_must(tmp_path: Path) -> None:
    """The row has two records, one member is in the set, and nothing else is other than at first."""
    _, against = found_in(tmp_path, Wrong(ROWS, STEPS))
    state, (step,) = against.run.start, against.run.steps
    assert (step.action, against.reachable) == ("step", False)
    assert (len(state.row), state.x, state.other_) == (2, 1, 0)
    assert len(state.q) == 1
    assert {count for _, count in state.n.items()} == {1}


def test_where_no_run_leads_is_said_with_the_states_that_were_looked_at(tmp_path: Path) -> None:
    wrong = Wrong({**X, "y": ("Two", "0")}, {"step": "require(s.y == 2)\ns.bad = True", "up": "s.y = 1 - min(s.y, 1)"})
    _, against = found_in(tmp_path, wrong)
    assert against.explored == "No run with top=1 leads to that state: all 2 states were looked at."
    said = not_replayed_text({"explored": against.explored})
    assert said.endswith("all lemmas hold in its first state. " + against.explored)


def test_where_the_search_ends_early_nothing_is_claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidegate.explorer.smt.reach.WORK", 3)
    _, against = found_in(tmp_path, Wrong(ROWS, STEPS))
    assert against.explored.startswith("Whether a run with top=2 leads to that state is not known: it is none of the")


def test_where_a_run_leads_there_the_whole_run_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random runs find most of these before; here there are none."""
    nothing_met = Sample(1, (), frozenset({"up", "step"}))

    def no_runs(*_: object) -> Sample:
        return nothing_met

    monkeypatch.setattr(induction, "take_sample", no_runs)
    wrong = Wrong({"x": ("Two", "0")}, {"up": "require(s.x < 2)\ns.x += 1", "step": "require(s.x == 2)\ns.bad = True"})
    _, against = found_in(tmp_path, wrong)
    assert (against.reachable, against.explored) == (True, "")
    assert [step.action for step in against.run.steps] == ["up", "up", "step"]


def test_a_run_to_a_state_has_the_fewest_steps(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(Wrong({"x": ("Two", "0")}, {"up": "require(s.x < 2)\ns.x += 1"}).text(), encoding="utf-8")
    model = load(path).bind()
    reach = Reach(model)
    assert (reach.complete, len(reach)) == (True, 3)
    last = max(reach.states(), key=lambda state: state.x)
    run = reach.run_to(last)
    assert run is not None and [step.action for step in run.steps] == ["up", "up"]


def test_the_document_of_a_counterexample_says_what_is_known(tmp_path: Path) -> None:
    wrong = Wrong({"y": ("Two", "0")}, {"step": "require(s.y == 2)\ns.bad = True", "up": "s.y = 1 - min(s.y, 1)"})
    path = tmp_path / "wrong.py"
    path.write_text(wrong.text(), encoding="utf-8")
    definition = load(path)
    proof = Induction(definition, definition.bind(), ProofRequest(workers=1)).prove(lambda _: None)
    (found,) = [finding for finding in proof.findings if finding.counterexample is not None]
    document = counterexample_document(found)
    assert (document["begins"], document["explored"]) == (
        "induction",
        "No run leads to that state: all 2 states were looked at.",
    )
