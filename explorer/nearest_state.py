"""The nearest state, from one that somebody is looking at, in which a property fails or a witness is reached: found by
the native engine, breadth first, and taken again by plain Python.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ..language.immutable import immutable
from ..language.model import Initial, Model, Property
from ..language.values import State
from ..language.verdict import Failure, Run
from .search import Report, Search

START_MARK = "(here)"
"""What the beginning of such a search is called: no function's name, by which the judge remembers arguments."""


@immutable
class NearestState:
    """What a search from a state came to. `run` begins there and ends in the nearest state that was asked for; None
    where none was found. `states` is how many distinct ones it looked at; `stop_reason` why it did not look at all that
    can be reached within the bounds, and "" where it did. `failure` is a step that breaks the model, where one ended
    the search."""

    run: Run | None
    states: int
    stop_reason: str = ""
    failure: Failure | None = None


def find_nearest_state(
    model: Model, state: State, prop: Property, search: Search, report: Report | None = None
) -> NearestState:
    """The shortest run from a state to where an invariant or a transition fails, or a witness is reached. ValueError
    for a property that this model cannot evaluate."""
    if not prop.applicable:
        raise ValueError(f"{prop.name} reads ghosts that this model does not have, or a constant is open")
    from .native.search import check  # which takes a moment to import

    begun = _model_from(model, state, prop)
    verdict = check(
        begun, replace(search, deadlocks=False, keep_going=False), report, lambda decided, _: prop.name in decided
    )
    found = next(result for result in verdict.properties if result.name == prop.name)
    states = verdict.distinct_states or 0
    if found.run is not None:
        return NearestState(found.run, states)
    if found.verdict in ("holds", "missing") and verdict.failure is None:
        return NearestState(None, states)
    why = verdict.assurance
    return NearestState(None, states, why if verdict.failure is None else verdict.failure.message, verdict.failure)


def _model_from(model: Model, state: State, prop: Property) -> Model:
    """The model with one initial state and one property."""
    first = model.initials[0]
    form = replace(first.form, parameters=())
    start = Initial(START_MARK, first.doc, form, partial(_same_state, state))
    return replace(model, initials=(start,), properties=(prop,), lemmas=(), liveness=())


def _same_state(state: State) -> State:
    return state
