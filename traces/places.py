"""Where things stand in an author's files, as documents say it: the same on every machine."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from ..language.forms import ActionForm
from ..language.ir import Add, Append, For, If, Remove, Statement, Store, Truncate
from ..language.where import Where


def place_document(where: Where) -> dict[str, Any]:
    """A place as JSON has it: lines from 1, the file relative to its repository."""
    return lines_document(where.file, where.line, where.end_line)


def lines_document(file: str, first: int, last: int | None = None) -> dict[str, Any]:
    """The lines `first` to `last` of a file as JSON has them."""
    return {"file": path_in_repository(file), "line": first, "end_line": first if last is None else last}


@functools.lru_cache(maxsize=256)
def path_in_repository(file: str) -> str:
    """A file's path from the root of the repository that it is in; where it is in none, its name alone: what is saved
    is shared, and no folder of its author's machine is in it."""
    path = Path(file).resolve()
    for folder in path.parents:
        if (folder / ".git").exists():
            return path.relative_to(folder).as_posix()
    return path.name


def writing_statement(form: ActionForm, fields: Collection[str]) -> Where:
    """The last statement of an action that writes one of these fields; of a branch that has several, where the branch
    begins; the action itself where none does."""
    for statement in reversed(form.body):
        found = [write.where for write in _writing_statements(statement) if write.place.field in fields]
        if found:
            return found[0] if len(found) == 1 else statement.where
    return form.where


def _writing_statements(statement: Statement) -> Iterator[Store | Append | Truncate | Add | Remove]:
    match statement:
        case Store() | Append() | Truncate() | Add() | Remove():
            yield statement
        case If(yes=yes, no=no):
            for inner in (*yes, *no):
                yield from _writing_statements(inner)
        case For(body=body):
            for inner in body:
                yield from _writing_statements(inner)
        case _:
            pass
