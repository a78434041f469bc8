"""The values of a model in plain Python: `Map`, `Seq`, `Set`, `Bag`, and `State`.

Every container is a value: it never changes, it is equal by its elements, it hashes. Writing exists only through a
path from the draft of a state: `s.log[r].append(x)`. A container read through a draft is a *view*, which remembers
whom to notify of its successor; so a name bound before a write keeps the value it had.

    log = s.log[r]            # a view: the sequence as it is now
    s.log[r].append(x)        # a new view is read, extended, and stored in the draft
    len(log)                  # still the old length

Python's own laxness is refused: `log[-1]`, `log[None]` and a key that is not there are errors of the model, in plain
Python as in every other engine.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar, Generic, Never, Self, TypeAlias, TypeVar, cast, overload

from .constants import ConstantExpression, no_value_error
from .containers import Container, ModelError, field_names, record_key, sort_key, stale_view_error, value_text
from .types import Type

__all__ = [
    "Bag",
    "Container",
    "Map",
    "ModelError",
    "Seq",
    "Set",
    "State",
    "field_names",
    "frozen",
    "is_majority",
    "record_key",
    "replace",
    "sort_key",
    "value_text",
]

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")
S = TypeVar("S")

Sets: TypeAlias = "Set[T] | Set[Never] | AbstractSet[T]"
"""What goes with a `Set[T]` in an operator: an empty `Set()` is a `Set[Never]` to a type checker."""


def frozen(value: Any) -> Any:
    """The value with Python's own sets and lists inside it turned into ours, so that it hashes."""
    if isinstance(value, (set, frozenset)):
        return Set(cast("AbstractSet[Any]", value))
    if isinstance(value, list):
        return Seq(cast("list[Any]", value))
    if isinstance(value, tuple) and not isinstance(value, State):
        return tuple(map(frozen, cast("tuple[Any, ...]", value)))
    if isinstance(value, Container):
        return value.plain()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(value, **{name: frozen(getattr(value, name)) for name in field_names(type(value))})
    return value


def _hashable(element: T) -> T:
    try:
        hash(element)
    except TypeError:
        return cast(T, frozen(element))
    return element


# --- maps -------------------------------------------------------------------------------------------------------------


class Map(Container, Generic[K, V]):
    """A total function from a finite type: `Map({r: 0 for r in Replica})`, `m[k]`, and in a state `s.m[k] = v`.

    A key outside its domain, None included, is a ModelError.
    """

    __slots__ = ("_keys",)
    noun = "Map"
    _keys: dict[K, int]
    _items: tuple[V, ...]

    def __init__(self, entries: Mapping[K, V]) -> None:
        self._keys = {key: at for at, key in enumerate(entries)}
        self._items = tuple(cast("Iterable[V]", (_plain_value(value) for value in entries.values())))
        self._hash = None
        self._owner = None

    @classmethod
    def with_keys(cls, keys: dict[K, int], values: tuple[V, ...]) -> Map[K, V]:
        """A map whose keys, with their positions, are shared with other maps of its type."""
        made = cast("Map[K, V]", object.__new__(cls))
        made._keys = keys
        made._items = values
        made._hash = None
        made._owner = None
        return made

    def _same_kind_of(self, items: Any) -> Self:
        made = super()._same_kind_of(items)
        made._keys = self._keys
        return made

    def __getitem__(self, key: K) -> V:
        try:
            value = self._items[self._keys[key]]
        except (KeyError, TypeError):
            raise _no_key_error(self, key) from None
        if self._owner is not None and isinstance(value, Container):
            return cast(V, value.with_owner(self, key, self._check.inner))
        return value

    def __setitem__(self, key: K, value: V) -> None:
        if key not in self._keys:
            raise _no_key_error(self, key)
        self._store_successor(self._with(key, self._checked_value(key, value)))

    def put(self, key: K, old: Container, new: Container) -> None:
        """Stores an element's successor; see `Owner`."""
        if not old.has_same_elements(cast(Container, self._items[self._keys[key]])):
            raise stale_view_error(self.path(key))
        self._store_successor(self._with(key, cast(V, new)))

    def _with(self, key: K, value: V) -> Map[K, V]:
        at = self._keys[key]
        return self._same_kind_of((*self._items[:at], value, *self._items[at + 1 :]))

    def is_over(self, keys: dict[K, int]) -> bool:
        """Whether the map has these keys, in this order."""
        return self._keys is keys or self._keys == keys

    def stored_values(self) -> tuple[V, ...]:
        """The values, in the order of the keys."""
        return self._items

    def items(self) -> Iterator[tuple[K, V]]:
        """Keys with their values, in the order of the keys."""
        return zip(self._keys, self._items, strict=True)

    def __iter__(self) -> Iterator[K]:
        return iter(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Map):
            return NotImplemented
        theirs = cast("Map[Any, Any]", other)
        if self._keys is theirs._keys:
            return self._items == theirs._items
        return dict(self.items()) == dict(theirs.items())

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.items()))
        return self._hash

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{value_text(key)}: {value_text(value)}" for key, value in self.items()) + "}"


def _no_key_error(map_: Map[Any, Any], key: object) -> ModelError:
    keys = ", ".join(value_text(held) for held in map_)
    return ModelError(f"{value_text(key)} is not a key of this Map; its keys are {keys}")


def _plain_value(value: Any) -> Any:
    return value.plain() if isinstance(value, Container) else value


# --- sequences --------------------------------------------------------------------------------------------------------


class Seq(Container, Generic[T]):
    """A sequence: `Seq()`, `Seq([a, b])`, `q[i]`, `q[i:j]`, `q + q`, `x in q`, and in a state `.append(x)`,
    `.truncate(n)`, `q[i] = x`. An index below 0 or beyond the end is a ModelError; slices are cut at the end as Python
    cuts them."""

    __slots__ = ()
    noun = "Seq"
    _items: tuple[T, ...]

    def __init__(self, elements: Iterable[T] = ()) -> None:
        self._items = tuple(cast("Iterable[T]", (_plain_value(element) for element in elements)))
        self._hash = None
        self._owner = None

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Seq[T]: ...
    def __getitem__(self, index: int | slice) -> T | Seq[T]:
        if isinstance(index, slice):
            return self._slice(index)
        value = self._items[self._offset(index)]
        if self._owner is not None and isinstance(value, Container):
            return cast(T, value.with_owner(self, index, self._check.inner))
        return value

    def _offset(self, index: int) -> int:
        if index.__class__ is not int:
            raise ModelError(f"{value_text(index)} is not an index")
        if not 0 <= index < len(self._items):
            raise ModelError(f"index {index} is outside a Seq of length {len(self._items)}")
        return index

    def _slice(self, index: slice) -> Seq[T]:
        if index.step is not None:
            raise ModelError("a slice of a Seq has no step")
        for bound in (index.start, index.stop):
            if bound is not None and bound < 0:
                raise ModelError(f"a slice of a Seq has no negative bound: {bound}")
        return self._same_kind_of(self._items[index])

    def __setitem__(self, index: int, value: T) -> None:
        at = self._offset(index)
        self._store_successor(self._with(at, self._checked_value(index, value)))

    def put(self, key: int, old: Container, new: Container) -> None:
        """Stores an element's successor; see `Owner`."""
        if not old.has_same_elements(cast(Container, self._items[key])):
            raise stale_view_error(self.path(key))
        self._store_successor(self._with(key, cast(T, new)))

    def _with(self, offset: int, value: T) -> Seq[T]:
        return self._same_kind_of((*self._items[:offset], value, *self._items[offset + 1 :]))

    def append(self, element: T) -> None:
        """Adds an element at the end; ModelError beyond the capacity."""
        accepted = self._checked_value(len(self._items), element)
        self._check_room(len(self._items) + 1)
        self._store_successor(self._same_kind_of((*self._items, accepted)))

    def truncate(self, length: int) -> None:
        """Keeps the first `length` elements; ModelError unless 0 <= length <= the present length."""
        if length.__class__ is not int:
            raise ModelError(f"{value_text(length)} is not a length")
        if not 0 <= length <= len(self._items):
            raise ModelError(f"{self.own_path()} cannot be truncated to {length}: its length is {len(self._items)}")
        self._store_successor(self._same_kind_of(self._items[:length]))

    def __add__(self, other: Seq[T] | Seq[Never]) -> Seq[T]:
        return self._same_kind_of((*self._items, *other._items))

    def __radd__(self, other: Seq[Never]) -> Seq[T]:  # for type checkers: what `Seq() + q` is; never called
        return self._same_kind_of((*other._items, *self._items))

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __contains__(self, element: object) -> bool:
        return element in self._items

    def __repr__(self) -> str:
        return "[" + ", ".join(value_text(element) for element in self._items) + "]"


# --- sets -------------------------------------------------------------------------------------------------------------


class _UnboundSet(frozenset[Any]):
    """The elements of a set with constants in it, in a module that is being imported: which of them are equal is known
    once the model is bound, and nothing that depends on it is answered before."""

    __slots__ = ()

    def _refuse(self, *_: object) -> Never:
        raise no_value_error("the elements of this set cannot be compared or counted here")

    __eq__ = __ne__ = __contains__ = __len__ = __le__ = __lt__ = __ge__ = __gt__ = _refuse
    __and__ = __rand__ = __or__ = __ror__ = __sub__ = __rsub__ = __xor__ = __rxor__ = _refuse
    __hash__ = frozenset[Any].__hash__


_parts: dict[type[Any], tuple[str, ...] | None] = {int: (), bool: (), str: (), type(None): ()}
"""The fields of each class of values; of a container, and of a constant, None."""


def is_unsettled(value: Any) -> bool:
    """Whether a value is a constant without a value yet, or has one in it."""
    cls = cast("type[Any]", value.__class__)
    try:
        names = _parts[cls]
    except KeyError:
        names = _parts[cls] = _parts_of(cls)
    if names is None:
        return _is_unsettled_container(value)
    for name in names:  # noqa: SIM110 - every set that is made comes by here
        if is_unsettled(getattr(value, name)):
            return True
    return False


def _parts_of(cls: type[Any]) -> tuple[str, ...] | None:
    if issubclass(cls, (ConstantExpression, Container, tuple)):
        return None
    return field_names(cls) if dataclasses.is_dataclass(cls) else ()


def _is_unsettled_container(value: Any) -> bool:
    match value:
        case ConstantExpression():
            return True
        case Set():
            return isinstance(cast("Set[Any]", value).plain_items(), _UnboundSet)
        case Map():
            return any(
                is_unsettled(key) or is_unsettled(element) for key, element in cast("Map[Any, Any]", value).items()
            )
        case _:
            return any(map(is_unsettled, value))


class Set(Container, Generic[T]):
    """A set, over a domain or of records: `Set()`, `Set(Replica)` (all of it), `Set([a, b])`, `x in s`, `| & - ^`,
    `<=`, and in a state `.add(x)`, `.discard(x)`, `.remove(x)`. It goes with Python's own sets: `s.isr - {r}`.

    It is iterated in the order of its elements, always the same.
    """

    __slots__ = ("_order",)
    noun = "Set"
    _items: frozenset[T]
    _order: tuple[T, ...]

    def __init__(self, elements: Iterable[T] = ()) -> None:
        listed = tuple(elements)
        try:
            self._items = (_UnboundSet if any(map(is_unsettled, listed)) else frozenset)(listed)
        except TypeError:
            self._items = frozenset(_hashable(element) for element in listed)
        self._hash = None
        self._owner = None

    def plain_items(self) -> frozenset[T]:
        """The elements, without an order."""
        return self._items

    def __iter__(self) -> Iterator[T]:
        return iter(self.ordered_elements())

    def ordered_elements(self) -> tuple[T, ...]:
        """The elements in their order, kept once computed."""
        if self._owner is not None:
            return cast("Set[T]", self._plain).ordered_elements()
        try:
            return self._order
        except AttributeError:
            self._order = tuple(sorted(self._items, key=sort_key))
            return self._order

    def __contains__(self, element: object) -> bool:
        try:
            found = element in self._items
        except TypeError:
            return frozen(element) in self._items
        if not found and is_unsettled(element):
            raise no_value_error("it cannot be looked for in a set here")
        return found

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Set):
            return self._items == cast("Set[Any]", other)._items
        if isinstance(other, (set, frozenset)):
            return self._items == Set(cast("set[Any]", other))._items
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._items)

    def order_key(self) -> Any:
        return tuple(sorted((sort_key(element) for element in self._items), reverse=True))

    @overload
    def __or__(self, other: Sets[T]) -> Set[T]: ...
    @overload
    def __or__(self: Set[Never], other: Sets[S]) -> Set[S]: ...
    def __or__(self, other: Sets[Any]) -> Set[Any]:
        return self._same_kind_of(self._items | _elements(other))

    def __and__(self, other: Sets[T]) -> Set[T]:
        return self._same_kind_of(self._items & _elements(other))

    def __sub__(self, other: Sets[T]) -> Set[T]:
        return self._same_kind_of(self._items - _elements(other))

    @overload
    def __xor__(self, other: Sets[T]) -> Set[T]: ...
    @overload
    def __xor__(self: Set[Never], other: Sets[S]) -> Set[S]: ...
    def __xor__(self, other: Sets[Any]) -> Set[Any]:
        return self._same_kind_of(self._items ^ _elements(other))

    @overload
    def __ror__(self, other: AbstractSet[T]) -> Set[T]: ...
    @overload
    def __ror__(self: Set[Never], other: AbstractSet[S]) -> Set[S]: ...
    def __ror__(self, other: AbstractSet[Any]) -> Set[Any]:
        return self._same_kind_of(_elements(other) | self._items)

    def __rand__(self, other: AbstractSet[T]) -> Set[T]:
        return self._same_kind_of(_elements(other) & self._items)

    def __rsub__(self, other: AbstractSet[T]) -> Set[T]:
        return self._same_kind_of(_elements(other) - self._items)

    @overload
    def __rxor__(self, other: AbstractSet[T]) -> Set[T]: ...
    @overload
    def __rxor__(self: Set[Never], other: AbstractSet[S]) -> Set[S]: ...
    def __rxor__(self, other: AbstractSet[Any]) -> Set[Any]:
        return self._same_kind_of(_elements(other) ^ self._items)

    def __le__(self, other: Sets[T]) -> bool:
        return self._items <= _elements(other)

    def __lt__(self, other: Sets[T]) -> bool:
        return self._items < _elements(other)

    def __ge__(self, other: Sets[T]) -> bool:
        return self._items >= _elements(other)

    def __gt__(self, other: Sets[T]) -> bool:
        return self._items > _elements(other)

    def add(self, element: T) -> None:
        """Adds an element, if it is not there yet; ModelError beyond the capacity."""
        accepted = self._checked_value(None, element)
        items = self._items | {accepted}
        self._check_room(len(items))
        self._store_successor(self._same_kind_of(items))

    def discard(self, element: T) -> None:
        """Takes an element out, if it is there."""
        self._store_successor(self._same_kind_of(self._items - {_hashable(element)}))

    def remove(self, element: T) -> None:
        """Takes an element out; ModelError when it is not there."""
        if element not in self:
            raise ModelError(f"{value_text(element)} is not in {self.own_path()}")
        self.discard(element)

    def __repr__(self) -> str:
        return "{" + ", ".join(value_text(element) for element in self) + "}"


def _elements(other: Sets[T]) -> frozenset[T]:
    if isinstance(other, Set):
        return other.plain_items()
    if isinstance(other, (set, frozenset)):
        return Set(other).plain_items()
    raise ModelError(f"{value_text(other)} is not a set")


class Bag(Container, Generic[T]):
    """A set that counts copies, for messages that may be there twice: `.add(x)`, `.discard(x)` and `.remove(x)` (one
    copy), `x in b`, `b.count(x)`, `len(b)` with all copies. It is kept and iterated in the order of its elements."""

    __slots__ = ()
    noun = "Bag"
    _items: tuple[T, ...]

    def __init__(self, elements: Iterable[T] = ()) -> None:
        self._items = tuple(sorted((_hashable(element) for element in elements), key=sort_key))
        self._hash = None
        self._owner = None

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __contains__(self, element: object) -> bool:
        return element in self._items

    def count(self, element: T) -> int:
        """How many copies of the element there are."""
        return self._items.count(element)

    def add(self, element: T) -> None:
        """Adds a copy; ModelError beyond the capacity."""
        accepted = self._checked_value(None, element)
        self._check_room(len(self._items) + 1)
        self._store_successor(self._same_kind_of(Bag((*self._items, accepted))._items))

    def discard(self, element: T) -> None:
        """Takes one copy out, if there is one."""
        at = self._items.index(element) if element in self._items else len(self._items)
        self._store_successor(self._same_kind_of(self._items[:at] + self._items[at + 1 :]))

    def remove(self, element: T) -> None:
        """Takes one copy out; ModelError when there is none."""
        if element not in self._items:
            raise ModelError(f"{value_text(element)} is not in {self.own_path()}")
        self.discard(element)

    def __repr__(self) -> str:
        return "Bag(" + ", ".join(value_text(element) for element in self._items) + ")"


# --- states -----------------------------------------------------------------------------------------------------------


class State(tuple[Any, ...]):
    """One state of a model: an immutable value, its fields in declaration order, read by name: `state.leader`.

    Each bound model has a subclass of its own, made by `drafts.Shape`; `__match_args__` holds the names of the fields,
    `__types__` their types.
    """

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    __types__: ClassVar[tuple[Type, ...]] = ()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__} has no field {name!r}")

    def __repr__(self) -> str:
        fields = zip(self.__match_args__, self, strict=True)
        return f"{type(self).__name__}(" + ", ".join(f"{name}={value_text(value)}" for name, value in fields) + ")"


# --- functions over values --------------------------------------------------------------------------------------------


def is_majority(subset: Set[T]) -> bool:
    """Whether more than half of the members of its domain are in the set. It needs a bound model."""
    raise TypeError("is_majority needs to know the size of the domain: bind the model")


def replace(record: T, **changes: Any) -> T:
    """The record with some fields changed."""
    return cast(T, dataclasses.replace(cast(Any, record), **changes))
