"""Creatures that meet in pairs and change their colors, after `Chameneos/Chameneos.tla`.

34,534 states with four creatures and four meetings.
"""

from enum import Enum
from typing import Annotated

from tidegate.language import (
    Domain,
    Map,
    Range,
    action,
    choose,
    constant,
    initial,
    invariant,
    require,
    state,
    terminal,
)

creatures = constant(4, minimum=2, maximum=5, says="creatures")
meetings = constant(4, minimum=1, maximum=6, says="meetings, after which they fade")


class Creature(Domain, size=creatures, symmetric=True):
    """Someone who meets others."""


class Color(Enum):
    """What a creature looks like."""

    BLUE = "blue"
    RED = "red"
    YELLOW = "yellow"


@state
class World:
    """The creatures, and who waits for another."""

    color: Map[Creature, Color | None]  # each creature's color; none when it has faded
    met: Map[Creature, Annotated[int, Range(0, meetings)]]  # how many others each has met
    waiting: Creature | None  # who is in the meeting place
    count: Annotated[int, Range(0, meetings)]  # meetings so far


@initial
def start(color: Map[Creature, Color]) -> World:
    """Any colors, and nobody waits."""
    return World(color=Map({c: color[c] for c in Creature}), met=Map({c: 0 for c in Creature}), waiting=None, count=0)


def complement(one: Color | None, other: Color | None) -> Color | None:
    """The color that both take on: their own, or the one that neither has."""
    return one if one == other else choose(c for c in Color if c not in (one, other))


@action
def enter(s: World, creature: Creature) -> None:
    """{creature} waits in the meeting place."""
    require(s.color[creature] is not None)
    require(s.waiting is None and s.count < meetings)
    s.waiting = creature


@action
def fade(s: World, creature: Creature) -> None:
    """{creature} fades: there were enough meetings."""
    require(s.color[creature] is not None)
    require(s.waiting is None and s.count == meetings)
    s.color[creature] = None


@action
def meet(s: World, creature: Creature, other: Creature) -> None:
    """{creature} meets {other}, who waits."""
    require(s.waiting == other and other != creature)
    mine = s.color[creature]
    theirs = s.color[other]
    require(mine is not None and theirs is not None)
    both = complement(mine, theirs)
    s.waiting = None
    s.color[creature] = both
    s.color[other] = both
    s.met[creature] += 1
    s.met[other] += 1
    s.count += 1


@invariant
def sum_met(s: World) -> bool:
    """In the end all have met twice as many as there were meetings."""
    return s.count != meetings or sum(s.met[c] for c in Creature) == 2 * meetings


@terminal
def all_have_faded(s: World) -> bool:
    """Nobody has a color any more."""
    return all(s.color[c] is None for c in Creature)
