"""How a value of each type is made of truth values and numbers. A *shape* is the value of a type as terms.

| type | finite | unbounded |
|---|---|---|
| `Bool` | a `Bit` | the same |
| `Int`, `Enumeration`, `Identity` | a `Number` (its position) | the same |
| `Option` | `Maybe`: a flag and a value | the same |
| `Record` | `Fields`: a shape per field | the same |
| `Map` | `Table`: a shape per key | the same; over an `Int` without an end: `Function` |
| `Seq` | `Slots`: a length and a shape per index | `Sequence`: a length and a function of the index |
| `Subset` | `Members`: a bit per member | the same; over an `Int` without an end: `Where` |
| `Pool` | `Heap`: a number and sorted slots, as the judge sorts them | `History`: a predicate of records; it only grows |

What lies beyond a length or under an absent flag is garbage: no operation looks at it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from .terms import Bit, Number


@dataclass(frozen=True, slots=True)
class Maybe:
    """An `Option`. `value` is None only where `present` is False."""

    present: Bit
    value: Shape | None


@dataclass(frozen=True, slots=True)
class Fields:
    """A `Record`: its fields by name, in declaration order."""

    parts: dict[str, Shape]


@dataclass(frozen=True, slots=True)
class Table:
    """A `Map` over finitely many keys: the value at key number `first`, `first + 1`, ..."""

    first: int
    parts: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A `Map` over integers without an end."""

    first: int
    at: Callable[[Number], Shape]


@dataclass(frozen=True, slots=True)
class Slots:
    """A `Seq` of bounded length: `parts` beyond `length` are garbage."""

    length: Number
    parts: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Sequence:
    """A `Seq` of any length: `at` of an index beyond `length` is garbage."""

    length: Number
    at: Callable[[Number], Shape]


@dataclass(frozen=True, slots=True)
class Members:
    """A `Subset` of finitely many members: whether member number `first`, `first + 1`, ... is in it."""

    first: int
    bits: tuple[Bit, ...]


@dataclass(frozen=True, slots=True)
class Where:
    """A `Subset` of the integers without an end."""

    has: Callable[[Number], Bit]


@dataclass(frozen=True, slots=True)
class Heap:
    """A `Pool` within a capacity: the first `count` of `slots` are its records in their order."""

    count: Number
    slots: tuple[Fields, ...]
    multiple: bool


@dataclass(frozen=True, slots=True)
class History:
    """A `Pool` without a capacity: every record that was ever in it. Taking one out changes nothing."""

    has: Callable[[Fields], Bit]


Shape: TypeAlias = (
    bool | Bit | Number | Maybe | Fields | Table | Function | Slots | Sequence | Members | Where | Heap | History
)
