"""`python -m bench.bounded`: how soon bounded checking finds what it should. `--figure-8` takes minutes."""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Mapping

from tidegate.explorer.search import Search
from tidegate.explorer.smt.bmc import check
from tidegate.invariants.catalogue import find
from tidegate.language.constants import Value

TRUNCATE: Mapping[str, Value] = {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}
FIGURE_8: Mapping[str, Value] = {"servers": 3, "max_term": 4, "log_size": 1, "client_values": 2, "crashes": 0}


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.bounded", description="How fast bounded checking is.")
    parser.add_argument("--figure-8", action="store_true", help="Raft's figure 8 as well, step by step to 23")
    options = parser.parse_args()
    print(f"bounded checking, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    run_check("replication:truncate_to_hw", "strong_isr", TRUNCATE, 8, 5.0)
    if options.figure_8:
        run_check("raft:count_replicas", "leader_completeness", FIGURE_8, 23, 300.0)


def run_check(name: str, prop: str, constants: Mapping[str, Value], depth: int, goal: float) -> None:
    """Runs one check, which must find its counterexample at that depth, and prints what it took."""
    definition, profile = find(name)
    model = definition.bind(name, constants=constants, profile=profile, ghosts=True, properties=[prop])
    began, spent = time.perf_counter(), processor_seconds()
    verdict = check(model, Search(depth=depth))
    seconds, spent = time.perf_counter() - began, processor_seconds() - spent
    run = verdict.properties[0].run
    if run is None or len(run.steps) != depth:
        raise RuntimeError(f"{prop} must fail after {depth} steps, and the verdict is {verdict.verdict}")
    print(f"  {name} {prop}, {depth} steps: {seconds:.1f} s, {spent:.1f} s of a processor; goal: under {goal:g} s")


def processor_seconds() -> float:
    """What this process, and those that it has ended, have had of processors."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


if __name__ == "__main__":
    main()
