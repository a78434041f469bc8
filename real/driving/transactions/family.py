"""A family of models: `transactions`, on real brokers, whose producer is the driver."""

from __future__ import annotations

from pathlib import Path

from ..family import Conditions, Family
from ..nodes.processes import CLOCKS
from ..nodes.releases import Release
from .cluster import SETTINGS, TIMEOUT_MS, Transactions
from .driver import TxnDriver
from .plan import MODEL, TxnPlan, txn_plan


def cluster_of(plan: TxnPlan, release: Release, kept: Path | None) -> Transactions:
    """The brokers of a plan, with clocks of their own where a transaction is to take too long."""
    clocks = any(stage.action == "time_out" for stage in plan.stages)
    return Transactions(release, map(str, plan.run.start.logs), plan.version_2, clocks=clocks, kept=kept)


def conditions_of(plan: TxnPlan) -> Conditions:
    """What a plan is driven under."""
    clocks = {**CLOCKS, **{name: SETTINGS[name] for name in SETTINGS if name.endswith(".ms")}}
    return Conditions(
        range(1, max(2, len(list(plan.run.start.logs))) + 1),
        {"transaction.version": 2 if plan.version_2 else 0, "clients": plan.model.values["clients"]},
        {**clocks, "transaction.timeout.ms": TIMEOUT_MS},
    )


FAMILY = Family(
    MODEL,
    lambda wanted: txn_plan(wanted.trace, wanted.kafka, anyway=wanted.anyway),
    cluster_of,
    TxnDriver,
    conditions_of,
    "what repairs transactions is another release, and no setting that `--repaired` has",
)
