"""A command in a process forked from a warm one, which has imported everything and has no threads.

    with started(["check", "raft", "--json"]) as command:
        exit_, out, err = command.wait_for_exit()

The warm process is Python's own fork server: it begins with the first command and ends with this process. Each command
is still a process and a session of its own, with its own memory, exit and end. Where there is no fork server, it is a
fresh process.
"""

from __future__ import annotations

import os
import selectors
import signal
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from multiprocessing import get_all_start_methods, get_context, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from typing import cast

from ..gates.checks import RunningCommand
from ..invariants.catalogue import CATALOGUE
from ..reports.exits import Exit
from .child_process import child_process, start_lifeline_watch
from .entry import reduce_garbage_collection, treat_sigterm_as_interrupt
from .main import main
from .verbs import VERBS

_MODEL_MODULES = tuple(f"tidegate.invariants.{entry.room}" for entry in CATALOGUE.values())
_PRELOADED_MODULES = (
    *(verb.module for verb in VERBS.values()),
    *_MODEL_MODULES,
    "tidegate.explorer.native.search",
    "tidegate.cli.forked_process",
)
"""What the warm process imports, and with them all that they import."""

_START_LOCK = threading.Lock()
"""Held while a command is started or its end is asked for: multiprocessing looks after all its processes at once."""


@contextmanager
def fork_command(arguments: Sequence[str]) -> Generator[RunningCommand]:
    """The command line as a process, which ends at the latest with this one."""
    if "forkserver" not in get_all_start_methods():
        with child_process(arguments) as fresh:
            yield fresh
        return
    context = get_context("forkserver")
    context.set_forkserver_preload(list(_PRELOADED_MODULES))
    lifeline, held = context.Pipe(duplex=False)
    try:
        yield _ForkedProcess(context, arguments, lifeline)
    finally:
        held.close()


_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def _hold_back_interrupts() -> Generator[None]:
    """Within it no interrupt reaches this thread, nor ever the warm process that it may start here: what is sent to all
    processes of a job is for the gate alone, which stops the others."""
    resource_tracker.ensure_running()  # which lets them through again where it is begun
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _ForkedProcess:
    """A command forked from the warm process."""

    def __init__(self, context: ForkServerContext, arguments: Sequence[str], lifeline: Connection) -> None:
        self._out, out = context.Pipe(duplex=False)
        self._err, err = context.Pipe(duplex=False)
        self._process = context.Process(target=_run_in_fork, args=(tuple(arguments), out, err, lifeline))
        with _START_LOCK, _hold_back_interrupts():
            self._process.start()
        for connection in (out, err, lifeline):
            connection.close()

    def wait_for_exit(self) -> tuple[int, str, str]:
        """Waits for it."""
        out, err = _read_pipes(self._out, self._err)
        with _START_LOCK:
            self._process.join()
        return cast(int, self._process.exitcode), out, err

    def send_signal(self, number: signal.Signals) -> None:
        """Sends it a signal."""
        pid = self._process.pid
        if pid is not None:
            os.kill(pid, number)


def _read_pipes(*pipes: Connection) -> list[str]:
    """All that comes out of some pipes, each to its end."""
    texts = {pipe: bytearray() for pipe in pipes}
    with selectors.DefaultSelector() as selector:
        for pipe in pipes:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                pipe = cast(Connection, key.fileobj)
                piece = os.read(pipe.fileno(), 1 << 16)
                texts[pipe] += piece
                if not piece:
                    selector.unregister(pipe)
                    pipe.close()
    return [bytes(text).decode("utf-8", "replace") for text in texts.values()]


def _run_in_fork(arguments: tuple[str, ...], out: Connection, err: Connection, lifeline: Connection) -> None:
    """The command line, in the forked process: its output and errors go to pipes."""
    os.setsid()
    reduce_garbage_collection()
    for pipe, stream in ((out, 1), (err, 2)):
        os.dup2(pipe.fileno(), stream)
        pipe.close()
    start_lifeline_watch(lifeline.fileno())
    with (
        open(1, "w", encoding="utf-8", closefd=False) as sys.stdout,
        open(2, "w", encoding="utf-8", closefd=False) as sys.stderr,
    ):
        exit_ = _run_interruptibly(arguments)
    os._exit(exit_)


def _run_interruptibly(arguments: tuple[str, ...]) -> int:
    """The command line, which interrupts reach from here on."""
    try:
        treat_sigterm_as_interrupt()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _INTERRUPTS)
        return main(arguments)
    except KeyboardInterrupt:
        return Exit.INCONCLUSIVE
