"""A family of models: `kraft`, on real controllers."""

from __future__ import annotations

from pathlib import Path

from ..family import Conditions, Family
from ..nodes.processes import CLOCKS
from ..nodes.releases import Release
from .cluster import TIMEOUTS, ControllersCluster
from .driver import ControllersDriver
from .plan import MODEL, ControllersPlan, plan_trace


def make_cluster(plan: ControllersPlan, release: Release, kept_folder: Path | None) -> ControllersCluster:
    """The controllers of a plan."""
    return ControllersCluster(release, len(list(plan.run.start.log)), kept_folder)


def describe_conditions(plan: ControllersPlan) -> Conditions:
    """What a plan is driven under."""
    return Conditions(
        range(1, len(list(plan.run.start.log)) + 1),
        {name: plan.model.values[name] for name in ("voters", "pre_vote", "check_quorum")},
        {**{name: CLOCKS[name] for name in CLOCKS if name.startswith("controller.")}, **TIMEOUTS},
    )


FAMILY = Family(
    MODEL,
    lambda wanted: plan_trace(wanted.trace, wanted.kafka, anyway=wanted.anyway),
    make_cluster,
    ControllersDriver,
    describe_conditions,
    "what repairs a quorum of controllers is another release, and no setting",
)
