"""Traces of producers: which release takes them, what is compared, and with the mark `brokers` what Kafka's own client
does."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections import Counter
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tidegate.invariants.catalogue import find
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.fitting import CannotBeDriven
from tidegate.real.driving.nodes import wire
from tidegate.real.driving.nodes.lines import CLIENT, Lines, error_of
from tidegate.real.driving.nodes.running import Broken, wait_for
from tidegate.real.driving.producer.driver import ProducerDriver, expected_of_producer
from tidegate.real.driving.producer.family import FAMILY
from tidegate.real.driving.producer.plan import KINDS, WHY_NOT, ProducerPlan, producer_plan
from tidegate.real.driving.producer.world import ProducerSeen, Written, numbered
from tidegate.real.driving.stages import Stage
from tidegate.real.driving.verdict import confirmed
from tidegate.reports.confirm import comparison_section, confirm_text
from tidegate.reports.text_page import TextFormat

from ....conftest import Run
from ....support.confirming import came_of, document_of, result_of

LOST = ("acks_1", "acknowledged_is_durable", "send(0); transmit(0); append_batch(0); answer(0); fail_over(0)")
UNSENT = ("acks_0", "acknowledged_is_durable", "send(0); transmit(0)")
TWICE = (
    "not_idempotent", "no_duplicates",
    "send(0); transmit(0); append_batch(0); lose_connection(leader=0, arrives=false); transmit(0); append_batch(0)",
)  # fmt: skip
TURNED = (
    "not_idempotent", "order_per_key",
    "send(0); transmit(0); send(0); transmit(0); lose_connection(leader=0, arrives=true); transmit(0); "
    "append_batch(0); arrive_late",
)  # fmt: skip
REFUSED = (
    "not_idempotent", "order_per_key",
    "send(0); transmit(0); send(0); transmit(0); refuse_for_now(0); transmit(0); append_batch(0); append_batch(1)",
)  # fmt: skip
IN_SPITE = ("no_retries", "given_up_is_not_there", "send(0); transmit(0); append_batch(0); answer_with_error(0)")
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
AFTER_REFUSAL = "transmit(0); refuse_sequence(0); bump(0); transmit(0); append_batch(0)"
LATE_BEGIN = (
    "kafka_15591", "order_per_key",
    "send(0); transmit(0); send(0); fail_over(0); learn_leader; transmit(0); append_batch(1); "
    f"lose_connection(leader=1, arrives=false); refuse_leader(0); {AFTER_REFUSAL}",
)  # fmt: skip
RACE = (
    "kafka_15591", "order_per_key",
    "send(0); transmit(0); send(0); fail_over(0); learn_leader; transmit(0); append_batch(1); refuse_leader(0); "
    f"lose_connection(leader=1, arrives=false); {AFTER_REFUSAL}",
)  # fmt: skip


@cache
def document(profile: str, property_: str, steps: str) -> dict[str, Any]:
    """A trace of a producer in whose end a property shows."""
    return document_of("producer", profile, property_, steps, entries=6)


@cache
def plan_of(trace: tuple[str, str, str], kafka: str | None = None) -> ProducerPlan:
    return producer_plan(trace_of(document(*trace)), kafka)


# --- which release, and which steps -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("trace", "kafka"), [(LOST, "4.1.0"), (TURNED, "4.1.0"), (IN_SPITE, "3.6.2")])
def test_the_newest_release_that_takes_a_trace(trace: tuple[str, str, str], kafka: str) -> None:
    plan = plan_of(trace)
    assert (plan.kafka, len(plan.stages)) == (kafka, len(plan.run.steps))


@pytest.mark.parametrize(
    ("trace", "kafka", "step", "why"),
    [
        (IN_SPITE, "3.7.0", 4, "KAFKA-15583"),
        (LATE_BEGIN, "4.5.0", 7, "does not take it: step 7, append_batch"),
        (RACE, "4.1.0", 9, "sends a batch again by itself"),
        (LOST, "3.2.0", 0, "has no KRaft for production"),
    ],
)
def test_what_a_release_does_not_take_says_why(trace: tuple[str, str, str], kafka: str, step: int, why: str) -> None:
    with pytest.raises(CannotBeDriven) as raised:
        plan_of(trace, kafka)
    assert (raised.value.step, why in raised.value.why) == (step, True), raised.value.why


@pytest.mark.parametrize(
    ("constants", "steps", "why"),
    [
        ({"batch_size": 2}, "send(0); send(0)", "a batch of its own"),
        ({"retries": 0, "idempotent": True}, "send(0)", "needs acks=all and retries"),
        ({"has_records": True}, "send(0)", "begin empty"),
        ({"expiries": 1}, "send(0); expire_waiting", "clock forward"),
        ({}, "send(0); die(false)", "this one never is"),
        ({"flushes": False, "records": 1}, "send(0); close", "this one never is"),
        ({}, "send(0); transmit(0); refuse_for_now(0); fail_over(0)", "out of the ISR"),
        ({}, "send(0); fail_over(0); transmit(0); learn_leader", "has learned"),
        ({"refusals": 2}, "send(0); transmit(0); refuse_for_now(0); transmit(0); append_batch(0); answer_with_error(0)",
         "shrinks once"),
        ({"partitions": 2, "keyed": False}, "send(0); transmit(0); lose_connection(leader=0, arrives=false)",
         "several partitions"),
    ],
)  # fmt: skip
def test_what_is_not_driven_says_why(constants: dict[str, Any], steps: str, why: str) -> None:
    made = document(*LOST)
    settings = {"entries": 6, "refusals": 1, "restarts": 1, "idempotent": False, **constants}
    made = made | {"bounds": settings, "property": None, "steps": [{"step": one} for one in steps.split("; ")]}
    with pytest.raises(CannotBeDriven) as raised:
        producer_plan(trace_of(made), "3.6.2")
    assert why in raised.value.why


def test_each_action_is_driven_or_says_why_not() -> None:
    model = find("producer")[0].bind("producer", constants={}, profile=None, ghosts=True, properties=())
    assert KINDS.keys() | WHY_NOT.keys() >= {action.name for action in model.actions}
    assert not KINDS.keys() & WHY_NOT.keys()


def test_settings_that_repair_a_producer_are_its_own() -> None:
    found = confirmed(document(*LOST), with_repair=True)
    assert (found["result"], "its own settings" in found["why"]) == ("not_driven", True)


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
            self.state = stage.after
        if stage.action == "transmit":
            self.waits[stage.before.believed + 1] += 1

    def look(self) -> ProducerSeen:
        return expected_of_producer(self.state, self.given)

    copied = 0

    def has(self, broker: int) -> int:
        return self.copied

    def hand_over(self, record: int, partition: int, within: float) -> bool:
        self.given.add(record)
        self.did.append(f"send {record}")
        return True

    def close_client(self, within: float) -> bool:
        return True

    def die(self, keep: int | None, *, forget: bool) -> None:
        self.did.append(f"die {keep}")
        self.given.clear()
        self.waits.clear()

    def believes(self, partition: int, within: float) -> int:
        return int(self.state.leader) + 1

    def queued(self, broker: int) -> int:
        return self.waits[broker] + self.ahead

    def let_request(self, broker: int) -> None:
        self.waits[broker] -= 1
        self.did.append(f"request to {broker}")

    def answer(self, broker: int) -> int | None:
        return self.code

    late_code = 0

    def late_answer(self) -> int | None:
        return self.late_code

    def let_answer(self, broker: int) -> None:
        self.did.append(f"answer of {broker}")

    def cut(self, broker: int, *, keep: bool) -> None:
        self.waits[broker] = 0
        self.did.append(f"cut {broker}")

    def let_late(self) -> None:
        self.did.append("late")

    def move(self, broker: int, within: float) -> bool:
        self.did.append(f"move to {broker}")
        return True

    def alone(self, leader: int, *, bait: bool, within: float) -> bool:
        return True

    def take_writes(self, leader: int, on: bool, within: float) -> bool:
        self.did.append(f"writes {on}")
        return True

    def fetches(self, leader: int, within: float) -> bool:
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
    (log,) = taken[-1].seen.logs.values()
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
    assert (last.stage.first, last.otherwise) == (step, otherwise)


def test_with_acks_1_an_answer_after_another_leader_is_lost_with_its_connection() -> None:
    """A leader that has appended has answered: no broker says NOT_LEADER_OR_FOLLOWER of that batch."""
    steps = "send(0); transmit(0); append_batch(0); fail_over(1); refuse_leader(0); transmit(0); append_batch(0)"
    plan = plan_of(("acks_1", "no_duplicates", steps))
    fake = Fake(plan)
    fake.copied = 1
    taken = ProducerDriver(plan, fake, 0.1).drive(fake.next)
    assert taken[-1].otherwise is None
    assert fake.did == ["send 0", "request to 1", "move to 2", "cut 1", "request to 2"]


def test_a_producer_that_is_ahead_of_the_trace_could_not_be_driven() -> None:
    """What it sent again already would go down with the connection, which the trace says of less."""
    plan = plan_of(TWICE)
    fake = Fake(plan)
    fake.ahead = 1
    with pytest.raises(Broken, match="sent a batch again that the trace sends later"):
        ProducerDriver(plan, fake, 0.1).drive(fake.next)


def test_a_copy_under_another_number_is_no_copy() -> None:
    """Producer ids are numbered by their first batch; what differs in epoch or sequence differs."""
    seen = numbered({"a": [(0, 4000, 0, 0), (1, 7, 0, 0), (2, -1, -1, -1)]})
    assert seen == {"a": (Written(0, 1, 0, 0), Written(1, 2, 0, 0), Written(2, 0, 0, 0))}
    assert numbered({"a": [(0, 5, 1, 0)]}) != numbered({"a": [(0, 5, 0, 0)]})


# --- lines ------------------------------------------------------------------------------------------------------------


def produce_frame(number: int, client: str = str(CLIENT)) -> bytes:
    """A Produce request (7) as far as a line reads it."""
    body = struct.pack(">hhi", wire.PRODUCE, 7, number) + wire.text(client)
    return struct.pack(">i", len(body)) + body


def answer_frame(number: int, code: int) -> bytes:
    """An answer to it."""
    body = struct.pack(">ii", number, 1) + wire.text("orders") + struct.pack(">iih", 1, 0, code)
    return struct.pack(">i", len(body)) + body


class Broker:
    """A broker that answers each Produce request with a code, and keeps their numbers."""

    def __init__(self, code: int = 0) -> None:
        self.got, self.code = list[int](), code
        self.server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        connection, _ = self.server.accept()
        with connection, connection.makefile("rb") as file:
            while head := file.read(4):
                number = struct.unpack_from(">i", file.read(struct.unpack(">i", head)[0]), 4)[0]
                self.got.append(number)
                connection.sendall(answer_frame(number, self.code))


def test_requests_and_answers_of_a_client_wait_in_their_order() -> None:
    broker, lines = Broker(20), Lines()
    with (
        closing(broker.server),
        socket.create_connection(("127.0.0.1", lines.listen(1, broker.server.getsockname()[1]))) as client,
    ):
        client.sendall(produce_frame(1) + produce_frame(2))
        assert wait_for(lambda: 1 in lines.by_broker and lines.by_broker[1].queued() == 2, 20)
        line = lines.by_broker[1]
        assert (broker.got, line.answer()) == ([], None)
        line.let_request()
        assert wait_for(lambda: line.answer() is not None, 20)
        assert (broker.got, line.queued(), line.answer()) == ([1], 1, 20)
        client.setblocking(False)
        with pytest.raises(BlockingIOError):
            client.recv(1)
        line.let_answer()
        client.settimeout(20)
        assert client.recv(100) == answer_frame(1, 20)
    lines.end()


@pytest.mark.parametrize("keep", [True, False])
def test_of_a_connection_that_is_lost_one_request_may_arrive(keep: bool) -> None:
    broker, lines = Broker(), Lines()
    with (
        closing(broker.server),
        socket.create_connection(("127.0.0.1", lines.listen(1, broker.server.getsockname()[1]))) as client,
    ):
        client.sendall(produce_frame(1) + produce_frame(2))
        assert wait_for(lambda: 1 in lines.by_broker and lines.by_broker[1].queued() == 2, 20)
        line = lines.by_broker[1]
        line.cut(keep=keep)
        client.settimeout(20)
        assert client.recv(1) == b""
        assert line.queued() == int(keep)
        if keep:
            line.let_request()
            assert wait_for(lambda: line.answer() == 0, 20)
        assert broker.got == [1][: int(keep)]
    lines.end()


def test_what_a_client_has_sent_stays_on_its_way_when_it_dies() -> None:
    broker, lines = Broker(), Lines()
    with closing(broker.server):
        client = socket.create_connection(("127.0.0.1", lines.listen(1, broker.server.getsockname()[1])))
        client.sendall(produce_frame(1))
        assert wait_for(lambda: 1 in lines.by_broker and lines.by_broker[1].queued(), 20)
        client.close()
        line = lines.by_broker[1]
        assert wait_for(line.gone, 20)
        line.let_request()
        assert wait_for(lambda: broker.got == [1], 20)
    lines.end()


@pytest.mark.parametrize("version", [7, 9, 12, 13])
def test_the_error_of_an_answer(version: int) -> None:
    if version < 9:
        body = struct.pack(">i", 1) + wire.text("orders") + struct.pack(">i", 1)
    else:
        name = wire.compact_text("orders") if version < 13 else bytes(16)
        body = b"\0\2" + name + b"\2"
    assert error_of(struct.pack(">i", 5) + body + struct.pack(">ih", 0, 45), version) == 45


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
