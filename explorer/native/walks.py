"""Random walks: `tidegate check MODEL --engine walk`, where exhaustion is out of reach.

kernel with walks -> walkers, one a thread, that take blocks of walks -> the first failure by the walk's number,
replayed by the judge -> a verdict that says how much was sampled. The same seed gives the same walks, and the same
first failure, on any number of workers.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

from ...language.errors import UsageError, nearest
from ...language.judge import initial_states
from ...language.model import Model
from ...language.verdict import ActionCoverage, Failure, Run, Verdict
from ..search import Progress, Report, Search, Walks
from ..shrink import shrunk
from ..verdicts import Ending, verdict_of
from .frontier import Frontier
from .kernel import CONTEXT, ERROR_BIT, EVENTS, NO_PARENT
from .kernels import Kernel, kernel_of
from .memory import Region
from .outcome import Confirmation, coverage_of
from .search import kernel_number
from .walking import LIKE_SLOTS, MODES, REGISTERS, WALK

CELLS = {name: index for index, name in enumerate(WALK)}
BLOCK = 64
"""Walks that a worker takes at once."""
PAUSE_STEPS = 100_000
"""Steps after which a worker looks up: some hundredths of a second."""
POLL_SECONDS = 0.1
FAULTS_DRAWN = 3
"""The most that a swarm's walk draws for a fault without a budget."""
ENDLESS = 1 << 62


def check(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Walk a bound model at random and judge its properties on the way.

    Holds when all walks were taken and nothing failed, which is what the assurance says and no more; inconclusive when
    time or Ctrl-C ended it before. Raises `Disagreement` when plain Python does not confirm what the kernel found, and
    UsageError for a field that the state has not.
    """
    walks = search.walks or Walks()
    _check_fields(model, walks.fields)
    kernel = kernel_of(model, (), search.cache, walks=True)
    party = Party(model, search, walks, kernel, report)
    try:
        party.run()
        return party.verdict()
    finally:
        party.close()


def _check_fields(model: Model, names: Sequence[str]) -> None:
    known = [each.name for each in model.fields]
    for name in names:
        if name not in known:
            raise UsageError(f"the state of {model.name} has no field {name}; {nearest(name, known)}")


# --- what was found ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Find:
    """Something that a walk met, and where: the walk's number and its steps until then."""

    walk: int
    steps: int
    result: Run | Failure


@dataclass(slots=True)
class Finds:
    """The first find of each kind, by the walk's number; threads share it."""

    found: dict[tuple[str, int], Find] = field(default_factory=dict[tuple[str, int], Find])
    end: int = ENDLESS
    """Walks from this number on need not be taken."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, kind: str, bit: int, find: Find, *, final: bool) -> None:
        """Keep a find if it is the first of its kind; a final one ends the search after its walk."""
        with self.lock:
            known = self.found.get((kind, bit))
            if known is None or (find.walk, find.steps) < (known.walk, known.steps):
                self.found[kind, bit] = find
            if final:
                self.end = min(self.end, find.walk + 1)

    def of(self, kind: str) -> Iterator[tuple[int, Find]]:
        """The finds of a kind, by bit, but for those of walks after the last one that counts."""
        for (each, bit), find in sorted(self.found.items(), key=lambda item: item[0]):
            if each == kind and find.walk < self.end:
                yield bit, find


# --- one worker -------------------------------------------------------------------------------------------------------


class Walker:
    """One worker: a store that holds one walk, and the block of words that the compiled walks work on."""

    def __init__(self, model: Model, search: Search, walks: Walks, kernel: Kernel, finds: Finds) -> None:
        self.model, self.search, self.kernel, self.finds = model, search, kernel, finds
        words = kernel.program.layout.words
        self.frontier = Frontier(kernel.program, kernel.code, (walks.depth + 2) * (8 * words + 4 + 10))
        self.confirm = Confirmation(model, self.frontier)
        self._stroll = kernel.code.function("stroll", 1)
        self._block = Region(8 * len(WALK))
        self.starts = self._encoded()
        plans = len(kernel.program.plans)
        self.arrays = {
            "STARTS": Region(8 * words * max(1, len(self.starts))), "WEIGHTS": Region(8 * plans),
            "ALLOWED": Region(8 * plans), "FAULTS": Region(8 * plans), "TAKEN": Region(8 * plans),
            "SKETCH": Region(8 * REGISTERS), "MASKS": Region(8 * words), "LIKES": Region(8 * LIKE_SLOTS),
        }  # fmt: skip
        self._equip(walks)

    def _encoded(self) -> list[tuple[int, ...]]:
        return [self.confirm.words(state) for state in initial_states(self.model)]

    def _equip(self, walks: Walks) -> None:
        frontier, program = self.frontier, self.kernel.program
        for name, cell in program.opens.items():
            frontier.context[cell] = kernel_number(self.model.values[name]) & (1 << 64) - 1
        for name, properties in (
            ("CHECK", program.invariants), ("SEEK", program.witnesses), ("WATCH", program.transitions)
        ):  # fmt: skip
            frontier[name] = (1 << len(properties)) - 1
        frontier["DEADLOCKS"], frontier["WALK"] = 1, self._block.address
        for index in range(walks.depth + 2):
            frontier.parents.set_half(index, index - 1 if index else NO_PARENT)
        for name, region in self.arrays.items():
            self[name] = region.address
        for index, words in enumerate(self.starts):
            self.arrays["STARTS"].write(8 * len(words) * index, words)
        self.arrays["FAULTS"].write(0, tuple(self._allowance(plan.form.name) for plan in program.plans))
        if walks.fields:
            self.arrays["MASKS"].write(0, self._masks(walks.fields))
        else:
            self["LIKES"] = 0
        self["SEED"], self["DEPTH"], self["MODE"] = self.search.seed, walks.depth, MODES[walks.strategy]
        self["START_COUNT"], self["PLANS"] = len(self.starts), len(program.plans)

    def _allowance(self, name: str) -> int:
        action = self.model.action(name)
        if action.kind != "fault":
            return 0
        value = self.model.values[action.budget] if action.budget is not None else FAULTS_DRAWN
        return 1 + (value if isinstance(value, int) else FAULTS_DRAWN)

    def _masks(self, names: Sequence[str]) -> tuple[int, ...]:
        layout, bits = self.kernel.program.layout, 0
        for name in names:
            _, shape, word, shift = layout.field(name)
            bits |= ((1 << shape.bits) - 1) << (64 * word + shift)
        return tuple(bits >> (64 * word) & (1 << 64) - 1 for word in range(layout.words))

    def __getitem__(self, cell: str) -> int:
        return self._block.words(8 * CELLS[cell], 1)[0]

    def __setitem__(self, cell: str, value: int) -> None:
        self._block.write(8 * CELLS[cell], (value & (1 << 64) - 1,))

    def take(self, first: int, last: int, going: threading.Event) -> bool:
        """Take the walks from `first` to `last`; False when `going` was cleared before they were done."""
        self["WALKER"], self["UNDER_WAY"] = first, 0
        while going.is_set():
            self["LAST_WALK"] = min(last, self.finds.end)
            if self["WALKER"] >= self["LAST_WALK"]:
                return True
            self["LEFT"] = PAUSE_STEPS
            event = EVENTS[self._stroll(self.frontier.address)]
            if event not in ("LEVEL", "PAUSE"):
                self._handle(event)
        return False

    @property
    def number(self) -> int:
        """The walk that the last event is about."""
        return self["WALKER"] - (not self["UNDER_WAY"])

    def _handle(self, event: str) -> None:
        about, detail = self.frontier["ABOUT"], self.frontier["DETAIL"]
        program, confirm = self.kernel.program, self.confirm
        match event:
            case "INVARIANT":
                seen = self.frontier.truths("witnesses", self.frontier.state_words(about), self.frontier["SEEK"])
                self._witnessed(seen & ~ERROR_BIT if seen & ERROR_BIT == 0 else 0, about)
                self.frontier["CHECK"] &= ~detail
                for bit in _bits(detail):
                    self._found("invariants", bit, confirm.invariant(program.invariants[bit], about), about)
            case "WITNESS":
                self._witnessed(detail, about)
            case "TRANSITION":
                crossed, self.frontier["CROSSED"] = self.frontier["CROSSED"], 0
                for bit in _bits(crossed):
                    self._found("transitions", bit, confirm.transition(program.transitions[bit], bit), about + 1)
            case "DEADLOCK":
                self.frontier["DEADLOCKS"] = 0
                self._found("deadlock", 0, confirm.deadlock(about), about)
            case "ERROR":
                self._found("error", 0, confirm.model_error(about), about, final=True)
            case "PROPERTY_ERROR":
                self._found("error", 0, confirm.property_error(about), about, final=True)
            case _:
                raise AssertionError(f"the kernel answered {event}")

    def _witnessed(self, bits: int, about: int) -> None:
        self.frontier["SEEK"] &= ~bits
        for bit in _bits(bits):
            each = self.kernel.program.witnesses[bit]
            self._found("witnesses", bit, self.confirm.witness(each, about), about, final=False)

    def _found(self, kind: str, bit: int, result: Run | Failure, steps: int, *, final: bool | None = None) -> None:
        ends = not self.search.keep_going if final is None else final
        self.finds.add(kind, bit, Find(self.number, steps, result), final=ends)

    def close(self) -> None:
        """Give all memory back."""
        self.frontier.close()
        for region in (self._block, *self.arrays.values()):
            region.close()


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


# --- all of them ------------------------------------------------------------------------------------------------------


class Party:
    """All walkers of a search."""

    def __init__(self, model: Model, search: Search, walks: Walks, kernel: Kernel, report: Report | None) -> None:
        self.model, self.search, self.walks, self.kernel, self.report = model, search, walks, kernel, report
        self.finds = Finds()
        self.walkers = [Walker(model, search, walks, kernel, self.finds) for _ in range(search.workers)]
        self.started = time.perf_counter()
        self.seconds = 0.0
        self.stopped: str | None = None
        self._next, self._lock, self._going = 0, threading.Lock(), threading.Event()

    def run(self) -> None:
        """Walk until all walks are taken, something fails, or time or Ctrl-C ends it."""
        if not self.walkers[0].starts:
            self.stopped = "there is no initial state to walk from"
            return
        self._going.set()
        with ThreadPoolExecutor(len(self.walkers)) as pool:
            running = {pool.submit(self._work, each) for each in self.walkers}
            try:
                self._watch(running)
            except KeyboardInterrupt:
                self.stopped = "stopped by Ctrl-C"
            finally:
                self._going.clear()
        self.seconds = time.perf_counter() - self.started

    def _watch(self, running: set[Future[None]]) -> None:
        while running:
            done, running = wait(running, POLL_SECONDS, FIRST_COMPLETED)
            for each in done:
                each.result()
            self._tell()
            limit = self.search.seconds
            if running and limit is not None and time.perf_counter() - self.started >= limit:
                if self.walks.number is not None:
                    self.stopped = f"the time limit of {limit:g} s was reached"
                self._going.clear()

    def _work(self, walker: Walker) -> None:
        while self._going.is_set():
            with self._lock:
                first, self._next = self._next, self._next + BLOCK
            last = min(first + BLOCK, self.walks.number or ENDLESS)
            if first >= min(last, self.finds.end) or not walker.take(first, last, self._going):
                return

    def total(self, cell: str) -> int:
        """A cell, added up over the walkers."""
        return sum(each[cell] for each in self.walkers)

    def _tell(self) -> None:
        if self.report is None:
            return
        seconds, steps = time.perf_counter() - self.started, self.total("TOTAL")
        memory = sum(each.frontier.bytes_used() for each in self.walkers)
        rate = steps / max(seconds, 1e-9)
        self.report(Progress(self.distinct(), 0, self.longest() + 1, rate, memory, seconds, walks=self.taken()))

    def taken(self) -> int:
        """Walks that were taken to their end, or to the find that ended the search."""
        return min(self._next, self.walks.number or ENDLESS, self.finds.end)

    def longest(self) -> int:
        """The steps of the longest walk."""
        return max(max(each["LONGEST"], each["LENGTH"]) for each in self.walkers)

    def distinct(self) -> int:
        """About how many distinct states were seen."""
        sketches = [each.arrays["SKETCH"].words(0, REGISTERS) for each in self.walkers]
        return estimate([max(registers) for registers in zip(*sketches, strict=True)])

    def close(self) -> None:
        """Give all memory back."""
        for each in self.walkers:
            each.close()

    # --- the verdict --------------------------------------------------------------------------------------------------

    def verdict(self) -> Verdict:
        """What the walks say, and how many they were."""
        program, first = self.kernel.program, self.walkers[0].frontier
        for cell in range(len(CONTEXT) + len(program.opens), len(first.context)):
            first.context[cell] = sum(each.frontier.context[cell] for each in self.walkers)
        first["NEXT"] = sum(each.frontier["NEXT"] for each in self.walkers)
        runs: dict[str, Run] = {}
        for kind, properties in (
            ("invariants", program.invariants), ("transitions", program.transitions), ("witnesses", program.witnesses)
        ):  # fmt: skip
            for bit, find in self.finds.of(kind):
                assert isinstance(find.result, Run)
                each = properties[bit]
                runs[each.name] = find.result if kind == "witnesses" else shrunk(self.model, find.result, each)
        failures = [find for kind in ("error", "deadlock") for _, find in self.finds.of(kind)]
        deadlock = not any(True for _ in self.finds.of("error")) and bool(failures)
        failure = failures[0].result if failures else None
        assert failure is None or isinstance(failure, Failure)
        done = self.stopped is None
        ending = Ending(
            engine="walk", exhausted=False, sampled=self._sampled() if done else None, stopped=self.stopped,
            failure=failure, deadlock=deadlock, runs=runs, distinct=self.distinct(), seconds=self.seconds,
            compile_seconds=self.kernel.seconds, bytes_per_state=0.0, symmetry=(), actions=self._actions(), levels=(),
            rechecked=0, notes=self._notes(),
        )  # fmt: skip
        return replace(verdict_of(self.model, ending), depth=self.longest() + 1)

    def _sampled(self) -> str:
        walks = self.walks
        return f"sampled {self.taken():,} walks of depth {walks.depth}, seed {self.search.seed}"

    def _actions(self) -> tuple[ActionCoverage, ...]:
        """Coverage, an action counted when a walk took it."""
        plans = [plan.form.name for plan in self.kernel.program.plans]
        taken = [sum(each.arrays["TAKEN"].words(8 * at, 1)[0] for each in self.walkers) for at in range(len(plans))]
        by_name = dict(zip(plans, taken, strict=True))
        covered = coverage_of(self.model, self.kernel, self.walkers[0].frontier)
        return tuple(replace(each, fired=by_name.get(each.name, 0)) for each in covered)

    def _notes(self) -> tuple[str, ...]:
        steps, walks = self.total("TOTAL"), self.walks
        notes = [
            f"{walks.strategy} walks: {steps:,} steps, the longest walk {self.longest():,}; "
            f"about {self.distinct():,} distinct states seen, by an estimate good to 2%"
        ]
        ends = [find for kind in ("invariants", "transitions", "deadlock", "error") for _, find in self.finds.of(kind)]
        if ends:
            first = min(ends, key=lambda find: (find.walk, find.steps))
            notes.append(
                f"found in walk {first.walk:,} of seed {self.search.seed} after {first.steps} steps; of the run to a "
                "violation no step can be left out, and yet it need not be the shortest"
            )
        missing = [each.name for each in self._actions() if not each.switched_off and not each.fired]
        if missing and not ends:
            notes.append(f"no walk took {', '.join(missing)}: more walks, deeper ones, or another --strategy may")
        return tuple(notes)


def estimate(registers: Sequence[int]) -> int:
    """How many different hashes filled the registers of a sketch, with a standard error of 1.04 / sqrt(registers)
    (HyperLogLog, Flajolet and others, 2007; by linear counting while many registers are empty)."""
    size = len(registers)
    empty = sum(1 for each in registers if not each)
    raw = 0.7213 / (1 + 1.079 / size) * size * size / sum(2.0**-each for each in registers)
    return round(size * math.log(size / empty) if empty and raw <= 2.5 * size else raw)
