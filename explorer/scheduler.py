"""One run, chosen step by step with a seed: what a test cluster does, where every step is a step of the model.

The judge takes the steps, so that nothing can happen here that the model does not allow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Protocol

from ..language.immutable import immutable
from ..language.judge import initial_states, steps
from ..language.model import Model
from ..language.values import ModelError, State
from ..language.verdict import Run, Step


@immutable
class ScheduledRun:
    """A run as far as it went. `ended_by_itself` is whether it ended by itself: no step was possible, or the operator
    ended it; `error` is what the next step broke, where one broke the model."""

    run: Run
    ended_by_itself: bool = False
    error: ModelError | None = None


class Operator(Protocol):
    """Decides which of the possible steps is taken."""

    def choose(self, random: Random, state: State, possible: Sequence[Step]) -> Step | None:
        """One of the steps that are possible in a state, at least one; None ends the run. The only chance is in
        `random`, so that the same seed gives the same run."""
        ...


class RandomOperator:
    """Takes any step: first whether it is a fault, with a probability from 0 to 1 where both are possible, then which
    action, then with which arguments. With a probability of 0 a fault never happens."""

    def __init__(self, model: Model, faults: float) -> None:
        if not 0 <= faults <= 1:
            raise ValueError(f"faults={faults} is not a probability: it must be from 0 to 1")
        self._faults = faults
        self._kinds = {action.name: action.kind for action in model.actions}

    def choose(self, random: Random, state: State, possible: Sequence[Step]) -> Step | None:
        """A step, as drawn."""
        wants_fault = random.random() < self._faults
        fitting = [step for step in possible if (self._kinds[step.action] == "fault") == wants_fault]
        if not fitting and self._faults == 0:
            return None
        fitting = fitting or list(possible)
        action = random.choice(list(dict.fromkeys(step.action for step in fitting)))
        return random.choice([step for step in fitting if step.action == action])


def schedule_run(
    model: Model,
    operator: Operator,
    *,
    seed: int,
    steps_max: int,
    heard: Callable[[State, Step], Any] | None = None,
) -> ScheduledRun:
    """A run of at most so many steps, the same for the same seed, which draws the initial state too.

    `heard` is called with the state before each step and the step.
    """
    random, taken = Random(seed), list[Step]()
    start = state = random.choice(list(initial_states(model)))
    while len(taken) < steps_max:
        try:
            possible = list(steps(model, state))
        except ModelError as error:
            return ScheduledRun(Run(start, tuple(taken)), error=error)
        step = operator.choose(random, state, possible) if possible else None
        if step is None:
            return ScheduledRun(Run(start, tuple(taken)), ended_by_itself=True)
        if heard is not None:
            heard(state, step)
        taken.append(step)
        state = step.state_after
    return ScheduledRun(Run(start, tuple(taken)))
