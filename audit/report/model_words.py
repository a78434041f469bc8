"""The model's fields, structs and records in the words of whoever runs the cluster."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...model.partition import words as WORDS

_CELL = re.compile(r"(\w[\w.]*(?:\[[^\]]*\][\w.]*)*): (.*)", re.DOTALL)
_KEY = re.compile(r"\[([^\]]*)\]")
_STRUCT = re.compile(r"\b([A-Z]\w+)\(([^()]*)\)")
_ENTRY = re.compile(r"\bRecord\(id=(\d+), epoch=\d+\)")
_RECORD = re.compile(r"(?<![\w.-])(\d+)([a-e])(?![\w])")


def change_in_words(change: str) -> str:
    """A change in words: `running brokers: + broker 1` of `up: + broker 1`."""
    found = _CELL.fullmatch(change)
    if found is None:
        return value_in_words(change)
    return f"{cell_in_words(found[1])}: {value_in_words(found[2])}"


def cell_in_words(cell: str) -> str:
    """A cell in words: `broker 2's log` of `log[broker 2]`."""
    keys = _KEY.findall(cell)
    name = WORDS.get(_KEY.sub("[]", cell))
    if name is not None:
        return name.format(*keys)
    field, *rest = _KEY.sub("", cell).split(".")
    text = " ".join([*(field.replace("_", " ") for field in (WORDS.get(field, field), *rest))])
    return text + (f" of {' and '.join(keys)}" if keys else "")


def value_in_words(text: str) -> str:
    """A value in words: a record by its number, another struct by what it is, an enum by its word."""

    def struct(found: re.Match[str]) -> str:
        parts = [part.partition("=") for part in found[2].split(", ")]
        words = {name: WORDS.get(value, value) for name, _, value in parts}
        template = WORDS.get(found[1])
        return found[0] if template is None else template.format(**words)

    named = _ENTRY.sub(r"record \1", text)
    return _STRUCT.sub(struct, named).replace("true", "yes").replace("false", "no")


def rename_records(trace: Mapping[str, Any]) -> dict[str, Any]:
    """A trace in which a record has one name everywhere: `record 0`, and where several epochs have one of that number,
    `record 0 of epoch 1`. In a cell of a log, which has its epoch in a corner, it is the number."""
    doubled = records_of_several_epochs([step["changed"] for step in trace["steps"]])
    made: dict[str, Any] = {**trace}
    made["steps"] = [{**step, "changed": name_records(step["changed"], doubled)} for step in trace["steps"]]
    if "lost" in trace:
        made["lost"] = [{**one, "text": _record_number(one["text"])} for one in trace["lost"]]
    made["frames"] = {at: frame_in_words(frame) for at, frame in trace["frames"].items()}
    return made


def records_of_several_epochs(changes: Any) -> frozenset[str]:
    """The letters of records of which changes name one of several epochs."""
    drawn = set(_RECORD.findall(str(changes)))
    return frozenset(letter for _, letter in drawn if sum(other == letter for _, other in drawn) > 1)


def name_records(changes: list[str], records_named_twice: frozenset[str]) -> list[str]:
    """Changes with the records' names: those that are `records_named_twice` with their epoch."""

    def name(found: re.Match[str]) -> str:
        number = ord(found[2]) - ord("a")
        return f"record {number}" + (f" of epoch {found[1]}" if found[2] in records_named_twice else "")

    return [_RECORD.sub(name, text) for text in changes]


def frame_in_words(frame: Mapping[str, Any]) -> dict[str, Any]:
    """What is drawn of a state with its records' numbers, and in words which they are."""
    lanes = {name: {**lane, "cells": [_log_cell_in_words(cell) for cell in lane["cells"]]} for name, lane in
             frame["lanes"].items()}  # fmt: skip
    marks = {
        name: {
            **mark,
            **{which: [_log_cell_in_words(cell) for cell in mark[which]] for which in ("removed", "replaced")},
        }
        for name, mark in frame["marks"].items()
    }
    return {**frame, "lanes": lanes, "marks": marks}


def _record_number(text: str) -> str:
    found = _RECORD.fullmatch(text)
    return text if found is None else str(ord(found[2]) - ord("a"))


def _log_cell_in_words(cell: Mapping[str, Any]) -> dict[str, Any]:
    """A cell of a log: the record's number, and in words which it is."""
    found = _RECORD.fullmatch(cell["text"])
    if found is None:
        return dict(cell)
    number = ord(found[2]) - ord("a")
    says = f"record {number}, written in epoch {found[1]}, at offset {cell['offset']}"
    return {**cell, "text": f"{found[1]}{number}", "says": says}
