"""The graph of the states that plain Python has explored: their steps once more, with what is true in each."""

from __future__ import annotations

from tidegate.explorer.graph import state_graph
from tidegate.explorer.liveness.plain_graph import explore_plain_graph
from tidegate.explorer.liveness.questions import questions_of
from tidegate.language.judge import holds

from ...support.traces import bind_model


def test_it_has_every_step_that_changes_the_state_and_every_truth() -> None:
    model = bind_model("examples/liveness/printer.py")
    questions, drawn = questions_of(model), state_graph(model, 5000)
    numbers = {state: number for number, state in enumerate(drawn.states)}
    heeded: list[None] = []
    graph = explore_plain_graph(model, questions, drawn.states, numbers.__getitem__, 1, lambda: heeded.append(None))
    assert graph.size == len(drawn.states) == len(heeded)
    for number, state in enumerate(drawn.states):
        targets = sorted(edge.target for edge in drawn.edges if edge.source == number != edge.target)
        assert sorted(edge.target for edge in graph.edges(number)) == targets
        for bit, predicate in enumerate(questions.predicates):
            assert graph.is_false(number, bit) is not holds(model, predicate, state)
