"""Files of a cache: written whole or not at all, and never missed."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Puts a file there, by rename, so that a killed run leaves no half. A full or read-only disk is no error."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(data)
        os.replace(file.name, path)


def cache_directory() -> Path | None:
    """Where compiled kernels are kept: `$TIDEGATE_CACHE`, else `tidegate` in the user's cache; None if it cannot be
    made.
    """
    given = os.environ.get("TIDEGATE_CACHE")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    directory = Path(given) if given else base / "tidegate"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return directory if os.access(directory, os.W_OK) else None
