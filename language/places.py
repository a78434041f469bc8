"""Where things stand in an author's files, as documents say it: the same on every machine."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from .ir import Where


def place(where: Where) -> dict[str, Any]:
    """A place as JSON has it: lines from 1, the file relative to its repository."""
    return lines(where.file, where.line, where.end_line)


def lines(file: str, first: int, last: int | None = None) -> dict[str, Any]:
    """The lines `first` to `last` of a file as JSON has them."""
    return {"file": within_repository(file), "line": first, "end_line": first if last is None else last}


@functools.lru_cache(maxsize=256)
def within_repository(file: str) -> str:
    """A file's path from the root of the repository that it is in; its whole path where it is in none."""
    path = Path(file).resolve()
    for folder in path.parents:
        if (folder / ".git").exists():
            return path.relative_to(folder).as_posix()
    return path.as_posix()
