"""Runs of the model with which every pair of actions that one can follow the other is taken: the shortest ones there
are within small bounds.

All states within the bounds are looked at by native code, so that a pair of which there is no run is one that the model
has not within them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from ...explorer.cache import cache_directory
from ...explorer.native.frontier import Frontier, decode_words
from ...explorer.native.kernels import first_kernel
from ...language import judge
from ...language.immutable import immutable
from ...language.model import Model
from ...language.values import State
from ...language.verdict import DisagreementError, Run, Step

Pair: TypeAlias = tuple[str, str]
Words: TypeAlias = tuple[int, ...]
BOUNDS = {"max_epoch": 2, "max_records": 1, "crashes": 1, "wipes": 0}
"""What all states are looked at within."""
MEMORY = 1 << 26
MOST_TRIED = 200
"""How many runs with a pair are looked at for one that Kafka's code can be brought to."""


@immutable
class Coverage:
    """The runs, the pairs that they have, and those that the model has within the bounds and of which no run that was
    looked at can be taken on Kafka's code."""

    runs: tuple[Run, ...]
    pairs: frozenset[Pair]
    not_driven: frozenset[Pair]


def covering_runs(model: Model, is_taken: Callable[[Sequence[State], Sequence[Step]], bool]) -> Coverage:
    """The runs that cover all pairs of a model's actions. `is_taken` says of states and the steps between them whether
    Kafka's code can be brought to the last of these."""
    graph = ReachableStates(model)
    runs, covered, left_out = list[Run](), set[Pair](), set[Pair]()
    for pair, places in sorted(graph.places_of_pairs().items(), key=lambda one: (-graph.depth(one[1][0][0]), one[0])):
        if pair in covered:
            continue
        run = next(filter(None, (graph.run_of(place, pair, is_taken) for place in places)), None)
        if run is None:
            left_out.add(pair)
        else:
            runs.append(run)
            covered |= pairs_of([step.action for step in run.steps])
    return Coverage(tuple(runs), frozenset(covered), frozenset(left_out - covered))


def pairs_of(actions: Sequence[str]) -> set[Pair]:
    """The pairs of actions one after the other; the first follows "", the start."""
    return set(zip(["", *actions], actions, strict=False))


class ReachableStates:
    """All states of a model within its bounds, with how each was come to first, and by which actions at all."""

    def __init__(self, model: Model) -> None:
        kernel = first_kernel(model, (), cache_directory())
        self._model, self._program = model, kernel.program
        frontier = Frontier(kernel.program, kernel.code, MEMORY)
        try:
            start = frontier.encode(next(judge.initial_states(model)))
            self._came: dict[Words, tuple[Words, str] | None] = {start: None}
            self._before: dict[Words, dict[str, Words]] = {start: {}}
            self._after: dict[Words, dict[str, Words]] = {}
            self._runs: dict[Words, Run | None] = {start: Run(next(judge.initial_states(model)), ())}
            self._look_at_all(frontier, start)
        finally:
            frontier.close()

    def _look_at_all(self, frontier: Frontier, start: Words) -> None:
        waiting = deque([start])
        while waiting:
            words = waiting.popleft()
            made = frontier.successors(words)
            if made is None:
                raise DisagreementError(f"a step from {self._state(words)} breaks the model's own types")
            after = self._after[words] = {}
            for action, reached in made:
                after.setdefault(action, reached)
                self._before.setdefault(reached, {}).setdefault(action, words)
                if reached not in self._came:
                    self._came[reached] = words, action
                    waiting.append(reached)

    def places_of_pairs(self) -> Mapping[Pair, list[tuple[Words, Words, Words]]]:
        """Of each pair, where it is taken: three states in a row. Those that are come to soonest come first."""
        found: dict[Pair, list[tuple[Words, Words, Words]]] = {}
        for words, after in self._after.items():
            for first, before in self._before[words].items():
                for then, reached in after.items():
                    places = found.setdefault((first, then), [])
                    if len(places) < MOST_TRIED:
                        places.append((before, words, reached))
        return found

    def depth(self, words: Words) -> int:
        """How many steps there are to a state."""
        steps = 0
        while (came := self._came[words]) is not None:
            words, steps = came[0], steps + 1
        return steps

    def run_of(
        self,
        place: tuple[Words, Words, Words],
        pair: Pair,
        is_taken: Callable[[Sequence[State], Sequence[Step]], bool],
    ) -> Run | None:
        """The shortest run to a place with a pair; None where Kafka's code cannot be brought to one of its steps."""
        before, words, reached = place
        found = self._run_to(before, is_taken)
        for action, after in ((pair[0], words), (pair[1], reached)):
            found = None if found is None else self._longer(found, action, after, is_taken)
        return found

    def _run_to(self, words: Words, is_taken: Callable[[Sequence[State], Sequence[Step]], bool]) -> Run | None:
        """The run with which a state was come to first; None where it cannot be taken."""
        if words not in self._runs:
            came = self._came[words]
            assert came is not None, "that to the start is there from the beginning"
            before = self._run_to(came[0], is_taken)
            self._runs[words] = None if before is None else self._longer(before, came[1], words, is_taken)
        return self._runs[words]

    def _longer(
        self, run: Run, action: str, words: Words, is_taken: Callable[[Sequence[State], Sequence[Step]], bool]
    ) -> Run | None:
        """A run with one step more; None where that cannot be taken."""
        states, end = run.states(), self._state(words)
        for step in judge.steps(self._model, states[-1]):
            if (step.action, step.state_after) == (action, end):
                return Run(run.start, (*run.steps, step)) if is_taken(states, (*run.steps, step)) else None
        raise DisagreementError(f"plain Python takes no step {action} from {states[-1]} to {end}")

    def _state(self, words: Words) -> State:
        return decode_words(self._model, self._program, words)
