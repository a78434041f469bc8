"""`python -m bench.proofs`: how long the proof of KIP-320 takes, anew and when nothing changed, and a planted bug."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from tidegate.explorer.smt.induction import Asked, Induction
from tidegate.invariants.catalogue import find
from tidegate.language.constants import Value
from tidegate.language.proof import Finding, Unstated

GOALS = {"three replicas, anew": 30.0, "three replicas, kept": 2.0, "a planted bug, refuted": 5.0}
"""Seconds, on two idle cores."""


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.proofs", description="How long proofs take.")
    parser.add_argument("--five", action="store_true", help="five replicas, too")
    options = parser.parse_args()
    print("replication:kip320, proved for any log, epoch and history, with two processes")
    with tempfile.TemporaryDirectory() as folder:
        said("three replicas, anew", *proof(Path(folder), {}))
        said("three replicas, kept", *proof(Path(folder), {}))
        said("a planted bug, refuted", *proof(Path(folder), {"await_epoch_start": False}))
        if options.five:
            said("five replicas, anew", *proof(Path(folder), {"replicas": 5}))


def proof(folder: Path, constants: Mapping[str, Value]) -> tuple[float, str]:
    """The seconds to the whole proof, or to the first refutation, and the word for it."""
    began = time.perf_counter()
    refuted: list[float] = []

    def heard(news: Finding | Unstated) -> None:
        if isinstance(news, Finding) and news.word == "refuted":
            refuted.append(time.perf_counter() - began)

    definition, profile = find("replication:kip320")
    model = definition.bind("replication:kip320", constants, profile)
    found = Induction(definition, model, Asked(folder=folder)).prove(heard)
    return (refuted or [time.perf_counter() - began])[0], found.word


def said(title: str, seconds: float, word: str) -> None:
    """One line."""
    goal = f"goal: under {GOALS[title]:g} s" if title in GOALS else ""
    print(f"  {title:<28} {seconds:>8.2f} s   {word:<12} {goal}".rstrip())


if __name__ == "__main__":
    main()
