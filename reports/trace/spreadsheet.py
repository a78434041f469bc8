"""A trace as CSV, for spreadsheets: a row for each state, a column for each cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from ..document import Document
from .states import document_states
from .terminal import value_text


def to_csv(document: Document) -> str:
    """The table: the state's number, the step that led to it, every cell, and the truth of every property."""
    types = {field["name"]: field["type"] for field in document["fields"]}
    steps = {step["i"]: step for step in document["steps"]}
    rows = [_state_row(document, steps.get(at), at, state, types) for at, state in document_states(document)]
    text = io.StringIO()
    table = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue()


def _state_row(
    document: Document,
    step: Mapping[str, Any] | None,
    state_number: int,
    state: Document,
    types: Mapping[str, Document],
) -> dict[str, str]:
    led = {"step": "", "sentence": ""} if step is None else {"step": step["step"], "sentence": step["sentence"]}
    cells = {name: text for field, type_ in types.items() for name, text in _value_cells(field, type_, state[field])}
    truth = {name: {"1": "holds", "0": "fails", "-": ""}[row[state_number]] for name, row in document["truth"].items()}
    return {"state": str(state_number), **led, **cells, **truth}


def _value_cells(name: str, type_: Document, value: Any) -> Iterator[tuple[str, str]]:
    """The cells of a value: maps and records are divided, everything else is one."""
    match type_["kind"]:
        case "map":
            for key, held in value.items():
                yield from _value_cells(f"{name}[{key}]", type_["value"], held)
        case "record":
            for part, of in type_["fields"].items():
                yield from _value_cells(f"{name}.{part}", of, value[part])
        case "set" | "bag":
            yield name, "{" + ", ".join(value_text(element) for element in value) + "}"
        case _:
            yield name, value_text(value)
