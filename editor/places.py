"""Places in an editor's documents: lines and characters from 0, in the units that its client counts."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import Workspace

from .reading import FilePlace


def path_of(uri: str) -> Path:
    """The file of a document; one that is nowhere on the disk has the path that its name has."""
    return Path(to_fs_path(uri) or uri)


def uri_of(path: Path | str) -> str:
    """The document of a file."""
    found = from_fs_path(str(path))
    assert found is not None, "every path has a URI"
    return found


def client_range(workspace: Workspace, uri: str, place: FilePlace) -> types.Range:
    """A place as a client has it, within the text that the document has now."""
    document = workspace.get_text_document(uri)
    lines = list(document.lines) or [""]
    start = _position(lines, place["line"], place["column"])
    end = _position(lines, place["end_line"], place["end_column"])
    if end.line == start.line and end.character <= start.character:
        end = types.Position(start.line, start.character + 1)
    return document.position_codec.range_to_client_units(lines, types.Range(start, end))


def line_range(workspace: Workspace, uri: str, line: int) -> types.Range:
    """The text of a line, counted from 1, without what it is indented by."""
    try:
        lines = list(workspace.get_text_document(uri).lines) or [""]
    except OSError:
        lines = [""]
    text = lines[min(max(line, 1), len(lines)) - 1]
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return types.Range(types.Position(max(line - 1, 0), start), types.Position(max(line - 1, 0), max(end, start)))


def _position(lines: list[str], line: int, column: int) -> types.Position:
    """A place of Python's syntax tree, whose columns count bytes, in characters."""
    at = min(max(line, 1), len(lines)) - 1
    return types.Position(at, len(lines[at].encode()[:column].decode(errors="ignore")))
