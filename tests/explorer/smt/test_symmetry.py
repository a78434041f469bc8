"""Members that no text can tell apart, and goals that are proved of few of them.

Also of: `effort`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.smt.effort import SolverEffort
from tidegate.explorer.smt.induction import Induction
from tidegate.explorer.smt.questions import ProofQuestions
from tidegate.language.proof import Obligation

from ...support.distinct import induction_of_marks, members


@pytest.fixture
def induction(tmp_path: Path) -> Induction:
    return induction_of_marks(tmp_path)


def test_members_that_no_text_can_tell_apart_are_met_in_order(induction: Induction) -> None:
    assert members(induction, "one_mark", 0) == [(0, 1)]
    assert members(induction, "few_marks", 0) == [(0, 1, 2)]
    assert members(induction, "one_mark", 1) == [(0, 1), (1, 0), (1, 2)]
    assert len(members(induction, "one_mark", 3)) == len(members(induction, "one_mark", 4)) == 4 * 3


def test_what_is_true_is_proved_and_what_breaks_only_for_others_is_not(induction: Induction) -> None:
    """`mark_others` marks two that no argument names."""
    proof = induction.prove(lambda _: None)
    found = {(finding.obligation.action, finding.obligation.goal): finding.word for finding in proof.findings}
    assert found["mark_others", "one_mark"] == "refuted"
    assert found["mark", "one_mark"] == "proved"
    assert set(found.values()) == {"proved", "refuted"}


def test_few_goals_say_what_all_of_them_say(induction: Induction) -> None:
    """Whether members are distinguished or not, the same is proved."""
    together = ProofQuestions(induction.model, induction.symmetric, SolverEffort())
    apart = ProofQuestions(induction.model, frozenset(), SolverEffort())
    asked = [Obligation("step", goal, action) for action in induction.actions() for goal in together.predicates]
    for obligation in asked:
        assert (
            together.ask_solver(obligation, hard=False).is_proved == apart.ask_solver(obligation, hard=False).is_proved
        ), obligation
