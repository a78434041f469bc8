"""`python -m bench.proofs`: what the built-in proofs cost, anew and when nothing changed, and how soon a planted bug is
refuted."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tidegate.explorer.smt.induction import Asked, Induction
from tidegate.invariants.catalogue import find
from tidegate.language.constants import Value
from tidegate.language.proof import Finding, Unstated

from .bounded import processor_seconds


@dataclass(frozen=True, slots=True)
class Protocol:
    """A model that is proved: the switch that plants a bug in it, the lemma that the bug breaks, and which constant is
    the number of replicas. `goals` are seconds on two idle cores: anew, five replicas. What is `untrue` of the protocol
    itself is refuted with the rest."""

    name: str
    replicas: str
    bug: tuple[str, Value]
    lemma: str
    goals: tuple[float, float]
    untrue: tuple[str, ...] = ()


PROTOCOLS = (
    Protocol(
        "replication:kip320", "replicas", ("await_epoch_start", False), "an_isr_has_what_is_committed", (30.0, 600.0)
    ),
    Protocol("raft:paper", "servers", ("persist_vote", False), "votes_are_remembered", (60.0, 600.0)),
    Protocol(
        "kraft:kip595", "voters", ("keep_votes", False), "ballots_are_remembered", (60.0, 600.0), ("no_disruption",)
    ),
)


@dataclass(slots=True)
class Cost:
    """Seconds by the clock and of processors."""

    clock: float = field(default_factory=time.perf_counter)
    processor: float = field(default_factory=processor_seconds)

    def so_far(self) -> Cost:
        """Since this was made."""
        return Cost(time.perf_counter() - self.clock, processor_seconds() - self.processor)


class Enough(Exception):
    """Something is refuted: the rest is not waited for."""


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.proofs", description="What proofs cost.")
    parser.add_argument("--five", action="store_true", help="five replicas, too: minutes")
    parser.add_argument("--only", metavar="MODEL", choices=[each.name for each in PROTOCOLS], help="this one")
    options = parser.parse_args()
    print(f"proved by two processes; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for each in PROTOCOLS:
        if options.only in (None, each.name):
            measured(each, options.five)


def measured(protocol: Protocol, five: bool) -> None:
    """Proves one protocol, anew and again, refutes a planted bug, and prints what each cost."""
    print(protocol.name)
    three, more = protocol.goals
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with told("three replicas, anew", three):
            proved(protocol, folder, {})
        with told("three replicas, nothing changed", 2.0):
            proved(protocol, folder, {})
        with told("a planted bug, refuted", 5.0):
            refuted(protocol, folder)
        if five:
            with told("five replicas, anew", more):
                proved(protocol, folder, {protocol.replicas: 5})


def proved(protocol: Protocol, folder: Path, constants: dict[str, Value]) -> None:
    """Proves a model, all of it that is true. RuntimeError when that is not what comes of it."""
    definition, profile = find(protocol.name)
    model = definition.bind(protocol.name, constants, profile)
    found = Induction(definition, model, Asked(folder=folder)).prove(lambda _: None)
    other = [each.obligation for each in found.findings if each.word != "proved"]
    if {each.goal for each in other} != {*protocol.untrue}:
        raise RuntimeError(f"{protocol.name} {constants}: {found.word}: {other}")


def refuted(protocol: Protocol, folder: Path) -> None:
    """Asks for the lemma that the bug breaks, until it is refuted. RuntimeError when it is not."""
    definition, profile = find(protocol.name)
    model = definition.bind(protocol.name, dict([protocol.bug]), profile)

    def heard(news: Finding | Unstated) -> None:
        if isinstance(news, Finding) and news.word == "refuted":
            raise Enough

    try:
        Induction(definition, model, Asked(lemmas=(protocol.lemma,), folder=folder)).prove(heard)
    except Enough:
        return
    raise RuntimeError(f"{protocol.name} with {protocol.bug}: {protocol.lemma} is not refuted")


@contextmanager
def told(title: str, goal: float) -> Generator[None, None, None]:
    """Prints what the work inside it cost."""
    cost = Cost()
    yield
    spent = cost.so_far()
    figures = f"{spent.clock:>8.1f} s by the clock {spent.processor:>8.1f} s of processors"
    print(f"  {title:<32} {figures}   goal: under {goal:g} s", flush=True)


if __name__ == "__main__":
    main()
