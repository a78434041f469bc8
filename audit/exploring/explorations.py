"""Explorations: every case that signatures need, once, from the cache or in up to two processes.

One compiled kernel serves all cases of one number of replicas, since settings, switches and budgets are open in it; one
exploration answers all questions of a kind, and all cases that differ in what cannot matter (`Case.explored_case`).
What a case found is kept on disk under a name that says everything it depends on. A loss is replayed by plain Python
before it is reported, and of each pass a few states are checked again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar, TypeVarTuple, cast

from ..questions.case_order import CasePlan
from ..questions.questions import WITH_ALL, Case
from .case_explorer import CaseExplorer
from .case_results import NO_TIME, CaseResult, ScenarioStep
from .garbage_collection import collect_seldom
from .processes import Processes, Work
from .saved_results import SavedResults

R = TypeVar("R")
Arguments = TypeVarTuple("Arguments")
Inference = TypeVar("Inference")

WORTH_A_PROCESS, WORTH_A_TURN = 40, 2
"""Cases from which on a second process is worth its start, and its turn once it runs."""

CHUNK = 12
"""Cases that a process takes at a time, at most."""

TURNS = 4
"""So often, at least, each process takes cases where there are that many: none of them ends long before the others."""

HEAVY = 12
"""The weight from which on a case is one of many states: these come last, one at a time."""

REPORTING_SHARE, REPORTING_SECONDS = 0.25, 2.0
"""What an audit may take besides its time to infer what it has not said yet: this part of it, no less than this."""

DIED = "the process that explored it ended, perhaps for lack of memory; free memory and audit again"


def result_seen_by(case: Case, result: CaseResult) -> CaseResult:
    """What an exploration that answers for a case says of it: of service, what holds with its acks."""
    if case.kind != "goes_on":
        return result
    names = {WITH_ALL[name] if case.values["acks"] == "all" else name: name for name in WITH_ALL}
    lost = {names[name]: steps for name, steps in result.scenarios.items() if name in names}
    return replace(
        result,
        scenarios=lost,
        held_invariants=frozenset(names[name] for name in result.held_invariants if name in names),
    )


class UnexploredError(Exception):
    """Cases are asked for of which nothing is known, where nothing is explored (`Explorations.exploring_nothing`)."""

    def __init__(self, cases: Sequence[Case]) -> None:
        super().__init__(f"{len(cases)} cases are not explored yet")
        self.cases = cases


class Explorations:
    """Answers cases, each once. `folder` keeps kernels and answers (None: nothing is kept); `seconds` bounds it all."""

    def __init__(
        self,
        folder: Path | None,
        seconds: float | None = None,
        workers: int = 2,
        report: Callable[[str], None] | None = None,
    ) -> None:
        self.folder, self.workers, self.report = folder, workers, report
        self.until = None if seconds is None else time.time() + seconds
        self._reporting = max(REPORTING_SECONDS, REPORTING_SHARE * (seconds or 0.0))
        self._over: float | None = None if self.until is None else self.until + self._reporting
        self.case_explorer, self.saved = CaseExplorer(folder), SavedResults(folder)
        self.known: dict[Case, CaseResult] = {}
        self._inferences: dict[Callable[..., object], dict[tuple[object, ...], object]] = {}
        """What functions inferred from what is known, by function and arguments; empty again once more is known."""
        self.decided_cases: set[tuple[CasePlan, Case]] = set()
        """Cases that are decided, each within a plan: more that is known does not change it."""
        self.rewritten_runs: dict[tuple[Case, str, tuple[ScenarioStep, ...]], tuple[ScenarioStep, ...]] = {}
        """Runs in which only power is lost, by the case, the property and the run that they were made of."""
        self.explored = 0
        self.interrupted = False
        self._ahead: dict[Case, None] = {}
        """Those that are explored though nobody asked yet, and of which nothing is known."""
        self._prepared: set[tuple[str, int]] = set()
        self._is_frozen = False
        work = Work(_explore_cases, _begin_process, (self.folder, self.until), _prepare_kernel)
        self.processes = Processes[Sequence[Case], list[CaseResult]](work, workers, self.until)

    def result_of(self, case: Case) -> CaseResult:
        """What one case finds."""
        self.explore_all([case])
        return result_seen_by(case, self.known[case.explored_case])

    def explore_all(self, cases: Iterable[Case]) -> None:
        """Sees to it that what each case finds is known: from before, from disk, or explored now."""
        wanted = [
            explored for explored in dict.fromkeys(case.explored_case for case in cases) if explored not in self.known
        ]
        if wanted and self._is_frozen:
            raise UnexploredError(wanted)
        for case in wanted:
            if (kept := self.saved.load(case)) is not None:
                self._note_result(case, kept)
        new = dict.fromkeys(explored for explored in wanted if explored not in self.known)
        self._report_progress("compiling", 0, len(new))
        done = 0
        for case, found in self._explore_cases(list(new)):
            self._note_result(case, found)
            self.explored += 1
            done += case in new
            self._report_progress("exploring", done, len(new))
            if found.for_good:
                self.saved.save(case, found)

    def explore_ahead(self, cases: Iterable[Case], others: Iterable[Case] = ()) -> None:
        """Cases that will be asked for after `others`, or as others of their sizes: explored where a process has
        nothing else to do. Nothing begins for few."""
        if self.workers < 2 or self.folder is None or self.is_late:
            return
        wanted = dict.fromkeys(case.explored_case for case in cases)
        new = [case for case in wanted if case not in self.known and not self.saved.is_saved(case)]
        if len(new) >= WORTH_A_PROCESS:
            self._ahead |= dict.fromkeys(new)
            self._prepare_kernels([*others, *new])
            self.processes.spare.extend(chunks_of(new, self.workers))

    def _prepare_kernels(self, cases: Iterable[Case]) -> None:
        """Begins the kernels of cases, the largest first, where that was not done."""
        sizes = {case.kernel_size: case for case in cases if case.kernel_size not in self._prepared}
        self._prepared |= sizes.keys()
        self.processes.prepare_tasks([sizes[size] for size in sorted(sizes, reverse=True)])

    @contextmanager
    def exploring_nothing(self) -> Generator[None]:
        """Within it nothing is explored: UnexploredError is raised for cases of which nothing is known."""
        self._is_frozen = True
        try:
            yield
        finally:
            self._is_frozen = False

    def _report_progress(self, phase: str, finished_count: int, of: int) -> None:
        """How far it has come: the phase, and of the explorations that a table needs those that are done."""
        if self.report is not None and of:
            self.report(f"{phase}: {finished_count:,} of {of:,} explorations of this round, {len(self.known):,} in all")

    def _note_result(self, case: Case, result: CaseResult) -> None:
        """What a case finds is known from now on. Where that is nothing, as it is once time is out, others infer from
        it what they did before."""
        self.known[case] = result
        if result.scenarios or result.reached_witnesses or result.held_invariants:
            self.forget_inferences()

    def infer_from_known(
        self, function: Callable[[*Arguments, Explorations], Inference], *arguments: *Arguments
    ) -> Inference:
        """What a function infers from what is known; said again as it was until more is known."""
        made = self._inferences.get(function, {})
        if arguments in made:
            return cast(Inference, made[arguments])  # what the same function returned
        inference = function(*arguments, self)  # which may have more explored, after which all is forgotten
        self._inferences.setdefault(function, {})[arguments] = inference
        return inference

    def forget_inferences(self) -> None:
        """All is inferred anew."""
        self._inferences.clear()

    @property
    def is_late(self) -> bool:
        """Whether time is out: nothing more is explored."""
        return self.until is not None and time.time() >= self.until

    @property
    def is_time_over(self) -> bool:
        """Whether the time is over, too, in which what is known answers what was not asked yet."""
        return self._over is not None and time.time() >= self._over

    def _explore_cases(self, cases: Sequence[Case]) -> Iterator[tuple[Case, CaseResult]]:
        """What cases find, and some of those that were explored ahead meanwhile."""
        if self.is_late:
            self._ahead.clear()
            self.processes.spare.clear()
            yield from ((case, CaseResult(stop_reason=NO_TIME, for_good=False)) for case in cases)
            return
        if any(case in self._ahead for case in cases):
            yield from self._results_of_chunks(self.processes.results_of_spare_tasks())
        own = [case for case in cases if case not in self.known]
        worth = WORTH_A_TURN if self.processes.has_begun else WORTH_A_PROCESS
        if self.workers < 2 or self.folder is None or len(own) < worth:
            yield from ((case, self.case_explorer.result_of(case, self.until)) for case in own)
            return
        self._prepare_kernels(own)
        yield from self._results_of_chunks(self.processes.results_of(list(chunks_of(own, self.workers))))

    def _results_of_chunks(
        self, chunks: Iterable[tuple[Sequence[Case], list[CaseResult] | None]]
    ) -> Iterator[tuple[Case, CaseResult]]:
        for chunk, found in chunks:
            for case in chunk:
                self._ahead.pop(case, None)
            why = NO_TIME if self.is_late else DIED
            yield from zip(chunk, found or [CaseResult(stop_reason=why, for_good=False)] * len(chunk), strict=True)

    @property
    def unfinished_count(self) -> int:
        """How many explorations time did not suffice for."""
        return sum(
            1 for found in self.known.values() if found.stop_reason and not found.for_good and found.stop_reason != DIED
        )

    def run_to_completion(self, work: Callable[[], R]) -> R:
        """What `work` returns, which asks for explorations; the other processes are ended then. Ctrl-C in it has it
        done again with what is known by then, so that this is reported; another one ends it."""
        try:
            return work()
        except KeyboardInterrupt:
            self.interrupt()
            return work()
        finally:
            self.close()

    def interrupt(self) -> None:
        """Has all that is not known by now be out of time, and ends what explores it."""
        self.interrupted, self.until = True, 0.0
        self._over = time.time() + self._reporting
        self.processes.kill()

    def close(self) -> None:
        """Ends the other processes, if there are any, and once time is out at once. More may be asked: others begin
        then."""
        self.processes.kill() if self.is_late else self.processes.close()


def chunks_of(cases: Sequence[Case], workers: int) -> Iterator[Sequence[Case]]:
    """The cases in the order in which they are explored: in time that does not suffice for all, most are decided."""
    ordered = sorted(cases, key=lambda case: (case.weight, case.kernel_size))
    light = [case for case in ordered if case.weight < HEAVY]
    size = max(1, min(CHUNK, len(light) // (TURNS * workers)))
    yield from (light[at : at + size] for at in range(0, len(light), size))
    yield from ([case] for case in ordered[len(light) :])


# --- in a process of the pool -----------------------------------------------------------------------------------------

_case_explorers: list[tuple[CaseExplorer, float | None]] = []
"""That of this process, once it has begun, with the moment at which its time is out."""


def _begin_process(folder: Path, deadline: float | None) -> None:
    collect_seldom()
    _case_explorers.append((CaseExplorer(folder), deadline))


def _prepare_kernel(case: Case) -> None:
    """Compile the kernel of a case, for both processes, unless time is out."""
    case_explorer, until = _case_explorers[0]
    if until is None or case_explorer.is_in_time(case, max(0.0, until - time.time())):
        case_explorer.engine(case)


def _explore_cases(cases: Sequence[Case]) -> list[CaseResult]:
    case_explorer, until = _case_explorers[0]
    return [case_explorer.result_of(case, until) for case in cases]
