"""Files of reports: JSON, traces and text, each replaced whole or not at all."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast


def json_text(document: Any) -> str:
    """One JSON document as every file of ours has it: indented, with a last line feed."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


_LEVELS_BY_PART = {"disabled": 2}
"""Parts of a trace document of which a line holds less: that what else could happen stands there state by state."""


def trace_text(document: Mapping[str, Any]) -> str:
    """A trace document as files have it: a line for each step, each state and each frame, so that it is short, and two
    of them can be compared line by line."""
    parts = [
        f"  {_json_line(name)}: {_nested_lines(value, _LEVELS_BY_PART.get(name, 1), '  ')}"
        for name, value in document.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _nested_lines(value: Any, levels: int, indent: str) -> str:
    """A value with each of its parts on a line, down to so many levels."""
    if levels == 0 or not value or not isinstance(value, dict | list):
        return _json_line(value)
    deeper = indent + "  "
    if isinstance(value, dict):
        named = cast("dict[str, Any]", value).items()
        rows = [f"{_json_line(name)}: {_nested_lines(part, levels - 1, deeper)}" for name, part in named]
        return "{\n" + ",\n".join(deeper + row for row in rows) + f"\n{indent}}}"
    rows = [_nested_lines(part, levels - 1, deeper) for part in cast("list[Any]", value)]
    return "[\n" + ",\n".join(deeper + row for row in rows) + f"\n{indent}]"


def _json_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def write_trace(path: Path, document: Mapping[str, Any]) -> None:
    """A trace document, replaced whole or not at all. Raises OSError."""
    write_text(path, trace_text(document))


def write_json(path: Path, document: Any) -> None:
    """One JSON document, indented, replaced whole or not at all. Raises OSError."""
    write_text(path, json_text(document))


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
