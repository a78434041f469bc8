"""What goes wrong is said as an operator says it."""

from __future__ import annotations

import pytest
from tidegate.audit.questions.situations import BY_NAME
from tidegate.audit.report.operator_words import happens_when, text_of_replicas_in_sync, what_happens

LOST = "acknowledged records are lost when"


@pytest.mark.parametrize(
    ("question", "cell", "least", "replicas", "says"),
    [
        ("writable", "crash@all", 2, 3, "writes stop when a process dies"),
        ("no-loss", "crash@one", 2, 3, f"{LOST} a process dies while only one replica is in sync"),
        ("no-loss", "crash@min-isr", 2, 3, f"{LOST} a process dies while only 2 replicas are in sync"),
        ("no-loss", "crash@min-isr", 3, 3, f"{LOST} a process dies"),
        ("no-loss", "crash@min-isr", 1, 3, f"{LOST} a process dies while only one replica is in sync"),
        ("no-loss", "crash@one", 1, 1, f"{LOST} a process dies"),
        ("no-loss", "two-crashes@min-isr", None, None, f"{LOST} a process dies, then another one, "
         "while only as many replicas as min.insync.replicas asks for are in sync"),
    ],
)  # fmt: skip
def test_a_cell_in_words(question: str, cell: str, least: int | None, replicas: int | None, says: str) -> None:
    assert happens_when(question, BY_NAME[cell], least, replicas) == says
    assert says.startswith(what_happens(question))
    assert text_of_replicas_in_sync(BY_NAME[cell], least, replicas) in says
