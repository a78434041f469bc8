"""`tidegate simulate`: one run, drawn with a seed, each step one of the model; and the example that is an operator."""

from __future__ import annotations

import importlib.util
import itertools
import json
from pathlib import Path
from types import ModuleType

import pytest
import tidegate as tg
from tidegate.language.judge import holds, replay
from tidegate.reports.exits import Exit

from ..conftest import ROOT, Run
from ..support.shipped import tier_parameters


@pytest.fixture(scope="module")
def raft_cluster() -> ModuleType:
    spec = importlib.util.spec_from_file_location("raft_cluster", ROOT / "examples" / "raft_cluster.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", tier_parameters(range(12), lambda seed: seed < 4))
def test_a_cluster_survives_the_death_of_its_leader(raft_cluster: ModuleType, seed: int) -> None:
    simulation, over = raft_cluster.simulate("raft", 3, seed)
    run, model = simulation.run, simulation.model
    states = run.states()
    assert over
    assert [step.action for step in run.steps].count("restart") == 1
    # Every step is one that the judge takes too, and nothing is ever false.
    assert replay(model, run.start, [(step.action, step.arguments) for step in run.steps]).states() == states
    for prop in model.properties:
        if prop.kind == "invariant":
            assert all(holds(model, prop, state) for state in states), prop.name
        if prop.kind == "transition":
            pairs = itertools.pairwise(states)
            assert all(holds(model, prop, before, after) for before, after in pairs), prop.name


def test_the_same_seed_gives_the_same_run() -> None:
    one, same, other = (tg.simulate("partition", seed=seed, steps=30).run for seed in (7, 7, 8))
    assert one == same
    assert one != other


def test_faults_happen_as_often_as_asked_for() -> None:
    never, often = (tg.simulate("partition", seed=5, steps=40, faults=share) for share in (0.0, 1.0))
    kinds = {action.name: action.kind for action in never.model.actions}
    assert not [step for step in never.run.steps if kinds[step.action] == "fault"]
    assert [step for step in often.run.steps if kinds[step.action] == "fault"]


def test_a_violation_is_found_and_named() -> None:
    found = (tg.simulate(f"{ROOT}/examples/lock.py:careless", seed=seed, steps=20).violated for seed in range(20))
    assert "one_inside" in set(found)


def test_a_deadlock_and_a_broken_type_end_the_run(tmp_path: Path) -> None:
    text = (
        "from typing import Annotated\n\nfrom tidegate.language import Range, action, initial, require, state\n\n\n"
        "@state\nclass Counter:\n    count: Annotated[int, Range(0, 3)]\n\n\n"
        "@initial\ndef start() -> Counter:\n    return Counter(count=0)\n\n\n"
        "@action\ndef count_up(s: Counter) -> None:\n    {guard}\n    s.count += 1\n"
    )
    stuck, broken = tmp_path / "stuck.py", tmp_path / "broken.py"
    stuck.write_text(text.format(guard="require(s.count < 2)"))
    broken.write_text(text.format(guard="require(s.count < 9)"))
    ended, breaks = tg.simulate(stuck), tg.simulate(broken)
    assert ended.document()["kind"] == "deadlock"
    assert breaks.failure is not None
    assert breaks.failure.action == "count_up"
    assert len(breaks.run.steps) == 3


def test_the_command_prints_each_step_and_saves_the_trace(tidegate: Run, tmp_path: Path) -> None:
    done = tidegate("simulate", "partition", "--seed", "7", "--steps", "20", "--out", str(tmp_path))
    assert done.exit == Exit.HOLDS
    assert done.out.splitlines()[-1] == "20 steps, as many as were asked for; every property held in every state"
    assert done.out.startswith("    1. ")
    document = json.loads((tmp_path / "run.trace.json").read_text(encoding="utf-8"))
    assert len(document["steps"]) == 20
    shown = tidegate("show", str(tmp_path / "run.trace.json"))
    assert shown.exit == 0


def test_what_is_not_judged_is_said(tidegate: Run) -> None:
    done = tidegate("simulate", "replication:kip320", "--no-ghosts", "--steps", "5")
    assert done.exit == Exit.INCONCLUSIVE
    assert "not checked: " in done.out.splitlines()[-1]


def test_a_share_of_faults_is_a_probability(tidegate: Run) -> None:
    done = tidegate("simulate", "raft", "--faults", "2")
    assert (done.exit, "'2' is not a number from 0 to 1" in done.err) == (Exit.USAGE, True)
