"""Counterexamples to induction are as near to an initial state as can be."""

from __future__ import annotations

from pathlib import Path

from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.language.binding import load
from tidegate.reports.check.proof import counterexample_document

from ...support.induction import ROWS, STEPS, found_in
from .test_induction import Wrong


def test_a_counterexample_differs_from_a_first_state_only_where_it_must(tmp_path: Path) -> None:
    """The row has two records, one member is in the set, and nothing else is other than at first."""
    _, against = found_in(tmp_path, Wrong(ROWS, STEPS))
    state, (step,) = against.run.start, against.run.steps
    assert (step.action, against.reachable) == ("step", False)
    assert (len(state.row), state.x, state.other_) == (2, 1, 0)
    assert len(state.q) == 1
    assert {count for _, count in state.n.items()} == {1}


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
