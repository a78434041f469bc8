"""The catalogue: a model has one name everywhere, and a former name is answered with the one of today."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tidegate
from tidegate.invariants.catalogue import (
    CATALOGUE,
    FORMER_NAMES,
    LIVENESS_CLAIMS,
    REFINEMENTS,
    BuiltIn,
    current_name,
    find,
)

from ..conftest import ROOT, Run

EVERYTHING = {**CATALOGUE, **REFINEMENTS, **LIVENESS_CLAIMS}
STUDIES = {path.stem for path in (ROOT / "model" / "studies").iterdir() if not path.stem.startswith("__")}
NO_MODELS = {"parts", "studies", "__init__", "py", "__pycache__"}


def is_module(path: Path) -> bool:
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


@pytest.mark.parametrize("entry", CATALOGUE.values(), ids=CATALOGUE)
def test_a_model_is_in_the_rooms_of_its_name(entry: BuiltIn) -> None:
    assert entry.room == (f"studies.{entry.name}" if entry.name in STUDIES else entry.name)
    room = Path(*entry.room.split("."))
    assert is_module(ROOT / "model" / room)
    assert is_module(ROOT / "invariants" / room)
    assert (ROOT / "spec" / f"{entry.name}.toml").is_file()


@pytest.mark.parametrize(
    "entry", [*REFINEMENTS.values(), *LIVENESS_CLAIMS.values()], ids=[*REFINEMENTS, *LIVENESS_CLAIMS]
)
def test_a_claim_is_in_the_room_of_its_model(entry: BuiltIn) -> None:
    model = entry.name.removesuffix(f"_{entry.claim}")
    assert entry.properties == f"{CATALOGUE[model].room}.{entry.claim}"
    assert is_module(ROOT / "invariants" / Path(*entry.properties.split(".")))


def test_every_room_is_of_a_model_of_the_catalogue() -> None:
    rooms = {path.stem for path in (ROOT / "model").iterdir()} - NO_MODELS
    assert rooms | STUDIES == set(CATALOGUE)
    assert {path.stem for path in (ROOT / "spec").glob("*.toml")} == set(EVERYTHING)


def test_a_former_name_is_no_name_of_today() -> None:
    assert FORMER_NAMES
    assert not FORMER_NAMES.keys() & EVERYTHING.keys()
    assert set(FORMER_NAMES.values()) <= EVERYTHING.keys()


def test_a_path_and_an_unknown_name_are_as_they_were() -> None:
    assert [current_name(name) for name in ("mine.py:consumer_group", "a/consumer_group.py", "nothing", "raft:")] == [
        "mine.py:consumer_group",
        "a/consumer_group.py",
        "nothing",
        "raft:",
    ]


@pytest.mark.parametrize("former", FORMER_NAMES)
def test_a_former_name_finds_the_model(former: str) -> None:
    name = FORMER_NAMES[former]
    assert find(former) == find(name)
    assert find(f"{former}:kafka_16147") == (find(name)[0], "kafka_16147")
    assert tidegate.load(former).name == name
    assert tidegate.load(f"{former}:published", clients=1).name == f"{name}:published"


def test_the_command_line_answers_a_former_name_with_the_one_of_today(tidegate: Run) -> None:
    assert tidegate("models", "consumer_group").out.startswith("consumer_group_published\n")
    assert tidegate("spec", "consumer_group").out.startswith("# `consumer_group_published`, formally")
    checked = tidegate("check", "consumer_group:published", "--bounds", "one_client")
    assert " consumer_group_published:published holds" in checked.out.partition("\n")[0]


def test_a_trace_with_a_former_name_is_taken_again(tidegate: Run, tmp_path: Path) -> None:
    asked = ("--bounds", "perturbed", "--symmetry", "--property", "valid_partition_epoch", "--out", str(tmp_path))
    tidegate("check", "consumer_group_published:kafka_16147", *asked)
    saved = tmp_path / "valid_partition_epoch.trace.json"
    document = json.loads(saved.read_text(encoding="utf-8"))
    saved.write_text(json.dumps({**document, "model": "consumer_group:kafka_16147"}), encoding="utf-8")
    again = tidegate("replay", str(saved))
    assert "✗ consumer_group_published:kafka_16147: valid_partition_epoch fails after 11" in again.out
