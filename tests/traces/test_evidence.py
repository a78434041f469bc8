"""What a value rests on stays small, however many functions its reading goes through."""

from __future__ import annotations

from tidegate.language.judge import replay, start_of
from tidegate.language.values import Map, Set
from tidegate.model.parts.topology import Member, Topic
from tidegate.model.studies.sticky_assignors.state import Assignor
from tidegate.traces.evidence import MANY, Reading, Seen, StatePart

from ..support.shipped import shipped

CELLS = tuple(StatePart("s", "log", (("key", number),)) for number in range(MANY))


def test_many_cells_are_kept_once_each_in_order() -> None:
    assert Seen(0, None, (*CELLS, *CELLS)).reads == CELLS
    assert Seen(0, None, (CELLS[1], CELLS[0], CELLS[1])).reads == (CELLS[1], CELLS[0], CELLS[1])


def test_a_deep_step_rests_on_few_cells() -> None:
    """An assignor is one step of many nested functions, each of which hands on what the last one read."""
    model = shipped("sticky_assignors", {"members": 3, "topics": 2, "max_partitions": 2, "max_claims": 4})
    arguments = {
        "partitions": Map({Topic(t): 2 for t in range(2)}),
        "subscribed": Map({Member(m): Set(Topic(t) for t in range(2) if m != t) for m in range(3)}),
        "generation": Map({Member(m): 0 for m in range(3)}),
    }
    start = start_of(model, model.initials[0], arguments)
    assert start is not None
    (step,) = replay(model, start, [("assign", {"assignor": Assignor.STICKY})]).steps
    action = model.action(step.action)
    reading = Reading(model, {action.form.state: start})
    effects = reading.step(action, step.arguments)
    assert effects.writes
    assert reading.states[action.form.state] == step.after
    assert len(effects.reads()) < 200
    assert max(len(reads) for _, reads in reading.compared) < 1000
