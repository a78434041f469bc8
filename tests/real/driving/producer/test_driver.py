"""Traces of producers: which release takes them, what is compared, and with the mark `brokers` what Kafka's own client
does.

Also of: `family`, `world`.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from tidegate.real.driving.nodes.running import NodesError
from tidegate.real.driving.producer.driver import ProducerDriver, expected_observation
from tidegate.real.driving.producer.family import FAMILY
from tidegate.real.driving.producer.plan import ProducerPlan
from tidegate.real.driving.producer.world import LoggedBatch, ProducerObservation, number_producers
from tidegate.real.driving.stages import Stage
from tidegate.reports.confirm import comparison_section, confirm_text
from tidegate.reports.text_page import TextFormat

from ....conftest import Run
from ....support.confirming import came_of, result_of
from ....support.producers import IN_SPITE, LATE_BEGIN, LOST, TURNED, document, plan_of

UNSENT = ("acks_0", "acknowledged_is_durable", "send(0); transmit(0)")


TWICE = (
    "not_idempotent", "no_duplicates",
    "send(0); transmit(0); append_batch(0); lose_connection(leader=0, arrives=false); transmit(0); append_batch(0)",
)  # fmt: skip


REFUSED = (
    "not_idempotent", "order_per_key",
    "send(0); transmit(0); send(0); transmit(0); refuse_for_now(0); transmit(0); append_batch(0); append_batch(1)",
)  # fmt: skip


DIED = (
    "idempotent", "no_duplicates",
    "send(0); transmit(0); die(true); send(0); transmit(0); append_batch(0); arrive_late",
)  # fmt: skip


COPY = (
    "idempotent", "acknowledged_in_a_retry",
    "send(0); transmit(0); append_batch(0); lose_connection(leader=0, arrives=false); transmit(0); find_copy(0)",
)  # fmt: skip


MOVED = (
    "idempotent", "acknowledged_by_the_next_leader",
    "send(0); transmit(0); fail_over(0); refuse_leader(0); transmit(0); append_batch(0); answer(0); send(0); "
    "transmit(0); append_batch(0); answer(0); send(0); transmit(0); append_batch(0); answer(0)",
)  # fmt: skip


# --- what is compared -------------------------------------------------------------------------------------------------
class Fake:
    """A producer and brokers that do as the plan says, but at some step go on as they are."""

    def __init__(self, plan: ProducerPlan, stays_at: int = 0, code: int = 0) -> None:
        self.state, self.stays_at, self.code = plan.run.start, stays_at, code
        self.did = list[str]()
        self.waits, self.ahead = Counter[int](), 0
        self.given = set[int]()

    def next(self, stage: Stage) -> None:
        if stage.first != self.stays_at:
            self.state = stage.state_after
        if stage.action == "transmit":
            self.waits[stage.state_before.believed + 1] += 1

    def observe(self) -> ProducerObservation:
        return expected_observation(self.state, self.given)

    copied = 0

    def count_batches(self, broker: int) -> int:
        return self.copied

    def send_record(self, record: int, partition: int, seconds: float) -> bool:
        self.given.add(record)
        self.did.append(f"send {record}")
        return True

    def close_client(self, seconds: float) -> bool:
        return True

    def restart_client(self, keep: int | None, *, forget: bool) -> None:
        self.did.append(f"die {keep}")
        self.given.clear()
        self.waits.clear()

    def known_leader(self, partition: int, seconds: float) -> int:
        return int(self.state.leader) + 1

    def count_pending_requests(self, broker: int) -> int:
        return self.waits[broker] + self.ahead

    def pass_request(self, broker: int) -> None:
        self.waits[broker] -= 1
        self.did.append(f"request to {broker}")

    def pending_response(self, broker: int) -> int | None:
        return self.code

    late_code = 0

    def kept_response(self) -> int | None:
        return self.late_code

    def pass_response(self, broker: int) -> None:
        self.did.append(f"answer of {broker}")

    def cut_connection(self, broker: int, *, keep: bool) -> None:
        self.waits[broker] = 0
        self.did.append(f"cut {broker}")

    def pass_kept_request(self) -> None:
        self.did.append("late")

    def move_leader(self, broker: int, seconds: float) -> bool:
        self.did.append(f"move to {broker}")
        return True

    def shrink_isr(self, leader: int, *, bait: bool, seconds: float) -> bool:
        return True

    def set_writable(self, leader: int, is_writable: bool, seconds: float) -> bool:
        self.did.append(f"writes {is_writable}")
        return True

    def pass_fetch(self, leader: int, seconds: float) -> bool:
        return False


def test_a_record_is_handed_over_when_the_trace_sends_it() -> None:
    plan = plan_of(TURNED)
    fake = Fake(plan)
    found = result_of(FAMILY, plan, ProducerDriver(plan, fake, 0.1), fake.next)
    assert fake.did == ["send 0", "send 1", "cut 1", "request to 1", "late"]
    assert (found["result"], found["why"]) == ("confirmed", "every step came about: order_per_key fails")
    assert found["steps"][-1]["seen"]["clients"]["orders"] == "record 1, record 0"
    assert "orders: record 1, record 0" in confirm_text([found], TextFormat(200), steps=True)
    assert "record 1, record 0" in comparison_section([found])


def test_an_application_that_starts_again_is_given_its_record_again() -> None:
    plan = plan_of(DIED)
    fake = Fake(plan)
    taken = ProducerDriver(plan, fake, 0.1).drive(fake.next)
    assert fake.did == ["send 0", "die 1", "send 0", "request to 1", "late"]
    (log,) = taken[-1].observation.logs.values()
    assert [(one.record, one.pid) for one in log] == [(0, 1), (0, 2)]


@pytest.mark.parametrize("step", [3, 5])
def test_a_step_that_does_not_come_about_is_not_confirmed(step: int) -> None:
    plan = plan_of(LOST)
    fake = Fake(plan, step)
    found = result_of(FAMILY, plan, ProducerDriver(plan, fake, 0.0), fake.next)
    assert (found["result"], found["step"], len(found["steps"])) == ("not_confirmed", step, step)
    assert "in place of" in found["steps"][-1]["otherwise"]


@pytest.mark.parametrize(
    ("trace", "code", "step", "otherwise"),
    [
        (LOST, 6, 4, "broker 1 answers with NOT_LEADER_OR_FOLLOWER"),
        (MOVED, 0, 4, "broker 1 answers with no error"),
        (REFUSED, 0, 5, "broker 1 answers with no error"),
    ],
)
def test_an_answer_that_is_another_one(trace: tuple[str, str, str], code: int, step: int, otherwise: str) -> None:
    plan = plan_of(trace)
    fake = Fake(plan, code=code)
    (*_, last) = ProducerDriver(plan, fake, 0.0).drive(fake.next)
    assert (last.stage.first, last.divergence) == (step, otherwise)


def test_with_acks_1_an_answer_after_another_leader_is_lost_with_its_connection() -> None:
    """A leader that has appended has answered: no broker says NOT_LEADER_OR_FOLLOWER of that batch."""
    steps = "send(0); transmit(0); append_batch(0); fail_over(1); refuse_leader(0); transmit(0); append_batch(0)"
    plan = plan_of(("acks_1", "no_duplicates", steps))
    fake = Fake(plan)
    fake.copied = 1
    taken = ProducerDriver(plan, fake, 0.1).drive(fake.next)
    assert taken[-1].divergence is None
    assert fake.did == ["send 0", "request to 1", "move to 2", "cut 1", "request to 2"]


def test_a_producer_that_is_ahead_of_the_trace_could_not_be_driven() -> None:
    """What it sent again already would go down with the connection, which the trace says of less."""
    plan = plan_of(TWICE)
    fake = Fake(plan)
    fake.ahead = 1
    with pytest.raises(NodesError, match="sent a batch again that the trace sends later"):
        ProducerDriver(plan, fake, 0.1).drive(fake.next)


def test_a_copy_under_another_number_is_no_copy() -> None:
    """Producer ids are numbered by their first batch; what differs in epoch or sequence differs."""
    seen = number_producers({"a": [(0, 4000, 0, 0), (1, 7, 0, 0), (2, -1, -1, -1)]})
    assert seen == {"a": (LoggedBatch(0, 1, 0, 0), LoggedBatch(1, 2, 0, 0), LoggedBatch(2, 0, 0, 0))}
    assert number_producers({"a": [(0, 5, 1, 0)]}) != number_producers({"a": [(0, 5, 0, 0)]})


# --- real brokers, and Kafka's own producer ---------------------------------------------------------------------------
@pytest.mark.brokers
@pytest.mark.parametrize(
    ("trace", "kafka"),
    [
        (LOST, "4.1.0"),
        (UNSENT, "4.1.0"),
        (TWICE, "3.9.1"),
        (TURNED, "4.1.0"),
        (REFUSED, "3.9.1"),
        (IN_SPITE, "3.6.2"),
        (DIED, "4.1.0"),
        (COPY, "4.1.0"),
        (MOVED, "4.1.0"),
        (LATE_BEGIN, "4.1.0"),
    ],
    ids=["lost", "not sent", "twice", "order", "refused", "given up and there", "died", "copy", "moved", "late begin"],
)
def test_real_brokers(tidegate: Run, tmp_path: Path, trace: tuple[str, str, str], kafka: str) -> None:
    found = came_of(tidegate, tmp_path, document(*trace), kafka, seconds=40)
    assert found["result"] == "confirmed", json.dumps(found, indent=1)
