"""What an author says of the order of values: neighbours in an ordered domain, all subsets, the first of some values.

class Node(Domain, size=nodes, ordered=True): ...

next(node), previous(node)          around the ring: the first follows the last
position(node), Node(2)             a member's number, from 0, and the member with a number
any(... for q in subsets(Node))     every set of members
choose(n for n in Node if ...)      the first in the order of declaration
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from .containers import ModelError
from .kinds import Domain
from .values import Set

T = TypeVar("T")
D = TypeVar("D", bound="Domain")


def subsets(of: Iterable[T]) -> Iterator[Set[T]]:
    """Every set of members of `of` (a domain, an enum, a set, a range of fixed length), the empty one first.

    They come in the order of their bit masks: a member declared later changes more slowly.
    """
    members = tuple(of)
    for mask in range(1 << len(members)):
        yield Set([member for at, member in enumerate(members) if mask >> at & 1])


def choose(candidates: Iterable[T]) -> T:
    """The first of some values, in the order in which they are declared or lie in a sequence; ModelError for none."""
    for member in candidates:
        return member
    raise ModelError("there is nothing to choose from")


def position(member: Domain) -> int:
    """The number of a member of an ordered domain, counted from 0."""
    return member.index


def previous(member: D) -> D:
    """The member of an ordered domain before this one; before the first comes the last.

    It needs a bound model, inside which the name stands for a function that knows how many members there are.
    """
    raise TypeError(f"what comes before {member!r} is known when the model is bound")
