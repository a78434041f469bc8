"""Why a model does not refine another: the steps of a run, beside each the abstract step that it is, and at the last
what the nearest abstract action would have needed.

    In short: A minute passes (step 6). For this to be advance of hour_clock, hour would have to be 2 and is 3.
    - Steps 1 to 3 stutter.
    - tick is advance of hour_clock: hour: 0 -> 1.
    - tick stutters.
    However, no action of hour_clock does this: hour: 1 -> 3. The nearest is advance: for it hour would have to be 2 and
      is 3.

Of an abstract state only what changes is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from ..language.declare import STUTTERS
from ..language.judge import holds, is_initial
from ..language.model import Model, Property, Refinement
from ..language.refinement import step_between_images, step_of_any_action
from ..language.steptext import format_step
from ..language.values import ModelError, State, value_text
from ..language.verdict import Run, Step
from .differences import Change, state_changes, state_to_json
from .nearest import NearestAction, nearest_action
from .sentences import step_sentence
from .type_text import type_to_json

Document = dict[str, Any]


def truth_of_refinement(model: Model, prop: Property, run: Run, *, anywhere: bool = False) -> str:
    """A refinement along a run: of its initial state, then of each step: `1`, `0`, or `-` where an image cannot be
    made, and for the first state of a run that begins `anywhere`."""
    assert prop.refinement is not None, "another property says nothing of initial states alone"
    if not prop.applicable:
        return "-" * len(run.states())
    first = "-" if anywhere else _truth_character(partial(holds, model, prop, run.start))
    ends = zip(run.states(), run.steps, strict=False)
    truths = (
        _truth_character(partial(holds, model, prop, before, step.state_after, action=step.action))
        for before, step in ends
    )
    return first + "".join(truths)


def _truth_character(question: Callable[[], bool]) -> str:
    try:
        return "1" if question() else "0"
    except ModelError:
        return "-"


def refinement_claim(refinement: Refinement, states: Sequence[State], action: str | None) -> str:
    """What is false of an initial state, or of the two ends of a step of an action: a sentence over abstract states."""
    images, name = [refinement.image(state) for state in states], refinement.abstract.name
    if len(images) == 1:
        return f"{images[0]!r} is an initial state of {name}"
    changed = _abstract_changes_text(refinement, *images)
    if action is not None and action in refinement.may_be:
        return f"{_allowed_actions_text(refinement, action)}, and does this: {changed}"
    return f"{name} takes a step that does this: {changed}"


def refinement_lane(prop: Property, run: Run, *, anywhere: bool = False) -> Document:
    """What an abstract model does along a run: its states by the number of the state that has this image, each where it
    differs from the one before; and its steps by the number of the step that is one. A step that is not there stutters,
    and one that is none of the abstract model's is None. So are step 0, where the run begins in no initial state of it
    and may not begin `anywhere`, and an image that cannot be made."""
    refinement = prop.refinement
    assert refinement is not None, "another property has no abstract model"
    states, steps = dict[str, Any](), dict[str, str | None]()
    last: State | None = None
    for number, state in enumerate(run.states()):
        try:
            image = refinement.image(state)
            if last is None:
                found = STUTTERS if anywhere or is_initial(refinement.abstract, image) else None
            else:
                found = step_between_images(refinement, last, image, run.steps[number - 1].action)
        except ModelError:
            states[str(number)] = None
            break
        if last is None or image != last:
            states[str(number)] = state_to_json(image)
        if found != STUTTERS:
            steps[str(number)] = format_step(found.action, found.arguments) if isinstance(found, Step) else None
        last = image
    return {
        "property": prop.name,
        "model": refinement.abstract.name,
        "fields": [
            {"name": field.name, "type": type_to_json(field.type), "says": field.says}
            for field in refinement.abstract.fields
        ],
        "states": states,
        "steps": steps,
    }


def _allowed_actions_text(refinement: Refinement, action: str) -> str:
    """What `@refines` says of an action: `tick is advance of hour_clock or stutters`."""
    allowed = refinement.may_be[action]
    ways = [f"is {name} of {refinement.abstract.name}" for name in allowed if name != STUTTERS]
    return f"{action} {' or '.join([*ways, *(['stutters'] if STUTTERS in allowed else [])])}"


def refinement_argument(model: Model, prop: Property, run: Run, state_number: int) -> list[Document]:
    """The sentences of the argument that a refinement fails in state `state_number` of a run."""
    refinement = prop.refinement
    assert refinement is not None, "another property has an argument of its own"
    rows = [_argument_row("title", state_number, f"Why this violates {prop.name}: {prop.says}")]
    rows += [
        _argument_row("short", state_number, text)
        for text in _missing_change_sentence(model, refinement, run, state_number)
    ]
    rows += [
        _argument_row("event", number, text) for number, text in _abstract_step_sentences(refinement, run, state_number)
    ]
    return [*rows, _argument_row("however", state_number, _wrong_end_sentence(refinement, run, state_number))]


def _argument_row(role: str, step: int, text: str) -> Document:
    return {"role": role, "step": step, "text": text}


def _missing_change_sentence(model: Model, refinement: Refinement, run: Run, state_number: int) -> Iterator[str]:
    """What would have to be otherwise for the step that fails to be the nearest abstract step, in one sentence; none
    where no abstract step is near, or where the step is one that its action may not be."""
    if state_number == 0:
        return
    before, after = (refinement.image(state) for state in run.states()[state_number - 1 : state_number + 1])
    step = run.steps[state_number - 1]
    close = nearest_action(refinement, before, after, step.action)
    if close is not None and (close.guard is not None or close.changes):
        text = (
            "what that requires would have to be true"
            if close.guard
            else ", ".join(map(_needed_change_text, close.changes))
        )
        name, action = close.step.partition("(")[0].replace("_", " "), model.action(step.action)
        said = step_sentence(model, action, run.states()[state_number - 1], step.arguments).removesuffix(".")
        yield f"In short: {said} (step {state_number}). For this to be {name} of {refinement.abstract.name}, {text}."


def _abstract_step_sentences(refinement: Refinement, run: Run, state_number: int) -> Iterator[tuple[int, str]]:
    """For the steps before the one that fails, the number of a step and the abstract step that it is; of several that
    stutter one after another the number of the first, and which they are."""
    still: list[int] = []
    for number, step in enumerate(run.steps[: max(state_number - 1, 0)], 1):
        before, after = (refinement.image(state) for state in run.states()[number - 1 : number + 1])
        found = step_between_images(refinement, before, after, step.action)
        if not isinstance(found, Step):
            still.append(number)
            continue
        yield from _stuttering_sentences(run, still)
        still = []
        taken, name = format_step(step.action, step.arguments), refinement.abstract.name
        changed = _abstract_changes_text(refinement, before, after)
        yield number, f"{taken} is {format_step(found.action, found.arguments)} of {name}: {changed}."
    yield from _stuttering_sentences(run, still)


def _stuttering_sentences(run: Run, steps: Sequence[int]) -> Iterator[tuple[int, str]]:
    """That steps one after another change nothing of the abstract state."""
    if len(steps) == 1:
        step = run.steps[steps[0] - 1]
        yield steps[0], f"{format_step(step.action, step.arguments)} stutters."
    elif steps:
        yield steps[0], f"Steps {steps[0]} to {steps[-1]} stutter."


def _abstract_changes_text(refinement: Refinement, previous_state: State, next_state: State) -> str:
    """What changes from one abstract state to another."""
    return (
        "; ".join(change.to_text() for change in state_changes(refinement.abstract.fields, previous_state, next_state))
        or "nothing changes"
    )


def _wrong_end_sentence(refinement: Refinement, run: Run, state_number: int) -> str:
    """What is wrong at the end, and what the nearest abstract action would have needed."""
    states, name = run.states(), refinement.abstract.name
    image = refinement.image(states[state_number])
    if state_number == 0:
        return f"However, {image!r}, the image of the initial state, is not an initial state of {name}."
    before, step = refinement.image(states[state_number - 1]), run.steps[state_number - 1]
    said = _wrong_step_text(refinement, before, image, step)
    close = nearest_action(refinement, before, image, step.action)
    return said if close is None else f"{said} {_nearest_text(close)}"


def _wrong_step_text(refinement: Refinement, previous_state: State, image: State, step: Step) -> str:
    """That a step is no abstract step, or another one than its action may be."""
    name, other = refinement.abstract.name, step_of_any_action(refinement, previous_state, image)
    changed = _abstract_changes_text(refinement, previous_state, image)
    if step.action not in refinement.may_be or other is None:
        return f"However, no action of {name} does this: {changed}."
    taken, rule = format_step(step.action, step.arguments), _allowed_actions_text(refinement, step.action)
    if isinstance(other, Step):
        is_ = f"is {format_step(other.action, other.arguments)} of {name}: {changed}"
    else:
        is_ = "stutters"
    return f"However, {taken} {is_}. @refines says that {rule}."


def _nearest_text(close: NearestAction) -> str:
    if close.guard is not None:
        return f"The nearest is {close.step}, of which the guard `{close.guard}` is false."
    return f"The nearest is {close.step}: for it {', '.join(map(_needed_change_text, close.changes))}."


def _needed_change_text(change: Change) -> str:
    """What would have to be otherwise in an image, for one change that leads to it from where an action leads."""
    where = "" if change.offset is None else f" at {change.offset}"
    if change.sign == "+":
        return f"{change.cell} would have to be without {value_text(change.value_after)}{where}"
    if change.sign == "-":
        return f"{change.cell} would have to have {value_text(change.value_before)}{where}"
    return f"{change.cell} would have to be {value_text(change.value_before)} and is {value_text(change.value_after)}"
