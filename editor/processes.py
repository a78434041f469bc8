"""The processes that read and check models, from the server's side: one that is ready, and those that work."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

_LONGEST_LINE = 1 << 28
"""Bytes: an answer is one line."""


class WorkError(Exception):
    """What was asked of a worker has no answer: why, in words."""


class Workers:
    """Starts workers in a folder. One is always ready, since to load all that a model is read with takes longer than to
    read it."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._ready: list[asyncio.subprocess.Process] = []
        self._busy: set[asyncio.subprocess.Process] = set()
        self._closed = False

    async def ask(self, request: dict[str, Any], report: Callable[[str], None], seconds: float | None = None) -> Any:
        """The answer to a request; `report` is told of progress. WorkError where there is none, also after so many
        seconds. The worker of a caller that is cancelled ends at once."""
        process = self._ready.pop() if self._ready else await self._start()
        self._busy.add(process)
        try:
            return await asyncio.wait_for(_converse(process, request, report), seconds)
        except TimeoutError:
            raise WorkError(f"to read it takes more than {seconds:.0f} seconds: what does its text compute?") from None
        finally:
            _kill(process)
            self._busy.discard(process)
            if not self._ready and not self._closed:
                self._ready.append(await self._start())

    async def _start(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "tidegate.editor.worker", cwd=self._folder, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, limit=_LONGEST_LINE,
            start_new_session=True,
        )  # fmt: skip

    def close(self) -> None:
        """Ends every worker at once."""
        self._closed = True
        for process in (*self._ready, *self._busy):
            _kill(process)
        self._ready.clear()


async def _converse(process: asyncio.subprocess.Process, request: dict[str, Any], report: Callable[[str], None]) -> Any:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps(request).encode() + b"\n")
    with contextlib.suppress(ConnectionError):
        await process.stdin.drain()
    while line := await process.stdout.readline():
        said = json.loads(line)
        if "answer" in said:
            return said["answer"]
        if "failure" in said:
            raise WorkError(said["failure"])
        report(said["progress"])
    raise WorkError("the process that reads the model has ended: does its text end it, or was it out of memory?")


def _kill(process: asyncio.subprocess.Process) -> None:
    """Ends a worker and what it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
