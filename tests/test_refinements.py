"""The refinements that ship with Tidegate: which model implements which, and that bugs planted in the models are
found."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import Recorded, read
from tidegate.invariants.catalogue import REFINEMENTS, find
from tidegate.language.binding import load
from tidegate.language.verdict import PropertyVerdict

from .conftest import ROOT
from .mutants import Mutant, plant

CHECKS = {each.name: each for name in REFINEMENTS for each in read(ROOT / "spec" / f"{name}.toml").checks}
"""What is recorded of each refinement."""

ORDINARY = [
    "replication_as_log:kip320 published, symmetric, ghosts",
    "replication_as_log:kip101 published, symmetric, ghosts, as_log violated",
]
"""Those that are checked in every run of the tests; the gate checks the others."""


@pytest.mark.parametrize("name", ORDINARY)
def test_a_refinement_is_as_recorded(name: str, cache: Path) -> None:
    check: Recorded = CHECKS[name]
    definition, profile = find(check.target)
    model = definition.bind(check.target, check.constants, profile)
    verdict = ENGINES["native"](model, Search(symmetry=check.symmetry, cache=cache), None)
    (found,) = verdict.properties
    expected = check.properties[found.name]
    assert (found.verdict, steps_of(found)) == (expected.verdict, expected.steps)
    if check.counts:
        counted = {"distinct_states": verdict.distinct_states, "transitions": verdict.transitions}
        assert {**counted, "depth": verdict.depth} == check.counts


def steps_of(found: PropertyVerdict) -> int | None:
    """The steps of a counterexample; None where there is none."""
    return None if found.run is None else len(found.run.steps)


MUTANTS = {
    "the ISR grows by who is in another epoch": Mutant(
        "replication_as_log",
        "replication/isr.py",
        "require(not fence_isr_expansion or are_in_one_epoch(s, follower, leader))\n",
        "require(True)\n",
    ),
    "the log is cut one record too far": Mutant(
        "replication_as_log",
        "replication/followers.py",
        "s.log[replica].truncate(end)",
        "s.log[replica].truncate(max(end - 1, 0))",
    ),
    "a leader is elected outside of the ISR": Mutant(
        "replication_as_log",
        "replication/leaders.py",
        "    require(leader in s.quorum.isr)\n    require(leader != s",
        "    require(leader != s",
    ),
    "the high watermark passes a laggard": Mutant(
        "replication_as_log",
        "replication/records.py",
        "            and has_reached(s, follower, leader, offset + 1)\n            for",
        "            and has_reached(s, follower, leader, offset)\n            for",
    ),
}


BOUNDS = {"the ISR grows by who is in another epoch": {"max_leader_epoch": 2}}
"""Where a bug takes more than the default bounds."""


@pytest.mark.parametrize("name", MUTANTS)
def test_a_planted_bug_breaks_the_refinement(name: str, tmp_path: Path) -> None:
    mutant = MUTANTS[name]
    entry = REFINEMENTS[mutant.model]
    definition = load(plant(tmp_path, mutant)(f"invariants.{entry.refinement}"))
    model = definition.bind(profile=entry.default_profile, constants=BOUNDS.get(name, {}))
    (found,) = ENGINES["native"](model, Search(symmetry=True), None).properties
    assert found.verdict == "violated"
