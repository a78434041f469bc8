"""Explorations: every case that signatures need, once, from the cache or in up to two processes.

One compiled kernel serves all cases of one number of replicas, since settings, switches and budgets are open in it; one
exploration answers all questions of a kind, and all cases that differ in what cannot matter (`Case.explored`). What a
case found is kept on disk under a name that says everything it depends on. A loss is replayed by plain Python before it
is reported, and of each pass a few states are checked again.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple

from ...explorer.cache import write_whole
from ...explorer.native.effort import QUICK_EFFORT, ROLLED_EFFORT
from ...explorer.native.kernels import Kernel, is_kernel_kept, kernel_of
from ...explorer.native.search import StopCondition, explore
from ...explorer.search import Search
from ...explorer.symmetry import Symmetry, symmetry_of
from ...language.immutable import immutable
from ...language.model import Model
from ...language.steptext import format_step
from ...language.verdict import PropertyVerdict, Run, Verdict
from ..kafka.profiles import definition
from ..questions.questions import PROPERTIES, WITH_ALL, Case, ExplorationKind
from .digest import text_digest
from .garbage_collection import collect_seldom
from .processes import Processes, Work
from .step_sentences import step_sentence

R = TypeVar("R")
Arguments = TypeVarTuple("Arguments")
Inference = TypeVar("Inference")

SIZES = ("replicas", "max_records", "log_size", "max_leader_epoch")
"""Constants that the layout of a state depends on."""

SELDOM = ("unclean_elections", "reassignments", "follower_reads")
"""What no case has, or all of a kind."""

_OTHER_FAULTS = ("fences", "crashes", "power_losses", "disk_losses", "directory_losses", "preferred_elections")

ALIKE: Mapping[ExplorationKind, tuple[str, ...]] = {
    "loss": ("idempotent", "max_in_flight"),
    "reads": ("retries", "idempotent", "max_in_flight"),
    "goes_on": ("retries", "idempotent", "max_in_flight", "fsync", *_OTHER_FAULTS),
    "delivery": ("retries", "host_losses", "fences", "shutdowns", "controller_losses"),
}
"""What every case of a kind has the same value of."""

CLOSED: Mapping[ExplorationKind, tuple[str, ...]] = {asked: (*SIZES, *SELDOM, *own) for asked, own in ALIKE.items()}
"""Constants for each of whose values there is a kernel; in all others it is open. The fewer a kernel has open, the less
there is to compile."""

RECHECK = 2
"""States of each exhausted case that plain Python checks again."""

WORTH_A_PROCESS, WORTH_A_TURN = 40, 2
"""Cases from which on a second process is worth its start, and its turn once it runs."""

CHUNK = 12
"""Cases that a process takes at a time, at most."""

TURNS = 4
"""So often, at least, each process takes cases where there are that many: none of them ends long before the others."""

HEAVY = 12
"""The weight from which on a case is one of many states: these come last, one at a time."""

NO_TIME = "out of time"

REPORTING_SHARE, REPORTING_SECONDS = 0.25, 2.0
"""What an audit may take besides its time to infer what it has not said yet: this part of it, no less than this."""

DIED = "the process that explored it ended, perhaps for lack of memory; free memory and audit again"

MANY = 20_000
"""Of an exploration with more states the rest is left out once the main questions are answered, all against it; of a
brief one they are before it begins. One that is for a single question ends with any number of states."""

MEMORY_BYTES = 1 << 30

PAYS = 3_000_000
"""With so many states from one kernel the faster one is made for the cases that come: it takes 3 s to compile, and
saves about 1 s in a million states."""

SLOWER = 3
"""The faster kernel takes at most so many times as long to compile as the quick one."""

TOO_MANY, GROWTH = 4_000_000, 1.3
"""With so many states, and levels that still grow by so much, there are several times more than memory holds: levels
grow ever slower, up to the middle, and then shrink as they grew."""


@immutable
class ScenarioStep:
    """A step of a scenario: as `replay` takes it, and in words, a broker being `⟨A⟩`. `fault`: something failed."""

    step: str
    says: str
    fault: bool


@immutable
class CaseResult:
    """What a case found: the shortest scenario of each property that is violated, the witnesses that were reached.

    `held_invariants` are the invariants that hold everywhere. `stop_reason` says why it did not end, and is "" if it
    did, or if what it was for was found before; `for_good` is whether it would stop there again, or had only no time.
    """

    scenarios: Mapping[str, tuple[ScenarioStep, ...]] = field(default_factory=dict[str, "tuple[ScenarioStep, ...]"])
    reached_witnesses: frozenset[str] = frozenset()
    held_invariants: frozenset[str] = frozenset()
    states: int = 0
    depth: int = 0
    stop_reason: str = ""
    for_good: bool = True


# --- one process ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Engine:
    """A compiled kernel with the model that it is of. A quick one at first, unless the faster one is in the cache; once
    so many states were found with it that the faster one would have paid, that one."""

    model: Model
    kernel: Kernel
    symmetry: Symmetry
    folder: Path | None
    states: int = 0

    def faster(self) -> Kernel:
        """The kernel for many states, from now on this engine's."""
        if self.kernel.effort != ROLLED_EFFORT:
            domains = self.symmetry.domains
            self.kernel = kernel_of(self.model, domains, self.folder, effort=ROLLED_EFFORT, cone=True)
        return self.kernel

    def verdict(self, model: Model, search: Search, enough: StopCondition, *, is_hurried: bool = False) -> Verdict:
        """What an exploration gives, of a model whose open constants have their values. `is_hurried`: there is no time
        to compile the faster kernel. Ctrl-C ends the audit and is no answer, which would be kept: it is raised
        again."""
        if self.states > PAYS and not is_hurried:
            self.faster()
        faster = None if is_hurried or self.kernel.effort == ROLLED_EFFORT else self.faster
        verdict = explore(model, search, self.kernel, self.symmetry, enough=enough, faster=faster)
        if verdict.is_interrupted:
            raise KeyboardInterrupt
        self.states += verdict.distinct_states or 0
        return verdict


@dataclass(slots=True)
class StopRule:
    """When an exploration of a case may end before it is exhausted; asked after each level. `given_up` says why, if not
    since all was answered."""

    case: Case
    given_up: str = ""
    states: int = 1
    level: int = 1

    def is_here(self, decided_names: frozenset[str], states: int) -> bool:
        """Whether it may, given what was violated or met by name, and the number of states."""
        before, self.level, self.states = self.level, states - self.states, states
        if self.case.brief:
            return states > MANY
        if (states > MANY or self.case.is_of_one) and self.case.is_enough(decided_names):
            return True
        if states > TOO_MANY and self.level > before * GROWTH:
            self.given_up = f"given up after {states:,} states, of what must be many times more"
        return self.given_up != ""


class CaseExplorer:
    """Explores cases in this process. `folder` is where compiled kernels are kept; None keeps none."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.slowest = 0.0
        """Seconds by the clock of the kernel that took longest to compile: nothing interrupts that."""
        self._models: dict[Any, Model] = {}
        self._engines: dict[Any, Engine] = {}

    def _open(self, case: Case) -> tuple[Any, Model]:
        """The model that serves a case and others, most of its constants open, with what it is kept under."""
        closed = {name: value for name, value in case.constants if name in CLOSED[case.kind]}
        key = (PROPERTIES[case.kind], tuple(closed.items()))
        if key not in self._models:
            opened = [name for name in definition().constants if name not in CLOSED[case.kind]]
            self._models[key] = definition().bind("partition", closed, None, opened, properties=PROPERTIES[case.kind])
        return key, self._models[key]

    def model_of(self, case: Case) -> Model:
        """The model of a case, with its values of all constants and its own properties; nothing is compiled."""
        model = self._whole(case)
        own = tuple(prop for prop in model.properties if prop.name not in WITH_ALL.values())
        return replace(model, properties=own)

    def _whole(self, case: Case) -> Model:
        """The same with all that its exploration checks."""
        _, model = self._open(case)
        values = {name: value for name, value in case.constants if name in model.open}
        return definition().with_constants(model, "partition", values)

    def engine(self, case: Case) -> Engine:
        """The kernel for a case, made or loaded once."""
        key, model = self._open(case)
        if key not in self._engines:
            symmetry = symmetry_of(model)
            effort = (
                ROLLED_EFFORT
                if is_kernel_kept(model, symmetry.domains, self.folder, ROLLED_EFFORT, cone=True)
                else QUICK_EFFORT
            )
            kernel = kernel_of(model, symmetry.domains, self.folder, effort=effort, cone=True)
            self._engines[key] = Engine(model, kernel, symmetry, self.folder)
            self.slowest = max(self.slowest, 0.0 if kernel.is_cached else kernel.seconds)
        return self._engines[key]

    def is_in_time(self, case: Case, seconds_left: float) -> bool:
        """Whether its kernel is there, or, as others were compiled, will be in the seconds that are left."""
        key, _ = self._open(case)
        return key in self._engines or self.slowest < seconds_left

    def verdict(self, case: Case, seconds: float | None = None) -> tuple[Model, Verdict, str]:
        """The model of a case, what its exploration gives, and why it was given up, or ""."""
        engine, model = self.engine(case), self._whole(case)
        search = Search(
            symmetry=True,
            recheck=RECHECK,
            keep_going=True,
            deadlocks=False,
            seconds=seconds,
            memory_bytes=MEMORY_BYTES,
        )
        ending = StopRule(case)
        hurried = seconds is not None and seconds < SLOWER * self.slowest
        return model, engine.verdict(model, search, ending.is_here, is_hurried=hurried), ending.given_up

    def explore(self, case: Case, deadline: float | None = None) -> CaseResult:
        """What a case finds until a moment (`time.time`)."""
        left = None if deadline is None else deadline - time.time()
        if left is not None and (left <= 0 or not self.is_in_time(case, left)):
            return CaseResult(stop_reason=NO_TIME, for_good=False)
        model, verdict, given_up = self.verdict(case, left)
        if verdict.failure is not None and verdict.outcome == "model_error":
            return CaseResult(stop_reason=f"the model's bounds are too small: {verdict.failure.message}")
        whole = verdict.assurance.startswith("exhaustive")
        return CaseResult(
            {
                prop.name: scenario_steps(model, prop.run)
                for prop in verdict.properties
                if is_violated(prop) and prop.run is not None
            },
            frozenset(prop.name for prop in verdict.properties if prop.verdict == "reached"),
            frozenset(prop.name for prop in verdict.properties if prop.verdict in ("holds", "missing")),
            verdict.distinct_states or 0,
            verdict.depth,
            "" if whole or verdict.outcome == "safety" else given_up or verdict.assurance,
            deadline is None or time.time() < deadline,
        )


def seen_by(case: Case, result: CaseResult) -> CaseResult:
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


def is_violated(prop: PropertyVerdict) -> bool:
    """Whether something that must hold does not."""
    return prop.verdict == "violated"


def scenario_steps(model: Model, run: Run) -> tuple[ScenarioStep, ...]:
    """A run's steps in words, the names of brokers marked."""
    return tuple(
        ScenarioStep(
            format_step(step.action, step.arguments),
            step_sentence(model, before, step.action, step.arguments),
            model.action(step.action).kind == "fault",
        )
        for before, step in zip(run.states(), run.steps, strict=False)
    )


# --- many, kept -------------------------------------------------------------------------------------------------------


def case_key(case: Case) -> str:
    """A name for what a case finds."""
    return hashlib.sha256(json.dumps([text_digest(), case.kind, case.constants, case.brief]).encode()).hexdigest()


class UnexploredError(Exception):
    """Cases are asked for of which nothing is known, where nothing is explored (`Explorations.frozen`)."""

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
        self.bench = CaseExplorer(folder)
        self.known: dict[Case, CaseResult] = {}
        self._inferences: dict[Any, dict[Any, Any]] = {}
        """What functions inferred from what is known, by function and arguments; empty again once more is known."""
        self.settled: set[tuple[object, Case]] = set()
        """What others found to be decided, by what it is about: more that is known does not change it."""
        self.shown: dict[tuple[Case, str, tuple[ScenarioStep, ...]], tuple[ScenarioStep, ...]] = {}
        """Runs as `own_fault` shows them, by what they were found as."""
        self.explored = 0
        self.interrupted = False
        self._ahead: dict[Case, None] = {}
        """Those that are explored though nobody asked yet, and of which nothing is known."""
        self._prepared: set[tuple[str, int]] = set()
        self._is_frozen = False
        work = Work(_explore, _begin, (self.folder, self.until), _prepare)
        self.processes = Processes[Sequence[Case], list[CaseResult]](work, workers, self.until)

    def result(self, case: Case) -> CaseResult:
        """What one case finds."""
        self.all([case])
        return seen_by(case, self.known[case.explored_case])

    def all(self, cases: Iterable[Case]) -> None:
        """Sees to it that what each case finds is known: from before, from disk, or explored now."""
        wanted = [
            explored for explored in dict.fromkeys(case.explored_case for case in cases) if explored not in self.known
        ]
        if wanted and self._is_frozen:
            raise UnexploredError(wanted)
        for case in wanted:
            if (kept := self._saved_result(case)) is not None:
                self._learn(case, kept)
        new = dict.fromkeys(explored for explored in wanted if explored not in self.known)
        self._say("compiling", 0, len(new))
        done = 0
        for case, found in self._explore_cases(list(new)):
            self._learn(case, found)
            self.explored += 1
            done += case in new
            self._say("exploring", done, len(new))
            if found.for_good:
                self._keep(case, found)

    def ahead(self, cases: Iterable[Case], others: Iterable[Case] = ()) -> None:
        """Cases that will be asked for after `others`, or as others of their sizes: explored where a process has
        nothing else to do. Nothing begins for few."""
        if self.workers < 2 or self.folder is None or self.late:
            return
        wanted = dict.fromkeys(case.explored_case for case in cases)
        new = [case for case in wanted if case not in self.known and not self._is_kept(case)]
        if len(new) >= WORTH_A_PROCESS:
            self._ahead |= dict.fromkeys(new)
            self._prepare([*others, *new])
            self.processes.spare.extend(chunks_of(new, self.workers))

    def _prepare(self, cases: Iterable[Case]) -> None:
        """Begins the kernels of cases, the largest first, where that was not done."""
        sizes = {case.size: case for case in cases if case.size not in self._prepared}
        self._prepared |= sizes.keys()
        self.processes.prepare([sizes[size] for size in sorted(sizes, reverse=True)])

    @contextmanager
    def frozen(self) -> Generator[None]:
        """Within it nothing is explored: UnexploredError is raised for cases of which nothing is known."""
        self._is_frozen = True
        try:
            yield
        finally:
            self._is_frozen = False

    def _say(self, phase: str, finished_count: int, of: int) -> None:
        """How far it has come: the phase, and of the explorations that a table needs those that are done."""
        if self.report is not None and of:
            self.report(f"{phase}: {finished_count:,} of {of:,} explorations of this round, {len(self.known):,} in all")

    def _learn(self, case: Case, result: CaseResult) -> None:
        """What a case finds is known from now on. Where that is nothing, as it is once time is out, others infer from
        it what they did before."""
        self.known[case] = result
        if result.scenarios or result.reached_witnesses or result.held_invariants:
            self.forget_inferences()

    def infer(self, function: Callable[[*Arguments, Explorations], Inference], *arguments: *Arguments) -> Inference:
        """What a function infers from what is known; said again as it was until more is known."""
        made: dict[tuple[*Arguments], Inference] = self._inferences.get(function, {})
        if arguments in made:
            return made[arguments]
        inference = function(*arguments, self)  # which may have more explored, after which all is forgotten
        self._inferences.setdefault(function, {})[arguments] = inference
        return inference

    def forget_inferences(self) -> None:
        """All is inferred anew."""
        self._inferences.clear()

    @property
    def late(self) -> bool:
        """Whether time is out: nothing more is explored."""
        return self.until is not None and time.time() >= self.until

    @property
    def is_time_over(self) -> bool:
        """Whether the time is over, too, in which what is known answers what was not asked yet."""
        return self._over is not None and time.time() >= self._over

    def _explore_cases(self, cases: Sequence[Case]) -> Iterator[tuple[Case, CaseResult]]:
        """What cases find, and some of those that were explored ahead meanwhile."""
        if self.late:
            self._ahead.clear()
            self.processes.spare.clear()
            yield from ((case, CaseResult(stop_reason=NO_TIME, for_good=False)) for case in cases)
            return
        if any(case in self._ahead for case in cases):
            yield from self._of_chunks(self.processes.rest())
        own = [case for case in cases if case not in self.known]
        worth = WORTH_A_TURN if self.processes.running else WORTH_A_PROCESS
        if self.workers < 2 or self.folder is None or len(own) < worth:
            yield from ((case, self.bench.explore(case, self.until)) for case in own)
            return
        self._prepare(own)
        yield from self._of_chunks(self.processes.results(list(chunks_of(own, self.workers))))

    def _of_chunks(
        self, chunks: Iterable[tuple[Sequence[Case], list[CaseResult] | None]]
    ) -> Iterator[tuple[Case, CaseResult]]:
        for chunk, found in chunks:
            for case in chunk:
                self._ahead.pop(case, None)
            why = NO_TIME if self.late else DIED
            yield from zip(chunk, found or [CaseResult(stop_reason=why, for_good=False)] * len(chunk), strict=True)

    @property
    def unfinished_count(self) -> int:
        """How many explorations time did not suffice for."""
        return sum(
            1 for found in self.known.values() if found.stop_reason and not found.for_good and found.stop_reason != DIED
        )

    def complete(self, work: Callable[[], R]) -> R:
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
        self.processes.kill() if self.late else self.processes.close()

    def _path(self, case: Case) -> Path | None:
        return None if self.folder is None else self.folder / "audit" / f"{case_key(case)}.json"

    def _saved_result(self, case: Case) -> CaseResult | None:
        path = self._path(case)
        try:
            kept = None if path is None else json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return None if kept is None else from_json(kept)

    def _is_kept(self, case: Case) -> bool:
        """Whether there is a file of what a case finds."""
        path = self._path(case)
        return path is not None and path.is_file()

    def _keep(self, case: Case, result: CaseResult) -> None:
        path = self._path(case)
        if path is not None:
            write_whole(path, json.dumps(to_json(result), ensure_ascii=False).encode())


def chunks_of(cases: Sequence[Case], workers: int) -> Iterator[Sequence[Case]]:
    """The cases in the order in which they are explored: in time that does not suffice for all, most are decided."""
    ordered = sorted(cases, key=lambda case: (case.weight, case.size))
    light = [case for case in ordered if case.weight < HEAVY]
    size = max(1, min(CHUNK, len(light) // (TURNS * workers)))
    yield from (light[at : at + size] for at in range(0, len(light), size))
    yield from ([case] for case in ordered[len(light) :])


def to_json(result: CaseResult) -> Any:
    """A finished case as JSON has it."""
    steps = {name: [[t.step, t.says, t.fault] for t in scenario] for name, scenario in result.scenarios.items()}
    names = {"reached": sorted(result.reached_witnesses), "checked": sorted(result.held_invariants)}
    return {"scenarios": steps, **names, "states": result.states, "depth": result.depth, "stopped": result.stop_reason}


def from_json(entry: Any) -> CaseResult | None:
    """A finished case from the cache; None if it is not one."""
    try:
        scenarios = {name: tuple(ScenarioStep(*step) for step in steps) for name, steps in entry["scenarios"].items()}
        names = frozenset(entry["reached"]), frozenset(entry["checked"])
        return CaseResult(scenarios, *names, entry["states"], entry["depth"], entry["stopped"])
    except (KeyError, TypeError, AttributeError):
        return None


# --- in a process of the pool -----------------------------------------------------------------------------------------

_benches: list[tuple[CaseExplorer, float | None]] = []


def _begin(folder: Path, deadline: float | None) -> None:
    collect_seldom()
    _benches.append((CaseExplorer(folder), deadline))


def _prepare(case: Case) -> None:
    """Compile the kernel of a case, for both processes, unless time is out."""
    bench, until = _benches[0]
    if until is None or bench.is_in_time(case, max(0.0, until - time.time())):
        bench.engine(case)


def _explore(cases: Sequence[Case]) -> list[CaseResult]:
    bench, until = _benches[0]
    return [bench.explore(case, until) for case in cases]
