"""The standard streams of a process: what becomes of output that nobody reads, or that a disk does not take.

A reader that ends before the output does, as `head` does, has seen enough: the rest goes nowhere, quietly, and
the exit is the command's own. The same is so of a stream that was closed from the start (`>&-`), and of all that goes
to standard error, which holds no result. A result that standard output does not take (a full disk) is another thing:
the command says so in one sentence, and its exit is `Exit.NOT_WRITTEN`, whatever the result was.
"""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from ..reports.exits import Exit

if TYPE_CHECKING:
    from typing_extensions import Buffer

_UNREAD_ERRORS = (errno.EPIPE, errno.ECONNRESET)
"""How writing fails where the reader has gone."""


class _Stream(io.FileIO):
    """A descriptor to write to. After a first failure, which `failure` keeps unless the reader has only gone, all that
    is written goes nowhere."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self.failure: OSError | None = None
        self._silent = False

    def write(self, data: Buffer, /) -> int:
        """Writes what the descriptor takes; all of it once it has failed."""
        if not self._silent:
            try:
                return super().write(data)
            except OSError as error:
                self._silent = True
                self.failure = None if error.errno in _UNREAD_ERRORS else error
        return memoryview(data).nbytes


def guard_streams() -> Callable[[int], int]:
    """Makes the standard streams of this process such that no writing to them fails. The function that is returned
    writes what is still in them, and says what the process ends with, given what it would."""
    for descriptor in (0, 1, 2):
        _open_if_closed(descriptor)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  # as long as the process
    out, err = _Stream(1), _Stream(2)
    sys.stdout, sys.stderr = _text_stream(out, sys.stdout), _text_stream(err, sys.stderr)

    def flush_streams(exit_: int) -> int:
        sys.stdout.flush()
        if out.failure is not None:
            print(f"tidegate: the output could not be written: {out.failure.strerror}", file=sys.stderr)
            exit_ = Exit.NOT_WRITTEN
        sys.stderr.flush()
        return exit_

    return flush_streams


def is_stdout_unread() -> bool:
    """Whether nobody reads standard output any more: it is a pipe whose other end is closed."""
    poll = select.poll()
    poll.register(1, 0)
    return any(events & select.POLLERR for _, events in poll.poll(0))


def _open_if_closed(descriptor: int) -> None:
    """A stream that is closed is open to nowhere from now on: no file of the command gets its number."""
    try:
        os.fstat(descriptor)
    except OSError:
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere != descriptor:
            os.dup2(nowhere, descriptor)
            os.close(nowhere)


def _text_stream(stream: _Stream, previous_stream: TextIO | None) -> TextIO:
    """A stream of text, as the one before: that is None where it was closed."""
    if previous_stream is None:
        return io.TextIOWrapper(io.BufferedWriter(stream), encoding="utf-8", errors="backslashreplace")
    previous_stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(stream),
        encoding=previous_stream.encoding,
        errors=previous_stream.errors,
        line_buffering=bool(previous_stream.line_buffering),
        write_through=bool(getattr(previous_stream, "write_through", False)),
    )
