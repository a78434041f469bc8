"""States as Arrow tables: the type of each column, and a table of very many states, decoded column by column.

A value becomes what Arrow has for its type: numbers, truth values, text for members of domains and enumerations, `null`
for None, structs for records, tuples and maps (a field for each key), JSON for records of a union, lists for sequences,
sets and bags.

A state is a few words, and most parts of it have few values. So of each part the distinct codes are decoded, once each,
as `layout` decodes them, and put in their places by number: a million states are seconds, not minutes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow

from ..language import types
from ..language.checks import members_of
from ..language.constants import Value
from ..language.records import is_box, is_tuple, unbox_type
from ..language.values import value_text
from ..traces.differences import to_json
from .native.layout import Array, Layout, Leaf, Shape, Struct, code_of, decode_value, word_count

pa: Any = pyarrow  # whose stubs leave much out
Words = npt.NDArray[np.uint64]
"""A row a state, a column a word."""


def arrow_type(type_: types.Type, values: Mapping[str, Value]) -> Any:
    """The column type of a model's type, `values` being the constants'."""
    match type_:
        case types.Int():
            return pa.int64()
        case types.Bool():
            return pa.bool_()
        case types.Option(of=of):
            return arrow_type(of, values)
        case types.Record() if is_box(type_):
            return arrow_type(unbox_type(type_), values)
        case types.Record(variants=variants) if variants:
            return pa.string()
        case types.Record(fields=fields):
            return pa.struct([(name, arrow_type(field_type, values)) for name, field_type in fields])
        case types.Map(key=key, value=of):
            return pa.struct([(value_text(member), arrow_type(of, values)) for member in members_of(key, values)])
        case types.Seq(of=of) | types.Subset(of=of) | types.Pool(of=of):
            return pa.list_(arrow_type(of, values))
        case _:
            return pa.string()


def column_value(type_: types.Type, value: Any) -> Any:
    """A value of JSON as its column has it: the parts of a tuple by their numbers, a record of a union as text."""
    match type_:
        case types.Option(of=of):
            return None if value is None else column_value(of, value)
        case types.Record() if is_box(type_):
            return column_value(unbox_type(type_), value)
        case types.Record(variants=variants) if variants:
            return json.dumps(value, ensure_ascii=False)
        case types.Record(fields=fields):
            parts = value if is_tuple(type_) else [value[name] for name, _ in fields]
            return {name: column_value(of, part) for (name, of), part in zip(fields, parts, strict=True)}
        case types.Map(value=of):
            return {key: column_value(of, held) for key, held in value.items()}
        case types.Seq(of=of) | types.Subset(of=of) | types.Pool(of=of):
            return [column_value(of, element) for element in value]
        case _:
            return value


def states_table(layout: Layout, words: Words) -> Any:
    """The states that lie in `words`, a row each, a column for each field, `state` being the row's number."""
    columns = state_columns(layout, words)
    number = "state" if "state" not in columns else "state_"
    return pa.table({number: pa.array(np.arange(len(words), dtype=np.int64)), **columns})


def state_columns(layout: Layout, words: Words) -> dict[str, Any]:
    """The column of each field of the states that lie in `words`."""
    return {field.name: _column(words, *layout.field(field.name), layout.values) for field in layout.fields}


def _column(words: Words, type_: types.Type, shape: Shape, word: int, shift: int, values: Mapping[str, Value]) -> Any:
    """The part of each state that lies at a place. Maps and records are taken apart: their parts have few values."""
    match type_, shape:
        case types.Map(key=key, value=of), Array():
            members = list(members_of(key, values))
            places = [shape.place_of_element(code_of(key, member)) for member in members]
            parts = [_column(words, of, shape.element, word + at, shift + bit, values) for at, bit in places]
            return _struct_column(
                [value_text(member) for member in members], parts, arrow_type(type_, values), len(words)
            )
        case types.Record(fields=fields, variants=variants), Struct() if not variants and not is_box(type_):
            inside = zip(fields, shape.parts, shape.places, strict=True)
            parts = [_column(words, of, part, word + at[0], shift + at[1], values) for (_, of), part, at in inside]
            return _struct_column([name for name, _ in fields], parts, arrow_type(type_, values), len(words))
        case _:
            return _column_of_distinct_codes(words, type_, shape, word, shift, values)


def _struct_column(names: list[str], parts: list[Any], type_: Any, count: int) -> Any:
    if not parts:
        return pa.array([{}] * count, type=type_)
    return pa.StructArray.from_arrays(parts, names=names)


def _column_of_distinct_codes(
    words: Words, type_: types.Type, shape: Shape, word: int, shift: int, values: Mapping[str, Value]
) -> Any:
    """Each distinct code of the part is decoded once."""
    mask = [0] * max(1, word_count(shape), 1 + (shift + shape.bits - 1) // 64)
    _mark_bits_of_part(mask, shape, 0, shift)
    part = np.ascontiguousarray(words[:, word : word + len(mask)] & np.array(mask, dtype=np.uint64))
    if len(mask) == 1:
        codes, first, at = np.unique(part[:, 0], return_index=True, return_inverse=True)
    else:
        rows = part.view([("", np.uint64)] * len(mask))[:, 0]
        codes, first, at = np.unique(rows, return_index=True, return_inverse=True)
    del codes
    decoded = [
        column_value(
            type_, to_json(decode_value([int(setting) for setting in part[row]], type_, shape, 0, shift, values), type_)
        )
        for row in first
    ]
    return pa.array(decoded, type=arrow_type(type_, values)).take(pa.array(at))


def _mark_bits_of_part(mask: list[int], shape: Shape, word: int, shift: int) -> None:
    """Sets the bits in which a part lies: its neighbours may live in its words' gaps."""
    match shape:
        case Leaf(bits=bits):
            mask[word] |= (1 << bits) - 1 << shift
        case Struct(parts=parts, places=places):
            for part, (at, bit) in zip(parts, places, strict=True):
                _mark_bits_of_part(mask, part, word + at, shift + bit)
        case Array(element=element, count=count):
            for at, bit in map(shape.place_of_element, range(count)):
                _mark_bits_of_part(mask, element, word + at, shift + bit)
