"""The states of a trace document, whole: its keyframes with the changes between them applied."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from ..document import Document


def states(document: Document) -> Iterator[tuple[int, Document]]:
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
        state = rows[at] if whole else applied(state, rows[at])
        previous = at
        yield at, {name: in_order(kinds[name], value) for name, value in state.items()}


def applied(state: Document, delta: Document) -> Document:
    """The state after changes as rows by sign: replacements, then what went, then what came."""
    changed = copy.deepcopy(state)
    for *path, _, new in delta.get("~", []):
        _inside(changed, path[:-1])[path[-1]] = copy.deepcopy(new)
    for *path, gone in reversed(delta.get("-", [])):
        if isinstance(path[-1], int):
            _inside(changed, path[:-1]).pop(path[-1])
        else:
            _inside(changed, path).remove(gone)
    for *path, come in delta.get("+", []):
        _inside(changed, path[:-1] if isinstance(path[-1], int) else path).append(copy.deepcopy(come))
    return changed


def _inside(value: Any, path: list[Any]) -> Any:
    for part in path:
        value = value[part]
    return value


def in_order(type_: Document, value: Any) -> Any:
    """A value with the elements of every set and bag inside it sorted."""
    match type_["kind"]:
        case "set" | "bag":
            return sorted((in_order(type_["of"], element) for element in value), key=_sort_key)
        case "seq":
            return [in_order(type_["of"], element) for element in value]
        case "map":
            return {key: in_order(type_["value"], held) for key, held in value.items()}
        case "record":
            return {name: in_order(type_["fields"][name], held) for name, held in value.items()}
        case "union":
            return {"@": value["@"], **in_order(member_of(type_, value["@"]), unnamed(value))}
        case "tuple":
            return [in_order(of, part) for of, part in zip(type_["of"], value, strict=True)]
        case "option" if value is not None:
            return in_order(type_["of"], value)
        case _:
            return value


def member_of(union: Document, name: str) -> Document:
    """The type of a union's record."""
    return next(member for member in union["of"] if member["name"] == name)


def unnamed(record: Document) -> Document:
    """A record of a union without the name that says which it is."""
    return {name: held for name, held in record.items() if name != "@"}


def _sort_key(value: Any) -> Any:
    """Numbers by size, labels by length and then by letters, everything else by its text."""
    if isinstance(value, int):
        return (0, value, "")
    text: str = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return (1, len(text) if isinstance(value, str) else 0, text)
