"""`python -m tidegate.cli.child_process check ...`: a command that ends when its starter does, however that ends.

Its standard input is the lifeline: a pipe that its starter holds open and never writes to. When the starter is gone,
even by SIGKILL, the pipe ends, and the command with everything that it started ends at once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager


class ChildProcess:
    """A command in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def send_signal(self, number: signal.Signals) -> None:
        """Sends it a signal."""
        self._process.send_signal(number)

    def wait_for_exit(self) -> tuple[int, str, str]:
        """Waits for it: its exit, minus a signal's number if that ended it, its output and its errors."""
        out, err = self._process.communicate()
        return self._process.returncode, out, err


@contextmanager
def child_process(arguments: Sequence[str]) -> Generator[ChildProcess]:
    """The command in a process and a session of its own, which ends at the latest with this context."""
    end, held = os.pipe()
    try:
        try:
            command = subprocess.Popen(
                [sys.executable, "-m", "tidegate.cli.child_process", *arguments],
                stdin=end,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        finally:
            os.close(end)
        yield ChildProcess(command)
    finally:
        os.close(held)


def end_when_lifeline_ends(lifeline: int) -> None:
    """Waits until the lifeline ends; then ends this process and all that it started, which are its process group."""
    os.read(lifeline, 1)
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def start_lifeline_watch(lifeline: int) -> None:
    """Ends this process when the lifeline does."""
    threading.Thread(target=end_when_lifeline_ends, args=(os.dup(lifeline),), daemon=True).start()


if __name__ == "__main__":
    from .main import main  # which imports this module too, for the gate

    start_lifeline_watch(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.exit(main(sys.argv[1:]))
