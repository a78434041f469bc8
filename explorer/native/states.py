"""Every reachable state of a model, as values: for tables of more states than plain Python enumerates in reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...language.errors import UsageError
from ...language.model import Model
from ...language.values import State
from ..graph import TooLarge
from ..search import Search
from .frontier import Frontier, decode
from .kernels import kernel_of
from .memory import physical_memory
from .search import MEMORY_SHARE, Driver


def reachable_states(model: Model, most: int, cache: Path | None = None) -> Iterator[State]:
    """The states, breadth first, explored by compiled code with no property checked, then decoded one by one.

    Raises TooLarge beyond `most`, and UsageError when memory ends or a step breaks the model's own types: `check` shows
    which.
    """
    kernel = kernel_of(model, (), cache)
    frontier = Frontier(kernel.program, kernel.code, int(MEMORY_SHARE * physical_memory()))
    try:
        driver = Driver(model, Search(deadlocks=False, cache=cache), kernel, frontier, None)
        for cell in ("CHECK", "SEEK", "WATCH"):
            frontier[cell] = 0
        driver.run(lambda: frontier["COUNT"] > most)
        found = driver.findings
        if frontier["COUNT"] > most:
            raise TooLarge(most)
        if not found.exhausted:
            what = found.stopped or "a step breaks the model's own types, which check() shows"
            raise UsageError(f"{model.name}: the states cannot be enumerated: {what}")
        for index in range(frontier["COUNT"]):
            yield decode(model, kernel.program, frontier.state_words(index))
    finally:
        frontier.close()
