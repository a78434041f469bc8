"""What is a path of this machine, and what is not."""

from __future__ import annotations

import re
from pathlib import Path

from .errors import UsageError

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
"""How a URI begins, also once a `Path` was made of it; a scheme has two characters or more, since `c:/` is a drive."""


def local_path(path: str | Path) -> Path:
    """A path of this machine. `UsageError` for a URI: `s3a://bucket/run` would become a folder `s3a:` here."""
    if _URI.match(str(path)):
        raise UsageError(
            f"{path} is a URI, and only paths of this machine are read and written; mount what it names, and give that "
            "path"
        )
    return Path(path)
