"""A family of models: `consumer`, with Kafka's own consumers and a real broker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..family import Conditions, Family
from ..nodes.processes import CLOCKS
from ..nodes.releases import Release
from .cluster import BROKER, SETTINGS, ConsumersCluster
from .driver import ConsumersDriver
from .plan import DURATION, MODEL, ConsumersPlan, plan_trace


def make_cluster(plan: ConsumersPlan, release: Release, kept_folder: Path | None) -> ConsumersCluster:
    """The broker and the consumers of a plan. Where partitions are added or leaders change, consumers ask often."""
    values = plan.model.values
    age = 300 if plan.has("add_partition", "truncate") else 3_600_000
    revoke = values["commits_on_revoke"] and not values["hands_over"]
    settings = {**consumer_settings(plan), "metadata.max.age.ms": age, "revoke": revoke}
    given = {name: str(value).lower() if isinstance(value, bool) else value for name, value in settings.items()}
    start = plan.run.start
    together = any(len(state.joined) > 1 and state.joined == state.group for state in plan.run.states())
    return ConsumersCluster(
        release,
        len(list(start.present)),
        len(list(start.phase)),
        given,
        only_committed=bool(values["has_offsets"]),
        together=together,
        kept_folder=kept_folder,
    )


def describe_conditions(plan: ConsumersPlan) -> Conditions:
    """What a plan is driven under."""
    clocks = {name: int(str(value)) for name, value in SETTINGS.items() if name.endswith(".ms")}
    return Conditions((BROKER,), consumer_settings(plan), {**CLOCKS, **clocks})


def consumer_settings(plan: ConsumersPlan) -> dict[str, Any]:
    """The consumers' settings that decide."""
    reset = plan.name("reset").lower()
    protocol = {"group.protocol": "consumer"} if plan.uses_kip_848 else {}
    return protocol | {
        "enable.auto.commit": plan.name("commits") == "AUTO",
        "auto.offset.reset": DURATION if reset == "by_duration" else reset,
    }


FAMILY = Family(
    MODEL,
    lambda wanted: plan_trace(wanted.trace, wanted.kafka, anyway=wanted.anyway),
    make_cluster,
    ConsumersDriver,
    describe_conditions,
    "what repairs a consumer are its own settings: check `consumer` with them, and drive what that finds",
)
