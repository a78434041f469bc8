"""The directory given with --out: looked at before a search, written after it, with the result already printed."""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, TextIO

from ..language.errors import UsageError


def prepared(directory: Path) -> Path:
    """The directory, made if only its last part is missing, and proved writable. Raises `UsageError`
    saying what is in the way.
    """
    if not directory.exists() and not directory.parent.is_dir():
        raise UsageError(
            f"--out {directory}: {directory.parent} does not exist; make it first, or name another directory"
        )
    try:
        directory.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except FileExistsError:
        raise UsageError(f"--out {directory}: it is a file; name a directory") from None
    except OSError as error:
        raise UsageError(
            f"--out {directory}: cannot be written ({error.strerror or error}); name another directory"
        ) from None
    return directory


_standard: list[TextIO] = []


@contextlib.contextmanager
def kept_for_json() -> Generator[None]:
    """Within it standard output belongs to `print_json`: what a model's own text prints goes to standard error."""
    _standard.append(sys.stdout)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        _standard.pop()


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    print(json.dumps(document, indent=2, ensure_ascii=False), file=_standard[-1] if _standard else None, flush=True)


def not_checked_note(names: Sequence[str]) -> str:
    """What is said of the properties of a run that were not checked."""
    return f"not checked: {', '.join(names)}, which read ghosts that are folded away; --ghosts keeps them"
