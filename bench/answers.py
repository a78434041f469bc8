"""How long a user waits for the answer of a whole command: `python -m bench.answers`.

Seconds of processors, of each command's own process and of those that it starts, since the clock depends on who else is
using the machine. Beside them stands what Python itself takes to begin, in the same run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tidegate.language.immutable import immutable

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 3
CHECK = (sys.executable, "-m", "tidegate", "check")
PUBLISHED = "examples/published"
ELECTION = (*CHECK, "raft", "--bounds", "two_elections")
"""It ends with 4: within these bounds something never happens."""


@immutable
class TimedCommand:
    """A command, whether its kernel is in the cache already, the goal in seconds, and the exit that it ends with."""

    says: str
    command: tuple[str, ...]
    is_cached: bool
    goal: float | None = None
    exit: int = 0


ROWS = (
    TimedCommand("Python begins", (sys.executable, "-c", "pass"), is_cached=True),
    TimedCommand("3 states, cached", (*CHECK, "examples/lock.py"), is_cached=True, goal=0.4),
    TimedCommand("3 states, cold", (*CHECK, "examples/lock.py"), is_cached=False),
    TimedCommand("11,393 states of an election, cold", ELECTION, is_cached=False, goal=1.0, exit=4),
    TimedCommand("46,656 initial states, cached", (*CHECK, f"{PUBLISHED}/token_ring.py"), is_cached=True),
)


BYTECODE = Path(tempfile.gettempdir()) / "tidegate-bench-bytecode"
"""Where Python keeps what it compiled, as it does for a package that is installed."""


def seconds_of(command: Sequence[str], folder: Path, expected_exit: int = 0) -> float:
    """The processor time of one run, with kernels kept in `folder`. RuntimeError where it does not end as expected:
    then its time is that of something else."""
    environment = {**os.environ, "TIDEGATE_CACHE": str(folder), "PYTHONPYCACHEPREFIX": str(BYTECODE)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = os.times()
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    after = os.times()
    if done.returncode != expected_exit:
        raise RuntimeError(f"{' '.join(command)} ends with {done.returncode}: {done.stderr[-2000:]}")
    return after.children_user + after.children_system - before.children_user - before.children_system


def best_seconds(row: TimedCommand) -> float:
    """The best of a few runs."""
    with tempfile.TemporaryDirectory() as kept:
        seconds_of(row.command, Path(kept), row.exit)
        found = list[float]()
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as empty:
                found.append(seconds_of(row.command, Path(kept if row.is_cached else empty), row.exit))
        return min(found)


def main() -> None:
    """Measures and prints."""
    print(f"answers, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for row in ROWS:
        goal = "" if row.goal is None else f"  goal {row.goal:.1f}"
        print(f"{row.says:38} {best_seconds(row):6.2f}{goal}", flush=True)


if __name__ == "__main__":
    main()
