"""`tidegate models`: what there is, as a list of names to copy, and one model with all it has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tidegate.invariants.catalogue import CATALOGUE, LIVENESS_CLAIMS, REFINEMENTS

from ..conftest import Run, RunHere


def test_models_lists_what_there_is(tidegate: Run) -> None:
    listed = json.loads(tidegate("models", "--json").out)["models"]
    replication = next(model for model in listed if model["name"] == "replication")
    assert {"truncate_to_hw", "kip101", "kip279", "kip320_first_try", "kip320"} <= set(replication["profiles"])
    first = {key: value for key, value in replication["constants"][0].items() if key != "says"}
    assert first == {"name": "replicas", "default": 3, "minimum": 1, "maximum": 6}
    assert "kip320" in tidegate("models", "replication").out


def test_models_by_itself_is_a_list_of_names_to_copy(tidegate: Run) -> None:
    lines = tidegate("models").out.splitlines()
    names = [line.split()[0] for line in lines if line[:1].islower() and not line.startswith("tidegate")]
    assert names == [*CATALOGUE, *REFINEMENTS, *LIVENESS_CLAIMS]
    assert len(lines) < 5 * len(names)


def test_the_list_is_kept_and_not_believed_when_it_is_another(
    run_here: RunHere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIDEGATE_CACHE", str(tmp_path))
    listed = run_here("models")[1]
    (kept,) = tmp_path.glob("models-*.json")
    kept.write_text(
        kept.read_text(encoding="utf-8").replace("profiles; by default", "profiles; kept"), encoding="utf-8"
    )
    assert "profiles; kept" in run_here("models")[1]
    for broken in ("{}", "no JSON", "[]"):
        kept.write_text(broken, encoding="utf-8")
        assert run_here("models")[1] == listed
