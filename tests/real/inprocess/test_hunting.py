"""Hunts on Kafka's own code: planted defects and a known one are found, the same seed gives the same; how schedules are
shrunk and saved.

Also of: `hosting`, `known`, `shrinking`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

import pytest
from tidegate.language.errors import UsageError
from tidegate.real.driving.nodes.wire import BEGIN_QUORUM_EPOCH, FETCH, VOTE
from tidegate.real.inprocess.hosting import FailedProperty, Host, Schedule, Settings, Step, StepResults, step_words
from tidegate.real.inprocess.hunting import (
    LENGTH,
    NUMBERS_OF_STEPS,
    HuntCase,
    HuntReach,
    case_of,
    hunt,
    replay_case,
    worlds_of,
)
from tidegate.real.inprocess.known import ticket_of
from tidegate.real.inprocess.shrinking import shrink_schedule

from ...conftest import ROOT
from ...support.hosting import hosted_release

FOUND = FailedProperty("one_leader", "one_leader", 2, "node 2 leads epoch 1, which node 3 leads", ())
OTHER = FailedProperty("gets_on", "gets_on", 1, "nobody leads", ())


class FakeHost:
    """Fails where all of some steps were taken; a step that begins with `no` has nothing to do."""

    def __init__(self, needed: Iterable[str], finding: FailedProperty = FOUND, *, recovering: bool = False) -> None:
        self.needed, self.finding, self.recovering, self.asked = set(needed), finding, recovering, 0

    def open(self, settings: Settings, seed: int, *, log: bool = False) -> None:
        """Nothing is kept."""

    def take(self, steps: Iterable[Step], *, look_at_each: bool = False, recover: bool = False) -> StepResults:
        """What comes of steps."""
        steps = tuple(steps)
        self.asked += 1
        fails = self.needed <= {str(step[0]) for step in steps} and recover >= self.recovering
        taken = tuple(not str(step[0]).startswith("no") for step in steps)
        return StepResults(taken, (), (), 0, (self.finding,) if fails else (), ())


def steps_of(text: str) -> Schedule:
    """`a b c` as steps."""
    return tuple((name, 1) for name in text.split())


def shrink(host: FakeHost, text: str, finding: FailedProperty = FOUND) -> tuple[Schedule, bool] | None:
    """What is left of a schedule."""
    return shrink_schedule(cast("Host", host), Settings(), 1, steps_of(text), finding, lambda left: None)


def test_what_is_left_is_what_is_needed() -> None:
    assert shrink(FakeHost("ad"), "a b c d e f g") == (steps_of("a d"), False)
    assert shrink(FakeHost("g"), "a b nothing c d e f g") == (steps_of("g"), False)
    assert shrink(FakeHost(""), "a b") == ((), False)


def test_what_shows_only_once_nothing_is_lost_is_said_to_need_that() -> None:
    assert shrink(FakeHost("b", OTHER, recovering=True), "a b c", OTHER) == (steps_of("b"), True)


def test_what_does_not_come_about_a_second_time_is_not_shown() -> None:
    assert shrink(FakeHost("z"), "a b c") is None
    assert shrink(FakeHost("a", OTHER), "a b c") is None


def test_steps_in_words() -> None:
    assert step_words(("deliver", 1, 3, 52, 0, 0)) == "deliver(1, 3, Vote)"
    assert step_words(("cut", 3, 1, 1, 1, 2)) == "cut(3, 1, Fetch answer, 2)"
    assert step_words(("crash", 2, 0)) == "crash(2, 0)"


def test_a_case_is_read_as_it_was_saved() -> None:
    case = HuntCase("4.1.1", Settings(voters=5, dynamic=True), 7, steps_of("tick"), True, OTHER, ("INFO",), 3, 1.5, 0.5)
    read = case_of(case.document())
    assert (read.kafka, read.settings, read.seed, read.steps) == (case.kafka, case.settings, case.seed, case.steps)
    assert (read.recovers, read.finding, read.lines) == (True, OTHER, ("INFO",))
    assert case.world_in_words() == "5 voters, which may change, seed 7"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"schema": "tidegate.trace/1"}, "its schema is tidegate.trace/1, and not tidegate.schedule/1"),
        ({"world": {"voters": 3, "wires": 1}}, "it is no schedule that `hunt` has saved"),
        ({"finding": {}}, "it is no schedule that `hunt` has saved: KeyError('property')"),
        ({"seed": "many"}, "it is no schedule that `hunt` has saved"),
        ({"world": {"voters": 0}}, "its world has 0 voters and 0 observers"),
        ({"steps": [["tick", 1], []]}, "step 2: there is no step ''"),
        ({"steps": [["jump", 1]]}, "step 1: there is no step 'jump'"),
        ({"steps": [["crash", 1]]}, "step 1: crash has whole numbers from 0 on, 2 or more, and here [1]"),
        ({"steps": [["crash", "a", 1]]}, "step 1: crash has whole numbers from 0 on, 2 or more, and here ['a', 1]"),
        (
            {"steps": [["tick", 10**10]]},
            "step 1: tick has whole numbers from 0 on, 1 or more, and here [10000000000]",
        ),
        ({"steps": [["add_voter", 1, 9]]}, "step 1: add_voter is of nodes 1 to 3, and here of [1, 9]"),
    ],
)
def test_what_is_no_case_is_said_to_be_none(change: dict[str, Any], says: str) -> None:
    document = HuntCase("4.1.1", Settings(), 7, (), False, OTHER, (), 0, 0.0, 0.0).document() | change
    with pytest.raises(UsageError) as caught:
        case_of(document)
    assert says in str(caught.value)


def test_the_steps_that_a_schedule_may_have_are_those_of_the_host() -> None:
    verbs = (ROOT / "real" / "inprocess" / "host" / "raft" / "Verb.java").read_text(encoding="utf-8")
    assert {name.lower() for name in re.findall(r"^    ([A-Z_]+)[,;]$", verbs, re.M)} == NUMBERS_OF_STEPS.keys()


def test_tickets_are_named_before_their_fix_alone() -> None:
    assert ticket_of("active_has_applied", (3, 8, 1)) == "KAFKA-17333"
    assert ticket_of("active_has_applied", (3, 9, 0)) == ""
    assert ticket_of("one_leader", (3, 5, 2)) == ""
    assert [ticket_of("listener_hears", release) for release in ((3, 7, 0), (3, 7, 1))] == ["KAFKA-16286", ""]


# --- Kafka's own code -----------------------------------------------------------------------------------------------


def ask(host: Host, settings: Settings, seed: int, runs: int) -> dict[str, Any]:
    """Some runs of a hunt."""
    command = {"do": "hunt", "settings": settings.document(), "seed": seed, "length": LENGTH, "runs": runs}
    return host.ask(command)


@pytest.mark.long
def test_the_same_seed_gives_the_same_in_two_processes() -> None:
    release, answers = hosted_release(), list[list[dict[str, Any]]]()
    for _ in range(2):
        with Host(release) as host:
            answers.append([ask(host, settings, 5, 30) for settings in worlds_of(release)])
    assert answers[0] == answers[1]
    assert sum(answer["steps"] for answer in answers[0]) > 10_000


@pytest.mark.long
def test_the_order_of_javas_sets_is_not_drawn_anew_in_each_process() -> None:
    """In 4.4.0 these runs differ with that order, of which there are two: one process of two would have the other."""
    answers = list[dict[str, Any]]()
    for _ in range(4):
        with Host(hosted_release("4.4.0"), brief=True) as host:
            answers.append([ask(host, Settings(observers=1, dynamic=True), 101, runs) for runs in (2, 6)][1])
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.long
@pytest.mark.parametrize(
    "defect", ["forgets_vote", "loses_quorum_state", "forgets_flush", "answers_former_incarnation"]
)
def test_a_planted_defect_of_the_host_is_found(defect: str) -> None:
    release = hosted_release()
    with Host(release) as host:
        for case in hunt(release, 1, runs=40_000, seconds=400, defect=defect):
            assert isinstance(case, HuntCase), f"{defect} was not found: {case}"
            again, states = replay_case(host, case)
            assert again.finding == case.finding and len(states) == len(case.steps)
            host.open(replace(case.settings, defect=""), case.seed)
            if case.finding not in host.take(case.steps).findings:
                return  # what Kafka does without the defect is none of it
    raise AssertionError(f"{defect} was not found")


@pytest.mark.long
@pytest.mark.parametrize(
    ("ticket", "property_", "has_it", "mended"),
    [
        ("KAFKA-17333", "active_has_applied", "3.8.1", "3.9.1"),
        ("KAFKA-15489", "leader_resigns", "3.6.2", "3.7.2"),
        ("KAFKA-16286", "listener_hears", "3.6.2", "3.7.2"),
    ],
)
def test_a_known_defect_is_found_where_it_is_and_not_where_it_is_mended(
    ticket: str, property_: str, has_it: str, mended: str
) -> None:
    found = hunt(hosted_release(has_it), 1, runs=40_000, seconds=400)
    case = next(one for one in found if isinstance(one, HuntReach) or one.finding.property == property_)
    assert isinstance(case, HuntCase) and case.known_as == ticket
    with Host(hosted_release(mended)) as host, pytest.raises(UsageError, match=rf"^on Kafka {mended} this schedule "):
        replay_case(host, case)


def of_message(source: int, to: int, api: int, answer: int = 0) -> Step:
    """A message arrives."""
    return "deliver", source, to, api, answer, 0


@pytest.mark.long
@pytest.mark.parametrize("batches", [1, Settings().batches_a_read])
def test_a_node_that_hands_a_long_log_to_a_listener_is_not_taken_to_poll_without_rest(batches: int) -> None:
    """One batch a poll at the slowest, of more than the polls that a node may take for nothing, and more records."""
    fetch = [of_message(2, 1, FETCH), of_message(1, 2, FETCH, 1)]
    wins = [("tick", 1), *[of_message(1, 2, VOTE), of_message(2, 1, VOTE, 1)] * 2, of_message(1, 2, BEGIN_QUORUM_EPOCH)]
    with Host(hosted_release(), brief=True) as host:
        host.open(Settings(batches_a_read=batches), 1)
        host.take([*wins, *fetch * 2])
        for _ in range(70):
            host.take([("append", 1, 3), *fetch * 3])
        done = host.take([("register", 2), ("crash", 2, 2**31 - 1), ("start", 2), ("register", 1)])
        assert done.committed_records > 200 and not done.findings


@pytest.mark.long
def test_a_node_that_polls_without_rest_is_found() -> None:
    with Host(hosted_release(), brief=True) as host:
        host.open(Settings(observers=1, dynamic=True), 1)
        done = host.take([("tick", 4)] * 3)
    assert [found.signature for found in done.findings] == [
        "comes_to_rest, Unattached, polls again and again without waiting for anything"
    ]


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["3.9.1", "4.1.1", "4.4.0"])
@pytest.mark.parametrize("waits", [Settings().request_ms - 1, Settings().request_ms])
def test_a_change_that_timed_out_behind_a_prepared_batch_is_written_with_the_next(kafka: str, waits: int) -> None:
    """KAFKA-20740: until the first one has timed out the second is refused."""
    votes = [of_message(1, 2, VOTE), of_message(2, 1, VOTE, 1)]
    fetch = [of_message(2, 1, FETCH), of_message(1, 2, FETCH, 1)]
    leads = [("tick", 1), *votes * (2 if kafka >= "4" else 1), of_message(1, 2, BEGIN_QUORUM_EPOCH), *fetch * 3]
    with Host(hosted_release(kafka), brief=True) as host:
        host.open(Settings(dynamic=True), 7)
        before = host.take(leads).states[-1][0]
        held = host.take([("prepare", 1, 1), ("remove_voter", 1, 2), ("ahead", 1, waits), ("remove_voter", 1, 3)])
        assert held.states[-1][0]["log"] == before["log"] and before["high_watermark"] == before["end"]
        after = host.take([("schedule", 1)]).states[-1][0]
    voters = before["log"][-1]
    changes = 2 if waits == Settings().request_ms else 1
    assert (before["role"], after["log"]) == ("Leader", [*before["log"], [1, 1], *[voters] * changes])


def stood_and_was_removed(kafka: str) -> Schedule:
    """Nodes 1 and 3 stand in epoch 1, and 2 votes for 1; 3 follows it, is removed, has the record of that, and is
    started again."""
    votes = [of_message(1, 2, VOTE), of_message(2, 1, VOTE, 1)]
    stands = [("tick", 1), *votes, ("tick", 3), of_message(3, 2, VOTE), of_message(2, 3, VOTE, 1)]
    fetch = [of_message(3, 1, FETCH), of_message(1, 3, FETCH, 1)]
    begins = [*(stands if kafka >= "4" else [("tick", 1), ("tick", 3)]), *votes]
    joins = [of_message(1, 3, BEGIN_QUORUM_EPOCH), *fetch, *fetch]
    return (*begins, *joins, ("remove_voter", 1, 3), *fetch, ("crash", 3, 2**31 - 1), ("start", 3))


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["3.9.1", "4.0.1", "4.1.1", "4.2.0", "4.3.0", "4.4.0"])
def test_who_stood_and_was_removed_never_starts_again_from_4_0_on(kafka: str) -> None:
    with Host(hosted_release(kafka), brief=True) as host:
        host.open(Settings(dynamic=True), 7)
        done = host.take(stood_and_was_removed(kafka))
        assert done.states[-1][2]["end"] == 4, "it has not the record of its removal"
    wanted = ["no_exception IllegalArgumentException in CandidateState.<init>"] if kafka >= "4" else []
    assert [found.signature for found in done.findings] == wanted
    assert done.states[-1][2]["up"] == (kafka < "4")
