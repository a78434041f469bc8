"""The search for what is always possible and for fair runs, in native code and in plain Python, against trying every
set of steps of random small graphs."""

from __future__ import annotations

import pytest
from tidegate.explorer.liveness.lasso import shortest_lasso

from ...support.random_graphs import RandomGraph, agrees, draw_graph, draw_question, fair_sets, least_steps

ORDINARY, LONG = 200, 20_000


@pytest.mark.parametrize(
    "seeds",
    [range(ORDINARY), pytest.param(range(ORDINARY, LONG), marks=pytest.mark.long)],
    ids=["some hundred graphs", "twenty thousand graphs"],
)
def test_fair_runs_are_found_where_there_are_some(seeds: range) -> None:
    found = 0
    for seed in seeds:
        graph, wanted = draw_graph(seed), draw_question(seed + 1)
        native = graph.native()
        try:
            plain = graph.plain()
            for hardened in (False, True, False):
                if hardened:
                    plain.count_stopped_as_possible()
                    native.count_stopped_as_possible()
                else:
                    plain.count_stopped_as_impossible()
                    native.count_stopped_as_impossible()
                truth = [states for states, _ in fair_sets(plain, wanted)]
                found += bool(truth)
                for answer in (plain.fair_component(wanted), native.fair_component(wanted)):
                    assert agrees(answer, truth), (seed, hardened, answer, truth)
            for bits in range(8):
                stopped = [at for at, word in enumerate(graph.limited_actions) if bits & word]
                first, named = stopped[0] if stopped else None, graph.groups_of(bits)
                assert graph.plain().first_stopped_state(named) == native.first_stopped_state(named) == first, (
                    seed,
                    bits,
                )
            for predicate in range(3):
                ever = any(truth >> predicate & 1 for truth in graph.truths)
                assert graph.plain().is_ever(predicate) == native.is_ever(predicate) == ever, (seed, predicate)
        finally:
            native.close()
    assert len(seeds) * 0.3 < found < len(seeds) * 2.7, "graphs of both kinds are drawn"


def test_a_lasso_is_the_shortest_that_goes_through_its_component() -> None:
    """In 531, 758, 1006 and 1259 to take the nearest missing step each time is longer."""
    tried = 0
    for seed in range(500, 1300):
        graph, wanted = draw_graph(seed).plain(), draw_question(seed + 1)
        component = graph.fair_component(wanted)
        if component is not None:
            made = shortest_lasso(graph, component, wanted)
            assert len(made.way) - len(component.entry) + len(made.loop) == least_steps(graph, component, wanted), seed
            tried += 1
    assert tried > ORDINARY


def test_what_is_always_possible_is_so_in_both_ways() -> None:
    words: set[str] = set()
    for seed in range(ORDINARY):
        graph = draw_graph(seed)
        native = graph.native()
        try:
            for predicate in range(3):
                answer = graph.plain().possibility_of(predicate)
                assert native.possibility_of(predicate) == answer, (seed, predicate)
                assert answer == _shortest_by_trial(graph, predicate), (seed, predicate)
                words.add(answer[0])
        finally:
            native.close()
    assert words == {"always", "stuck", "cut"}


def _shortest_by_trial(graph: RandomGraph, predicate: int) -> tuple[str, int]:
    """By looking from each state at all that it leads to."""
    cut = None
    for state in range(len(graph.steps)):
        reached = {state}
        waiting = [state]
        while waiting:
            for _, target in graph.steps[waiting.pop()]:
                if target not in reached:
                    reached.add(target)
                    waiting.append(target)
        if not any(graph.truths[at] >> predicate & 1 for at in reached):
            if not any(graph.limited_actions[at] for at in reached):
                return "stuck", state
            cut = state if cut is None else cut
    return ("always", 0) if cut is None else ("cut", cut)
