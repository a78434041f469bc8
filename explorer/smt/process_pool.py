"""Processes that prove: each takes obligations from one list, in order, and sends back what they came to.

Z3 is not shared between them. A process proves what it is given, nothing else; it dies with the run.

Z3 does not always hear its own clock. So a process says before a query until when it has to be `watch_deadline`, and
whoever started it ends it when the query has not come back by then.

Where processes cannot be forked, this one does all of it itself, one task after the other.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any, TypeAlias

from ...language.immutable import immutable

Work: TypeAlias = Callable[[Any], Iterator[Any]]
"""Takes a task and gives its results one by one."""

GRACE = 30.0
"""Seconds after the time limit of a query, until its process is ended."""

OVERDUE = "the solver did not stop when its time was up, and its process was ended"
"""The reason for a task whose process was ended."""

_POLL_SECONDS = 1.0
"""Seconds between two looks at whether a query is overdue."""

_HAS_FORK = "fork" in multiprocessing.get_all_start_methods()
_watch: ContextVar[Any] = ContextVar("watch", default=None)


@contextmanager
def watch_deadline(seconds: float) -> Generator[None]:
    """What is inside ends within so many seconds, and the `GRACE`, or this process is ended: its task is a `LostTask`
    then. In a process that nobody watches it takes as long as it takes."""
    until = _watch.get()
    if until is None:
        yield
        return
    until.value = time.monotonic() + seconds + GRACE
    try:
        yield
    finally:
        until.value = 0.0


@immutable
class LostTask:
    """A task whose process died, or was ended, with the sentence that says how."""

    task: Any
    reason: str


@dataclass(slots=True)
class _Worker:
    """One process, the task it is at, and when the query has to be back that it is at (of `time.monotonic`; 0 for
    none)."""

    process: ForkProcess
    pipe: Connection
    deadline: Any
    task: Any = None

    @property
    def is_overdue(self) -> bool:
        """Whether a query has not come back in time."""
        return 0.0 < self.deadline.value < time.monotonic()


def run_tasks(make: Callable[[], Work], tasks: deque[Any], workers: int, deadline: float | None) -> Generator[Any]:
    """The results of all tasks as they come, each made by what `make` gives in a process of its own. Tasks are taken
    from the left, and whoever takes the results may add more. No task is None.

    A `LostTask` stands for a task whose process died, or was ended since what was `watch_deadline` in it did not end.
    Raises what a task raises; ends silently at the deadline (of `time.monotonic`). However it ends, no process stays.
    """
    run = _run_in_processes if _HAS_FORK else _run_here
    yield from run(make, tasks, workers, deadline)


def _run_here(make: Callable[[], Work], tasks: deque[Any], _workers: int, deadline: float | None) -> Generator[Any]:
    """The same in this process: a query ends when the solver hears its clock, and none is lost."""
    work = make() if tasks else None
    while tasks and work is not None:
        for result in work(tasks.popleft()):
            yield result
            if deadline is not None and time.monotonic() >= deadline:
                return


def _run_in_processes(
    make: Callable[[], Work], tasks: deque[Any], workers: int, deadline: float | None
) -> Generator[Any]:
    pool = list[_Worker]()
    try:
        while busy := _hand_out_tasks(pool, make, tasks, workers):
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return
            ready = wait([worker.pipe for worker in busy], _POLL_SECONDS if left is None else min(left, _POLL_SECONDS))
            for worker in busy:
                if worker.pipe in ready:
                    yield from _receive_results(worker, pool)
                elif worker.is_overdue:
                    pool.remove(worker)
                    _stop_worker(worker)
                    yield LostTask(worker.task, OVERDUE)
    finally:
        for worker in pool:
            _stop_worker(worker)


def _hand_out_tasks(pool: list[_Worker], make: Callable[[], Work], tasks: deque[Any], workers: int) -> list[_Worker]:
    """Those who are at a task, after all who were idle have got one; as many are started as there is work for."""
    for worker in pool:
        if worker.task is None and tasks:
            _give_task(worker, tasks.popleft())
    while tasks and len(pool) < workers:
        pool.append(_start_worker(make))
        _give_task(pool[-1], tasks.popleft())
    return [worker for worker in pool if worker.task is not None]


def _receive_results(worker: _Worker, pool: list[_Worker]) -> Iterator[Any]:
    try:
        kind, value = worker.pipe.recv()
    except EOFError:
        pool.remove(worker)
        worker.process.join()
        worker.pipe.close()
        yield LostTask(worker.task, _death_text(worker.process.exitcode))
        return
    if kind == "error":
        raise value
    if kind == "done":
        worker.task = None
    else:
        yield value


def _start_worker(make: Callable[[], Work]) -> _Worker:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    until = context.RawValue("d", 0.0)  # without a lock, with which a process could die
    process = context.Process(target=_serve_tasks, args=(make, theirs, ours, until), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours, until)


def _give_task(worker: _Worker, task: Any) -> None:
    worker.task = task
    worker.pipe.send(task)


def _stop_worker(worker: _Worker) -> None:
    worker.process.kill()
    worker.process.join()
    worker.pipe.close()


def _death_text(code: int | None) -> str:
    if code is not None and code < 0:
        return f"the solver's process died ({signal.Signals(-code).name})"
    return f"the solver's process ended (exit {code})"


def _serve_tasks(make: Callable[[], Work], pipe: Connection, others_end: Connection, deadline: Any) -> None:
    """What a process does: until nobody asks any more."""
    _watch.set(deadline)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # whoever started us ends us
    others_end.close()
    work: Work | None = None
    while True:
        try:
            task = pipe.recv()
            work = work or make()
            for result in work(task):
                pipe.send(("result", result))
            pipe.send(("done", None))
        except (EOFError, ConnectionError):
            return
        except Exception as error:  # raised again where it can be reported
            pipe.send(("error", _portable_error(error)))


def _portable_error(error: Exception) -> Exception:
    """The error, if it comes through a pipe as it is; else one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # whatever an error's own class does when it is copied
        return RuntimeError("".join(traceback.format_exception(error)))
    return error
