"""Traces of transactions: which release takes them, what is compared, and with the mark `brokers` what Kafka does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tidegate.invariants.catalogue import find
from tidegate.language.judge import first_shown, run_text
from tidegate.language.verdict import PropertyVerdict, PropertyWord
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.fitting import CannotBeDriven
from tidegate.real.driving.stages import Stage
from tidegate.real.driving.transactions.driver import TxnDriver, expected_txn
from tidegate.real.driving.transactions.family import FAMILY
from tidegate.real.driving.transactions.plan import KINDS, WHY_NOT, TxnPlan, txn_plan
from tidegate.real.driving.transactions.world import AGAIN, Answer, Ask, TxnSeen
from tidegate.real.driving.verdict import confirmed
from tidegate.reports.confirm import comparison_section, confirm_text
from tidegate.reports.text_page import TextFormat
from tidegate.traces.document import trace_document

from ....conftest import Run
from ....support.confirming import came_of, result_of

BEGUN = "init_producer(A); begin(A); add_partition(client=A, partition=P); "
HANGS = (
    f"{BEGUN}give_up_produce(client=A, partition=P); end(client=A, commit=false); write_marker(P); complete; "
    "late_produce_arrives(Request(kind=PRODUCE, epoch=1, partition=P, txn=1, batch=0, sequence=0, commit=false, "
    "coordinator=0))"
)
LATE_END = (
    f"{BEGUN}give_up_end(client=A, commit=false); end(client=A, commit=false); begin(A); write_marker(P); complete; "
    "add_partition(client=A, partition=P); produce(client=A, partition=P); late_end_arrives(Request(kind=END, epoch=1, "
    "partition=none, txn=0, batch=0, sequence=0, commit=false, coordinator=0)); write_marker(P); complete; "
    "add_partition(client=A, partition=Q); produce(client=A, partition=Q); end(client=A, commit=true); write_marker(Q)"
)
LATE_MARKER = (
    f"{BEGUN}end(client=A, commit=false); begin(A); repeat_marker(P); write_marker(P); complete; "
    "add_partition(client=A, partition=P); add_partition(client=A, partition=Q); produce(client=A, partition=P); "
    "produce(client=A, partition=Q); end(client=A, commit=true); write_marker(Q); late_marker_arrives(Request("
    "kind=MARKER, epoch=2, partition=P, txn=0, batch=0, sequence=0, commit=false, coordinator=0))"
)
ACROSS = (
    f"{BEGUN}add_partition(client=A, partition=Q); produce(client=A, partition=P); produce(client=A, partition=Q); "
    "end(client=A, commit=true); write_marker(P); fail_over(false); write_marker(Q)"
)
FENCED = (
    f"{BEGUN}produce(client=A, partition=P); time_out; write_marker(P); complete; init_producer(B); is_fenced(A); "
    "begin(B)"
)
ONE: dict[str, Any] = {"clients": 1, "partitions": 1, "transactions": 1}
LATE_WRITE: dict[str, Any] = {**ONE, "late_produces": 1}
TWO: dict[str, Any] = {"clients": 1, "partitions": 2, "transactions": 2}
TIMED: dict[str, Any] = {"clients": 2, "partitions": 1, "transactions": 2, "timeouts": 1}


@cache
def _document(steps: str, profile: str, property_: str, constants: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    definition, _ = find("transactions")
    model = definition.bind(
        "transactions", constants=dict(constants), profile=profile, ghosts=True, properties=(property_,)
    )
    prop, run = model.properties[0], run_text(model, steps)
    assert first_shown(model, prop, run) is not None
    verdict: PropertyWord = "reached" if prop.kind == "reachable" else "violated"
    return trace_document(model, PropertyVerdict(prop.name, prop.kind, prop.says, verdict, run))


def document(steps: str, profile: str, property_: str, **constants: Any) -> dict[str, Any]:
    """A trace of transactions in whose end a property shows."""
    return _document(steps, profile, property_, tuple(sorted(constants.items())))


HANGING = (HANGS, "kafka_2_5", "nothing_hangs")
ENDED_LATE = (LATE_END, "kafka_3_6", "atomic_visibility")
MARKED_LATE = (LATE_MARKER, "kafka_4_1", "atomic_visibility")


# --- which release, and which steps -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trace", "constants", "kafka", "version_2"),
    [
        (HANGING, LATE_WRITE, "3.4.1", False),  # from 3.6 on leaders ask the coordinator first
        (ENDED_LATE, {**TWO, "late_ends": 1}, "4.1.0", False),
        (MARKED_LATE, {**TWO, "late_markers": 1}, "4.1.0", True),
    ],
)
def test_the_newest_release_whose_model_takes_a_trace(
    trace: tuple[str, str, str], constants: dict[str, Any], kafka: str, version_2: bool
) -> None:
    plan = txn_plan(trace_of(document(*trace, **constants)), None)
    assert (plan.kafka, plan.version_2, len(plan.stages)) == (kafka, version_2, len(plan.run.steps))


@pytest.mark.parametrize(
    ("trace", "constants", "kafka", "step", "why"),
    [
        (HANGING, LATE_WRITE, "3.6.2", 8, "does not take it: step 8, late_produce_arrives"),
        (MARKED_LATE, {**TWO, "late_markers": 1}, "3.9.1", 0, "version 2, which Kafka 3.9.1 has not"),
        (MARKED_LATE, {**TWO, "late_markers": 1}, "4.2.0", 15, "does not take it: step 15, late_marker_arrives"),
        (HANGING, LATE_WRITE, "3.2.0", 0, "has no KRaft for production"),
    ],
)
def test_what_a_release_does_not_take_says_why(
    trace: tuple[str, str, str], constants: dict[str, Any], kafka: str, step: int, why: str
) -> None:
    with pytest.raises(CannotBeDriven) as raised:
        txn_plan(trace_of(document(*trace, **constants)), kafka)
    assert (raised.value.step, why in raised.value.why) == (step, True), raised.value.why


def test_a_step_that_no_gate_reaches_is_not_driven() -> None:
    steps = f"{BEGUN}produce(client=A, partition=P); replicate(P); end(client=A, commit=true); write_marker(P)"
    made = document(steps, "replicated_later", "commits_everywhere", **ONE) | {"bounds": {**ONE}}
    made["steps"] = [{"step": "init_producer(A)"}, {"step": "log_commits"}]
    made["bounds"] = {**ONE, "in_one_step": False}
    found = confirmed(made, kafka="4.1.0")
    assert found["result"] == "not_driven" and found["steps"] == []


def test_each_action_is_driven_or_says_why_not() -> None:
    model = find("transactions")[0].bind("transactions", constants={}, profile=None, ghosts=True, properties=())
    assert KINDS.keys() | WHY_NOT.keys() == {action.name for action in model.actions}
    assert not KINDS.keys() & WHY_NOT.keys()


def test_no_setting_repairs_a_transaction() -> None:
    found = confirmed(document(*HANGING, **LATE_WRITE), with_repair=True)
    assert (found["result"], "another release" in found["why"]) == ("not_driven", True)


# --- what is compared -------------------------------------------------------------------------------------------------


class Fake:
    """Brokers that do as the plan says, but at some step go on as they are."""

    def __init__(self, plan: TxnPlan, stays_at: int = 0) -> None:
        self.state, self.stays_at, self.asked = plan.run.start, stays_at, list[Any]()

    def next(self, stage: Stage) -> None:
        if stage.first != self.stays_at:
            self.state = stage.after

    def look(self, clients: Mapping[str, int]) -> TxnSeen:
        return replace(expected_txn(self.state), clients={one: epoch + 1 for one, epoch in clients.items()})

    def ask(self, one: Ask, within: float, again: frozenset[int] = AGAIN) -> Answer:
        self.asked.append(one)
        return Answer(0, 7, max((self.state.epoch[one] for one in self.state.epoch), default=1) - 1)

    def let_marker(self, name: str, within: float) -> bool:
        self.asked.append(f"marker {name}")
        return True

    copy_marker = let_marker

    def send_copy(self, name: str) -> int:
        self.asked.append(f"copy {name}")
        return 0

    def time_passes(self) -> None:
        self.asked.append("time")

    def fail_over(self, within: float) -> bool:
        self.asked.append("fail over")
        return True


def test_a_late_write_is_sent_as_it_was_when_its_sender_gave_it_up() -> None:
    plan = txn_plan(trace_of(document(*HANGING, **LATE_WRITE)), None)
    fake = Fake(plan)
    found = result_of(FAMILY, plan, TxnDriver(plan, fake, 0.1), fake.next)
    late = Ask("produce", 7, 0, "orders-p", 0, 1)
    assert fake.asked == [Ask("init"), Ask("add", 7, 0, "orders-p"), Ask("end", 7, 0), "marker P", late]
    assert (found["result"], found["why"]) == ("confirmed", "every step came about: nothing_hangs fails")
    seen = found["steps"][-1]["seen"]["transactions"]
    assert seen == {"coordinator": "complete abort, epoch 1", "P": "1 open; stable 0"}
    assert "P: 1 open; stable 0" in confirm_text([found], TextFormat(200), steps=True)
    assert "1 open; stable 0" in comparison_section([found])


@pytest.mark.parametrize("step", [*(pytest.param(step, marks=pytest.mark.long) for step in (1, 3, 5, 6)), 8])
def test_a_step_that_does_not_come_about_is_not_confirmed(step: int) -> None:
    plan = txn_plan(trace_of(document(*HANGING, **LATE_WRITE)), None)
    fake = Fake(plan, step)
    found = result_of(FAMILY, plan, TxnDriver(plan, fake, 0.0), fake.next)
    assert (found["result"], found["step"], len(found["steps"])) == ("not_confirmed", step, step)
    assert "in place of" in found["steps"][-1]["otherwise"]


class Refusing(Fake):
    """Brokers that refuse writes."""

    def ask(self, one: Ask, within: float, again: frozenset[int] = AGAIN) -> Answer:
        return Answer(48) if one.kind == "produce" else super().ask(one, within, again)


def test_a_request_that_is_refused_is_what_brokers_did_otherwise() -> None:
    plan = txn_plan(trace_of(document(*HANGING, **LATE_WRITE)), None)
    fake = Refusing(plan)
    (*_, last) = TxnDriver(plan, fake, 0.1).drive(fake.next)
    assert (last.stage.first, last.otherwise) == (8, "the late produce is refused: INVALID_TXN_STATE")


# --- real brokers -----------------------------------------------------------------------------------------------------


@pytest.mark.brokers
@pytest.mark.parametrize(
    ("trace", "constants", "kafka", "more", "result"),
    [
        (HANGING, LATE_WRITE, "3.4.1", (), "confirmed"),
        (HANGING, LATE_WRITE, "3.9.1", ("--anyway",), "not_confirmed"),
        (ENDED_LATE, {**TWO, "late_ends": 1}, "3.9.1", (), "confirmed"),
        (MARKED_LATE, {**TWO, "late_markers": 1}, "4.1.0", (), "confirmed"),
        ((ACROSS, "kafka_4_1", "commits_across_a_fail_over"), {**TWO, "failovers": 1}, "4.1.0", (), "confirmed"),
        ((FENCED, "kafka_4_1", "zombie_is_fenced"), TIMED, "4.1.0", (), "confirmed"),
    ],
    ids=["late write", "late write is refused", "late end", "late marker", "fail-over", "time is over"],
)
def test_real_brokers(
    tidegate: Run,
    tmp_path: Path,
    trace: tuple[str, str, str],
    constants: dict[str, Any],
    kafka: str,
    more: tuple[str, ...],
    result: str,
) -> None:
    found = came_of(tidegate, tmp_path, document(*trace, **constants), kafka, *more, seconds=40)
    assert found["result"] == result, json.dumps(found, indent=1)
