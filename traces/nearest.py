"""The abstract action that comes nearest to a step which is none of a refinement's abstract model.

    lose(confirmed={}, gone={0}, available=true), of which the guard `may_lose(s.log, ...)` is false

States are compared value by value, inside records, maps, sequences and sets, so that two actions that write the same
record are distinguished by what they make of it. An action that a guard stops is compared by what it would do if its
guards were true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from ..language.guards import PassingProbes, insert_probes
from ..language.immutable import immutable
from ..language.judge import StoppedStep, attempt, bindings, false_guard
from ..language.model import Action, Model, Refinement
from ..language.source import NoSourceError
from ..language.steptext import format_step
from ..language.values import ModelError, State
from .differences import Change, state_changes


@immutable
class NearestAction:
    """The abstract action that comes nearest: either a guard of it is false, or it leads to another state, from which
    `state_changes` lead to the image that was wanted."""

    step: str
    guard: str | None
    changes: tuple[Change, ...]


def nearest_action(refinement: Refinement, image: State, wanted_image: State, action_name: str) -> NearestAction | None:
    """The abstract action that comes nearest to a step of the action `action_name`, of those that it may be: the one
    which leads, or would lead if its guards were true, to a state with the fewest differences from the image after the
    step; of several the one with the fewest false guards. None where there is none that it may be."""
    found = sorted(_candidate_actions(refinement, image, wanted_image, action_name), key=lambda scored: scored[0])
    return found[0][1] if found else None


def _candidate_actions(
    refinement: Refinement, image: State, wanted_image: State, action_name: str
) -> Iterator[tuple[tuple[int, int], NearestAction]]:
    abstract = refinement.abstract
    allowed = refinement.may_be.get(action_name)
    able = [action for action in abstract.actions if allowed is None or action.name in allowed]
    for action in able:
        past = _run_past_guards(action)
        for arguments in bindings(abstract, action, image):
            name = format_step(action.name, arguments)
            try:
                result = attempt(abstract, image, action, arguments)
            except ModelError:
                continue
            if isinstance(result, StoppedStep):
                made, missed = past(abstract, image, arguments)
                guard = false_guard(abstract, image, action, arguments, result)
                distance = len(state_changes(abstract.fields, made, wanted_image)), missed
                yield distance, NearestAction(name, result.bound_name or guard, ())
            else:
                wrong = state_changes(abstract.fields, result, wanted_image)
                yield (len(wrong), 0), NearestAction(name, None, tuple(wrong))


def _run_past_guards(action: Action) -> Callable[[Model, State, Mapping[str, Any]], tuple[State, int]]:
    """What makes the state to which an action would lead if its guards were true, and counts those that are false. The
    state stays as it is where that has no meaning: beyond a bound, or where the action relies on a guard."""
    probes = PassingProbes()
    function: Callable[..., None] | None = None
    with suppress(NoSourceError):
        function, _ = insert_probes(action.run, probes)

    def run_past_guards(model: Model, state: State, arguments: Mapping[str, Any]) -> tuple[State, int]:
        probes.missed = 0
        if function is not None:
            with suppress(ModelError):
                made = attempt(model, state, action, arguments, function)
                if isinstance(made, State):
                    return made, max(probes.missed, 1)
        return state, max(probes.missed, 1)

    return run_past_guards
