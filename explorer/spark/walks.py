"""Random walks as Spark tasks: each takes the walks of some numbers, with the compiled kernel, and reports what it met.

A walk depends on the seed and its number alone. So a task says of what it met no more than where: the driver takes the
first such walks once more, in this process, and has plain Python confirm them, as it does with walks of its own.
"""

from __future__ import annotations

import ctypes
import json
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, replace
from typing import Protocol

from ...language.immutable import immutable
from ...language.model import Model
from ...language.verdict import DisagreementError, Verdict
from ..differences import names_with_lines
from ..native.compiler import Target
from ..native.frontier import CELLS
from ..native.kernel import ERROR_BIT
from ..native.kernels import Kernel, kernel_of, kernel_text
from ..native.memory import Region
from ..native.walker import Walker, WalkInputs, WalkTally, merge_tallies
from ..native.walks import ENDLESS, NO_START, FirstFinds, WalksEnded, WalkWorker, check_fields, verdict_of_walks
from ..search import Progress, Report, Search, Walks, time_limit_text
from .driver import SearchStoppedError, TimeLimitError
from .interrupts import interrupts_noted
from .shipping import ShippedKernel, kernel_for_target, open_parcel

FIRST_ROUND = 256
"""Walks of each task of the first round."""
ROUND_SECONDS = 5.0
"""What a round of tasks is to take; between two of them is time to report, and to end."""
GROWTH = 8
"""A round takes at most so many times the walks of the one before."""

Spot = tuple[str, int, int, int]
"""Kind and bit of what was met, the walk's number, and its steps until then."""


@immutable
class WalkShare:
    """What a task is to do: the walks from `first` to `last`, for so many seconds (None: as long as it takes). Of the
    first failure the walk is the last one, unless `keep_going`."""

    ground: WalkInputs
    parcel: ShippedKernel
    first: int
    last: int
    seconds: float | None
    keep_going: bool


@immutable
class WalksTaken:
    """What became of a share: walks taken to their end, what they counted and met, and whether all were taken, or all
    until the first failure."""

    walks: int
    tally: WalkTally
    spots: tuple[Spot, ...]
    whole: bool

    def to_json(self) -> str:
        """As JSON."""
        return json.dumps([self.walks, astuple(self.tally), self.spots, self.whole])

    @staticmethod
    def from_json(text: str) -> WalksTaken:
        """What `to_json` gave."""
        walks, (steps, longest, expanded, *counted), spots, whole = json.loads(text)
        sketch, taken, counters = map(tuple, counted)
        tally = WalkTally(steps, longest, expanded, sketch, taken, counters)
        return WalksTaken(walks, tally, tuple((kind, bit, walk, at) for kind, bit, walk, at in spots), whole)


class WalkRunner(Protocol):
    """Runs tasks."""

    @property
    def core_count(self) -> int:
        """How many tasks run at a time."""
        ...

    @property
    def target(self) -> Target:
        """What the tasks' code is to be compiled for."""
        ...

    def walk(self, shares: Sequence[WalkShare], seconds: float | None) -> list[WalksTaken]:
        """Do each share. TimeLimitError after so many seconds; SearchStoppedError at Ctrl-C."""
        ...

    def close(self, job: None) -> None:
        """End."""
        ...


# --- a task -----------------------------------------------------------------------------------------------------------


def take_share(share: WalkShare) -> WalksTaken:
    """Do a share: all that a task does."""
    ground, code = share.ground, open_parcel(share.parcel)
    context = (ctypes.c_uint64 * ground.cells)()
    regions = {
        "STATES": Region(8 * ground.words * (ground.depth + 2)),
        "BUFFER": Region(8 * (ground.words + 2) * ground.slots),
        "EDGES": Region(8 * (ground.words + 1) * max(1, ground.transitions)),
    }  # fmt: skip
    for name, region in regions.items():
        context[CELLS[name]] = region.address
    walker = Walker(ground, code, context)
    try:
        return _ShareRun(share, walker).take_walks()
    finally:
        for resource in (walker, *regions.values()):
            resource.close()


class _ShareRun:
    """A share under way."""

    def __init__(self, share: WalkShare, walker: Walker) -> None:
        self.share, self.walker = share, walker
        self.last = share.last
        self.spots = list[Spot]()
        self._witnesses = walker.code.function("witnesses", 3)

    def __getitem__(self, cell: str) -> int:
        return self.walker.context[CELLS[cell]]

    def __setitem__(self, cell: str, value: int) -> None:
        self.walker.context[CELLS[cell]] = value

    def take_walks(self) -> WalksTaken:
        """Take the walks."""
        walker, share = self.walker, self.share
        end = None if share.seconds is None else time.monotonic() + share.seconds
        walker.begin_at(share.first)
        event = walker.take_walks_below(self.last)
        while event != "LEVEL" and (end is None or time.monotonic() < end):
            if event != "PAUSE":
                self._note_meeting(event)
            event = walker.take_walks_below(self.last)
        return WalksTaken(walker["WALKER"] - share.first, walker.tally_so_far(), tuple(self.spots), event == "LEVEL")

    def _note_meeting(self, event: str) -> None:
        about, detail = self["ABOUT"], self["DETAIL"]
        match event:
            case "INVARIANT":
                at = self["STATES"] + 8 * self.share.ground.words * about
                seen = self._witnesses(ctypes.addressof(self.walker.context), at, self["SEEK"])
                if not seen & ERROR_BIT:
                    self._note_witnesses(seen, about)
                self["CHECK"] &= ~detail
                self._note_findings("invariants", detail, about)
            case "WITNESS":
                self._note_witnesses(detail, about)
            case "TRANSITION":
                crossed, self["CROSSED"] = self["CROSSED"], 0
                self._note_findings("transitions", crossed, about + 1)
            case "DEADLOCK":
                self["DEADLOCKS"] = 0
                self._note_findings("deadlock", 1, about)
            case "ERROR" | "PROPERTY_ERROR":
                self._note_findings("error", 1, about, final=True)
            case _:
                raise AssertionError(f"the kernel answered {event}")

    def _note_witnesses(self, bits: int, steps: int) -> None:
        self["SEEK"] &= ~bits
        self._note_findings("witnesses", bits, steps, final=False)

    def _note_findings(self, kind: str, bits: int, steps: int, *, final: bool | None = None) -> None:
        walk = self.walker.walk_number
        self.spots += [(kind, bit, walk, steps) for bit in range(bits.bit_length()) if bits >> bit & 1]
        if final or (final is None and not self.share.keep_going):
            self.last = min(self.last, walk + 1)


# --- the driver -------------------------------------------------------------------------------------------------------


def check(model: Model, search: Search, start: Callable[[], WalkRunner], report: Report | None) -> Verdict:
    """Walk a bound model at random, in tasks, and check its properties on the way; what `walks.check` of the native
    engine says of the same seed."""
    walks = search.walks or Walks()
    check_fields(model, walks.fields)
    kernel = kernel_of(model, (), search.cache, walks=True)
    rounds = WalkRounds(model, search, walks, kernel, report)
    try:
        if rounds.worker.ground.starts:
            with interrupts_noted():
                rounds.run(start)
            rounds.take_again()
        return rounds.verdict()
    finally:
        rounds.close()


class WalkRounds:
    """All rounds of a search."""

    def __init__(self, model: Model, search: Search, walks: Walks, kernel: Kernel, report: Report | None) -> None:
        self.model, self.search, self.walks, self.kernel, self.report = model, search, walks, kernel, report
        self.finds = FirstFinds()
        self.worker = WalkWorker(model, replace(search, keep_going=True), walks, kernel, self.finds)
        self.tallies = [self.worker.walker.tally_so_far()]
        self.spots: dict[tuple[str, int], Spot] = {}
        self.started = time.perf_counter()
        self.stopped: str | None = None if self.worker.ground.starts else NO_START
        self.tasks, self.next, self.taken, self.end = 0, 0, 0, ENDLESS
        self._each = FIRST_ROUND

    def run(self, start: Callable[[], WalkRunner]) -> None:
        """Walk until all walks are taken, something fails, or time or Ctrl-C ends it."""
        runner: WalkRunner | None = None
        try:
            runner = start()
            sent = self._kernel_for(runner.target)
            while self.stopped is None and self.next < min(self.walks.number or ENDLESS, self.end):
                if not self._run_round(runner, sent):
                    break
        except SearchStoppedError as stopped:
            self.stopped = stopped.why
        finally:
            if runner is not None:
                runner.close(None)

    def _kernel_for(self, target: Target) -> ShippedKernel:
        text = kernel_text(self.model, self.kernel.program, (), self.search.cache, walks=True)
        return kernel_for_target(text, target, self.kernel.binary, self.search.cache)

    def _run_round(self, runner: WalkRunner, parcel: ShippedKernel) -> bool:
        """One job; whether there is time for another."""
        limit = self.search.seconds
        left = None if limit is None else max(0.0, limit - self._elapsed_seconds())
        shares = list(self._even_shares(runner.core_count, parcel, left))
        began = time.perf_counter()
        try:
            taken = runner.walk(shares, None if left is None else left + ROUND_SECONDS)
        except TimeLimitError:
            taken = list[WalksTaken]()
        self._take_in_results(taken)
        done = len(taken) == len(shares) and all(share.whole for share in taken)
        if not done and self.walks.number is not None and limit is not None:
            self.stopped = time_limit_text(limit)
        seconds = max(time.perf_counter() - began, 1e-3)
        self.next = shares[-1].last
        self._each = max(FIRST_ROUND, min(GROWTH * self._each, math.ceil(self._each * ROUND_SECONDS / seconds)))
        self._report_progress()
        return done

    def _even_shares(self, count: int, parcel: ShippedKernel, seconds: float | None) -> Iterator[WalkShare]:
        """The next walks, as even shares in order."""
        number = self.walks.number or ENDLESS
        share = min(self._each, math.ceil((number - self.next) / count))
        for first in range(self.next, min(number, self.next + count * share), share):
            last = min(number, first + share)
            yield WalkShare(self.worker.ground, parcel, first, last, seconds, self.search.keep_going)

    def _take_in_results(self, results: Sequence[WalksTaken]) -> None:
        self.tasks += len(results)
        for share in results:
            self.taken += share.walks
            self.tallies = [merge_tallies([*self.tallies, share.tally])]
            for spot in share.spots:
                kind, bit, walk, steps = spot
                known = self.spots.get((kind, bit))
                if known is None or (walk, steps) < known[2:]:
                    self.spots[kind, bit] = spot
                if kind == "error" or (kind != "witnesses" and not self.search.keep_going):
                    self.end = min(self.end, walk + 1)

    def take_again(self) -> None:
        """Take the walks that met something once more, here."""
        going = threading.Event()
        going.set()
        spots = [spot for spot in self.spots.values() if spot[2] < self.end]
        for walk in sorted({spot[2] for spot in spots}):
            self.worker.take_walks(walk, walk + 1, going)
        self.finds.end = self.end
        for kind, bit, walk, steps in spots:
            found = self.finds.finds.get((kind, bit))
            if found is None or (found.walk, found.steps) != (walk, steps):
                raise DisagreementError(
                    f"a task met {self._words_of_find(kind, bit)} in walk {walk} after {steps} steps; "
                    f"this machine, which took "
                    "it again, "
                    f"{'did not' if found is None else f'met it in walk {found.walk} after {found.steps}'}"
                )

    def _words_of_find(self, kind: str, bit: int) -> str:
        """What walks met, in words: a property with its line, a deadlock, or a step that breaks the model."""
        program = self.kernel.program
        properties = {"invariants": program.invariants, "transitions": program.transitions}
        if kind == "witnesses":
            return f"the witness {names_with_lines([program.witnesses[bit]])}"
        if kind in properties:
            return f"a violation of {names_with_lines([properties[kind][bit]])}"
        return "a deadlock" if kind == "deadlock" else "a step that breaks the model"

    def _elapsed_seconds(self) -> float:
        return time.perf_counter() - self.started

    def _report_progress(self) -> None:
        if self.report is None:
            return
        seconds, tally = self._elapsed_seconds(), merge_tallies(self.tallies)
        rate = tally.steps / max(seconds, 1e-9)
        self.report(Progress(tally.distinct_estimate, 0, tally.longest + 1, rate, 0, seconds, walks=self.taken))

    def verdict(self) -> Verdict:
        """What the walks say, and how many they were."""
        notes = (f"taken by {self.tasks:,} tasks on Spark",) if self.tasks else ()
        taken = min(self.taken, self.end)
        took = WalksEnded(taken, merge_tallies(self.tallies), self.finds, self._elapsed_seconds(), self.stopped, notes)
        return verdict_of_walks(self.model, self.search, self.kernel, self.worker.frontier, took)

    def close(self) -> None:
        """Give all memory back."""
        self.worker.close()
