"""How hard a proof is tried: counted in the solver's own steps, so that a busy machine finds out the same."""

from __future__ import annotations

from ...language.immutable import immutable

SHORT_QUESTIONS = 16
"""A first attempt may cost this part of what a query may."""

CLOCK = 600.0
"""Seconds after which a query about a copy ends whatever it has cost, since not everything in the solver counts its
steps."""

_MIN_SECONDS = 60.0
_SECONDS_PER_MILLION = 34.0


@immutable
class SolverEffort:
    """How hard to try: millions of the solver's steps for one query, and the seeds that are tried one after the
    other."""

    work: float = 16.0
    seeds: tuple[int, ...] = (0, 1, 2)


def most_seconds(work: float) -> float:
    """Seconds after which an unbounded query that may cost `work` million steps ends: many times
    what an idle processor takes for them, so that only arithmetic between two counted steps takes longer."""
    return _MIN_SECONDS + _SECONDS_PER_MILLION * work
