"""What came out: confirmed, not confirmed, or could not be driven. Never a fourth."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...language.constants import Value
from ...language.errors import UsageError
from .families import FAMILIES, trace_of
from .family import Conditions, Family, PlanRequest
from .fitting import UndrivableError
from .nodes.releases import Release, fetch_release, release_in
from .nodes.running import NodesError, start_nodes
from .nodes.wire import BrokerError
from .stages import STEP_SECONDS, Document, Outcome, StageDriver, StagePlan, StageResult, diverging_stage

SCHEMA = "tidegate.confirm/1"
Report = Callable[[str], None]


def confirm_trace(
    document: Mapping[str, Any],
    *,
    kafka: str | None = None,
    home: Path | None = None,
    with_repair: bool = False,
    given_constants: Mapping[str, Value | str] | None = None,
    anyway: bool = False,
    limit: float = STEP_SECONDS,
    keep: Path | None = None,
    report: Report = lambda text: None,
) -> Document:
    """Drives a real cluster through the trace of a document and says what came out. UsageError where there is no such
    release, or no Java."""
    release = None if home is None else release_in(home)
    version = kafka if release is None else release.version
    try:
        trace = trace_of(document)
        family = FAMILIES[trace.model]
        if with_repair and family.no_repair is not None:
            raise UndrivableError(family.no_repair)
        plan = family.plan(PlanRequest(trace, version, anyway, with_repair, given_constants or {}))
    except UndrivableError as error:
        return document_head(document, version, with_repair) | undriven_document(error)
    release = release or fetch_release(full_version(plan.kafka))
    head = document_head(document, release.version, with_repair)
    report(f"starting Kafka {release.version}")
    try:
        return head | _drive_plan(family, plan, release, limit, keep, report)
    except (NodesError, BrokerError, OSError) as error:
        return head | undriven_document(UndrivableError(str(error))) | _conditions_document(family.conditions(plan))


def _drive_plan(
    family: Family[Any, Any], plan: StagePlan[Any], release: Release, limit: float, keep: Path | None, report: Report
) -> Document:
    """What came of a plan on nodes that are started for it, and end with it."""
    with start_nodes(lambda: family.cluster(plan, release, keep), keep) as nodes:
        driver, began = family.driver(plan, nodes, limit), time.monotonic()
        outcome = driver.outcome(lambda stage: report(f"step {stage.first}: {stage.action}"))
        return outcome_document(driver, family.conditions(plan), outcome, time.monotonic() - began)


def full_version(kafka: str) -> str:
    """A release with all of its numbers: the first of 3.9 is 3.9.0. UsageError for what is no release."""
    if re.fullmatch(r"\d+\.\d+(\.\d+)?", kafka) is None:
        raise UsageError(f"--kafka-version {kafka}: write a release of Kafka, such as 4.1.1 or 3.9")
    return kafka if kafka.count(".") == 2 else f"{kafka}.0"


# --- as a document ----------------------------------------------------------------------------------------------------


def outcome_document(
    driver: StageDriver[Any, Any, Any], conditions: Conditions, outcome: Outcome, seconds: float
) -> Document:
    """What came out, but for what every result begins with."""
    parted = diverging_stage(outcome.stages)
    return {
        "result": "confirmed" if outcome.is_confirmed else "not_confirmed",
        "why": outcome.why,
        "step": None if parted is None else parted.stage.first or None,
        "order": list(conditions.order),
        **_conditions_document(conditions),
        "skipped": list(conditions.skipped_steps),
        "steps": [_stage_document(taken, driver) for taken in outcome.stages],
        "not_taken": [stage.first for stage in driver.stages[len(outcome.stages) :]],
        "acknowledged": sorted(outcome.acknowledged_records),
        "read": None if outcome.read is None else list(outcome.read),
        "leader": outcome.leader,
        "seconds": round(seconds, 1),
    }


def _conditions_document(conditions: Conditions) -> Document:
    settings = {name: getattr(value, "value", value) for name, value in conditions.settings.items()}
    return {"settings": settings, "clocks": dict(conditions.clocks)}


def _stage_document(result: StageResult, driver: StageDriver[Any, Any, Any]) -> Document:
    """A stage that was taken."""
    stage = result.stage
    return {
        "first": stage.first,
        "last": stage.last,
        "action": stage.action,
        "kind": stage.kind,
        "says": stage.says,
        "did": result.did,
        "seconds": round(result.seconds, 2),
        "expected": driver.show(result.expected_observation),
        "seen": driver.show(result.observation),
        "otherwise": result.divergence,
    }


def undriven_document(error: UndrivableError) -> Document:
    """What could not be driven, and why."""
    return {
        "result": "not_driven",
        "why": error.why,
        "step": error.step or None,
        "order": [],
        "settings": {},
        "clocks": {},
        "skipped": [],
        "steps": [],
        "not_taken": [],
        "acknowledged": [],
        "read": None,
        "leader": None,
        "seconds": 0.0,
    }


def document_head(document: Mapping[str, Any], kafka: str | None, with_repair: bool = False) -> Document:
    """What every result begins with: the trace's title, model and property, and the release."""
    about = document["property"]
    return {
        "schema": SCHEMA,
        "title": document["title"],
        "model": document["model"],
        "property": None if about is None else about["name"],
        "kafka": kafka,
        "repaired": with_repair,
    }
