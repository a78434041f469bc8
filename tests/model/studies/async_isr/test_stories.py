"""The ISR that a leader asks for, as stories: the high watermark waits for whom it has asked for (KIP-497)."""

from __future__ import annotations

import pytest
from tidegate.language.judge import run_text
from tidegate.language.steptext import StepError

from ....support.checks import truths
from ....support.shipped import bind_shipped

MODEL = bind_shipped("async_isr")


def test_a_follower_replicates_what_was_written() -> None:
    assert truths(MODEL, "write; replicate(B)", "record_is_committed")[-1]
    with pytest.raises(StepError):
        run_text(MODEL, "replicate(B)")


def test_the_controller_is_ahead_of_the_leader_until_its_update_is_handled() -> None:
    text = "write; controller_shrink_isr(B)"
    assert truths(MODEL, text, "controller_overtakes_leader") == [False, False, True]


def test_a_leader_never_leaves_its_isr() -> None:
    assert all(truths(MODEL, "request_shrink(B); write", "leader_in_isr"))
    with pytest.raises(StepError):
        run_text(MODEL, "request_shrink(A)")
