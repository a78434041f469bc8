"""One run, chosen step by step with a seed: what a test cluster does, where every step is a step of the model.

The judge takes the steps, so that nothing can happen here that the model does not allow.
"""

from __future__ import annotations

from random import Random
from typing import Protocol

from ..language.judge import initial_states, steps
from ..language.model import Model
from ..language.values import State
from ..language.verdict import Run, Step


class Operator(Protocol):
    """Who decides how likely steps are, and when a run is over."""

    def weigh(self, state: State, step: Step) -> int:
        """How likely a step is beside the others; 0: not now."""
        ...

    def saw(self, state: State, step: Step) -> None:
        """Hears of the step that was taken in a state."""
        ...

    def is_over(self, state: State) -> bool:
        """Whether the run has come to its end."""
        ...


def scheduled(model: Model, operator: Operator, *, seed: int, steps_max: int) -> Run:
    """A run of at most so many steps from the first initial state; the same for the same seed."""
    random, taken = Random(seed), list[Step]()
    start = state = next(initial_states(model))
    while len(taken) < steps_max and not operator.is_over(state):
        choices = list(steps(model, state))
        weights = [operator.weigh(state, step) for step in choices]
        if not any(weights):
            break
        step = random.choices(choices, weights)[0]
        operator.saw(state, step)
        taken.append(step)
        state = step.after
    return Run(start, tuple(taken))
