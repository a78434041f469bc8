"""What the tests of counterexamples to induction share."""

from __future__ import annotations

from pathlib import Path

from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.language.binding import load
from tidegate.language.proof import Counterexample

from ..explorer.smt.test_induction import COUNTS, Wrong

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
