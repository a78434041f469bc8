"""Histories of Kafka's code, followed in the model: which are shown, that a change of each field is found, how they are
saved.

Also of: `compared`, `schedules`.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from tidegate.language import judge
from tidegate.language.errors import UsageError
from tidegate.real.driving.controllers.driver import expected_observations
from tidegate.real.driving.nodes.wire import BEGIN_QUORUM_EPOCH, END_QUORUM_EPOCH, FETCH, VOTE
from tidegate.real.inprocess.compared import COMPARED
from tidegate.real.inprocess.following import (
    FollowingModel,
    HistoryDifference,
    HistoryFollower,
    ObservedHistory,
    history_difference,
    replay_history,
    saved_history,
)
from tidegate.real.inprocess.hosting import Host
from tidegate.real.inprocess.schedules import (
    ObservedMoment,
    ObservedRun,
    Operation,
    draw_observed_run,
    operation_words,
    repeat_operations,
)

from ...support.hosting import hosted_release

ELECTED = "election_timeout(A); vote(candidate=A, voter=B); begin_quorum_epoch(leader=A, voter=B)"
FETCHED = f"{ELECTED}; fetch(follower=B, leader=A, answered=true); fetch(follower=B, leader=A, answered=true)"
CHANGED: dict[str, tuple[int, dict[str, Any]]] = {
    "role": (3, {"role": "resigned", "leader": 3}),
    "epoch": (3, {"epoch": 1}),
    "leader": (2, {"leader": 3}),
    "voted_for": (3, {"role": "voted", "voted_for": 2, "epoch": 1}),
    "log": (2, {"log": ((1, 0), (1, 1))}),
    "high_watermark": (1, {"high_watermark": 2}),
}
"""A change of each field of what is observed in the end: of which voter, and to what."""


@cache
def model_of_3_9() -> FollowingModel:
    """It is compiled once."""
    return FollowingModel("3.9")


def run_of(steps: str) -> ObservedRun:
    """What would be observed of a run of the model, each step an operation."""
    run = judge.run_text(model_of_3_9().model, steps)
    shown = [expected_observations(state) for state in run.states()]
    moments = [ObservedMoment(at, one, 0) for at, one in enumerate(shown) if at == 0 or one != shown[at - 1]]
    return ObservedRun(tuple(("wait", 1) for _ in run.steps), tuple(moments))


def difference_of(run: ObservedRun) -> HistoryDifference | None:
    """What differs of it."""
    return history_difference(model_of_3_9(), "3.9.1", run, model_of_3_9().answer(run.moments))


def changed_at_last(run: ObservedRun, voter: int, changes: dict[str, Any]) -> ObservedRun:
    """The run, with another observation in the end."""
    last = run.moments[-1]
    seen = replace(last.observation[voter], **changes)
    return replace(run, moments=(*run.moments[:-1], replace(last, observation={**last.observation, voter: seen})))


def test_what_the_model_does_it_shows() -> None:
    assert difference_of(run_of(FETCHED)) is None
    assert difference_of(run_of(f"{FETCHED}; write(A); restart(voter=B, kept=1)")) is None


@pytest.mark.parametrize("field", COMPARED)
def test_a_change_of_each_field_that_is_compared_is_found(field: str) -> None:
    voter, changes = CHANGED[field]
    found = difference_of(changed_at_last(run_of(FETCHED), voter, changes))
    assert found is not None and field in found.fields
    assert found.next[voter] != found.instead[voter] and len(found.steps) >= 4


def test_a_vote_for_another_one_is_found() -> None:
    found = difference_of(
        changed_at_last(run_of("election_timeout(A); vote(candidate=A, voter=B)"), 2, {"voted_for": 3})
    )
    assert found is not None and "voted_for" in found.fields


def test_a_restart_that_there_was_not_explains_nothing() -> None:
    model, run = model_of_3_9().model, run_of(FETCHED)
    last, *_ = run.moments[::-1]
    for restarts in (0, 1):
        moments = (*run.moments, replace(last, restarts=restarts), replace(last, restarts=1))
        history = ObservedHistory(model, moments)
        start, _ = next(history.starts())
        before = judge.run_text(model, FETCHED).states()[-1]
        left = {history.restarts_left: getattr(start, history.restarts_left)}
        before = judge.state_shape(model).replace(before, **left)
        restart = next(
            one for one in judge.steps(model, before) if one.action == "restart" and str(one.arguments["voter"]) == "B"
        )
        assert history.admits(len(run.moments) - 1, len(run.moments), before, before)
        assert history.admits(len(run.moments) - 1, len(run.moments), before, restart.state_after) == (restarts == 1)


def test_what_lies_in_the_midst_of_an_exchange_may_be_missed_and_need_not() -> None:
    run = run_of(FETCHED)
    optional = replace(run.moments[2], observation={**run.moments[1].observation, 3: run.moments[1].observation[2]})
    between = (*run.moments[:2], replace(optional, may_be_missed=True), *run.moments[2:])
    assert difference_of(replace(run, moments=between)) is None
    required = replace(run, moments=tuple(replace(moment, may_be_missed=False) for moment in between))
    assert difference_of(required) is not None
    missing = (run.moments[0], run.moments[1], run.moments[3])
    assert difference_of(replace(run, moments=missing)) is not None
    missed = (*run.moments[:2], replace(run.moments[2], may_be_missed=True), *run.moments[3:])
    assert difference_of(replace(run, moments=missed)) is None


def test_a_node_that_ends_by_itself_is_a_difference() -> None:
    found = difference_of(replace(run_of(ELECTED), why_ended="controller 2 ended by itself: IllegalStateException"))
    assert found is not None and found.fields == ("a node ends",) and "IllegalStateException" in found.why
    assert difference_of(replace(run_of(ELECTED), why_ended="controller 2 ended by itself", is_known_end=True)) is None


def test_a_difference_is_read_as_it_was_saved() -> None:
    found = difference_of(changed_at_last(run_of(FETCHED), 1, {"high_watermark": 2}))
    assert found is not None
    exchange = ("exchange", 2, 1, 1, 0)
    found = replace(found, operations=(("wait", 1), exchange), defect="forgets_vote")
    read = saved_history(found.document())
    assert (read.kafka, read.held_against, read.operations) == ("3.9.1", "3.9", found.operations)
    assert read.defect == "forgets_vote"
    assert operation_words(exchange) == "exchange(2, 1, Fetch, its answer is lost)"
    assert found.signature.startswith("Fetch: ") and "high_watermark" in found.signature


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"schema": "tidegate.schedule/1"}, "its schema is tidegate.schedule/1, and not tidegate.history/1"),
        ({"operations": [["jump", 1]]}, "KeyError('jump')"),
        ({"operations": [["wait"]]}, "wait takes 1 numbers"),
        ({"operations": [["exchange", 1, 4, 52, 1]]}, "exchange is of nodes 1 to 3"),
        ({"operations": 3}, "it is no history that `conform` has saved"),
    ],
)
def test_what_is_no_history_is_said_to_be_none(change: dict[str, Any], says: str) -> None:
    document: dict[str, Any] = {"schema": "tidegate.history/1", "kafka": "3.9.1", "held_against": "3.9"}
    document |= {"operations": []} | change
    with pytest.raises(UsageError) as caught:
        saved_history(document)
    assert says in str(caught.value)


# --- Kafka's own code -----------------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_same_seed_gives_the_same_history_in_two_processes() -> None:
    runs = list[ObservedRun]()
    for _ in range(2):
        with Host(hosted_release(), brief=True) as host:
            counted = Counter[tuple[str, ...]]()
            drawn = random.Random(3)
            runs += [draw_observed_run(host, 3, drawn, counted) for _ in range(2)]
    assert runs[:2] == runs[2:] and len(runs[0].moments) > 3


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["3.9.1", "4.1.1"])
def test_the_model_does_what_kafka_does(kafka: str) -> None:
    with Host(hosted_release(kafka)) as host:
        follower = HistoryFollower(host, 1, kafka.rpartition(".")[0])
        assert list(follower.next_differences(16)) + list(follower.next_differences(9)) == []
    assert (
        follower.reach.histories == 25 and follower.reach.observations > 200 and not follower.reach.undecided_histories
    )


@pytest.mark.long
@pytest.mark.parametrize("defect", ["forgets_vote", "loses_quorum_state"])
def test_a_planted_defect_of_the_host_is_found_and_stays_when_it_is_replayed(defect: str) -> None:
    with Host(hosted_release()) as host:
        follower = HistoryFollower(host, 1, "4.1", defect)
        found = next(one for _ in range(100) for one in follower.next_differences(8))
        assert len(found.operations) <= 12
        again = replay_history(host, saved_history(found.document()).operations, "4.1", defect)
        assert isinstance(again, HistoryDifference) and again.signature == found.signature
        assert replay_history(host, found.operations, "4.1") == "shown"


@pytest.mark.long
@pytest.mark.parametrize(("kafka", "role"), [("3.9.1", "follower"), ("4.1.1", "candidate"), ("4.4.0", "candidate")])
def test_who_stood_and_then_followed_stands_again_after_a_restart_from_4_0_on(kafka: str, role: str) -> None:
    """The votes of the two go to A, and B follows it before it is started again."""
    asks = [("exchange", 1, 3, VOTE, 1), ("exchange", 2, 3, VOTE, 1)] if kafka >= "4" else []
    wins = [("exchange", 1, 3, VOTE, 1), ("exchange", 1, 2, BEGIN_QUORUM_EPOCH, 1), ("exchange", 2, 1, FETCH, 1)]
    with Host(hosted_release(kafka)) as host:
        run = repeat_operations(host, 3, [("wait", 1), ("wait", 2), *asks, *wins, ("restart", 2)])
        assert run.moments[-1].observation[2].role == role
        assert replay_history(host, run.operations, kafka[:3]) == "shown"


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["4.1.1", "4.4.0"])
def test_who_stood_followed_and_asked_in_vain_stands_again_after_a_restart(kafka: str) -> None:
    """C stands in epoch 1, which B wins, and hears of it by its request. It asks for pre-votes beside this leader,
    gives up, and asks again before it is started again. The model had it forget its vote as it gave up."""
    elected = [("wait", 3), ("wait", 2), *(("exchange", one, 1, VOTE, 1) for one in (3, 2, 2))]
    with Host(hosted_release(kafka), brief=True) as host:
        run = repeat_operations(host, 3, [*elected, ("exchange", 3, 2, VOTE, 1), *[("wait", 3)] * 3, ("restart", 3)])
        asked, started = (moment.observation[3] for moment in run.moments[-2:])
        assert (asked.role, asked.epoch, asked.leader) == ("prospective", 1, 2)
        assert (started.role, started.epoch) == ("candidate", 1)
        assert replay_history(host, run.operations, kafka[:3]) == "shown"


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["4.1.1", "4.3.0"])
def test_who_asks_for_pre_votes_learns_from_end_quorum_epoch_who_led(kafka: str) -> None:
    """B asks for pre-votes in epoch 1, of which it knows no leader, and the leader A, which has resigned, asks it to
    begin an election. So it follows A and asks again at once, and the pre-vote of C, whose leader is A, counts."""
    elected = [("wait", 1), ("exchange", 1, 3, VOTE, 1), ("exchange", 1, 2, VOTE, 1), ("wait", 1), ("wait", 2)]
    ends = [("exchange", 1, voter, END_QUORUM_EPOCH, 1) for voter in (3, 2)]
    with Host(hosted_release(kafka)) as host:
        run = repeat_operations(host, 3, [*elected, *ends, ("exchange", 2, 3, VOTE, 1)])
        seen = [moment.observation[2] for moment in run.moments]
        asks = [one.leader for one in seen if (one.role, one.epoch) == ("prospective", 1)]
        assert {None, 1} == set(asks) and (seen[-1].role, seen[-1].epoch) == ("candidate", 2)
        assert replay_history(host, run.operations, kafka[:3]) == "shown"


@pytest.mark.long
def test_a_release_is_told_from_the_model_of_another_one() -> None:
    """KAFKA-15345: before 3.6 the controller of an empty log acts as the leader before its epoch's start is
    committed."""
    with Host(hosted_release("3.5.2")) as host:
        found = replay_history(host, [("wait", 2), ("exchange", 2, 1, 52, 1), ("append", 2)], "3.9")
        assert isinstance(found, HistoryDifference) and "log" in found.fields
        assert replay_history(host, found.operations, "3.5") == "shown"


STANDS_AGAIN: tuple[Operation, ...] = (
    ("wait", 1),
    ("wait", 2),
    *(("exchange", one, 3, VOTE, 1) for one in (1, 2, 1)),
    ("exchange", 1, 2, BEGIN_QUORUM_EPOCH, 1),
    ("exchange", 2, 1, FETCH, 1),
    ("restart", 2),
)
"""After these controller 2 stands in epoch 1, of which it has a record, controller 1 leads it, and 3 voted in it."""


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["4.0.1", "4.1.1", "4.2.0", "4.3.0", "4.4.0"])
def test_who_stands_where_it_has_records_follows_or_ends_by_who_answers(kafka: str) -> None:
    with Host(hosted_release(kafka), brief=True) as host:
        run = repeat_operations(host, 3, (*STANDS_AGAIN, ("exchange", 2, 1, VOTE, 1)))
        assert not run.why_ended and run.moments[-1].observation[2].role == "follower"
        run = repeat_operations(host, 3, (*STANDS_AGAIN, ("exchange", 2, 3, VOTE, 1)))
    assert run.why_ended.endswith("IllegalStateException: Received unexpected invalid request error")
    assert run.is_known_end and run.moments[-1].observation[2].role == "candidate"
