"""The sentence about a group of topics where some cells were not decided: it says which, and no less than is known."""

from __future__ import annotations

import pytest
from tidegate.audit.answers.answer import Answer, Table, Word
from tidegate.audit.questions.questions import QUESTIONS
from tidegate.audit.questions.situations import CELLS
from tidegate.audit.report.headline import table_headline

from ..answers.test_verdicts import signature


def table(losing: tuple[str, ...] = (), open_: tuple[str, ...] = ()) -> Table:
    """A table that keeps and goes on, but for the cells that are named; a fault stands for all of its cells."""

    def word(question: str, cell: str) -> Word:
        if question != "no-loss":
            return "no loss found"
        named = {cell, cell.partition("@")[0]}
        return "can lose" if named & {*losing} else "not checked" if named & {*open_} else "no loss found"

    return {
        (question.name, cell.name): Answer(word(question.name, cell.name)) for question in QUESTIONS for cell in CELLS
    }


LEAST = " while at least min.insync.replicas (2) are in sync"
ONE = "with one replica left in sync, one power loss can lose acknowledged records"


@pytest.mark.parametrize(
    ("open_", "expected"),
    [
        ((), f"crash, cut-off broker, power loss or lost disk{LEAST}; {ONE}"),
        (
            ("disk-loss",),
            f"crash, cut-off broker or power loss{LEAST}; whether acknowledged records survive any one lost disk is "
            f"not decided; {ONE}",
        ),
        (
            ("disk-loss@min-isr", "disk-loss@one"),
            f"crash, cut-off broker or power loss{LEAST}, and any one lost disk while all replicas are in sync (with "
            f"fewer that is not decided); {ONE}; whether one lost disk can is not decided",
        ),
        (
            ("crash@one", "rack-loss@all", "rack-loss@min-isr"),
            f"crash, cut-off broker, power loss or lost disk{LEAST}; {ONE}; whether one crash can is not decided",
        ),
        (
            ("crash@one", "cut-off@one"),
            f"crash, cut-off broker, power loss or lost disk{LEAST}; {ONE}; whether one crash or one broker that "
            "is cut off or pauses past its session can is not decided",
        ),
    ],
)
def test_what_was_not_decided_takes_nothing_from_what_was(open_: tuple[str, ...], expected: str) -> None:
    """As it is once time is out, or where a lost disk is a controller's too."""
    said = table_headline(signature(), table(("power-loss@one", "disk-loss@one"), open_))
    assert said == f"acknowledged records survive any one {expected}"


def test_where_no_single_fault_is_decided_the_loss_stands_alone() -> None:
    said = table_headline(signature(), table(("two-power-losses",), ("crash", "cut-off", "power-loss", "disk-loss")))
    assert said == (
        "two power losses can lose acknowledged records; whether one crash, one broker that is cut off or pauses past "
        "its session or one power loss and 1 more can is not decided"
    )


def test_in_short_what_goes_wrong_alone() -> None:
    losing, open_ = ("power-loss@one", "disk-loss@one"), ("disk-loss@all",)
    said = table_headline(signature(), table(losing, open_), short=True)
    assert said == f"whether acknowledged records survive any one lost disk is not decided; {ONE}"
    assert table_headline(signature(), table(losing), short=True) == ONE
