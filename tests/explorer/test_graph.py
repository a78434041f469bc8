"""State graphs: every state and every step between them, or those around some states."""

from __future__ import annotations

import pytest
from tidegate.explorer.graph import TooLargeError, neighbourhood, state_graph
from tidegate.language.judge import steps

from ..support.steps import run_of
from ..support.traces import bind_model


def test_every_state_and_every_step() -> None:
    model = bind_model("examples/die_hard.py")
    graph = state_graph(model, 100)
    assert len(graph.states) == 16 and graph.states[0].big == 0
    for number, state in enumerate(graph.states):
        mine = [(edge.action, graph.states[edge.target]) for edge in graph.edges if edge.source == number]
        assert mine == [(step.action, step.state_after) for step in steps(model, state)]


def test_more_than_was_asked_for_is_refused() -> None:
    with pytest.raises(TooLargeError) as caught:
        state_graph(bind_model("examples/die_hard.py"), 15)
    assert caught.value.most == 15


def test_around_a_state_only_what_is_near() -> None:
    model = bind_model("examples/die_hard.py")
    centre = run_of(model, "fill_big").states()[-1]
    near = neighbourhood(model, [centre], 1, 100)
    assert set(near.states) == {centre, *(step.state_after for step in steps(model, centre))}
    assert all(edge.target < len(near.states) for edge in near.edges)
    back = {(near.states[edge.source], near.states[edge.target]) for edge in near.edges}
    assert any(target == centre for _, target in back), "steps among the outermost states are there"
