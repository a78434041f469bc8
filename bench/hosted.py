"""`python -m bench.hosted`: how many steps a second Kafka's own Raft code takes in one process, and how many of the
model's with states compared.

Needs a JDK 17 or newer, and Maven for the first run of a release. Random schedules are of seed 1, after a warm-up.
"""

from __future__ import annotations

import argparse
import time

from tidegate.real.driving.nodes.releases import fetch_raft_release
from tidegate.real.inprocess.conforming import ComparisonReach, conform
from tidegate.real.inprocess.hosting import Host, Settings
from tidegate.real.inprocess.hunting import LENGTH

GOAL = 20_000
"""Steps a second of random schedules, as a whole process."""


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.hosted", description="How fast Kafka's own code is hosted.")
    parser.add_argument("--kafka-version", metavar="VERSION", default="4.1.1", help="the release (default: 4.1.1)")
    parser.add_argument("--time", metavar="SECONDS", type=float, default=20.0, help="of each measure (default: 20)")
    options = parser.parse_args()
    release = fetch_raft_release(options.kafka_version)
    with Host(release) as host:
        _steps(host, options.time / 4)
        rate = _steps(host, options.time)
    print(f"random schedules: {rate:,.0f} steps/s, {rate / GOAL:.1f} times the goal of {GOAL:,}")
    *_, looked = conform(release, 1, runs=None, seconds=options.time)
    assert isinstance(looked, ComparisonReach)
    compared = looked.steps / looked.seconds
    print(f"with the model, states compared: {compared:,.0f} steps/s, 1/{rate / compared:,.0f} of that")


def _steps(host: Host, seconds: float) -> float:
    """Steps a second of three voters in one process."""
    command = {"do": "hunt", "settings": Settings().document(), "seed": 1, "length": LENGTH, "runs": 100}
    steps, began = 0, time.monotonic()
    while time.monotonic() - began < seconds:
        steps += host.ask(command)["steps"]
    return steps / (time.monotonic() - began)


if __name__ == "__main__":
    main()
