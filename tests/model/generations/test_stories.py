"""Generations of a group as stories: a share belongs to a generation, and a commit of an older one is refused."""

from __future__ import annotations

import pytest
from tidegate.language.judge import run_text
from tidegate.language.steptext import StepError

from ...support.checks import truths
from ...support.shipped import bind_shipped

MODEL = bind_shipped("generations")


def test_members_come_and_generations_only_grow() -> None:
    text = "change(members={A}, gone={}, unheard={}); change(members={A, B}, gone={}, unheard={})"
    assert all(truths(MODEL, text, "one_owner"))


def test_a_member_takes_no_share_that_it_was_not_given() -> None:
    with pytest.raises(StepError):
        run_text(MODEL, "take_share(A)")
