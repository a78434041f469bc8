"""Tasks in several processes, begun from both ends of their order. One that dies is reported; others go on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Work(Generic[T, R]):
    """What each process does: `begin(*arguments)` once, then `run` for every task that it is given.

    `prepare` is done first for what the tasks need, and all wait for it. These are functions of modules, for other
    processes.
    """

    run: Callable[[T], R]
    begin: Callable[..., object]
    arguments: tuple[Any, ...]
    prepare: Callable[[Any], object]


class Processes(Generic[T, R]):
    """So many processes, begun with the first tasks and kept for later ones until `close`."""

    def __init__(self, work: Work[T, R], workers: int) -> None:
        self.work, self.workers = work, workers
        self._pool: ProcessPoolExecutor | None = None

    def results(self, tasks: Sequence[T], before: Sequence[Any] = ()) -> Iterator[tuple[T, R | None]]:
        """Each task with its result as it comes; None if a process died meanwhile, and it may have been this one's.

        Every other process takes tasks from the end, so that long tasks, which are put there, are not begun last.
        """
        waiting = deque(tasks)
        while waiting:
            pool = self._begun()
            try:
                list(pool.map(self.work.prepare, before))
            except BrokenProcessPool:
                before = ()  # each process prepares for itself what it runs, and dies of that if it must
                self.close()
                continue
            yield from self._done(pool, waiting)

    @property
    def running(self) -> bool:
        """Whether they have begun."""
        return self._pool is not None

    def close(self) -> None:
        """Ends the processes; those that run something end after it."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def _begun(self) -> ProcessPoolExecutor:
        if self._pool is None:
            work = self.work
            self._pool = ProcessPoolExecutor(self.workers, get_context("spawn"), work.begin, work.arguments)
        return self._pool

    def _done(self, pool: ProcessPoolExecutor, waiting: deque[T]) -> Iterator[tuple[T, R | None]]:
        """Results until all are there, or the pool is broken and what was begun is reported."""
        running: dict[Future[R], tuple[T, int]] = {}
        idle, broken = list(range(self.workers)), False
        while not broken or running:
            while idle and waiting and not broken:
                lane = idle.pop()
                task = waiting.pop() if lane % 2 else waiting.popleft()
                try:
                    running[pool.submit(self.work.run, task)] = (task, lane)
                except BrokenProcessPool:
                    broken = True
                    yield task, None
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task, lane = running.pop(future)
                idle.append(lane)
                try:
                    yield task, future.result()
                except BrokenProcessPool:
                    broken = True
                    yield task, None
        self.close()
