"""Graphs in native memory are those of plain Python: their steps, what can happen, and what is always possible."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from tidegate.explorer.liveness.graph import IncompleteGraphError
from tidegate.explorer.native.graph_kernel import NOWHERE
from tidegate.explorer.native.network import PER_EDGE, PER_STATE, Network, bytes_needed
from tidegate.language.errors import UsageError

from ...support.random_graphs import RandomGraph, draw_graph


@contextmanager
def native(graph: RandomGraph) -> Generator[Network]:
    made = graph.native()
    try:
        yield made
    finally:
        made.close()


def test_it_has_the_steps_and_the_truths_of_the_plain_graph() -> None:
    for seed in range(50):
        graph = draw_graph(seed)
        plain = graph.plain()
        with native(graph) as network:
            assert network.size == plain.size
            for state in range(plain.size):
                assert set(network.edges(state)) == {edge for edge in plain.edges(state) if edge.target != state}
                assert [network.is_false(state, at) for at in range(3)] == [
                    plain.is_false(state, at) for at in range(3)
                ]
                assert network.enabled_groups(state) & ~plain.enabled_groups(state) == 0


def test_a_step_that_a_limit_stops_counts_once_hardened_and_no_longer_once_softened() -> None:
    graph = RandomGraph([[(0, 1)], []], (0b01, 0b10), [0, 0], [0, 0b10], 1)
    with native(graph) as network:
        assert (network.enabled_groups(0), network.enabled_groups(1)) == (0b01, 0)
        network.count_stopped_as_possible()
        assert (network.enabled_groups(0), network.enabled_groups(1)) == (0b01, 0b10)
        network.count_stopped_as_impossible()
        assert network.enabled_groups(1) == 0


def test_what_is_always_possible_is_so_in_plain_python() -> None:
    for seed in range(100):
        graph = draw_graph(seed)
        with native(graph) as network:
            assert [network.possibility_of(at)[0] for at in range(3)] == [
                graph.plain().possibility_of(at)[0] for at in range(3)
            ]


def test_time_that_runs_out_ends_it_between_two_passes() -> None:
    def stop() -> None:
        raise IncompleteGraphError("time is out")

    graph = RandomGraph([[(0, 0)]], (1,), [1], [0], 1)
    with native(graph) as network:
        network.heed = stop
        with pytest.raises(IncompleteGraphError, match="time is out"):
            network.possibility_of(0)


def test_the_memory_of_a_graph_is_known_before_it_is_taken() -> None:
    assert bytes_needed(10, 0) == 12 * sum(PER_STATE.values())
    assert bytes_needed(10, 7) - bytes_needed(10, 0) == 7 * sum(PER_EDGE.values())
    with pytest.raises(UsageError, match="is larger than native code takes"):
        Network(NOWHERE, 0, (), (), 1, None)
