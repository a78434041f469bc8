"""What a value rests on stays small, however many functions its reading goes through."""

from __future__ import annotations

import pytest
from tidegate.invariants.catalogue import find
from tidegate.language.judge import holds, replay, run_text, start_of
from tidegate.language.values import Map, Set
from tidegate.model.parts.topology import Member, Topic
from tidegate.model.studies.sticky_assignors.state import Assignor
from tidegate.traces.evidence import MANY_CELLS, SeenValue, StateEvaluation
from tidegate.traces.state_parts import StatePart

from ..conftest import ROOT
from ..support.shipped import bind_shipped, tier_parameters
from .test_document import MODELS, SAMPLE, model_of, walk

CELLS = tuple(StatePart("s", "log", (("key", number),)) for number in range(MANY_CELLS))


def test_many_cells_are_kept_once_each_in_order() -> None:
    assert SeenValue(0, None, (*CELLS, *CELLS)).reads == CELLS
    assert SeenValue(0, None, (CELLS[1], CELLS[0], CELLS[1])).reads == (CELLS[1], CELLS[0], CELLS[1])


def test_a_deep_step_rests_on_few_cells() -> None:
    """An assignor is one step of many nested functions, each of which hands on what the last one read."""
    model = bind_shipped("sticky_assignors", {"members": 3, "topics": 2, "max_partitions": 2, "max_claims": 4})
    arguments = {
        "partitions": Map({Topic(t): 2 for t in range(2)}),
        "subscribed": Map({Member(m): Set(Topic(t) for t in range(2) if m != t) for m in range(3)}),
        "generation": Map({Member(m): 0 for m in range(3)}),
    }
    start = start_of(model, model.initials[0], arguments)
    assert start is not None
    (step,) = replay(model, start, [("assign", {"assignor": Assignor.STICKY})]).steps
    action = model.action(step.action)
    reading = StateEvaluation(model, {action.form.state: start})
    effects = reading.effects_of_step(action, step.arguments)
    assert effects.writes
    assert reading.states[action.form.state] == step.state_after
    assert len(effects.reads()) < 200
    assert max(len(reads) for _, reads in reading.compared) < 1000


@pytest.mark.parametrize("name", tier_parameters(MODELS, SAMPLE.__contains__, long=set(MODELS[::4]).__contains__))
def test_what_values_rest_on_is_read_as_the_judge_reads(name: str) -> None:
    """The typed form, evaluated for its cells, takes the judge's steps and gives the judge's answers."""
    model = model_of(name)
    run = walk(model, 12, seed=3)
    for before, step in zip(run.states(), run.steps, strict=False):
        action = model.action(step.action)
        reading = StateEvaluation(model, {action.form.state: before})
        reading.effects_of_step(action, step.arguments)
        assert reading.states[action.form.state] == step.state_after
        for prop in model.properties:
            if prop.form is not None and prop.refinement is None:  # a refinement has an argument of its own
                states = (before, step.state_after) if prop.kind == "transition" else (before,)
                found, _ = StateEvaluation(model, dict(zip(prop.form.states, states, strict=True))).evaluate_property(
                    prop.form
                )
                assert bool(found) == holds(model, prop, *states)


def test_only_what_decides_is_a_reason() -> None:
    definition, profile = find("replication:truncate_to_hw")
    model = definition.bind("m", {"replicas": 2}, profile, properties=["weak_isr"])
    text = (ROOT / "tests" / "golden" / "arguments" / "replication.txt").read_text(encoding="utf-8")
    run = run_text(model, text.split("\n")[1])
    form = model.properties[0].form
    assert form is not None
    _, cells = StateEvaluation(model, {"s": run.states()[-1]}).evaluate_property(form)
    assert [cell.to_text() for cell in cells] == ["leader[A]", "B in isr[A]", "high_watermark[A]", "len(log[B])"]
    assert [cell.main_cell_text() for cell in cells] == ["leader[A]", "isr[A]", "high_watermark[A]", "log[B]"]
