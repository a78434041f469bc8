"""What is wrong with a model's text, and what its parts mean: one JSON document for an editor."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NotRequired, TypedDict

from ..language.binding import Definition, load
from ..language.constants import ConstantExpression
from ..language.errors import CODES, Diagnostic, ModelErrors, UsageError
from ..language.frontend.source import read_source, source_of_class, source_of_function
from ..language.model import Model
from ..language.model_parts import PROPERTIES
from ..language.where import Where
from ..reports.spec.mathematics import fields_by_name, texts_by_name
from .files import Overlay, overlay_unsaved_texts


class FilePlace(TypedDict):
    """A place in a file: lines from 1, columns from 0 in bytes of the line in UTF-8, as Python's `ast` counts."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


class Mistake(TypedDict):
    """One mistake: its code, what the code means, the cause, what to write instead ("" without any), and the calls
    that lead to its place in a step helper."""

    code: str
    meaning: str
    message: str
    hint: str
    place: FilePlace
    calls: list[FilePlace]


class Checkable(TypedDict):
    """What a check can be asked for: the whole model where both are "", as a profile has it, or a property; and where
    that stands."""

    profile: str
    property: str
    place: FilePlace


class ModelReading(TypedDict):
    """What was read: the mistakes; and where there are none in what it takes, formulas of functions and meanings of
    fields by name as Markdown, the name of the state's class, and what can be checked."""

    mistakes: list[Mistake]
    files: list[str]
    functions: NotRequired[Mapping[str, str]]
    fields: NotRequired[Mapping[str, str]]
    state: NotRequired[str]
    checkable: NotRequired[list[Checkable]]


def read_model(path: Path, unsaved_texts: Mapping[Path, str]) -> ModelReading:
    """Reads a model as an editor has it. UsageError where its file cannot be read at all."""
    with overlay_unsaved_texts(path, unsaved_texts) as overlay:
        try:
            definition = load(overlay.read(path))
        except ModelErrors as errors:
            return {"mistakes": _mistakes(errors, overlay), "files": [str(path)]}
        files = [str(overlay.saved_path(Path(file))) for file in definition.files]
        found: ModelReading = {"mistakes": [], "files": files, "checkable": list(_checkable_parts(definition, overlay))}
        try:
            bound = definition.bind(path.stem, lemmas=True)
        except ModelErrors as errors:
            return {**found, "mistakes": _mistakes(errors, overlay)}
        shown = _open_model(definition, bound)
        found.update(functions=texts_by_name(shown), fields=fields_by_name(shown), state=bound.state_name)
        return found


def _open_model(definition: Definition, bound_model: Model) -> Model:
    """The model with its constants open, as `tidegate spec` shows it; as it is bound where they cannot be."""
    given = [value for _, mark in definition.functions for _, value in mark.constant_values]
    fixed = {name for value in given if isinstance(value, ConstantExpression) for name in value.names()}
    try:
        return definition.bind(bound_model.name, open=set(definition.constants) - fixed, lemmas=True)
    except (ModelErrors, UsageError):
        return bound_model


def _mistakes(errors: ModelErrors, overlay: Overlay) -> list[Mistake]:
    return [_mistake(error, overlay) for error in errors.errors]


def _mistake(error: Diagnostic, overlay: Overlay) -> Mistake:
    return {
        "code": error.code,
        "meaning": CODES[error.code],
        "message": error.message,
        "hint": error.hint,
        "place": _place(error.where, overlay),
        "calls": [_place(call, overlay) for call in _calling_places(error.where)],
    }


def _calling_places(where: Where) -> Iterator[Where]:
    call = where.call
    while call is not None:
        yield call
        call = call.call


def _place(where: Where, overlay: Overlay) -> FilePlace:
    return {
        "file": str(overlay.saved_path(Path(where.file))),
        "line": where.line,
        "column": where.column,
        "end_line": where.end_line,
        "end_column": where.end_column,
    }


def _checkable_parts(definition: Definition, overlay: Overlay) -> Iterator[Checkable]:
    """The model at its state, its profiles where they are named, and each property at its head."""
    located = source_of_class(definition.state_class)
    if located is not None:
        source, node = located
        yield {"profile": "", "property": "", "place": _place(_first_line_of_definition(source.where(node)), overlay)}
    for name, where in _profile_places(definition):
        yield {"profile": name, "property": "", "place": _place(where, overlay)}
    for function, mark in definition.functions:
        found = source_of_function(function) if mark.role in PROPERTIES else None
        if found is not None:
            source, node = found
            place = _place(_first_line_of_definition(source.where(node)), overlay)
            yield {"profile": "", "property": function.__name__, "place": place}


def _first_line_of_definition(where: Where) -> Where:
    """The first line of a definition."""
    return Where(where.file, where.line, where.column, where.line, where.column)


def _profile_places(definition: Definition) -> Iterator[tuple[str, Where]]:
    """Where profiles are named, in a dict of that name in the model's file."""
    source = read_source(str(definition.module.__file__))
    table = getattr(source.assignments().get("profiles"), "value", None)
    for key in table.keys if isinstance(table, ast.Dict) else ():
        if isinstance(key, ast.Constant) and key.value in definition.profiles:
            yield str(key.value), source.where(key)
