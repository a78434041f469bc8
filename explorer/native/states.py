"""Every reachable state of a model, as packed words: for tables of very many states."""

from __future__ import annotations

from pathlib import Path

from ...language.errors import UsageError
from ...language.model import Model
from ..graph import TooLargeError
from ..search import Search
from .frontier import reserve_frontier
from .kernels import kernel_of
from .layout import Layout
from .search import Driver


def reachable_states(model: Model, most: int, cache: Path | None = None) -> tuple[Layout, memoryview]:
    """The states, breadth first, explored by compiled code with no property checked: their layout, and their words as
    bytes, one state after the other.

    Raises TooLargeError beyond `most`, and UsageError when memory ends or a step breaks the model's own types: `check`
    shows which."""
    kernel = kernel_of(model, (), cache)
    frontier = reserve_frontier(kernel.program, kernel.code, None)
    try:
        driver = Driver(model, Search(deadlocks=False, cache=cache), kernel, frontier, None)
        for cell in ("CHECK", "SEEK", "WATCH"):
            frontier[cell] = 0
        driver.run(lambda: frontier["COUNT"] > most)
        found = driver.findings
        if frontier["COUNT"] > most:
            raise TooLargeError(most)
        if not found.is_exhausted:
            what = found.stop_reason or "a step breaks the model's own types, which check() shows"
            raise UsageError(f"{model.name}: the states cannot be enumerated: {what}")
        layout = kernel.program.layout
        return layout, memoryview(bytes(frontier.states.view(8 * layout.words * frontier["COUNT"])))
    finally:
        frontier.close()
