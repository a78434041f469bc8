"""Random walks: `tidegate check MODEL --engine walk`, where exhaustion is out of reach.

kernel with walks -> workers, one a thread, that take blocks of walks -> the first failure by the walk's number,
replayed by the judge -> a verdict that says how much was sampled. The same seed gives the same walks, and the same
first failure, on any number of workers. Walks begin with a quick kernel, and go on with the fast one once they are
long, as a search does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

from ...language.errors import UsageError, suggest_name
from ...language.immutable import immutable
from ...language.judge import initial_states
from ...language.model import Model
from ...language.verdict import ActionCoverage, Failure, Run, Verdict
from ..search import Progress, Report, Search, Walks, interrupt_text, time_limit_text
from ..shrink import shrink_run
from ..verdicts import Ending, notes_of, verdict_of
from .effort import FULL_EFFORT
from .frontier import Frontier
from .kernel import ERROR_BIT, NO_PARENT
from .kernels import Kernel, first_kernel, kernel_of
from .outcome import Confirmation, coverage_of
from .program import KernelInterface
from .search import FasterKernel
from .walker import Walker, WalkTally, merge_tallies, walk_inputs_of

BLOCK = 64
"""Walks that a worker takes at once."""
LONG_WALKS = 1_000_000
"""Walks that have taken so many steps go on with the fast kernel: to compile it takes about as long as they took."""
POLL_SECONDS = 0.1
ENDLESS = 1 << 62
NO_START = "there is no initial state to walk from"


def check(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Walk a bound model at random and check its properties on the way.

    Holds when all walks were taken and nothing failed, which is what the assurance says and no more; inconclusive when
    time or Ctrl-C ended it before. Raises `DisagreementError` when plain Python does not confirm what the kernel found,
    and UsageError for a field that the state has not."""
    walks = search.walks or Walks()
    check_fields(model, walks.fields)
    kernel = first_kernel(model, (), search.cache, walks=True)

    def load_faster_kernel() -> Kernel:
        return kernel_of(model, (), search.cache, walks=True)

    pool = WalkPool(model, search, walks, kernel, report, None if kernel.effort == FULL_EFFORT else load_faster_kernel)
    try:
        pool.run()
        return pool.verdict()
    finally:
        pool.close()


def check_fields(model: Model, names: Sequence[str]) -> None:
    """UsageError for a field that the state has not."""
    known = [known_field.name for known_field in model.fields]
    for name in names:
        if name not in known:
            raise UsageError(f"the state of {model.name} has no field {name}; {suggest_name(name, known)}")


# --- what was found ---------------------------------------------------------------------------------------------------


@immutable
class WalkFinding:
    """Something that a walk met, and where: the walk's number and its steps until then."""

    walk: int
    steps: int
    result: Run | Failure


@dataclass(slots=True)
class FirstFinds:
    """The first find of each kind, by the walk's number; threads share it."""

    finds: dict[tuple[str, int], WalkFinding] = field(default_factory=dict[tuple[str, int], WalkFinding])
    end: int = ENDLESS
    """Walks from this number on need not be taken."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add_find(self, kind: str, bit: int, find: WalkFinding, *, final: bool) -> None:
        """Keep a find if it is the first of its kind; a final one ends the search after its walk."""
        with self.lock:
            known = self.finds.get((kind, bit))
            if known is None or (find.walk, find.steps) < (known.walk, known.steps):
                self.finds[kind, bit] = find
            if final:
                self.end = min(self.end, find.walk + 1)

    def finds_of_kind(self, kind: str) -> Iterator[tuple[int, WalkFinding]]:
        """The finds of a kind, by bit, but for those of walks after the last one that counts."""
        for (found_kind, bit), find in sorted(self.finds.items(), key=lambda item: item[0]):
            if found_kind == kind and find.walk < self.end:
                yield bit, find


# --- one worker -------------------------------------------------------------------------------------------------------


class WalkWorker:
    """One worker: a store that holds one walk, and the judge that confirms what it meets."""

    def __init__(self, model: Model, search: Search, walks: Walks, kernel: Kernel, finds: FirstFinds) -> None:
        self.search, self.kernel, self.finds = search, kernel, finds
        words = kernel.program.layout.words
        self.frontier = Frontier(kernel.program, kernel.code, (walks.depth + 2) * (8 * words + 4 + 10))
        for index in range(walks.depth + 2):
            self.frontier.parents.set_half(index, index - 1 if index else NO_PARENT)
        self.confirm = Confirmation(model, self.frontier)
        starts = [self.confirm.words_of(state) for state in initial_states(model)]
        self.ground = walk_inputs_of(model, search, walks, kernel, starts)
        self.walker = Walker(self.ground, kernel.code, self.frontier.context)

    def take_walks(self, first: int, last: int, going: threading.Event) -> bool:
        """Take the walks from `first` to `last`; False when `going` was cleared before they were done."""
        self.walker.begin_at(first)
        while going.is_set():
            event = self.walker.take_walks_below(min(last, self.finds.end))
            if event == "LEVEL":
                return True
            if event != "PAUSE":
                self._handle_event(event)
        return False

    def _handle_event(self, event: str) -> None:
        about, detail = self.frontier["ABOUT"], self.frontier["DETAIL"]
        program, confirm = self.kernel.program, self.confirm
        match event:
            case "INVARIANT":
                seen = self.frontier.property_bits("witnesses", self.frontier.state_words(about), self.frontier["SEEK"])
                self._note_witnesses(seen & ~ERROR_BIT if seen & ERROR_BIT == 0 else 0, about)
                self.frontier["CHECK"] &= ~detail
                for bit in _bit_numbers(detail):
                    self._note_find("invariants", bit, confirm.confirm_invariant(program.invariants[bit], about), about)
            case "WITNESS":
                self._note_witnesses(detail, about)
            case "TRANSITION":
                crossed, self.frontier["CROSSED"] = self.frontier["CROSSED"], 0
                for bit in _bit_numbers(crossed):
                    self._note_find(
                        "transitions", bit, confirm.confirm_transition(program.transitions[bit], bit), about + 1
                    )
            case "DEADLOCK":
                self.frontier["DEADLOCKS"] = 0
                self._note_find("deadlock", 0, confirm.confirm_deadlock(about), about)
            case "ERROR":
                self._note_find("error", 0, confirm.model_error(about), about, final=True)
            case "PROPERTY_ERROR":
                self._note_find("error", 0, confirm.property_error(about), about, final=True)
            case _:
                raise AssertionError(f"the kernel answered {event}")

    def _note_witnesses(self, bits: int, state_index: int) -> None:
        self.frontier["SEEK"] &= ~bits
        for bit in _bit_numbers(bits):
            witness = self.kernel.program.witnesses[bit]
            self._note_find(
                "witnesses", bit, self.confirm.confirm_witness(witness, state_index), state_index, final=False
            )

    def _note_find(self, kind: str, bit: int, result: Run | Failure, steps: int, *, final: bool | None = None) -> None:
        ends = not self.search.keep_going if final is None else final
        self.finds.add_find(kind, bit, WalkFinding(self.walker.walk_number, steps, result), final=ends)

    def use_kernel(self, kernel: Kernel) -> None:
        """Goes on, between two blocks of walks, with another kernel of the same model."""
        self.kernel = kernel
        self.frontier.use_code(kernel.code)
        self.walker.use_code(kernel.code)

    def close(self) -> None:
        """Give all memory back."""
        self.frontier.close()
        self.walker.close()


def _bit_numbers(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


# --- all of them ------------------------------------------------------------------------------------------------------


class WalkPool:
    """All workers of a search."""

    def __init__(
        self, model: Model, search: Search, walks: Walks, kernel: Kernel, report: Report | None,
        faster: FasterKernel | None = None,
    ) -> None:  # fmt: skip
        self.model, self.search, self.walks, self.kernel, self.report = model, search, walks, kernel, report
        self.faster, self.compile_seconds = faster, kernel.seconds
        self.finds = FirstFinds()
        self.workers = [WalkWorker(model, search, walks, kernel, self.finds) for _ in range(search.workers)]
        self.started = time.perf_counter()
        self.seconds = 0.0
        self.stopped: str | None = None
        self._next, self._lock, self._going = 0, threading.Lock(), threading.Event()

    def run(self) -> None:
        """Walk until all walks are taken, something fails, or time or Ctrl-C ends it."""
        if not self.workers[0].ground.starts:
            self.stopped = NO_START
            return
        self._going.set()
        with ThreadPoolExecutor(len(self.workers)) as pool:
            running = {pool.submit(self._take_blocks, worker) for worker in self.workers}
            try:
                self._wait_for_workers(running)
            except KeyboardInterrupt as interrupt:
                self.stopped = interrupt_text(interrupt)
            finally:
                self._going.clear()
        self.seconds = time.perf_counter() - self.started

    def _wait_for_workers(self, running: set[Future[None]]) -> None:
        while running:
            done, running = wait(running, POLL_SECONDS, FIRST_COMPLETED)
            for future in done:
                future.result()
            self._report_progress()
            limit = self.search.seconds
            if running and limit is not None and time.perf_counter() - self.started >= limit:
                if self.walks.number is not None:
                    self.stopped = time_limit_text(limit)
                self._going.clear()

    def _take_blocks(self, worker: WalkWorker) -> None:
        while self._going.is_set():
            with self._lock:
                self._use_fast_kernel()
                first, self._next = self._next, self._next + BLOCK
            if worker.kernel is not self.kernel:
                worker.use_kernel(self.kernel)
            last = min(first + BLOCK, self.walks.number or ENDLESS)
            if first >= min(last, self.finds.end) or not worker.take_walks(first, last, self._going):
                return

    def _use_fast_kernel(self) -> None:
        """All workers go on with the fast kernel, each with its next block, once the walks are long."""
        if self.faster is None or sum(worker.walker.steps_taken for worker in self.workers) < LONG_WALKS:
            return
        make, self.faster = self.faster, None
        self.kernel = make()
        self.compile_seconds += self.kernel.seconds
        self.started += self.kernel.seconds  # which is not time of the walks

    def _report_progress(self) -> None:
        if self.report is None:
            return
        seconds, tally = time.perf_counter() - self.started, self.tally_of_workers()
        memory = sum(worker.frontier.bytes_used() for worker in self.workers)
        rate = tally.steps / max(seconds, 1e-9)
        self.report(
            Progress(tally.distinct_estimate, 0, tally.longest + 1, rate, memory, seconds, walks=self.walk_count())
        )

    def walk_count(self) -> int:
        """Walks that were taken to their end, or to the find that ended the search."""
        return min(self._next, self.walks.number or ENDLESS, self.finds.end)

    def tally_of_workers(self) -> WalkTally:
        """What all workers counted."""
        return merge_tallies([worker.walker.tally_so_far() for worker in self.workers])

    def verdict(self) -> Verdict:
        """What the walks say, and how many they were."""
        kernel = replace(self.kernel, seconds=self.compile_seconds)
        took = WalksEnded(self.walk_count(), self.tally_of_workers(), self.finds, self.seconds, self.stopped)
        return verdict_of_walks(self.model, self.search, kernel, self.workers[0].frontier, took)

    def close(self) -> None:
        """Give all memory back."""
        for worker in self.workers:
            worker.close()


# --- the verdict ------------------------------------------------------------------------------------------------------


@immutable
class WalksEnded:
    """What became of walks: how many were taken, what they counted and met, the seconds it took, why they ended
    early, and what else is to be said."""

    walks: int
    tally: WalkTally
    finds: FirstFinds
    seconds: float
    stop_reason: str | None
    notes: tuple[str, ...] = ()


def verdict_of_walks(model: Model, search: Search, kernel: Kernel, frontier: Frontier, took: WalksEnded) -> Verdict:
    """The verdict of walks; overwrites the frontier's counters."""
    program, finds = kernel.program, took.finds
    runs: dict[str, Run] = {}
    for kind, properties in (
        ("invariants", program.invariants), ("transitions", program.transitions), ("witnesses", program.witnesses)
    ):  # fmt: skip
        for bit, find in finds.finds_of_kind(kind):
            assert isinstance(find.result, Run)
            prop = properties[bit]
            runs[prop.name] = find.result if kind == "witnesses" else shrink_run(model, find.result, prop)
    failures = [find for kind in ("error", "deadlock") for _, find in finds.finds_of_kind(kind)]
    deadlock = not any(True for _ in finds.finds_of_kind("error")) and bool(failures)
    failure = failures[0].result if failures else None
    assert failure is None or isinstance(failure, Failure)
    actions = _coverage_of_actions(model, kernel, frontier, took.tally)
    ending = Ending(
        engine="walk", is_exhausted=False,
        sample_scope=_sample_text(search, took) if took.stop_reason is None else None,
        stop_reason=took.stop_reason, failure=failure, deadlock=deadlock, runs=runs,
        distinct=took.tally.distinct_estimate, seconds=took.seconds,
        compile_seconds=kernel.seconds, bytes_per_state=0.0, symmetry=(), actions=actions, levels=(),
        rechecked_states=0, cut_short=_is_ended_early(search, finds),
        notes=(
            *_notes_of_walks(search, took, actions), *_bound_notes(model, program, frontier), *took.notes,
            *notes_of(search),
        ),
    )  # fmt: skip
    return replace(verdict_of(model, ending), depth=took.tally.longest + 1)


def _bound_notes(model: Model, program: KernelInterface, frontier: Frontier) -> Iterator[str]:
    """How many walks ended because they went beyond a `@bound`."""
    for bound, cell in zip(model.bounds, program.states_beyond, strict=True):
        ended = frontier.counter(cell)
        if ended:
            walks = f"{ended:,} walk{'s' if ended > 1 else ''}"
            yield f"{walks} ended beyond @bound {bound.name}: the last state is checked, and nothing happens there"


def _is_ended_early(search: Search, finds: FirstFinds) -> bool:
    """Whether a failure ended the walks before all were taken."""
    ending = ("error",) if search.keep_going else ("error", "invariants", "transitions", "deadlock")
    return any(True for kind in ending for _ in finds.finds_of_kind(kind))


def _walks_asked_for(search: Search) -> Walks:
    return search.walks or Walks()


def _sample_text(search: Search, took: WalksEnded) -> str:
    return f"sampled {took.walks:,} walks of depth {_walks_asked_for(search).depth}, seed {search.seed}"


def _coverage_of_actions(
    model: Model, kernel: Kernel, frontier: Frontier, tally: WalkTally
) -> tuple[ActionCoverage, ...]:
    """Coverage, an action counted when a walk took it."""
    first = len(frontier.context) - len(tally.counters)
    for at, value in enumerate(tally.counters, first):
        frontier.context[at] = value
    frontier["NEXT"] = tally.expanded_states
    taken = dict(zip((plan.form.name for plan in kernel.program.plans), tally.action_counts, strict=True))
    return tuple(replace(action, firings=taken.get(action.name, 0)) for action in coverage_of(model, kernel, frontier))


def _notes_of_walks(search: Search, took: WalksEnded, actions: Sequence[ActionCoverage]) -> tuple[str, ...]:
    tally, finds = took.tally, took.finds
    notes = [
        f"{_walks_asked_for(search).strategy} walks: {tally.steps:,} steps, the longest walk {tally.longest:,}; "
        f"about {tally.distinct_estimate:,} distinct states seen, by an estimate good to 2%"
    ]
    ends = [
        find for kind in ("invariants", "transitions", "deadlock", "error") for _, find in finds.finds_of_kind(kind)
    ]
    if ends:
        first = min(ends, key=lambda find: (find.walk, find.steps))
        notes.append(
            f"found in walk {first.walk:,} of seed {search.seed} after {first.steps} steps; of the run to a "
            "violation no step can be left out, and yet it need not be the shortest"
        )
    missing = [action.name for action in actions if action.never_happened]
    if missing and not ends:
        notes.append(f"no walk took {', '.join(missing)}: more walks, deeper ones, or another --strategy may")
    return tuple(notes)
