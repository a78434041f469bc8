"""Members that no text can tell apart, and goals that are proved of few of them.

Also of: `effort`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.smt.effort import SolverEffort
from tidegate.explorer.smt.induction import Induction
from tidegate.explorer.smt.questions import Questions
from tidegate.language.proof import Obligation

from ...support.distinct import induction_of_marks, members


@pytest.fixture
def made(tmp_path: Path) -> Induction:
    return induction_of_marks(tmp_path)


def test_members_that_no_text_can_tell_apart_are_met_in_order(made: Induction) -> None:
    assert members(made, "one_mark", 0) == [(0, 1)]
    assert members(made, "few_marks", 0) == [(0, 1, 2)]
    assert members(made, "one_mark", 1) == [(0, 1), (1, 0), (1, 2)]
    assert len(members(made, "one_mark", 3)) == len(members(made, "one_mark", 4)) == 4 * 3


def test_what_is_true_is_proved_and_what_breaks_only_for_others_is_not(made: Induction) -> None:
    """`mark_others` marks two that no argument names."""
    proof = made.prove(lambda _: None)
    found = {(finding.obligation.action, finding.obligation.goal): finding.word for finding in proof.findings}
    assert found["mark_others", "one_mark"] == "refuted"
    assert found["mark", "one_mark"] == "proved"
    assert set(found.values()) == {"proved", "refuted"}


def test_few_goals_say_what_all_of_them_say(made: Induction) -> None:
    """Whether members are distinguished or not, the same is proved."""
    together = Questions(made.model, made.symmetric, SolverEffort())
    apart = Questions(made.model, frozenset(), SolverEffort())
    asked = [Obligation("step", goal, action) for action in made.actions() for goal in together.predicates]
    for obligation in asked:
        assert together.ask(obligation, hard=False).proved == apart.ask(obligation, hard=False).proved, obligation
