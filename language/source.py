"""The author's own text behind a function: its syntax tree and the words of an expression, for explanations."""

from __future__ import annotations

import ast
import functools
import linecache
import os
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any, cast


@dataclass(frozen=True, slots=True)
class Text:
    """A file's text and its syntax tree."""

    source: str
    tree: ast.Module


class NoSource(Exception):
    """The text of a function cannot be read, so nothing can be explained from it."""


def text_of(file: str) -> Text:
    """The text of a file as it is now. NoSource when it cannot be read or parsed."""
    try:
        stat = os.stat(file)
    except OSError as error:
        raise NoSource(f"{file}: {error.strerror}") from error
    return _parsed(file, stat.st_mtime_ns, stat.st_size)


@functools.lru_cache(maxsize=64)
def _parsed(file: str, _modified: int, _size: int) -> Text:
    linecache.checkcache(file)
    source = "".join(linecache.getlines(file))
    try:
        return Text(source, ast.parse(source, file))
    except SyntaxError as error:
        raise NoSource(f"{file}: {error.msg}") from error


def function_node(function: Callable[..., Any]) -> ast.FunctionDef:
    """The definition of a function, as the author wrote it. NoSource when its file does not hold it any more."""
    code = cast(FunctionType, function).__code__
    for node in ast.walk(text_of(code.co_filename).tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name and _first_line(node) == code.co_firstlineno:
            return node
    raise NoSource(f"{code.co_filename} has no function {code.co_name} at line {code.co_firstlineno}")


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def words(file: str, node: ast.AST) -> str:
    """The text of an expression on one line, as the author wrote it."""
    written = ast.get_source_segment(text_of(file).source, node)
    if written is None or "\n" in written:
        return ast.unparse(node)
    return written
