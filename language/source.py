"""The author's own text behind a function: its syntax tree and the words of an expression, for explanations."""

from __future__ import annotations

import ast
import functools
import linecache
import os
from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

from .frontend.source import read_source
from .immutable import immutable
from .where import Where


@immutable
class FileText:
    """A file's lines, and the definitions of functions in it by name and first line, which is its first decorator's."""

    lines: list[str]
    functions: dict[tuple[str, int], ast.FunctionDef]


class NoSourceError(Exception):
    """The text of a function cannot be read, so nothing can be explained from it."""


def file_text(file: str) -> FileText:
    """The text of a file as it is now. NoSourceError when it cannot be read or parsed."""
    try:
        stat = os.stat(file)
    except OSError as error:
        raise NoSourceError(f"{file}: {error.strerror}") from error
    return _parse_file(file, stat.st_mtime_ns, stat.st_size)


@functools.lru_cache(maxsize=64)
def _parse_file(file: str, modification_time: int, _size: int) -> FileText:
    linecache.checkcache(file)
    try:
        source = read_source(file)  # which elaboration has parsed already
    except SyntaxError as error:
        raise NoSourceError(f"{file}: {error.msg}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise NoSourceError(f"{file}: {error}") from error
    lines = [f"{line}\n" for line in source.lines]
    return FileText(lines, {(function.name, first): function for first, function in source.functions.items()})


def function_node(function: Callable[..., Any]) -> ast.FunctionDef:
    """The definition of a function, as the author wrote it. NoSourceError when its file does not hold it any more."""
    code = cast(FunctionType, function).__code__
    node = file_text(code.co_filename).functions.get((code.co_name, code.co_firstlineno))
    if node is None:
        raise NoSourceError(f"{code.co_filename} has no function {code.co_name} at line {code.co_firstlineno}")
    return node


def words(file: str, node: ast.expr) -> str:
    """The text of an expression on one line, as the author wrote it."""
    if node.end_lineno != node.lineno:
        return ast.unparse(node)
    return file_text(file).lines[node.lineno - 1].encode()[node.col_offset : node.end_col_offset].decode()


def text_at(where: Where) -> str:
    """The text at a place, as the author wrote it; on one line, even where the author took several. NoSourceError when
    the file cannot be read any more."""
    lines = [line.encode() for line in file_text(where.file).lines[where.line - 1 : where.end_line]]
    if len(lines) == 1:
        return lines[0][where.column : where.end_column].decode()
    lines[-1] = lines[-1][: where.end_column]
    lines[0] = lines[0][where.column :]
    return ast.unparse(ast.parse(f"({b''.join(lines).decode()})", mode="eval").body)
