"""Where every cell of a state lies: a state is a few 64-bit words, and nothing is ever written by hand about them.

A type of at most 64 bits is *narrow* and never crosses a word; anything larger is *wide* and begins at a word. So a
scalar is one shift and one mask away, at a constant place, and an element at a computed index is one multiplication
away. The encoding is canonical: equal values are equal words (tails of sequences are zero, pools sorted, `None` has
one code).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeAlias

from ...language import values as values_module
from ...language.checks import members_of
from ...language.constants import Value
from ...language.immutable import immutable
from ...language.model import Field
from ...language.records import make_record, parts_of
from ...language.types import (
    Bool,
    Enumeration,
    Identity,
    Int,
    Map,
    Option,
    Pool,
    Record,
    Seq,
    Subset,
    Type,
    scalar_size,
)

WORD = 64
FULL_WORD = (1 << WORD) - 1

MAX_KEPT_VALUES = 4096
"""Values of fields that are kept with their words, for the next states."""


@immutable
class Leaf:
    """A number of `bits` bits, at most 64."""

    bits: int


@immutable
class Struct:
    """Parts at fixed places: `places[i]` is part i's (word, shift) relative to the struct's beginning."""

    parts: tuple[Shape, ...]
    places: tuple[tuple[int, int], ...]
    bits: int


@immutable
class Array:
    """`count` elements of one shape. `per_word` elements share a word; 0 when an element itself is wide."""

    element: Shape
    count: int
    per_word: int
    bits: int

    def place_of_element(self, index: int) -> tuple[int, int]:
        """The (word, shift) of an element, relative to the array's beginning."""
        if self.per_word == 0:
            return index * word_count(self.element), 0
        return index // self.per_word, index % self.per_word * self.element.bits


Shape: TypeAlias = Leaf | Struct | Array


def is_wide(shape: Shape) -> bool:
    """Whether the shape needs more than one word."""
    return shape.bits > WORD


def word_count(shape: Shape) -> int:
    """How many words a shape needs when it begins at a word."""
    return -(-shape.bits // WORD)


def _bit_count(codes: int) -> int:
    """Bits that distinguish `codes` codes."""
    return (codes - 1).bit_length()


def shape_of(type_: Type) -> Shape:
    """The shape of a type. TypeError for `Unit`, which is not data."""
    match type_:
        case Int() | Bool() | Enumeration() | Identity():
            return Leaf(_bit_count(scalar_size(type_)))
        case Option(of=(Int() | Bool() | Enumeration() | Identity()) as scalar):
            return Leaf(_bit_count(scalar_size(scalar) + 1))
        case Option(of=inner):
            return struct_shape([Leaf(1), shape_of(inner)])
        case Record(fields=fields):
            return struct_shape([shape_of(field_type) for _, field_type in fields])
        case Map(key=key, value=value):
            return array_shape(shape_of(value), scalar_size(key))
        case Seq(of=of, capacity=capacity) | Pool(of=of, capacity=capacity):
            return struct_shape([Leaf(_bit_count(capacity + 1)), array_shape(shape_of(of), capacity)])
        case Subset(of=of):
            return Leaf(scalar_size(of))
        case _:
            raise TypeError(f"{type_} cannot be stored")


def array_shape(element: Shape, count: int) -> Array:
    """An array; elements never cross words."""
    total = element.bits * count
    if total <= WORD:
        return Array(element, count, max(count, 1), total)
    if is_wide(element):
        return Array(element, count, 0, WORD * word_count(element) * count)
    per_word = WORD // element.bits
    full, rest = divmod(count, per_word)
    bits = WORD * full + rest * element.bits if rest else WORD * (full - 1) + per_word * element.bits
    return Array(element, count, per_word, bits)


def struct_shape(parts: Sequence[Shape]) -> Struct:
    """A struct; narrow ones put the first part at the highest bits, so that codes order as fields do."""
    total = sum(part.bits for part in parts)
    if total <= WORD:
        shift, places = total, list[tuple[int, int]]()
        for part in parts:
            shift -= part.bits
            places.append((0, shift))
        return Struct(tuple(parts), tuple(places), total)
    return _wide_struct(parts)


def _free_bits(shape: Shape) -> list[int]:
    """The bits left at the top of each word of a wide shape, where a narrow neighbour may live."""
    words = word_count(shape)
    if isinstance(shape, Array) and shape.per_word:
        last = shape.bits - WORD * (words - 1)
        return [WORD - shape.per_word * shape.element.bits] * (words - 1) + [WORD - last]
    return [0] * words


def _wide_struct(parts: Sequence[Shape]) -> Struct:
    """Wide parts take words of their own; narrow ones, largest first, the first gap that holds them."""
    places: dict[int, tuple[int, int]] = {}
    free: list[int] = []
    for index, part in enumerate(parts):
        if is_wide(part):
            places[index] = (len(free), 0)
            free += _free_bits(part)
    narrow = [index for index, part in enumerate(parts) if not is_wide(part)]
    for index in sorted(narrow, key=lambda number: (-parts[number].bits, number)):
        bits = parts[index].bits
        word = next((at for at, room in enumerate(free) if room >= bits), len(free))
        if word == len(free):
            free.append(WORD)
        places[index] = (word, WORD - free[word])
        free[word] -= bits
    bits = WORD * len(free) if len(free) > 1 else WORD + 1
    return Struct(tuple(parts), tuple(places[index] for index in range(len(parts))), bits)


class Layout:
    """The layout of a whole state: `words` words, and the place of every field."""

    def __init__(self, fields: Sequence[Field], values: Mapping[str, Value]) -> None:
        self.fields = tuple(fields)
        self.values = values
        self.shape = struct_shape([shape_of(field.type) for field in fields])
        self.words = max(1, word_count(self.shape))
        self._index = {field.name: index for index, field in enumerate(fields)}
        self._read: dict[tuple[int, Any], Any] = {}
        self._written: dict[tuple[int, int], tuple[Any, int]] = {}
        self._encoders: list[Encoder] = []

    def field(self, name: str) -> tuple[Type, Shape, int, int]:
        """Type, shape, word and shift of a state field."""
        index = self._index[name]
        return (self.fields[index].type, self.shape.parts[index], *self.shape.places[index])

    def encode(self, values: Sequence[Any]) -> tuple[int, ...]:
        """The words of a state, from its field values in order."""
        bits = 0
        for index, value in enumerate(values):
            known = self._written.get((index, id(value)))
            bits |= self._bits_of(index, value) if known is None else known[1]
        return tuple(bits >> at & FULL_WORD for at in range(0, WORD * self.words, WORD))

    def _bits_of(self, index: int, value: Any) -> int:
        """What a field's value writes. It is kept for the values seen last, since a step leaves most fields as they
        are: the very same objects, which hold for as long as they are kept here."""
        if len(self._written) >= MAX_KEPT_VALUES:
            self._written.clear()
        if not self._encoders:
            self._encoders += map(value_encoder, (field.type for field in self.fields), self.shape.parts)
        found = self._encoders[index](value) << _bit_offset(self.shape.places[index])
        self._written[index, id(value)] = (value, found)
        return found

    def decode(self, words: Sequence[int]) -> tuple[Any, ...]:
        """The field values of a state, in order, from its words."""
        return tuple(self._value_of(index, words) for index in range(len(self.fields)))

    def _value_of(self, index: int, words: Sequence[int]) -> Any:
        """A field's value, the same object for the bits seen last: it is one that nothing can change."""
        part, (word, shift) = self.shape.parts[index], self.shape.places[index]
        if is_wide(part):
            bits: Any = tuple(words[word : word + word_count(part)])
        else:
            bits = words[word] >> shift & (1 << part.bits) - 1
        if (index, bits) not in self._read:
            if len(self._read) >= MAX_KEPT_VALUES:
                self._read.clear()
            self._read[index, bits] = decode_value(words, self.fields[index].type, part, word, shift, self.values)
        return self._read[index, bits]


Encoder: TypeAlias = Callable[[Any], int]
"""Gives the bits of a value, the first bit of its shape's first word as the lowest."""


def scalar_encoder(type_: Type) -> Encoder:
    """What gives the number that stands for a scalar, an option of one, or a subset."""
    match type_:
        case Int(lo=lo):
            return lambda value: value - lo
        case Bool():
            return int
        case Enumeration(members=members):
            numbers = {name: number for number, name in enumerate(members)}
            return lambda value: numbers[value.name]
        case Identity():
            return attrgetter("index")
        case Option(of=of):
            some = scalar_encoder(of)
            return lambda value: 0 if value is None else 1 + some(value)
        case Subset(of=of):
            member = scalar_encoder(of)
            return lambda value: sum(1 << member(element) for element in value)
        case _:
            raise TypeError(f"{type_} is not a scalar")


def code_of(type_: Type, value: Any) -> int:
    """The number that stands for a scalar, an option of one, or a subset."""
    return scalar_encoder(type_)(value)


def value_of_code(type_: Type, code: int) -> Any:
    """The Python value that a code stands for; the inverse of `code_of`."""
    match type_:
        case Int(lo=lo):
            return code + lo
        case Bool():
            return bool(code)
        case Enumeration(members=members, python=python):
            return python[members[code]]
        case Identity(python=python):
            return python(code)
        case Option(of=of):
            return None if code == 0 else value_of_code(of, code - 1)
        case Subset(of=of):
            return values_module.Set(
                [value_of_code(of, number) for number in range(scalar_size(of)) if code >> number & 1]
            )
        case _:
            raise TypeError(f"{type_} is not a scalar")


def value_encoder(type_: Type, shape: Shape) -> Encoder:
    """What writes the values of a type: made once, since to look at the type of each value takes longer than to write
    it."""
    match type_, shape:
        case _, Leaf():
            return scalar_encoder(type_)
        case Map(key=key, value=of), Array():
            return _map_encoder(scalar_encoder(key), value_encoder(of, shape.element), shape)
        case Seq(of=of), Struct(parts=(_, Array(element=element) as items), places=places):
            encoded, joined = value_encoder(of, element), _element_joiner(items, *map(_bit_offset, places))
            return lambda value: joined([encoded(item) for item in value])
        case Pool(of=of), Struct(parts=(_, Array(element=element) as items), places=places):
            encoded, joined = value_encoder(of, element), _element_joiner(items, *map(_bit_offset, places))
            return lambda value: joined(sorted(map(encoded, value)))
        case Option(of=of), Struct(parts=(_, part), places=places):
            some, (is_some_at, some_at) = value_encoder(of, part), map(_bit_offset, places)
            return lambda value: 0 if value is None else 1 << is_some_at | some(value) << some_at
        case Record(fields=fields), Struct(parts=parts, places=places):
            encoders = [value_encoder(of, part) for (_, of), part in zip(fields, parts, strict=True)]
            return _record_encoder(type_, tuple(zip(encoders, map(_bit_offset, places), strict=True)))
        case _:
            raise TypeError(f"{type_} does not fit {shape}")


def _bit_offset(place: tuple[int, int]) -> int:
    """How many bits come before a place, a word and a shift."""
    return WORD * place[0] + place[1]


def _map_encoder(number_of: Encoder, encode_value: Encoder, shape: Array) -> Encoder:
    places = [_bit_offset(shape.place_of_element(index)) for index in range(shape.count)]

    def write(value: Any) -> int:
        first = number_of(next(iter(value)))  # members outside open bounds are laid out, and stay zero
        return sum(encode_value(item) << places[index] for index, item in enumerate(value.stored_values(), first))

    return write


def _element_joiner(items: Array, count_at: int, items_at: int) -> Callable[[Sequence[int]], int]:
    """What joins the bits of elements, with their number before them."""
    places = [items_at + _bit_offset(items.place_of_element(index)) for index in range(items.count)]

    def join(elements: Sequence[int]) -> int:
        return sum((element << places[index] for index, element in enumerate(elements)), len(elements) << count_at)

    return join


def _record_encoder(type_: Record, parts: Sequence[tuple[Encoder, int]]) -> Encoder:
    def write(value: Any) -> int:
        values = parts_of(type_, value)
        return sum(encoded(part) << at for (encoded, at), part in zip(parts, values, strict=True))

    return write


def raw_code(type_: Type, value: Any) -> int:
    """A value's own bits as a number: the order in which a pool keeps its records."""
    return value_encoder(type_, shape_of(type_))(value)


def decode_value(
    words: Sequence[int], type_: Type, shape: Shape, word: int, shift: int, values: Mapping[str, Value]
) -> Any:
    """The Python value at a place, as plain Python holds it; members that do not exist with these constants are left
    out."""
    match type_, shape:
        case _, Leaf(bits=bits):
            return value_of_code(type_, words[word] >> shift & (1 << bits) - 1)
        case Map(key=key, value=of), Array():
            number_of = scalar_encoder(key)
            entries = {
                member: decode_value(words, of, shape.element, word + at[0], shift + at[1], values)
                for member in members_of(key, values)
                for at in (shape.place_of_element(number_of(member)),)
            }
            return values_module.Map(entries)
        case Seq(), Struct():
            return values_module.Seq(_decode_elements(words, type_, shape, word, shift, values))
        case Pool(multiple=multiple), Struct():
            elements = _decode_elements(words, type_, shape, word, shift, values)
            return values_module.Bag(elements) if multiple else values_module.Set(elements)
        case Option(of=of), Struct(parts=parts, places=places):
            if not words[word + places[0][0]] >> shift + places[0][1] & 1:
                return None
            return decode_value(words, of, parts[1], word + places[1][0], shift + places[1][1], values)
        case Record(fields=fields), Struct():
            return make_record(
                type_,
                (
                    decode_value(words, field_type, part, word + at[0], shift + at[1], values)
                    for (_, field_type), part, at in zip(fields, shape.parts, shape.places, strict=True)
                ),
            )
        case _:
            raise TypeError(f"{type_} does not fit {shape}")


def _decode_elements(
    words: Sequence[int], type_: Seq | Pool, shape: Struct, word: int, shift: int, values: Mapping[str, Value]
) -> list[Any]:
    (count_at, items_at), (count_leaf, items) = shape.places, shape.parts
    assert isinstance(items, Array)
    count = words[word + count_at[0]] >> shift + count_at[1] & (1 << count_leaf.bits) - 1
    return [
        decode_value(words, type_.of, items.element, word + items_at[0] + at[0], shift + items_at[1] + at[1], values)
        for at in map(items.place_of_element, range(count))
    ]
