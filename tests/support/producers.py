"""What the tests of driven producers share: traces, and a world that does as it is told."""

from __future__ import annotations

from functools import cache
from typing import Any

from tidegate.real.driving.families import trace_of
from tidegate.real.driving.producer.plan import ProducerPlan, plan_trace

from .confirming import document_of

LOST = ("acks_1", "acknowledged_is_durable", "send(0); transmit(0); append_batch(0); answer(0); fail_over(0)")


TURNED = (
    "not_idempotent", "order_per_key",
    "send(0); transmit(0); send(0); transmit(0); lose_connection(leader=0, arrives=true); transmit(0); "
    "append_batch(0); arrive_late",
)  # fmt: skip


IN_SPITE = ("no_retries", "given_up_is_not_there", "send(0); transmit(0); append_batch(0); answer_with_error(0)")


AFTER_REFUSAL = "transmit(0); refuse_sequence(0); bump(0); transmit(0); append_batch(0)"


LATE_BEGIN = (
    "kafka_15591", "order_per_key",
    "send(0); transmit(0); send(0); fail_over(0); learn_leader; transmit(0); append_batch(1); "
    f"lose_connection(leader=1, arrives=false); refuse_leader(0); {AFTER_REFUSAL}",
)  # fmt: skip


@cache
def document(profile: str, property_: str, steps: str) -> dict[str, Any]:
    """A trace of a producer in whose end a property shows."""
    return document_of("producer", profile, property_, steps, entries=6)


@cache
def plan_of(trace: tuple[str, str, str], kafka: str | None = None) -> ProducerPlan:
    return plan_trace(trace_of(document(*trace)), kafka)
