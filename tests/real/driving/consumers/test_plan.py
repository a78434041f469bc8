"""Plans of traces of consumers: which release takes one, in which order its steps are had, and what is not driven.

Also of: `family`.
"""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.invariants.catalogue import find
from tidegate.real.driving.consumers.family import consumer_settings
from tidegate.real.driving.consumers.plan import KINDS, WHY_NOT, ConsumersPlan, plan_trace
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.fitting import UndrivableError
from tidegate.real.driving.verdict import confirm_trace

from ....capture.confirmed import merge_rows
from ....capture.confirmed_consumers import NOT_DRIVEN, QUESTIONS
from ....support.consumers import (
    BACKGROUND,
    BEGIN,
    DONE,
    LATEST,
    LOST,
    READS,
    REFUSED,
    TWICE,
    ZOMBIE,
    Fake,
    confirmed_plan,
    document,
    driven,
    plan_of,
)


def test_the_newest_release_takes_a_trace() -> None:
    plan = plan_of(LOST)
    assert (plan.kafka, len(plan.stages), plan.shows) == ("4.1.0", 6, "at_least_once fails")


@pytest.mark.parametrize(
    ("trace", "numbers"),
    [
        (LOST, [1, 2, 3, 4, 5, 6]),
        (TWICE, [1, 2, 3, 5, 6, 7, 8, 9, 4, 10, 11, 12, 13]),
        (ZOMBIE, [1, 2, 3, 7, 5, 4, 6, 10, 8, 9, 11, 12]),
        (LATEST, [1, 4, 2, 3, 5]),
    ],
    ids=["as it is", "starts later", "begins at once", "is lost before"],
)
def test_steps_are_in_an_order_in_which_they_can_be_had(trace: tuple[str, str, str], numbers: list[int]) -> None:
    assert [stage.first for stage in plan_of(trace).stages] == numbers


RETRY: dict[str, Any] = {"retried_commits": 1, "any_coordinator": True, "fences_commits": False}


CUT: dict[str, Any] = {"truncations": 1, "readers_diverge": True}


CANNOT = {
    "group has members": (
        {"offset_losses": 1}, f"produce(P); {BEGIN}{READS}lose_offset(P)", 6, "to which members of the group subscribe",
    ),
    "rebalance": (
        {"commits": "AFTER", "max_generation": 3},
        f"produce(P); produce(P); {BEGIN}{READS}start_member(B); {DONE}commit(A); poll(member=A, partition=P, upto=2); "
        "process(member=A, partition=P, entry=1, commits_it=false); commit(A); rejoin(A)", 0, "",
    ),
    "poll in a rebalance": (
        {"pauses": 1},
        f"produce(P); {BEGIN}begin_at_offset(member=A, partition=P); start_member(B); crash(B); "
        "poll(member=A, partition=P, upto=1); session_times_out(B)", 7, "joins the rebalance",
    ),
    "begins late": (
        {"has_offsets": False}, f"{BEGIN}produce(P); reset_position(member=A, partition=P, since=1)", 4,
        "another place",
    ),
    "fetched": (
        {"deletions": 1, "commits": "AFTER"}, f"produce(P); produce(P); {BEGIN}{READS}delete_records(P)", 7,
        "fetched these records",
    ),
    "database": ({"commits": "TOGETHER"}, BEGIN[:-2], 0, "in a database"),
    "background": ({"background_commit": True}, BEGIN[:-2], 0, ""),
    "two members of KIP-848": (
        {"background_commit": True}, "start_member(A); start_member(B); begin_generation({P: A, Q: B})", 1,
        "shares partitions out",
    ),
    "pause of KIP-848": ({"background_commit": True}, f"{BEGIN}pause(A)", 3, "with the classic consumer"),
    "duration": ({"reset": "BY_DURATION"}, BEGIN[:-2], 0, "from 4.0 on"),
    "cut in a rebalance": (
        CUT, f"produce(P); {BEGIN}begin_at_offset(member=A, partition=P); start_member(B); truncate(P); "
        "crash(B); session_times_out(B)", 6, "forgets a rebalance",
    ),
    "cut after deletions": (
        {**CUT, "deletions": 1}, "produce(P); produce(P); delete_records(P); truncate(P)", 4,
        "which records were deleted",
    ),
    "cut below what was fetched": (
        CUT, f"produce(P); produce(P); {BEGIN}{READS}truncate(P)", 7, "fetched these records",
    ),
    "cut with `none`": (
        {**CUT, "reset": "NONE"},
        f"produce(P); {BEGIN}{READS}{DONE}truncate(P); detect_truncation(member=A, partition=P)",
        8, "do not stop with `none`",
    ),
    "polls with nothing to use": (
        CUT, f"produce(P); produce(Q); {BEGIN}{READS}{DONE}begin_at_offset(member=A, partition=Q); truncate(P); "
        "poll(member=A, partition=Q, upto=1)", 10, "none that it could use",
    ),
    "epochs that are committed": ({**CUT, "commits": "AFTER"}, f"{BEGIN[:-2]}", 0, "offsets alone"),
    "epochs that are not": ({**CUT, "commits_epochs": False}, f"{BEGIN[:-2]}", 0, "offsets alone"),
    "another partition": (
        {"has_offsets": False, "reset": "EARLIEST"},
        f"produce(P); {BEGIN}reset_position(member=A, partition=P, since=0); "
        "poll(member=A, partition=P, upto=1); process(member=A, partition=P, entry=0, commits_it=false); commit(A)", 7,
        "of all partitions",
    ),
    "automatic": (
        {"commit_losses": 1}, f"produce(P); {BEGIN}start_member(B); lose_commit(A)", 5, "an automatic commit again",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("constants", "steps", "step", "why"), CANNOT.values(), ids=list(CANNOT))
def test_what_is_not_driven_says_why(constants: dict[str, Any], steps: str, step: int, why: str) -> None:
    made = document(*LOST)
    settings = made["bounds"] | {"commits": "AUTO"} | constants
    made = made | {"bounds": settings, "property": None, "steps": [{"step": one} for one in steps.split("; ")]}
    if not why:
        assert plan_trace(trace_of(made), "3.9.1").stages
        return
    with pytest.raises(UndrivableError) as raised:
        plan_trace(trace_of(made), "3.9.1")
    assert (raised.value.step, why in raised.value.why) == (step, True), raised.value.why


RETRIES = {
    "sent again without a rebalance": (
        f"{BEGIN}begin_at_offset(member=A, partition=P); begin_at_offset(member=A, partition=Q); fail_commit(A)",
        5, "nobody else joins the group",
    ),
    "sent again without a position": (
        f"{BEGIN}begin_at_offset(member=A, partition=P); start_member(B); fail_commit(A)", 5, "no position",
    ),
    "polls in a rebalance without a commit": (
        f"produce(P); {BEGIN}begin_at_offset(member=A, partition=P); start_member(B); "
        "poll(member=A, partition=P, upto=1)", 6, "joins the rebalance",
    ),
    "taken by any coordinator": (f"{BEGIN}be_taken(member=A, partition=P)", 3, "without a generation"),
    "commits where one is sent again": (
        f"produce(P); {BEGIN}begin_at_offset(member=A, partition=P); poll(member=A, partition=P, upto=1); "
        "process(member=A, partition=P, entry=0, commits_it=false); commit(A)", 7, "does not do it where",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("steps", "step", "why"), RETRIES.values(), ids=list(RETRIES))
def test_what_is_not_driven_where_a_commit_is_sent_again(steps: str, step: int, why: str) -> None:
    made = document(*LOST)
    made = made | {"bounds": made["bounds"] | {"commits": "AUTO", **RETRY}, "property": None}
    made = made | {"steps": [{"step": one} for one in steps.split("; ")]}
    with pytest.raises(UndrivableError) as raised:
        plan_trace(trace_of(made), "4.1.0")
    assert (raised.value.step, why in raised.value.why) == (step, True), raised.value.why
    with pytest.raises(UndrivableError, match=r"from 4\.0 on"):
        plan_trace(trace_of(made), "3.9.1")


def test_a_commit_before_a_rebalance_is_lost_and_sent_again_with_what_was_polled_meanwhile() -> None:
    plan = confirmed_plan("kip_848_retry")
    fake = Fake(plan)
    assert consumer_settings(plan)["group.protocol"] == "consumer"
    assert driven(plan, fake)["result"] == "confirmed"
    assert fake.did[-4:] == ["901: poll 0 1", "901: drop", "901: hold False", "901: kill"]
    sent = next(stage.first for stage in plan.stages if stage.action == "retry_commit")
    found = driven(plan, Fake(plan, sent))
    assert (found["result"], found["step"]) == ("not_confirmed", sent)


def test_a_trace_of_kip_848_is_of_the_release_whose_consumer_commits_in_the_background() -> None:
    plan = plan_of(BACKGROUND)
    assert (plan.kafka, consumer_settings(plan)["group.protocol"]) == ("3.9.1", "consumer")
    with pytest.raises(UndrivableError, match=r"the model of Kafka 4\.1\.0 does not take it: step 6, commit"):
        plan_of(BACKGROUND, "4.1.0")
    with pytest.raises(UndrivableError, match=r"from 3\.9 on, and not in Kafka 3\.6\.2"):
        plan_of(BACKGROUND, "3.6.2")
    assert "group.protocol" not in consumer_settings(plan_of(LOST))


def plan_by_duration(kafka: str, steps: str, **constants: Any) -> ConsumersPlan:
    """A plan of a trace in which a duration says where a group without an offset begins."""
    made = document(*LOST)
    settings = made["bounds"] | {"commits": "AUTO", "reset": "BY_DURATION", **constants}
    made = made | {"bounds": settings, "property": None, "steps": [{"step": one} for one in steps.split("; ")]}
    return plan_trace(trace_of(made), kafka)


def test_what_a_consumer_passes_over_is_older_than_the_duration() -> None:
    plan = plan_by_duration(
        "4.1.0", f"lose_offset(P); produce(P); produce(P); {BEGIN}reset_position(member=A, partition=P, since=1)",
        offset_losses=1,
    )  # fmt: skip
    assert [plan.is_old(stage) for stage in plan.stages if stage.action == "produce"] == [True, False]


def test_a_record_cannot_be_both_older_and_younger_than_the_duration() -> None:
    begun = f"produce(P); produce(P); {BEGIN}reset_position(member=A, partition=P, since=0); "
    begun += "crash(A); session_times_out(A); "
    with pytest.raises(UndrivableError, match="another consumer is to pass over this record"):
        plan_by_duration(
            "4.1.0", f"{begun}{BEGIN.replace('A', 'B')}reset_position(member=B, partition=P, since=1)",
            has_offsets=False, crashes=1, max_generation=3,
        )  # fmt: skip


def test_a_commit_that_counts_without_a_generation_is_of_no_release() -> None:
    with pytest.raises(UndrivableError, match=r"the model of Kafka 4\.1\.0 does not take it: step 16, commit"):
        plan_of(REFUSED, "4.1.0")
    assert len(plan_trace(trace_of(document(*REFUSED)), "4.1.0", anyway=True).stages) == 16


def test_each_action_is_driven_or_says_why_not() -> None:
    model = find("consumer")[0].bind("consumer", constants={}, profile=None, ghosts=True, properties=())
    assert KINDS.keys() | WHY_NOT.keys() == {action.name for action in model.actions}
    assert not KINDS.keys() & WHY_NOT.keys()


def test_each_profile_of_consumers_has_a_question_or_says_why_not() -> None:
    profiles = find("consumer")[0].profiles.keys()
    assert {one.profile for one in QUESTIONS} | NOT_DRIVEN.keys() == set(profiles)


def test_rows_that_are_made_anew_take_the_place_of_those_before() -> None:
    old = [
        ["`a`", "x", "4.1.0", "1"],
        ["`b`", "x", "4.1.0", "old"],
        ["", "mended", "4.2.0", "3"],
        ["`b`", "y", "4.1.0", "2"],
    ]
    found = merge_rows(old, [["`b`", "x", "4.1.0", "new"]], ["a", "b"])
    assert found == [old[0], ["`b`", "x", "4.1.0", "new"], old[3]]


def test_settings_that_repair_consumers_are_their_own() -> None:
    found = confirm_trace(document(*LOST), with_repair=True)
    assert (found["result"], "its own settings" in found["why"]) == ("not_driven", True)
