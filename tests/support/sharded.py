"""What the tests of shards share: a model in a loop of tasks, and what is recorded of it."""

from __future__ import annotations

from functools import cache
from typing import Any

from tidegate.explorer.native.search import check as native
from tidegate.explorer.search import Search
from tidegate.invariants.catalogue import find
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict


def comparable_verdict(verdict: Verdict) -> Any:
    """What must be the same in two engines."""
    runs = {prop.name: (prop.verdict, prop.run and len(prop.run.steps)) for prop in verdict.properties}
    failure = verdict.failure and (verdict.failure.message, len(verdict.failure.run.steps), verdict.failure.action)
    return verdict.verdict, verdict.outcome, runs, failure


def counts(verdict: Verdict) -> Any:
    """Everything that an exhaustive search counts."""
    levels = [level.states for level in verdict.levels]
    return verdict.distinct_states, verdict.transitions, verdict.depth, levels, verdict.actions


@cache
def kip320() -> Model:
    """A model of 1,501 states."""
    definition, profile = find("replication:kip320")
    return definition.bind("replication:kip320", {"replicas": "2"}, profile)


@cache
def native_verdict() -> Verdict:
    """What the native engine says of it."""
    return native(kip320(), Search())
