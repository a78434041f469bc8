"""Folders of the user's cache that are made once: whole or not at all, and looked at again before each use."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ....language.errors import UnreadableError

MANIFEST = "SHA256SUMS"
"""The file in each folder that says what is in it; it is written last."""
_SCRATCH = "making-"
_ABANDONED_SECONDS = 86_400.0
"""A folder that was being made for so long is left of a process that was killed."""


def kept_folder(target: Path, fill: Callable[[Path], None]) -> Path:
    """A folder as `fill` fills it: the one that is there, or a new one. One without its manifest was never
    finished, and is made again. UnreadableError where a file in it is not what was written, or is gone."""
    if (target / MANIFEST).exists():
        _check_folder(target)
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(target.parent)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=_SCRATCH) as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        fill(made)
        (made / MANIFEST).write_text(_folder_manifest(made), encoding="utf-8")
        if target.exists() and not (target / MANIFEST).exists():
            target.rename(Path(scratch) / "unfinished")
        try:
            made.rename(target)
        except OSError:  # another command was faster
            if not (target / MANIFEST).exists():
                raise
    return target


def _check_folder(folder: Path) -> None:
    written = set((folder / MANIFEST).read_text("utf-8", errors="replace").splitlines())
    found = set(_folder_manifest(folder).splitlines())
    if written != found:
        names = sorted(line.partition("  ")[2] or MANIFEST for line in written ^ found)
        raise UnreadableError(
            f"{folder} is damaged: {names[0]} in it is not what was written; delete the folder, and it is made again"
        )


def _folder_manifest(folder: Path) -> str:
    """A line for each file: its digest, and its name in the folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
    lines = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in paths)
    return "".join(lines)


def _remove_abandoned(parent: Path) -> None:
    for path in parent.glob(f"{_SCRATCH}*"):
        if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
            shutil.rmtree(path, ignore_errors=True)
