"""Every reachable state as packed words."""

from __future__ import annotations

from pathlib import Path

from tidegate.explorer.graph import state_graph
from tidegate.explorer.native.states import reachable_states

from ...support.traces import bind_model


def test_they_are_those_of_plain_python_in_its_order(cache: Path) -> None:
    model = bind_model("examples/die_hard.py")
    layout, words = reachable_states(model, 100, cache)
    flat = list(words.cast("B").cast("Q")) if words.format != "Q" else list(words)
    rows = [tuple(flat[at : at + layout.words]) for at in range(0, len(flat), layout.words)]
    graph = state_graph(model, 100)
    assert [layout.decode(row) for row in rows] == [tuple(state) for state in graph.states]
