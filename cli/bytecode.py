"""Compiled Python where Python itself may keep none: with `PYTHONDONTWRITEBYTECODE=1`, which containers set, and where
the package's folder is read-only. Without it every command compiles all that it imports, which takes as long as the
rest of a short one. It is kept in our cache, a file for each module, and nothing is written beside the sources.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Sequence
from hashlib import sha256
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from types import CodeType, ModuleType

from ..explorer.cache import cache_directory, write_whole


class _CachingLoader(SourceFileLoader):
    """Loads a module's source, of which Python keeps no compiled form, from the one in our cache."""

    folder: Path

    def get_code(self, fullname: str) -> CodeType | None:
        """The module's code: Python's own compiled form where there is one that is newer than the source."""
        source = self.get_filename(fullname)
        facts = os.stat(source)
        if _has_python_bytecode(source, facts.st_mtime):
            return super().get_code(fullname)
        path = self.folder / f"{sha256(os.fsencode(source)).hexdigest()}.pyc"
        begin = MAGIC_NUMBER + f"{facts.st_mtime_ns} {facts.st_size} {sys.flags.optimize} {source}\n".encode()
        kept = _read_bytes(path)
        if kept.startswith(begin):
            return marshal.loads(kept[len(begin) :])
        code = self.source_to_code(self.get_data(source), source)
        write_whole(path, begin + marshal.dumps(code))
        return code


def _has_python_bytecode(source: str, change_time: float) -> bool:
    """Whether Python has compiled a source file since it was changed."""
    try:
        return os.stat(cache_from_source(source)).st_mtime >= change_time
    except (OSError, NotImplementedError):
        return False


def _read_bytes(path: Path) -> bytes:
    """What is in a file; nothing where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


class _CachingFinder:
    """Finds modules as Python does, and has their code kept in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module as Python finds it; None where it has another kind of source."""
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader:
            return None
        loader = _CachingLoader(fullname, spec.loader.path)
        loader.folder = self.folder
        spec.loader = loader
        return spec


def cache_bytecode() -> None:
    """Has the code of what is imported from now on kept in our cache, where Python may not keep it itself."""
    if sys.pycache_prefix is not None or (not sys.dont_write_bytecode and os.access(Path(__file__).parent, os.W_OK)):
        return
    folder = cache_directory()
    if folder is not None:
        sys.meta_path.insert(0, _CachingFinder(folder / "bytecode"))
