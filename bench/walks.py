"""`python -m bench.walks`: how fast random walks are, and how long each strategy takes to find published bugs.

The bugs are those of which the shortest counterexample is known: KIP-101's lost record, KIP-279's diverging logs, what
KIP-320 fences (KAFKA-7395), KAFKA-7128, and figure 8 of the Raft paper. Each strategy looks for each with several
seeds; the median counts, of steps, and of processor time, which another process on the machine disturbs less than the
clock.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tidegate.explorer.native.search import check as exhaust
from tidegate.explorer.native.walks import check as walk
from tidegate.explorer.search import Search, Strategy, Walks
from tidegate.invariants.catalogue import find
from tidegate.language.immutable import immutable
from tidegate.language.model import Model

GOAL = 1_500_000
STRATEGIES: tuple[Strategy, ...] = ("uniform", "swarm", "guided")


@immutable
class Bug:
    """A bug to find: a model with its profile, its bounds, and the property that fails."""

    title: str
    model: str
    bounds: Mapping[str, int | bool]
    fails: str


ONE_RECORD = {"log_size": 1, "max_records": 1, "max_leader_epoch": 2}
BUGS = (
    Bug("a record lost by truncating to the high watermark", "replication:truncate_to_hw",
        {"max_leader_epoch": 2}, "strong_isr"),
    Bug("KIP-101's fix alone: a stale leader's records", "replication:kip101",
        {"log_size": 3, "max_records": 3, "max_leader_epoch": 3}, "strong_isr"),
    Bug("KAFKA-7395: followers and leaders of other epochs count", "replication:kip279",
        {**ONE_RECORD, "await_epoch_start": True}, "strong_isr"),
    Bug("KAFKA-7128: back in sync too early", "replication:kip320", {**ONE_RECORD, "await_epoch_start": False},
        "strong_isr"),
    Bug("Raft's figure 8", "raft:count_replicas", {"max_term": 4, "client_values": 2}, "state_machine_safety"),
)  # fmt: skip


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.walks", description="How good random walks are.")
    parser.add_argument("--seeds", type=int, default=11, help="searches per bug and strategy (default: 11)")
    parser.add_argument("--limit", type=int, default=200_000, help="walks after which one gives up (default: 200000)")
    parser.add_argument("--bug", metavar="WORD", default="", help="only the bugs with this word in their title")
    parser.add_argument("--strategy", choices=STRATEGIES, action="append", help="only this one (repeatable)")
    options = parser.parse_args()
    strategies = tuple(options.strategy or STRATEGIES)
    with tempfile.TemporaryDirectory() as folder:
        if not options.bug:
            measure_walk_speed(Path(folder))
        for bug in BUGS:
            if options.bug in bug.title:
                find_bug(bug, strategies, options.seeds, options.limit, Path(folder))


def bind_model(name: str, bounds: Mapping[str, int | bool], *properties: str) -> Model:
    """A model of the catalogue; ghosts on only where the property needs them."""
    definition, profile = find(name)
    chosen = properties or None
    plain = definition.bind(profile=profile, constants=dict(bounds), ghosts=False, properties=chosen)
    if all(prop.applicable for prop in plain.properties) or not chosen:
        return plain
    return definition.bind(profile=profile, constants=dict(bounds), properties=chosen)


def measure_walk_speed(cache: Path) -> None:
    """Steps per second of one worker, with the invariants the exhaustive bench checks."""
    checked = ("type_ok", "leader_in_isr", "weak_isr", "strong_isr")
    model = bind_model("replication:kip320", {"max_leader_epoch": 3}, *checked)
    print(f"steps per second, one worker, replication:kip320 (goal: at least {GOAL:,})")
    for strategy in STRATEGIES:
        verdict = walk(model, Search(cache=cache, walks=Walks(200_000, 100, strategy)))
        if verdict.outcome != "none":
            raise RuntimeError(f"kip320 must hold, and walks of strategy {strategy} end with {verdict.outcome}")
        print(f"  {strategy:8} {(verdict.transitions or 0) / verdict.seconds:>12,.0f}")


def find_bug(bug: Bug, strategies: Sequence[Strategy], seeds: int, limit: int, cache: Path) -> None:
    """The median steps and time to find a bug, and how long the runs are beside the shortest."""
    model = bind_model(bug.model, bug.bounds, bug.fails)
    shortest = exhaust(model, Search(symmetry=True, cache=cache)).properties[0].run
    if shortest is None:
        raise RuntimeError(f"{bug.model}: {bug.fails} must fail, and an exhaustive search does not find it")
    print(f"\n{bug.title}: {bug.model}, {bug.fails}; the shortest run has {len(shortest.steps)} steps")
    for strategy in strategies:
        walk(model, Search(cache=cache, walks=Walks(1, 1, strategy)))  # compiles
        times, taken, lengths = list[float](), list[float](), list[int]()
        for seed in range(seeds):
            began = time.process_time()
            verdict = walk(model, Search(seed=seed, cache=cache, walks=Walks(limit, 200, strategy)))
            run = verdict.properties[0].run
            times.append(math.inf if run is None else time.process_time() - began)
            taken.append(math.inf if run is None else verdict.transitions or 0)
            lengths += [] if run is None else [len(run.steps)]
        found = f"{len(lengths)} of {seeds} found"
        length = f", lengths {min(lengths)} to {max(lengths)}, median {statistics.median(lengths):g}" if lengths else ""
        print(f"  {strategy:8} median {statistics.median(taken):>12,.0f} steps, {statistics.median(times):8.2f} s of a "
              f"processor, {found}{length}")  # fmt: skip
        sys.stdout.flush()


if __name__ == "__main__":
    main()
