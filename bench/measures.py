"""What `python -m bench` measures: every run here is of the same model with the same properties."""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Callable
from pathlib import Path

from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.invariants.catalogue import find
from tidegate.language.immutable import immutable
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

from . import plain_kip320
from .breakdown import nanoseconds_by_stage

PROPERTIES = ("type_ok", "leader_in_isr", "weak_isr", "strong_isr")
Say = Callable[[str], None]


def processor_seconds() -> float:
    """What this process, and those that it has ended, have had of processors."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


@immutable
class ExplorationMeasure:
    """One exploration to the end. `seconds` is the exploration alone; the best of several where there were several."""

    states: int
    transitions: int
    seconds: float
    bytes_per_state: float

    @property
    def states_per_second(self) -> float:
        """Distinct states, found and checked."""
        return self.states / self.seconds


@immutable
class MeasurementReport:
    """Everything measured. `native` and `orbits` are at max_leader_epoch=3, the `_large` ones and `tuned_python` at 2.

    `stages` is what each part of the work takes of a state, in nanoseconds.
    """

    cold_seconds: float
    cached_seconds: float
    native: ExplorationMeasure
    native_large: ExplorationMeasure
    orbits: ExplorationMeasure
    orbits_large: ExplorationMeasure
    tuned_python: ExplorationMeasure
    plain_python: ExplorationMeasure
    stages: dict[str, float]


def measure_all(*, quick: bool, say: Say) -> MeasurementReport:
    """Runs everything, one after the other, and reports its progress."""
    rounds = 1 if quick else 3
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        say("native ...")
        cold = explore_natively(3, cache)
        runs = [explore_natively(3, cache) for _ in range(rounds)]
        native_large = fastest_measure([explore_natively(2, cache) for _ in range(rounds + 1)])
        say("native, symmetric ...")
        orbits = fastest_measure([explore_natively(3, cache, symmetry=True) for _ in range(rounds + 1)])
        orbits_large = fastest_measure([explore_natively(2, cache, symmetry=True) for _ in range(rounds + 1)])
        say("what limits it ...")
        where = nanoseconds_by_stage(measured_model(3), cache, fastest_measure(runs).seconds)
    say("CPython, tuned tuples ...")
    tuned = explore_hand_written(1 if quick else 2)
    if not quick and (tuned.states, tuned.transitions) != (native_large.states, native_large.transitions):
        raise RuntimeError(f"the program by hand finds other states: {tuned}, and the native engine {native_large}")
    say("CPython, the model's own text ...")
    judge = explore_plainly(0 if quick else 1)
    return MeasurementReport(
        cold_seconds=cold.compile_seconds,
        cached_seconds=min(run.compile_seconds for run in runs),
        native=fastest_measure(runs),
        native_large=native_large,
        orbits=orbits,
        orbits_large=orbits_large,
        tuned_python=tuned,
        plain_python=judge,
        stages=where,
    )


def measured_model(epochs: int) -> Model:
    """The model that all this is about, with epochs 0 to `epochs`."""
    definition, profile = find("replication:kip320")
    sizes = {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": epochs}
    return definition.bind("replication:kip320", sizes, profile, ghosts=False, properties=PROPERTIES)


def explore_natively(epochs: int, cache: Path, *, symmetry: bool = False) -> Verdict:
    """One run of the native engine, which must hold: a fast wrong answer is no measurement."""
    return require_holding(ENGINES["native"](measured_model(epochs), Search(symmetry=symmetry, cache=cache), None))


def require_holding(verdict: Verdict) -> Verdict:
    """The same. RuntimeError when the model does not hold."""
    if verdict.verdict != "holds":
        raise RuntimeError(f"kip320 must hold, and the {verdict.engine} engine says {verdict.verdict}")
    return verdict


def fastest_measure(verdicts: list[Verdict]) -> ExplorationMeasure:
    """The fastest of several runs of the same."""
    fastest = min(verdicts, key=lambda verdict: verdict.seconds)
    states, steps = fastest.distinct_states or 0, fastest.transitions or 0
    return ExplorationMeasure(states, steps, fastest.seconds, fastest.bytes_per_state or 0.0)


def explore_hand_written(epochs: int) -> ExplorationMeasure:
    """The tuned CPython program, which checks the same properties."""
    count = plain_kip320.explore(plain_kip320.Bounds(3, 2, 2, epochs))
    return ExplorationMeasure(count.distinct, count.transitions, count.seconds, 0.0)


def explore_plainly(epochs: int) -> ExplorationMeasure:
    """The model's own text, explored by the judge."""
    verdict = require_holding(ENGINES["python"](measured_model(epochs), Search(), None))
    return ExplorationMeasure(verdict.distinct_states or 0, verdict.transitions or 0, verdict.seconds, 0.0)
