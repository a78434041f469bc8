"""What becomes of transactions, as stories: all of it is committed or none, and as it was decided."""

from __future__ import annotations

import pytest
from tidegate.language.judge import run_text
from tidegate.language.steptext import StepError

from ...support.checks import truths
from ...support.shipped import bind_shipped

MODEL = bind_shipped("transaction_outcomes")


def test_of_two_clients_one_has_the_newest_epoch() -> None:
    assert all(truths(MODEL, "get_epoch(A); get_epoch(B); lose_epoch", "one_has_the_newest_epoch"))


def test_nothing_is_open_before_a_transaction_is() -> None:
    assert all(truths(MODEL, "get_epoch(A); begin(A); open_transaction", "nothing_is_open_without_a_transaction"))
    with pytest.raises(StepError):
        run_text(MODEL, "commit(A)")


def test_what_nobody_asked_for_is_not_committed() -> None:
    text = "get_epoch(A); begin(A); open_transaction"
    assert all(truths(MODEL, text, "committed_was_asked_for"))
    with pytest.raises(StepError):
        run_text(MODEL, f"{text}; commit_alone(A)")
