"""Plans of traces of producers: which release takes one, and what is not driven."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.invariants.catalogue import find
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.fitting import UndrivableError
from tidegate.real.driving.producer.plan import KINDS, WHY_NOT, plan_trace
from tidegate.real.driving.verdict import confirm_trace

from ....support.producers import AFTER_REFUSAL, IN_SPITE, LATE_BEGIN, LOST, TURNED, document, plan_of

RACE = (
    "kafka_15591", "order_per_key",
    "send(0); transmit(0); send(0); fail_over(0); learn_leader; transmit(0); append_batch(1); refuse_leader(0); "
    f"lose_connection(leader=1, arrives=false); {AFTER_REFUSAL}",
)  # fmt: skip


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
    with pytest.raises(UndrivableError) as raised:
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
    with pytest.raises(UndrivableError) as raised:
        plan_trace(trace_of(made), "3.6.2")
    assert why in raised.value.why


def test_each_action_is_driven_or_says_why_not() -> None:
    model = find("producer")[0].bind("producer", constants={}, profile=None, ghosts=True, properties=())
    assert KINDS.keys() | WHY_NOT.keys() >= {action.name for action in model.actions}
    assert not KINDS.keys() & WHY_NOT.keys()


def test_settings_that_repair_a_producer_are_its_own() -> None:
    found = confirm_trace(document(*LOST), with_repair=True)
    assert (found["result"], "its own settings" in found["why"]) == ("not_driven", True)
