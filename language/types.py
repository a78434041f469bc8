"""The types of the typed form: finite, bounded, values all the way down.

Every engine reads these and nothing else about a model's data: the packing, the symmetry, the printer and the Z3 sort
of a value follow from its type. An author never writes these; the front end makes them from annotations (see `kinds`).

A bound that depends on an *open* constant is stored twice: the static bound, from the constant's declared maximum,
decides the layout; the `*_open` expression, evaluated when a kernel runs, decides what a store may hold.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from math import comb, prod
from typing import Any, TypeAlias

from .constants import ConstantExpression
from .immutable import immutable


@immutable
class Int:
    """Integers from `lo` to `hi`, both included. Of an intermediate value: the interval it lies in."""

    lo: int
    hi: int
    lo_open: ConstantExpression | None = None
    hi_open: ConstantExpression | None = None


@immutable
class Bool:
    """Truth values."""


@immutable
class Enumeration:
    """The members of a Python `Enum`, in declaration order; a value is encoded by its position."""

    name: str
    members: tuple[str, ...]
    python: type[Enum] = field(compare=False, repr=False)


@immutable
class Identity:
    """A finite domain of names (`class Replica(Domain, ...)`): equality only, no order, no arithmetic, unless it is
    `is_ordered`.

    `size` is the number of members laid out; `size_open` the number that exists when the size is an open constant.
    """

    name: str
    size: int
    symmetric: bool
    labels: tuple[str, ...]
    python: type[Any] = field(compare=False, repr=False)
    size_open: ConstantExpression | None = None
    is_ordered: bool = False


@immutable
class Option:
    """`None` or a value of `of`. Options do not nest."""

    of: Type


@immutable
class Record:
    """An immutable record; equality is by all fields. Tuples, and unions of records, are records too: see `records`.

    Of a union, `variants` are its records, each with the places of its fields among these.
    """

    name: str
    fields: tuple[tuple[str, Type], ...]
    python: type[Any] = field(compare=False, repr=False)
    variants: tuple[tuple[Record, tuple[int, ...]], ...] = ()

    def field_type(self, name: str) -> Type:
        """The type of field `name`; KeyError if there is none."""
        return dict(self.fields)[name]


@immutable
class Map:
    """A total function from a finite scalar type (`Identity`, `Enumeration`, `Bool`, `Int`) to `value`."""

    key: Type
    value: Type


@immutable
class Seq:
    """A sequence of at most `capacity` values of `of`."""

    of: Type
    capacity: int
    capacity_open: ConstantExpression | None = None


@immutable
class Subset:
    """A set over a finite scalar type of at most 64 values (`Identity`, `Enumeration`, `Int`): one bit a member."""

    of: Type


@immutable
class Pool:
    """A set (or, with `multiple`, a bag) of at most `capacity` records: messages in flight. Order does not matter."""

    of: Record
    capacity: int
    multiple: bool = False
    capacity_open: ConstantExpression | None = None


@immutable
class Unit:
    """The type of `None` before it is known which option it is, and of a function that returns nothing."""


Scalar: TypeAlias = Int | Bool | Enumeration | Identity
Type: TypeAlias = Int | Bool | Enumeration | Identity | Option | Record | Map | Seq | Subset | Pool | Unit


def scalar_size(type_: Type) -> int:
    """The number of values of a finite scalar type (the static one, where the bound is open).

    Raises TypeError for any other type.
    """
    match type_:
        case Int(lo=lo, hi=hi):
            return hi - lo + 1
        case Bool():
            return 2
        case Enumeration(members=members):
            return len(members)
        case Identity(size=size):
            return size
        case _:
            raise TypeError(f"{type_} is not a finite scalar type")


def value_count(type_: Type) -> int:
    """The number of values of a finite type (the static one, where a bound is open): a scalar, or an option, record,
    map, sequence or set made of such.

    Raises TypeError for a type whose values cannot be listed: a bag.
    """
    match type_:
        case Option(of=of):
            return 1 + value_count(of)
        case Record(variants=variants) if variants:
            return sum(value_count(member) for member, _ in variants)
        case Record(fields=fields):
            return prod(value_count(of) for _, of in fields)
        case Map(key=key, value=value):
            return value_count(value) ** scalar_size(key)
        case Subset(of=of):
            return 1 << scalar_size(of)
        case Seq():
            return sum(sequence_counts(type_))
        case Pool(of=of, capacity=capacity, multiple=False):
            return set_count(value_count(of), capacity)
        case _:
            return scalar_size(type_)


def has_elements(of: Type) -> bool:
    """Whether there are sequences, or sets of records, in a type."""
    match of:
        case Seq() | Pool():
            return True
        case Option(of=inner):
            return has_elements(inner)
        case Map(value=value):
            return has_elements(value)
        case Record(fields=fields):
            return any(has_elements(inner) for _, inner in fields)
        case _:
            return False


def sequence_counts(type_: Seq) -> list[int]:
    """How many sequences there are of each length, from none to as many as there is room for."""
    return [value_count(type_.of) ** length for length in range(type_.capacity + 1)]


def set_count(count: int, most: int) -> int:
    """How many sets of at most `most` elements there are of so many values."""
    return sum(comb(count, size) for size in range(min(count, most) + 1))
