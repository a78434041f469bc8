"""Proof by induction: every lemma holds at first, every step from a state where all hold keeps each, and what is
claimed follows.

    proof = prove(definition, model, ProofRequest())

For each pair of an action and a lemma the unbounded question is asked first, since most are answered in a moment. Where
the answer is not yes, the smallest finite copy is searched for a counterexample to induction. What is still open then
waits until all others have come so far: larger copies are searched, and it is asked again, harder. So a mistake shows
at once, whatever else there is to prove.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, cast

from ...language.binding import Definition
from ...language.errors import UsageError, suggest_name
from ...language.immutable import immutable
from ...language.model import Model, Property
from ...language.proof import (
    Counterexample,
    Emptiness,
    Obligation,
    Proof,
    ProofFinding,
    UnclaimedProperty,
    UnstatedProperty,
    VacuousPart,
)
from ...language.types import Identity
from ...language.verdict import Run
from ..symmetry import symmetry_of
from ..verdicts import json_constant
from .claims import Claims, fields_without_capacity
from .effort import SolverEffort
from .encoding import unbounded_encoding
from .errors import UnsayableError
from .finite_instances import FiniteInstances, confirm_counterexample, lemmas_of
from .hints import Hints
from .process_pool import LostTask, run_tasks
from .proof_cache import ProofCache
from .prover import (
    MAX_SUSPICIONS,
    ContradictionCheck,
    FoundCounterexample,
    OpenObligation,
    Prover,
    ProverInputs,
    Result,
    SettledContradiction,
    Task,
)
from .reach import StatesWithinReach
from .sampling import Sample, take_sample
from .simulation import check_steps_by_formulas
from .transition import is_never_enabled, is_spent
from .unbounded import boundless_constants
from .vacuity import ReachedStates

_OBLIGATIONS_PER_TASK = 6
"""Obligations about one action that one process takes at a time."""

FEW_OBLIGATIONS = 4
"""With less than one new obligation to so many that are kept, little has changed since the last proof."""

_UNBOUND = (
    "the proof leaves out the @bound {} of steps: what is proved holds with the steps that it excludes too, and a run "
    "that refutes something may take one"
)
_EMPTINESS_TEXTS: Mapping[Emptiness, str] = {
    "barred": "its guard is false in every state that the types allow, with these constants",
    "empty": "its guard contradicts the lemmas",
    "limited": "with these constants none of its steps is within the limits and the types",
}

Heard: TypeAlias = Callable[[ProofFinding | UnstatedProperty], None]
"""Called with each finding, as it comes."""


@immutable
class ProofRequest:
    """What to prove and how. `lemmas` and `properties` name what to prove; empty is all of both. `excluded_properties`
    are properties to pass over.

    `effort` is for one query, `seconds` for everything (None: no limit); `folder` is where proofs are kept. `seed`
    draws the reachable states in which plain Python evaluates the lemmas. With `record`, everything is proved anew and
    `Induction.hints` notes from which lemmas. `known_violations` are properties that are known to be false, and why:
    nothing is claimed of them unless they are named. `violations_elsewhere` are those that are known to be false with
    other constants."""

    lemmas: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    excluded_properties: tuple[str, ...] = ()
    effort: SolverEffort = field(default_factory=SolverEffort)
    seconds: float | None = None
    workers: int = 2
    seed: int = 0
    folder: Path | None = None
    record: bool = False
    known_violations: Mapping[str, str] = field(default_factory=dict[str, str])
    violations_elsewhere: Mapping[str, str] = field(default_factory=dict[str, str])


class Induction:
    """One model's proof: what there is to prove, and what was found so far. `model` has the values of the constants;
    if it is bound with its lemmas, they among its properties, it is not bound again. `left_out` are lemmas to leave
    out; `boundless` is what `boundless_constants` says, for a caller who has asked already."""

    def __init__(
        self,
        definition: Definition,
        model: Model,
        request: ProofRequest,
        left_out: Collection[str] = (),
        boundless: frozenset[str] | None = None,
    ) -> None:
        self.definition, self.given, self.asked = definition, model, request
        self.boundless = boundless_constants(definition, model) if boundless is None else boundless
        open_ = definition.bind(model.name, constants=model.values, open=self.boundless, ghosts=True, lemmas=True)
        lemmas = tuple(lemma for lemma in open_.lemmas if lemma.name not in left_out)
        self.model = replace(open_, lemmas=lemmas, step_bounds=())
        self.lemmas = lemmas_of(self.model)
        self.instances = FiniteInstances(definition, self.model, self.boundless)
        self.encoding = unbounded_encoding(self.model)
        self.symmetric = _symmetric_domains(self.model)
        self.cache = ProofCache(request.folder, self.model, self.symmetric)
        self.hints = Hints(self.lemmas, rewriting=request.record)
        self.findings = list[ProofFinding]()
        self.never, self.idle = dict[str, Emptiness](), list[str]()
        self.notes = [_UNBOUND.format(bound.name) for bound in open_.step_bounds]
        self.spent, self.again = dict[Obligation, float](), dict[Obligation, Task]()
        self._reach = dict[int, StatesWithinReach]()
        self.is_simulated = False

    # --- what there is to prove --------------------------------------------------------------------------------------

    def actions(self) -> tuple[str, ...]:
        """The actions that the constants leave on, whatever those without a bound are; those whose budget is 0 too,
        whose guards may break the model's types."""
        return tuple(action.name for action in self.model.actions if not is_never_enabled(self.encoding, action))

    def _actions_with_spent_budget(self) -> tuple[str, ...]:
        """The actions whose budget is 0, which never happen."""
        return tuple(action for action in self.actions() if is_spent(self.encoding, self.model.action(action)))

    def _asked_properties(self) -> tuple[Property, ...]:
        """The lemmas and properties that were asked for, witnesses apart. UsageError for a name that there is not."""
        known = {lemma.name: lemma for lemma in self.model.lemmas}
        claims = {prop.name: prop for prop in self.model.properties if _is_claim(prop)}
        for name in self.asked.lemmas:
            if name not in known:
                raise UsageError(f"{self.model.name} has no lemma {name}; {suggest_name(name, known)}")
        for name in self.asked.properties:
            if name not in claims and name not in known:
                raise UsageError(f"no property {name} to prove; {suggest_name(name, [*claims, *known])}")
        named = {*self.asked.lemmas, *self.asked.properties}
        for name in self.asked.excluded_properties:
            if name in known:
                raise UsageError(f"--without {name}: it is a lemma, and the proof rests on it; name a property")
            if name not in claims:
                raise UsageError(f"--without {name}: no such property to leave out; {suggest_name(name, claims)}")
            if name in named:
                raise UsageError(f"{name}: named by --property and left out by --without; give one of the two")
        everything = [goal for name, goal in {**known, **claims}.items() if name not in self.asked.excluded_properties]
        if named:
            return tuple(goal for goal in everything if goal.name in named)
        return tuple(goal for goal in everything if goal.name not in self.asked.known_violations)

    @cached_property
    def properties_not_claimed(self) -> Mapping[str, UnstatedProperty | UnclaimedProperty]:
        """The properties about which nothing is claimed, by name: decided from the text alone, in a process of its own.
        NotUnboundedError for a lemma or an action that has no meaning without bounds, UnsayableError for a property
        that was named and has none."""
        found = dict[str, UnstatedProperty | UnclaimedProperty]()
        names = tuple(goal.name for goal in self._asked_properties())
        changed = self.sample.changed_fields()
        for result in run_tasks(
            lambda: Claims(self.model, changed, self.symmetric).survey_unclaimed, deque([names]), 1, None
        ):
            if isinstance(result, LostTask):
                raise RuntimeError(f"what there is to prove could not be found out: {result.reason}")
            if isinstance(result, UnstatedProperty) and result.goal in self.asked.properties:
                raise UnsayableError(result.goal, result.reason, result.file, result.line)
            found[result.goal] = result
        return found

    def goals(self) -> tuple[Property, ...]:
        """The lemmas and properties to prove, and those that are left out although they were named: they are vacuous.
        Raises what `apart` raises, and UsageError for a name that there is not."""
        named = {*self.asked.lemmas, *self.asked.properties}
        return tuple(
            goal
            for goal in self._asked_properties()
            if goal.name not in self.properties_not_claimed
            or (goal.name in named and isinstance(self.properties_not_claimed[goal.name], UnclaimedProperty))
        )

    def obligations(self) -> tuple[Obligation, ...]:
        """Everything to prove, action by action."""
        goals = [goal for goal in self.goals() if goal.name not in self.properties_not_claimed]
        own = {lemma.name for lemma in self.lemmas}
        starting = (goal for goal in goals if goal.name in own or goal.refinement is not None)
        made = [Obligation("initial", goal.name) for goal in starting]
        kept = [goal.name for goal in goals if goal.name in own or goal.kind == "transition"]
        spent = self._actions_with_spent_budget()
        for action in self.actions():
            made.append(Obligation("defined", "", action))
            made += [Obligation("step", name, action) for name in kept if action not in spent]
        made += [Obligation("consequence", goal.name) for goal in goals if goal.name not in own | set(kept)]
        return tuple(made)

    @cached_property
    def bounded_model(self) -> Model:
        """The model within the bounds that were given, its lemmas among its properties."""
        model, wanted = self.given, {*self.instances.names}
        if model.ghosts and model.lemmas and wanted.issubset(prop.name for prop in model.properties):
            return model
        return self.definition.bind(
            model.name, constants=model.values, ghosts=True, properties=self.instances.names, lemmas=True
        )

    @cached_property
    def sample(self) -> Sample:
        """What plain Python sees in reachable states, within the bounds that were given. What cannot be stated without
        bounds is evaluated too: a run that violates it is one."""
        names = {goal.name for goal in self._asked_properties()}
        return take_sample(
            self.bounded_model, [prop for prop in self.bounded_model.properties if prop.name in names], self.asked.seed
        )

    # --- proving -----------------------------------------------------------------------------------------------------

    def prove(self, heard: Heard) -> Proof:
        """Proves what is asked for.

        NotUnboundedError when a lemma or an action has no meaning without bounds, UnsayableError when a property that
        was asked for by name has none; DisagreementError when the solver and plain Python do."""
        began = time.monotonic()
        stopped = self._prove_all(heard)
        return self._proof_so_far(stopped, time.monotonic() - began)

    def _prove_all(self, heard: Heard) -> str:
        """Answers why it ended early, or ""."""
        deadline = None if self.asked.seconds is None else time.monotonic() + self.asked.seconds
        obligations = self.obligations()
        for finding in self.sample.findings:
            self._note_finding(finding, heard)
        fresh, kept = self._obligations_left(obligations, heard)
        few = len(fresh) * FEW_OBLIGATIONS < kept
        if few:
            self.instances.bind_first(MAX_SUSPICIONS)
        asked = _suspects(fresh) if few else _tasks(fresh)
        doubts = [doubt for doubt in self._checks_of_emptiness() if not self._is_settled(doubt)]
        tasks = deque[Task | ContradictionCheck]([*asked, *doubts])
        waiting: dict[Obligation | ContradictionCheck, None] = {**dict.fromkeys(fresh), **dict.fromkeys(doubts)}
        stopped = ""
        try:
            if not few:
                self._check_formulas()
            for result in run_tasks(self._prover_maker, tasks, self.asked.workers, deadline):
                tasks.extend(self._remaining_tasks(result))
                if not _is_free_of_formulas(result):
                    self._check_formulas()
                for finding in self._findings_of(result):
                    waiting.pop(finding.obligation, None)
                    self._note_finding(finding, heard)
                for doubt in _checks_settled_by(result):
                    waiting.pop(doubt, None)
            self._check_formulas()
        except KeyboardInterrupt:
            stopped = "it was interrupted"
        if waiting and not stopped:
            stopped = f"the time was up after {self.asked.seconds:g} s"
        for question in waiting:
            if isinstance(question, Obligation):
                self._note_finding(ProofFinding(question, "not proved", 0.0, stopped), heard)
        return stopped

    def _remaining_tasks(self, result: Result | LostTask) -> Iterator[Task]:
        """What is still to do after a result: an open obligation, or those of a lost task that it was not at."""
        match result:
            case OpenObligation():
                yield self._postponed_task(result)
            case LostTask(task=Task() as lost) if lost.suspect:
                for obligation in self._unanswered_obligations(lost):
                    yield self._postponed_task(OpenObligation(obligation, 0.0, suspect=True))
            case LostTask(task=Task() as lost) if rest := tuple(self._unanswered_obligations(lost)[1:]):
                again = Task(rest, lost.hard)
                self.again |= dict.fromkeys(rest, again)
                yield again
            case _:
                pass

    def _unanswered_obligations(self, lost_task: Task) -> list[Obligation]:
        """The obligations of a lost task that nothing was found of, and that are in no other task; the first of them is
        the one that a process was at which did not ask about all at once."""
        known = {finding.obligation for finding in self.findings}
        return [
            obligation
            for obligation in lost_task.obligations
            if obligation not in known and self.again.get(obligation, lost_task) == lost_task
        ]

    def _postponed_task(self, result: OpenObligation) -> Task:
        """The task that an open obligation is next."""
        self.spent[result.obligation] = self.spent.get(result.obligation, 0.0) + result.seconds
        self.again[result.obligation] = again = Task((result.obligation,), hard=not result.suspect)
        return again

    def _check_formulas(self) -> None:
        """Puts the sampled steps into the formulas, once, in a process of its own, before anything that they say is
        believed. DisagreementError when one is left out."""
        if self.is_simulated:
            return

        def work(_: object) -> Iterator[Result]:
            check_steps_by_formulas(self.model, self.sample.steps)
            return iter(())

        for lost in run_tasks(lambda: work, deque(["steps"]), 1, None):
            raise RuntimeError(f"the formulas could not be compared with plain Python: {lost.reason}")
        self.is_simulated = True

    def _obligations_left(self, obligations: Sequence[Obligation], heard: Heard) -> tuple[list[Obligation], int]:
        """What is still to prove, and of how much there is a proof already."""
        known = {finding.obligation for finding in self.findings}
        fresh, kept = list[Obligation](), 0
        for obligation in obligations:
            if obligation in known:
                continue
            if not self.asked.record and self.cache.has_proof(obligation):
                self._note_finding(ProofFinding(obligation, "proved", 0.0, is_cached=True), heard)
                kept += 1
            else:
                fresh.append(obligation)
        return fresh, kept

    def _checks_of_emptiness(self) -> Iterator[ContradictionCheck]:
        """What may be empty: actions that were not seen to happen, and goals that were not seen to be false."""
        for name in self.actions():
            if name not in self.sample.possible and name not in self._actions_with_spent_budget():
                yield ContradictionCheck(action=name)
        false = {finding.obligation.goal for finding in self.sample.findings}
        for goal in self.goals():
            if goal.name not in false and goal.name not in self.properties_not_claimed:
                yield ContradictionCheck(goal=goal.name)

    def _is_settled(self, doubt: ContradictionCheck) -> bool:
        """Whether the answer to a doubt is kept; it is taken note of then."""
        word = None if self.asked.record else self.cache.known_emptiness(doubt.action, doubt.goal)
        if word is not None:
            self._note_emptiness(doubt, word)
        return word is not None

    def _note_emptiness(self, doubt: ContradictionCheck, word: Emptiness) -> None:
        if word != "full" and doubt.action:
            self.never[doubt.action] = word
        elif word != "full":
            self.idle.append(doubt.goal)

    def _proof_so_far(self, stop_reason: str, seconds: float) -> Proof:
        """What came of it."""
        model, apart = self.model, self.properties_not_claimed
        goals = {goal.name: goal.says for goal in self.goals()}
        found = {finding.obligation.goal for finding in self.findings}
        goals |= {
            goal.name: goal.says for goal in self._asked_properties() if goal.name in apart and goal.name in found
        }
        return Proof(
            model=model.name,
            constants={name: json_constant(value) for name, value in model.values.items()},
            boundless=tuple(name for name in model.constants if name in self.boundless),
            sizes={domain.name: _domain_size(model, domain) for domain in model.domains},
            lemmas=tuple(lemma.name for lemma in self.lemmas),
            actions=self.actions(),
            goals=goals,
            findings=tuple(self.findings),
            never=tuple(action for action in self.actions() if action in self.never),
            unstated_properties=tuple(
                e for e in apart.values() if isinstance(e, UnstatedProperty) and e.goal not in goals
            ),
            symmetric=tuple(sorted(self.symmetric)),
            witnesses=self.sample.states,
            seconds=seconds,
            workers=self.asked.workers,
            stop_reason=stop_reason,
            notes=(*self.cache.notes, *self.hints.notes, *self.notes),
            empty=tuple(self._vacuous_parts(goals)),
            left_out=tuple(e for e in apart.values() if isinstance(e, UnclaimedProperty) and e.goal not in goals),
            known_false=tuple(self._known_false_properties()),
            idle=tuple(lemma.name for lemma in self.lemmas if lemma.name in self.idle),
            above_zero=tuple(
                name for name, constant in model.constants.items() if name in self.boundless and not constant.minimum
            ),
            not_asked=tuple(self._unasked_properties()),
            roomless=fields_without_capacity(model, self.encoding),
            spent=self._actions_with_spent_budget(),
            switched_off=tuple(action.name for action in model.actions if is_never_enabled(self.encoding, action)),
            elsewhere=tuple(
                UnclaimedProperty(name, why) for name, why in self.asked.violations_elsewhere.items() if name in goals
            ),
        )

    def _unasked_properties(self) -> Iterator[str]:
        """The properties that nothing was asked about: others are named, or they are excluded."""
        named, lemmas = {*self.asked.lemmas, *self.asked.properties}, {lemma.name for lemma in self.model.lemmas}
        for prop in self.model.properties:
            if prop.kind == "reachable" or prop.name in lemmas:
                continue
            if prop.name in self.asked.excluded_properties or (named and prop.name not in named):
                yield prop.name

    def _known_false_properties(self) -> Iterator[UnclaimedProperty]:
        """What is known to be false, of what was named, or of everything; what is refuted here needs no record."""
        named = {*self.asked.lemmas, *self.asked.properties}
        refuted = {finding.obligation.goal for finding in self.findings if finding.word == "refuted"}
        for name, reason in self.asked.known_violations.items():
            if name not in {*refuted, *self.asked.excluded_properties} and (not named or name in named):
                yield UnclaimedProperty(name, reason)

    def _vacuous_parts(self, goals: Collection[str]) -> Iterator[VacuousPart]:
        """What makes the proof vacuous."""
        if not self.sample.states:
            yield VacuousPart("", "there is no initial state within the bounds that were given", of_all=True)
        if set(self.actions()) <= set(self._actions_with_spent_budget()):
            yield VacuousPart("", "the constants switch every action off", of_all=True)
        for action in self.actions():
            if action in self.never:
                yield VacuousPart("", f"{action} can never happen: {_EMPTINESS_TEXTS[self.never[action]]}")
        lemmas = {lemma.name for lemma in self.model.lemmas}
        for name in self.idle:
            if name not in lemmas:
                yield VacuousPart(name, "its antecedent is never true, by the lemmas")
        claims = [prop.name for prop in self.model.properties if _is_claim(prop)]
        if claims and not {*self.asked.lemmas, *self.asked.properties} and not set(claims) & set(goals):
            which = (
                "left out, not stated or not asked for" if self.asked.excluded_properties else "left out or not stated"
            )
            yield VacuousPart("", f"no property is proved: each is known to be false, {which}")
        for excluded in self.properties_not_claimed.values():
            if isinstance(excluded, UnclaimedProperty) and excluded.goal in goals:
                yield VacuousPart(excluded.goal, excluded.reason)

    def _note_finding(self, finding: ProofFinding, heard: Heard) -> None:
        if finding.word == "proved" and not finding.is_cached:
            self.cache.keep_proof(finding.obligation, finding.seconds)
        self.findings.append(finding)
        heard(finding)

    def _findings_of(self, result: Any) -> Iterator[ProofFinding]:
        match result:
            case SettledContradiction(doubt=doubt, word=word):
                self.cache.keep_emptiness(doubt.action, doubt.goal, word)
                self._note_emptiness(doubt, word)
            case OpenObligation():
                pass
            case UnstatedProperty(goal=goal, reason=reason):
                raise RuntimeError(f"{goal} was found to have a meaning without bounds, and has none: {reason}")
            case LostTask(task=ContradictionCheck() as doubt, reason=reason):
                self.notes.append(f"whether {doubt.action or doubt.goal} is vacuous is not known: {reason}")
            case LostTask(task=task, reason=reason):
                for obligation in self._unanswered_obligations(cast(Task, task))[:1]:
                    yield ProofFinding(obligation, "not proved", 0.0, reason)
            case _:
                yield self._confirmed_finding(cast(FoundCounterexample, result))

    def _confirmed_finding(self, found_counterexample: FoundCounterexample) -> ProofFinding:
        """A finding of a process, its counterexample as plain Python has it."""
        if (
            found_counterexample.word == "proved"
            and self.asked.record
            and found_counterexample.obligation.kind != "initial"
        ):
            self.hints.note_needed_lemmas(found_counterexample.obligation, found_counterexample.needed_lemmas)
        against = None
        if found_counterexample.sketch is not None:
            against = self._place_on_run(
                confirm_counterexample(self.instances, found_counterexample.obligation, found_counterexample.sketch),
                found_counterexample.sketch.copy,
            )
        seconds = found_counterexample.seconds + self.spent.get(found_counterexample.obligation, 0.0)
        return ProofFinding(
            found_counterexample.obligation, found_counterexample.word, seconds, found_counterexample.reason, against
        )

    def _place_on_run(self, counterexample: Counterexample, copy: int) -> Counterexample:
        """A counterexample to induction, from an initial state where a run leads to it; else with what is known of
        that."""
        if counterexample.reachable:
            return counterexample
        if copy not in self._reach:
            self._reach[copy] = StatesWithinReach(self.instances[copy])
        reach, start = self._reach[copy], counterexample.run.start
        way = reach.run_to(start)
        if way is not None:
            return replace(counterexample, run=Run(way.start, (*way.steps, *counterexample.run.steps)), reachable=True)
        where = f" with {sizes}" if (sizes := self.instances.bounds_text(copy)) else ""
        met = f"{len(reach):,} state" + "s" * (len(reach) != 1)
        says = f"No run{where} leads to that state: all {met} were looked at."
        if not reach.complete:
            says = f"Whether a run{where} leads to that state is not known: it is none of the first {met}."
        return replace(counterexample, reachability=says)

    def prover_inputs(self) -> ProverInputs:
        """What one process proves with."""
        return ProverInputs(
            self.instances, self.model, self.symmetric, self.hints, self.asked.effort, self.asked.record
        )

    def _prover_maker(self) -> Callable[[Task | ContradictionCheck], Iterator[Result]]:
        return Prover(
            self.prover_inputs(), ReachedStates(self.bounded_model, self.sample.sampled_states, self.sample.pairs)
        ).answer_task


def _is_free_of_formulas(result: Result | LostTask) -> bool:
    """Whether a result rests on no formula: plain Python confirms what refutes, and what is open says nothing."""
    return isinstance(result, OpenObligation) or (isinstance(result, FoundCounterexample) and result.word == "refuted")


def _checks_settled_by(result: Result | LostTask) -> Iterator[ContradictionCheck]:
    """The doubts that a result settles."""
    if isinstance(result, SettledContradiction):
        yield result.doubt
    elif isinstance(result, LostTask) and isinstance(result.task, ContradictionCheck):
        yield result.task


def _tasks(obligations: Sequence[Obligation]) -> Iterator[Task]:
    """A few obligations at a time, all about one action."""
    for _, group in itertools.groupby(obligations, lambda obligation: obligation.action):
        while some := tuple(itertools.islice(group, _OBLIGATIONS_PER_TASK)):
            yield Task(some)


def _suspects(obligations: Sequence[Obligation]) -> Iterator[Task]:
    """All obligations about one action at a time."""
    for _, group in itertools.groupby(obligations, lambda obligation: obligation.action):
        yield Task(tuple(group), suspect=True)


def _domain_size(model: Model, domain: Identity) -> int:
    return domain.size if domain.size_open is None else domain.size_open.value(model.values)


def _symmetric_domains(model: Model) -> frozenset[str]:
    """The domains whose members no action, lemma or property can distinguish. In formulas without bounds
    every round of a loop over them has to be defined (explorer/definedness.py)."""
    whole = replace(model, properties=(*model.properties, *model.lemmas))
    return frozenset(domain.name for domain in symmetry_of(whole, rounds_are_defined=True).domains)


def _is_claim(prop: Property) -> bool:
    """Whether a property is one to prove: no witness."""
    return prop.kind != "reachable"
