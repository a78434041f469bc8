"""What every container of a model shares: the error it raises, the order and the printed form of values, and views.

A container is a value. Read through the draft of a state it is a *view*: the same value, which knows its owner (the
draft, or another view) and its type. Changing a view makes the successor and hands it to the owner.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Any, ClassVar, Protocol, Self, cast

from .kinds import Domain


class ModelError(Exception):
    """A step or a property broke the model's own types, or failed an `assert`.

    `file` and `line` are the author's, filled in by the judge from the traceback ("" and 0 until then); so are
    `action` and `arguments` when a step was being taken.
    """

    def __init__(self, message: str, file: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.action: str | None = None
        self.arguments: Mapping[str, Any] | None = None

    def add(self, text: str) -> None:
        """Adds words to the message."""
        self.message += text
        self.args = (self.message,)

    @property
    def where(self) -> str:
        """`file:line`, or "" when the place is not known."""
        return f"{self.file}:{self.line}" if self.file else ""


# --- order and printing -----------------------------------------------------------------------------------------------


def sort_key(value: Any) -> Any:
    """The key of the one order in which values are enumerated: None first, identities and enums by position, tuples
    part by part, records by the names of their classes and then field by field, sets as their bit masks, sequences
    element by element."""
    if isinstance(value, Domain):
        return (1, value.index)
    if value is None:
        return (0,)
    if isinstance(value, Enum):
        return (1, _position(value))
    if isinstance(value, int):
        return (1, int(value))
    if isinstance(value, Container):
        return (1, value.order_key())
    if isinstance(value, tuple):
        return (1, *map(sort_key, cast("tuple[Any, ...]", value)))
    if dataclasses.is_dataclass(value):
        return (1, type(value).__name__, *(sort_key(getattr(value, name)) for name in field_names(type(value))))
    raise TypeError(f"{value!r} is not a value of a model")


record_key = sort_key


def value_text(value: Any) -> str:
    """A value as people write it: `A`, `{A, B}`, `Record(id=0, epoch=1)`, `none`, `true`."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, (set, frozenset)):
        elements = sorted(cast("AbstractSet[Any]", value), key=sort_key)
        return "{" + ", ".join(value_text(element) for element in elements) + "}"
    if isinstance(value, tuple):
        return f"({', '.join(map(value_text, cast('tuple[Any, ...]', value)))})"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        inner = ", ".join(f"{name}={value_text(getattr(value, name))}" for name in field_names(type(value)))
        return f"{type(value).__name__}({inner})"
    return repr(value)


_positions: dict[type[Enum], dict[Enum, int]] = {}
_names: dict[type[Any], tuple[str, ...]] = {}


def _position(member: Enum) -> int:
    known = _positions.get(type(member))
    if known is None:
        known = _positions[type(member)] = {other: at for at, other in enumerate(type(member))}
    return known[member]


def field_names(cls: type[Any]) -> tuple[str, ...]:
    """The names of a record class's fields, in declaration order."""
    known = _names.get(cls)
    if known is None:
        known = _names[cls] = tuple(field.name for field in dataclasses.fields(cls))
    return known


# --- what the containers share ----------------------------------------------------------------------------------------


class Owner(Protocol):
    """Where a view was read from: a draft of the state, or another view."""

    def put(self, key: Any, old: Container, new: Container) -> None:
        """Stores `new` at `key`, which must still hold `old`."""
        ...

    def element(self, key: Any) -> Any:
        """What is at `key` now."""
        ...

    def path(self, key: Any) -> str:
        """The cell at `key` as people write it: `log[A]`."""
        ...


class ElementCheck(Protocol):
    """What a view knows of its type: see `checks.TypeCheck`."""

    @property
    def inner(self) -> ElementCheck:
        """The check of its elements, or of a map's values."""
        ...

    @property
    def capacity(self) -> int | None:
        """How many elements it may hold, None without a bound."""
        ...

    def __call__(self, value: Any) -> Any:
        """The value in its canonical form; ModelError when it is not of the type."""
        ...


class Container:
    """What `Map`, `Seq`, `Set` and `Bag` share: elements, a remembered hash, and, in a view, the owner to write to."""

    __slots__ = ("_check", "_hash", "_items", "_key", "_owner", "_plain")

    noun: ClassVar[str] = "container"
    _items: Any
    _hash: int | None
    _owner: Owner | None
    _key: Any
    _check: ElementCheck
    _plain: Any

    def _same_kind_of(self, items: Any) -> Self:
        """A container of the same kind over other elements, already in their stored form."""
        made = object.__new__(type(self))
        made._items = items
        made._hash = None
        made._owner = None
        return made

    def with_owner(self, owner: Owner, key: Any, check: ElementCheck) -> Self:
        """The same value, which notifies `owner` when it is changed."""
        made = self._same_kind_of(self._items)
        made._owner = owner
        made._key = key
        made._check = check
        made._plain = self
        return made

    def plain(self) -> Self:
        """The same value without an owner."""
        return self if self._owner is None else self._plain

    def current(self) -> Any:
        """What is now where this view was read; of a value, the value itself."""
        return self if self._owner is None else self._owner.element(self._key)

    def element(self, key: Any) -> Any:
        """The element at `key` of what is now where this view was read; see `Owner`."""
        return self.current()[key]

    def has_same_elements(self, other: Container) -> bool:
        """Whether both hold the very same elements, by identity: what a view checks before it writes."""
        return self._items is other._items

    def order_key(self) -> Any:
        """See `sort_key`."""
        return tuple(sort_key(element) for element in self._items)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self._items)
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._items == other._items

    def __len__(self) -> int:
        return len(self._items)

    def _checked_value(self, key: Any, value: Any) -> Any:
        """The value in its canonical form, checked against the type of this view's elements."""
        self._current_owner()
        try:
            return self._check.inner(value)
        except ModelError as error:
            raise ModelError(f"{self.path(key)}: {error.message}") from None

    def _current_owner(self) -> Owner:
        if self._owner is None:
            raise ModelError(f"this {self.noun} is a value and cannot be changed; write through a path from the state")
        return self._owner

    def _store_successor(self, new: Container) -> None:
        """Stores `new` where this view was read."""
        self._current_owner().put(self._key, self, new)

    def _check_room(self, count: int) -> None:
        """ModelError unless `count` elements are within the capacity."""
        capacity = self._check.capacity
        if capacity is not None and count > capacity:
            raise ModelError(f"{self.own_path()} is full: its capacity is {capacity}")

    def own_path(self) -> str:
        """This view's place as people write it."""
        return self._current_owner().path(self._key)

    def path(self, key: Any) -> str:
        """The place of an element of this view."""
        return self.own_path() if key is None else f"{self.own_path()}[{value_text(key)}]"


def stale_view_error(path: str) -> ModelError:
    """The error of a write through a name bound before another write."""
    return ModelError(f"{path} was written since this name was bound to it; write through a path from the state")
