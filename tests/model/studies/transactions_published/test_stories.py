"""The published model of producer ids as stories: a client gets an id and an epoch, and another the next epoch."""

from __future__ import annotations

from tidegate.language.judge import run_text

from ....support.checks import truths
from ....support.shipped import bind_shipped

MODEL = bind_shipped("transactions_published")


def test_a_client_gets_the_first_id_and_epoch() -> None:
    text = "send_request(client=A, broker=X, id=T); receive_request(Ask(id=T, source=A, to=X)); commit_record"
    answers = run_text(MODEL, text).states()[-1]
    assert "producer_id=1, epoch=0" in repr(answers)


def test_until_the_record_is_committed_nobody_is_answered() -> None:
    text = "send_request(client=A, broker=X, id=T); receive_request(Ask(id=T, source=A, to=X))"
    assert "producer_id=1" not in repr(run_text(MODEL, "send_request(client=A, broker=X, id=T)").states()[-1])
    assert all(truths(MODEL, text, "clients_have_different_producer_epochs"))
