"""A run that somebody is choosing step by step: where it has come to, what can happen there, and the steps that were
undone, which can be taken again until another one is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..language.immutable import immutable
from ..language.judge import attempt, instances
from ..language.model import Model
from ..language.steptext import format_step
from ..language.values import ModelError, State
from ..language.verdict import Run, Step
from .document import step_text


@immutable
class PossibleStep:
    """A step that can happen in a state: the step, its text, its sentence and its kind. `breaks` says, of one that
    breaks the model's own types, how; then it leads nowhere and `step` is None."""

    step: Step | None
    text: str
    sentence: str
    kind: str
    breaks: str = ""


@immutable
class Branch:
    """A run of a model, and the steps that were undone, the next one first."""

    model: Model
    run: Run
    ahead: tuple[Step, ...] = ()

    @property
    def last_state(self) -> State:
        """Where the run has come to."""
        return self.run.steps[-1].state_after if self.run.steps else self.run.start

    def append_steps(self, *steps: Step) -> Branch:
        """The branch with steps more; what was undone is kept where these are its first steps."""
        known = self.ahead[: len(steps)] == steps
        run = Run(self.run.start, (*self.run.steps, *steps))
        return replace(self, run=run, ahead=self.ahead[len(steps) :] if known else ())

    def undo_steps(self, number: int = 1) -> Branch:
        """The branch so many steps before; at its start where it has fewer."""
        at = max(len(self.run.steps) - number, 0)
        steps = self.run.steps
        return replace(self, run=Run(self.run.start, steps[:at]), ahead=(*steps[at:], *self.ahead))

    def redo_steps(self, number: int = 1) -> Branch:
        """The branch with so many of the steps taken again that were undone."""
        return self.append_steps(*self.ahead[:number])


def possible_steps(model: Model, state: State) -> Iterator[PossibleStep]:
    """Every step that can happen in a state, in the order of the model's text."""
    for action, arguments in instances(model, state):
        text = format_step(action.name, arguments)
        try:
            after = attempt(model, state, action, arguments)
        except ModelError as error:
            yield PossibleStep(None, text, step_text(model, action, state, arguments), action.kind, error.message)
            continue
        if isinstance(after, State):
            step = Step(action.name, arguments, after)
            yield PossibleStep(step, text, step_text(model, action, state, arguments), action.kind)
