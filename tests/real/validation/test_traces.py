"""A history told as a trace that is replayed, whole or in parts.

Also of: `settings`.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import jsonschema
from tidegate.real.validation.settings import find_setup, find_version
from tidegate.real.validation.traces import trace_parts
from tidegate.real.validation.validating import ValidationResult
from tidegate.traces.document import read_schema

from ...conftest import Run
from ...support.histories import STANDING, answer, cluster, model_of, walk_history


def test_an_outage_is_told_as_a_trace_that_is_replayed(tidegate: Run, tmp_path: Path) -> None:
    out = tmp_path / "report"
    assert tidegate("validate", str(STANDING), "--out", str(out)).exit == 0
    document = json.loads((out / "validate.json").read_text("utf-8"))
    (partition,) = document["partitions"]
    (trace,) = partition["traces"]
    assert "Broker 1" in tidegate("show", str(out / trace)).out
    saved = json.loads((out / trace).read_text("utf-8"))
    assert saved["model"] == "partition:kafka_3_9"
    assert len(saved["steps"]) == sum(len(leg["steps"]) for leg in partition["legs"])
    assert tidegate("replay", str(out / trace)).exit == 0
    told = (out / partition["html"]).read_text("utf-8")
    assert "leader 1, epoch 2, ISR 1" in told.split('id="brokers"')[1]
    assert partition["html"] in (out / "index.html").read_text("utf-8")


def test_a_history_that_no_run_shows_is_told_up_to_there(tidegate: Run, tmp_path: Path) -> None:
    more = ("--kafka-version", "4.1", "--set", "elr=true", "--out", str(tmp_path))
    assert tidegate("validate", str(STANDING), *more).exit == 1
    (partition,) = json.loads((tmp_path / "validate.json").read_text("utf-8"))["partitions"]
    assert partition["legs"][-1]["to"] == partition["seen"] == 1
    assert "no run of the model shows it" in (tmp_path / partition["html"]).read_text("utf-8")


def test_a_long_history_is_told_in_parts_each_a_run_of_the_model(cache: Path) -> None:
    history = walk_history(model_of("kafka_4_1"), 1, 60)
    given = {"elr": True, "min_isr": 2, "register_apart": False}
    setup = find_setup(history, find_version(cluster(STANDING), "4.1"), frozenset(), given)
    assert not isinstance(setup, str)
    (bound,) = map(setup.bind, setup.variants)
    one = ValidationResult(history, ("t-0",), setup, (bound,), "shown", None, answer(history, bound, cache))
    parts = trace_parts(one)
    assert len(parts) > 1
    assert [part.document["replay"] is None for part in parts] == [False] + [True] * (len(parts) - 1)
    for before, after in itertools.pairwise(parts):
        assert list(before.moments.values())[-1] == after.moments[0]
    assert list(parts[-1].moments.values())[-1] == len(history.moments) - 1
    for part in parts:
        jsonschema.validate(part.document, read_schema())
