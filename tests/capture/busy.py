"""Confirms five scenarios again and again with two busy loops beside, and says how often each came out as it must.

    python -m tests.capture.busy 20

Needs what `tidegate confirm` needs, and half a minute a run: 100 runs are an hour on two processors.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from tidegate.real.driving.verdict import confirmed

from ..test_confirm import BOTH_LAG, MOVED, OLD, RESTARTED_3_4, STANDING, trace

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
    """Runs all; how many did not come out as they must."""
    wrong = 0
    with busy(2):
        for name, (steps, constants, kafka, with_repair) in SCENARIOS.items():
            found = [confirmed(trace(steps, **constants), kafka=kafka, with_repair=with_repair) for _ in range(times)]
            good = sum(one["result"] == "confirmed" for one in found)
            wrong += times - good
            seconds = sorted(one["seconds"] for one in found)
            print(f"{name} on {kafka}: {good} of {times} confirmed, {seconds[0]} to {seconds[-1]} s", flush=True)
            for one in found:
                if one["result"] != "confirmed":
                    print(f"  {one['result']}: {one['why']}", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1])) else 0)
