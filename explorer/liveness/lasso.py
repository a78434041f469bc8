"""From states among which a fair run can go on for ever to one such run, short: a way in, and a loop."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from ...language.immutable import immutable
from .graph import Component, Edge, Fair, Graph

BEGINNINGS = 30
"""States of a component at which a loop is tried to begin: those nearest to the way in."""
LARGE = 20_000
"""States of a component from which on one beginning is enough."""


@immutable
class Lasso:
    """A run that goes on for ever. `way` are the states from where it begins to avoid what it avoids to where the loop
    begins; `loop` are the steps from there back to there, none where the run stays there."""

    way: tuple[int, ...]
    loop: tuple[Edge, ...]


def lasso(graph: Graph, component: Component, wanted: Fair) -> Lasso:
    """The shortest of the lassos that are tried: a loop from each beginning takes what is still missing one by one, the
    nearest first."""
    inside, entry = component.inside, component.entry
    most = 1 if len(inside) > LARGE else BEGINNINGS
    found = list[Lasso]()
    for way in _near(graph, inside, entry[-1], most):
        found.append(Lasso((*entry, *(edge.target for edge in way)), tuple(_round(graph, inside, way, entry, wanted))))
    return min(found, key=lambda made: len(made.way) + len(made.loop))


def _near(graph: Graph, inside: frozenset[int], start: int, most: int) -> Iterable[list[Edge]]:
    """The shortest ways within a component to the states nearest to one, that one first."""
    ways: dict[int, list[Edge]] = {start: []}
    queue = deque([start])
    while queue and len(ways) < most:
        at = queue.popleft()
        for edge in graph.edges(at):
            if edge.target in inside and edge.target not in ways and len(ways) < most:
                ways[edge.target] = [*ways[at], edge]
                queue.append(edge.target)
    return ways.values()


def _round(graph: Graph, inside: frozenset[int], way: list[Edge], entry: tuple[int, ...], wanted: Fair) -> list[Edge]:
    """A fair loop from the end of a way."""
    begin = way[-1].target if way else entry[-1]
    steps = list[Edge]()
    at = begin
    while True:
        missing = _Missing(graph, begin, steps, wanted)
        if missing.nothing and at == begin:
            return steps
        if missing.nothing:
            steps += _path(graph, inside, at, lambda edge: edge.target == begin)
        else:
            steps += _path(graph, inside, at, missing.met_by)
        at = steps[-1].target


class _Missing:
    """What a loop does not do yet that a fair one does."""

    def __init__(self, graph: Graph, begin: int, steps: list[Edge], wanted: Fair) -> None:
        states = [begin, *(edge.target for edge in steps)]
        taken = can = 0
        always = (1 << 64) - 1
        for edge in steps:
            taken |= edge.groups
        for state in states:
            can, always = can | graph.enabled(state), always & graph.enabled(state)
        self.graph, self.wanted = graph, wanted
        self.weak, self.strong = wanted.weak & always & ~taken, wanted.strong & can & ~taken
        self.again = wanted.again is not None and not any(graph.false(state, wanted.again) for state in states)

    @property
    def nothing(self) -> bool:
        """Whether the loop is fair as it is."""
        return not self.weak and not self.strong and not self.again

    def met_by(self, edge: Edge) -> bool:
        """Whether a step brings some of it."""
        again = self.wanted.again
        met = (self.weak | self.strong) & edge.groups or self.weak & ~self.graph.enabled(edge.target)
        return bool(met) or (self.again and again is not None and self.graph.false(edge.target, again))


def _path(graph: Graph, inside: frozenset[int], start: int, is_it: Callable[[Edge], bool]) -> list[Edge]:
    """The shortest way within a component whose last step is as wanted; a component has one."""
    before: dict[int, tuple[int, Edge] | None] = {start: None}
    queue = deque([start])
    while queue:
        at = queue.popleft()
        for edge in graph.edges(at):
            if edge.target in inside and is_it(edge):
                way = [edge]
                while (known := before[at]) is not None:
                    at = known[0]
                    way.insert(0, known[1])
                return way
            if edge.target in inside and edge.target not in before:
                before[edge.target] = (at, edge)
                queue.append(edge.target)
    raise AssertionError("in a strongly connected component every step can be come to")
