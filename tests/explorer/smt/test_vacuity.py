"""Whether a goal is vacuous.

Also of: `prover`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.prover import ContradictionCheck, Prover, SettledContradiction
from tidegate.explorer.smt.vacuity import ReachedStates
from tidegate.language.binding import load

from ...support.distinct import TEXT, induction_of_marks


@pytest.fixture
def induction(tmp_path: Path) -> Induction:
    return induction_of_marks(tmp_path)


@pytest.mark.parametrize(
    ("condition", "is_empty"),
    [
        ("s.marked[at][one] and not s.marked[at][one]", True),
        ("one != other and s.marked[at][one] and s.marked[at][other]", True),
        ("one != other and s.marked[at][other] and s.marked[at][third] and third != other", True),
        ("s.marked[at][one] and s.marked[at][other]", False),
        ("one != other and s.marked[at][one] and s.marked[at][third]", False),
        ("one != other and other != third and s.marked[at][third]", False),
    ],
)
def test_whether_a_goal_is_vacuous_does_not_depend_on_whether_members_are_told_apart(
    condition: str, is_empty: bool, tmp_path: Path
) -> None:
    """Few clauses of a goal about all members stand for the others also where its antecedents are what is asked."""
    path = tmp_path / "marks.py"
    members = "for at in range(last + 1) for one in Node for other in Node for third in Node"
    claim = f'    """Of what is marked."""\n    return all(s.round > last {members} if {condition})\n'
    path.write_text(f"{TEXT}\n\n@invariant\ndef claim(s: Marks) -> bool:\n{claim}", encoding="utf-8")
    definition = load(path)
    made = Induction(definition, definition.bind(), ProofRequest(lemmas=("one_mark",), properties=("claim",)))
    for symmetric in (made.symmetric, frozenset[str]()):
        prover = Prover(replace(made.prover_inputs(), symmetric=symmetric), ReachedStates(made.bounded_model, (), ()))
        assert [*prover.answer_task(ContradictionCheck(goal="claim"))] == [
            SettledContradiction(ContradictionCheck(goal="claim"), "empty" if is_empty else "full")
        ]
