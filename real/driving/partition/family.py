"""A family of models: `partition`, on real brokers."""

from __future__ import annotations

from pathlib import Path

from ..family import Conditions, Family
from ..nodes.cluster import ClusterSpec
from ..nodes.processes import CLOCKS
from ..nodes.releases import Release
from .cluster import PartitionCluster
from .driver import PartitionDriver, node_ids
from .fitting import MODEL, SETTINGS
from .plan import PartitionPlan, plan_trace


def make_cluster(plan: PartitionPlan, release: Release, kept_folder: Path | None) -> PartitionCluster:
    """The brokers of a plan, and their controller."""
    return PartitionCluster(release, cluster_spec(plan), kept_folder)


def cluster_spec(plan: PartitionPlan) -> ClusterSpec:
    """What a plan needs of a cluster."""
    values, numbers = plan.fitted_trace.model.values, node_ids(plan)
    topic = {"min.insync.replicas": str(values["min_isr"])}
    topic["unclean.leader.election.enable"] = str(values["unclean"]).lower()
    if values["fsync"]:
        topic["flush.messages"] = "1"
    order = tuple(numbers[broker] for broker in plan.order)
    spare = any(stage.action == "lose_directory" for stage in plan.stages)
    return ClusterSpec(order, topic, bool(values["elr"]), plan.session, plan.lag, spare=spare)


def describe_conditions(plan: PartitionPlan) -> Conditions:
    """What a plan is driven under."""
    return Conditions(
        tuple(node_ids(plan)[broker] for broker in plan.order),
        {name: plan.fitted_trace.model.values[name] for name in SETTINGS},
        {**CLOCKS, "broker.session.timeout.ms": plan.session, "replica.lag.time.max.ms": plan.lag},
        plan.fitted_trace.skipped_steps,
    )


FAMILY = Family(MODEL, plan_trace, make_cluster, PartitionDriver, describe_conditions)
