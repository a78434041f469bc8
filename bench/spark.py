"""`python -m bench.spark`: what a state costs on Spark, beside the native engine, in processor time.

Each size is run by both in processes of their own; the processor time is that of a process and of all below it, so that
the JVM and the Python workers count. The slope between two sizes leaves out what starting costs.
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
from tidegate.reports.exits import Exit

TICKS = os.sysconf("SC_CLK_TCK")
PROPERTIES = ("type_ok", "leader_in_isr", "weak_isr", "strong_isr")
BASE = (
    "replication:kip320", "--set", "replicas=3", "--set", "log_size=2", "--set", "max_records=2",
    *(part for name in PROPERTIES for part in ("--property", name)),
)  # fmt: skip


DECIDED = (Exit.HOLDS, Exit.SAFETY, Exit.DEADLOCK, Exit.LIVENESS, Exit.VACUOUS)
"""How a check ends that has an answer."""


@immutable
class CheckCost:
    """What a check took."""

    report: dict[str, Any]
    wall: float
    cpu: float

    @property
    def states(self) -> int:
        """Distinct states."""
        return self.report["distinct_states"]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.spark", description="What a state costs on Spark.")
    parser.add_argument("--epochs", type=int, nargs="+", default=[2, 3], help="max_leader_epoch of each size")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--hand-over", type=int, default=20_000)
    parser.add_argument("--no-native", action="store_true", help="measure Spark alone")
    parser.add_argument(
        "--of", nargs=argparse.REMAINDER, metavar="MODEL", help="another check, with all its options: the last argument"
    )
    options = parser.parse_args()
    checks = [options.of] if options.of else [[*BASE, "--set", f"max_leader_epoch={epoch}"] for epoch in options.epochs]
    print(f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
    spark = ("--engine", "spark", "--master", options.master, "--shards", str(options.shards),
             "--hand-over", str(options.hand_over))  # fmt: skip
    costs: dict[str, list[CheckCost]] = {"native": [], "spark": []}
    for check in checks:
        for engine in ("native", "spark"):
            if engine == "native" and options.no_native:
                continue
            cost = measure_check(*check, *(spark if engine == "spark" else ()))
            costs[engine].append(cost)
            print_cost_line(engine, cost)
    for engine, runs in costs.items():
        if len(runs) > 1:
            small, large = runs[0], runs[-1]
            slope = (large.cpu - small.cpu) / (large.states - small.states) * 1e6
            print(f"{engine:7} {slope:.2f} us of processor time for each state more")


def measure_check(*arguments: str) -> CheckCost:
    """A check in a process of its own. RuntimeError when it does not end with a verdict about all states."""
    with tempfile.TemporaryDirectory() as folder:
        report, errors = Path(folder) / "report.json", Path(folder) / "errors.txt"
        command = [sys.executable, "-m", "tidegate", "check", *arguments, "--json"]
        began = time.perf_counter()
        with report.open("w") as out, errors.open("w") as err:
            running = subprocess.Popen(command, stdout=out, stderr=err)
            cpu = processor_seconds_of(running)
        if running.returncode not in DECIDED:
            raise RuntimeError(f"{' '.join(arguments)} ends with {running.returncode}: {errors.read_text()[-2000:]}")
        return CheckCost(json.loads(report.read_text()), time.perf_counter() - began, cpu)


def processor_seconds_of(running: subprocess.Popen[bytes]) -> float:
    """Seconds of processor time of a process and of all below it, looked at five times a second until it ends."""
    known: dict[int, float] = {}
    while running.poll() is None:
        for pid, used in processor_seconds_by_process(running.pid):
            known[pid] = max(used, known.get(pid, 0.0))
        time.sleep(0.2)
    return sum(known.values())


def processor_seconds_by_process(pid: int) -> list[tuple[int, float]]:
    """Each process below one, and it, with the processor time that it has used itself."""
    below: dict[int, list[int]] = {}
    used: dict[int, float] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        process = int(path.parent.name)
        below.setdefault(int(fields[1]), []).append(process)
        used[process] = (int(fields[11]) + int(fields[12])) / TICKS
    found, waiting = [pid], [pid]
    while waiting:
        children = below.get(waiting.pop(), [])
        found += children
        waiting += children
    return [(number, used[number]) for number in found if number in used]


def print_cost_line(engine: str, cost: CheckCost) -> None:
    """One line."""
    report = cost.report
    print(
        f"{engine:7} {cost.states:>11,} states, depth {report['depth']}: wall {cost.wall:.1f} s, processors "
        f"{cost.cpu:.1f} s, {cost.cpu / cost.states * 1e6:.2f} us a state; {report['assurance']}"
    )
    if engine == "spark":
        print("        " + "; ".join(report["notes"]))


if __name__ == "__main__":
    main()
