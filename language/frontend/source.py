"""Finds the text of collected functions and classes. A file is parsed once, however many functions come from it."""

from __future__ import annotations

import ast
import functools
import os
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from types import FunctionType
from typing import Any, cast

from ..declare import ghosts_of
from ..where import Where

CAPACITY_ADVICE = "one type in [...], and how many there may be beside it: Annotated[Seq[Node], Capacity(3)]"
"""What to write in the place of `Seq[Node, 3]`."""

_WORD = re.compile(r"\w+")
NESTED_MAX = 150
"""So deep may syntax be nested, an operand of `and` and an `elif` counting one each. The deepest of the shipped models
has 24; what reads a model recurs, and takes several of Python's 1,000 calls for each level."""


class NestingError(SyntaxError):
    """A file with an expression, or statements, nested deeper than `NESTED_MAX`; `lineno` is where, or what is around
    it."""


def parse_file(text: str | bytes, path: str) -> ast.Module:
    """The syntax tree of a file. Raises SyntaxError where it is not Python, and NestedTooDeep."""
    try:
        tree = ast.parse(text, path)
    except (RecursionError, MemoryError):  # of a parser of Python's own that recurs, too
        raise NestingError("", (path, _unparsable_line(text), 1, "")) from None
    deep = _nested_too_deep(tree)
    if deep is not None:
        raise NestingError("", (path, deep.lineno, deep.col_offset + 1, ""))
    return tree


def _nested_too_deep(tree: ast.Module) -> ast.expr | ast.stmt | None:
    """The statement at the top of a file, or in a function there, that has something nested too deep."""
    if _depth_at_most(tree) <= NESTED_MAX:
        return None
    waiting: list[tuple[ast.AST, int, ast.expr | ast.stmt | None]] = [(tree, 0, None)]
    while waiting:
        node, depth, around = waiting.pop()
        if isinstance(node, (ast.expr, ast.stmt)) and (around is None or isinstance(around, ast.FunctionDef)):
            around = node
        if depth > NESTED_MAX:
            return around
        in_row = isinstance(node, (ast.BoolOp, ast.Compare))  # a and b and c is read as a and (b and c)
        waiting += [(child, depth + 1 + in_row * at, around) for at, child in enumerate(ast.iter_child_nodes(node))]
    return None


def _depth_at_most(tree: ast.Module) -> int:
    """A number that no depth in a file exceeds, found several times faster than the depths: how many levels of nodes
    there are, and for each of them the longest row in it."""
    level: list[ast.AST] = [tree]
    depth = 0
    while level:
        below, longest = list[ast.AST](), 0
        for node in level:
            before = len(below)
            for name in node._fields:
                part: Any = getattr(node, name, None)
                if isinstance(part, list):
                    below += [inner for inner in cast(list[Any], part) if isinstance(inner, ast.AST)]
                elif isinstance(part, ast.AST):
                    below.append(part)
            if isinstance(node, (ast.BoolOp, ast.Compare)):
                longest = max(longest, len(below) - before)
        level, depth = below, depth + 1 + longest
    return depth


def _unparsable_line(text: str | bytes) -> int:
    """Where the first statement at the top of a file begins that Python's parser does not take."""
    lines = (text if isinstance(text, str) else text.decode(errors="replace")).split("\n")
    begins = [at for at, line in enumerate(lines) if line[:1].strip() and line[:1] not in "#)]}"]
    for begin, end in pairwise([*begins, len(lines)]):
        try:
            ast.parse("\n".join(lines[begin:end]))
        except SyntaxError:  # a part of a statement
            continue
        except (RecursionError, MemoryError):
            return begin + 1
    return 1


class Source:
    """One parsed file: its lines, and its functions and classes by where they begin."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = text.split("\n")
        self.tree = parse_file(text, path)
        self.functions: dict[int, ast.FunctionDef] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        for node in _statements(self.tree):
            if isinstance(node, ast.FunctionDef):
                self.functions[first_code_line(node)] = node
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef):
                self.classes[node.name] = node

    def where(self, node: ast.AST, call: Where | None = None) -> Where:
        """The place of a node that has one, in a step helper with the call of it."""
        found: Any = node
        return Where(self.path, found.lineno, found.col_offset, found.end_lineno, found.end_col_offset, call)

    def text_of(self, node: ast.expr) -> str:
        """A node's text on one line: as the author wrote it, or written out again when it spans lines."""
        if node.lineno != node.end_lineno:
            return ast.unparse(node)
        line = self.lines[node.lineno - 1]
        if line.isascii():
            return line[node.col_offset : node.end_col_offset]
        return line.encode()[node.col_offset : node.end_col_offset].decode()

    def comment_of(self, node: ast.stmt) -> str:
        """The comment beside a statement, else the comment lines just above it; "" without either."""
        rest = self.lines[(node.end_lineno or node.lineno) - 1].encode()[node.end_col_offset :].decode().strip()
        if rest.startswith("#"):
            return rest.lstrip("# ").rstrip()
        above: list[str] = []
        index = node.lineno - 2
        while index >= 0 and self.lines[index].strip().startswith("#"):
            above.insert(0, self.lines[index].strip().lstrip("# "))
            index -= 1
        return " ".join(above)

    def assignments(self) -> dict[str, ast.stmt]:
        """The top-level statements that assign a name (those it imports or defines left out), by the name."""
        found: dict[str, ast.stmt] = {}
        for statement in self.tree.body:
            if isinstance(statement, (ast.Assign, ast.AnnAssign)):
                for node in ast.walk(statement):
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                        found.setdefault(node.id, statement)
        return found

    @functools.cached_property
    def statements_by_word(self) -> dict[str, list[ast.stmt]]:
        """The statements at the top level of the file, by each word of their text, decorators and comments included."""
        found: dict[str, list[ast.stmt]] = {}
        for statement in self.tree.body:
            decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
            first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
            for word in set(_WORD.findall("\n".join(self.lines[first - 1 : statement.end_lineno]))):
                found.setdefault(word, []).append(statement)
        return found

    def annotated_fields(self, node: ast.ClassDef) -> list[tuple[str, ast.AnnAssign]]:
        """The annotated fields of a class, in order."""
        fields = [statement for statement in node.body if isinstance(statement, ast.AnnAssign)]
        return [(field.target.id, field) for field in fields if isinstance(field.target, ast.Name)]


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Every statement of a file, those inside others too. Functions are among them, and most nodes are not."""
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            waiting.extend(getattr(node, name, ()))


def first_code_line(node: ast.FunctionDef) -> int:
    """The line where a function's code begins: its first decorator, as `co_firstlineno` counts."""
    return min([node.lineno, *(inner.lineno for inner in node.decorator_list)])


def read_source(path: str) -> Source:
    """The parsed file at `path`. Raises OSError when it cannot be read, SyntaxError when it is not Python, and
    NestedTooDeep."""
    status = os.stat(path)
    return _read_source(path, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=256)  # all shipped models have some 150 files
def _read_source(path: str, modification_time: int, size: int) -> Source:
    with open(path, encoding="utf-8") as file:
        return Source(path, file.read())


def source_of_function(function: FunctionType) -> tuple[Source, ast.FunctionDef] | None:
    """A function's file and its node in it; None when there is none (made by `exec`, or the file changed)."""
    try:
        source = read_source(function.__code__.co_filename)
    except (OSError, SyntaxError):
        return None
    node = source.functions.get(function.__code__.co_firstlineno)
    return None if node is None or node.name != function.__code__.co_name else (source, node)


def source_of_class(cls: type[Any]) -> tuple[Source, ast.ClassDef] | None:
    """A class's file and its node in it; None when there is no such text."""
    module = sys.modules.get(cls.__module__)
    path = getattr(module, "__file__", None)
    if path is None:
        return None
    try:
        source = read_source(path)
    except (OSError, SyntaxError):
        return None
    node = source.classes.get(cls.__name__)
    return None if node is None else (source, node)


def fields_of_state(cls: type[Any]) -> Iterator[tuple[type[Any], Source, str, ast.AnnAssign]]:
    """The fields of a `@state` class, each with the class that declares it and that one's file: its own, and then those
    of its classes of ghosts."""
    for declaring in (cls, *ghosts_of(cls)):
        located = source_of_class(declaring)
        assert located is not None, "the collector found the text of these classes"
        source, node = located
        yield from ((declaring, source, name, annotated) for name, annotated in source.annotated_fields(node))


def globals_of_class(cls: type[Any]) -> dict[str, Any]:
    """The module namespace that a class was defined in."""
    return vars(sys.modules[cls.__module__])


def argument_place(function: FunctionType, value: object) -> Where:
    """Where an action's decorator gives a value: its kind, its budget."""
    located = source_of_function(function)
    code = function.__code__
    if located is None:
        return Where(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)
    source, node = located
    for decorator in node.decorator_list:
        for part in ast.walk(decorator):
            if isinstance(part, ast.Constant) and isinstance(value, str) and part.value == value:
                return source.where(part)
    return source.where(node.decorator_list[0])
