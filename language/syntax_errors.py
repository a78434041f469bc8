"""Which files of a model cannot be parsed: asked once one of them cannot be imported, to report all of them at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from .errors import Diagnostics
from .frontend.source import NESTED_MAX, NestingError, parse_file
from .where import Where

_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w.]+)(?:[ \t]+import[ \t]+(\w+))?", re.MULTILINE)
"""An import as a line has it; a file that is not Python has no syntax tree to look for them in."""


_PYTHON = "a file that Python itself accepts: python -m py_compile FILE"


def syntax_errors(path: Path) -> Iterator[SyntaxError]:
    """The first mistake of each file that this one imports from beside it, however far; not its own."""
    for file in imported_files(path):
        try:
            parse_file(file.read_bytes(), str(file))
        except SyntaxError as error:
            yield error


def imported_files(path: Path, folder: Path | None = None) -> Iterator[Path]:
    """The files that this one imports from beside it, or from another folder, however far, as its lines say, whether or
    not they can be parsed."""
    return _imported_files(path, folder or path.parent, {path})


def _imported_files(path: Path, folder: Path, seen_files: set[Path]) -> Iterator[Path]:
    """The files of a folder that a file in it imports, and those that these import."""
    for found in _IMPORT.finditer(path.read_text(encoding="utf-8", errors="replace")):
        parts = [part for part in found[1].split(".") if part]
        below = [folder.joinpath(*parts), *([folder.joinpath(*parts, found[2])] if found[2] else [])]
        for file in (place for module in below for place in (module.with_suffix(".py"), module / "__init__.py")):
            if file not in seen_files and file.is_file():
                seen_files.add(file)
                yield file
                yield from _imported_files(file, folder, seen_files)


def note_unparsed(error: SyntaxError, diagnostics: Diagnostics) -> None:
    """Notes why a file cannot be parsed, or is not taken as it is."""
    assert error.filename is not None, "the text of a file was parsed"
    where = _syntax_place(error.filename, error)
    if isinstance(error, NestingError):
        instead = "a helper function for a part of it; any(...) or sum(...) for a long row, match for many elif"
        diagnostics.add("TG011", where, f"something here is nested more than {NESTED_MAX} deep", instead)
    else:
        diagnostics.add("TG001", where, error.msg, _instead_of(error))


def _instead_of(error: SyntaxError) -> str:
    """What to write where a file is not Python: for a step up or down as other languages have it, Python's own."""
    found = re.fullmatch(r"\s*(\S+?)\s*(\+\+|--)\s*;?\s*(#.*)?\s*", error.text or "")
    if found:
        return f"{found[1]} {found[2][0]}= 1"
    symbol = next((word for word in _SYNTAX_ERROR if word in (error.text or "").partition("#")[0]), None)
    return f"{_SYNTAX_ERROR[symbol]}, where `{symbol}` stands" if symbol else _PYTHON


_SYNTAX_ERROR = {
    "=>": ">= for `at least`; `not a or b` for `a implies b`",
    "=<": "<=",
    "/\\": "and",
    "\\/": "or",
    "<>": "!=",
    "&&": "and",
    "||": "or",
}
"""What Python writes for the operators of other languages."""


def _syntax_place(path: str, error: SyntaxError) -> Where:
    line, column = error.lineno or 1, max(0, (error.offset or 1) - 1)
    same_line = error.end_lineno == line and error.end_offset is not None and error.end_offset > 0
    end = max(column + 1, cast(int, error.end_offset) - 1) if same_line else column + 1
    return Where(path, line, column, line, end)
