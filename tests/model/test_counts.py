"""Golden counts: what was published, what is recorded, and what every engine counts must be the same numbers."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tidegate.explorer import ENGINES, EXHAUSTIVE
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, RecordFile, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.binding import load
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

from ..conftest import ROOT
from ..support.shipped import tier_parameters

PROFILES = ("truncate_to_hw", "kip101", "kip279", "kip320_first_try", "kip320")

# TLC on the TLA+ modules of hachikuji/kafka-specification: distinct states and depth, one column per profile.
# (replicas, log_size, max_records, max_leader_epoch): counts
PUBLISHED = {
    (2, 2, 2, 1): ((1251, 16), (1177, 15), (1177, 15), (1165, 15), (957, 15)),
    (3, 2, 2, 0): ((1072, 17), (1072, 17), (1072, 17), (1072, 17), (1063, 17)),
    (2, 2, 2, 2): ((10131, 20), (9045, 18), (9027, 18), (8429, 18), (5973, 18)),
    (3, 1, 1, 1): ((10681, 17), (9841, 18), (9841, 18), (9661, 18), (6787, 18)),
    (3, 2, 2, 1): ((67807, 21), (59788, 22), (60106, 22), (59092, 22), (39619, 22)),
}
PUBLISHED_ORBITS = {
    (3, 1, 1, 1): (1823, 1682, 1682, 1650, 1165),
    (3, 2, 2, 1): (11453, 10111, 10164, 9983, 6713),
}
# The states of the shortest counterexamples of WeakIsr and StrongIsr; None where there is none.
PUBLISHED_COUNTEREXAMPLES = {
    ("truncate_to_hw", (2, 2, 2, 2)): (9, 10),
    ("truncate_to_hw", (3, 1, 1, 1)): (9, 9),
    ("kip101", (2, 2, 2, 2)): (12, 12),
    ("kip101", (3, 1, 1, 1)): (None, 12),
    ("kip279", (2, 2, 2, 2)): (None, None),
    ("kip279", (3, 1, 1, 2)): (11, 11),
    ("kip320_first_try", (3, 1, 1, 1)): (None, None),
    ("kip320_first_try", (3, 1, 1, 2)): (12, 13),
    ("kip320", (3, 1, 1, 2)): (None, None),
}
# Their manuals' and TLC's numbers for the classics: distinct states and depth.
CLASSICS = {
    "die_hard": (16, 8),
    "peterson": (42, 11),
    "two_phase": (288, 11),
    "tcommit": (34, 7),
    "dining_philosophers": (67, 29),
}

SMALL_FOR_PYTHON = 1300
"""States that plain Python explores in well under a second."""


@cache
def read_records(name: str) -> RecordFile:
    return read_record_file(ROOT / "spec" / f"{name}.toml")


REPLICATION = read_records("replication").checks
COMMIT = [
    check for name in ("replication", "async_isr") for check in read_records(name).checks if check.tier == "commit"
]


def sizes(check: CheckRecord) -> tuple[Any, ...]:
    return tuple(check.constants[name] for name in ("replicas", "log_size", "max_records", "max_leader_epoch"))


def is_as_published(check: CheckRecord) -> bool:
    """Whether no switch is set beside the profile's, so that TLC has a number for it."""
    return not check.ghosts and set(check.constants) == {"replicas", "log_size", "max_records", "max_leader_epoch"}


# --- what is recorded is what was published ---------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
def test_recorded_counts_are_the_published_ones(profile: str) -> None:
    counted = [
        record for record in REPLICATION if record.profile == profile and is_as_published(record) and record.counts
    ]
    plain = {
        sizes(record): (record.counts["distinct_states"], record.counts["depth"])
        for record in counted
        if not record.symmetry
    }
    orbits = {sizes(record): record.counts["distinct_states"] for record in counted if record.symmetry}
    column = PROFILES.index(profile)
    assert {at: plain[at] for at in PUBLISHED} == {at: row[column] for at, row in PUBLISHED.items()}
    assert {at: orbits[at] for at in PUBLISHED_ORBITS} == {at: row[column] for at, row in PUBLISHED_ORBITS.items()}


@pytest.mark.parametrize(("profile", "at"), PUBLISHED_COUNTEREXAMPLES)
def test_recorded_counterexamples_are_the_published_ones(profile: str, at: tuple[int, int, int, int]) -> None:
    here = [
        record
        for record in REPLICATION
        if record.profile == profile and is_as_published(record) and sizes(record) == at
    ]
    states: dict[str, int | None] = {}
    for check in here:
        for name in ("weak_isr", "strong_isr"):
            if name in check.properties:
                steps = check.properties[name].steps
                states[name] = None if steps is None else steps + 1
    assert (states["weak_isr"], states["strong_isr"]) == PUBLISHED_COUNTEREXAMPLES[profile, at]


def test_the_size_that_tlc_took_43_seconds_for() -> None:
    large = [
        record for record in REPLICATION if sizes(record) == (3, 2, 2, 2) and is_as_published(record) and record.counts
    ]
    assert 737_794 in [record.counts["distinct_states"] for record in large if record.profile == "kip320"]


# --- the engines count what is recorded -------------------------------------------------------------------------------


def bind_check(check: CheckRecord) -> Model:
    definition, profile = find(check.target)
    texts = {name: str(value) for name, value in check.constants.items()}
    return definition.bind(check.target, texts, profile, ghosts=check.ghosts, properties=tuple(check.properties))


def assert_as_recorded(check: CheckRecord, verdict: Verdict) -> None:
    found = {
        prop.name: (prop.verdict, len(prop.run.steps) if prop.run is not None and prop.verdict == "violated" else None)
        for prop in verdict.properties
    }
    assert found == {name: (prop.verdict, prop.steps) for name, prop in check.properties.items()}
    assert verdict.outcome == check.outcome
    counts = {name: getattr(verdict, name) for name in check.counts}
    assert counts == dict(check.counts)


SMALL = [record for record in COMMIT if record.counts and record.counts["distinct_states"] <= SMALL_FOR_PYTHON]
"""What both engines count here; everything recorded is counted by `tidegate gate`, which CI runs after the tests."""


def few_states(check: CheckRecord) -> bool:
    """Whether plain Python counts it in a second, its symmetry too."""
    return check.counts["distinct_states"] <= (500 if check.symmetry else 1000)


@pytest.mark.parametrize("engine", EXHAUSTIVE)
@pytest.mark.parametrize("check", tier_parameters(SMALL, few_states, lambda check: check.name))
def test_every_engine_counts_what_is_recorded(check: CheckRecord, engine: str, cache: Path) -> None:
    assert_as_recorded(check, ENGINES[engine](bind_check(check), Search(symmetry=check.symmetry, cache=cache), None))


def test_plain_python_finds_the_same_shortest_counterexample(cache: Path) -> None:
    definition, profile = find("replication:truncate_to_hw")
    model = definition.bind(
        "truncate_to_hw", {"replicas": 2, "max_leader_epoch": 1}, profile, ghosts=False, properties=["strong_isr"]
    )
    runs = [ENGINES[name](model, Search(cache=cache), None).properties[0].run for name in ("native", "python")]
    assert runs[0] is not None
    assert runs[1] is not None
    assert len(runs[0].steps) == len(runs[1].steps) == 9


# --- the classics, and a program that shares nothing with us ----------------------------------------------------------


@pytest.mark.parametrize("engine", EXHAUSTIVE)
@pytest.mark.parametrize("name", CLASSICS)
def test_classics(name: str, engine: str, cache: Path) -> None:
    model = load(ROOT / "examples" / f"{name}.py").bind()
    verdict = ENGINES[engine](model, Search(cache=cache), None)
    assert (verdict.verdict, verdict.outcome) == ("holds", "none")
    assert (verdict.distinct_states, verdict.depth) == CLASSICS[name]


@pytest.mark.parametrize(
    ("name", "witness", "states"), [("die_hard", "four_gallons", 7), ("missionaries", "everyone_is_across", 12)]
)
def test_puzzles_are_solved_in_the_fewest_steps(name: str, witness: str, states: int, cache: Path) -> None:
    model = load(ROOT / "examples" / f"{name}.py").bind(properties=[witness])
    run = ENGINES["native"](model, Search(cache=cache), None).properties[0].run
    assert run is not None
    assert len(run.states()) == states


@pytest.mark.parametrize(("name", "orbits"), [("tcommit", 13), ("two_phase", 80), ("missionaries", 16)])
@pytest.mark.parametrize("engine", EXHAUSTIVE)
def test_symmetry_folds_the_classics(name: str, orbits: int, engine: str, cache: Path) -> None:
    model = load(ROOT / "examples" / f"{name}.py").bind()
    assert ENGINES[engine](model, Search(symmetry=True, cache=cache), None).distinct_states == orbits


def yardstick() -> ModuleType:
    """The hand-written explorer of bench/, which is not a package."""
    spec = importlib.util.spec_from_file_location("plain_kip320", ROOT / "bench" / "plain_kip320.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("at", PUBLISHED)
def test_the_hand_written_explorer_counts_the_same(at: tuple[int, int, int, int]) -> None:
    written = yardstick()
    count = written.explore(written.Bounds(*at))
    check = next(
        record
        for record in REPLICATION
        if record.profile == "kip320" and sizes(record) == at and is_as_published(record)
    )
    assert {name: check.counts[name] for name in ("distinct_states", "transitions", "depth")} == {
        "distinct_states": count.distinct,
        "transitions": count.transitions,
        "depth": count.depth,
    }


def test_the_bench_starts() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--help"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "--quick" in done.stdout
