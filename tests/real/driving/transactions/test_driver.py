"""Traces of transactions: which release takes them, what is compared, and with the mark `brokers` what Kafka does.

Also of: `family`, `world`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.stages import Stage
from tidegate.real.driving.transactions.driver import TransactionsDriver, expected_observation
from tidegate.real.driving.transactions.family import FAMILY
from tidegate.real.driving.transactions.plan import TransactionsPlan, plan_trace
from tidegate.real.driving.transactions.world import (
    RETRIABLE,
    ProducerRequest,
    ProducerResponse,
    TransactionsObservation,
)
from tidegate.reports.confirm import comparison_section, confirm_text
from tidegate.reports.text_page import TextFormat

from ....conftest import Run
from ....support.confirming import came_of, result_of
from ....support.transactions import BEGUN, ENDED_LATE, HANGING, LATE_WRITE, MARKED_LATE, TWO, document

ACROSS = (
    f"{BEGUN}add_partition(client=A, partition=Q); produce(client=A, partition=P); produce(client=A, partition=Q); "
    "end(client=A, commit=true); write_marker(P); fail_over(false); write_marker(Q)"
)


FENCED = (
    f"{BEGUN}produce(client=A, partition=P); time_out; write_marker(P); complete; init_producer(B); is_fenced(A); "
    "begin(B)"
)


TIMED: dict[str, Any] = {"clients": 2, "partitions": 1, "transactions": 2, "timeouts": 1}


# --- what is compared -------------------------------------------------------------------------------------------------
class Fake:
    """Brokers that do as the plan says, but at some step go on as they are."""

    def __init__(self, plan: TransactionsPlan, stays_at: int = 0) -> None:
        self.state, self.stays_at, self.asked = plan.run.start, stays_at, list[Any]()

    def next(self, stage: Stage) -> None:
        if stage.first != self.stays_at:
            self.state = stage.state_after

    def observe(self, clients: Mapping[str, int]) -> TransactionsObservation:
        return replace(expected_observation(self.state), clients={one: epoch + 1 for one, epoch in clients.items()})

    def send_request(self, one: ProducerRequest, seconds: float, again: frozenset[int] = RETRIABLE) -> ProducerResponse:
        self.asked.append(one)
        return ProducerResponse(0, 7, max((self.state.epoch[one] for one in self.state.epoch), default=1) - 1)

    def pass_marker(self, name: str, seconds: float) -> bool:
        self.asked.append(f"marker {name}")
        return True

    keep_marker = pass_marker

    def send_kept_marker(self, name: str) -> int:
        self.asked.append(f"copy {name}")
        return 0

    def advance_clocks(self) -> None:
        self.asked.append("time")

    def move_coordinator(self, seconds: float) -> bool:
        self.asked.append("fail over")
        return True


def test_a_late_write_is_sent_as_it_was_when_its_sender_gave_it_up() -> None:
    plan = plan_trace(trace_of(document(*HANGING, **LATE_WRITE)), None)
    fake = Fake(plan)
    found = result_of(FAMILY, plan, TransactionsDriver(plan, fake, 0.1), fake.next)
    late = ProducerRequest("produce", 7, 0, "orders-p", 0, 1)
    assert fake.asked == [
        ProducerRequest("init"),
        ProducerRequest("add", 7, 0, "orders-p"),
        ProducerRequest("end", 7, 0),
        "marker P",
        late,
    ]
    assert (found["result"], found["why"]) == ("confirmed", "every step came about: nothing_hangs fails")
    seen = found["steps"][-1]["seen"]["transactions"]
    assert seen == {"coordinator": "complete abort, epoch 1", "P": "1 open; stable 0"}
    assert "P: 1 open; stable 0" in confirm_text([found], TextFormat(200), steps=True)
    assert "1 open; stable 0" in comparison_section([found])


@pytest.mark.parametrize("step", [*(pytest.param(step, marks=pytest.mark.long) for step in (1, 3, 5, 6)), 8])
def test_a_step_that_does_not_come_about_is_not_confirmed(step: int) -> None:
    plan = plan_trace(trace_of(document(*HANGING, **LATE_WRITE)), None)
    fake = Fake(plan, step)
    found = result_of(FAMILY, plan, TransactionsDriver(plan, fake, 0.0), fake.next)
    assert (found["result"], found["step"], len(found["steps"])) == ("not_confirmed", step, step)
    assert "in place of" in found["steps"][-1]["otherwise"]


class Refusing(Fake):
    """Brokers that refuse writes."""

    def send_request(self, one: ProducerRequest, seconds: float, again: frozenset[int] = RETRIABLE) -> ProducerResponse:
        return ProducerResponse(48) if one.kind == "produce" else super().send_request(one, seconds, again)


def test_a_request_that_is_refused_is_what_brokers_did_otherwise() -> None:
    plan = plan_trace(trace_of(document(*HANGING, **LATE_WRITE)), None)
    fake = Refusing(plan)
    (*_, last) = TransactionsDriver(plan, fake, 0.1).drive(fake.next)
    assert (last.stage.first, last.divergence) == (8, "the late produce is refused: INVALID_TXN_STATE")


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
