"""`python -m bench.audit`: what an audit of a large cluster costs, cold and warm.

The cluster is `auditinput`'s: 1,000 topics, 50,000 partitions, 200 signatures. Each audit is a whole process, from its
start to the last byte of its JSON; the cold one has an empty cache, so that it compiles its kernels, too. The time
limit is large, so that on a busy machine too the work is the same.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tidegate.language.immutable import immutable

from . import auditinput
from .measures import processor_seconds

GOALS = {"cold": 60.0, "warm": 10.0}
OPTIONS = ("--json", "--time", "600", "--client", "java:3.9", "--distribution", "apache")
OUT_OF_TIME = "out of time"
"""Said of an answer that the time limit came before."""


@immutable
class Audit:
    """One audit: seconds by the clock and of processors, and its document."""

    clock: float
    processor: float
    document: dict[str, Any]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.audit", description="What auditing a large cluster costs.")
    parser.add_argument("--topics", type=int, default=1000, help="(default: 1000, with 50 partitions each on average)")
    parser.add_argument("--replicas", type=int, default=5, choices=(3, 5), help="no topic has more (default: 5)")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="keep the cluster's files, and cold.json, here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, cache = options.keep or Path(name) / "cluster", Path(name) / "cache"
        made = auditinput.write(folder, options.topics, options.replicas)
        partitions, kinds = sum(topic.partitions for topic in made), len({topic.kind for topic in made[2:]})
        print(f"{len(made):,} topics, {partitions:,} partitions, {kinds} signatures")
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        cold = time_audit("cold", folder, cache)
        warm = time_audit("warm", folder, cache)
    if warm.document != cold.document:
        raise RuntimeError("what is kept must say the same as what was explored")
    if options.keep is not None:
        (options.keep / "cold.json").write_text(json.dumps(cold.document), encoding="utf-8")
    print_outcomes(cold.document)


def time_audit(title: str, folder: Path, cache: Path) -> Audit:
    """Runs an audit and prints what it took."""
    done = run_audit(folder, cache)
    print(f"  {title:<6} {done.clock:>7.1f} s by the clock {done.processor:>7.1f} s of processors   goal: under "
          f"{GOALS[title]:g} s", flush=True)  # fmt: skip
    return done


def run_audit(folder: Path, cache: Path) -> Audit:
    """One audit as a process. RuntimeError when it does not end as audits do that find something."""
    began, spent = time.perf_counter(), processor_seconds()
    environment = {**os.environ, "TIDEGATE_CACHE": str(cache)}
    command = [sys.executable, "-m", "tidegate", "audit", *OPTIONS, str(folder)]
    run = subprocess.run(command, capture_output=True, env=environment, check=False)
    clock, spent = time.perf_counter() - began, processor_seconds() - spent
    if run.returncode not in (0, 1, 5):
        raise RuntimeError(f"the audit's exit is {run.returncode}: {run.stderr.decode()}")
    return Audit(clock, spent, json.loads(run.stdout))


def print_outcomes(document: dict[str, Any]) -> None:
    """Prints how many signatures failed and were repaired, and what was not decided. RuntimeError when the time limit
    ended it: then its times are those of a part of the work."""
    subjects = document["subjects"]
    failed = [subject for subject in subjects if subject["failed"]]
    cells = [cell for subject in subjects for row in subject["table"].values() for cell in row.values()]
    late = [cell["why"] for cell in cells if OUT_OF_TIME in cell["why"]]
    if late:
        raise RuntimeError(f"the time limit came before {len(late)} of {len(cells)} answers: {late[0]}")
    undecided = sum(cell["why"].startswith("inconclusive") for cell in cells)
    repaired = sum(subject["repair"] is not None for subject in failed)
    print(f"  of {len(subjects)} signatures, Kafka's own topics with them, {len(failed)} fail what is required; "
          f"{repaired} of these are repaired")  # fmt: skip
    print(f"  of {len(cells):,} answers {undecided} are inconclusive")


if __name__ == "__main__":
    main()
