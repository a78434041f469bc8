"""The directory given with --out: looked at before a search, written after it, with the result already printed."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from .options import Wrong


def prepared(directory: Path) -> Path:
    """The directory, made if only its last part is missing, and proved writable. Raises `Wrong` saying what is in the
    way.
    """
    if not directory.exists() and not directory.parent.is_dir():
        raise Wrong(f"--out {directory}: {directory.parent} does not exist; make it first, or name another directory")
    try:
        directory.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except FileExistsError:
        raise Wrong(f"--out {directory}: it is a file; name a directory") from None
    except OSError as error:
        raise Wrong(
            f"--out {directory}: cannot be written ({error.strerror or error}); name another directory"
        ) from None
    return directory


def write_json(path: Path, document: Any) -> None:
    """One JSON document, indented, replaced whole or not at all. Raises OSError."""
    write_text(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """A text file, replaced whole or not at all. Raises OSError."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as part:
        try:
            part.write(text)
        except OSError:
            Path(part.name).unlink(missing_ok=True)
            raise
    try:
        Path(part.name).chmod(0o644)
        Path(part.name).replace(path)
    except OSError:
        Path(part.name).unlink(missing_ok=True)
        raise
