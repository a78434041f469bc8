"""Several threads on one store and one table. They share the work of a level, state by state; nothing else changes.

A search that finds nothing wrong is exact, whatever the threads do: the same states, transitions and levels. One that
finds a failure is made again by a single worker, so that the counterexample does not depend on how threads raced.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...language.immutable import immutable
from .frontier import CELLS, Frontier
from .kernel import CONTEXT, EVENTS
from .memory import Region

if TYPE_CHECKING:
    from concurrent.futures import Future

POLL_SECONDS = 0.1
STATES_FOR_ONE_WORKER = 4_000
"""Levels of fewer states are not worth sharing."""
FAILURES = frozenset({"INVARIANT", "TRANSITION", "DEADLOCK", "ERROR", "PROPERTY_ERROR"})


@immutable
class WitnessMet:
    """Witnesses, one bit each, and the state that met them."""

    bits: int
    index: int


class WorkerPool:
    """The workers of one search. Each has a context and a buffer of its own; the first uses the frontier's."""

    def __init__(self, frontier: Frontier, count: int) -> None:
        self.frontier = frontier
        self.contexts = [frontier.context, *(type(frontier.context)() for _ in range(count - 1))]
        program, words = frontier.program, frontier.words
        self._buffers = [Region(8 * (words + 2) * program.buffer_slots) for _ in range(count - 1)]
        self._edges = [Region(8 * (words + 1) * max(1, len(program.transitions))) for _ in range(count - 1)]
        self._common = Region(8 * 3)
        from concurrent.futures import ThreadPoolExecutor  # which loads more than a search alone needs

        self._pool = ThreadPoolExecutor(count)
        self.met = list[WitnessMet]()

    def close(self) -> None:
        """End the threads, add what they counted to the frontier's counters, and give their memory back."""
        self._pool.shutdown()
        for cell in range(len(CONTEXT) + len(self.frontier.program.opens), len(self.frontier.context)):
            self.frontier.context[cell] = sum(context[cell] for context in self.contexts)
        for region in (*self._buffers, *self._edges, self._common):
            region.close()

    def expand_level(self, begin: int, end: int, tick: Callable[[], bool]) -> str:
        """Expand the states from `begin` to `end`: LEVEL, FULL, STOPPED, or a failure's event.

        `tick` is called about ten times a second and says whether to go on.
        """
        self._common.write(0, (self.frontier["COUNT"], begin, 0))
        self._fill_contexts(end)
        event = self._run_all_workers(tick)
        while event == "FULL" and self._grow_store():
            event = self._run_all_workers(tick)
        self.frontier["NEXT"], self.frontier["END"] = self._slice_end(end), end
        return event

    def _slice_end(self, end: int) -> int:
        return min(self._common.words(8, 1)[0], end)

    def _fill_contexts(self, end: int) -> None:
        own = {"BUFFER", "EDGES", "PENDING", "DONE"}
        first = self.contexts[0]
        first[CELLS["COMMON"]], first[CELLS["LEVEL_END"]] = self._common.address, end
        first[CELLS["NEXT"]] = first[CELLS["END"]] = 0
        for context, buffer, edges in zip(self.contexts[1:], self._buffers, self._edges, strict=True):
            for name, cell in CELLS.items():
                if name not in own:
                    context[cell] = first[cell]
            for cell in self.frontier.program.opens.values():
                context[cell] = first[cell]
            context[CELLS["BUFFER"]], context[CELLS["EDGES"]] = buffer.address, edges.address

    def _run_all_workers(self, tick: Callable[[], bool]) -> str:
        """All workers until each has nothing left or cannot go on; the most serious of their events."""
        from concurrent.futures import wait

        running: set[Future[str]] = {self._pool.submit(self._run_worker, context) for context in self.contexts}
        stopped, events = False, set[str]()
        try:
            while running:
                done, running = wait(running, POLL_SECONDS)
                events |= {future.result() for future in done}
                self._note_state_count()
                if not stopped and (events & FAILURES or not tick()):
                    stopped = True
                    self._stop_workers()
        finally:
            self._stop_workers()
            wait(running)
            self._note_state_count()
        failures = events & FAILURES
        if failures:
            return min(failures)
        self._common.write(16, (0,))
        return "FULL" if "FULL" in events and not stopped else "STOPPED" if stopped else "LEVEL"

    def _stop_workers(self) -> None:
        self._common.write(16, (1,))

    def _note_state_count(self) -> None:
        self.frontier["COUNT"] = self._common.words(0, 1)[0]

    def _run_worker(self, context: ctypes.Array[ctypes.c_uint64]) -> str:
        while True:
            event = EVENTS[self.frontier.share(ctypes.addressof(context))]
            if event != "WITNESS":
                return event
            self.met.append(WitnessMet(context[CELLS["DETAIL"]], context[CELLS["ABOUT"]]))
            context[CELLS["SEEK"]] &= ~context[CELLS["DETAIL"]]

    def _grow_store(self) -> bool:
        if not self.frontier.grow():
            return False
        for context in self.contexts[1:]:
            for name in ("TABLE", "SIZE", "ROOM"):
                context[CELLS[name]] = self.frontier[name]
        return True
