"""Traces of consumers: which release takes them, in which order, what is compared, and with the mark `brokers` what
Kafka's own client does.

Also of: `cluster`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tidegate.real.driving.consumers.cluster import FIRST
from tidegate.real.driving.nodes.running import NodesError
from tidegate.reports.confirm import comparison_section, confirm_text
from tidegate.reports.text_page import TextFormat

from ....capture.confirmed_consumers import QUESTIONS
from ....conftest import Run
from ....support.confirming import came_of, document_of
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

CLOSED = ("closes_after_exception", "at_least_once", f"produce(P); {BEGIN}{READS}fail(A)")


HANDED = ("auto_handed_over", "at_least_once", f"produce(P); {BEGIN}{READS}commit(A); crash(A)")


REBALANCED = (
    "now_and_then", "at_most_once",
    f"produce(P); {BEGIN}start_member(B); {READS}{DONE}rejoin(A); begin_generation({{P: A, Q: B}}); {READS}{DONE[:-2]}",
)  # fmt: skip


NONE = ("none_offset_lost", "goes_on", f"{BEGIN}lose_offset(P); reset_position(member=A, partition=P, since=0)")


GROWS = (
    "latest_grows", "nothing_skipped",
    f"add_partition(Q); produce(Q); {BEGIN}reset_position(member=A, partition=Q, since=1)",
)  # fmt: skip


DELETED = (
    "latest_deleted", "nothing_skipped",
    f"produce(P); produce(P); delete_records(P); {BEGIN}reset_position(member=A, partition=P, since=2)",
)  # fmt: skip


SENT_AGAIN = (
    "async_sent_again", "offset_never_goes_back",
    f"produce(P); produce(P); {BEGIN}{READS}{DONE}delay_commit(member=A, partition=P); "
    "poll(member=A, partition=P, upto=2); process(member=A, partition=P, entry=1, commits_it=false); commit(A); "
    "commit_again(Delayed(member=A, generation=1, partition=P, offset=1, epoch=none))",
)  # fmt: skip


NOT_COMMITTED = (
    "commit_lost", "at_most_once",
    f"produce(P); {BEGIN}start_member(B); {READS}{DONE}lose_commit(A); rejoin(A); "
    f"begin_generation({{P: A, Q: B}}); {READS}{DONE[:-2]}",
)  # fmt: skip


POOL = (
    "after_in_pool", "at_least_once",
    f"produce(P); produce(P); {BEGIN}begin_at_offset(member=A, partition=P); poll(member=A, partition=P, upto=2); "
    "process(member=A, partition=P, entry=1, commits_it=true); crash(A)",
)  # fmt: skip


def test_an_application_that_commits_before_it_processes() -> None:
    plan = plan_of(LOST)
    fake = Fake(plan)
    found = driven(plan, fake)
    assert fake.did == [
        "write 0 to 0", "901: start", "901: join", "901: poll 0 1", "901: commit 60000 0:1", "901: kill",
    ]  # fmt: skip
    assert (found["result"], found["why"]) == ("confirmed", "every step came about: at_least_once fails")
    assert found["steps"][-1]["seen"]["clients"]["committed"] == "1 in 0, 0 in 1"
    assert "committed: 1 in 0" in confirm_text([found], TextFormat(200), steps=True)
    assert "1 in 0" in comparison_section([found])


@pytest.mark.parametrize(
    ("trace", "last"),
    [
        (CLOSED, ["901: poll 0 1", "901: beats True", "901: close", "901: kill"]),
        (HANDED, ["901: poll 0 1", "901: time passes", "901: kill"]),
        (NONE, ["lose offset", "901: start", "901: join", "901: kill"]),
        (DELETED, ["delete below 1", "901: start", "901: join", "901: reset 0"]),
        (POOL, ["901: process 0 1", "901: commit 60000 0:2", "901: kill"]),
        (SENT_AGAIN, ["901: process 0 1", "901: beats True", "901: commit 60000 0:2", "901: commit 60000 0:1"]),
    ],
    ids=["closed", "automatic", "stopped", "deleted", "pool", "sent again"],
)
def test_what_each_step_is_of_a_consumer(trace: tuple[str, str, str], last: list[str]) -> None:
    plan = plan_of(trace)
    fake = Fake(plan)
    assert driven(plan, fake)["result"] == "confirmed"
    assert fake.did[-len(last) :] == last


def test_what_is_in_hand_is_committed_by_the_background_thread_alone() -> None:
    """A commit is under way while the next one is due, so that this is sent when the first is answered, without a
    poll: a driver that polled would have any consumer commit."""
    plan = plan_of(BACKGROUND)
    fake = Fake(plan)
    assert driven(plan, fake)["result"] == "confirmed"
    assert fake.did[3:] == [
        "901: hold True", "901: time passes", "901: time passes", "901: poll 0 1", "901: hold False", "901: kill",
    ]  # fmt: skip
    assert fake.failed == 1, "it polls for the commit that is held, and not for the one that is due"


def test_a_commit_that_is_lost() -> None:
    plan = plan_of(NOT_COMMITTED)
    fake = Fake(plan)
    assert driven(plan, fake)["result"] == "confirmed"
    at = fake.did.index("901: hold True")
    assert fake.did[at : at + 4] == ["901: hold True", "901: commit 500 0:1", "901: drop", "901: hold False"]


def test_a_log_is_cut_while_a_consumer_that_compares_its_positions_is_not_answered() -> None:
    plan = confirmed_plan("kip_320")
    fake = Fake(plan)
    assert driven(plan, fake)["result"] == "confirmed"
    assert fake.did.count("901: asks 23") == 1
    assert fake.shut == ()


@pytest.mark.parametrize("profile", ["kip_320", "kip_320_latest"])
def test_a_consumer_that_does_not_learn_that_the_log_was_cut_is_not_confirmed(profile: str) -> None:
    plan = confirmed_plan(profile)
    fake = Fake(plan)
    fake.asks_never = True
    found = driven(plan, fake)
    cut = next(stage.first for stage in plan.stages if stage.action == "truncate")
    assert (found["result"], found["step"]) == ("not_confirmed", cut)
    assert "a consumer does not ask" in found["steps"][-1]["otherwise"]


def test_a_consumer_that_goes_on_beyond_the_cut_is_not_confirmed() -> None:
    plan = confirmed_plan("kip_320")
    noticed = next(stage.first for stage in plan.stages if stage.action == "detect_truncation")
    found = driven(plan, Fake(plan, noticed))
    assert (found["result"], found["step"]) == ("not_confirmed", noticed)


@pytest.mark.parametrize("step", [1, 5])
def test_a_step_that_does_not_come_about_is_not_confirmed(step: int) -> None:
    plan = plan_of(LOST)
    found = driven(plan, Fake(plan, step))
    assert (found["result"], found["step"], len(found["steps"])) == ("not_confirmed", step, step)
    assert "in place of" in found["steps"][-1]["otherwise"]


def test_an_offset_that_is_not_deleted_is_not_confirmed() -> None:
    plan = plan_of(LATEST)
    fake = Fake(plan)
    fake.refuses = True
    found = driven(plan, fake)
    assert (found["result"], found["step"]) == ("not_confirmed", 4)
    assert "deleting a group's offset" in found["steps"][-1]["otherwise"]


def test_a_member_that_is_thrown_out_before_its_time_could_not_be_driven() -> None:
    """A machine without time has its session end: that says nothing of Kafka."""
    plan = plan_of(LOST)
    with pytest.raises(NodesError, match="step 5: the session of consumer A ended before its time"):
        driven(plan, Fake(plan, without=frozenset({FIRST})))
    never = Fake(plan, without=frozenset({FIRST}))
    never.polled = True
    assert driven(plan, never)["step"] == 2, "a member that does not join is no session that ends"


# --- a real broker, and Kafka's own consumers -------------------------------------------------------------------------
@pytest.mark.brokers
@pytest.mark.parametrize(
    ("trace", "kafka"),
    [
        (LOST, "3.9.1"),
        (TWICE, "4.1.0"),
        (ZOMBIE, "4.1.0"),
        (CLOSED, "4.1.0"),
        (HANDED, "3.9.1"),
        (REBALANCED, "4.1.0"),
        (LATEST, "4.1.0"),
        (NONE, "4.1.0"),
        (GROWS, "4.1.0"),
        (DELETED, "4.1.0"),
        (SENT_AGAIN, "3.9.1"),
        (NOT_COMMITTED, "4.1.0"),
        (BACKGROUND, "3.9.1"),
    ],
    ids=[
        "lost",
        "twice",
        "zombie",
        "closed",
        "automatic",
        "rebalanced",
        "latest",
        "none",
        "grows",
        "deleted",
        "again",
        "commit",
        "background",
    ],
)
def test_a_real_broker(tidegate: Run, tmp_path: Path, trace: tuple[str, str, str], kafka: str) -> None:
    found = came_of(tidegate, tmp_path, document(*trace), kafka, seconds=40)
    assert found["result"] == "confirmed", json.dumps(found, indent=1)


@pytest.mark.brokers
@pytest.mark.parametrize("profile", ["kip_320", "kip_320_offset_alone", "kip_320_latest", "kip_848_retry"])
def test_a_trace_of_the_page_on_real_consumers(tidegate: Run, tmp_path: Path, profile: str) -> None:
    one = next(question for question in QUESTIONS if question.profile == profile)
    made = document_of("consumer", profile, one.property, one.steps, **dict(one.constants))
    found = came_of(tidegate, tmp_path, made, "4.1.0", seconds=40)
    assert found["result"] == "confirmed", json.dumps(found, indent=1)


@pytest.mark.brokers
def test_a_commit_of_an_earlier_generation_is_refused(tidegate: Run, tmp_path: Path) -> None:
    found = came_of(tidegate, tmp_path, document(*REFUSED), "4.1.0", "--anyway", seconds=40)
    assert (found["result"], found["step"]) == ("not_confirmed", 16), json.dumps(found, indent=1)
    assert found["steps"][-1]["otherwise"] == "commit: CommitFailedException"
