"""From what the kernel found to a verdict: every run replayed by the judge, a sample of states checked again, coverage
counted."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import factorial, prod
from typing import Literal

from ...language.judge import attempt, bindings, deadlock, holds, initial_states, is_deadlock, is_terminal, steps
from ...language.model import Model, Property
from ...language.values import ModelError, State
from ...language.verdict import (
    ActionCoverage,
    DisagreementError,
    Failure,
    GuardCoverage,
    Level,
    Run,
    Step,
    Verdict,
)
from ..differences import (
    action_says,
    fields_that_differ,
    name_with_line,
    names_with_lines,
    property_differs,
    starts_text,
    why_deadlock,
    why_no_deadlock,
)
from ..liveness.answers import PropertyAnswer
from ..liveness.graph import IncompleteGraphError
from ..renaming import orbit_size
from ..search import Report, Search, interrupt_text
from ..verdicts import Ending, verdict_of
from .frontier import Frontier, decode_words
from .initials_check import InitialStatesCheck
from .kernel import ERROR_BIT, NO_ACTION
from .kernels import Kernel
from .liveness import judge_liveness

Words = tuple[int, ...]
RENAMINGS_RECHECKED = 2_000
"""So many renamings of states are made in plain Python, to count again what those that are kept stand for."""
UNREADABLE = (ModelError, LookupError, ValueError)
"""What decoding raises where words stand for no state of the model."""


@dataclass(slots=True)
class Findings:
    """What a search has found so far. Indexes are those of the store; `failed` and `met` are by property name's bit.
    `orbits` is how many states are kept, where each of them was counted as all that it stands for."""

    compile_seconds: float
    is_cached: bool
    levels: list[Level] = field(default_factory=list[Level])
    invariants: dict[int, int] = field(default_factory=dict[int, int])
    witnesses: dict[int, int] = field(default_factory=dict[int, int])
    crossed_bounds: int = 0
    deadlock: int | None = None
    error: int | None = None
    property_error: int | None = None
    has_violation: bool = False
    is_exhausted: bool = False
    stop_reason: str | None = None
    seconds: float = 0.0
    symmetry: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list[str])
    orbits: int | None = None

    @property
    def is_done(self) -> bool:
        """Whether there is nothing more to do."""
        broken = self.error is not None or self.property_error is not None
        return broken or self.has_violation or self.is_exhausted or self.stop_reason is not None

    def note_stop(self, why: str) -> None:
        """The search ended before everything was explored."""
        self.stop_reason = why

    def note_failure(self, kind: Literal["invariants", "witnesses"], bits: int, index: int) -> None:
        """State `index` is the first that violates (or witnesses) the properties in `bits`."""
        known = self.invariants if kind == "invariants" else self.witnesses
        for bit in range(bits.bit_length()):
            if bits >> bit & 1:
                known.setdefault(bit, index)


class Confirmation:
    """Replays what the kernel found in plain Python; raises `DisagreementError` where plain Python says otherwise."""

    def __init__(self, model: Model, frontier: Frontier) -> None:
        self.model, self.frontier = model, frontier
        self._reached: dict[tuple[int, Words], Run] = {}  # walks use an index again, for another state

    def words_of(self, state: State) -> Words:
        """The words that stand for a plain-Python state's orbit."""
        return self.frontier.canonical_words(self.frontier.encode(state))

    def run_to(self, index: int) -> Run:
        """The run that leads to state `index`, from a real initial state, matched by canonical form."""
        path = [(number, self.frontier.state_words(number)) for number in self.frontier.path_to(index)]
        if path[0] not in self._reached:
            self._reached[path[0]] = Run(self._initial_state_of(path[0][1]), ())
        run = self._reached[path[0]]
        for (_, source), at in itertools.pairwise(path):
            if at not in self._reached:
                step = self.step_to(run.states()[-1], source, at[1])
                self._reached[at] = Run(run.start, (*run.steps, step))
            run = self._reached[at]
        return run

    def state(self, index: int) -> State:
        """A state of the store, as its words say."""
        return decode_words(self.model, self.frontier.program, self.frontier.state_words(index))

    def _initial_state_of(self, words: Words) -> State:
        """The initial state that words stand for."""
        starts = InitialStatesCheck(self.model, self.frontier)
        if starts.counts:
            found = starts.state_of(words)
            if found is not None and self.words_of(found) == words:
                return found
        for state in initial_states(self.model):
            if self.words_of(state) == words:
                return state
        raise DisagreementError(
            f"the kernel starts from {self.state_text(words)}: no such state in {starts_text(self.model)}"
        )

    def step_to(self, state: State, source: Words, words: Words) -> Step:
        """The first step in plain Python from `state`, whose orbit is that of `source`, to the orbit of `words`: of the
        actions by which the kernel goes there, or else of any other."""
        mine = self.frontier.successors(source)
        via = dict.fromkeys(action for action, after in mine or () if after == words)
        for step in itertools.chain(self._steps_by(state, via), steps(self.model, state)):
            if self.words_of(step.state_after) == words:
                return step
        message = (
            f"no step of plain Python leads from {state} to {self.state_text(words)}, which the kernel reached by "
        )
        by = self._instances_text(state, via) if via else "a step that it does not take again"
        raise DisagreementError(message + by)

    def _steps_by(self, state: State, names: Collection[str]) -> Iterator[Step]:
        """The steps of some actions, in the order of all."""
        for action in self.model.actions:
            for arguments in bindings(self.model, action, state) if action.name in names else ():
                after = attempt(self.model, state, action, arguments)
                if isinstance(after, State):
                    yield Step(action.name, arguments, after)

    def _instances_text(self, state: State, names: Iterable[str]) -> str:
        """Actions with their lines, and what becomes of each of their instances in plain Python."""
        actions = [self.model.action(name) for name in names]
        places = ", ".join(name_with_line(action.name, action.form.where) for action in actions)
        said = "\n  ".join(action_says(self.model, state, action) for action in actions)
        return f"{places}; in plain Python:\n  {said}"

    def state_text(self, words: Words) -> str:
        """A state for people; its words where they stand for none."""
        try:
            return repr(decode_words(self.model, self.frontier.program, words))
        except UNREADABLE as error:
            return f"the words {', '.join(map(hex, words))}, which are not a state of the model ({error}),"

    def confirm_invariant(self, prop: Property, index: int) -> Run:
        """The counterexample to an invariant, confirmed."""
        run = self.run_to(index)
        if holds(self.model, prop, run.states()[-1]):
            raise DisagreementError(difference_text(prop, False, True, run.states()[-1]))
        return run

    def confirm_witness(self, prop: Property, index: int) -> Run:
        """The example of a witness, confirmed."""
        run = self.run_to(index)
        if not holds(self.model, prop, run.states()[-1]):
            raise DisagreementError(difference_text(prop, True, False, run.states()[-1]))
        return run

    def confirm_transition(self, prop: Property, bit: int) -> Run:
        """The counterexample to a transition property, confirmed."""
        source, words = self.frontier.first_broken_edge(bit)
        run, target = self.run_to(source), self.frontier.canonical_words(words)
        before = run.states()[-1]
        for step in steps(self.model, before):
            if self.words_of(step.state_after) == target and not holds(
                self.model, prop, before, step.state_after, action=step.action
            ):
                return Run(run.start, (*run.steps, step))
        raise DisagreementError(f"{difference_text(prop, False, True, before)}, for every step from there")

    def confirm_deadlock(self, index: int) -> Failure:
        """The run into a deadlock, confirmed."""
        run = self.run_to(index)
        if not is_deadlock(self.model, run.states()[-1]):
            raise DisagreementError(self._why_no_deadlock(run.states()[-1]))
        return deadlock(self.model, run)

    def _why_no_deadlock(self, state: State) -> str:
        return f"nothing can happen natively at {state}, but in plain Python {why_no_deadlock(self.model, state)}"

    def model_error(self, index: int) -> Failure:
        """The run to a state where a step breaks the model's types, and the step."""
        run = self.run_to(index)
        try:
            for step in steps(self.model, run.states()[-1]):
                failure = self._transition_error(run, step)
                if failure is not None:
                    return failure
        except ModelError as error:
            return Failure(error.message, f"{error.file}:{error.line}", run, error.action, error.arguments)
        raise DisagreementError(self._broken_step_text(run.states()[-1]))

    def _broken_step_text(self, state: State) -> str:
        """What a step breaks natively, and becomes in plain Python."""
        number, message = self.frontier["BROKE"], f"a step from {state} breaks the model's types natively: "
        if number != NO_ACTION:
            return message + self._instances_text(state, [self.frontier.program.plans[number].form.name])
        return (
            f"{message}one of the @bounds {names_with_lines(self.model.bounds)} cannot be evaluated; in plain "
            f"Python they can"
        )

    def _transition_error(self, run: Run, step: Step) -> Failure | None:
        """A transition property, still watched, that cannot be evaluated on a step from the end of a run; the failure's
        run has the step."""
        for bit, prop in enumerate(self.frontier.program.transitions):
            if self.frontier["WATCH"] >> bit & 1:
                try:
                    holds(self.model, prop, run.states()[-1], step.state_after, action=step.action)
                except ModelError as error:
                    ended = Run(run.start, (*run.steps, step))
                    return Failure(f"{prop.name}: {error.message}", f"{error.file}:{error.line}", ended)
        return None

    def property_error(self, index: int) -> Failure:
        """The run to a state at which a property cannot be evaluated."""
        run = self.run_to(index)
        for prop in (*self.model.properties, *self.model.terminals):
            if prop.kind == "transition" or not prop.applicable:
                continue
            try:
                holds(self.model, prop, run.states()[-1])
            except ModelError as error:
                return Failure(f"{prop.name}: {error.message}", f"{error.file}:{error.line}", run)
        raise DisagreementError(self._unevaluated_property(index, run.states()[-1]))

    def _unevaluated_property(self, index: int, state: State) -> str:
        """Which property the kernel cannot evaluate at a state where plain Python can, and its value there."""
        words, program = self.frontier.state_words(index), self.frontier.program
        for name, properties in (("invariants", program.invariants), ("witnesses", program.witnesses)):
            for bit, prop in enumerate(properties):
                if self.frontier.property_bits(name, words, 1 << bit) & ERROR_BIT:
                    return difference_text(prop, None, self._property_value(prop, state), state)
        values = [
            difference_text(terminal, None, self._property_value(terminal, state), state)
            for terminal in self.model.terminals
        ]
        return " or ".join(values)

    # --- the sample ---------------------------------------------------------------------------------------------------

    def recheck_state(self, index: int, heed: Callable[[], None] | None = None) -> None:
        """Judge one state again: its steps action by action, and every property. `heed` is called between two choices,
        of which one state may have a million, and ends it by raising."""
        words = self.frontier.state_words(index)
        state = self._decode_state(index, words)
        taken = self._steps_of_judge(words, state, heed)
        self._recheck_steps(words, state, taken)
        if not taken and self.frontier["DEADLOCKS"] and is_deadlock(self.model, state):
            why = (
                "a run may end there"
                if self.frontier.terminal_value(words) == 1
                else "a limit stops what would happen there"
            )
            raise DisagreementError(
                f"natively {why}: {state}\n  in plain Python it is a deadlock: {why_deadlock(self.model, state)}"
            )
        program = self.frontier.program
        for name, properties, expected in (
            ("invariants", program.invariants, False),
            ("witnesses", program.witnesses, True),
        ):
            whole = self.frontier.property_bits(name, words, (1 << len(properties)) - 1)
            for bit, prop in enumerate(properties):
                # of several, one that cannot be evaluated hides the others
                found = self.frontier.property_bits(name, words, 1 << bit) if whole & ERROR_BIT else whole & 1 << bit
                mine = None if found & ERROR_BIT else (found != 0) == expected
                self._check_same_answer(prop, mine, self._property_value(prop, state), state)
        ends = self.frontier.terminal_value(words)
        if ends != 2:
            for terminal in self.model.terminals if (ends == 1) != is_terminal(self.model, state) else ():
                self._check_same_answer(terminal, ends == 1, self._property_value(terminal, state), state)

    def _decode_state(self, index: int, words: Words) -> State:
        """The state that words stand for."""
        try:
            state = decode_words(self.model, self.frontier.program, words)
        except UNREADABLE as error:
            raise DisagreementError(
                f"state {index} is {self.state_text(words)} though the kernel reached it"
            ) from error
        if self.words_of(state) != words:
            again = decode_words(self.model, self.frontier.program, self.words_of(state))
            differ = fields_that_differ(state, again, "in the store")
            raise DisagreementError(f"state {index}, {state}, is another one once it is encoded again: {differ}")
        return state

    def _steps_of_judge(self, words: Words, state: State, heed: Callable[[], None] | None) -> list[Step]:
        """The judge's steps. One that breaks the model must break natively too, and the search then reports it."""
        try:
            return list(steps(self.model, state, heed))
        except ModelError as error:
            if self.frontier.successors(words) is None:
                raise
            message = (
                f"{error.action} ({error.where}): {error.message} in plain Python, and nothing natively, at {state}"
            )
            raise DisagreementError(message) from error

    def _recheck_steps(self, words: Words, state: State, theirs: list[Step]) -> None:
        watched = self.frontier["WATCH"]  # those that held throughout
        mine = self.frontier.successors(words)
        expected = Counter((step.action, self.words_of(step.state_after)) for step in theirs)
        if mine is None:
            raise DisagreementError(self._broken_step_text(state))
        if Counter(mine) != expected:
            raise DisagreementError(self._differing_actions_text(state, Counter(mine), expected))
        for bit, prop in enumerate(self.frontier.program.transitions):
            if watched >> bit & 1:
                held = all(holds(self.model, prop, state, step.state_after, action=step.action) for step in theirs)
                self._check_same_answer(prop, self.frontier["CROSSED"] >> bit & 1 == 0, held, state)

    def _check_same_answer(self, prop: Property, mine: bool | None, theirs: bool | None, state: State) -> None:
        if mine != theirs:
            raise DisagreementError(difference_text(prop, mine, theirs, state))

    def _property_value(self, prop: Property, state: State) -> bool | None:
        """A property's value in plain Python; None where it cannot be evaluated: that matters only while it is open."""
        try:
            return holds(self.model, prop, state)
        except ModelError:
            return None

    def _differing_actions_text(
        self, state: State, mine: Counter[tuple[str, Words]], theirs: Counter[tuple[str, Words]]
    ) -> str:
        """Which actions the kernel and the judge see differently, and where each leads."""
        lines = [
            f"{action}: {who} reaches {self.state_text(words)}"
            for who, differences in (("only the kernel", mine - theirs), ("only plain Python", theirs - mine))
            for action, words in differences
        ]
        found = sorted({action for action, _ in (mine - theirs) + (theirs - mine)})
        actions = ", ".join(name_with_line(name, self.model.action(name).form.where) for name in found)
        return f"{actions}: the kernel and plain Python disagree at {state}\n  " + "\n  ".join(lines)


def difference_text(prop: Property, mine: bool | None, theirs: bool | None, state: State) -> str:
    """What is said where a property has one value natively and another in plain Python."""
    return property_differs(prop, mine, theirs, state)


def conclude(
    model: Model, search: Search, kernel: Kernel, frontier: Frontier, findings: Findings, report: Report | None = None
) -> Verdict:
    """The verdict of a finished search, once the properties of whole runs were checked on what it has explored."""
    program, confirm = kernel.program, Confirmation(model, frontier)
    failure = _confirmed_failure(confirm, findings)
    runs: dict[str, Run] = {}
    for bit, index in findings.invariants.items():
        runs[program.invariants[bit].name] = confirm.confirm_invariant(program.invariants[bit], index)
    for bit, prop in enumerate(program.transitions):
        if findings.crossed_bounds >> bit & 1:
            runs[prop.name] = confirm.confirm_transition(prop, bit)
    for bit, index in findings.witnesses.items():
        runs[program.witnesses[bit].name] = confirm.confirm_witness(program.witnesses[bit], index)
    rechecked = _recheck_sample(confirm, search, findings, frontier["COUNT"])
    liveness: Mapping[str, PropertyAnswer] = {}
    if model.liveness and findings.is_exhausted and search.projection is None:
        try:
            judgement = _judge_liveness(model, search, kernel, confirm, findings, report)
            failure, liveness = (judgement, liveness) if isinstance(judgement, Failure) else (failure, judgement)
        except IncompleteGraphError as why:
            liveness = {
                prop.name: PropertyAnswer("undecided", why=str(why)) for prop in model.liveness if prop.applicable
            }
    distinct = frontier["COUNT"] if findings.orbits is None else sum(level.states or 0 for level in findings.levels)
    ending = Ending(
        engine="native", is_exhausted=findings.is_exhausted, stop_reason=findings.stop_reason, failure=failure,
        deadlock=findings.deadlock is not None, runs=runs, distinct=distinct, seconds=findings.seconds,
        compile_seconds=findings.compile_seconds,
        bytes_per_state=frontier.bytes_used() / max(1, distinct), symmetry=findings.symmetry,
        orbits=findings.orbits,
        levels=tuple(findings.levels), rechecked_states=rechecked, notes=tuple(findings.notes),
        actions=coverage_of(model, kernel, frontier), held_states=frontier.counter(program.held_states),
        projection=search.projection,
        states_beyond=sum(map(frontier.counter, program.states_beyond)), liveness=liveness,
    )  # fmt: skip
    return verdict_of(model, ending)


def _judge_liveness(
    model: Model, search: Search, kernel: Kernel, confirm: Confirmation, findings: Findings, report: Report | None
) -> Mapping[str, PropertyAnswer] | Failure:
    """What is so of the properties of whole runs. Memory and time of the search hold for this too."""
    frontier, started = confirm.frontier, time.perf_counter()
    steps = sum(action.firings for action in coverage_of(model, kernel, frontier))

    def note_compile_time(seconds: float) -> None:
        nonlocal started
        findings.compile_seconds, started = findings.compile_seconds + seconds, started + seconds

    def heed() -> None:
        if search.seconds is not None and findings.seconds + time.perf_counter() - started >= search.seconds:
            raise IncompleteGraphError(f"the time limit of {search.seconds:g} s was reached")

    try:
        return judge_liveness(
            model, search, frontier, confirm, findings.symmetry, frontier.limit, steps, note_compile_time, report, heed
        )
    except KeyboardInterrupt as interrupt:
        raise IncompleteGraphError(interrupt_text(interrupt)) from None
    finally:
        findings.seconds += time.perf_counter() - started


def _confirmed_failure(confirm: Confirmation, findings: Findings) -> Failure | None:
    if findings.error is not None:
        return confirm.model_error(findings.error)
    if findings.property_error is not None:
        return confirm.property_error(findings.property_error)
    if findings.deadlock is not None:
        return confirm.confirm_deadlock(findings.deadlock)
    return None


def _recheck_sample(confirm: Confirmation, search: Search, findings: Findings, count: int) -> int:
    """Re-check a seeded sample of an exhausted search, as far as the limit of time goes; how many states."""
    if not findings.is_exhausted:
        return 0
    choices = sum(plan.fan_out() for plan in confirm.frontier.program.plans)
    size = min(search.recheck, count, max(1, CHOICES_RECHECKED // max(1, choices)))
    chosen = sorted(random.Random(search.seed).sample(range(count), size))
    began, done = time.perf_counter(), 0

    def heed() -> None:
        if search.seconds is not None and findings.seconds + time.perf_counter() - began >= search.seconds:
            raise _SampleCutError

    try:
        _recheck_starts(confirm, search, heed)
        for index in chosen:
            heed()
            confirm.recheck_state(index, heed)
            done += 1
    except _SampleCutError:
        findings.notes.append(_SAMPLE_CUT.format(done, len(chosen)))
    chosen = chosen[:done]
    if findings.orbits is not None:
        _recheck_weights(confirm, findings, chosen)
    return len(chosen)


class _SampleCutError(Exception):
    """Time is out while plain Python checks a sample again."""


CHOICES_RECHECKED = 10_000_000
"""So many choices of actions plain Python tries again at most, which takes it a minute, or those of one state."""
_SAMPLE_CUT = "time sufficed for {} of the {} states that plain Python was to check again"


def _recheck_weights(confirm: Confirmation, findings: Findings, chosen_states: Sequence[int]) -> None:
    """Counts again, of a sample of the states that are kept, how many each stands for: by renaming it in every way."""
    domains = tuple(domain for domain in confirm.model.domains if domain.name in findings.symmetry)
    count, renamings = orbit_size(confirm.model, domains), prod(factorial(domain.size) for domain in domains)
    for index in chosen_states[: max(1, RENAMINGS_RECHECKED // renamings)]:
        mine, state = confirm.frontier.orbit_state_count(index, index + 1), confirm.state(index)
        if mine != (theirs := count(state)):
            raise DisagreementError(f"{state} stands for {mine} states natively, and for {theirs} in plain Python")


def _recheck_starts(confirm: Confirmation, search: Search, heed: Callable[[], None]) -> None:
    """Re-check a seeded sample of the initial states, where the kernel makes them."""
    starts = InitialStatesCheck(confirm.model, confirm.frontier)
    combinations = range(sum(starts.counts))
    for number in sorted(random.Random(search.seed).sample(combinations, min(search.recheck, len(combinations)))):
        heed()
        starts.recheck_combination(number)


def coverage_of(model: Model, kernel: Kernel, frontier: Frontier) -> tuple[ActionCoverage, ...]:
    """What each action did in the states that were expanded, as the frontier's counters say."""
    plans, expanded = {plan.coverage.name: plan.coverage for plan in kernel.program.plans}, frontier["NEXT"]
    if kernel.counts_every_state:
        expanded = frontier.counter(kernel.program.expanded_states)
    covered = list[ActionCoverage]()
    for action in model.actions:
        counters = plans.get(action.name)
        if counters is None or action.switched_off:
            covered.append(ActionCoverage(action.name, 0, True, ()))
            continue
        guards = tuple(
            GuardCoverage(
                guard.text, guard.line, guard.is_limit, guard.times * (expanded if guard.base is None else
                frontier.counter(guard.base)), frontier.counter(guard.passes),
            )
            for guard in counters.guards
        )  # fmt: skip
        covered.append(
            ActionCoverage(action.name, frontier.counter(counters.firings), False, guards, action.stopped_by)
        )
    return tuple(covered)
