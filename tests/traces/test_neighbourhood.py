"""States around a run: each with every step from it, nearest first, and all of a small model."""

from __future__ import annotations

from tidegate.language.judge import steps
from tidegate.traces.neighbourhood import Neighbourhood, neighbourhood_document

from ..support.steps import run_of
from ..support.traces import bind_model


def test_all_states_of_a_small_model_are_there() -> None:
    model = bind_model("examples/die_hard.py")
    document = neighbourhood_document(model, run_of(model, "fill_big; big_to_small"))
    assert len(document["nodes"]) == 16
    assert all("next" in node for node in document["nodes"])


def test_a_node_has_every_step_that_can_happen() -> None:
    model = bind_model("examples/die_hard.py")
    run = run_of(model, "fill_big")
    known = Neighbourhood(model)
    number = known.number_of(run.states()[-1])
    assert known.number_of(run.states()[-1]) == number, "a state is one node"
    taken = known.expand_node(number)
    assert [step["step"] for step in taken] == [step.action for step in steps(model, run.states()[-1])]


def test_there_are_no_more_than_was_asked_for() -> None:
    model = bind_model("examples/die_hard.py")
    document = neighbourhood_document(model, run_of(model, "fill_big"), most=4)
    expanded = [node for node in document["nodes"] if "next" in node]
    assert 2 <= len(expanded) < 16
