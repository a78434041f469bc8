"""Where the native explorer's time goes: an explored store is gone over again, each time with one stage more."""

from __future__ import annotations

import ctypes
import time
from pathlib import Path

from tidegate.explorer.native.frontier import Frontier
from tidegate.explorer.native.kernels import Kernel, kernel_of
from tidegate.explorer.native.search import Driver
from tidegate.explorer.search import Search
from tidegate.language.model import Model

EXPAND, HASH, LOOK_UP, INVARIANTS = 1, 2, 3, 4
"""The stages that the kernel's `measure` redoes: each of the first three with those before it."""

MEMORY_BYTES = 4 << 30


def nanoseconds_by_stage(model: Model, cache: Path, whole_seconds: float) -> dict[str, float]:
    """Nanoseconds a state for each part of the work; together they are the whole search, which took `whole_seconds`.

    `new states` is what is left of the search when all that can be redone is taken away: storing a state and its
    parent, growing the table, and the rest of the loop.
    """
    kernel = kernel_of(model, (), cache)
    frontier = Frontier(kernel.program, kernel.code, MEMORY_BYTES)
    try:
        Driver(model, Search(cache=cache), kernel, frontier, None).run()
        again = {stage: seconds_of_stage(kernel, frontier, stage) for stage in (EXPAND, HASH, LOOK_UP, INVARIANTS)}
        seconds = {
            "successors (guards, copies, effects)": again[EXPAND],
            "canonical form and hash": again[HASH] - again[EXPAND],
            "looking up in the table": again[LOOK_UP] - again[HASH],
            "invariants": again[INVARIANTS],
            "new states (store, table growth, loop)": whole_seconds - again[LOOK_UP] - again[INVARIANTS],
        }
        return {name: max(0.0, spent) / frontier["COUNT"] * 1e9 for name, spent in seconds.items()}
    finally:
        frontier.close()


def seconds_of_stage(kernel: Kernel, frontier: Frontier, stage: int) -> float:
    """Seconds for one stage over the whole store, the better of two."""
    measure = kernel.code.function("measure", 2)
    address = ctypes.addressof(frontier.context)
    taken: list[float] = []
    for _ in range(2):
        started = time.perf_counter()
        measure(address, stage)
        taken.append(time.perf_counter() - started)
    return min(taken)
