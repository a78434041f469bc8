"""`check --watch`: checks again each time a file of the model is saved.

Each check is a process of its own that begins with everything loaded, so that it costs what the check costs; this one
only looks at the files' times, five times a second.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ..api.models import find_definition
from ..language.errors import UsageError
from ..reports.exits import Exit
from .streams import is_stdout_unread

_GLANCE_SECONDS, _PATIENCE_SECONDS = 0.2, 1.0
INTERRUPTED_EXIT = 130
"""What a check that was interrupted with its watcher ends with."""

FileStamps = tuple[tuple[str, int, int], ...]


def check_on_changes(model: str, check: Callable[[], int], *, turns: int | None = None) -> Exit:
    """Checks, then again after each change of a file of the model, until Ctrl-C, or until nobody reads the output any
    more: the exit of the last check. `turns` ends it after so many checks. `check` reports every mistake itself.
    UsageError where processes cannot be forked, or there is no such model."""
    if not hasattr(os, "fork"):
        raise UsageError("--watch needs a system that can fork a process; run the check again by hand instead")
    files, done, code = files_of_model(model), 0, int(Exit.HOLDS)
    try:
        while (turns is None or done < turns) and not is_stdout_unread():
            stamps = file_stamps(files)
            code, done = _check_in_process(check), done + 1
            if turns is None or done < turns:
                names = ", ".join(path.name for path in files)
                print(f"watching {names}: saved again, it is checked again; Ctrl-C ends this", file=sys.stderr)
                wait_for_change(files, stamps)
    except KeyboardInterrupt:
        print(file=sys.stderr)
    return Exit(code) if code in set(Exit) else Exit.INCONCLUSIVE


def files_of_model(model: str) -> Sequence[Path]:
    """The files that a model is read from: of a path that file and those beside it, since it may import them."""
    path = Path(model.partition(":")[0])
    if path.suffix == ".py":
        if not path.is_file():
            raise UsageError(f"--watch {path}: there is no such file")
        return [path, *(other for other in sorted(path.parent.glob("*.py")) if other != path)]
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


def wait_for_change(files: Sequence[Path], before: FileStamps) -> None:
    """Until a file is changed, and all of them are there, or nobody reads the output any more."""
    while ((now := file_stamps(files)) == before or len(now) < len(files)) and not is_stdout_unread():
        time.sleep(_GLANCE_SECONDS)


def _check_in_process(check: Callable[[], int]) -> int:
    """The check's exit, made in a process of its own."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        code = int(Exit.INTERNAL)
        try:
            code = check()
            sys.stdout.flush()
        finally:
            os._exit(code)
    try:
        _, status = os.waitpid(child, 0)
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
