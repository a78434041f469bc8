"""What it means that one model refines another, in plain Python.

    refinement.step(before, after, action)      the abstract step that a step is, STUTTERS, or None

A model refines an abstract one under a function from its states to theirs where the image of every initial state is
initial there, and the images of the two ends of every step are equal or one abstract action leads from one to the
other: Abadi and Lamport, "The existence of refinement mappings", 1991, section 2.3 (without liveness).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from .declare import STUTTERS, Stutters
from .immutable import immutable
from .ir import Function
from .judge import attempt, bound_crossed, initial_states, instances, to_model_error
from .model import Model, Property
from .values import ModelError, State
from .verdict import Failure, Run, Step


@immutable
class Refinement:
    """An abstract model, bound, the author's function from states to its states, and for some actions the names of the
    abstract actions that each `may_be`, STUTTERS among them; any other action may be any. `mapping` is the typed form
    of the function, `given` the text of what the author gives to constants of the abstract model, `needs` the open
    constants of the model whose values the abstract model has: where there are any, no engine checks the refinement."""

    abstract: Model
    image: Callable[[State], State]
    mapping: Function
    given: tuple[tuple[str, str], ...] = ()
    may_be: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict[str, tuple[str, ...]])
    needs: frozenset[str] = frozenset()

    def holds(self, before: State, after: State, action: str | None = None) -> bool:
        """Whether a step is one of the abstract model, or stutters there; of an action, whether it is one that the
        action may be."""
        return self.step(before, after, action) is not None

    def step(self, before: State, after: State, action: str | None = None) -> Step | Stutters | None:
        """The first abstract step that a step is, of those that its action may be. ModelError where an image lies
        outside the abstract types, or an abstract action breaks them."""
        return self.abstract_step(self.image(before), self.image(after), action)

    def abstract_step(self, image: State, wanted: State, action: str | None = None) -> Step | Stutters | None:
        """The first abstract step from one image to another."""
        allowed = None if action is None else self.may_be.get(action)
        if image == wanted and (allowed is None or STUTTERS in allowed):
            return STUTTERS
        return next((step for step in self._steps(image, allowed) if step.after == wanted), None)

    def step_of_any_action(self, image: State, wanted: State) -> Step | Stutters | None:
        """The first abstract step from one image to another, whatever a step's action may be. An action that breaks the
        abstract types is none."""
        if image == wanted:
            return STUTTERS
        names = (action.name for action in self.abstract.actions)
        steps = (step for name in names for step in self._unbroken(image, name))
        return next((step for step in steps if step.after == wanted), None)

    def _unbroken(self, image: State, name: str) -> Iterator[Step]:
        """The abstract steps of an action up to the first that breaks the abstract types."""
        with suppress(ModelError):
            yield from self._steps(image, (name,))

    def _steps(self, image: State, allowed: tuple[str, ...] | None) -> Iterator[Step]:
        """The abstract steps from an image, by the actions of these names; by any where there are none."""
        if bound_crossed(self.abstract, image) is not None:
            return
        for action, arguments in instances(self.abstract, image):
            if allowed is None or action.name in allowed:
                after = attempt(self.abstract, image, action, arguments)
                if isinstance(after, State):
                    yield Step(action.name, arguments, after)

    def starts(self, state: State) -> bool:
        """Whether the image of a state is an initial state of the abstract model. ModelError where it lies outside the
        abstract types."""
        return self.is_initial(self.image(state))

    def is_initial(self, image: State) -> bool:
        """Whether an image is an initial state of the abstract model."""
        return image in set(initial_states(self.abstract))


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
