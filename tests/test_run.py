"""`tidegate run raft`: a cluster that runs, every step a step of the model."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from tidegate.cli.models import bound
from tidegate.cli.options import Chosen
from tidegate.cli.run import BOUNDS, STEPS_MAX, Weather
from tidegate.explorer.scheduler import scheduled
from tidegate.language.judge import holds, replay
from tidegate.language.model import Model

from .conftest import Run


@pytest.fixture(scope="module")
def cluster() -> Model:
    sizes = {**BOUNDS, "servers": 3, "crashes": 1}
    return bound(Chosen("raft", assignments=tuple((name, str(value)) for name, value in sizes.items()), ghosts=True))


@pytest.mark.parametrize("seed", range(12))
def test_a_cluster_survives_the_death_of_its_leader(cluster: Model, seed: int) -> None:
    weather = Weather()
    run = scheduled(cluster, weather, seed=seed, steps_max=STEPS_MAX)
    states = run.states()
    assert weather.is_over(states[-1])
    assert [step.action for step in run.steps].count("restart") == 1
    # Every step is one that the judge takes too, and nothing is ever false.
    assert replay(cluster, run.start, [(step.action, step.arguments) for step in run.steps]).states() == states
    for each in cluster.properties:
        if each.kind == "invariant":
            assert all(holds(cluster, each, state) for state in states), each.name
        if each.kind == "transition":
            pairs = itertools.pairwise(states)
            assert all(holds(cluster, each, before, after) for before, after in pairs), each.name


def test_the_same_seed_gives_the_same_run(cluster: Model) -> None:
    one, same, other = (
        scheduled(cluster, Weather(), seed=seed, steps_max=STEPS_MAX).steps for seed in (7, 7, 8)
    )  # fmt: skip
    assert one == same
    assert one != other


def test_the_command_shows_and_saves_the_trace(tidegate: Run, tmp_path: Path) -> None:
    done = tidegate("run", "raft", "--servers", "3", "--seed", "7", "--out", str(tmp_path), "--json")
    assert (done.exit, done.err) == (0, "")
    document = json.loads(done.out)
    assert document == json.loads((tmp_path / "run.trace.json").read_text(encoding="utf-8"))
    shown = tidegate("show", str(tmp_path / "run.trace.json"))
    assert shown.exit == 0
    assert "crashes and starts again" in shown.out


def test_only_raft_can_be_run(tidegate: Run) -> None:
    done = tidegate("run", "replication")
    assert done.exit == 64
    assert "raft can" in done.err
