"""The states of a trace document, whole: its keyframes with the changes between them applied."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from ..document import Document


def document_states(document: Document) -> Iterator[tuple[int, Document]]:
    """Every state that the document holds, with its index; those that a long run leaves out are not there.

    The elements of sets and bags are in one order, whatever order they came in.
    """
    kinds = {field["name"]: field["type"] for field in document["fields"]}
    rows = {int(key): row for key, row in document["states"].items() if key.isdecimal()}
    every = document["states"]["keyframe_every"]
    state: Document = {}
    previous = -2
    for at in sorted(rows):
        whole = at % every == 0 or at != previous + 1
        state = rows[at] if whole else apply_delta(state, rows[at])
        previous = at
        yield at, {name: sort_elements(kinds[name], value) for name, value in state.items()}


def apply_delta(state: Document, delta: Document) -> Document:
    """The state after changes as rows by sign: replacements, then what went, then what came."""
    changed = copy.deepcopy(state)
    for *path, _, new in delta.get("~", []):
        _value_at(changed, path[:-1])[path[-1]] = copy.deepcopy(new)
    for *path, gone in reversed(delta.get("-", [])):
        if isinstance(path[-1], int):
            _value_at(changed, path[:-1]).pop(path[-1])
        else:
            _value_at(changed, path).remove(gone)
    for *path, come in delta.get("+", []):
        _value_at(changed, path[:-1] if isinstance(path[-1], int) else path).append(copy.deepcopy(come))
    return changed


def _value_at(value: Any, path: list[Any]) -> Any:
    for part in path:
        value = value[part]
    return value


def sort_elements(type_: Document, value: Any) -> Any:
    """A value with the elements of every set and bag inside it sorted."""
    match type_["kind"]:
        case "set" | "bag":
            return sorted((sort_elements(type_["of"], element) for element in value), key=_element_sort_key)
        case "seq":
            return [sort_elements(type_["of"], element) for element in value]
        case "map":
            return {key: sort_elements(type_["value"], held) for key, held in value.items()}
        case "record":
            return {name: sort_elements(type_["fields"][name], held) for name, held in value.items()}
        case "union":
            return {"@": value["@"], **sort_elements(union_member_type(type_, value["@"]), drop_record_name(value))}
        case "tuple":
            return [sort_elements(of, part) for of, part in zip(type_["of"], value, strict=True)]
        case "option" if value is not None:
            return sort_elements(type_["of"], value)
        case _:
            return value


def union_member_type(union: Document, name: str) -> Document:
    """The type of a union's record."""
    return next(member for member in union["of"] if member["name"] == name)


def drop_record_name(record: Document) -> Document:
    """A record of a union without the name that says which it is."""
    return {name: held for name, held in record.items() if name != "@"}


def _element_sort_key(value: Any) -> Any:
    """Numbers by size, labels by length and then by letters, everything else by its text."""
    if isinstance(value, int):
        return (0, value, "")
    text: str = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return (1, len(text) if isinstance(value, str) else 0, text)
