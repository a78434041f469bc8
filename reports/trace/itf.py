"""A trace as ITF JSON, the Informal Trace Format of Apalache's ADR 015, which Quint and drivers of model-based tests
read; and back.

| type | ITF | `varTypes` |
|---|---|---|
| integer | `{"#bigint": "1"}` | `Int` |
| truth value | `true` | `Bool` |
| member of a domain or of an enum | `"A"` | `Str` |
| option | `{"tag": "Some", "value": v}`, `{"tag": "None", "value": {"#tup": []}}` | `Some(T) \\| None(UNIT)` |
| record | `{"name": v}` | `{ name: T }` |
| map | `{"#map": [[k, v]]}` | `K -> V` |
| sequence | `[v]` | `Seq(T)` |
| set | `{"#set": [v]}` | `Set(T)` |
| bag | `{"#map": [[v, how many]]}` | `T -> Int` |

`mbt::actionTaken` and `mbt::nondetPicks` hold the step that led to a state, as Quint's drivers expect them: of an
action that has no such parameter the pick is `None`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from ..document import Document, first_state_text
from .states import document_states, drop_record_name, sort_elements, union_member_type

ACTION = "mbt::actionTaken"
PICKS = "mbt::nondetPicks"

_NONE: Document = {"tag": "None", "value": {"#tup": []}}


def to_itf(document: Document) -> Document:
    """The ITF object of a trace document."""
    types = {field["name"]: field["type"] for field in document["fields"]}
    picks = _pick_types(document)
    var_types = {name: apalache_type_text(type_) for name, type_ in types.items()}
    pick_type = "{ " + ", ".join(f"{name}: {_option_text(text)}" for name, text in picks.items()) + " }"
    itf: Document = {
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": document["model"],
            "description": f"{_document_title(document)}; {document['replay']}",
            "varTypes": {**var_types, ACTION: "Str", PICKS: pick_type},
            "tidegate": {"schema": document["schema"], "fields": document["fields"], "replay": document["replay"]},
        },
        "vars": [*types, ACTION, PICKS],
        "states": [_itf_state(document, at, state, types, picks) for at, state in document_states(document)],
    }
    return itf if document["loop"] is None else {**itf, "loop": document["loop"]}


def from_itf(itf: Document) -> list[Document]:
    """The states of an ITF object that `to_itf` made, as the trace document has them. KeyError for another's."""
    types = {field["name"]: field["type"] for field in itf["#meta"]["tidegate"]["fields"]}
    return [{name: value_from_itf(type_, state[name]) for name, type_ in types.items()} for state in itf["states"]]


def _document_title(document: Document) -> str:
    return document.get("title") or document["model"]


def _itf_state(
    document: Document, state_number: int, state: Document, types: Mapping[str, Document], picks: Mapping[str, str]
) -> Document:
    step = document["steps"][_step_place(document, state_number)] if state_number else None
    args: Mapping[str, Any] = {} if step is None else step["args"]
    return {
        "#meta": {
            "index": state_number,
            "action": None if step is None else step["action"],
            "args": dict(args),
            "sentence": f"{first_state_text(document).capitalize()}." if step is None else step["sentence"],
        },
        **{name: value_to_itf(type_, state[name]) for name, type_ in types.items()},
        ACTION: "init" if step is None else step["action"],
        PICKS: {name: some_value(argument_to_itf(args[name])) if name in args else _NONE for name in picks},
    }


def _step_place(document: Document, state_number: int) -> int:
    """Where the step that leads to a state stands among those that the document has. KeyError where none does."""
    return {step["i"]: place for place, step in enumerate(document["steps"])}[state_number]


# --- values by their types --------------------------------------------------------------------------------------------


def value_to_itf(type_: Document, value: Any) -> Any:
    """A value of the trace document in ITF's form."""
    match type_["kind"]:
        case "int":
            return _itf_integer(value)
        case "option":
            return _NONE if value is None else some_value(value_to_itf(type_["of"], value))
        case "record":
            return {name: value_to_itf(of, value[name]) for name, of in type_["fields"].items()}
        case "union":
            return {
                "tag": value["@"],
                "value": value_to_itf(union_member_type(type_, value["@"]), drop_record_name(value)),
            }
        case "tuple":
            return {"#tup": [value_to_itf(of, part) for of, part in zip(type_["of"], value, strict=True)]}
        case "map":
            pairs = ((_key_from_text(type_["key"], key), held) for key, held in value.items())
            return {
                "#map": [[value_to_itf(type_["key"], key), value_to_itf(type_["value"], held)] for key, held in pairs]
            }
        case "seq":
            return [value_to_itf(type_["of"], element) for element in value]
        case "set":
            return {"#set": [value_to_itf(type_["of"], element) for element in value]}
        case "bag":
            return {
                "#map": [
                    [value_to_itf(type_["of"], element), _itf_integer(number)]
                    for element, number in _count_elements(value)
                ]
            }
        case _:
            return value


def value_from_itf(type_: Document, value: Any) -> Any:
    """A value of the trace document from ITF's form."""
    match type_["kind"]:
        case "int":
            return int(value["#bigint"])
        case "option":
            return None if value["tag"] == "None" else value_from_itf(type_["of"], value["value"])
        case "record":
            return {name: value_from_itf(of, value[name]) for name, of in type_["fields"].items()}
        case "union":
            return {"@": value["tag"], **value_from_itf(union_member_type(type_, value["tag"]), value["value"])}
        case "tuple":
            return [value_from_itf(of, part) for of, part in zip(type_["of"], value["#tup"], strict=True)]
        case "map":
            pairs = ((value_from_itf(type_["key"], key), held) for key, held in value["#map"])
            return {_key_text(key): value_from_itf(type_["value"], held) for key, held in pairs}
        case "seq":
            return [value_from_itf(type_["of"], element) for element in value]
        case "set":
            return sort_elements(type_, [value_from_itf(type_["of"], element) for element in value["#set"]])
        case "bag":
            copies = (
                value_from_itf(type_["of"], element)
                for element, number in value["#map"]
                for _ in range(int(number["#bigint"]))
            )
            return sort_elements(type_, list(copies))
        case _:
            return value


def some_value(value: Any) -> Document:
    """An option that has a value."""
    return {"tag": "Some", "value": value}


def _itf_integer(value: int) -> Document:
    return {"#bigint": str(value)}


def _key_from_text(type_: Document, key: str) -> Any:
    """A key as a value: JSON has texts for keys."""
    match type_["kind"]:
        case "int":
            return int(key)
        case "bool":
            return key == "true"
        case _:
            return key


def _key_text(key: Any) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)


def _count_elements(elements: list[Any]) -> Iterator[tuple[Any, int]]:
    """Each element once, with how often it is there."""
    counts: dict[str, tuple[Any, int]] = {}
    for element in elements:
        name = json.dumps(element, sort_keys=True)
        counts[name] = (element, counts.get(name, (element, 0))[1] + 1)
    yield from counts.values()


# --- types in Apalache's notation -------------------------------------------------------------------------------------


def apalache_type_text(type_: Document) -> str:
    """A type as Apalache writes it: `Str -> Seq({ id: Int, epoch: Int })`."""
    match type_["kind"]:
        case "int":
            return "Int"
        case "bool":
            return "Bool"
        case "option":
            return _option_text(apalache_type_text(type_["of"]))
        case "record":
            return "{ " + ", ".join(f"{name}: {apalache_type_text(of)}" for name, of in type_["fields"].items()) + " }"
        case "union":
            return " | ".join(f"{member['name']}({apalache_type_text(member)})" for member in type_["of"])
        case "tuple":
            return "<<" + ", ".join(map(apalache_type_text, type_["of"])) + ">>"
        case "map":
            return f"({apalache_type_text(type_['key'])} -> {apalache_type_text(type_['value'])})"
        case "seq":
            return f"Seq({apalache_type_text(type_['of'])})"
        case "set":
            return f"Set({apalache_type_text(type_['of'])})"
        case "bag":
            return f"({apalache_type_text(type_['of'])} -> Int)"
        case _:
            return "Str"


def _option_text(of: str) -> str:
    return f"(Some({of}) | None(UNIT))"


# --- the arguments of steps -------------------------------------------------------------------------------------------


def _pick_types(document: Document) -> Mapping[str, str]:
    """Every parameter that a step of the trace has, with its type: the document has values only, which imply them."""
    found: dict[str, str] = {}
    for step in document["steps"]:
        for name, value in step["args"].items():
            text = _argument_type(value)
            found[name] = text if len(text) > len(found.get(name, "")) else found[name]
    return found


def argument_to_itf(value: Any) -> Any:
    """An argument in ITF's form, by what it is: a list is a set, since parameters are never sequences."""
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return _itf_integer(value)
    if value is None:
        return _NONE
    if isinstance(value, list):
        return {"#set": [argument_to_itf(element) for element in cast("list[Any]", value)]}
    return {name: argument_to_itf(held) for name, held in value.items()}


def _argument_type(value: Any) -> str:
    if isinstance(value, bool):
        return "Bool"
    if isinstance(value, int):
        return "Int"
    if isinstance(value, str):
        return "Str"
    if value is None:
        return _option_text("Str")
    if isinstance(value, list):
        elements = cast("list[Any]", value)
        return f"Set({_argument_type(elements[0]) if elements else 'Str'})"
    return "{ " + ", ".join(f"{name}: {_argument_type(held)}" for name, held in value.items()) + " }"
