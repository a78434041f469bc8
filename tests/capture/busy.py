"""Confirms five scenarios again and again with two busy loops beside, and says how often each came out as it must.

    python -m tests.capture.busy 20

Needs what `tidegate confirm` needs, and half a minute a run: 100 runs are an hour on two processors.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from tidegate.real.driving.verdict import confirm_trace
from tidegate.reports.confirm import WORDS

from ..support.partitions import BOTH_LAG, MOVED, OLD, RESTARTED_3_4, STANDING, trace

SCENARIOS: dict[str, tuple[str, dict[str, Any], str, bool]] = {
    "the leader is moved": (MOVED, {"acks": "leader"}, "3.9.1", False),
    "last replica standing": (STANDING, {}, "3.9.1", False),
    "the same with the repair": (STANDING, {}, "4.1.0", True),
    "min.isr 1": (BOTH_LAG, {"property_": "acked_durable", "min_isr": 1}, "4.1.0", False),
    "KAFKA-14139": (RESTARTED_3_4, OLD, "3.4.1", False),
}  # fmt: skip


@contextmanager
def busy(loops: int) -> Generator[None, None, None]:
    """So many processes that compute."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def main(times: int) -> int:
    """Runs all in turn, so that a run that is ended early has as much of each; how many did not come out as they
    must."""
    good, done, came = Counter[str](), Counter[str](), Counter[str]()
    with busy(2):
        for _ in range(times):
            for name, (steps, constants, kafka, with_repair) in SCENARIOS.items():
                found = confirm_trace(trace(steps, **constants), kafka=kafka, with_repair=with_repair)
                done[name] += 1
                came[found["result"]] += 1
                good[name] += found["result"] == "confirmed"
                said = f"{good[name]} of {done[name]} confirmed, {found['seconds']} s"
                print(f"{name} on {kafka}: {said}", flush=True)
                if found["result"] != "confirmed":
                    print(f"  {found['result']}: {found['why']}", flush=True)
                    print(f"  {json.dumps(found)}", flush=True)
                print(", ".join(f"{number} {WORDS[word]}" for word, number in came.items()), flush=True)
    return done.total() - good.total()


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1])) else 0)
