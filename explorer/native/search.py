"""The native engine: breadth first to exhaustion, driven from Python in slices of a tenth of a second.

symmetry -> kernel -> initial states -> levels -> counterexamples replayed by the judge -> a sample re-checked ->
verdict
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from ...language.constants import Value
from ...language.judge import initial_states
from ...language.model import Model
from ...language.verdict import Level, Verdict
from ..projections import projection_of
from ..search import Progress, Report, Search, TimeLimitReason, interrupt_text, time_limit_text
from ..symmetry import Symmetry, symmetry_of
from ..verdicts import notes_of
from .effort import FULL_EFFORT
from .folding import FoldingPace, LateFolding, StopCondition
from .frontier import Frontier, reserve_frontier
from .initials_check import InitialStatesCheck
from .kernel import ERROR_BIT
from .kernels import Kernel, first_kernel, kernel_of
from .masks import cone_masks, masks_of
from .outcome import Findings, conclude
from .program import KernelInterface, rebind_properties
from .workers import FAILURES, STATES_FOR_ONE_WORKER, WorkerPool

FasterKernel: TypeAlias = Callable[[], Kernel]
"""Makes the kernel that a long search goes on with."""

LONG_SEARCH = 1_000_000
"""A search that has expanded so many states goes on with the fast kernel: to compile that takes about as long as these
took."""
SLICE_SECONDS = 0.1
FIRST_SLICE = 20_000
"""States of the first slice, fewer where each has many choices."""
CHOICES_TRIED = 20_000_000
"""So many choices of actions are tried in about a slice's time."""
SURE_STATES, SURE_SECONDS = 1000, 0.02
"""So many states, or so much time, say how long a state takes."""


def check(model: Model, search: Search, report: Report | None = None, enough: StopCondition | None = None) -> Verdict:
    """Explore every reachable state of a bound model and check its properties, or until it is `enough`, see `explore`.

    Ends early, inconclusive, when time or memory is used up or at Ctrl-C, with what was explored. Raises
    `DisagreementError` when plain Python does not confirm what the kernel found.
    """
    if search.symmetry is None:
        return _check_folding_late(model, search, report, enough)
    symmetry = symmetry_of(model) if search.symmetry else Symmetry((), ())
    return _check(model, search, symmetry, report, enough)


def _check(
    model: Model,
    search: Search,
    symmetry: Symmetry,
    report: Report | None,
    enough: StopCondition | None = None,
    *,
    is_weighted: bool = False,
) -> Verdict:
    """As `check`, with the symmetry that is folded; `is_weighted`: each state is counted that one of those kept stands
    for."""
    masks = masks_of(model, projection_of(model, search))
    _announce_compiling(report)
    kernel = first_kernel(model, symmetry.domains, search.cache, masks, is_weighted=is_weighted)

    def load_faster_kernel() -> Kernel:
        return kernel_of(model, symmetry.domains, search.cache, masks=masks, is_weighted=is_weighted)

    return explore(
        model, search, kernel, symmetry, report, enough, None if kernel.effort == FULL_EFFORT else load_faster_kernel
    )


def _check_folding_late(model: Model, search: Search, report: Report | None, enough: StopCondition | None) -> Verdict:
    """As `check` without symmetry, and in less time where a search is long and renamings can be folded: the same
    verdict and counts, and the same counterexamples, which a search without symmetry finds again."""
    started, plain = time.perf_counter(), replace(search, symmetry=False)
    late = LateFolding(model, search, enough)
    whole = _check(model, plain, Symmetry((), ()), report, late.is_enough)
    if late.symmetry is None:
        return replace(whole, notes=(*late.refusals, *whole.notes))
    pace = FoldingPace(whole, enough)
    try:
        left = _search_in_time_left(plain, started)
        folded = _check(model, left, late.symmetry, report, pace.is_enough, is_weighted=True)
    except KeyboardInterrupt as interrupt:  # while the kernel that folds is made
        return _stopped_verdict(whole, interrupt_text(interrupt), is_interrupted=True)
    if pace.is_behind or folded.outcome not in ("none", "vacuous"):
        again = _check(model, _search_in_time_left(plain, started), Symmetry((), ()), report, enough)
        if pace.is_behind or again.outcome not in ("none", "vacuous"):
            return _with_added_time(_with_stated_limit(search, again), whole, folded)
    return _farther_verdict(search, whole, folded)


def _farther_verdict(search: Search, whole: Verdict, folded_verdict: Verdict) -> Verdict:
    """What a search says that has begun again with renamings folded. Where that ended before it came as far as the
    first, it is what the first has found."""
    folded_verdict = _with_stated_limit(search, folded_verdict)
    behind = folded_verdict.verdict == "inconclusive" and (folded_verdict.distinct_states or 0) < (
        whole.distinct_states or 0
    )
    if behind:
        found = replace(
            whole,
            assurance=folded_verdict.assurance,
            stop_reason=folded_verdict.stop_reason,
            is_interrupted=folded_verdict.is_interrupted,
        )
        return _with_added_time(found, folded_verdict)
    return _with_added_time(folded_verdict, whole)


def _with_stated_limit(search: Search, verdict: Verdict) -> Verdict:
    """A verdict that names a limit of time as it was given, and not what was left of it."""
    if search.seconds is None or not isinstance(verdict.stop_reason, TimeLimitReason):
        return verdict
    return _stopped_verdict(verdict, time_limit_text(search.seconds))


def _stopped_verdict(verdict: Verdict, why: str, *, is_interrupted: bool = False) -> Verdict:
    """An inconclusive verdict, with another reason."""
    return replace(verdict, assurance=f"none: {why}", stop_reason=why, is_interrupted=is_interrupted)


def _with_added_time(verdict: Verdict, *others: Verdict) -> Verdict:
    """A verdict with the time of other searches beside its own."""
    seconds = sum(other.seconds for other in others)
    compiled = sum(other.compile_seconds for other in others)
    return replace(verdict, seconds=verdict.seconds + seconds, compile_seconds=verdict.compile_seconds + compiled)


def _search_in_time_left(search: Search, start: float) -> Search:
    """The search, with what is left of its time."""
    if search.seconds is None:
        return search
    return replace(search, seconds=max(0.001, search.seconds - (time.perf_counter() - start)))


def explore(
    model: Model,
    search: Search,
    kernel: Kernel,
    symmetry: Symmetry,
    report: Report | None = None,
    enough: StopCondition | None = None,
    faster: FasterKernel | None = None,
) -> Verdict:
    """As `check`, with a kernel at hand: the model's own, or that of one which differs in values of open constants.
    A search that turns out long goes on with what `faster` gives.

    Between two levels `enough` may end it, given the names of properties that were violated or met, and the number of
    distinct states; a property that is open then is undecided.
    """
    kernel = replace(kernel, program=rebind_properties(kernel.program, model))
    verdict = _search_once(model, search, kernel, symmetry, report, enough, faster)
    if verdict is None:  # several workers found a failure; one finds the same counterexample every time
        verdict = _search_once(model, replace(search, workers=1), kernel, symmetry, report)
    assert verdict is not None
    return verdict


def _search_once(
    model: Model,
    search: Search,
    kernel: Kernel,
    symmetry: Symmetry,
    report: Report | None,
    enough: StopCondition | None = None,
    faster: FasterKernel | None = None,
) -> Verdict | None:
    """One search; None when several workers found a failure."""
    frontier = reserve_frontier(kernel.program, kernel.code, search.memory_bytes)
    try:
        driver = Driver(model, search, kernel, frontier, report, faster)
        driver.run(None if enough is None else lambda: enough(driver.decided_properties(), driver.state_count()))
        if driver.failed:
            return None
        driver.findings.symmetry = tuple(domain.name for domain in symmetry.domains)
        driver.findings.notes += [*symmetry.refusals, *notes_of(search)]
        return conclude(model, search, kernel, frontier, driver.findings, report)
    finally:
        frontier.close()


def states_of_first_slice(program: KernelInterface) -> int:
    """How many states the first slice expands: an action with a million choices tries all of them in each."""
    choices = sum(plan.fan_out() for plan in program.plans)
    return max(1, min(FIRST_SLICE, CHOICES_TRIED // max(1, choices)))


class Driver:
    """One search: levels, limits, progress, and what was found."""

    def __init__(
        self,
        model: Model,
        search: Search,
        kernel: Kernel,
        frontier: Frontier,
        report: Report | None,
        faster: FasterKernel | None = None,
    ) -> None:
        self.faster = faster
        self.model, self.search, self.frontier, self.report = model, search, frontier, report
        self.findings = Findings(compile_seconds=kernel.seconds, is_cached=kernel.is_cached)
        self.started = time.perf_counter()
        self.starts = InitialStatesCheck(model, frontier)
        self.worker_pool = WorkerPool(frontier, search.workers) if search.workers > 1 else None
        self.failed = False
        self.slice = states_of_first_slice(kernel.program)
        self.weighted = kernel.counts_every_state
        self.weights = [0]
        """How many states those stand for that were expanded, before each level: where states are weighed."""
        program = kernel.program
        for name, cell in program.opens.items():
            value = model.values[name]
            frontier.context[cell] = kernel_number(value) & (1 << 64) - 1
        if program.cones is not None and self.worker_pool is not None:
            raise ValueError("a kernel that keeps a cone is for one worker")
        if program.cones is not None:
            for index, mask in enumerate(cone_masks(model, program.layout, program.cones)):
                frontier.context[program.cones.cell + index] = mask
        frontier["CHECK"] = (1 << len(program.invariants)) - 1
        frontier["SEEK"] = (1 << len(program.witnesses)) - 1
        frontier["WATCH"] = (1 << len(program.transitions)) - 1
        frontier["DEADLOCKS"] = int(search.deadlocks)

    @property
    def elapsed_seconds(self) -> float:
        """Since the search began."""
        return time.perf_counter() - self.started

    def run(self, enough: Callable[[], bool] | None = None) -> None:
        """Search until everything is explored or something ends it; or, between two levels, until it is `enough`."""
        try:
            self._begin_with_initial_states()
            while not self.findings.is_done and not self.failed and self._expand_level():
                if enough is not None and not self.findings.is_done and enough():
                    return
        except KeyboardInterrupt as interrupt:
            self.findings.note_stop(interrupt_text(interrupt))
        finally:
            self.findings.seconds = self.elapsed_seconds
            if self.worker_pool is not None:
                self.worker_pool.close()
            if self.weighted:
                self._weigh_levels()

    def _weigh_levels(self) -> None:
        """Has each level have as many states as those of it that are kept stand for."""
        found, begin = self.findings, 0
        for number, level in enumerate(found.levels):
            end = begin + (level.states or 0)
            is_expanded = number + 1 < len(self.weights)
            weight = (
                self.weights[number + 1] - self.weights[number]
                if is_expanded
                else self.frontier.orbit_state_count(begin, end)
            )
            found.levels[number], begin = replace(level, states=weight), end
        found.orbits = self.frontier["COUNT"]

    def state_count(self) -> int:
        """How many states were found, between two levels; where states are weighed, those that wait count one each."""
        count = self.frontier["COUNT"]
        return count - self.frontier["NEXT"] + self._expanded_weight() if self.weighted else count

    def _expanded_weight(self) -> int:
        """How many states those stand for that were expanded so far."""
        cell = self.frontier.program.expanded_states
        contexts = [self.frontier.context] if self.worker_pool is None else self.worker_pool.contexts
        return sum(context[cell] for context in contexts)

    def decided_properties(self) -> frozenset[str]:
        """The properties that were violated or met so far."""
        program, found = self.frontier.program, self.findings
        bits = ((program.invariants, found.invariants), (program.witnesses, found.witnesses))
        return frozenset(properties[bit].name for properties, known in bits for bit in known)

    def _begin_with_initial_states(self) -> None:
        if self.starts.counts:
            self._start_natively()
            return
        states = [self.frontier.encode(state) for state in initial_states(self.model)]
        for first in range(0, len(states), self.frontier.most_states_offered):
            self.frontier.offer_states(states[first : first + self.frontier.most_states_offered])
            self._run_in_slices()
            if self.findings.is_done:
                return
        self._end_level(0, 0.0)

    def _start_natively(self) -> None:
        """Initial states made by the kernel: all of them once, for one that breaks, and once more to be explored."""
        self.frontier["COMBINATIONS"] = sum(self.starts.counts)
        self._run_in_slices(self.frontier.check_initial_states, "COMBINATION")
        self.frontier["COMBINATION"] = 0
        self._run_in_slices(self.frontier.insert_initial_states, "COMBINATION")
        self.slice = states_of_first_slice(self.frontier.program)
        if not self.findings.is_done:
            self._end_level(0, 0.0)

    def _expand_level(self) -> bool:
        """Expand one level; False when it found nothing new."""
        self._use_fast_kernel()
        begin, seconds = self.frontier["COUNT"], self.elapsed_seconds
        if self._is_out_of_time():
            return False
        if self.worker_pool is not None and begin - self.frontier["NEXT"] >= STATES_FOR_ONE_WORKER:
            self._expand_in_parallel(self.worker_pool, begin)
        else:
            self.frontier["END"] = begin
            self._run_in_slices()
        if self.failed:
            return False
        if not self.findings.is_done:
            self.weights.append(self._expanded_weight())
        if not self.findings.is_done and self.frontier["COUNT"] == begin:
            self.findings.is_exhausted = True
            return False
        self._end_level(begin, seconds)
        return True

    def _expand_in_parallel(self, worker_pool: WorkerPool, end: int) -> None:
        """Expand one level with all workers."""
        event = worker_pool.expand_level(self.frontier["NEXT"], end, self._has_time_left)
        for met in worker_pool.met:
            self.findings.note_failure("witnesses", met.bits, met.index)
            self.frontier["SEEK"] &= ~met.bits
        worker_pool.met.clear()
        if event == "FULL":
            self.findings.note_stop(self._full_reason())
        self.failed = event in FAILURES

    def _has_time_left(self) -> bool:
        self._report_progress()
        self.frontier.touch_memory_ahead()
        return not self._is_out_of_time()

    def _end_level(self, begin: int, since: float) -> None:
        new = self.frontier["COUNT"] - begin
        if new:
            self.findings.levels.append(Level(len(self.findings.levels) + 1, new, self.elapsed_seconds - since))

    def _run_in_slices(self, run: Callable[[], str] | None = None, counter_cell: str = "NEXT") -> None:
        """Call the kernel until the level is done or the search has ended; `run` is what to call, and `counter_cell`
        the cell in which it counts what it has done."""
        run = run or self.frontier.explore
        while not self.findings.is_done:
            begin, since = self.frontier[counter_cell], time.perf_counter()
            self.frontier["STOP"] = begin + self.slice
            self.frontier.touch_memory_ahead()
            event = run()
            self.set_slice_length(self.frontier[counter_cell] - begin, time.perf_counter() - since)
            self._report_progress()
            if event == "LEVEL":
                return
            self._handle_event(event)

    def set_slice_length(self, expanded_count: int, seconds: float) -> None:
        """Makes the next slice as long as it should be, though a state may take as long as thousands of others: the
        clock and signals are heeded between two slices."""
        if seconds > 0 and (expanded_count > SURE_STATES or (expanded_count and seconds > SURE_SECONDS)):
            self.slice = max(1, int(expanded_count / seconds * SLICE_SECONDS))
        elif expanded_count >= self.slice:
            self.slice *= 2

    def _handle_event(self, event: str) -> None:
        about, detail = self.frontier["ABOUT"], self.frontier["DETAIL"]
        found = self.findings
        match event:
            case "PAUSE":
                if not self._is_out_of_time():
                    self._use_fast_kernel()
            case "FULL":
                if not self.frontier.grow():
                    found.note_stop(self._full_reason())
            case "INVARIANT":
                if self._look_for_witnesses(about):
                    found.note_failure("invariants", detail, about)
                    self.frontier["CHECK"] &= ~detail
                    self._end_at_violation()
            case "TRANSITION":
                found.crossed_bounds |= self.frontier["CROSSED"]
                self.frontier["CROSSED"] = 0
                self._end_at_violation()
            case "WITNESS":
                found.note_failure("witnesses", detail, about)
                self.frontier["SEEK"] &= ~detail
            case "DEADLOCK" if self._has_nothing_before():
                found.deadlock = about if found.deadlock is None else found.deadlock
                self.frontier["DEADLOCKS"] = 0
                self._end_at_violation()
            case "ERROR" if self.frontier["COMBINATION"] < self.frontier["COMBINATIONS"]:
                raise self.starts.raise_or_return_error(self.frontier["COMBINATION"])
            case "ERROR" if self._has_nothing_before():
                found.error = about
            case "PROPERTY_ERROR" if self._has_nothing_before():
                found.property_error = about
            case "DEADLOCK" | "ERROR" | "PROPERTY_ERROR":
                pass
            case _:
                raise AssertionError(f"the kernel answered {event}")

    def _use_fast_kernel(self) -> None:
        """Goes on with the fast kernel once the search is long."""
        if self.faster is None or self.frontier["NEXT"] < LONG_SEARCH:
            return
        make, self.faster = self.faster, None
        _announce_compiling(self.report)
        kernel = make()
        self.frontier.use_code(kernel.code)
        self.findings.compile_seconds += kernel.seconds
        self.started += kernel.seconds  # which is not time of the search

    def _has_nothing_before(self) -> bool:
        """Whether the search goes on up to the state that stopped the kernel: what was reached before it is checked
        first."""
        if not self.frontier["DONE"]:
            end, self.frontier["END"] = self.frontier["END"], self.frontier["NEXT"]
            self._run_in_slices()
            self.frontier["END"] = end
        return not self.findings.is_done

    def _look_for_witnesses(self, index: int) -> bool:
        """Look for witnesses in a state that violated an invariant, as the kernel stopped before it did; whether they
        could be evaluated."""
        bits = self.frontier.property_bits("witnesses", self.frontier.state_words(index), self.frontier["SEEK"])
        if bits & ERROR_BIT:
            self.findings.property_error = index
            return False
        self.findings.note_failure("witnesses", bits, index)
        self.frontier["SEEK"] &= ~bits
        return True

    def _is_out_of_time(self) -> bool:
        limit = self.search.seconds
        if limit is not None and self.elapsed_seconds >= limit:
            self.findings.note_stop(time_limit_text(limit))
        return self.findings.stop_reason is not None

    def _end_at_violation(self) -> None:
        if not self.search.keep_going:
            self.findings.has_violation = True

    def _full_reason(self) -> str:
        bytes_ = self.frontier.bytes_used()
        return f"the memory limit was reached: {bytes_ / 2**20:,.0f} MiB hold {self.frontier['COUNT']:,} states"

    def _report_progress(self) -> None:
        if self.report is None:
            return
        frontier, seconds = self.frontier, self.elapsed_seconds
        distinct = frontier["COUNT"] if self.worker_pool is not None else self.state_count()
        waiting, depth = frontier["COUNT"] - frontier["NEXT"], len(self.findings.levels) + 1
        rate = distinct / max(seconds, 1e-9)
        self.report(Progress(distinct, waiting, depth, rate, frontier.bytes_used(), seconds))


def _announce_compiling(report: Report | None) -> None:
    """Says that a kernel is being compiled."""
    if report is not None:
        report(Progress(0, 0, 0, 0.0, 0, 0.0, says="compiling", is_due=True))


def kernel_number(value: Value) -> int:
    """A constant's value as the kernel holds it: the number, 0 or 1, or the enum's position."""
    if isinstance(value, int):
        return int(value)
    return list(type(value)).index(value)
