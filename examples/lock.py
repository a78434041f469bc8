"""A lock kept in one cell, taken by looking first or by compare-and-set.

The shortest model that has everything: a constant, a symmetric domain, a switch with two profiles, one of which is
broken.

    tidegate check examples/lock.py:careless
    tidegate check examples/lock.py:careful --symmetry
"""

from __future__ import annotations

from enum import Enum

from tidegate.language import Domain, Map, action, constant, initial, invariant, reachable, require, state

clients = constant(2, minimum=2, maximum=4, says="who want the lock")
compare_and_set = constant(True, says="looking and taking are one step")

profiles = {"careless": {"compare_and_set": False}, "careful": {"compare_and_set": True}}


class Client(Domain, size=clients, symmetric=True):
    """Somebody who takes the lock."""


class Place(Enum):
    """Where a client is."""

    OUTSIDE = "outside"
    AT_THE_DOOR = "at_the_door"
    INSIDE = "inside"


@state
class Lock:
    """The cell, and where everybody is."""

    held: bool  # what the cell says
    place: Map[Client, Place]  # where each client is


@initial
def start() -> Lock:
    """Nobody is inside."""
    return Lock(held=False, place=Map({client: Place.OUTSIDE for client in Client}))


@action
def look(s: Lock, client: Client) -> None:
    """{client} looks and finds the lock free."""
    require(not compare_and_set)
    require(s.place[client] == Place.OUTSIDE and not s.held)
    s.place[client] = Place.AT_THE_DOOR


@action
def take(s: Lock, client: Client) -> None:
    """{client} takes the lock and goes in."""
    if compare_and_set:
        require(s.place[client] == Place.OUTSIDE and not s.held)
    else:
        require(s.place[client] == Place.AT_THE_DOOR)
    s.held = True
    s.place[client] = Place.INSIDE


@action
def leave(s: Lock, client: Client) -> None:
    """{client} leaves and gives the lock back."""
    require(s.place[client] == Place.INSIDE)
    s.place[client] = Place.OUTSIDE
    s.held = False


@invariant
def one_inside(s: Lock) -> bool:
    """At most one client is inside."""
    return all(a == b or s.place[a] != Place.INSIDE or s.place[b] != Place.INSIDE for a in Client for b in Client)


@reachable
def somebody_inside(s: Lock) -> bool:
    """Somebody gets in at all."""
    return any(s.place[client] == Place.INSIDE for client in Client)
