"""`audit --may-change-voters`: which changes, what is printed, and with which exit."""

from __future__ import annotations

import json

import pytest
from tidegate.audit.answers.voter_changes import VoterChange, VoterChangeAnswer
from tidegate.cli.audit_voters import parse_changes
from tidegate.language.errors import UsageError
from tidegate.reports.exits import Exit, exit_of_permissions

from ..conftest import Run

DOWN = ("audit", "examples/quorums/one-of-three-down", "--may-change-voters")


def test_changes_are_named_in_their_order() -> None:
    assert parse_changes("remove=3, add=4") == [VoterChange("remove", 3), VoterChange("add", 4)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "4",
        "add",
        "add=",
        "add=x",
        "move=3",
        "add=4,",
        "add=-1",
        "add=+4",
        "add=04",
        "add= 4",
        "add=4\n",
        "\u3000add=4",
        "add=٤",
        "add=1_0",
        "add=2147483648",
        "add=" + "9" * 5000,
    ],
)
def test_what_is_no_change_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"write add=ID, remove=ID or replace=ID"):
        parse_changes(text)


def test_ids_are_those_of_kafka() -> None:
    assert parse_changes("add=0,add=2147483647") == [VoterChange("add", 0), VoterChange("add", 2147483647)]


def test_one_that_must_not_be_made_decides_the_exit() -> None:
    yes, no, open_ = (VoterChangeAnswer(VoterChange("add", 4), word) for word in ("yes", "no", "not known"))
    exits = [exit_of_permissions(answer.word for answer in answers) for answers in ([yes], [yes, open_], [open_, no])]
    assert exits == [Exit.HOLDS, Exit.INCONCLUSIVE, Exit.SAFETY]


def test_the_files_of_a_quorum_are_asked(tidegate: Run) -> None:
    done = tidegate(*DOWN, "add=4")
    assert done.exit == 1 and done.out.startswith("✗ controller 4 must not be added now\n  why not: with 4 voters")
    found = json.loads(tidegate(*DOWN, "replace=3", "--json").out)
    assert (found["schema"], found["exit"], found["changes"][0]["may_change"]) == (
        "tidegate.may-change-voters/1",
        5,
        "not known",
    )


def test_nothing_is_written(tidegate: Run) -> None:
    done = tidegate(*DOWN, "add=4", "--out", "somewhere")
    assert done.exit == 64 and "--may-change-voters answers for now and writes no files" in done.err


def test_every_answer_says_what_no_description_shows(tidegate: Run) -> None:
    """A replica whose log was truncated goes by old voters: docs/schedules/voters-after-truncation.schedule.json."""
    for change in ("add=4", "remove=3"):
        assert "may go by old voters, and then two records" in " ".join(tidegate(*DOWN, change).out.split())
