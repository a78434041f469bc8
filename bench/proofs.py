"""`python -m bench.proofs`: what the built-in proofs cost, anew and when nothing changed, and how soon a planted bug is
refuted: what changes little is measured as a user sees it, from the start of the command."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.invariants.catalogue import find
from tidegate.language.constants import Value
from tidegate.language.immutable import immutable

from .measures import processor_seconds


@immutable
class Protocol:
    """A model that is proved: which constant is the number of replicas, and the switch that plants a bug in it. `goals`
    are seconds on two idle cores: anew, five replicas. What is `untrue` of the protocol itself is refuted, too."""

    name: str
    replicas: str
    bug: str
    goals: tuple[float, float]
    untrue: tuple[str, ...] = ()


PROTOCOLS = (
    Protocol("replication:kip320", "replicas", "await_epoch_start=false", (30.0, 600.0)),
    Protocol("raft:paper", "servers", "persist_vote=false", (60.0, 600.0)),
    Protocol("kraft:kip595", "voters", "keep_votes=false", (60.0, 600.0), ("no_disruption",)),
)

SHOWN = "A counterexample to induction"
"""What the last line of one begins with."""


@dataclass(slots=True)
class ProofCost:
    """Seconds by the clock and of processors."""

    clock: float = field(default_factory=time.perf_counter)
    processor: float = field(default_factory=processor_seconds)

    def so_far(self) -> ProofCost:
        """Since this was made."""
        return ProofCost(time.perf_counter() - self.clock, processor_seconds() - self.processor)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.proofs", description="What proofs cost.")
    parser.add_argument("--five", action="store_true", help="five replicas, too: minutes")
    parser.add_argument("--only", metavar="MODEL", choices=[protocol.name for protocol in PROTOCOLS], help="this one")
    options = parser.parse_args()
    print(f"proved by two processes; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for protocol in PROTOCOLS:
        if options.only in (None, protocol.name):
            measure_protocol(protocol, options.five)


def measure_protocol(protocol: Protocol, five: bool) -> None:
    """Proves one protocol, anew and again, refutes a planted bug, and prints what each cost."""
    print(protocol.name)
    three, more = protocol.goals
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with print_cost("three replicas, anew", three):
            prove_all(protocol, folder, {})
        with print_cost("three replicas, nothing changed", 2.0):
            report_again(protocol, folder)
        with print_cost("a planted bug, refuted and shown", 5.0):
            show_counterexample(protocol, folder)
        if five:
            with print_cost("five replicas, anew", more):
                prove_all(protocol, folder, {protocol.replicas: 5})


def prove_all(protocol: Protocol, folder: Path, constants: dict[str, Value]) -> None:
    """Proves a model, all of it that is true. RuntimeError when that is not what comes of it."""
    definition, profile = find(protocol.name)
    model = definition.bind(protocol.name, constants, profile)
    found = Induction(definition, model, ProofRequest(folder=folder)).prove(lambda _: None)
    other = [finding.obligation for finding in found.findings if finding.word != "proved"]
    if {obligation.goal for obligation in other} != {*protocol.untrue}:
        raise RuntimeError(f"{protocol.name} {constants}: {found.word}: {other}")


def report_again(protocol: Protocol, folder: Path) -> None:
    """The whole command, when every proof is kept. RuntimeError when one is not."""
    done = subprocess.run(
        [*command(protocol), "--json"], env=environment_with_proofs(folder), capture_output=True, check=False
    )
    proofs = [obligation for obligation in json.loads(done.stdout)["obligations"] if obligation["verdict"] == "proved"]
    fresh = [proof for proof in proofs if not proof["kept"]]
    if fresh or not proofs:
        raise RuntimeError(f"{protocol.name}: {len(proofs)} are proved, and these once more: {fresh}")


def show_counterexample(protocol: Protocol, folder: Path) -> None:
    """The command with the bug, as far as its first counterexample to induction; the rest is not waited for.
    RuntimeError when it ends without one."""
    process = subprocess.Popen(
        [*command(protocol), "--set", protocol.bug],
        env=environment_with_proofs(folder),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process, process.stdout as lines:
        if not any(SHOWN in line for line in lines):
            raise RuntimeError(f"{protocol.name} with {protocol.bug}: nothing is refuted")
        process.send_signal(signal.SIGINT)
        for _ in lines:
            pass


def command(protocol: Protocol) -> list[str]:
    """Proves a model, as a user does."""
    return [sys.executable, "-m", "tidegate", "prove", protocol.name]


def environment_with_proofs(folder: Path) -> dict[str, str]:
    """With proofs kept in the folder."""
    return {**os.environ, "TIDEGATE_CACHE": str(folder)}


@contextmanager
def print_cost(title: str, goal: float) -> Generator[None, None, None]:
    """Prints what the work inside it cost."""
    cost = ProofCost()
    yield
    spent = cost.so_far()
    figures = f"{spent.clock:>8.1f} s by the clock {spent.processor:>8.1f} s of processors"
    print(f"  {title:<34} {figures}   goal: under {goal:g} s", flush=True)


if __name__ == "__main__":
    main()
