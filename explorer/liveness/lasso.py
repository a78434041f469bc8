"""From states among which a fair run can go on for ever to one such run, short: a way in, and a loop."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import TypeAlias

from ...language.immutable import immutable
from .graph import Component, FairnessEdge, FairRunQuestion, Graph

BEGINNINGS = 30
"""States of a component at which a loop is tried to begin: those nearest to the way in."""
LARGE_COMPONENT = 20_000
"""States of a component from which on one beginning is enough."""
LOOKED_AT_MAX = 10_000
"""Beginnings of loops that are looked at for a shorter one. If these are all, the lasso is the shortest."""


@immutable
class Lasso:
    """A run that goes on for ever. `way` are the states from where it begins to avoid what it avoids to where the loop
    begins; `loop` are the steps from there back to there, none where the run stays there."""

    way: tuple[int, ...]
    loop: tuple[FairnessEdge, ...]


def shortest_lasso(graph: Graph, component: Component, fairness: FairRunQuestion) -> Lasso:
    """The shortest lasso that goes through a component from where one comes into it, or what was found by when
    LOOKED_AT_MAX was reached. First a loop from each beginning takes what is still missing one by one, the nearest
    first."""
    inside, entry = component.states, component.entry
    most = 1 if len(inside) > LARGE_COMPONENT else BEGINNINGS
    found = list[Lasso]()
    for way in _ways_to_near_states(graph, inside, entry[-1], most):
        found.append(
            Lasso(
                (*entry, *(edge.target for edge in way)),
                tuple(_fair_loop_from_way(graph, inside, way, entry, fairness)),
            )
        )
    return _shorten_lasso(graph, component, fairness, min(found, key=lambda made: len(made.way) + len(made.loop)))


def _shorten_lasso(graph: Graph, component: Component, fairness: FairRunQuestion, known_lasso: Lasso) -> Lasso:
    """A shorter lasso than one that is known, if one is found: from each state every loop that could be shorter is
    followed, breadth first, with what it has brought so far."""
    inside, entry, left = component.states, component.entry, LOOKED_AT_MAX
    for way in _ways_to_near_states(graph, inside, entry[-1], min(len(inside), left)):
        most = len(known_lasso.way) + len(known_lasso.loop) - len(entry) - len(way) - 1
        if most < 0 or left <= 0:
            return known_lasso
        loop, left = _shortest_fair_loop(graph, inside, way[-1].target if way else entry[-1], fairness, most, left)
        if loop is not None:
            known_lasso = Lasso((*entry, *(edge.target for edge in way)), tuple(loop))
    return known_lasso


def _shortest_fair_loop(
    graph: Graph, region: frozenset[int], begin: int, fairness: FairRunQuestion, most: int, attempts: int
) -> tuple[list[FairnessEdge] | None, int]:
    """The shortest fair loop from a state and back, of so many steps at most; and how many beginnings of loops may be
    looked at after those that were."""
    first = (begin, _progress_after_step(graph, fairness, (0, 0, 0, False), begin, 0))
    before: dict[_LassoNode, tuple[_LassoNode, FairnessEdge] | None] = {first: None}
    layer = [first]
    for _ in range(most + 1):
        for at in layer:
            if at[0] == begin and _is_fair_loop(fairness, at[1]):
                return _path_to_node(before, at), attempts
        following = list[_LassoNode]()
        for at in layer:
            for edge in graph.edges(at[0]):
                if edge.target in region:
                    there = (edge.target, _progress_after_step(graph, fairness, at[1], edge.target, edge.groups))
                    if there not in before:
                        before[there] = (at, edge)
                        following.append(there)
        attempts -= len(layer)
        if attempts <= 0:
            break
        layer = following
    return None, attempts


_FairnessProgress: TypeAlias = tuple[int, int, int, bool]
"""What a way round has brought: the groups that were taken, those that could not happen in some state, those that could
in some, and whether what must be false again and again was."""
_LassoNode: TypeAlias = tuple[int, _FairnessProgress]
"""A state, and what was brought on the way to it."""


def _progress_after_step(
    graph: Graph, fairness: FairRunQuestion, was: _FairnessProgress, state: int, groups: int
) -> _FairnessProgress:
    """What there is after one more step of some groups to a state, in so far as it is wanted."""
    taken, absent, can, again = was
    return (
        taken | groups & (fairness.weak | fairness.strong),
        absent | fairness.weak & ~graph.enabled_groups(state),
        can | fairness.strong & graph.enabled_groups(state),
        again or fairness.again is None or graph.is_false(state, fairness.again),
    )


def _is_fair_loop(fairness: FairRunQuestion, progress: _FairnessProgress) -> bool:
    """Whether a loop that has brought this is fair, and false again and again where it is to be."""
    taken, absent, can, again = progress
    return again and not fairness.weak & ~(absent | taken) and not can & ~taken


def _path_to_node(
    predecessors: dict[_LassoNode, tuple[_LassoNode, FairnessEdge] | None], last_node: _LassoNode
) -> list[FairnessEdge]:
    """The steps on the way to where one has come to."""
    steps = list[FairnessEdge]()
    while (known := predecessors[last_node]) is not None:
        last_node, edge = known
        steps.insert(0, edge)
    return steps


def _ways_to_near_states(graph: Graph, region: frozenset[int], start: int, most: int) -> Iterator[list[FairnessEdge]]:
    """The shortest ways within a component to the states nearest to one, that one first, and so many at most."""
    yield []
    known = {start}
    queue = deque[tuple[int, list[FairnessEdge]]]([(start, [])])
    while queue and len(known) < most:
        at, way = queue.popleft()
        for edge in graph.edges(at):
            if edge.target in region and edge.target not in known and len(known) < most:
                known.add(edge.target)
                queue.append((edge.target, [*way, edge]))
                yield queue[-1][1]


def _fair_loop_from_way(
    graph: Graph, region: frozenset[int], way: list[FairnessEdge], entry: tuple[int, ...], fairness: FairRunQuestion
) -> list[FairnessEdge]:
    """A fair loop from the end of a way."""
    begin = way[-1].target if way else entry[-1]
    steps = list[FairnessEdge]()
    at = begin
    while True:
        missing = _MissingFairness(graph, begin, steps, fairness)
        if missing.is_empty and at == begin:
            return steps
        if missing.is_empty:
            steps += _shortest_path_to_edge(graph, region, at, lambda edge: edge.target == begin)
        else:
            steps += _shortest_path_to_edge(graph, region, at, missing.is_met_in_part_by)
        at = steps[-1].target


class _MissingFairness:
    """What a loop does not do yet that a fair one does."""

    def __init__(self, graph: Graph, begin: int, steps: list[FairnessEdge], fairness: FairRunQuestion) -> None:
        states = [begin, *(edge.target for edge in steps)]
        taken = can = 0
        always = (1 << 64) - 1
        for edge in steps:
            taken |= edge.groups
        for state in states:
            can, always = can | graph.enabled_groups(state), always & graph.enabled_groups(state)
        self.graph, self.wanted = graph, fairness
        self.weak, self.strong = fairness.weak & always & ~taken, fairness.strong & can & ~taken
        self.again = fairness.again is not None and not any(graph.is_false(state, fairness.again) for state in states)

    @property
    def is_empty(self) -> bool:
        """Whether the loop is fair as it is."""
        return not self.weak and not self.strong and not self.again

    def is_met_in_part_by(self, edge: FairnessEdge) -> bool:
        """Whether a step brings some of it."""
        again = self.wanted.again
        met = (self.weak | self.strong) & edge.groups or self.weak & ~self.graph.enabled_groups(edge.target)
        return bool(met) or (self.again and again is not None and self.graph.is_false(edge.target, again))


def _shortest_path_to_edge(
    graph: Graph, region: frozenset[int], start: int, is_it: Callable[[FairnessEdge], bool]
) -> list[FairnessEdge]:
    """The shortest way within a component whose last step is as wanted; a component has one."""
    before: dict[int, tuple[int, FairnessEdge] | None] = {start: None}
    queue = deque([start])
    while queue:
        at = queue.popleft()
        for edge in graph.edges(at):
            if edge.target in region and is_it(edge):
                way = [edge]
                while (known := before[at]) is not None:
                    at = known[0]
                    way.insert(0, known[1])
                return way
            if edge.target in region and edge.target not in before:
                before[edge.target] = (at, edge)
                queue.append(edge.target)
    raise AssertionError("in a strongly connected component every step can be come to")
