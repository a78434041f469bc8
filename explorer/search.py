"""What a user asks of an exhaustive engine, and what it reports while it works. Every engine takes and gives these."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

from ..language.immutable import immutable

Strategy = Literal["uniform", "swarm", "guided"]


@immutable
class Walks:
    """How to walk at random. `number` of walks (None: as many as the time allows), each of at most `depth` steps.

    `strategy`: `uniform` takes every enabled step alike; `swarm` draws for each walk which actions it prefers and
    leaves out, and how many faults it takes; `guided` prefers actions that the walk took rarely and, where `fields`
    names fields of the state, states whose like in these fields it saw rarely.
    """

    number: int | None = 100_000
    depth: int = 100
    strategy: Strategy = "guided"
    fields: tuple[str, ...] = ()


@immutable
class SparkCluster:
    """How to spread a search over Spark. `master` is Spark's, or of Spark Connect (`sc://host:port`).

    `shards` own the states (None: one a core). `run_dir` holds the level files and must be seen by every executor
    under this path; None is a temporary one, for masters on this machine. `fingerprint` is of 64 or 128 bits.
    `hand_over` is how many states must wait to be expanded before Spark is worth its while; until then this process
    searches alone. `scratch` is where each machine keeps its shards' tables (None: its directory for temporary files).
    `states_out` is where the reached states go, decoded into columns. `conf` is more of Spark's configuration.
    """

    master: str = "local[*]"
    shards: int | None = None
    run_dir: Path | None = None
    fingerprint: Literal[64, 128] = 64
    hand_over: int = 200_000
    scratch: Path | None = None
    states_out: Path | None = None
    conf: tuple[tuple[str, str], ...] = ()


@immutable
class Search:
    """How to search. `memory_bytes` and `seconds` end the search as inconclusive; None is no limit of ours.

    `symmetry` folds states that differ by a renaming of a symmetric domain: one of each is kept and counted. None has
    the native engine fold them where a search is long and nothing else is asked for, and count them all. `recheck` is
    how many states of an exhaustive run, drawn with `seed`, plain Python checks again. `cache` is where compiled
    kernels are kept; None keeps none. `keep_going` explores everything and gives the shortest counterexample of every
    property, instead of ending at the first. `deadlocks` says whether a state in which nothing can happen is a failure.
    `walks` is for the engine that walks, and None for its defaults. `cluster` is for the engine on Spark. `projection`
    names the model's projection whose values distinguish states; None keeps every state. `bounds_end_runs` has limits
    and `@bound`s end the runs of which something is claimed, as guards would.
    """

    symmetry: bool | None = False
    memory_bytes: int | None = None
    seconds: float | None = None
    workers: int = 1
    seed: int = 0
    recheck: int = 100
    cache: Path | None = None
    keep_going: bool = False
    deadlocks: bool = True
    walks: Walks | None = None
    cluster: SparkCluster | None = None
    projection: str | None = None
    bounds_end_runs: bool = False


@immutable
class Progress:
    """A moment of a running search: distinct states, states still to expand, depth, states per second, bytes in use.

    Of random walks: how many were taken, about how many distinct states they saw, and steps per second. `says`, where
    there is something in it, says all of it in words. `is_due`: the next moment to report may be long in coming.
    """

    distinct: int
    frontier: int
    depth: int
    states_per_second: float
    memory_bytes: int
    seconds: float
    walks: int | None = None
    says: str = ""
    is_due: bool = False


Report: TypeAlias = Callable[[Progress], None]


class InterruptReason(str):
    """Why a search ended that Ctrl-C or a signal ended, in words: who asks for more than one search ends, too."""


class TimeLimitReason(str):
    """Why a search ended whose time was out, in words."""


def interrupt_text(interrupt: KeyboardInterrupt) -> InterruptReason:
    """Why a search ended that was interrupted: by Ctrl-C, or by the signal that the interrupt names."""
    return InterruptReason(f"stopped by {interrupt.args[0] if interrupt.args else 'Ctrl-C'}")


def time_limit_text(seconds: float) -> TimeLimitReason:
    """Why a search ended that was not to take longer than these seconds."""
    return TimeLimitReason(f"the time limit of {seconds:g} s was reached")
