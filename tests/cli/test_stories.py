"""The stories of `tidegate demo`: each command ends as it must."""

from __future__ import annotations

import json
import shlex

import pytest
from tidegate.cli.stories import STORIES, Scene

from ..conftest import Run
from ..support.shipped import tier_parameters

SCENES = [scene for story in STORIES.values() for scene in story.scenes]


@pytest.mark.parametrize(
    "scene", tier_parameters(SCENES, lambda scene: scene.command.startswith("replay"), lambda s: s.command[:60])
)
def test_a_scene_ends_as_it_must(scene: Scene, tidegate: Run) -> None:
    assert tidegate(*shlex.split(scene.command)).exit == scene.exit


def test_the_outage_is_as_it_was_reported(tidegate: Run) -> None:
    """Three brokers run, all partitions of the topic are on one, every group has committed, and that one is killed."""
    done = tidegate(*shlex.split(STORIES["outage"].scenes[0].command), "--json")
    steps = [step["step"] for step in json.loads(done.out)["properties"][0]["document"]["steps"]]
    assert "first_use({P: {A}, Q: {A}})" in steps and steps[-1] == "kill(A)"
    assert {"start_broker(A)", "start_broker(B)", "start_broker(C)"} <= set(steps)
    assert sum(step.startswith("consume(") for step in steps) == 2


def test_figure_8_goes_on_to_what_is_overwritten(tidegate: Run) -> None:
    """(d) overwrites the entry at A, which has applied it; under Raft's rule A has not; in (e) E gets two votes."""
    counted, ruled, kept = (
        json.loads(tidegate(*shlex.split(scene.command), "--json").out) for scene in STORIES["figure-8"].scenes[:3]
    )
    steps = [[step["step"] for step in report["steps"]] for report in (counted, ruled, kept)]
    assert steps[0][42] == "advance_commit_index(A)" and steps[0][-1] == "append_entries(leader=E, follower=A)"
    assert [step for step in steps[0] if step != "advance_commit_index(A)"] == steps[1]
    assert sum(step.startswith("request_vote(candidate=E") for step in steps[2]) == 3  # two of them in term 3
    assert "become_leader(E)" in steps[1][40:] and "become_leader(E)" not in steps[2][40:]
