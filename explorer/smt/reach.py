"""Whether a run leads to the state in which a counterexample to induction begins: plain Python takes steps from the
initial states of the copy, breadth first, so many and no more."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection

from ...language.judge import attempt, bound_crossed, initial_states, instances
from ...language.model import Model
from ...language.values import ModelError, State
from ...language.verdict import Run, Step

WORK = 20_000
"""So many steps are tried of one copy, those included that cannot be taken."""


class StatesWithinReach:
    """The states of a model that a run leads to, as far as `WORK` goes; `complete` says that these are all."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.complete = False
        self._came: dict[State, tuple[State, Step] | None] = {}
        try:
            self._explore()
        except ModelError:  # the copy breaks its types in a state that can be reached, which is for the proof to say
            self.complete = False

    def __len__(self) -> int:
        return len(self._came)

    def states_by_distance(self) -> Collection[State]:
        """The states, nearest first."""
        return self._came.keys()

    def run_to(self, state: State) -> Run | None:
        """A run of the fewest steps that ends in the state; None if none was met."""
        if state not in self._came:
            return None
        steps = deque[Step]()
        while (came := self._came[state]) is not None:
            state, step = came
            steps.appendleft(step)
        return Run(state, tuple(steps))

    def _explore(self) -> None:
        self._came.update(dict.fromkeys(initial_states(self.model)))
        waiting, tried = deque(self._came), 0
        while waiting and tried < WORK:
            state = waiting.popleft()
            if bound_crossed(self.model, state) is not None:
                continue
            for action, arguments in instances(self.model, state):
                tried += 1
                after = attempt(self.model, state, action, arguments)
                if isinstance(after, State) and after not in self._came:
                    self._came[after] = (state, Step(action.name, arguments, after))
                    waiting.append(after)
        self.complete = not waiting
