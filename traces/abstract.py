"""Why a model does not refine another: the steps of a run, beside each the abstract step that it is, and at the last
what the nearest abstract action would have needed.

    In step 1 tick stutters: hour_clock stays in Clock(hour=0).
    In step 4 tick is advance of hour_clock, to Clock(hour=1).
    However, no action of hour_clock leads from Clock(hour=1) to Clock(hour=3). The nearest is advance, ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from ..language.judge import holds
from ..language.model import Model, Property
from ..language.refinement import Nearest, Refinement, image_of, nearest
from ..language.steptext import format_step
from ..language.values import ModelError, State, show
from ..language.verdict import Run, Step

Document = dict[str, Any]


def truth_of_refinement(model: Model, prop: Property, run: Run) -> str:
    """A refinement along a run: of its initial state, then of each step: `1`, `0`, or `-` where an image cannot be
    made."""
    refinement = prop.refinement
    assert refinement is not None, "another property says nothing of initial states alone"
    if not prop.applicable:
        return "-" * len(run.states())
    first = _truth(lambda: refinement.is_initial(image_of(model, refinement, run.start)))
    ends = zip(run.states(), run.steps, strict=False)
    return first + "".join(_truth(partial(holds, model, prop, before, step.after)) for before, step in ends)


def _truth(question: Callable[[], bool]) -> str:
    try:
        return "1" if question() else "0"
    except ModelError:
        return "-"


def claim(refinement: Refinement, states: Sequence[State]) -> str:
    """What is false of an initial state, or of the two ends of a step: a sentence over abstract states."""
    images = [refinement.image(each) for each in states]
    if len(images) == 1:
        return f"{images[0]!r} is an initial state of {refinement.abstract.name}"
    return f"{refinement.abstract.name} takes a step from {images[0]!r} to {images[1]!r}"


def refinement_argument(prop: Property, run: Run, at: int) -> list[Document]:
    """The sentences of the argument that a refinement fails in state `at` of a run."""
    refinement = prop.refinement
    assert refinement is not None, "another property has an argument of its own"
    rows = [_row("title", at, f"Why this violates {prop.name}: {prop.says}")]
    rows += [_row("event", number, text) for number, text in _beside(refinement, run, at)]
    return [*rows, _row("however", at, _however(refinement, run.states(), at))]


def _row(role: str, step: int, text: str) -> Document:
    return {"role": role, "step": step, "text": text}


def _beside(refinement: Refinement, run: Run, at: int) -> Iterator[tuple[int, str]]:
    """For each step before the one that fails, its number and the abstract step that it is."""
    states, name = run.states(), refinement.abstract.name
    for number, step in enumerate(run.steps[: max(at - 1, 0)], 1):
        images = refinement.image(states[number - 1]), refinement.image(states[number])
        found = refinement.between(*images)
        taken = format_step(step.action, step.arguments)
        if isinstance(found, Step):
            yield number, f"{taken} is {format_step(found.action, found.arguments)} of {name}, to {images[1]!r}."
        else:
            yield number, f"{taken} stutters: {name} stays in {images[1]!r}."


def _however(refinement: Refinement, states: Sequence[State], at: int) -> str:
    """What is wrong at the end, and what the nearest abstract action would have needed."""
    name, image = refinement.abstract.name, refinement.image(states[at])
    if at == 0:
        return f"However, {image!r}, the image of the initial state, is no initial state of {name}."
    before = refinement.image(states[at - 1])
    said = f"However, no action of {name} leads from {before!r} to {image!r}."
    close = nearest(refinement, before, image)
    return said if close is None else f"{said} {_nearest_text(close, image)}"


def _nearest_text(close: Nearest, image: State) -> str:
    if close.guard is not None:
        return f"The nearest is {close.step}, of which the guard `{close.guard}` is false."
    assert close.to is not None, "an action without a false guard leads somewhere"
    wrong = ", ".join(
        f"{field} would have to be {show(getattr(close.to, field))} and is {show(getattr(image, field))}"
        for field in close.fields
    )
    return f"The nearest is {close.step}: for it {wrong}."
