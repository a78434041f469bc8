"""`python -m bench.refinement`: the cost of checking that a model refines another, over the same search without it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tidegate.api.models import find_definition
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.language.constants import Value

GOAL = 3.0
"""At most so many times the time of the search alone."""
ROUNDS = 3
"""Searches of each kind; the fastest counts."""
ROWS: tuple[tuple[str, str, Mapping[str, Value]], ...] = (
    ("examples/two_phase.py", "as_transaction_commit", {"managers": 7}),
    ("replication_as_log:kip320", "as_log", {"max_leader_epoch": 2}),
)
"""Models from the root of the repository, each with its refinement and its bounds."""


def main() -> None:
    """Measures and prints."""
    print(f"refinements, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; goal: at most {GOAL:g} times")
    with tempfile.TemporaryDirectory() as folder:
        for name, refinement, constants in ROWS:
            alone, states = seconds_of(name, (), constants, Path(folder))
            checked, same = seconds_of(name, (refinement,), constants, Path(folder))
            if states != same:
                raise RuntimeError(f"{name} has {states} states without {refinement}, and {same} with it")
            times = f"{checked:.3f} s, alone {alone:.3f} s: x {checked / alone:.1f}"
            print(f"  {name} {refinement}, {states:,} states: {times}")


def seconds_of(
    name: str, properties: tuple[str, ...], constants: Mapping[str, Value], cache: Path
) -> tuple[float, int]:
    """The time of a search, compiled before, and its states. RuntimeError where it finds something."""
    definition, profile = find_definition(name)
    model = definition.bind(name, constants=constants, profile=profile, ghosts=True, properties=properties)
    verdicts = [ENGINES["native"](model, Search(cache=cache, deadlocks=False), None) for _ in range(ROUNDS + 1)]
    for verdict in verdicts:
        if verdict.outcome not in ("none", "vacuous"):
            raise RuntimeError(f"{name} must hold, and the verdict is {verdict.verdict} ({verdict.outcome})")
    return min(verdict.seconds for verdict in verdicts), verdicts[0].distinct_states or 0


if __name__ == "__main__":
    main()
