"""`tidegate confirm`: its results in a terminal and as JUnit, and what it refuses before anything starts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tidegate.real.driving.partition.driver import expected_observation, node_ids
from tidegate.real.driving.verdict import confirm_trace
from tidegate.reports.confirm import confirm_junit, confirm_text, result_sentence
from tidegate.reports.text_page import TextFormat

from ..conftest import Run, RunHere
from ..support.commands import run_without
from ..support.partitions import MOVED, RESTARTED, STANDING, Model, outcome, plan, trace


def save(path: Path, document: Mapping[str, Any]) -> str:
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def test_a_result_in_the_terminal() -> None:
    document = trace(MOVED, acks="leader")
    made = plan(document, "3.9.1")
    found: dict[str, Any] = outcome(made, Model(made)) | {"seconds": 1.0}
    assert confirm_text([found, found], TextFormat(100), steps=True).splitlines()[-1] == "2 runs: 2 confirmed."
    assert result_sentence(found) == "Confirmed on Kafka 3.9.1: acknowledged, and gone: record 0."


def test_a_result_as_junit() -> None:
    document = trace(STANDING)
    made = plan(document)
    parted = outcome(made, Model(made, {9: expected_observation(made.stages[8].state_before, node_ids(made))}))
    refused = confirm_trace(trace(STANDING) | {"model": "classic_group"})
    root = ElementTree.fromstring(confirm_junit([outcome(made, Model(made)), parted, refused]))
    suite = root[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    assert [[kind.tag for kind in case] for case in suite] == [[], ["failure"], ["error"]]


def test_the_command_refuses_before_anything_starts(tidegate: Run, run_here: RunHere, tmp_path: Path) -> None:
    path = tmp_path / "loss.trace.json"
    path.write_text(json.dumps(trace(RESTARTED, reject_restarted=False)), encoding="utf-8")
    done = tidegate("confirm", str(path), "--kafka-version", "3.9.1", "--json")
    (found,) = json.loads(done.out)["results"]
    assert (done.exit, found["result"], found["step"], found["kafka"]) == (5, "not_driven", 12, "3.9.1")
    assert "? Could not be driven on Kafka 3.9.1: the model of Kafka 3.9.1 does not" in confirm_text(
        [found], TextFormat(100), steps=False
    )
    for given, why in (
        (["--anyway"], "--anyway is about one release"),
        (["--set", "min_isr=2"], "--set says what the repair changes: give --repaired too"),
        (["--keep", str(tmp_path / "kept"), "--repeat", "2"], "--keep DIR keeps one run"),
        (["--kafka-home", str(tmp_path)], "no kafka_2.13-VERSION.jar is in it"),
    ):
        exit_, text = run_here("confirm", str(path), *given)
        assert (exit_, why in text) == (64, True)


def test_without_kafka_python_it_says_what_to_install(tmp_path: Path) -> None:
    done = run_without("kafka", ["confirm", save(tmp_path / "a.trace.json", trace(STANDING))])
    assert (done.exit, "pip install '.[real]' in the clone" in done.err) == (64, True)
