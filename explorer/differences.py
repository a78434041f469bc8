"""What plain Python says where an engine says something else: the line, the step, and the values on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..language.errors import place_text
from ..language.judge import (
    StoppedStep,
    attempt,
    bindings,
    bound_crossed,
    initial_states,
    instances,
    is_stopped_by_bounds,
    is_terminal,
    steps,
    stop_text,
)
from ..language.model import Action, Model, Property
from ..language.steptext import format_step
from ..language.values import ModelError, State, value_text
from ..language.where import Where

MAX_SHOWN = 4
"""Steps or states of which a message has the values; of the others it has the number."""


def name_with_line(name: str, where: Where) -> str:
    """`rise (model.py:12)`: a part of a model with its line."""
    return f"{name} ({place_text(where)})"


def names_with_lines(properties: Iterable[Property]) -> str:
    """Properties, terminals or bounds with their lines, those without a form left out."""
    return ", ".join(name_with_line(prop.name, prop.form.where) for prop in properties if prop.form is not None)


def property_differs(prop: Property, mine: bool | None, theirs: bool | None, state: State) -> str:
    """What is said where a property has one value in native code and another in plain Python."""
    shown = prop.name if prop.form is None else name_with_line(prop.name, prop.form.where)
    return f"{shown} {_value_text(mine)} natively and {_value_text(theirs)} in plain Python at {state}"


def _value_text(value: bool | None) -> str:
    return "cannot be evaluated" if value is None else f"is {str(value).lower()}"


def starts_text(model: Model) -> str:
    """The functions that give initial states, with their lines, and the first of the states."""
    starts = ", ".join(name_with_line(initial.name, initial.form.where) for initial in model.initials)
    return f"{starts or 'no function'}, which in plain Python gives {_first_texts(map(str, initial_states(model)))}"


def step_says(model: Model, state: State, action: Action, arguments: Mapping[str, Any]) -> str:
    """What becomes of one step in plain Python: `rise(A) (model.py:12) leads to ...`, `is disabled: ...`, `breaks`."""
    shown = name_with_line(format_step(action.name, arguments), action.form.where)
    try:
        after = attempt(model, state, action, arguments)
    except ModelError as error:
        return f"{shown} breaks at {error.where}: {error.message}"
    if isinstance(after, StoppedStep):
        return f"{shown} is {stop_text(model, state, action, arguments, after)}"
    return f"{shown} leads to {after}"


def action_says(model: Model, state: State, action: Action) -> str:
    """What becomes of each instance of an action in plain Python."""
    return _first_texts(step_says(model, state, action, arguments) for arguments in bindings(model, action, state))


def why_no_deadlock(model: Model, state: State) -> str:
    """Why a state is no deadlock in plain Python: a step that is enabled, a limit that stops one, a @terminal."""
    beyond = bound_crossed(model, state)
    if beyond is not None:
        place = next(
            (place_text(bound.form.where) for bound in model.bounds if bound.name == beyond and bound.form), ""
        )
        return f"the state lies beyond @bound {beyond} ({place})"
    for action, arguments in instances(model, state):
        result = attempt(model, state, action, arguments)
        if isinstance(result, State) or is_stopped_by_bounds(action, result):
            return step_says(model, state, action, arguments)
    if is_terminal(model, state):
        return f"a run may end here, by {names_with_lines(model.terminals)}"
    return "nothing can happen"


def describe_steps(model: Model, state: State) -> str:
    """Every step that can be taken in plain Python, and where to; what stops the others, where there is none."""
    found = [step_says(model, state, model.action(step.action), step.arguments) for step in steps(model, state)]
    return _first_texts(found) if found else why_deadlock(model, state)


def why_deadlock(model: Model, state: State) -> str:
    """Why a state is a deadlock in plain Python: what stops each step, and which @terminal predicates are false."""
    stopped = _first_texts(step_says(model, state, action, arguments) for action, arguments in instances(model, state))
    ends = names_with_lines(model.terminals)
    return stopped + (f"\n  and no run may end there, by {ends}" if ends else "")


def fields_that_differ(mine: State, theirs: State, engine: str) -> str:
    """`value is 2 natively and 1 in plain Python`, for each field of two states that is not the same."""
    return "; ".join(
        f"{name} is {value_text(one)} {engine} and {value_text(other)} in plain Python"
        for name, one, other in zip(mine.__match_args__, mine, theirs, strict=True)
        if one != other
    )


def _first_texts(texts: Iterable[str]) -> str:
    every = list(texts)
    more = f"\n  and {len(every) - MAX_SHOWN} more" if len(every) > MAX_SHOWN else ""
    return "\n  ".join(every[:MAX_SHOWN] or ["none"]) + more
