"""What tests of `tidegate confirm` on real nodes share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tidegate.invariants.catalogue import find
from tidegate.language.errors import UnavailableError
from tidegate.language.judge import run_text, run_until_shown
from tidegate.language.verdict import PropertyVerdict, PropertyWord
from tidegate.real.driving.family import Family
from tidegate.real.driving.nodes.releases import fetch_release
from tidegate.real.driving.stages import StageDriver, StagePlan
from tidegate.real.driving.verdict import outcome_document
from tidegate.traces.document import trace_document

from ..conftest import Run


def document_of(model: str, profile: str, property_: str, steps: str, **constants: Any) -> dict[str, Any]:
    """A trace of a model in whose end a property shows."""
    definition, _ = find(model)
    bound = definition.bind(model, constants=constants, profile=profile, ghosts=True, properties=(property_,))
    prop, run = bound.properties[0], run_text(bound, steps)
    assert run_until_shown(bound, prop, run) is not None
    verdict: PropertyWord = "reached" if prop.kind == "reachable" else "violated"
    return trace_document(bound, PropertyVerdict(prop.name, prop.kind, prop.says, verdict, run))


def needs_release(kafka: str) -> None:
    """Skips a test where there is no Java, or where the jars of a release are not to be had."""
    try:
        fetch_release(kafka)
    except UnavailableError as error:
        pytest.skip(f"needs Java 17, and Kafka's jars: {error}")


def came_of(
    tidegate: Run, folder: Path, document: Mapping[str, Any], kafka: str, *more: str, seconds: int
) -> dict[str, Any]:
    """What comes of a trace on real nodes of a release, each thing that is awaited for so many seconds at most."""
    needs_release(kafka)
    path = folder / "a.trace.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    done = tidegate("confirm", str(path), "--kafka-version", kafka, *more, "--json", "--step-time", str(seconds))
    (found,) = json.loads(done.out)["results"]
    return found


def result_of(
    family: Family[Any, Any], plan: StagePlan[Any], driver: StageDriver[Any, Any, Any], report: Callable[[Any], None]
) -> dict[str, Any]:
    """What comes of a plan on a world that is no real one, as a document."""
    head = {"title": "t", "model": family.model, "property": "p", "kafka": plan.kafka, "repaired": False}
    return head | outcome_document(driver, family.conditions(plan), driver.outcome(report), 1.0)
