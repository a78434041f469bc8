"""Is there a run of a model that shows what was observed? A search that observations lead, step by step of native code.

An observation says what some fields of the state are. Between two of them any number of steps may happen that change
none of these fields. So what is searched are pairs of a state and how many observations were seen, those first that
have seen most. The search ends with a run, or with the certainty that there is none within the model's bounds, or at a
limit.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeAlias, TypeVar

from ...language import judge
from ...language.immutable import immutable
from ...language.model import Model
from ...language.values import State
from ...language.verdict import DisagreementError, Run, Step
from .frontier import Frontier, decode_words
from .kernels import Kernel, first_kernel
from .masks import field_masks

Words: TypeAlias = tuple[int, ...]
Origin = TypeVar("Origin", bound=Hashable)
MEMORY = 1 << 28
UNLIKELY = 3
"""What is unlikely is supposed once a run without it is behind by so many observations."""


class Observations(Protocol[Origin]):
    """What was observed, one after the other, of a model's states.

    `fields` are those that are observed. An `origin` is what a search carries along with a state: what stands in the
    state for what was observed may depend on how the state was made small.
    """

    @property
    def fields(self) -> Sequence[str]:
        """Names of fields, or of parts of records as in `registered.leader`."""
        ...

    def __len__(self) -> int:
        """How many there are; the first is what every start shows."""
        ...

    def starts(self) -> Iterator[tuple[State, Origin]]:
        """The states in which a run may begin, each with its origin."""
        ...

    def state_showing(self, index: int, state: State, origin: Origin) -> State | None:
        """Some state with the fields as an observation has them; the other fields do not matter. None where no state of
        the model has them."""
        ...

    def which(self, index: int) -> Sequence[int]:
        """The numbers of the models in which an observation may be come to: models that differ in constants alone, none
        of which bounds a state."""
        ...

    def is_of_a_step(self, index: int) -> bool:
        """Whether an observation is one of a step that may leave the fields as they are: as they were seen before."""
        ...

    def may_be_missed(self, index: int) -> bool:
        """Whether the model may go past an observation in one step."""
        ...

    def admits(self, seen_number: int, index: int, before: State, after: State) -> bool:
        """Whether a step may be the one after which, the observation `seen_number` having been the last, one of these
        is seen: for what was observed of the step itself."""
        ...

    def unlikely(self, index: int, before: State, after: State) -> int:
        """How many things that are possible and hardly ever so a step supposes, after which an observation is seen:
        runs without them are searched first."""
        ...

    def renew_state(self, state: State, origin: Origin) -> tuple[State, Origin]:
        """The state from which a search goes on once a state shows the next observation: the same but for what makes
        runs end that go on for long."""
        ...


@immutable
class ObservedLeg(Generic[Origin]):
    """The steps from one observation that was seen to the next: `run` begins in the state as it was renewed, with its
    `origin`, and its last state shows the observation `observation`. All steps are those of one model, whose number it
    has."""

    run: Run
    observation: int
    origin: Origin
    model: int = 0


@immutable
class ObservationAnswer(Generic[Origin]):
    """`last_observation` is the last observation that some run comes to, and `legs` are such a run: one that shows
    every observation, where there is one. Else `instead` are the states, each with its origin, that show something else
    and to which a step leads from there: what the model may do next. `is_exhausted` is whether all runs were looked at:
    where it is False, nothing is known. `states` were looked at, in `seconds`."""

    legs: tuple[ObservedLeg[Origin], ...]
    last_observation: int
    instead: tuple[tuple[State, Origin], ...]
    is_exhausted: bool
    states: int
    seconds: float


@immutable
class _Node(Generic[Origin]):
    """A state as the search holds it, and how it came there: `reached_words` is the state before it was renewed.
    `model` is the number of that in which steps go on."""

    words: Words
    observation: int
    model: int
    origin: Origin
    parent: _Node[Origin] | None
    action: str
    reached_words: Words
    unlikely: int
    faults: int
    steps: int


@dataclass(slots=True)
class _Alternatives(Generic[Origin]):
    """What the model does instead, of the nodes that have seen most."""

    observation: int = -1
    words: dict[tuple[Words, Origin], Words] = field(default_factory=dict[tuple[Words, Origin], Words])

    def note_step(self, node: _Node[Origin], shown_words: Words, words: Words) -> None:
        """A step leads from a node to what shows something else."""
        if node.observation > self.observation:
            self.observation = node.observation
            self.words.clear()
        if node.observation == self.observation:
            self.words.setdefault((shown_words, node.origin), words)


class ObservationSearch(Generic[Origin]):
    """One search. `kernels` are those of the models, and shared by searches of the same; `close` gives memory back."""

    def __init__(self, models: Sequence[Model], observations: Observations[Origin], kernels: Sequence[Kernel]) -> None:
        self.models, self.observations = models, observations
        self.frontiers = [Frontier(kernel.program, kernel.code, MEMORY) for kernel in kernels]
        self.model, self.frontier = models[0], self.frontiers[0]
        self.masks = field_masks(self.model, observations.fields)
        self.faults = frozenset(action.name for action in self.model.actions if action.kind == "fault")
        self.known: set[tuple[int, int, Origin, Words]] = set()
        self.waiting: list[tuple[int, int, int, int, _Node[Origin]]] = []
        self.others: _Alternatives[Origin] = _Alternatives()
        self._shown: dict[tuple[int, Origin], Words | None] = {}

    def close(self) -> None:
        """Gives the memory back."""
        for frontier in self.frontiers:
            frontier.close()

    def answer(self, most_states: int, seconds: float | None) -> ObservationAnswer[Origin]:
        """Searches until a run shows everything, or no run does, or a limit is reached."""
        began, last = time.monotonic(), len(self.observations) - 1
        for state, origin in self.observations.starts():
            words = self.frontier.encode(state)
            for number in self._models_of_next(0):
                self._queue_node(_Node(words, 0, number, origin, None, "", words, 0, 0, 0))
        best: _Node[Origin] | None = None
        expanded = 0
        while self.waiting:
            node = heapq.heappop(self.waiting)[-1]
            best = node if best is None or node.observation > best.observation else best
            if node.observation == last:
                return ObservationAnswer(self._legs_to(node), last, (), True, expanded, time.monotonic() - began)
            if expanded >= most_states or (seconds is not None and time.monotonic() - began > seconds):
                return self._answer_without_run(best, False, expanded, began)
            expanded += 1
            self._expand_node(node)
        return self._answer_without_run(best, True, expanded, began)

    def _answer_without_run(
        self, best: _Node[Origin] | None, is_exhausted: bool, expanded_count: int, began: float
    ) -> ObservationAnswer[Origin]:
        instead = tuple((self._decode_state(words), origin) for (_, origin), words in self.others.words.items())
        seen, legs = (-1, ()) if best is None else (best.observation, self._legs_to(best))
        return ObservationAnswer(legs, seen, instead, is_exhausted, expanded_count, time.monotonic() - began)

    def _expand_node(self, node: _Node[Origin]) -> None:
        made = self.frontiers[node.model].successors(node.words)
        if made is None:
            raise DisagreementError(f"a step from {self._decode_state(node.words)} breaks the model's own types")
        for action, words in made:
            shown = self._project_words(words)
            may_be = self._next_observations(node.observation)
            indices = [index for index in may_be if shown == self._observed_words(node, index)]
            if shown == self._observed_words(node, node.observation):
                self._queue_node(
                    self._node_after(node, action, words, words, node.observation, node.model, node.origin, 0)
                )
                for index in filter(self.observations.is_of_a_step, indices):
                    self._advance_from(node, action, words, index)
                continue
            shows = [self._advance_from(node, action, words, index) for index in indices]
            if not any(shows):
                self.others.note_step(node, shown, words)

    def _next_observations(self, seen_number: int) -> Iterator[int]:
        """The numbers of those that may be seen next."""
        for index in range(seen_number + 1, len(self.observations)):
            yield index
            if not self.observations.may_be_missed(index):
                return

    def _advance_from(self, node: _Node[Origin], action: str, words: Words, seen_number: int) -> bool:
        """Goes on from a state that shows another observation; False where the step cannot be the one that was
        observed."""
        if node.model not in self.observations.which(seen_number):
            return True
        before, after = self._decode_state(node.words), self._decode_state(words)
        if not self.observations.admits(node.observation, seen_number, before, after):
            return False
        renewed, origin = self.observations.renew_state(after, node.origin)
        more = self.observations.unlikely(seen_number, before, after)
        encoded = self.frontier.encode(renewed)
        for number in self._models_of_next(seen_number):
            self._queue_node(self._node_after(node, action, words, encoded, seen_number, number, origin, more))
        return True

    def _models_of_next(self, seen_number: int) -> set[int]:
        """The models in which an observation that may come next is come to; of the last one, its own."""
        last = len(self.observations) - 1
        numbers = {*self.observations.which(min(seen_number + 1, last))}
        for index in range(seen_number + 2, last + 1):
            if not self.observations.may_be_missed(index - 1):
                break
            numbers.update(self.observations.which(index))
        return numbers

    def _node_after(
        self,
        node: _Node[Origin],
        action: str,
        reached_words: Words,
        words: Words,
        seen_number: int,
        model: int,
        origin: Origin,
        more: int,
    ) -> _Node[Origin]:
        faults = node.faults + (action in self.faults)
        return _Node(
            words, seen_number, model, origin, node, action, reached_words, node.unlikely + more, faults, node.steps + 1
        )

    def _observed_words(self, node: _Node[Origin], index: int) -> Words | None:
        """The words of the observed fields as an observation has them, for the origin of a node."""
        key = index, node.origin
        if key not in self._shown:
            state = self.observations.state_showing(index, self._decode_state(node.words), node.origin)
            self._shown[key] = None if state is None else self._project_words(self.frontier.encode(state))
        return self._shown[key]

    def _project_words(self, words: Words) -> Words:
        return tuple(word & mask for word, mask in zip(words, self.masks, strict=True))

    def _decode_state(self, words: Words) -> State:
        return decode_words(self.model, self.frontier.program, words)

    def _queue_node(self, node: _Node[Origin]) -> None:
        key = node.observation, node.model, node.origin, node.words
        if key not in self.known:
            self.known.add(key)
            place = UNLIKELY * node.unlikely - node.observation
            heapq.heappush(self.waiting, (place, node.faults, node.steps, len(self.known), node))

    # --- what was found, in plain Python -----------------------------------------------------------------------------

    def _legs_to(self, node: _Node[Origin]) -> tuple[ObservedLeg[Origin], ...]:
        """The run to a node, every step of it taken by plain Python."""
        path = [node]
        while path[-1].parent is not None:
            path.append(path[-1].parent)
        path.reverse()
        legs, steps, start = list[ObservedLeg[Origin]](), list[Step](), self._decode_state(path[0].words)
        for before, after in itertools.pairwise(path):
            steps.append(self._plain_step(before, after))
            if after.observation > before.observation:
                legs.append(ObservedLeg(Run(start, tuple(steps)), after.observation, before.origin, before.model))
                steps, start = [], self._decode_state(after.words)
        return tuple(legs)

    def _plain_step(self, before: _Node[Origin], after: _Node[Origin]) -> Step:
        state, end = self._decode_state(before.words), self._decode_state(after.reached_words)
        for step in judge.steps(self.models[before.model], state):
            if step.action == after.action and step.state_after == end:
                return step
        raise DisagreementError(f"plain Python takes no step {after.action} from {state} to {end}")


def search(
    models: Sequence[Model],
    observations: Observations[Origin],
    cache: Path | None,
    most_states: int = 1_000_000,
    seconds: float | None = None,
) -> ObservationAnswer[Origin]:
    """Whether a run of the models, each where observations say so, shows the observations. Raises DisagreementError
    where plain Python does not confirm a step of the run that native code found."""
    one = ObservationSearch(models, observations, [first_kernel(model, (), cache) for model in models])
    try:
        return one.answer(most_states, seconds)
    finally:
        one.close()
