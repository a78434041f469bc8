"""Random small graphs with groups of steps, and what is so of their runs by trying every set of steps: for what the
search for fair runs is tested against."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import networkx
from tidegate.explorer.liveness.graph import Component, FairnessEdge, FairRunQuestion
from tidegate.explorer.liveness.reference import PlainGraph
from tidegate.explorer.native.network import Network


@dataclass
class RandomGraph:
    """A graph: the actions of each state's steps and where they lead, the groups of each action, what is true in each
    state and which actions a limit stops there, bits all, and how many states are initial."""

    steps: list[list[tuple[int, int]]]
    groups: tuple[int, ...]
    truths: list[int]
    limited_actions: list[int]
    initials: int

    def plain(self) -> PlainGraph:
        """It in plain Python."""
        steps = [[FairnessEdge(target, self.groups[action]) for action, target in mine] for mine in self.steps]
        stopped = [
            sum(self.groups[action] for action in range(len(self.groups)) if word >> action & 1) if word else 0
            for word in self.limited_actions
        ]
        return PlainGraph(
            steps, self.truths, stopped, [self.groups_of(word) for word in self.limited_actions], self.initials
        )

    def groups_of(self, word: int) -> set[str]:
        """The names of some actions."""
        return {str(action) for action in range(len(self.groups)) if word >> action & 1}

    def native(self) -> Network:
        """It in native memory."""
        names = tuple(str(action) for action in range(len(self.groups)))
        made = Network(len(self.steps), sum(map(len, self.steps)), self.groups, names, self.initials, None)
        edges = 0
        for state, mine in enumerate(self.steps):
            made.set_word("OFFSETS", state, edges)
            enabled = 0
            for action, target in mine:
                if target != state:
                    made.set_half("TARGETS", edges, target)
                    made.set_half("LABELS", edges, action)
                    enabled |= self.groups[action]
                    edges += 1
            made.set_word("ENABLED", state, enabled)
            made.set_word("TRUTHS", state, self.truths[state])
            made.set_word("STOPPED", state, self.limited_actions[state])
        made.set_word("OFFSETS", len(self.steps), edges)
        return made


def draw_graph(seed: int) -> RandomGraph:
    """A graph of at most five states and seven steps. An action belongs to one group at most, or to none."""
    chance = random.Random(seed)
    states, actions = chance.randint(1, 5), chance.randint(1, 4)
    groups = tuple(chance.choice((0, 1, 2, 4)) for _ in range(actions))
    steps: list[list[tuple[int, int]]] = [[] for _ in range(states)]
    for _ in range(chance.randint(0, 7)):
        step = (chance.randrange(actions), chance.randrange(states))
        mine = steps[chance.randrange(states)]
        if step not in mine:
            mine.append(step)
    stopped = [chance.choice((0, 0, 0, 1 << chance.randrange(actions))) for _ in range(states)]
    truths = [chance.randrange(8) for _ in range(states)]
    return RandomGraph(steps, groups, truths, stopped, chance.randint(1, states))


def draw_question(seed: int) -> FairRunQuestion:
    """What to look for in such a graph."""
    chance = random.Random(seed)
    avoid, after, again = (chance.choice((None, predicate)) for predicate in range(3))
    demands = [chance.choice(("none", "weak", "strong")) for _ in range(3)]
    weak, strong = (sum(1 << at for at, word in enumerate(demands) if word == kind) for kind in ("weak", "strong"))
    return FairRunQuestion(avoid, after, again, weak, strong, chance.random() < 0.3)


def fair_sets(
    graph: PlainGraph, wanted: FairRunQuestion
) -> Iterator[tuple[frozenset[int], Sequence[tuple[int, FairnessEdge]]]]:
    """The states and steps that some run as it is looked for takes again and again: every set of steps that one can go
    round in is tried, and every state to stay in."""
    every = [(at, edge) for at in range(graph.size) for edge in graph.edges(at)]
    chosen = itertools.chain.from_iterable(itertools.combinations(every, count) for count in range(1, len(every) + 1))
    candidates: list[tuple[frozenset[int], Sequence[tuple[int, FairnessEdge]]]] = [
        (frozenset({at}), ()) for at in range(graph.size)
    ]
    for steps in chosen:
        turned: Any = networkx.DiGraph()
        turned.add_edges_from((at, edge.target) for at, edge in steps)
        if networkx.is_strongly_connected(turned):  # pyright: ignore
            candidates.append((frozenset(turned), steps))
    region = _region(graph, wanted)
    for states, steps in candidates:
        if states <= region and _is_fair(graph, wanted, states, steps):
            yield states, steps


def least_steps(graph: PlainGraph, component: Component, wanted: FairRunQuestion) -> float:
    """How many steps the shortest lasso has that goes through a component: every run is tried, with all the states and
    groups that it has been through, and no thought is given to which of them matter."""
    to_begin = {component.entry[-1]: 0}
    for at in (queue := [component.entry[-1]]):
        for edge in graph.edges(at):
            if edge.target in component.states and edge.target not in to_begin:
                to_begin[edge.target] = to_begin[at] + 1
                queue.append(edge.target)
    return min(way + _least_round(graph, component, wanted, begin) for begin, way in to_begin.items())


def _least_round(graph: PlainGraph, component: Component, wanted: FairRunQuestion, begin: int) -> float:
    layer = {(begin, frozenset({begin}), 0)}
    known = set(layer)
    for count in itertools.count():
        if not layer:
            return math.inf
        for at, states, groups in layer:
            if at == begin and _is_fair(graph, wanted, states, [(at, FairnessEdge(at, groups))]):
                return count
        layer = {
            (edge.target, states | {edge.target}, groups | edge.groups)
            for at, states, groups in layer
            for edge in graph.edges(at)
            if edge.target in component.states
        } - known
        known |= layer
    raise AssertionError


def _region(graph: PlainGraph, wanted: FairRunQuestion) -> set[int]:
    inside = {at for at in range(graph.size) if wanted.avoid is None or graph.is_false(at, wanted.avoid)}
    if wanted.reached_from is None:
        return inside
    turned: Any = networkx.DiGraph()
    turned.add_nodes_from(inside)
    turned.add_edges_from((at, edge.target) for at in inside for edge in graph.edges(at) if edge.target in inside)
    last = graph.initials if wanted.initial_only else graph.size
    begins = [at for at in inside if at < last and not graph.is_false(at, wanted.reached_from)]
    return {there for at in begins for there in (at, *_descendants(turned, at))}


def _descendants(graph: Any, state: int) -> set[int]:
    return networkx.descendants(graph, state)  # pyright: ignore


def _is_fair(
    graph: PlainGraph, wanted: FairRunQuestion, states: frozenset[int], steps: Sequence[tuple[int, FairnessEdge]]
) -> bool:
    if wanted.again is not None and not any(graph.is_false(at, wanted.again) for at in states):
        return False
    for bit in range(3):
        taken = any(edge.groups >> bit & 1 for _, edge in steps)
        can = [graph.enabled_groups(at) >> bit & 1 for at in states]
        if wanted.weak >> bit & 1 and all(can) and not taken:
            return False
        if wanted.strong >> bit & 1 and any(can) and not taken:
            return False
    return True


def agrees(component: Component | None, truth: Sequence[frozenset[int]]) -> bool:
    """Whether what a search found is so: something where there is something, and then states that hold a fair run."""
    if component is None:
        return not truth
    return any(states <= component.states for states in truth)
