"""What changed between two states, cell by cell, as their types divide them; and values as JSON has them.

A change is an addition, a removal or a replacement at a path: `log A 0` is the first record in `log[A]`. In a set or
bag it is the element that comes or goes; in a sequence it is the elements beyond the shorter one that come or go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, cast

from ..language import types
from ..language.kinds import Domain
from ..language.model import Field
from ..language.values import Bag, Map, Seq, Set, State, field_names, show

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One change. `cell` is the cell as people write it (`log[A]`); `path` ends in the offset for an element of a
    sequence. `before` is absent in an addition, `after` in a removal."""

    sign: Literal["+", "-", "~"]
    path: Path
    cell: str
    at: int | None
    before: Any
    after: Any

    def row(self) -> list[Any]:
        """The path, then the value that came or went, or the old and the new one: as the trace document has it."""
        values = {"+": [self.after], "-": [self.before], "~": [self.before, self.after]}[self.sign]
        return [*self.path, *(to_json(value) for value in values)]

    def text(self) -> str:
        """The change as people read it: `high_watermark[B]: 0 -> 1`, `log[A]: + Record(id=0, epoch=1) at 0`."""
        where = "" if self.at is None else f" at {self.at}"
        if self.sign == "~":
            return f"{self.cell}: {show(self.before)} -> {show(self.after)}"
        return f"{self.cell}: {self.sign} {show(self.after if self.sign == '+' else self.before)}{where}"


def changes(fields: tuple[Field, ...], before: State, after: State) -> list[Change]:
    """Every change from one state to another, in the order of the fields."""
    found: list[Change] = []
    for field, old, new in zip(fields, before, after, strict=True):
        found += _changes(field.type, old, new, (field.name,), field.name)
    return found


def _changes(type_: types.Type, old: Any, new: Any, path: Path, cell: str) -> Iterator[Change]:
    if old is new or old == new:
        return
    match type_:
        case types.Map(value=value):
            for key in old:
                name = show(key)
                yield from _changes(value, old[key], new[key], (*path, name), f"{cell}[{name}]")
        case types.Seq(of=of):
            yield from _sequence(of, old, new, path, cell)
        case types.Subset() | types.Pool():
            yield from _elements(old, new, path, cell)
        case types.Record(fields=fields):
            yield from _record(fields, old, new, path, cell)
        case types.Option(of=types.Record(fields=fields)) if old is not None and new is not None:
            yield from _record(fields, old, new, path, cell)
        case _:
            yield Change("~", path, cell, None, old, new)


def _record(fields: tuple[tuple[str, types.Type], ...], old: Any, new: Any, path: Path, cell: str) -> Iterator[Change]:
    for name, type_ in fields:
        yield from _changes(type_, getattr(old, name), getattr(new, name), (*path, name), f"{cell}.{name}")


def _sequence(of: types.Type, old: Seq[Any], new: Seq[Any], path: Path, cell: str) -> Iterator[Change]:
    shared = min(len(old), len(new))
    for at in range(shared):
        yield from _changes(of, old[at], new[at], (*path, at), f"{cell}[{at}]")
    for at in range(shared, len(old)):
        yield Change("-", (*path, at), cell, at, old[at], None)
    for at in range(shared, len(new)):
        yield Change("+", (*path, at), cell, at, None, new[at])


def _elements(old: Any, new: Any, path: Path, cell: str) -> Iterator[Change]:
    gone: Counter[Any] = Counter(old)
    come: Counter[Any] = Counter(new)
    for element in (gone - come).elements():
        yield Change("-", path, cell, None, element, None)
    for element in (come - gone).elements():
        yield Change("+", path, cell, None, None, element)


def to_json(value: Any) -> Any:
    """A value as JSON has it: identities by label, enums by name, records and maps as objects, the others as lists."""
    if isinstance(value, Domain):
        return repr(value)
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, Map):
        return {show(key): to_json(held) for key, held in cast("Map[Any, Any]", value).items()}
    if isinstance(value, (Seq, Set, Bag)):
        return [to_json(element) for element in cast("Seq[Any]", value)]
    if value is None or isinstance(value, int):
        return value
    return {name: to_json(getattr(value, name)) for name in field_names(cast("type[Any]", type(value)))}


def state_to_json(state: State) -> dict[str, Any]:
    """A state as JSON has it."""
    return {name: to_json(value) for name, value in zip(state.__match_args__, state, strict=True)}
