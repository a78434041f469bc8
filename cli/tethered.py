"""`python -m tidegate.cli.tethered check ...`: a command that ends when whoever started it does, however that ends.

Its standard input is the tether: a pipe that its starter holds open and never writes to. When the starter is gone, even
by SIGKILL, the pipe ends, and the command with everything that it started ends at once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager


@contextmanager
def tethered(arguments: Sequence[str]) -> Generator[subprocess.Popen[str]]:
    """The command in a process and a session of its own, which ends at the latest with this context."""
    end, held = os.pipe()
    try:
        try:
            command = subprocess.Popen(
                [sys.executable, "-m", "tidegate.cli.tethered", *arguments],
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
        yield command
    finally:
        os.close(held)


def watch(tether: int) -> None:
    """Waits until the tether ends; then ends this process and all that it started, which are its process group."""
    os.read(tether, 1)
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    from .main import run  # which imports this module too, for the gate

    threading.Thread(target=watch, args=(os.dup(0),), daemon=True).start()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    run()
