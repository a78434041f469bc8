"""How a value of each type is made of truth values and numbers. A *shape* is the value of a type as terms.

| type | finite | unbounded |
|---|---|---|
| `Bool` | a `Bit` | the same |
| `Int`, `Enumeration`, `Identity` | a `Number` (its position) | the same |
| `Option` | `SymbolicOption`: a flag and a value | the same |
| `Record` | `Fields`: a shape per field | the same |
| `Map` | `Table`: a shape per key | the same; over an `Int` without a known end: `Function` |
| `Seq` | `Slots`: a length and a shape per index | `Sequence`: a length and a function of the index |
| `Subset` | `Members`: a bit per member | the same; over an `Int` without an end: `UnboundedSet` |
| `Pool` | `Heap`: a count and slots in the judge's order | `Records`: a predicate of records |

What lies beyond a length or under an absent flag is garbage: no operation looks at it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import z3

from .terms import Bit, Number


@dataclass(frozen=True, slots=True, eq=False)
class SymbolicOption:
    """An `Option`. `value` is None only where `present` is False. If `blank`, a value that is not there is 0."""

    present: Bit
    value: Shape | None
    blank: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    """A `Record`: its fields by name, in declaration order."""

    parts: dict[str, Shape]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A `Map` over finitely many keys: the value at key number `first`, `first + 1`, ..."""

    first: int
    parts: tuple[Shape, ...]


@dataclass(frozen=True, slots=True, eq=False)
class IntegerMap:
    """A `Map` over integers between two `ends` of which one is not known: what `element_at` is beyond them is
    garbage."""

    ends: tuple[Number, Number]
    element_at: Callable[[Number], Shape]


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """A `Seq` of bounded length: `parts` beyond `length` are garbage."""

    length: Number
    parts: tuple[Shape, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """A `Seq` of any length: `element_at` of an index beyond `length` is garbage."""

    length: Number
    element_at: Callable[[Number], Shape]


@dataclass(frozen=True, slots=True, eq=False)
class MemberBits:
    """A `Subset` of finitely many members: whether member number `first`, `first + 1`, ... is in it."""

    first: int
    bits: tuple[Bit, ...]


@dataclass(frozen=True, slots=True, eq=False)
class UnboundedSet:
    """A `Subset` of integers of which it is not known how many there are."""

    has: Callable[[Number], Bit]


@dataclass(frozen=True, slots=True, eq=False)
class Heap:
    """A `Pool` within a capacity: the first `count` of `slots` are its records in their order."""

    count: Number
    slots: tuple[Fields, ...]
    multiple: bool


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """A `Pool` without a capacity, as the records that are in it. Of one that may be there more than once (`multiple`)
    it is not known how often it is, nor whether one is left when one is taken out."""

    has: Callable[[Fields], Bit]
    multiple: bool = False


Shape: TypeAlias = (
    Bit
    | Number
    | SymbolicOption
    | Fields
    | Table
    | IntegerMap
    | Slots
    | Sequence
    | MemberBits
    | UnboundedSet
    | Heap
    | Records
)


def scalars_in(shape: Shape) -> Iterator[Number | Bit]:
    """The numbers and truth values that a finite shape is made of, in order."""
    match shape:
        case SymbolicOption(present=present, value=value):
            yield present
            if value is not None:
                yield from scalars_in(value)
        case Fields(parts=parts):
            for part in parts.values():
                yield from scalars_in(part)
        case Table(parts=parts):
            for part in parts:
                yield from scalars_in(part)
        case Slots(length=length, parts=parts):
            yield length
            for part in parts:
                yield from scalars_in(part)
        case Heap(count=count, slots=slots):
            yield count
            for part in slots:
                yield from scalars_in(part)
        case MemberBits(bits=bits):
            yield from bits
        case Number() | bool() | z3.BoolRef():
            yield shape
        case Sequence(length=length):
            yield length
        case IntegerMap() | UnboundedSet() | Records():
            return
