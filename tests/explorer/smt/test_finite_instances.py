"""Finite copies of a question: what one is asked, and what takes more work than is given."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.smt import finite_instances
from tidegate.explorer.smt.encoding import unbounded_encoding
from tidegate.explorer.smt.finite_instances import CopyStep, FiniteInstance, confirm_counterexample
from tidegate.explorer.smt.induction import Induction
from tidegate.explorer.smt.states import fresh_state
from tidegate.explorer.smt.terms import boolean_term
from tidegate.explorer.smt.transition import symbolic_instances
from tidegate.language.proof import Obligation

from ...support.distinct import induction_of_marks


@pytest.fixture
def induction(tmp_path: Path) -> Induction:
    return induction_of_marks(tmp_path)


def test_a_copy_that_is_asked_about_all_goals_at_once_finds_what_it_finds_of_each(induction: Induction) -> None:
    """Whether a goal is broken in a copy, whichever goals are asked about beside it, and plain Python agrees."""
    for number in range(len(induction.instances)):
        copy = FiniteInstance(induction.instances, number, induction.symmetric)
        for action in ("", *induction.actions()):
            asked = [obligation for obligation in induction.obligations() if obligation.action == action]
            found = dict(copy.sketch_counterexamples(asked))
            assert [*found] == [obligation for obligation in asked if obligation in found]
            assert {*found} == {
                obligation for obligation in asked if isinstance(copy.sketch_counterexample(obligation), CopyStep)
            }
            assert all(
                confirm_counterexample(induction.instances, obligation, sketch) for obligation, sketch in found.items()
            )


def test_a_copy_that_takes_more_work_than_is_given_is_not_known(
    induction: Induction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound is on the solver's steps, and not on time: a busy machine finds the same."""
    copy, asked = (
        FiniteInstance(induction.instances, 0, induction.symmetric),
        Obligation("step", "one_mark", "mark_others"),
    )
    assert isinstance(copy.sketch_counterexample(asked), CopyStep)
    monkeypatch.setattr(finite_instances, "WORK", 1)
    assert copy.sketch_counterexample(asked) is False


def test_instances_that_differ_by_a_renaming_are_made_once(induction: Induction) -> None:
    """The first of each kind, and as where all are made."""
    encoding = unbounded_encoding(induction.model)
    before = fresh_state(induction.model, encoding, "0")
    every = symbolic_instances(induction.model, encoding, before, "a")
    few = symbolic_instances(induction.model, encoding, before, "a", symmetric=induction.symmetric)
    chosen = [tuple(member.index for member in one.concrete.values()) for one in few]
    assert (len(every), chosen) == (4 + 4 * 4, [(0,), (0, 0), (0, 1)])
    same = [
        instance
        for instance in every
        if (instance.action, instance.concrete) in [(one.action, one.concrete) for one in few]
    ]
    for one, other in zip(few, same, strict=True):
        assert (one.valid, one.guard, one.limit) == (other.valid, other.guard, other.limit)
        assert boolean_term(one.definedness).eq(boolean_term(other.definedness))
