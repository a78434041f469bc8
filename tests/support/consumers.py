"""What the tests of driven consumers share: traces, and a world that does as it is told."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar

from tidegate.real.driving.consumers.cluster import FIRST
from tidegate.real.driving.consumers.driver import ConsumersDriver
from tidegate.real.driving.consumers.family import FAMILY
from tidegate.real.driving.consumers.plan import ConsumersPlan, ConsumersStage, plan_trace
from tidegate.real.driving.consumers.world import GroupObservation, MemberObservation
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.nodes.wire import BrokerError

from ..capture.confirmed_consumers import QUESTIONS
from .confirming import document_of, result_of

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


LATEST = (
    "latest_offset_lost", "nothing_skipped",
    f"produce(P); {BEGIN}lose_offset(P); reset_position(member=A, partition=P, since=1)",
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
def plan_of(trace: tuple[str, str, str], kafka: str | None = None) -> ConsumersPlan:
    return plan_trace(trace_of(document(*trace)), kafka)


class Fake:
    """Consumers and a broker that do as the plan says, but at some step go on as they are."""

    def __init__(self, plan: ConsumersPlan, stays_at: int = 0, without: frozenset[int] = frozenset()) -> None:
        self.plan, self.state, self.stays_at, self.without = plan, plan.run.start, stays_at, without
        self.partitions = dict(zip("PQ", sorted("PQ", key=lambda one: one != str(plan.oldest)), strict=True))
        self.did, self.failed, self.polled = list[str](), 0, False

    def next(self, stage: ConsumersStage) -> None:
        if stage.first != self.stays_at:
            self.state = stage.state_after

    def _position(self, number: int) -> Any:
        names = {str(one): one for one in self.state.logs}
        return names[str(self.plan.oldest)] if number == 0 else next(
            one for one in names.values() if one != self.plan.oldest
        )  # fmt: skip

    def observe(self) -> GroupObservation:
        state, every = self.state, range(2)
        members = {FIRST + number for number, one in enumerate(state.phase) if one in state.group}
        return GroupObservation(
            {one: (state.first[self._position(one)], len(state.logs[self._position(one)].committed)) for one in every},
            {one: state.offset[self._position(one)] for one in every},
            frozenset(members - (self.without if self.polled else frozenset())),
        )

    def observe_member(self, number: int, seconds: float) -> MemberObservation | None:
        state, member = self.state, list(self.state.phase)[number - FIRST]
        owned = frozenset(one for one in range(2) if self._position(one) in state.owned[member])
        positions = {one: state.position[member][self._position(one)] or 0 for one in owned}
        stopped = state.phase[member].name == "STOPPED"
        return MemberObservation(owned, positions, "NoOffsetForPartitionException" if stopped else "-")

    def write_record(self, partition: int, record: int, age: int = 0) -> None:
        self.did.append(f"write {record} to {partition}")

    def delete_records(self, partition: int, end_offset: int) -> None:
        self.did.append(f"delete below {end_offset}")

    def truncate(self, partition: int, kept_records: int) -> str:
        return f"cut to {kept_records}"

    shut: tuple[tuple[int, int], ...] = ()

    def gate_requests(self, number: int, api: int, is_open: bool) -> None:
        self.shut = tuple({*self.shut} - {(number, api)} if is_open else {*self.shut, (number, api)})

    asks_never = False

    def has_pending_request(self, number: int, api: int) -> bool:
        self.did.append(f"{number}: asks {api}")
        return not self.asks_never and (number, api) in self.shut

    def add_partition(self, seconds: float) -> bool:
        return True

    refuses = False

    def delete_offset(self, partition: int) -> None:
        if self.refuses:
            raise BrokerError("deleting a group's offset", 86)
        self.did.append("lose offset")

    answers: ClassVar[dict[str, str]] = {
        "assign": "planned", "join": "joins", "settle": "settled", "idle": "-", "poll": "polled", "reset": "reset",
        "process": "processed", "commit": "committed", "send": "sent", "close": "closed",
    }  # fmt: skip

    def instruct(self, number: int, line: str, seconds: float) -> str | None:
        word = line.split()[0]
        if word not in ("assign", "settle", "idle"):
            self.did.append(f"{number}: {line}")
        self.failed += word == "idle"
        self.polled = self.polled or word == "poll"
        return "TimeoutException" if line.startswith("commit 500 ") else self.answers[word]

    def output(self, number: int) -> Sequence[str]:
        return ["failed"] * self.failed

    def start_client(self, number: int) -> None:
        self.did.append(f"{number}: start")

    def kill_client(self, number: int) -> None:
        self.did.append(f"{number}: kill")

    def is_running(self, number: int) -> bool:
        return True

    def gate_member_heartbeats(self, number: int, is_open: bool) -> None:
        self.did.append(f"{number}: beats {is_open}")

    def advance_clock(self, number: int) -> None:
        self.did.append(f"{number}: time passes")

    def hold_commits(self, number: int, is_held: bool) -> None:
        self.did.append(f"{number}: hold {is_held}")

    def has_pending_commit(self, number: int) -> bool:
        return next((one for one in reversed(self.did) if ": hold " in one), "").endswith("True")

    def drop_commit(self, number: int, seconds: float) -> bool:
        self.did.append(f"{number}: drop")
        return True


def driven(plan: ConsumersPlan, fake: Fake) -> dict[str, Any]:
    """What comes of a plan on a world that is no real one."""
    return result_of(FAMILY, plan, ConsumersDriver(plan, fake, 0.1), fake.next)


def confirmed_plan(profile: str) -> ConsumersPlan:
    """The plan of a trace of docs/confirmed.md."""
    one = next(question for question in QUESTIONS if question.profile == profile)
    made = document_of("consumer", profile, one.property, one.steps, **dict(one.constants))
    return plan_trace(trace_of(made), "4.1.0", anyway=profile == "truncated")
