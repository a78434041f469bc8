"""A family of models: `producer`, with Kafka's own producer and real brokers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..family import Conditions, Family
from ..nodes.processes import CLOCKS
from ..nodes.releases import Release
from .cluster import BROKERS, SETTINGS, ProducerCluster
from .driver import ProducerDriver
from .plan import MODEL, ProducerPlan, plan_trace


def make_cluster(plan: ProducerPlan, release: Release, kept_folder: Path | None) -> ProducerCluster:
    """The brokers and the producer of a plan. A producer that is to learn of a leader by itself asks often."""
    age = 300 if plan.has("learn_leader") else 3_600_000
    settings = {**producer_settings(plan), "metadata.max.age.ms": age}
    settings["enable.idempotence"] = str(settings["enable.idempotence"]).lower()
    return ProducerCluster(
        release, len(list(plan.run.start.logs)), settings, refuses=plan.refuses, kept_folder=kept_folder
    )


def describe_conditions(plan: ProducerPlan) -> Conditions:
    """What a plan is driven under."""
    clocks = {name: int(str(value)) for name, value in SETTINGS.items() if name.endswith(".ms")}
    return Conditions(BROKERS, producer_settings(plan), {**CLOCKS, **clocks})


def producer_settings(plan: ProducerPlan) -> dict[str, Any]:
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
    lambda wanted: plan_trace(wanted.trace, wanted.kafka, anyway=wanted.anyway),
    make_cluster,
    ProducerDriver,
    describe_conditions,
    "what repairs a producer are its own settings: check `producer` with them, and drive what that finds",
)
