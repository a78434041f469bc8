"""Bounded model checking: is there a run of at most so many steps that breaks something?

Runs of 0, 1, 2, ... steps are asked about one length after the other, so that what is found first is shortest. What is
found is replayed by plain Python before it is shown; what is not found up to the depth asked for may still be there
beyond it, and the verdict says so.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from ...language.judge import attempt, bound_crossed, deadlock, holds, initial_states, instances, is_deadlock
from ...language.model import Model, Property
from ...language.steptext import format_step
from ...language.values import ModelError, State
from ...language.verdict import ActionCoverage, DisagreementError, Failure, Level, Run, Verdict
from ..differences import property_differs, ways, why_no_deadlock
from ..search import Progress, Report, Search, interrupt_text
from ..verdicts import Ending, notes_of, peak_memory_bytes, verdict_of
from .circuits import CircuitQuestion, Circuits, circuits_of
from .encoding import finite
from .sat import SatSolver, SolverEndedError
from .unrolling import UnrolledRuns

DEPTH = 12
"""How many steps runs have at most, where nothing else is asked for."""
DEADLOCK_KINDS = ("deadlock", "broken terminal")
"""What is asked only where deadlocks are looked for."""


def check(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Looks for a run of at most `search.depth` steps that violates a property, gets stuck, or breaks the model.

    Ctrl-C ends the search as inconclusive, with what was found so far. ModelError when an initial state is outside its
    types.
    """
    bounded = _BoundedSearch(model, search, report)
    bounded.run()
    return bounded.verdict()


class _FoundEnough(Exception):
    """What was found ends the search."""


@dataclass(slots=True)
class _BoundedSearch:
    """One search."""

    model: Model
    search: Search
    report: Report | None
    runs: dict[str, Run] = field(default_factory=dict[str, Run])
    levels: list[Level] = field(default_factory=list[Level])
    failure: Failure | None = None
    deadlock: bool = False
    stop_reason: str | None = None
    complete: int | None = None
    prepare_seconds: float = 0.0
    seconds: float = 0.0
    backend: str = ""
    named_domains: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list[str])
    despite: list[ActionCoverage] = field(default_factory=list[ActionCoverage])

    @property
    def depth(self) -> int:
        """How many steps runs have at most."""
        return DEPTH if self.search.depth is None else self.search.depth

    def run(self) -> None:
        """Searches, and notes how it ended."""
        began = time.monotonic()
        try:
            if next(initial_states(self.model), None) is None:
                self.complete = self.depth
                return
            encoding = finite(self.model)
            seconds = self.search.seconds
            circuits = circuits_of(self.model, encoding, None if seconds is None else began + seconds)
            self.named_domains = circuits.named_domains
            self.prepare_seconds = time.monotonic() - began
            self._deepen(circuits, began)
        except KeyboardInterrupt as interrupt:
            self.stop_reason = interrupt_text(interrupt)
        except SolverEndedError as ended:
            self.stop_reason = str(ended)
        except _FoundEnough:
            pass
        finally:
            self.seconds = time.monotonic() - began - self.prepare_seconds

    def _deepen(self, circuits: Circuits, began: float) -> None:
        seconds = self.search.seconds
        solver = SatSolver(None if seconds is None else began + seconds, self.search.memory_bytes)
        self.backend = solver.backend
        try:
            unrolling = UnrolledRuns(self.model, circuits, solver)
            wanted = [*circuits.state_questions, *circuits.step_questions]
            wanted = [question for question in wanted if self.search.deadlocks or question.kind not in DEADLOCK_KINDS]
            for length in range(self.depth + 1):
                level = time.monotonic()
                if length:
                    unrolling.extend()
                self._report(length, began)
                try:
                    wanted = self._settle(unrolling, wanted)
                except _FoundEnough:
                    self.levels.append(Level(length + 1, None, time.monotonic() - level))
                    raise
                self.levels.append(Level(length + 1, None, time.monotonic() - level))
                self.complete = length
        finally:
            solver.close()

    def _report(self, length: int, began: float) -> None:
        if self.report is not None:
            seconds = time.monotonic() - began
            says = f"runs of {length} steps, {seconds:.0f} s; none of fewer steps breaks anything"
            self.report(Progress(0, 0, length, 0.0, peak_memory_bytes(), seconds, says=says))

    # --- one length ---------------------------------------------------------------------------------------------------

    def _settle(self, unrolling: UnrolledRuns, wanted: list[CircuitQuestion]) -> list[CircuitQuestion]:
        """Finds all that is wanted in runs of this length; gives what is still wanted in longer ones.

        Two last steps in the wrong order are only left out once nothing is asked about the very last step."""
        asked = unrolling.ask(wanted)
        of_steps = any(question.of_step for question in asked)
        if not of_steps:
            unrolling.order_last()
        while asked:
            values = unrolling.solver.solve([unrolling.one_of(asked.values())])
            if values is None:
                break
            met = [question for question, variable in asked.items() if variable < len(values) and values[variable]]
            run = unrolling.run(values)
            self._note_run(met, run)
            asked = {question: variable for question, variable in asked.items() if question not in met}
            wanted = [question for question in wanted if question not in met]
        unrolling.solver.add([(-variable,) for variable in asked.values()])
        if of_steps:
            unrolling.order_last()
        return wanted

    def _note_run(self, met: list[CircuitQuestion], run: Run) -> None:
        """Notes what was found in a run, once plain Python has confirmed it."""
        for question in met:
            failed = self._confirm(question, run)
            if failed is not None:
                self.failure, self.deadlock = failed, question.kind == "deadlock"
            elif question.prop is not None:
                self.runs.setdefault(question.prop.name, run)  # of several questions about one, the first that is met
            elif question.kind == "stopped action":
                self._happens(run)
        broken = any(question.kind in ("invariant", "transition") for question in met)
        if self.failure is not None or (broken and not self.search.keep_going):
            raise _FoundEnough

    def _happens(self, run: Run) -> None:
        """Notes that a `@bound` is meant to stop the last step of a run, and does not."""
        action = self.model.action(run.steps[-1].action)
        self.despite.append(ActionCoverage(action.name, 1, False, (), action.stopped_by))
        steps = "; ".join(format_step(step.action, step.arguments) for step in run.steps)
        self.notes.append(f"{action.name} is the last step of this run, and no shorter one has it: {steps}")

    def _confirm(self, question: CircuitQuestion, run: Run) -> Failure | None:
        """The failure that plain Python sees; None when it is a property that is violated, or met. Disagreement when
        plain Python sees something else."""
        last, prop = run.states()[-1], question.prop
        if prop is not None:
            try:
                truth = self._holds(prop, run, question.of_step)
            except ModelError as error:
                return Failure(f"{prop.name}: {error.message}", error.where, run)
            if not question.kind.startswith("broken") and truth == (question.kind == "reachable"):
                return None
        elif question.kind == "stopped action":
            if run.steps[-1].action == question.name:
                return None
        elif question.kind == "deadlock":
            if is_deadlock(self.model, last):
                return deadlock(self.model, run)
        elif (error := self._first_breaking_step(last)) is not None:
            return Failure(error.message, error.where, run, error.action, error.arguments)
        raise DisagreementError(self._disagreement_text(question, run))

    def _holds(self, prop: Property, run: Run, of_step: bool) -> bool:
        """What plain Python says of a property at the end of a run."""
        states = run.states()
        if of_step:
            return holds(self.model, prop, states[-2], states[-1], action=run.steps[-1].action)
        return holds(self.model, prop, states[-1])

    def _disagreement_text(self, question: CircuitQuestion, run: Run) -> str:
        """What plain Python says where a question is answered otherwise, with lines and values."""
        last, prop = run.states()[-1], question.prop
        if prop is not None:
            mine = None if question.kind.startswith("broken") else question.kind == "reachable"
            return property_differs(prop, mine, self._holds(prop, run, question.of_step), last, "in bmc")
        if question.kind == "stopped action":
            return f"the last step is one of {question.name} in bmc; in plain Python it is {run.steps[-1].action}"
        if question.kind == "deadlock":
            return f"nothing can happen in bmc at {last}, but in plain Python {why_no_deadlock(self.model, last)}"
        return (
            f"a step from {last} breaks the model's types in bmc; in plain Python none does: {ways(self.model, last)}"
        )

    def _first_breaking_step(self, state: State) -> ModelError | None:
        """The first step from a state that breaks the model."""
        try:
            if bound_crossed(self.model, state) is None:
                for action, arguments in instances(self.model, state):
                    attempt(self.model, state, action, arguments)
        except ModelError as error:
            return error
        return None

    # --- the verdict --------------------------------------------------------------------------------------------------

    def verdict(self) -> Verdict:
        """What the search found."""
        bounded = self.depth if self.complete == self.depth and self.stop_reason is None else None
        stopped = self.stop_reason
        if stopped is not None and self.complete is not None:
            stopped = f"{stopped}; no run of at most {self.complete} steps breaks anything"
        ending = Ending(
            engine="bmc",
            is_exhausted=False,
            stop_reason=stopped,
            failure=self.failure,
            deadlock=self.deadlock,
            runs=self.runs,
            distinct=None,
            seconds=self.seconds,
            compile_seconds=self.prepare_seconds,
            bytes_per_state=None,
            symmetry=self.named_domains,
            actions=tuple(self.despite),
            levels=tuple(self.levels),
            rechecked_states=0,
            notes=(*self.notes, *notes_of(self.search)),
            bounded_depth=bounded,
        )
        return verdict_of(self.model, ending)
