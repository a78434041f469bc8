"""A family of models: `offsets_outage`, on real brokers that have `__consumer_offsets`."""

from __future__ import annotations

from pathlib import Path

from ..family import Conditions, Family
from ..nodes.processes import CLOCKS
from ..nodes.releases import Release
from .cluster import CLIENT, LAG_MS, SESSION_MS, OffsetsCluster
from .driver import OffsetsDriver
from .plan import MODEL, OffsetsPlan, home_of, homes_of, plan_trace


def make_cluster(plan: OffsetsPlan, release: Release, kept_folder: Path | None) -> OffsetsCluster:
    """The brokers of a plan, and its groups with the partitions that their offsets are in."""
    start = plan.run.start
    homes = homes_of(start)
    groups = {str(group): homes[home_of(start, group)] for group in start.position}
    return OffsetsCluster(release, len(plan.brokers), groups, len(homes), kept_folder)


def describe_conditions(plan: OffsetsPlan) -> Conditions:
    """What a plan is driven under."""
    clocks = {name: int(str(value)) for name, value in CLIENT.items() if name.endswith(".ms")}
    values = plan.model.values
    return Conditions(
        tuple(plan.brokers.values()),
        {"offsets.topic.replication.factor": values["factor"], "min.insync.replicas": values["min_isr"]}
        | {"auto.offset.reset": values["reset"]},
        {**CLOCKS, **clocks, "broker.session.timeout.ms": SESSION_MS, "replica.lag.time.max.ms": LAG_MS},
    )


FAMILY = Family(
    MODEL,
    lambda wanted: plan_trace(wanted.trace, wanted.kafka, anyway=wanted.anyway),
    make_cluster,
    OffsetsDriver,
    describe_conditions,
    "what repairs the topic of offsets is a step of the trace, `reassign`, and no setting",
)
