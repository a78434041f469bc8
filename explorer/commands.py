"""A command as a task: run by this Python in a process of its own, so that one that breaks down harms no other."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence

from ..language.immutable import immutable


@immutable
class CommandResult:
    """What a command ended with and printed, and the seconds it took."""

    exit: int
    stdout: str
    stderr: str
    seconds: float


def run_command(arguments: Sequence[str]) -> CommandResult:
    """Run this Python with these arguments, and wait."""
    began = time.monotonic()
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    return CommandResult(done.returncode, done.stdout, done.stderr, time.monotonic() - began)
