"""Which files of a model are not Python: asked once one of them cannot be imported, to report all of them at once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w.]+)(?:[ \t]+import[ \t]+(\w+))?", re.MULTILINE)
"""An import as a line has it; a file that is not Python has no syntax tree to look for them in."""


def syntax_errors(path: Path) -> Iterator[SyntaxError]:
    """The first syntax error of each file that this one imports from beside it, however far; not its own."""
    for file in _imported(path, path.parent, {path}):
        try:
            ast.parse(file.read_bytes(), str(file))
        except SyntaxError as error:
            yield error


def _imported(path: Path, folder: Path, seen: set[Path]) -> Iterator[Path]:
    """The files of a folder that a file in it imports, and those that these import."""
    for found in _IMPORT.finditer(path.read_text(encoding="utf-8", errors="replace")):
        parts = [part for part in found[1].split(".") if part]
        below = [folder.joinpath(*parts), *([folder.joinpath(*parts, found[2])] if found[2] else [])]
        for file in (place for module in below for place in (module.with_suffix(".py"), module / "__init__.py")):
            if file not in seen and file.is_file():
                seen.add(file)
                yield file
                yield from _imported(file, folder, seen)
