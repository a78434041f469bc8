"""Leadership by terms as stories: who has led a term leads it no more, and an old leader may not know of a new one."""

from __future__ import annotations

import pytest
from tidegate.language.judge import run_text
from tidegate.language.steptext import StepError

from ...support.checks import truths
from ...support.shipped import bind_shipped

MODEL = bind_shipped("leadership")


def test_an_old_leader_may_not_have_heard_of_the_new_one() -> None:
    text = "elect(term=1, over={}); elect(term=2, over={}); step_down(1)"
    assert truths(MODEL, text, "two_terms_have_leaders") == [False, False, True, False]


def test_who_hears_at_once_leads_no_more() -> None:
    text = "elect(term=1, over={}); elect(term=2, over={1})"
    assert truths(MODEL, text, "two_terms_have_leaders") == [False, False, False]
    with pytest.raises(StepError):
        run_text(MODEL, f"{text}; step_down(1)")


def test_a_term_has_one_election() -> None:
    with pytest.raises(StepError):
        run_text(MODEL, "elect(term=1, over={}); step_down(1); elect(term=1, over={})")
