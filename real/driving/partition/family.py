"""A family of models: `partition`, on real brokers."""

from __future__ import annotations

from pathlib import Path

from ..family import Conditions, Family
from ..nodes.cluster import Needs
from ..nodes.processes import CLOCKS
from ..nodes.releases import Release
from .cluster import PartitionCluster
from .driver import Driver, numbers_of
from .fitting import MODEL, SETTINGS
from .plan import Plan, partition_plan


def cluster_of(plan: Plan, release: Release, kept: Path | None) -> PartitionCluster:
    """The brokers of a plan, and their controller."""
    return PartitionCluster(release, needs_of(plan), kept)


def needs_of(plan: Plan) -> Needs:
    """What a plan needs of a cluster."""
    values, numbers = plan.fitted.model.values, numbers_of(plan)
    topic = {"min.insync.replicas": str(values["min_isr"])}
    topic["unclean.leader.election.enable"] = str(values["unclean"]).lower()
    if values["fsync"]:
        topic["flush.messages"] = "1"
    order = tuple(numbers[broker] for broker in plan.order)
    return Needs(order, topic, bool(values["elr"]), plan.session, plan.lag)


def conditions_of(plan: Plan) -> Conditions:
    """What a plan is driven under."""
    return Conditions(
        tuple(numbers_of(plan)[broker] for broker in plan.order),
        {name: plan.fitted.model.values[name] for name in SETTINGS},
        {**CLOCKS, "broker.session.timeout.ms": plan.session, "replica.lag.time.max.ms": plan.lag},
        plan.fitted.skipped,
    )


FAMILY = Family(MODEL, partition_plan, cluster_of, Driver, conditions_of)
