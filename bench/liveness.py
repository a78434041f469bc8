"""`python -m bench.liveness`: the cost of a property of liveness, over the same search without it; and beside TLC's.

Needs nothing but the package. With `--tlc JAR --module FOLDER` TLC checks the same in the same run: FOLDER has the
modules of github.com/hachikuji/kafka-specification.
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
from collections.abc import Mapping
from pathlib import Path

from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.language.binding import load
from tidegate.language.constants import Value
from tidegate.language.immutable import immutable
from tidegate.language.verdict import PropertyVerdict

CLAIMS = Path(__file__).with_name("replication_claims.py")
SAFETY = ("weak_isr", "strong_isr")
GOALS = {"leader_is_informed_with_one": 2.0, "leader_is_informed_with_five": 3.0}
"""At most so many times the time of the same search for what is safe."""
TIMES_TLC = 100
ROUNDS = 5
"""Searches of each kind; the fastest counts."""

SIZES: Mapping[str, Mapping[str, Value]] = {
    "957": {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1},
    "5,973": {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
    "6,787": {"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 1},
    "39,619": {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 1},
    "737,794": {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
}
"""Bounds, by the states that there are within them."""

EXTENSION = r"""
---- MODULE Claims ----
EXTENDS Kip320
Safe == Init /\ [][Next]_vars
Three == WF_vars(FencedLeaderIncHighWatermark) /\ WF_vars(FencedBecomeFollowerAndTruncate) /\ WF_vars(BecomeLeader)
Five == /\ SF_vars(FencedLeaderIncHighWatermark) /\ SF_vars(FencedLeaderExpandIsr) /\ SF_vars(LeaderWrite)
        /\ WF_vars(FencedBecomeFollowerAndTruncate) /\ WF_vars(BecomeLeader)
WithNone == Safe
WithOne == Safe /\ WF_vars(BecomeLeader)
WithThree == Safe /\ Three
WithFive == Safe /\ Five
Informed == quorumState.leader = None \/ IsTrueLeader(quorumState.leader)
IsInformed == []<>Informed
IsFollowed == \A r \in Replicas : replicaState[r].leaderEpoch >= quorumState.leaderEpoch
Followed == []<>(quorumState.leader = None \/ IsFollowed)
Behind == \E r \in Replicas : IsTrueLeader(r) /\ replicaState[r].hw < replicaLog[r].endOffset
MovesOn == Behind ~> ~Behind
AllIsWritten == <>[](nextRecordId = MaxRecords)
====
"""
"""The properties of `replication_claims.py`, of the published module."""
PUBLISHED = {
    "leader_is_informed_without_fairness": ("WithNone", "IsInformed"),
    "leader_is_informed_with_one": ("WithOne", "IsInformed"),
    "leader_is_informed_with_five": ("WithFive", "IsInformed"),
    "leader_is_followed_with_five": ("WithFive", "Followed"),
    "high_watermark_moves_with_three": ("WithThree", "MovesOn"),
    "high_watermark_moves_with_five": ("WithFive", "MovesOn"),
    "all_is_written": ("WithFive", "AllIsWritten"),
}
"""The specification and the property of each claim."""


@immutable
class CheckMeasure:
    """What a check said of a claim, of how many states, and what it took: by the clock and of processors."""

    word: str
    states: int
    seconds: float
    spent: float


def check_natively(claims: tuple[str, ...], size: Mapping[str, Value], cache: Path) -> CheckMeasure:
    """The fastest of some checks of what is safe and of these claims, compiled before."""
    model = load(CLAIMS).bind(constants=size, profile="kip320", ghosts=False, properties=(*SAFETY, *claims))
    best: CheckMeasure | None = None
    for _ in range(ROUNDS + 1):
        began, spent = time.perf_counter(), time.process_time()
        verdict = ENGINES["native"](model, Search(cache=cache, deadlocks=False, keep_going=True), None)
        seconds, spent = time.perf_counter() - began, time.process_time() - spent
        word = next((answer_with_guards(prop) for prop in verdict.properties if prop.name in claims), verdict.verdict)
        found = CheckMeasure(word, verdict.distinct_states or 0, seconds, spent)
        best = found if best is None or spent < best.spent else best
    assert best is not None, "there is more than one round"
    return best


def answer_with_guards(prop: PropertyVerdict) -> str:
    """What is said of a claim; of one that bounds leave open, what is so if limits are guards, which they are in
    TLC."""
    return prop.verdict_with_guards or prop.verdict


def tlc(jar: Path, modules: Path, claim: str | None, size: Mapping[str, Value]) -> CheckMeasure:
    """What TLC says, with one worker, of what is safe and of a claim."""
    specification, prop = PUBLISHED[claim] if claim is not None else ("Safe", None)
    members = ", ".join(f'"{letter}"' for letter in "abcdef"[: int(str(size["replicas"]))])
    lines = [
        f"CONSTANTS Replicas = {{{members}}}  LogSize = {size['log_size']}  MaxRecords = {size['max_records']}",
        f"  MaxLeaderEpoch = {size['max_leader_epoch']}",
        f"SPECIFICATION {specification}",
        "INVARIANTS WeakIsr StrongIsr",
        "CHECK_DEADLOCK FALSE",
        *([f"PROPERTY {prop}"] if prop else []),
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in modules.glob("*.tla"):
            shutil.copy(path, folder)
        (folder / "Claims.tla").write_text(EXTENSION.lstrip(), encoding="utf-8")
        (folder / "Claims.cfg").write_text("\n".join(lines), encoding="utf-8")
        began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        arguments = ["java", "-XX:+UseParallelGC", "-Xmx2500m", "-cp", str(jar), "tlc2.TLC", "-workers", "1", "Claims"]
        done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
        seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    states = re.findall(r"([\d,]+) distinct states found", done.stdout)
    words = {"No error has been found": "holds", "Temporal properties were violated": "violated"}
    word = next((word for text, word in words.items() if text in done.stdout), None)
    if word is None or not states:
        raise RuntimeError(f"TLC did not come to an end: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return CheckMeasure(word, int(states[-1].replace(",", "")), seconds, spent)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.liveness", description="The cost of properties of liveness.")
    parser.add_argument("--tlc", type=Path, metavar="JAR", help="TLC's tla2tools.jar, to be run beside it")
    parser.add_argument("--module", type=Path, metavar="FOLDER", help="the published modules, for --tlc")
    parser.add_argument("--states", choices=SIZES, default="39,619", help="the size, by its states")
    options = parser.parse_args()
    if (options.tlc is None) != (options.module is None):
        parser.error("--tlc and --module are given together")
    size = SIZES[options.states]
    print(f"liveness, {options.states} states, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        ours = {None: check_natively((), size, Path(folder))}
        ours |= {claim: check_natively((claim,), size, Path(folder)) for claim in PUBLISHED}
    for claim, found in ours.items():
        goal = f"; goal: at most {GOALS[claim]:g}" if claim in GOALS else ""
        print(
            f"  {claim or 'safety alone':20} {found.word:12} {found.seconds:8.3f} s, {found.spent:.3f} of a processor, "
            f"x {found.spent / ours[None].spent:.2f}{goal}"
        )
    if options.tlc is not None:
        print_tlc_comparison(options.tlc, options.module, size, ours)


def print_tlc_comparison(
    jar: Path, modules: Path, size: Mapping[str, Value], ours: Mapping[str | None, CheckMeasure]
) -> None:
    """Prints what TLC takes for the same, and says where it says something else."""
    theirs: dict[str | None, CheckMeasure] = {}
    for claim, own in ours.items():
        found = theirs[claim] = tlc(jar, modules, claim, size)
        print(
            f"  TLC: {claim or 'safety alone':20} {found.word:9} {found.seconds:7.2f} s, {found.spent:.2f} of "
            f"processors, x {found.spent / theirs[None].spent:.2f}; {found.spent / own.spent:,.0f} times ours, by "
            f"the clock {found.seconds / own.seconds:,.0f}; goal: at least {TIMES_TLC}"
        )
        if claim is not None and (found.word == "holds") != (own.word == "holds"):
            raise RuntimeError(f"of {claim} TLC says that it {found.word}, and Tidegate that it {own.word}")
        if found.word == "holds" and found.states != own.states:
            raise RuntimeError(f"TLC has {found.states} states, and Tidegate {own.states}")


if __name__ == "__main__":
    main()
