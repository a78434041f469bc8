"""Explores cases in one process: a compiled kernel for all of a size, and when an exploration may end."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ...explorer.native.effort import QUICK_EFFORT, ROLLED_EFFORT
from ...explorer.native.kernels import Kernel, is_kernel_kept, kernel_of
from ...explorer.native.search import StopCondition, explore
from ...explorer.search import Search
from ...explorer.symmetry import Symmetry, symmetry_of
from ...language.constants import PlainValue
from ...language.immutable import immutable
from ...language.model import Model
from ...language.verdict import Verdict
from ..kafka.profiles import audited_model_definition
from ..questions.questions import PROPERTIES, WITH_ALL, Case, ExplorationKind
from .case_results import NO_TIME, CaseResult, is_violated, scenario_steps

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

MANY = 20_000
"""Of an exploration with more states the rest is left out once the main questions are answered, all against it; of a
brief one they are before it begins. One that is for a single question ends with any number of states."""

MEMORY_BYTES = 1 << 30

PAYS = 3_000_000
"""With so many states from one kernel the faster one is made for the cases that come: it takes 3 s to compile, and
saves about 1 s in a million states."""

SLOWER = 3
"""The faster kernel takes at most so many times as long to compile as the quick one."""

TOO_MANY = 4_000_000
"""With so many states, and levels that still grow by `GROWTH`, there are several times more than memory holds: levels
grow ever slower, up to the middle, and then shrink as they grew."""

GROWTH = 1.3
"""By what factor a level is larger than the one before it, where most are still to come."""


@dataclass(slots=True)
class Engine:
    """A compiled kernel with the model that it is of. A quick one at first, unless the faster one is in the cache; once
    so many states were found with it that the faster one would have paid, that one."""

    model: Model
    kernel: Kernel
    symmetry: Symmetry
    folder: Path | None
    states: int = 0

    def use_fast_kernel(self) -> Kernel:
        """The kernel for many states, from now on this engine's."""
        if self.kernel.effort != ROLLED_EFFORT:
            domains = self.symmetry.domains
            self.kernel = kernel_of(self.model, domains, self.folder, effort=ROLLED_EFFORT, cone=True)
        return self.kernel

    def explore_model(
        self, model: Model, search: Search, enough: StopCondition, *, is_hurried: bool = False
    ) -> Verdict:
        """What an exploration gives, of a model whose open constants have their values. `is_hurried`: there is no time
        to compile the faster kernel. Ctrl-C ends the audit and is no answer, which would be kept: it is raised
        again."""
        if self.states > PAYS and not is_hurried:
            self.use_fast_kernel()
        faster = None if is_hurried or self.kernel.effort == ROLLED_EFFORT else self.use_fast_kernel
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
        if (states > MANY or self.case.is_of_one_question) and self.case.is_enough(decided_names):
            return True
        if states > TOO_MANY and self.level > before * GROWTH:
            self.given_up = f"given up after {states:,} states, of what must be many times more"
        return self.given_up != ""


@immutable
class KernelKey:
    """What a kernel is compiled for: the properties that it checks, and the constants whose values are in its code."""

    properties: tuple[str, ...]
    closed_constants: tuple[tuple[str, PlainValue], ...]


class CaseExplorer:
    """Explores cases in this process. `folder` is where compiled kernels are kept; None keeps none."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.slowest = 0.0
        """Seconds by the clock of the kernel that took longest to compile: nothing interrupts that."""
        self._models: dict[KernelKey, Model] = {}
        self._engines: dict[KernelKey, Engine] = {}

    def _open_model(self, case: Case) -> tuple[KernelKey, Model]:
        """The model that serves a case and others, most of its constants open, with what it is kept under."""
        closed = tuple((name, value) for name, value in case.constants if name in CLOSED[case.kind])
        key = KernelKey(PROPERTIES[case.kind], closed)
        if key not in self._models:
            opened = [name for name in audited_model_definition().constants if name not in CLOSED[case.kind]]
            self._models[key] = audited_model_definition().bind(
                "partition", dict(closed), None, opened, properties=key.properties
            )
        return key, self._models[key]

    def model_of(self, case: Case) -> Model:
        """The model of a case, with its values of all constants and its own properties; nothing is compiled."""
        model = self._model_with_all_properties(case)
        own = tuple(prop for prop in model.properties if prop.name not in WITH_ALL.values())
        return replace(model, properties=own)

    def _model_with_all_properties(self, case: Case) -> Model:
        """The same with all that its exploration checks."""
        _, model = self._open_model(case)
        values = {name: value for name, value in case.constants if name in model.open}
        return audited_model_definition().with_constants(model, "partition", values)

    def engine(self, case: Case) -> Engine:
        """The kernel for a case, made or loaded once."""
        key, model = self._open_model(case)
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
        key, _ = self._open_model(case)
        return key in self._engines or self.slowest < seconds_left

    def explore_model_of(self, case: Case, seconds: float | None = None) -> tuple[Model, Verdict, str]:
        """The model of a case, what its exploration gives, and why it was given up, or ""."""
        engine, model = self.engine(case), self._model_with_all_properties(case)
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
        return model, engine.explore_model(model, search, ending.is_here, is_hurried=hurried), ending.given_up

    def result_of(self, case: Case, deadline: float | None = None) -> CaseResult:
        """What a case finds until a moment (`time.time`)."""
        left = None if deadline is None else deadline - time.time()
        if left is not None and (left <= 0 or not self.is_in_time(case, left)):
            return CaseResult(stop_reason=NO_TIME, for_good=False)
        model, verdict, given_up = self.explore_model_of(case, left)
        if verdict.failure is not None and verdict.outcome == "model_error":
            return CaseResult(stop_reason=f"the model's bounds are too small: {verdict.failure.message}")
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
            "" if verdict.is_exhaustive or verdict.outcome == "safety" else given_up or verdict.assurance,
            deadline is None or time.time() < deadline,
        )
