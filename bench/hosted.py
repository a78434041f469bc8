"""`python -m bench.hosted`: how many steps a second Kafka's own Raft code takes in one process, and how many of the
model's with states compared.

Needs a JDK 17 or newer, and Maven for the first run of a release. Random schedules are of seed 1, after a warm-up.
"""

from __future__ import annotations

import argparse
import time

from tidegate.real.inprocess.conforming import ModelRuns
from tidegate.real.inprocess.following import HistoryFollower
from tidegate.real.inprocess.hosting import Host, Settings
from tidegate.real.inprocess.hunting import LENGTH
from tidegate.real.inprocess.lanes import LANES
from tidegate.real.inprocess.program import fetch_hosted_release

GOAL = 20_000
"""Steps a second of random schedules, as a whole process."""


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.hosted", description="How fast Kafka's own code is hosted.")
    parser.add_argument("--kafka-version", metavar="VERSION", default="4.1.1", help="the release (default: 4.1.1)")
    parser.add_argument("--time", metavar="SECONDS", type=float, default=20.0, help="of each measure (default: 20)")
    options = parser.parse_args()
    release = fetch_hosted_release(options.kafka_version)
    with Host(release) as host:
        _steps(host, options.time / 4)
        before = host.processor_seconds()
        rate = _steps(host, options.time)
        used = (host.processor_seconds() - before) / options.time
    print(f"random schedules: {rate:,.0f} steps/s, {rate / GOAL:.1f} times the goal of {GOAL:,}")
    print(f"the same of a second of processor time: {rate / used:,.0f} steps; it had {used:.0%} of a processor")
    with Host(release) as host:
        _compared_states(host, options.time / 2, LANES)
        compared = _compared_states(host, options.time, LANES)
        alone = _compared_states(host, options.time, 1)
    print(f"with the model, states compared either way: {compared:,.0f} a second, 1/{rate / compared:,.0f} of that")
    print(f"{LANES} at once are {compared / alone:.1f} times as fast as one after the other: {alone:,.0f} a second")


def _steps(host: Host, seconds: float) -> float:
    """Steps a second of three voters in one process."""
    command = {"do": "hunt", "settings": Settings().document(), "seed": 1, "length": LENGTH, "runs": 100}
    steps, began = 0, time.monotonic()
    while time.monotonic() - began < seconds:
        steps += host.ask(command)["steps"]
    return steps / (time.monotonic() - began)


def _compared_states(host: Host, seconds: float, lanes: int) -> float:
    """States a second that are compared with the model's, either way in turn, once its runs are planned; so many runs
    at once."""
    kafka = ".".join(map(str, host.release.parts[:2]))
    to_code, to_model = ModelRuns(host, 1, "", kafka), HistoryFollower(host, 1, kafka)
    began = time.monotonic()
    while not to_code.runs or time.monotonic() - began < seconds:
        differences = [*to_code.next_differences(lanes), *to_model.next_differences(lanes)]
        if differences:
            raise SystemExit(f"they differ: {differences[0].signature}; see `tidegate conform`")
    return (to_code.steps + to_model.reach.observations) / (time.monotonic() - began)


if __name__ == "__main__":
    main()
