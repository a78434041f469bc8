"""What is looked for in a graph, as every engine takes it."""

from __future__ import annotations

from tidegate.explorer.liveness.graph import FairnessEdge, FairRunQuestion, heed_nothing
from tidegate.explorer.liveness.reference import PlainGraph

# Two states that lead to each other by group 0, and a third that one comes to by group 1 and never leaves.
STEPS = [[FairnessEdge(1, 0b01), FairnessEdge(2, 0b10)], [FairnessEdge(0, 0b01)], []]
GRAPH = PlainGraph(STEPS, truths=[0b1, 0b0, 0b0], stopped_truths=[0, 0b10, 0], held_actions=["", "b", ""], initials=1)


def test_a_run_that_stays_and_one_that_fairness_drives_on() -> None:
    anywhere = FairRunQuestion(avoid=None, reached_from=None, again=None, weak=0, strong=0)
    assert GRAPH.fair_component(anywhere) is not None
    driven = GRAPH.fair_component(FairRunQuestion(avoid=None, reached_from=None, again=0, weak=0b01, strong=0b10))
    assert driven is not None and driven.states == frozenset({2}), "what can happen again and again happens"


def test_a_limit_hardens_what_could_happen() -> None:
    assert GRAPH.enabled_groups(1) == 0b01
    GRAPH.count_stopped_as_possible()
    assert GRAPH.enabled_groups(1) == 0b11
    GRAPH.count_stopped_as_impossible()
    assert GRAPH.enabled_groups(1) == 0b01
    assert GRAPH.first_stopped_state(["b"]) == 1 and GRAPH.first_stopped_state(["a"]) is None
    assert heed_nothing() is None
