"""The plain engine: breadth first on the judge. Some thousand states a second, and nothing in it to doubt.

It answers the same questions as the native engine in the same words, so that the two can be compared; it is also the
engine for a model that is being debugged with `print` and `pdb`.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..language import ir
from ..language.guards import Probes, guards_of
from ..language.judge import (
    StoppedStep,
    attempt,
    bound_crossed,
    deadlock,
    guard_probes,
    holds,
    initial_states,
    instances,
    is_stopped_by_bounds,
    state_shape,
)
from ..language.model import Action, Model, Property
from ..language.source import NoSourceError
from ..language.values import ModelError, State
from ..language.verdict import ActionCoverage, Failure, GuardCoverage, Level, Run, Step, Verdict
from ..language.where import Where
from .liveness.answers import PropertyAnswer, answer_questions, answers_where_bounds_end_runs
from .liveness.graph import IncompleteGraphError
from .liveness.plain_graph import UndefinedPredicateError, explore_plain_graph
from .liveness.questions import questions_of
from .memory_limits import memory_for_search
from .projections import projection_of
from .renaming import canonical_keys
from .search import Progress, Report, Search, interrupt_text, time_limit_text
from .symmetry import Symmetry, symmetry_of
from .verdicts import Ending, notes_of, peak_memory_bytes, step_bound_text, verdict_of

REPORT_SECONDS = 0.1
CHOICES_BETWEEN_LOOKS = 1024
"""Choices of one state that are tried between two looks at the time and the memory."""


def check(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Explores every reachable state of the model, checking every property, until something fails or a limit is met.

    Ctrl-C ends the search as inconclusive, with what was explored so far.
    """
    exploration = _Exploration(model, search, report)
    exploration.run()
    return exploration.verdict()


class _SearchEndedError(Exception):
    """The search is over before every state was expanded."""


@dataclass(slots=True)
class _Tally:
    """What happened to one action's instances."""

    firings: int = 0
    reached_budget: int = 0
    budget_passes: int = 0
    step_bound_stops: Counter[str] = field(default_factory=Counter[str])
    probes: Probes = field(default_factory=Probes)


class _Exploration:
    """One search: the states found, in order, each with the step that found it."""

    def __init__(self, model: Model, search: Search, report: Report | None) -> None:
        self.model = model
        self.search = search
        self.report = report
        self.symmetry = symmetry_of(model) if search.symmetry else Symmetry((), ())
        self.projection = projection_of(model, search)
        self.key = canonical_keys(model, self.symmetry.domains) if self.symmetry.domains else _same_state
        if self.projection is not None:
            self.key = self.projection.run
        self.states: list[State] = []
        self.origins: list[tuple[int, str, Mapping[str, Any]] | None] = []
        self.index: dict[Any, int] = {}
        self.tallies = {action.name: _Tally() for action in model.actions}
        self.functions = {action.name: self._insert_probes(action) for action in model.actions}
        self.levels: list[Level] = []
        self.runs: dict[str, Run] = {}
        self.failure: Failure | None = None
        self.deadlock = False
        self.held = 0
        self.exhausted = False
        self.expanded = 0
        self.beyond = Counter[str]()
        self.stopped: str | None = None
        self.began = self.reported = time.monotonic()
        self.seconds = 0.0
        self.memory = peak_memory_bytes()
        self.most_memory = search.memory_bytes or self.memory + memory_for_search()
        self._sort_properties()

    def _sort_properties(self) -> None:
        applicable = [prop for prop in self.model.properties if prop.applicable]
        self.invariants = [prop for prop in applicable if prop.kind == "invariant"]
        self.transitions = [prop for prop in applicable if prop.kind == "transition"]
        self.witnesses = [prop for prop in applicable if prop.kind == "reachable"]

    def _insert_probes(self, action: Action) -> Callable[..., None]:
        """The action with probes on its guards, which count; without, when its text cannot be read any more."""
        try:
            function, probes = guard_probes(self.model, action)
        except NoSourceError:
            return action.run
        probes.restart()
        self.tallies[action.name].probes = probes
        return function

    # --- the search ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Explores, and notes how the search ended."""
        try:
            self._expand_all()
            self.exhausted = True
        except _SearchEndedError:
            pass
        except KeyboardInterrupt as interrupt:
            self.stopped = interrupt_text(interrupt)
        finally:
            self.seconds = time.monotonic() - self.began

    def _expand_all(self) -> None:
        at = 0
        began = time.monotonic()
        self._keep_initial_states()
        while at < len(self.states):
            end = len(self.states)
            now = time.monotonic()
            self.levels.append(Level(len(self.levels) + 1, end - at, now - began))
            began = now
            try:
                for number in range(at, end):
                    self._expand_state(number)
                    self._mind_limits(number)
            except (_SearchEndedError, KeyboardInterrupt):
                self._cut_level(end, began)
                raise
            at = end

    def _cut_level(self, begin: int, began: float) -> None:
        """Notes the level that the end of the search cuts short: what was found of it is counted too."""
        if len(self.states) > begin:
            self.levels.append(Level(len(self.levels) + 1, len(self.states) - begin, time.monotonic() - began))

    def _keep_initial_states(self) -> None:
        for state in list(initial_states(self.model)):
            self._keep_state(state, None)

    def _expand_state(self, number: int) -> None:
        state = self.states[number]
        self.expanded += 1
        if self._is_beyond_bound(number, state):
            return
        moved = held = False
        attempts: list[tuple[Action, Mapping[str, Any], State | StoppedStep]] = []
        for tried, (action, arguments) in enumerate(instances(self.model, state), 1):
            attempts.append((action, arguments, self._attempt_step(number, state, action, arguments)))
            if tried % CHOICES_BETWEEN_LOOKS == 0:
                self._mind_limits(number)
        # all of them first: that a step breaks is said before what another step leads to
        for action, arguments, result in attempts:
            if isinstance(result, StoppedStep):
                held = held or is_stopped_by_bounds(action, result)
                continue
            moved = True
            self._check_step(number, state, action, arguments, result)
            self._keep_state(result, (number, action.name, arguments))
        self.held += held and not moved
        if not moved and not held and self.search.deadlocks and not self.deadlock and not self._may_end(number, state):
            self.deadlock = True
            self.failure = deadlock(self.model, self._run_to_state(number))
            self._end_at_violation()

    def _is_beyond_bound(self, number: int, state: State) -> bool:
        """Whether a state lies beyond a `@bound`: asked once, before the actions, and counted."""
        try:
            crossed = bound_crossed(self.model, state)
        except ModelError as error:
            raise self._error_at_broken_step(error, number) from error
        if crossed is not None:
            self.beyond[crossed] += 1
            self.held += 1
        return crossed is not None

    def _attempt_step(
        self, number: int, state: State, action: Action, arguments: Mapping[str, Any]
    ) -> State | StoppedStep:
        tally = self.tallies[action.name]
        spent = action.budget is not None and getattr(state, state_shape(self.model).budgets[action.budget]) == 0
        try:
            result = attempt(self.model, state, action, arguments, self.functions[action.name])
        except ModelError as error:
            raise self._error_at_broken_step(error, number, action.name, arguments) from error
        if not isinstance(result, StoppedStep):
            tally.firings += 1
        elif result.step_bound is not None:
            tally.step_bound_stops[result.step_bound] += 1
        if not isinstance(result, StoppedStep) or result.is_limit:
            tally.reached_budget += 1
            tally.budget_passes += not spent
        return result

    def _check_step(
        self, number: int, state: State, action: Action, arguments: Mapping[str, Any], next_state: State
    ) -> None:
        step = Step(action.name, arguments, next_state)
        broken = [prop for prop in self.transitions if not self._is_property_true(prop, number, state, step)]
        for prop in broken:
            self.runs[prop.name] = self._run_to_state(number, step)
            self.transitions.remove(prop)
        if broken:
            self._end_at_violation()

    def _keep_state(self, state: State, origin: tuple[int, str, Mapping[str, Any]] | None) -> None:
        """Keeps a state that is new, and checks it."""
        number = len(self.states)
        try:
            key = self.key(state)
        except ModelError as error:
            self._keep(state, origin)
            assert self.projection is not None, "a state's own key is a value of it"
            raise self._error_at_broken_step(error, number, says=f"{self.projection.name}: ") from error
        if key in self.index:
            return
        self.index[key] = number
        self._keep(state, origin)
        met = [prop for prop in self.witnesses if self._is_property_true(prop, number, state)]
        broken = [prop for prop in self.invariants if not self._is_property_true(prop, number, state)]
        for prop in (*met, *broken):
            self.runs[prop.name] = self._run_to_state(number)
        self.witnesses = [prop for prop in self.witnesses if prop not in met]
        self.invariants = [prop for prop in self.invariants if prop not in broken]
        if broken:
            self._end_at_violation()

    def _keep(self, state: State, origin: tuple[int, str, Mapping[str, Any]] | None) -> None:
        self.states.append(state)
        self.origins.append(origin)

    def _end_at_violation(self) -> None:
        """Ends the search, unless it is to go on to what else can go wrong."""
        if not self.search.keep_going:
            raise _SearchEndedError

    def _is_property_true(self, prop: Property, number: int, state: State, step: Step | None = None) -> bool:
        """Whether a property holds at a state, or on a step from it, which a failure's run then ends with."""
        try:
            if step is None:
                return holds(self.model, prop, state)
            return holds(self.model, prop, state, step.state_after, action=step.action)
        except ModelError as error:
            self.failure = Failure(f"{prop.name}: {error.message}", error.where, self._run_to_state(number, step))
            self.deadlock = False
            raise _SearchEndedError from error

    def _may_end(self, number: int, state: State) -> bool:
        return any(self._is_property_true(terminal, number, state) for terminal in self.model.terminals)

    def _error_at_broken_step(
        self,
        error: ModelError,
        number: int,
        action: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        says: str = "",
    ) -> _SearchEndedError:
        self.failure = Failure(says + error.message, error.where, self._run_to_state(number), action, arguments)
        self.deadlock = False
        return _SearchEndedError()

    def _run_to_state(self, number: int, last: Step | None = None) -> Run:
        """The run that found a state, and a last step from there. Every state kept is a real one, never a renamed one,
        so its run is real too."""
        steps: list[Step] = [] if last is None else [last]
        at = number
        while (origin := self.origins[at]) is not None:
            parent, action, arguments = origin
            steps.append(Step(action, arguments, self.states[at]))
            at = parent
        return Run(self.states[at], tuple(reversed(steps)))

    # --- limits and progress ------------------------------------------------------------------------------------------

    def _mind_limits(self, expanded_count: int) -> None:
        now = time.monotonic()
        seconds = now - self.began
        if self.search.seconds is not None and seconds >= self.search.seconds:
            self.stopped = time_limit_text(self.search.seconds)
            raise _SearchEndedError
        if expanded_count % 256 == 0 and peak_memory_bytes() >= self.most_memory:
            self.stopped = f"the memory limit was reached with {len(self.states):,} states"
            raise _SearchEndedError
        if self.report is not None and now - self.reported >= REPORT_SECONDS:
            self.reported = now
            found = len(self.states)
            frontier = found - expanded_count - 1
            self.report(Progress(found, frontier, len(self.levels), found / seconds, peak_memory_bytes(), seconds))

    # --- the verdict --------------------------------------------------------------------------------------------------

    def verdict(self) -> Verdict:
        """What the search found."""
        found, liveness = len(self.states), self._judge_runs()
        grown = max(0, peak_memory_bytes() - self.memory)
        ending = Ending(
            engine="python",
            is_exhausted=self.exhausted,
            stop_reason=self.stopped,
            failure=self.failure,
            deadlock=self.deadlock,
            runs=self.runs,
            distinct=found,
            seconds=self.seconds,
            compile_seconds=0.0,
            bytes_per_state=grown / max(1, found),
            symmetry=tuple(domain.name for domain in self.symmetry.domains),
            actions=tuple(self._coverage_of(action) for action in self.model.actions),
            levels=tuple(self.levels),
            rechecked_states=0,
            held_states=self.held,
            states_beyond=self.beyond.total(),
            notes=(*self.symmetry.refusals, *notes_of(self.search)),
            projection=self.search.projection,
            liveness=liveness,
        )
        return verdict_of(self.model, ending)

    def _judge_runs(self) -> Mapping[str, PropertyAnswer]:
        """What is so of the properties of whole runs, once every state is known."""
        if not self.model.liveness or not self.exhausted or self.projection is not None:
            return {}
        questions = questions_of(self.model)
        try:
            graph = explore_plain_graph(
                self.model,
                questions,
                self.states,
                lambda state: self.index[self.key(state)],
                sum(origin is None for origin in self.origins),
                self._heed_limits,
            )
            found = answer_questions(self.model, questions, graph, self, self._heed_limits)
            return answers_where_bounds_end_runs(found) if self.search.bounds_end_runs else found
        except UndefinedPredicateError as found:
            error = found.error
            where = f"{error.file}:{error.line}"
            self.failure = Failure(f"{found.name}: {error.message}", where, self._run_to_state(found.state))
            self.deadlock = False
            return {}
        except (KeyboardInterrupt, IncompleteGraphError) as ended:
            why = str(ended) if isinstance(ended, IncompleteGraphError) else interrupt_text(ended)
            return {prop.name: PropertyAnswer("undecided", why=why) for prop in self.model.liveness if prop.applicable}

    def _heed_limits(self) -> None:
        """Ends the check of whole runs where time or memory is used up."""
        limit = self.search.seconds
        if limit is not None and time.monotonic() - self.began >= limit:
            raise IncompleteGraphError(time_limit_text(limit))
        if peak_memory_bytes() >= self.most_memory:
            raise IncompleteGraphError(f"the memory limit was reached with {len(self.states):,} states")

    def run_to(self, index: int) -> Run:
        """The run that found a state."""
        return self._run_to_state(index)

    def state(self, index: int) -> State:
        """A state, by its number."""
        return self.states[index]

    def _coverage_of(self, action: Action) -> ActionCoverage:
        tally = self.tallies[action.name]
        if action.switched_off:
            return ActionCoverage(action.name, 0, True, ())
        numbers = {conjunct.where: number for number, conjunct in enumerate(tally.probes.conjuncts)}
        guards: dict[Where, GuardCoverage] = {}
        for guard in guards_of(action.form.body):
            is_limit = isinstance(guard, ir.Limit)
            counts = tally.probes.counts(numbers.get(guard.where))
            if isinstance(guard, ir.Limit) and guard.bound_name is not None:
                before = itertools.takewhile(lambda prop, bound=guard.bound_name: prop.name != bound, self.model.bounds)
                asked = self.expanded - sum(self.beyond[prop.name] for prop in before)
                counts = (asked, asked - self.beyond[guard.bound_name])
            if isinstance(guard, ir.Limit) and guard.budget is not None:
                counts = (tally.reached_budget, tally.budget_passes)
            line = guard.where.outermost().line
            guards[guard.where] = GuardCoverage(guard.text, line, is_limit, *counts)
        found = (*guards.values(), *self._step_bounds(tally))
        return ActionCoverage(action.name, tally.firings, False, found, action.stopped_by)

    def _step_bounds(self, tally: _Tally) -> Iterator[GuardCoverage]:
        """What each bound of steps cut, of the steps that the ones before it let through."""
        asked = tally.firings + tally.step_bound_stops.total()
        for bound in self.model.step_bounds:
            assert bound.form is not None, "a bound reads no ghost"
            line, passed = bound.form.where.outermost().line, asked - tally.step_bound_stops[bound.name]
            yield GuardCoverage(step_bound_text(bound), line, True, asked, passed)
            asked = passed


def _same_state(state: State) -> Any:
    return state
