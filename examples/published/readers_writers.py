"""Readers and writers who are served in the order in which they ask, after `ReadersWriters/ReadersWriters.tla`.

21,527 states with three actors.
"""

from enum import Enum
from typing import Annotated

from tidegate.language import (
    Capacity,
    Domain,
    Seq,
    Set,
    action,
    constant,
    initial,
    invariant,
    reachable,
    record,
    require,
    state,
)

actors = constant(3, minimum=1, maximum=4, says="actors")


class Actor(Domain, size=actors, symmetric=True):
    """Someone who reads and writes."""


class Wish(Enum):
    """What an actor waits for."""

    READ = "read"
    WRITE = "write"


@record
class Request:
    """An actor waits to read or to write."""

    wish: Wish
    by: Actor


@state
class Resource:
    """Who uses it, and who waits."""

    readers: Set[Actor]  # who reads
    writers: Set[Actor]  # who writes
    waiting: Annotated[Seq[Request], Capacity(2 * actors)]  # who waits, in order


@initial
def start() -> Resource:
    """Nobody is there."""
    return Resource(readers=Set(), writers=Set(), waiting=Seq())


@action
def ask(s: Resource, actor: Actor, wish: Wish) -> None:
    """{actor} asks to {wish}."""
    require(Request(wish=wish, by=actor) not in s.waiting)
    s.waiting.append(Request(wish=wish, by=actor))


@action
def serve(s: Resource) -> None:
    """The first in the queue goes in."""
    require(len(s.waiting) > 0)
    require(len(s.writers) == 0)
    first = s.waiting[0]
    require(first.wish == Wish.READ or len(s.readers) == 0)
    s.waiting = s.waiting[1:]
    if first.wish == Wish.READ:
        s.readers.add(first.by)
    else:
        s.writers.add(first.by)


@action
def stop(s: Resource, actor: Actor) -> None:
    """{actor} is done."""
    require(actor in s.readers | s.writers)
    if actor in s.readers:
        s.readers.remove(actor)
    else:
        s.writers.remove(actor)


@invariant
def safety(s: Resource) -> bool:
    """A writer is alone."""
    return len(s.writers) <= 1 and (len(s.readers) == 0 or len(s.writers) == 0)


@reachable
def all_read(s: Resource) -> bool:
    """Everyone reads at once."""
    return s.readers == Set(Actor)
