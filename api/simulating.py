"""`simulate`: one run of a model, drawn with a seed, every step taken and checked by plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ..explorer.scheduler import Operator, RandomOperator, ScheduledRun, schedule_run
from ..language.constants import Value
from ..language.immutable import immutable
from ..language.judge import is_deadlock
from ..language.model import Model
from ..language.values import State
from ..language.verdict import Failure, Run, Step
from ..reports.document import Document
from ..traces.document import run_document, trace_document
from . import arguments
from .models import load, merge_constants
from .results import Trace

MAX_STEPS = 100


@immutable
class Simulation:
    """A run, and how it ended: after as many steps as were asked for, where no step is possible, or at a step that
    breaks the model's own types (`failure`)."""

    model: Model
    scheduled_run: ScheduledRun

    @property
    def run(self) -> Run:
        """The run."""
        return self.scheduled_run.run

    @property
    def ended(self) -> bool:
        """Whether it ended by itself, before as many steps as were asked for."""
        return self.scheduled_run.ended_by_itself

    @property
    def failure(self) -> Failure | None:
        """The deadlock that it ends in, or what its next step breaks; None where it ends in neither."""
        error, run = self.scheduled_run.error, self.run
        if error is not None:
            return Failure(error.message, error.where, run, error.action, error.arguments)
        if self.ended and is_deadlock(self.model, run.states()[-1]):
            return Failure("no action is possible here", "", run)
        return None

    def document(self) -> Document:
        """The run as a trace document: of the first property that fails along it, if one does, or of its failure."""
        found = run_document(self.model, self.run)
        failure = self.failure
        return found if found["kind"] != "run" or failure is None else trace_document(self.model, failure)

    @property
    def violated(self) -> str | None:
        """The property that fails along the run; None if none does."""
        claim = self.document()["property"]
        return claim["name"] if claim is not None and claim["fails"] is not None else None

    @property
    def trace(self) -> Trace:
        """The run, to print, to save, or to look at."""
        return Trace(self.document())

    def __repr__(self) -> str:
        """One line, for a prompt; `print` shows everything."""
        wrong = self.violated if self.failure is None else self.failure.message
        found = "nothing fails" if wrong is None else f"fails: {wrong}"
        return f"<Simulation: {self.model.name}, {len(self.run.steps)} steps, {found}>"

    def __str__(self) -> str:
        return str(self.trace)

    def _repr_html_(self) -> str:
        return self.trace._repr_html_()  # pyright: ignore[reportPrivateUsage]  # the name is IPython's


def simulate(
    model: str | Path | Model,
    *,
    seed: int = 0,
    steps: int = MAX_STEPS,
    faults: float = 0.1,
    operator: Operator | None = None,
    heard: Callable[[State, Step], Any] | None = None,
    bounds: str | None = None,
    properties: str | Iterable[str] = (),
    ghosts: bool | None = None,
    constants: Mapping[str, Value | str] | None = None,
    **more_constants: Value | str,
) -> Simulation:
    """One run of at most `steps` steps, the same for the same seed: `simulate("raft", seed=7, servers=3)`.

    Each step is drawn from those that are possible: first whether it is a fault, which is so with the probability
    `faults` (0 to 1) where both are possible, then which action, then with which arguments. An `operator` decides
    instead, see `tidegate.explorer.scheduler`. `heard` is called with the state before each step and the step, as soon
    as it is taken. Every property is checked in every state. For the model and its constants see `load`.
    """
    arguments.check_whole_number("steps", steps, 0)
    arguments.check_probability("faults", faults)
    bound = load(
        model, bounds=bounds, properties=properties, ghosts=ghosts, constants=merge_constants(constants, more_constants)
    )
    chosen = RandomOperator(bound, faults) if operator is None else operator
    return Simulation(bound, schedule_run(bound, chosen, seed=seed, steps_max=steps, heard=heard))
