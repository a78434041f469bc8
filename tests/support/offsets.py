"""What the tests of the driven topic of offsets share: traces, and a world that does as it is told."""

from __future__ import annotations

from functools import cache
from typing import Any

from tidegate.real.driving.families import trace_of
from tidegate.real.driving.offsets.plan import OffsetsPlan, plan_trace

from ..capture.confirmed_outages import QUESTIONS
from .confirming import document_of

LOST, STOPS, REPAIRED = "shipped:offset_durable", "shipped:group_available", "shipped:goes_on_after_the_repair"


@cache
def document(name: str) -> dict[str, Any]:
    """A trace of docs/confirmed.md, by its profile and property."""
    one = next(question for question in QUESTIONS if f"{question.profile}:{question.property}" == name)
    return document_of("offsets_outage", one.profile, one.property, one.steps, **dict(one.constants))


def plan_of(name: str, kafka: str | None = None) -> OffsetsPlan:
    return plan_trace(trace_of(document(name)), kafka)
