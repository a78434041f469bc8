"""Traces of consumers: which release takes them, in which order, what is compared, and with the mark `brokers` what
Kafka's own client does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tidegate.invariants.catalogue import find
from tidegate.real.driving.consumers.cluster import FIRST
from tidegate.real.driving.consumers.driver import ConsumerDriver
from tidegate.real.driving.consumers.family import FAMILY, settings_of
from tidegate.real.driving.consumers.plan import KINDS, WHY_NOT, ConsumerPlan, ConsumerStage, consumer_plan
from tidegate.real.driving.consumers.world import GroupSeen, MemberSeen
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.fitting import CannotBeDriven
from tidegate.real.driving.nodes.running import Broken
from tidegate.real.driving.nodes.wire import Refused
from tidegate.real.driving.verdict import confirmed
from tidegate.reports.confirm import comparison_section, confirm_text
from tidegate.reports.text_page import TextFormat

from ....capture.confirmed import merged
from ....capture.confirmed_consumers import NOT_DRIVEN, QUESTIONS
from ....conftest import Run
from ....support.confirming import came_of, document_of, result_of

BEGIN = "start_member(A); begin_generation({P: A, Q: A}); "
READS = "begin_at_offset(member=A, partition=P); poll(member=A, partition=P, upto=1); "
DONE = "process(member=A, partition=P, entry=0, commits_it=false); "
BY_B = (
    "begin_at_offset(member=B, partition=P); poll(member=B, partition=P, upto=1); "
    "process(member=B, partition=P, entry=0, commits_it=false)"
)
LOST = ("before", "at_least_once", f"produce(P); {BEGIN}{READS}crash(A)")
TWICE = (
    "auto", "at_most_once",
    f"produce(P); {BEGIN}start_member(B); {READS}{DONE}crash(A); session_times_out(A); "
    f"begin_generation({{P: B, Q: B}}); {BY_B}",
)  # fmt: skip
ZOMBIE = (
    "auto", "at_most_once",
    f"produce(P); {BEGIN}start_member(B); pause(A); begin_generation({{P: B, Q: B}}); {READS}{DONE}{BY_B}",
)  # fmt: skip
CLOSED = ("closes_after_exception", "at_least_once", f"produce(P); {BEGIN}{READS}fail(A)")
HANDED = ("auto_handed_over", "at_least_once", f"produce(P); {BEGIN}{READS}commit(A); crash(A)")
REBALANCED = (
    "now_and_then", "at_most_once",
    f"produce(P); {BEGIN}start_member(B); {READS}{DONE}rejoin(A); begin_generation({{P: A, Q: B}}); {READS}{DONE[:-2]}",
)  # fmt: skip
LATEST = (
    "latest_offset_lost", "nothing_skipped",
    f"produce(P); {BEGIN}lose_offset(P); reset_position(member=A, partition=P, since=1)",
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
BACKGROUND = ("kafka_18641", "at_least_once", f"produce(P); {BEGIN}{READS}commit(A); crash(A)")
REFUSED = ("unfenced", "offset_never_goes_back", (
    f"produce(P); produce(P); {BEGIN}{READS}{DONE}pause(A); start_member(B); begin_generation({{P: B, Q: B}}); "
    "begin_at_offset(member=B, partition=P); poll(member=B, partition=P, upto=2); "
    "process(member=B, partition=P, entry=0, commits_it=false); "
    "process(member=B, partition=P, entry=1, commits_it=false); commit(B); commit(A)"
))  # fmt: skip


@cache
def document(profile: str, property_: str, steps: str) -> dict[str, Any]:
    """A trace of consumers in whose end a property shows."""
    return document_of("consumer", profile, property_, steps)


@cache
def plan_of(trace: tuple[str, str, str], kafka: str | None = None) -> ConsumerPlan:
    return consumer_plan(trace_of(document(*trace)), kafka)


# --- which release, and which steps -----------------------------------------------------------------------------------


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
        assert consumer_plan(trace_of(made), "3.9.1").stages
        return
    with pytest.raises(CannotBeDriven) as raised:
        consumer_plan(trace_of(made), "3.9.1")
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
    with pytest.raises(CannotBeDriven) as raised:
        consumer_plan(trace_of(made), "4.1.0")
    assert (raised.value.step, why in raised.value.why) == (step, True), raised.value.why
    with pytest.raises(CannotBeDriven, match=r"from 4\.0 on"):
        consumer_plan(trace_of(made), "3.9.1")


def test_a_commit_before_a_rebalance_is_lost_and_sent_again_with_what_was_polled_meanwhile() -> None:
    plan = asked("kip_848_retry")
    fake = Fake(plan)
    assert settings_of(plan)["group.protocol"] == "consumer"
    assert driven(plan, fake)["result"] == "confirmed"
    assert fake.did[-4:] == ["901: poll 0 1", "901: drop", "901: hold False", "901: kill"]
    sent = next(stage.first for stage in plan.stages if stage.action == "retry_commit")
    found = driven(plan, Fake(plan, sent))
    assert (found["result"], found["step"]) == ("not_confirmed", sent)


def test_a_trace_of_kip_848_is_of_the_release_whose_consumer_commits_in_the_background() -> None:
    plan = plan_of(BACKGROUND)
    assert (plan.kafka, settings_of(plan)["group.protocol"]) == ("3.9.1", "consumer")
    with pytest.raises(CannotBeDriven, match=r"the model of Kafka 4\.1\.0 does not take it: step 6, commit"):
        plan_of(BACKGROUND, "4.1.0")
    with pytest.raises(CannotBeDriven, match=r"from 3\.9 on, and not in Kafka 3\.6\.2"):
        plan_of(BACKGROUND, "3.6.2")
    assert "group.protocol" not in settings_of(plan_of(LOST))


def by_duration(kafka: str, steps: str, **constants: Any) -> ConsumerPlan:
    """A plan of a trace in which a duration says where a group without an offset begins."""
    made = document(*LOST)
    settings = made["bounds"] | {"commits": "AUTO", "reset": "BY_DURATION", **constants}
    made = made | {"bounds": settings, "property": None, "steps": [{"step": one} for one in steps.split("; ")]}
    return consumer_plan(trace_of(made), kafka)


def test_what_a_consumer_passes_over_is_older_than_the_duration() -> None:
    plan = by_duration(
        "4.1.0", f"lose_offset(P); produce(P); produce(P); {BEGIN}reset_position(member=A, partition=P, since=1)",
        offset_losses=1,
    )  # fmt: skip
    assert [plan.is_old(stage) for stage in plan.stages if stage.action == "produce"] == [True, False]


def test_a_record_cannot_be_both_older_and_younger_than_the_duration() -> None:
    begun = f"produce(P); produce(P); {BEGIN}reset_position(member=A, partition=P, since=0); "
    begun += "crash(A); session_times_out(A); "
    with pytest.raises(CannotBeDriven, match="another consumer is to pass over this record"):
        by_duration(
            "4.1.0", f"{begun}{BEGIN.replace('A', 'B')}reset_position(member=B, partition=P, since=1)",
            has_offsets=False, crashes=1, max_generation=3,
        )  # fmt: skip


def test_a_commit_that_counts_without_a_generation_is_of_no_release() -> None:
    with pytest.raises(CannotBeDriven, match=r"the model of Kafka 4\.1\.0 does not take it: step 16, commit"):
        plan_of(REFUSED, "4.1.0")
    assert len(consumer_plan(trace_of(document(*REFUSED)), "4.1.0", anyway=True).stages) == 16


def test_each_action_is_driven_or_says_why_not() -> None:
    model = find("consumer")[0].bind("consumer", constants={}, profile=None, ghosts=True, properties=())
    assert KINDS.keys() | WHY_NOT.keys() == {action.name for action in model.actions}
    assert not KINDS.keys() & WHY_NOT.keys()


def test_each_profile_of_consumers_has_a_question_or_says_why_not() -> None:
    profiles = find("consumer")[0].profiles.keys()
    assert {one.profile for one in QUESTIONS} | NOT_DRIVEN.keys() == set(profiles)


def test_rows_that_are_made_anew_take_the_place_of_those_before() -> None:
    old = "\n".join(("## Consumers", "| `a` | x | 4.1.0 | 1 |", "| `b` | x | 4.1.0 | old |", "| `b` | y | 4.1.0 | 2 |"))
    found = merged([old], "| profile |\n| --- |\n| `b` | x | 4.1.0 | new |", ["a", "b"])
    assert found[2:] == ["| `a` | x | 4.1.0 | 1 |", "| `b` | x | 4.1.0 | new |", "| `b` | y | 4.1.0 | 2 |"]


def test_settings_that_repair_consumers_are_their_own() -> None:
    found = confirmed(document(*LOST), with_repair=True)
    assert (found["result"], "its own settings" in found["why"]) == ("not_driven", True)


# --- what is compared -------------------------------------------------------------------------------------------------


class Fake:
    """Consumers and a broker that do as the plan says, but at some step go on as they are."""

    def __init__(self, plan: ConsumerPlan, stays_at: int = 0, without: frozenset[int] = frozenset()) -> None:
        self.plan, self.state, self.stays_at, self.without = plan, plan.run.start, stays_at, without
        self.partitions = dict(zip("PQ", sorted("PQ", key=lambda one: one != str(plan.oldest)), strict=True))
        self.did, self.failed, self.polled = list[str](), 0, False

    def next(self, stage: ConsumerStage) -> None:
        if stage.first != self.stays_at:
            self.state = stage.after

    def _at(self, number: int) -> Any:
        names = {str(one): one for one in self.state.logs}
        return names[str(self.plan.oldest)] if number == 0 else next(
            one for one in names.values() if one != self.plan.oldest
        )  # fmt: skip

    def look(self) -> GroupSeen:
        state, every = self.state, range(2)
        members = {FIRST + number for number, one in enumerate(state.phase) if one in state.group}
        return GroupSeen(
            {one: (state.first[self._at(one)], len(state.logs[self._at(one)].committed)) for one in every},
            {one: state.offset[self._at(one)] for one in every},
            frozenset(members - (self.without if self.polled else frozenset())),
        )

    def member(self, number: int, within: float) -> MemberSeen | None:
        state, member = self.state, list(self.state.phase)[number - FIRST]
        owned = frozenset(one for one in range(2) if self._at(one) in state.owned[member])
        positions = {one: state.position[member][self._at(one)] or 0 for one in owned}
        stopped = state.phase[member].name == "STOPPED"
        return MemberSeen(owned, positions, "NoOffsetForPartitionException" if stopped else "-")

    def write(self, partition: int, record: int, age: int = 0) -> None:
        self.did.append(f"write {record} to {partition}")

    def delete_records(self, partition: int, before: int) -> None:
        self.did.append(f"delete below {before}")

    def truncate(self, partition: int, kept: int) -> str:
        return f"cut to {kept}"

    shut: tuple[tuple[int, int], ...] = ()

    def arrives(self, number: int, api: int, on: bool) -> None:
        self.shut = tuple({*self.shut} - {(number, api)} if on else {*self.shut, (number, api)})

    asks_never = False

    def asks(self, number: int, api: int) -> bool:
        self.did.append(f"{number}: asks {api}")
        return not self.asks_never and (number, api) in self.shut

    def add_partition(self, within: float) -> bool:
        return True

    refuses = False

    def lose_offset(self, partition: int) -> None:
        if self.refuses:
            raise Refused("deleting a group's offset", 86)
        self.did.append("lose offset")

    answers: ClassVar[dict[str, str]] = {
        "assign": "planned", "join": "joins", "settle": "settled", "idle": "-", "poll": "polled", "reset": "reset",
        "process": "processed", "commit": "committed", "send": "sent", "close": "closed",
    }  # fmt: skip

    def tell(self, number: int, line: str, within: float) -> str | None:
        word = line.split()[0]
        if word not in ("assign", "settle", "idle"):
            self.did.append(f"{number}: {line}")
        self.failed += word == "idle"
        self.polled = self.polled or word == "poll"
        return "TimeoutException" if line.startswith("commit 500 ") else self.answers[word]

    def said(self, number: int) -> Sequence[str]:
        return ["failed"] * self.failed

    def start_client(self, number: int) -> None:
        self.did.append(f"{number}: start")

    def kill_client(self, number: int) -> None:
        self.did.append(f"{number}: kill")

    def runs(self, number: int) -> bool:
        return True

    def beats(self, number: int, on: bool) -> None:
        self.did.append(f"{number}: beats {on}")

    def time_passes(self, number: int) -> None:
        self.did.append(f"{number}: time passes")

    def hold_commits(self, number: int, on: bool) -> None:
        self.did.append(f"{number}: hold {on}")

    def holds_commit(self, number: int) -> bool:
        return next((one for one in reversed(self.did) if ": hold " in one), "").endswith("True")

    def drop_commit(self, number: int, within: float) -> bool:
        self.did.append(f"{number}: drop")
        return True


def driven(plan: ConsumerPlan, fake: Fake) -> dict[str, Any]:
    """What comes of a plan on a world that is no real one."""
    return result_of(FAMILY, plan, ConsumerDriver(plan, fake, 0.1), fake.next)


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


def asked(profile: str) -> ConsumerPlan:
    """The plan of a trace of docs/confirmed.md."""
    one = next(question for question in QUESTIONS if question.profile == profile)
    made = document_of("consumer", profile, one.property, one.steps, **dict(one.constants))
    return consumer_plan(trace_of(made), "4.1.0", anyway=profile == "truncated")


def test_a_log_is_cut_while_a_consumer_that_compares_its_positions_is_not_answered() -> None:
    plan = asked("kip_320")
    fake = Fake(plan)
    assert driven(plan, fake)["result"] == "confirmed"
    assert fake.did.count("901: asks 23") == 1
    assert fake.shut == ()


@pytest.mark.parametrize("profile", ["kip_320", "kip_320_latest"])
def test_a_consumer_that_does_not_learn_that_the_log_was_cut_is_not_confirmed(profile: str) -> None:
    plan = asked(profile)
    fake = Fake(plan)
    fake.asks_never = True
    found = driven(plan, fake)
    cut = next(stage.first for stage in plan.stages if stage.action == "truncate")
    assert (found["result"], found["step"]) == ("not_confirmed", cut)
    assert "a consumer does not ask" in found["steps"][-1]["otherwise"]


def test_a_consumer_that_goes_on_beyond_the_cut_is_not_confirmed() -> None:
    plan = asked("kip_320")
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
    with pytest.raises(Broken, match="step 5: the session of consumer A ended before its time"):
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
