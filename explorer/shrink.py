"""Making a run shorter and calmer, for one that no breadth-first search found: a walk's, or a solver's.

    shorter = shrunk(model, run, prop)

First steps are deleted, many at once and then one by one, while the same property still fails; a step that is no longer
enabled without them goes too. Then neighbours that do not depend on each other are exchanged, so that one replica does
as much as possible in a row. Every run that is considered is taken by the judge, from the same initial state.

The result fails the property at its last step and nowhere before, no single step of it can be left out, and it is the
same each time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..language.judge import StoppedStep, attempt, holds_after_step
from ..language.model import Model, Property
from ..language.values import ModelError, State
from ..language.verdict import Run, Step
from ..traces.document import lanes_of


class NotFailingError(Exception):
    """The run to shrink does not fail the property."""


def shrink_run(model: Model, run: Run, prop: Property) -> Run:
    """A run from the same state that fails the same property: 1-minimal, with few switches between lanes.

    Raises NotFailingError when the run does not fail it.
    """
    best = _shorten_to_failure(model, run, prop)
    if best is None:
        raise NotFailingError(prop.name)
    while True:
        shorter = _drop_needless_steps(model, best, prop)
        calmer = _reduce_switches(model, shorter, prop)
        if _length_and_switches(model, calmer) == _length_and_switches(model, best):
            return best
        best = calmer


def lane_switches(model: Model, run: Run) -> int:
    """How often the run goes over from one lane to another."""
    lanes = lanes_of(model, run)
    return sum(1 for one, other in itertools.pairwise(lanes) if one != other)


def _length_and_switches(model: Model, run: Run) -> tuple[int, int]:
    return len(run.steps), lane_switches(model, run)


# --- what a sequence of steps comes to --------------------------------------------------------------------------------

_NamedSteps = Sequence[tuple[str, Mapping[str, Any]]]


def _names_and_arguments(steps: Iterable[Step]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(step.action, step.arguments) for step in steps]


def _run_until_failure_of(
    model: Model, start: State, named_steps: _NamedSteps, prop: Property, *, leave_out: bool
) -> Run | None:
    """The run of these steps until the property fails; None when it does not, or when a step is not enabled and may not
    be left out."""
    state, steps = start, list[Step]()
    if prop.kind != "transition" and _is_failure(model, prop, state, None):
        return Run(start, ())
    for name, arguments in named_steps:
        after = _state_after(model, state, name, arguments)
        if after is None:
            if leave_out:
                continue
            return None
        steps.append(Step(name, arguments, after))
        if _is_failure(model, prop, state, after, name):
            return Run(start, tuple(steps))
        state = after
    return None


def _state_after(model: Model, state: State, name: str, arguments: Mapping[str, Any]) -> State | None:
    """The state after a step; None when it cannot be taken."""
    action = model.action(name)
    for parameter in action.form.parameters:
        if parameter.pool is not None and arguments[parameter.name] not in getattr(state, parameter.pool):
            return None
    try:
        after = attempt(model, state, action, arguments)
    except ModelError:
        return None
    return None if isinstance(after, StoppedStep) else after


def _is_failure(model: Model, prop: Property, before: State, after: State | None, action: str | None = None) -> bool:
    try:
        return not holds_after_step(model, prop, before, after, action=action)
    except ModelError:
        return False


def _shorten_to_failure(model: Model, run: Run, prop: Property) -> Run | None:
    return _run_until_failure_of(model, run.start, _names_and_arguments(run.steps), prop, leave_out=False)


# --- fewer steps ------------------------------------------------------------------------------------------------------


def _drop_needless_steps(model: Model, run: Run, prop: Property) -> Run:
    """Deletes steps, in pieces of half the run first, until no single one can go."""
    size = max(1, len(run.steps) // 2)
    while run.steps:  # none are left when the property fails in the initial state
        shorter = _leave_out_piece(model, run, prop, size)
        if shorter is not None:
            run = shorter
            size = min(size, max(1, len(run.steps) // 2))
        elif size == 1:
            break
        else:
            size //= 2
    return run


def _leave_out_piece(model: Model, run: Run, prop: Property, size: int) -> Run | None:
    """The run without its first piece of some size that can be spared, pieces at the end being tried first."""
    given = _names_and_arguments(run.steps)
    for start in range(max(0, len(given) - size), -1, -1 if size == 1 else -max(1, size // 2)):
        shorter = _run_until_failure_of(model, run.start, given[:start] + given[start + size :], prop, leave_out=True)
        if shorter is not None:
            return shorter
    return None


# --- fewer switches ---------------------------------------------------------------------------------------------------


def _reduce_switches(model: Model, run: Run, prop: Property) -> Run:
    """Moves steps back to the step of their lane before them, as long as that saves a switch."""
    while True:
        calmer = _move_steps(model, run, prop)
        if calmer is None:
            return run
        run = calmer


def _move_steps(model: Model, run: Run, prop: Property) -> Run | None:
    """The run with the first move that saves a switch and changes nothing else: one step, or a row of one lane's."""
    lanes, given = lanes_of(model, run), _names_and_arguments(run.steps)
    before = lane_switches(model, run)
    for at in range(len(given)):
        end = at + 1
        while end < len(given) and lanes[end] == lanes[at]:
            end += 1
        for target in range(at - 1, -1, -1):
            if lanes[target] != lanes[at]:
                continue
            moved = [*given[: target + 1], *given[at:end], *given[target + 1 : at], *given[end:]]
            calmer = _run_until_failure_of(model, run.start, moved, prop, leave_out=False)
            if calmer is not None and len(calmer.steps) == len(given) and lane_switches(model, calmer) < before:
                return calmer
            break
    return None
