"""What a user asks of an exhaustive engine, and what it tells while it works. Every engine takes and gives these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Search:
    """How to search. `memory_bytes` and `seconds` end the search as inconclusive; None is no limit of ours.

    `symmetry` folds states that differ by a renaming of a symmetric domain. `recheck` is how many states of an
    exhaustive run, drawn with `seed`, plain Python judges again. `cache` is where compiled kernels are kept; None
    keeps none. `keep_going` explores everything and gives the shortest counterexample of every property, instead of
    ending at the first.
    """

    symmetry: bool = False
    memory_bytes: int | None = None
    seconds: float | None = None
    workers: int = 1
    seed: int = 0
    recheck: int = 100
    cache: Path | None = None
    keep_going: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a running search: distinct states, states still to expand, depth, states per second, bytes in use."""

    distinct: int
    frontier: int
    depth: int
    states_per_second: float
    memory_bytes: int
    seconds: float


Report: TypeAlias = Callable[[Progress], None]
