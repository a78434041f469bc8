"""What one process of a proof does: it answers obligations, and doubts whether what is proved says anything."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from ...language.immutable import immutable
from ...language.model import Model
from ...language.proof import Answer, Emptiness, Obligation, UnstatedProperty
from .effort import SolverEffort
from .errors import NotUnboundedError
from .finite_instances import CopyStep, FiniteInstance, FiniteInstances
from .hints import Hints
from .questions import ProofQuestions
from .transition import is_never_enabled, is_spent
from .vacuity import ReachedStates, denied_antecedents

MAX_SUSPICIONS = 2
"""The copies that are searched before anything is proved, where little has changed."""


@immutable
class Task:
    """Obligations to prove, all about one action. What was tried before without an answer is tried `hard`. Where little
    has changed since the last proof, that is `suspect`: small copies are searched, and nothing is proved yet.
    """

    obligations: tuple[Obligation, ...]
    hard: bool = False
    suspect: bool = False


@immutable
class ContradictionCheck:
    """Whether an action's guard contradicts the lemmas, or, of a goal, whether its antecedents do."""

    action: str = ""
    goal: str = ""


@immutable
class SettledContradiction:
    """The answer to a doubt."""

    doubt: ContradictionCheck
    word: Emptiness


@immutable
class FoundCounterexample:
    """A finding as a process hands it back: what refutes it is a sketch, for the judge. `needed_lemmas` are the lemmas
    that the proof needs, if they are to be recorded."""

    obligation: Obligation
    word: Answer
    seconds: float = 0.0
    reason: str = ""
    sketch: CopyStep | None = None
    needed_lemmas: frozenset[str] = frozenset()


@immutable
class OpenObligation:
    """An obligation that the quick attempts leave open, after that many seconds; if it was only `suspect`, that the
    small copies do not refute."""

    obligation: Obligation
    seconds: float
    suspect: bool = False


Result: TypeAlias = FoundCounterexample | OpenObligation | SettledContradiction | UnstatedProperty


@immutable
class ProverInputs:
    """What a proof starts from: the `model` whose bounds are open, its finite `instances`, the `symmetric` domains, the
    `hints`, and what was `met` in states that can be reached: made in each process, since it is made of formulas."""

    instances: FiniteInstances
    model: Model
    symmetric: frozenset[str]
    hints: Hints
    effort: SolverEffort
    record: bool = False


class Prover:
    """Proves obligations one after the other: the lemmas are made into formulas once, an action when it is another."""

    def __init__(self, ground: ProverInputs, reached_states: ReachedStates | None = None) -> None:
        self.ground, self.met = ground, reached_states
        self.instances, self.lemmas = ground.instances, {lemma.name for lemma in ground.model.lemmas}
        self.questions = ProofQuestions(ground.model, ground.symmetric, ground.effort, ground.hints)
        self._searched, self._looked = list[FiniteInstance](), 0

    def answer_task(self, task: Task | ContradictionCheck) -> Iterator[Result]:
        """The answers to a task."""
        if isinstance(task, ContradictionCheck):
            word: Emptiness = "empty" if task.goal and self._is_empty(task.goal) else "full"
            yield SettledContradiction(task, self._why_never(task.action) if task.action else word)
        else:
            yield from self.prove_task(task)

    def prove_task(self, task: Task) -> Iterator[Result]:
        """The answer to each obligation."""
        if task.suspect:
            yield from self._refute(task.obligations)
            return
        for obligation in task.obligations:
            began = time.perf_counter()
            self.questions.prepare_action(obligation.action)
            try:
                found = self._refute_with_effort(obligation) if task.hard else self._try_quickly(obligation)
            except NotUnboundedError as error:
                if not obligation.goal or obligation.goal in self.lemmas:
                    raise
                yield UnstatedProperty(
                    obligation.goal, f"{error.message}; {error.remedy}", error.where.file, error.where.line
                )
                continue
            seconds = time.perf_counter() - began
            if found is None:
                yield OpenObligation(obligation, seconds)
            elif self.ground.record and found.word == "proved":
                yield replace(found, seconds=seconds, needed_lemmas=self.questions.needed_lemmas(obligation))
            else:
                yield replace(found, seconds=seconds)

    # --- obligations --------------------------------------------------------------------------------------------------

    def _refute(self, obligations: Sequence[Obligation]) -> Iterator[Result]:
        """What the smallest copies refute, each copy asked about all obligations at once: that costs less than one
        proof that fails."""
        open_ = list(obligations)
        for copy in itertools.islice(self._all_copies(), MAX_SUSPICIONS):
            began = time.perf_counter()
            for obligation, sketch in copy.sketch_counterexamples(open_):
                open_.remove(obligation)
                yield FoundCounterexample(obligation, "refuted", time.perf_counter() - began, sketch=sketch)
                began = time.perf_counter()
        yield from (OpenObligation(obligation, 0.0, suspect=True) for obligation in open_)

    def _try_quickly(self, obligation: Obligation) -> FoundCounterexample | None:
        """Most lemmas are proved at once, and most mistakes show in the smallest copy."""
        if self.questions.ask_solver(obligation, hard=False, once=True).is_proved:
            return FoundCounterexample(obligation, "proved")
        sketch, _ = self._find_sketch(obligation, itertools.islice(self._all_copies(), 1))
        return None if sketch is None else FoundCounterexample(obligation, "refuted", sketch=sketch)

    def _refute_with_effort(self, obligation: Obligation) -> FoundCounterexample:
        """The cheap before the dear: all even copies are searched in less time than one question is asked again, and
        those whose bounds differ when there is nothing else to try."""
        sketch, searched = self._find_sketch(obligation, self._all_copies())
        if sketch is not None:
            return FoundCounterexample(obligation, "refuted", sketch=sketch)
        answer = self.questions.ask_solver(obligation, hard=self.ground.record)
        if not answer.is_proved and not answer.late:
            answer = self.questions.ask_solver(obligation, hard=True)
        if answer.is_proved:
            return FoundCounterexample(obligation, "proved")
        sketch, _ = self._find_sketch(obligation, self._uneven_copies())
        if sketch is not None:
            return FoundCounterexample(obligation, "refuted", sketch=sketch)
        return FoundCounterexample(obligation, "not proved", reason=f"{answer.reason}; {searched}")

    def _find_sketch(self, obligation: Obligation, some: Iterable[FiniteInstance]) -> tuple[CopyStep | None, str]:
        """A counterexample to induction from some finite copies, or how far they went that have none."""
        searched = "no finite copy could be searched in time"
        for copy in some:
            found = copy.sketch_counterexample(obligation)
            if isinstance(found, CopyStep):
                return found, ""
            if found:
                sizes = self.instances.bounds_text(copy.number)
                searched = f"there is no counterexample {f'within {sizes}' if sizes else 'in the finite copy'}"
        return None, searched

    def _all_copies(self) -> Iterator[FiniteInstance]:
        yield from self._searched
        while self._looked < self.instances.even:
            self._looked += 1
            if self.instances.is_model(self._looked - 1):
                self._searched.append(FiniteInstance(self.instances, self._looked - 1, self.ground.symmetric))
                yield self._searched[-1]

    def _uneven_copies(self) -> Iterator[FiniteInstance]:
        for number in range(self.instances.even, len(self.instances)):
            if self.instances.is_model(number):
                yield FiniteInstance(self.instances, number, self.ground.symmetric)

    # --- doubts -------------------------------------------------------------------------------------------------------

    def _why_never(self, action: str) -> Emptiness:
        self.questions.prepare_action(action)
        return self.questions.why_never(action)

    def _is_empty(self, goal: str) -> bool:
        """Whether the lemmas say that no antecedent of the goal is ever true."""
        prop = self.questions.predicates[goal]
        if self.met is None or self.met.is_true_of_something(prop):
            return False
        said = None if prop.form is None else denied_antecedents(prop.form)
        if said is None:
            return False
        name = f"no antecedent of {goal}"
        self.questions.predicates[name] = replace(prop, name=name, form=said)
        try:
            return all(self.questions.is_proved_at_once(denial) for denial in self._denied_obligations(name, prop.kind))
        except NotUnboundedError:
            return False

    def _denied_obligations(self, name: str, kind: str) -> Iterator[Obligation]:
        if kind != "transition":
            yield Obligation("consequence", name)
            return
        for action in self.ground.model.actions:
            if not is_never_enabled(self.questions.encoding, action) and not is_spent(self.questions.encoding, action):
                yield Obligation("step", name, action.name)
