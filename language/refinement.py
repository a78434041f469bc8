"""What it means that one model refines another, in plain Python.

    abstract_step(refinement, before, after, action)      the abstract step that a step is, STUTTERS, or None

A model refines an abstract one under a function from its states to theirs where the image of every initial state is
initial there, and the images of the two ends of every step are equal or one abstract action leads from one to the
other: Abadi and Lamport, "The existence of refinement mappings", 1991, section 2.3 (without liveness).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from .declare import STUTTERS, Stutters
from .judge import attempt, bound_crossed, initial_states, instances, to_model_error
from .model import Model, Property, Refinement
from .values import ModelError, State
from .verdict import Failure, Run, Step


def is_abstract_step(refinement: Refinement, before: State, after: State, action: str | None = None) -> bool:
    """Whether a step is one of the abstract model, or stutters there; of an action, whether it is one that the action
    may be."""
    return abstract_step(refinement, before, after, action) is not None


def abstract_step(
    refinement: Refinement, before: State, after: State, action: str | None = None
) -> Step | Stutters | None:
    """The first abstract step that a step is, of those that its action may be. ModelError where an image lies outside
    the abstract types, or an abstract action breaks them."""
    return step_between_images(refinement, refinement.image(before), refinement.image(after), action)


def step_between_images(
    refinement: Refinement, image: State, wanted_image: State, action: str | None = None
) -> Step | Stutters | None:
    """The first abstract step from one image to another."""
    allowed = None if action is None else refinement.may_be.get(action)
    if image == wanted_image and (allowed is None or STUTTERS in allowed):
        return STUTTERS
    return next(
        (step for step in _abstract_steps(refinement.abstract, image, allowed) if step.state_after == wanted_image),
        None,
    )


def step_of_any_action(refinement: Refinement, image: State, wanted_image: State) -> Step | Stutters | None:
    """The first abstract step from one image to another, whatever a step's action may be. An action that breaks the
    abstract types is none."""
    if image == wanted_image:
        return STUTTERS
    abstract = refinement.abstract
    steps = (step for action in abstract.actions for step in _unbroken_steps(abstract, image, action.name))
    return next((step for step in steps if step.state_after == wanted_image), None)


def _unbroken_steps(abstract: Model, image: State, name: str) -> Iterator[Step]:
    """The abstract steps of an action up to the first that breaks the abstract types."""
    with suppress(ModelError):
        yield from _abstract_steps(abstract, image, (name,))


def _abstract_steps(abstract: Model, image: State, allowed_actions: tuple[str, ...] | None) -> Iterator[Step]:
    """The abstract steps from an image, by the actions of these names; by any where there are none."""
    if bound_crossed(abstract, image) is not None:
        return
    for action, arguments in instances(abstract, image):
        if allowed_actions is None or action.name in allowed_actions:
            after = attempt(abstract, image, action, arguments)
            if isinstance(after, State):
                yield Step(action.name, arguments, after)


def check_initial_images(model: Model, prop: Property) -> Run | Failure | None:
    """What is wrong with the images of the initial states: the first that is not an initial state of the abstract
    model, as a run without steps; one that cannot be made, as a failure. None where all are right."""
    assert prop.refinement is not None, "another property says nothing of initial states alone"
    allowed = set(initial_states(prop.refinement.abstract))
    for state in initial_states(model):
        try:
            if image_of(model, prop.refinement, state) not in allowed:
                return Run(state, ())
        except ModelError as error:
            return Failure(f"{prop.name}: {error.message}", f"{error.file}:{error.line}", Run(state, ()))
    return None


def image_of(model: Model, refinement: Refinement, state: State) -> State:
    """The image of a state. ModelError, at the author's line, where it cannot be made."""
    try:
        return refinement.image(state)
    except Exception as error:
        raise to_model_error(model, error) from error
