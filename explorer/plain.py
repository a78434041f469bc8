"""The plain engine: breadth first on the judge. Some thousand states a second, and nothing in it to doubt.

It answers the same questions as the native engine in the same words, so that the two can be compared; it is also the
engine for a model that is being debugged with `print` and `pdb`.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..language import ir
from ..language.guards import Probes, guards_of
from ..language.judge import Stopped, attempt, guard_probes, holds, initial_states, instances, is_terminal, shape_of
from ..language.model import Action, Model, Property
from ..language.source import NoSource
from ..language.values import ModelError, State
from ..language.verdict import (
    ActionCoverage,
    Failure,
    GuardCoverage,
    Level,
    Outcome,
    PropertyVerdict,
    Run,
    Step,
    Verdict,
    Word,
)
from .renaming import canonical_keys
from .search import Progress, Report, Search


def check(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Explores every reachable state of the model, judging every property, until something fails or a limit is met.

    Ctrl-C ends the search as inconclusive, with what was explored so far.
    """
    exploration = _Exploration(model, search, report)
    exploration.run()
    return exploration.verdict()


class _Ended(Exception):
    """The search is over before every state was expanded."""


@dataclass(slots=True)
class _Tally:
    """What happened to one action's instances."""

    fired: int = 0
    reached_budget: int = 0
    within_budget: int = 0
    probes: Probes = field(default_factory=Probes)


class _Exploration:
    """One search: the states found, in order, each with the step that found it."""

    def __init__(self, model: Model, search: Search, report: Report | None) -> None:
        self.model = model
        self.search = search
        self.report = report
        self.domains = tuple(each for each in model.domains if each.symmetric) if search.symmetry else ()
        self.key = canonical_keys(model, self.domains) if self.domains else _itself
        self.states: list[State] = []
        self.origins: list[tuple[int, str, Mapping[str, Any]] | None] = []
        self.index: dict[Any, int] = {}
        self.tallies = {action.name: _Tally() for action in model.actions}
        self.runs = {action.name: self._probed(action) for action in model.actions}
        self.transitions = 0
        self.levels: list[Level] = []
        self.examples: dict[str, Run] = {}
        self.violated: set[str] = set()
        self.failure: Failure | None = None
        self.reason = ""
        self.began = self.reported = time.monotonic()
        self.seconds = 0.0
        self.memory = _resident_bytes()
        self._sort_properties()

    def _sort_properties(self) -> None:
        applicable = [each for each in self.model.properties if each.applicable]
        self.invariants = [each for each in applicable if each.kind == "invariant"]
        self.crossings = [each for each in applicable if each.kind == "transition"]
        self.witnesses = [each for each in applicable if each.kind == "reachable"]

    def _probed(self, action: Action) -> Callable[..., None]:
        """The action with probes on its guards, which count; without, when its text cannot be read any more."""
        try:
            function, probes = guard_probes(self.model, action)
        except NoSource:
            return action.run
        probes.restart()
        self.tallies[action.name].probes = probes
        return function

    # --- the search ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Explores, and notes how the search ended."""
        try:
            self._explore()
        except _Ended:
            pass
        except KeyboardInterrupt:
            self.reason = "interrupted"
        finally:
            self.seconds = time.monotonic() - self.began

    def _explore(self) -> None:
        at = 0
        began = time.monotonic()
        self._begin()
        while at < len(self.states):
            end = len(self.states)
            now = time.monotonic()
            self.levels.append(Level(len(self.levels) + 1, end - at, now - began))
            began = now
            for number in range(at, end):
                self._expand(number)
                self._mind_limits(number)
            at = end

    def _begin(self) -> None:
        try:
            for state in initial_states(self.model):
                self._found(state, None)
        except ModelError as error:
            if not self.states:
                raise
            raise self._broken(error, 0) from error

    def _expand(self, number: int) -> None:
        state = self.states[number]
        moved = limited = False
        for action, arguments in instances(self.model, state):
            result = self._attempt(number, state, action, arguments)
            if isinstance(result, Stopped):
                limited = limited or result.by_limit
                continue
            moved = True
            self.transitions += 1
            self._cross(number, state, action, arguments, result)
            self._found(result, (number, action.name, arguments))
        if not moved and not limited and not self._may_end(number, state):
            self.failure = Failure("nothing can happen here, and no bound is what stops it", "", self._path(number))
            raise _Ended

    def _attempt(self, number: int, state: State, action: Action, arguments: Mapping[str, Any]) -> State | Stopped:
        tally = self.tallies[action.name]
        spent = action.budget is not None and getattr(state, shape_of(self.model).budgets[action.budget]) == 0
        tally.probes.sealed = spent
        try:
            result = attempt(self.model, state, action, arguments, self.runs[action.name])
        except ModelError as error:
            raise self._broken(error, number, action.name, arguments) from error
        if not isinstance(result, Stopped):
            tally.fired += 1
        if not isinstance(result, Stopped) or result.by_limit:
            tally.reached_budget += 1
            tally.within_budget += not spent
        return result

    def _cross(self, number: int, state: State, action: Action, arguments: Mapping[str, Any], after: State) -> None:
        for prop in self.crossings:
            if not self._holds(prop, number, state, after):
                before = self._path(number)
                self._violation(prop, Run(before.start, (*before.steps, Step(action.name, arguments, after))))

    def _found(self, state: State, origin: tuple[int, str, Mapping[str, Any]] | None) -> None:
        """Keeps a state that is new, and judges it."""
        key = self.key(state)
        if key in self.index:
            return
        number = self.index[key] = len(self.states)
        self.states.append(state)
        self.origins.append(origin)
        broken = [prop for prop in self.invariants if not self._holds(prop, number, state)]
        for prop in [prop for prop in self.witnesses if prop.name not in self.examples]:
            if self._holds(prop, number, state):
                self.examples[prop.name] = self._path(number)
        for prop in broken:
            self.examples[prop.name] = self._path(number)
            self.violated.add(prop.name)
        if broken:
            raise _Ended

    def _violation(self, prop: Property, run: Run) -> None:
        self.examples[prop.name] = run
        self.violated.add(prop.name)
        raise _Ended

    def _holds(self, prop: Property, number: int, state: State, after: State | None = None) -> bool:
        try:
            return holds(self.model, prop, state, after)
        except ModelError as error:
            raise self._broken(error, number) from error

    def _may_end(self, number: int, state: State) -> bool:
        try:
            return is_terminal(self.model, state)
        except ModelError as error:
            raise self._broken(error, number) from error

    def _broken(
        self, error: ModelError, number: int, action: str | None = None, arguments: Mapping[str, Any] | None = None
    ) -> _Ended:
        self.failure = Failure(error.message, error.where, self._path(number), action, arguments)
        return _Ended()

    def _path(self, number: int) -> Run:
        """The run that found a state. Every state kept is a real one, never a renamed one, so its run is real too."""
        steps: list[Step] = []
        at = number
        while (origin := self.origins[at]) is not None:
            parent, action, arguments = origin
            steps.append(Step(action, arguments, self.states[at]))
            at = parent
        return Run(self.states[at], tuple(reversed(steps)))

    # --- limits and progress ------------------------------------------------------------------------------------------

    def _mind_limits(self, expanded: int) -> None:
        now = time.monotonic()
        seconds = now - self.began
        if self.search.seconds is not None and seconds >= self.search.seconds:
            self.reason = f"the time limit of {self.search.seconds:g} seconds was met"
            raise _Ended
        if expanded % 256 == 0 and self.search.memory_bytes is not None and self._memory() >= self.search.memory_bytes:
            self.reason = f"the memory limit of {self.search.memory_bytes} bytes was met"
            raise _Ended
        if self.report is not None and now - self.reported >= 1:
            self.reported = now
            found = len(self.states)
            frontier = found - expanded - 1
            self.report(Progress(found, frontier, len(self.levels), found / seconds, self._memory(), seconds))

    def _memory(self) -> int:
        return max(0, _resident_bytes() - self.memory)

    # --- the verdict --------------------------------------------------------------------------------------------------

    def verdict(self) -> Verdict:
        """What the search found."""
        model = self.model
        actions = tuple(self._coverage(action) for action in model.actions)
        properties = tuple(self._judged(prop) for prop in model.properties)
        word, outcome = self._word(actions, properties)
        memory = self._memory()
        return Verdict(
            model=model.name,
            constants=dict(model.values),
            open_constants=tuple(name for name in model.constants if name in model.open),
            ghosts=model.ghosts,
            engine="python",
            verdict=word,
            outcome=outcome,
            assurance=self._assurance(),
            distinct_states=len(self.states),
            transitions=self.transitions,
            depth=len(self.levels),
            seconds=self.seconds,
            compile_seconds=0.0,
            peak_memory_bytes=memory,
            bytes_per_state=memory / max(1, len(self.states)),
            symmetry=tuple(domain.name for domain in self.domains),
            properties=properties,
            actions=actions,
            levels=tuple(self.levels),
            failure=self.failure,
        )

    def _word(
        self, actions: tuple[ActionCoverage, ...], properties: tuple[PropertyVerdict, ...]
    ) -> tuple[Word, Outcome]:
        if self.failure is not None:
            return "violated", "deadlock" if not self.failure.where and self.failure.action is None else "model_error"
        if self.violated:
            return "violated", "safety"
        if self.reason:
            return "inconclusive", "none"
        missing = any(each.verdict == "missing" for each in properties)
        idle = any(each.fired == 0 and not each.switched_off for each in actions)
        return "holds", "vacuous" if missing or idle else "none"

    def _exhausted(self) -> bool:
        return not self.reason and self.failure is None and not self.violated

    def _assurance(self) -> str:
        if self.reason:
            return f"{self.reason} after {len(self.states):,} states at depth {len(self.levels)}"
        if self._exhausted():
            return "exhaustive within bounds"
        runs = [self.examples[name] for name in self.violated]
        runs += [self.failure.run] if self.failure is not None else []
        return f"the shortest counterexample, {min(len(run.steps) for run in runs)} steps"

    def _judged(self, prop: Property) -> PropertyVerdict:
        return PropertyVerdict(prop.name, prop.kind, prop.says, self._finding(prop), self.examples.get(prop.name))

    def _finding(
        self, prop: Property
    ) -> Literal["holds", "violated", "reached", "missing", "not_applicable", "not_checked"]:
        if not prop.applicable:
            return "not_applicable"
        if prop.name in self.violated:
            return "violated"
        if prop.name in self.examples:
            return "reached"
        if not self._exhausted():
            return "not_checked"
        return "missing" if prop.kind == "reachable" else "holds"

    def _coverage(self, action: Action) -> ActionCoverage:
        tally = self.tallies[action.name]
        counts = {(each.line, each.column): at for at, each in enumerate(tally.probes.conjuncts)}
        guards: dict[tuple[int, int, str], GuardCoverage] = {}
        for guard in guards_of(action.form.body):
            place = (guard.where.line, guard.where.column)
            evaluated, passed = tally.probes.counts(counts.get(place))
            is_limit = not isinstance(guard, ir.Require)
            if is_limit and guard.budget is not None:
                evaluated, passed = tally.reached_budget, tally.within_budget
            guards[*place, guard.text] = GuardCoverage(guard.text, guard.where.line, is_limit, evaluated, passed)
        return ActionCoverage(action.name, tally.fired, action.switched_off, tuple(guards.values()))


def _itself(state: State) -> Any:
    return state


def _resident_bytes() -> int:
    """The most memory that this process has had in use."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
