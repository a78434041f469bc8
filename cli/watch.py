"""`check --watch`: checks again each time a file of the model is saved, and prints the first lines of each answer.

Each check is a process of its own that begins with everything loaded, so that it costs what the check costs; this one
only looks at the files' times, five times a second, which is so on every file system, and in a container, too.
"""

from __future__ import annotations

import io
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from ..api.models import find_definition
from ..language.errors import UsageError
from ..language.syntax_errors import imported_files
from ..reports.exits import Exit
from .streams import is_stdout_unread

_GLANCE_SECONDS, _PATIENCE_SECONDS = 0.2, 1.0
INTERRUPTED_EXIT = 130
"""What a check that was interrupted with its watcher ends with."""

ANSWER_LINES = 10
"""So many lines of a check are printed, of each stream: the answer is in them."""

FileStamps = tuple[tuple[str, int, int], ...]


def check_on_changes(model: str, check: Callable[[], int], *, turns: int | None = None) -> Exit:
    """Checks, then again after each change of a file of the model, until Ctrl-C, or until nobody reads the output any
    more: the exit of the last check, inconclusive where Ctrl-C ended that. `turns` ends it after so many checks.
    `check` reports every mistake itself, and of what it prints the first `ANSWER_LINES` are shown. UsageError where
    processes cannot be forked, or there is no such model."""
    if not hasattr(os, "fork"):
        raise UsageError("--watch needs a system that can fork a process; run the check again by hand instead")
    done, code = 0, int(Exit.INCONCLUSIVE)
    try:
        while (turns is None or done < turns) and not is_stdout_unread():
            files = files_of_model(model)  # each time: what it imports may be another file now
            stamps = file_stamps(files)
            code = int(Exit.INCONCLUSIVE)  # of a check that Ctrl-C ends
            code, done = _check_in_process(check), done + 1
            if turns is None or done < turns:
                names = ", ".join(path.name for path in files)
                print(
                    f"watching {names}: saved again, it is checked again; Ctrl-C ends this", file=sys.stderr, flush=True
                )
                wait_for_change(files, stamps)
    except KeyboardInterrupt:
        print(file=sys.stderr)
    return Exit(code) if code in set(Exit) else Exit.INCONCLUSIVE


def files_of_model(model: str) -> Sequence[Path]:
    """The files that a model is read from: of a path that file, those that it imports from beside it, however far, and
    the TOML file with its bounds. What is not Python at the moment has the imports that its lines have."""
    path = Path(model.partition(":")[0])
    if path.suffix == ".py":
        if not path.is_file():
            raise UsageError(f"--watch {path}: there is no such file")
        recorded = path.with_suffix(".toml")
        return [path, *imported_files(path), *([recorded] if recorded.is_file() else [])]
    definition, _ = find_definition(model)
    return [Path(file) for file in definition.files]


def file_stamps(files: Sequence[Path]) -> FileStamps:
    """When each file was changed last, and its size; an editor may take it away for a moment as it saves."""
    found: list[tuple[str, int, int]] = []
    for path in files:
        try:
            known = path.stat()
        except OSError:
            continue
        found.append((str(path), known.st_mtime_ns, known.st_size))
    return tuple(found)


def wait_for_change(files: Sequence[Path], stamps_before: FileStamps) -> None:
    """Until a file is changed, and all of them are there, or nobody reads the output any more."""
    while ((now := file_stamps(files)) == stamps_before or len(now) < len(files)) and not is_stdout_unread():
        time.sleep(_GLANCE_SECONDS)


def _check_in_process(check: Callable[[], int]) -> int:
    """The check's exit, made in a process of its own."""
    sys.stdout.flush()
    sys.stderr.flush()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # what Python does around a fork swallows errors
    child = os.fork()
    if child == 0:
        code = int(Exit.INTERNAL)
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            sys.stdout, sys.stderr = out, err = _FirstLines(sys.stdout), _FirstLines(sys.stderr)
            code = check()
            out.end()
            err.end()
        finally:
            os._exit(code)
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        ended, status = 0, 0
        while ended == 0:  # it looks now and then: a Ctrl-C just before a wait without an end would be heard after it
            select.select((), (), (), _GLANCE_SECONDS / 10)
            ended, status = os.waitpid(child, os.WNOHANG)
    except KeyboardInterrupt:
        _end_child(child)
        raise
    return os.waitstatus_to_exitcode(status)


def _end_child(child: int) -> None:
    """Waits for a check that Ctrl-C has reached, too; one that it has not is interrupted."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > until:
            os.kill(child, signal.SIGINT)
            os.waitpid(child, 0)
            return
        time.sleep(_GLANCE_SECONDS / 10)


class _FirstLines(io.TextIOBase):
    """A stream that passes on the first `ANSWER_LINES` of what is written to it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._lines = stream, 0

    @property
    def encoding(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]  # of the class, an attribute
        """That of the stream."""
        return self._stream.encoding

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """The stream's descriptor."""
        return self._stream.fileno()

    def flush(self) -> None:
        """Flushes the stream."""
        self._stream.flush()

    def write(self, text: str, /) -> int:
        """Passes on what belongs to the first lines, and counts the others."""
        for part in text.splitlines(keepends=True):
            if self._lines < ANSWER_LINES:
                self._stream.write(part)
            self._lines += part.endswith("\n")
        return len(text)

    def end(self) -> None:
        """Says how many lines were left out."""
        if self._lines > ANSWER_LINES:
            self._stream.write(f"... {self._lines - ANSWER_LINES} more lines; without --watch all are printed\n")
        self._stream.flush()
