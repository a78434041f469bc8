"""What is accepted, and that nothing else is accepted with it."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest
from tidegate.audit.answers.answer import ASSUMPTIONS, Answer
from tidegate.audit.answers.baseline import (
    AcceptedFinding,
    check_baseline,
    mark_accepted,
    split_subjects,
)
from tidegate.audit.answers.requirements import Requirement, RequirementCheck
from tidegate.audit.answers.verdicts import ON_DISK_OF_CONTROLLER
from tidegate.audit.cluster.cluster import Topic
from tidegate.audit.cluster.statements import Origin, UnreadableInputError

from .test_risky_settings import subject
from .test_verdicts import signature

DAY = datetime.date(2026, 1, 31)
ENTRY = AcceptedFinding("t", ("no-loss=crash@all",), ("acks=1",), "a cache", DAY)
FAILED = RequirementCheck(Requirement("no-loss", "crash@all"), "failed", Answer("can lose"))
ACKS_1 = replace(signature(replicas=3, min_isr=2), acks="1")


def accept_check(check: RequirementCheck, entry: AcceptedFinding = ENTRY, **changed: object) -> RequirementCheck:
    one = subject(replace(ACKS_1, **changed), acks="1", unclean_leader_election_enable="true")
    (found,) = mark_accepted([check], one, [entry], DAY)
    return found


def test_the_fault_in_the_state_that_an_entry_names_is_accepted_until_its_day() -> None:
    assert accept_check(FAILED).result == "accepted"
    (late,) = mark_accepted([FAILED], subject(ACKS_1, acks="1"), [ENTRY], DAY + datetime.timedelta(days=1))
    assert late.result == "failed" and late.note == "was accepted until 2026-01-31: a cache"


def test_another_fault_or_state_is_not_accepted_with_it() -> None:
    for cell in ("crash@one", "power-loss@all"):
        assert accept_check(replace(FAILED, requirement=Requirement("no-loss", cell))).result == "failed"


def test_another_setting_that_loses_the_same_is_not_hidden() -> None:
    """Unclean elections that are switched on after acks=1 was accepted."""
    found = accept_check(FAILED, unclean=True, switches=(("heed_unclean", True),))
    assert found.result == "failed"
    assert "it comes from unclean.leader.election.enable=true, too" in found.note


def test_topics_that_are_alike_are_apart_where_an_entry_is_about_some_of_them() -> None:
    every = replace(subject(ACKS_1), topics=tuple(Topic(name, Origin("t")) for name in ("t", "a", "b", "t2")))
    assert split_subjects([every], []) == [every]
    parts = split_subjects([every], [ENTRY, replace(ENTRY, topic="a|t")])
    assert [[topic.name for topic in part.topics] for part in parts] == [["t"], ["a"], ["b", "t2"]]


def test_an_assumption_that_nothing_depends_on_is_refused() -> None:
    entry = AcceptedFinding("", (), (), "the runbook has it", DAY, assumption="controllers-catch-up", place="b.toml")
    with pytest.raises(
        UnreadableInputError, match=r"b\.toml: controllers-catch-up is about nodes that are brokers and"
    ):
        check_baseline([entry], [subject(ACKS_1)], [])
    check_baseline([entry], [subject(replace(ACKS_1, enough_emptied=1, disk_voters=1))], [])


def test_an_assumption_accepts_what_rests_on_it_and_says_so() -> None:
    entry = AcceptedFinding("", (), (), "the runbook has it", DAY, assumption="controllers-catch-up")
    open_ = RequirementCheck(Requirement("no-loss", "disk-loss@min-isr"), "not checked", Answer("not checked"))
    because = replace(open_, answer=Answer("not checked", "", ON_DISK_OF_CONTROLLER))
    found = accept_check(because, entry)
    assert found.result == "accepted" and found.assumption == ASSUMPTIONS["controllers-catch-up"]
    assert accept_check(open_, entry) == open_ and accept_check(FAILED, entry) == FAILED
