"""A family of models: `producer`, with Kafka's own producer and real brokers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..family import Conditions, Family
from ..nodes.processes import CLOCKS
from ..nodes.releases import Release
from .cluster import BROKERS, SETTINGS, Producing
from .driver import ProducerDriver
from .plan import MODEL, ProducerPlan, producer_plan


def cluster_of(plan: ProducerPlan, release: Release, kept: Path | None) -> Producing:
    """The brokers and the producer of a plan. A producer that is to learn of a leader by itself asks often."""
    age = 300 if plan.has("learn_leader") else 3_600_000
    settings = {**settings_of(plan), "metadata.max.age.ms": age}
    settings["enable.idempotence"] = str(settings["enable.idempotence"]).lower()
    return Producing(release, len(list(plan.run.start.logs)), settings, refuses=plan.refuses, kept=kept)


def conditions_of(plan: ProducerPlan) -> Conditions:
    """What a plan is driven under."""
    clocks = {name: int(str(value)) for name, value in SETTINGS.items() if name.endswith(".ms")}
    return Conditions(BROKERS, settings_of(plan), {**CLOCKS, **clocks})


def settings_of(plan: ProducerPlan) -> dict[str, Any]:
    """The producer's settings that decide."""
    values = plan.model.values
    return {
        "acks": "all" if plan.acks < 0 else plan.acks,
        "enable.idempotence": values["idempotent"],
        "max.in.flight.requests.per.connection": values["max_in_flight"],
        "retries": values["retries"],
    }


FAMILY = Family(
    MODEL,
    lambda wanted: producer_plan(wanted.trace, wanted.kafka, anyway=wanted.anyway),
    cluster_of,
    ProducerDriver,
    conditions_of,
    "what repairs a producer are its own settings: check `producer` with them, and drive what that finds",
)
