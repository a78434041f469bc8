"""What an author annotates with: domains, ranges, capacities, ghosts. The containers are in `values`.

    class Replica(Domain, size=replicas, symmetric=True):
        "A broker that holds a copy of the partition."

    Offset = Annotated[int, Range(0, log_size)]
    Log = Annotated[Seq[Record], Capacity(log_size)]

Bounds may be constants or integer arithmetic over them; they are numbers only once the model is bound.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Optional, Self, TypeVar, cast, get_origin

from .constants import ConstantExpression, NoValueYetError, lift

T = TypeVar("T")
D = TypeVar("D", bound="Domain")

_LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


class DomainMeta(type):
    """Gives a domain class its members: `for r in Replica`, `len(Replica)`, `Replica(0)`.

    The size is a constant expression; iterating needs a bound model, inside which the name stands for a `BoundDomain`.
    """

    def __iter__(cls: type[D]) -> Iterator[D]:  # type: ignore[misc]
        instead = "a table by numbers or by members of an enum, or a helper function that returns the value"
        raise NoValueYetError(f"{cls.__name__} has no members until the model is bound", instead)

    def __len__(cls) -> int:
        raise NoValueYetError(
            f"{cls.__name__} has no size until the model is bound", "its size in a function, where it is used"
        )

    def __bool__(cls) -> bool:
        """A class is true, as Python's are: printers and test tools ask it."""
        return True


class Domain(metaclass=DomainMeta):
    """A finite set of names: replicas, producers, group members. Members are equal or not, nothing else, unless the
    domain is ordered.

    Class arguments: `size` (a constant or a number, 1 to 26 unless `labels` names more), `symmetric` (the protocol
    treats the members alike, so that states that differ by a renaming are one), `labels` (how members print; letters
    by default), `ordered` (members have an order, neighbours and numbers; such a domain is never symmetric).
    """

    domain_size: ClassVar[ConstantExpression]
    domain_symmetric: ClassVar[bool]
    domain_ordered: ClassVar[bool]
    domain_labels: ClassVar[tuple[str, ...]]
    _members: ClassVar[dict[int, Any]]

    index: int
    __slots__ = ("index",)

    def __init_subclass__(
        cls, *, size: int, symmetric: bool = False, labels: Sequence[str] = _LETTERS, ordered: bool = False
    ) -> None:
        cls.domain_size = lift(size)
        cls.domain_ordered = ordered
        cls.domain_symmetric = symmetric
        cls.domain_labels = tuple(labels)
        cls._members = {}

    def __new__(cls: type[D], index: int) -> D:
        """The member at `index`; the same object each time. IndexError beyond the labels."""
        members = cast("dict[int, D]", cls._members)
        if index not in members:
            if not 0 <= index < len(cls.domain_labels):
                raise IndexError(f"{cls.__name__} has no member {index}")
            member = object.__new__(cls)
            object.__setattr__(member, "index", index)
            members[index] = member
        return members[index]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} members are names; they have no fields to set")

    def __reduce__(self) -> tuple[type[Domain], tuple[int]]:
        return (type(self), (self.index,))

    def __repr__(self) -> str:
        return self.domain_labels[self.index]

    def __next__(self: D) -> D:
        raise TypeError(f"what comes after {self!r} is known when the model is bound")

    def __lt__(self, other: Self) -> bool:
        return NotImplemented if self._is_other_domain(other) else self.index < other.index

    def __le__(self, other: Self) -> bool:
        return NotImplemented if self._is_other_domain(other) else self.index <= other.index

    def __gt__(self, other: Self) -> bool:
        return NotImplemented if self._is_other_domain(other) else self.index > other.index

    def __ge__(self, other: Self) -> bool:
        return NotImplemented if self._is_other_domain(other) else self.index >= other.index

    def _is_other_domain(self, other: object) -> bool:
        return not self.domain_ordered or type(other) is not type(self)


def unwritable_label(labels: Sequence[object]) -> str | None:
    """What of some labels could not be read again where a run is written down; None where nothing."""
    for label in labels:
        if not isinstance(label, str) or not _is_read_back(label):
            return f"the label {label!r}, which is not a name"
        if label.lower() == "none":
            return f"the label {label!r}, which stands for what an option is without a value"
        if labels.count(label) > 1:
            return f"the label {label!r} for two members"
    return None


def _is_read_back(label: str) -> bool:
    """Whether a label stands for itself among the arguments of a step."""
    if re.fullmatch(r"[\w-]+", label) is None:
        return False
    try:
        return ast.get_source_segment(label, ast.parse(label, mode="eval").body) == label
    except SyntaxError:
        return False


class Range:
    """`Annotated[int, Range(lo, hi)]`: integers from `lo` to `hi`, both included."""

    __slots__ = ("hi", "lo")

    def __init__(self, lo: int, hi: int) -> None:
        self.lo: ConstantExpression = lift(lo)
        self.hi: ConstantExpression = lift(hi)


def range_of(annotation: Any) -> Range | None:
    """The range of `Annotated[int, Range(lo, hi)]`; None of anything else. In a model's functions its name also stands
    for the numbers in it, in their order."""
    if get_origin(annotation) is not Annotated or annotation.__origin__ is not int:
        return None
    return next((bounds for bounds in annotation.__metadata__ if isinstance(bounds, Range)), None)


class Capacity:
    """`Annotated[Seq[Record], Capacity(n)]`, likewise `Set` and `Bag` of records: at most `size` elements."""

    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size: ConstantExpression = lift(size)


class Member:
    """`request: Annotated[LeaderAndIsr, Member("requests")]`: a parameter that ranges over the members of that state
    field.

    Needed only where two fields hold the same kind of record; otherwise the record type alone says it.
    """

    __slots__ = ("field",)

    def __init__(self, field: str) -> None:
        self.field = field


class GhostMark:
    """Marks a ghost field; see `Ghost`."""


Ghost = Annotated[T, GhostMark()]
"""`Ghost[T]`: a field for properties only. No guard and no ordinary assignment reads it; it can be folded away."""

Option = Optional
"""`Option[T]`: `None` or a `T`; the same as `T | None`."""
