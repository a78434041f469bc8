"""A family of models: `kraft`, on real controllers."""

from __future__ import annotations

from pathlib import Path

from ..family import Conditions, Family
from ..nodes.processes import CLOCKS
from ..nodes.releases import Release
from .cluster import TIMEOUTS, Voters
from .driver import QuorumDriver
from .plan import MODEL, QuorumPlan, quorum_plan


def cluster_of(plan: QuorumPlan, release: Release, kept: Path | None) -> Voters:
    """The controllers of a plan."""
    return Voters(release, len(list(plan.run.start.log)), kept)


def conditions_of(plan: QuorumPlan) -> Conditions:
    """What a plan is driven under."""
    return Conditions(
        range(1, len(list(plan.run.start.log)) + 1),
        {name: plan.model.values[name] for name in ("voters", "pre_vote", "check_quorum")},
        {**{name: CLOCKS[name] for name in CLOCKS if name.startswith("controller.")}, **TIMEOUTS},
    )


FAMILY = Family(
    MODEL,
    lambda wanted: quorum_plan(wanted.trace, wanted.kafka, anyway=wanted.anyway),
    cluster_of,
    QuorumDriver,
    conditions_of,
    "what repairs a quorum of controllers is another release, and no setting",
)
