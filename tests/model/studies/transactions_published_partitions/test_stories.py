"""The published model of transactions with partitions as stories: who asks while another is asked for tries again."""

from __future__ import annotations

from tidegate.language.judge import run_text

from ....support.shipped import bind_shipped

MODEL = bind_shipped("transactions_published_partitions")


def test_of_two_that_ask_at_once_the_second_is_told_to_come_back() -> None:
    text = (
        "send_request(A); send_request(B); receive_request(Ask(source=A, to=X)); receive_request(Ask(source=B, to=X))"
    )
    assert "CONCURRENT_TRANSACTIONS" in repr(run_text(MODEL, text).states()[-1])


def test_who_asks_alone_is_not() -> None:
    text = "send_request(A); receive_request(Ask(source=A, to=X)); commit_record"
    assert "CONCURRENT_TRANSACTIONS" not in repr(run_text(MODEL, text).states()[-1])
