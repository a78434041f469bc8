"""A family of models: `transactions`, on real brokers, whose producer is the driver."""

from __future__ import annotations

from pathlib import Path

from ..family import Conditions, Family
from ..nodes.processes import CLOCKS
from ..nodes.releases import Release
from .cluster import SETTINGS, TIMEOUT_MS, TransactionsCluster
from .driver import TransactionsDriver
from .plan import MODEL, TransactionsPlan, plan_trace


def make_cluster(plan: TransactionsPlan, release: Release, kept_folder: Path | None) -> TransactionsCluster:
    """The brokers of a plan, with clocks of their own where a transaction is to take too long."""
    clocks = any(stage.action == "time_out" for stage in plan.stages)
    return TransactionsCluster(
        release, map(str, plan.run.start.logs), plan.version_2, clocks=clocks, kept_folder=kept_folder
    )


def describe_conditions(plan: TransactionsPlan) -> Conditions:
    """What a plan is driven under."""
    clocks = {**CLOCKS, **{name: SETTINGS[name] for name in SETTINGS if name.endswith(".ms")}}
    return Conditions(
        range(1, max(2, len(list(plan.run.start.logs))) + 1),
        {"transaction.version": 2 if plan.version_2 else 0, "clients": plan.model.values["clients"]},
        {**clocks, "transaction.timeout.ms": TIMEOUT_MS},
    )


FAMILY = Family(
    MODEL,
    lambda wanted: plan_trace(wanted.trace, wanted.kafka, anyway=wanted.anyway),
    make_cluster,
    TransactionsDriver,
    describe_conditions,
    "what repairs transactions is another release, and no setting that `--repaired` has",
)
