"""Tasks in several processes, begun from both ends of their order. One that dies is reported; others go on."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from ...language.immutable import immutable

GRACE = 2.0
"""Seconds in which what was stopped by the clock may still be handed over."""

T = TypeVar("T")
R = TypeVar("R")


@immutable
class Work(Generic[T, R]):
    """What each process does: `begin(*arguments)` once, then `run` for every task that it is given.

    `prepare` is done first for what the tasks need, where that is said, and all wait for it. These are functions of
    modules, for other processes.
    """

    run: Callable[[T], R]
    begin: Callable[..., object]
    arguments: tuple[Any, ...]
    prepare: Callable[[Any], object]


class Processes(Generic[T, R]):
    """So many processes, begun with the first tasks and kept for later ones until `close`.

    `spare` are tasks that nobody waits for yet: a process takes one where there is nothing else to do. `until` is the
    moment (`time.time`) after which none is waited for, but for `GRACE` seconds, and the processes are ended.
    """

    def __init__(self, work: Work[T, R], workers: int, deadline: float | None = None) -> None:
        self.work, self.workers, self.until = work, workers, deadline
        self.spare: deque[T] = deque()
        self._pool: ProcessPoolExecutor | None = None
        self._preparing: list[Future[object]] = []
        self._beside: dict[Future[R], tuple[T, int]] = {}

    def prepare_tasks(self, preparations: Sequence[Any]) -> None:
        """Begins what is to be prepared; later tasks wait for it."""
        pool = self._started_pool()
        with suppress(BrokenProcessPool):  # which `_prepared` finds, too
            for one in preparations:
                self._preparing.append(pool.submit(self.work.prepare, one))

    def results_of(self, tasks: Sequence[T]) -> Iterator[tuple[T, R | None]]:
        """Each task with its result as it comes, and spare ones that end meanwhile; None if a process died, and it may
        have been this one's, or if time ran out.

        Every other process takes tasks from the end, so that long tasks, which are put there, are not begun last.
        """
        waiting = deque(tasks)
        while waiting and self._seconds_left() != 0.0:
            pool = self._prepared_pool()
            yield from self._results(pool, waiting)
        yield from ((task, None) for task in waiting)

    def results_of_spare_tasks(self) -> Iterator[tuple[T, R | None]]:
        """The spare tasks that are left, with their results."""
        tasks, self.spare = self.spare, deque[T]()
        yield from self.results_of(tasks)
        while self._beside:
            yield from self._ended_work({})

    @property
    def has_begun(self) -> bool:
        """Whether they have begun."""
        return self._pool is not None

    def close(self) -> None:
        """Ends the processes; those that run something end after it. No spare task is begun any more."""
        self.spare.clear()
        self._end_processes()

    def kill(self) -> None:
        """Ends the processes at once, whatever they run, whose results are lost."""
        started: Mapping[int, BaseProcess] = getattr(self._pool, "_processes", None) or {}
        for process in list(started.values()):  # public only since Python 3.14 (terminate_workers)
            process.terminate()
        self.close()

    def _seconds_left(self) -> float | None:
        """The seconds for which a result may be waited for; None without end."""
        return None if self.until is None else max(0.0, self.until + GRACE - time.time())

    def _end_processes(self) -> None:
        self._beside.clear()
        self._preparing.clear()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _started_pool(self) -> ProcessPoolExecutor:
        if self._pool is None:
            work = self.work
            self._pool = ProcessPoolExecutor(self.workers, get_context("spawn"), work.begin, work.arguments)
        return self._pool

    def _prepared_pool(self) -> ProcessPoolExecutor:
        """The processes, all prepared; one that dies of that prepares for itself what it runs, and dies if it must."""
        try:
            for one in self._preparing:
                one.result(self._seconds_left())
        except BrokenProcessPool:
            self._end_processes()
        except TimeoutError:  # what waits for them is not waited for either
            pass
        self._preparing.clear()
        return self._started_pool()

    def _results(self, pool: ProcessPoolExecutor, waiting: deque[T]) -> Iterator[tuple[T, R | None]]:
        """Results until all are there, or the pool is broken and what was begun is reported."""
        running: dict[Future[R], tuple[T, int]] = {}
        while pool is self._pool:
            busy = {lane for _, lane in (*running.values(), *self._beside.values())}
            for lane in (lane for lane in range(self.workers) if lane not in busy and (waiting or self.spare)):
                at, tasks = (running, waiting) if waiting else (self._beside, self.spare)
                task = tasks.pop() if lane % 2 and waiting else tasks.popleft()
                try:
                    at[pool.submit(self.work.run, task)] = (task, lane)
                except BrokenProcessPool:
                    yield task, None
                    yield from self._results_after_death(running)
                    return
            if not running and not waiting:
                return
            yield from self._ended_work(running)

    def _ended_work(self, running: dict[Future[R], tuple[T, int]]) -> Iterator[tuple[T, R | None]]:
        """What has ended of these and of the spare ones, once anything has; all of them if the pool is broken."""
        done = wait([*running, *self._beside], self._seconds_left(), return_when=FIRST_COMPLETED).done
        if not done:
            begun = [task for task, _ in (*running.values(), *self._beside.values())]
            running.clear()
            self.kill()
            yield from ((task, None) for task in begun)
        for future in done:
            if isinstance(future.exception(), BrokenProcessPool):
                yield from self._results_after_death(running)
                return
            task, _ = running.pop(future) if future in running else self._beside.pop(future)
            yield task, future.result()

    def _results_after_death(self, running: dict[Future[R], tuple[T, int]]) -> Iterator[tuple[T, R | None]]:
        """All that was begun, once a process has died: others are begun for what comes."""
        begun = {**running, **self._beside}
        running.clear()
        wait(begun)
        for future, (task, _) in begun.items():
            yield task, None if isinstance(future.exception(), BrokenProcessPool) else future.result()
        self._end_processes()
