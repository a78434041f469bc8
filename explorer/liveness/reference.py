"""A graph held in plain Python, and the search in it, with networkx: what native code is tested against, and what the
plain engine uses. For graphs that a person could look at."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, cast

from .graph import Component, FairnessEdge, FairRunQuestion, PossibilityWord


class PlainGraph:
    """A graph given by lists: each state's steps, as bits the predicates that are true in it and the actions' groups
    that a limit stops in it, and the actions of which a limit stops a step there. Steps that change nothing are left
    out. The first states, so many as `initials`, are the initial ones."""

    def __init__(
        self,
        steps: Sequence[Sequence[FairnessEdge]],
        truths: Sequence[int],
        stopped_truths: Sequence[int],
        held_actions: Sequence[Collection[str]],
        initials: int,
    ) -> None:
        self.initials = initials
        self.steps = [[edge for edge in mine if edge.target != state] for state, mine in enumerate(steps)]
        self.truths, self.stopped, self.held = truths, stopped_truths, held_actions
        self.soft = [_bit_union(edge.groups for edge in mine) for mine in self.steps]
        self.hard = [can | more for can, more in zip(self.soft, stopped_truths, strict=True)]
        self.can = self.soft

    @property
    def size(self) -> int:
        """How many states there are."""
        return len(self.steps)

    @property
    def is_exact(self) -> bool:
        """It is known of each action in which states a limit stops it."""
        return True

    def edges(self, state: int) -> Iterable[FairnessEdge]:
        """The steps from a state that change it."""
        return self.steps[state]

    def enabled_groups(self, state: int) -> int:
        """The groups that can happen in a state."""
        return self.can[state]

    def is_false(self, state: int, predicate: int) -> bool:
        """Whether a predicate is false in a state."""
        return not self.truths[state] >> predicate & 1

    def count_stopped_as_possible(self) -> None:
        """From now on a step that a limit stops counts as one that can happen."""
        self.can = self.hard

    def count_stopped_as_impossible(self) -> None:
        """From now on a step that a limit stops counts as one that cannot happen, as at first."""
        self.can = self.soft

    def possibility_of(self, predicate: int) -> tuple[PossibilityWord, int]:
        """Whether a predicate can always become true."""
        sources = self._sources()
        good = _closure([at for at in range(self.size) if not self.is_false(at, predicate)], lambda at: sources[at])
        if len(good) == self.size:
            return "always", 0
        cut = _closure([at for at in range(self.size) if self.held[at]], lambda at: sources[at])
        lost = [at for at in range(self.size) if at not in good]
        stuck = [at for at in lost if at not in cut]
        return ("stuck", stuck[0]) if stuck else ("cut", lost[0])

    def is_ever(self, predicate: int, initials_only: bool = False) -> bool:
        """Whether a predicate is true in some state, or with `initials_only` in some initial one."""
        return any(truth >> predicate & 1 for truth in self.truths[: self.initials if initials_only else None])

    def first_stopped_state(self, actions: Collection[str]) -> int | None:
        """The first state in which a limit stops a step of some of these actions."""
        return next((at for at, held in enumerate(self.held) if not set(actions).isdisjoint(held)), None)

    def _sources(self) -> list[list[int]]:
        """The states that the steps to each state come from."""
        sources: list[list[int]] = [[] for _ in self.steps]
        for state, mine in enumerate(self.steps):
            for edge in mine:
                sources[edge.target].append(state)
        return sources

    def fair_component(self, fairness: FairRunQuestion) -> Component | None:
        """States among which a run goes on for ever as it is looked for."""
        avoid = fairness.avoid
        region = [at for at in range(self.size) if avoid is None or self.is_false(at, avoid)]
        before: dict[int, int | None] = dict.fromkeys(region)
        if fairness.reached_from is not None:
            last = self.initials if fairness.initial_only else self.size
            begins = [at for at in region if at < last and not self.is_false(at, fairness.reached_from)]
            before = _breadth_first_origins(begins, lambda at: [edge.target for edge in self.steps[at]], set(region))
        found = min(self._fair_components(set(before), fairness), key=min, default=None)
        if found is None:
            return None
        path = [next(at for at in before if at in found)]
        while (source := before[path[0]]) is not None:
            path.insert(0, source)
        return Component(tuple(path), frozenset(found))

    def _fair_components(self, region: set[int], fairness: FairRunQuestion) -> Iterator[set[int]]:
        """The components among some states that hold a fair run, as Emerson and Lei 1987 find them: where strong
        fairness is not met, the states in which what it is about can happen are left out."""
        import networkx  # which takes longer to load than all of ours

        graph: Any = networkx.DiGraph()
        graph.add_nodes_from(region)
        graph.add_edges_from((at, edge.target) for at in region for edge in self.steps[at] if edge.target in region)
        components: Any = networkx.strongly_connected_components(graph)  # pyright: ignore
        for found in cast(Iterable[set[int]], components):
            taken = _bit_union(edge.groups for at in found for edge in self.steps[at] if edge.target in found)
            absent = _bit_union(~self.can[at] for at in found)
            again = fairness.again is None or any(self.is_false(at, fairness.again) for at in found)
            if fairness.weak & ~(absent | taken) or not again:
                continue
            refused = fairness.strong & _bit_union(self.can[at] for at in found) & ~taken
            if not refused:
                yield found
            else:
                yield from self._fair_components({at for at in found if not self.can[at] & refused}, fairness)


def _bit_union(words: Iterable[int]) -> int:
    total = 0
    for word in words:
        total |= word
    return total


def _closure(seeds: Iterable[int], neighbours: Callable[[int], Iterable[int]]) -> set[int]:
    return set(_breadth_first_origins(seeds, neighbours, None))


def _breadth_first_origins(
    seeds: Iterable[int], neighbours: Callable[[int], Iterable[int]], region: Collection[int] | None
) -> dict[int, int | None]:
    """What is reached from some states, breadth first, each with the state that it was reached from."""
    before: dict[int, int | None] = dict.fromkeys(seeds)
    queue = deque(before)
    while queue:
        at = queue.popleft()
        for there in neighbours(at):
            if there not in before and (region is None or there in region):
                before[there] = at
                queue.append(there)
    return before
