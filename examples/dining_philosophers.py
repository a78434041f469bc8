"""The dining philosophers as Chandy and Misra let them eat: forks are clean or dirty, and a dirty one is handed over.

Five philosophers sit around a table with a fork between each two; eating takes both neighbouring forks, clean. A
philosopher who holds a dirty fork cleans it and hands it to the neighbour. 67 states for 5, and nobody waits in a
circle.
"""

from enum import Enum
from typing import Annotated

from tidegate.language import Map, Range, action, constant, initial, invariant, reachable, record, require, state

philosophers = constant(5, minimum=2, maximum=8, says="philosophers at the table, and forks on it")

Seat = Annotated[int, Range(0, philosophers - 1)]  # the fork of the same number is at the left


class Doing(Enum):
    """What a philosopher does next."""

    LOOKING = "looking"
    EATING = "eating"
    THINKING = "thinking"


@record
class Fork:
    """Who holds a fork, and whether it is clean."""

    holder: Seat
    clean: bool


@state
class Table:
    """The forks and the philosophers."""

    forks: Map[Seat, Fork]  # fork n lies between seats n - 1 and n
    doing: Map[Seat, Doing]
    hungry: Map[Seat, bool]


def right(seat: int) -> int:
    """The seat, and the fork, at the right."""
    return (seat + 1) % philosophers


def left_seat(seat: int) -> int:
    """The seat at the left; the fork at the left has the seat's own number."""
    return (seat + philosophers - 1) % philosophers


@initial
def seated() -> Table:
    """All are hungry. Each holds the left fork, dirty, but the first holds both, so that the forks form no circle."""
    return Table(
        forks=Map({seat: Fork(holder=0 if seat == 1 else seat, clean=False) for seat in range(philosophers)}),
        doing=Map({seat: Doing.LOOKING for seat in range(philosophers)}),
        hungry=Map({seat: True for seat in range(philosophers)}),
    )


def holds_dirty(s: Table, seat: int, fork: int) -> bool:
    """Whether the philosopher holds that fork, and it is dirty."""
    return s.forks[fork].holder == seat and not s.forks[fork].clean


def holds_clean(s: Table, seat: int, fork: int) -> bool:
    """Whether the philosopher holds that fork, and it is clean."""
    return s.forks[fork].holder == seat and s.forks[fork].clean


@action
def look(s: Table, seat: Seat) -> None:
    """Philosopher {seat} hands over a dirty fork, if any, and sees what to do."""
    require(s.doing[seat] == Doing.LOOKING)
    can_eat = holds_clean(s, seat, seat) and holds_clean(s, seat, right(seat))
    if holds_dirty(s, seat, seat):
        s.forks[seat] = Fork(holder=left_seat(seat), clean=True)
    elif holds_dirty(s, seat, right(seat)):
        s.forks[right(seat)] = Fork(holder=right(seat), clean=True)
    if not s.hungry[seat]:
        s.doing[seat] = Doing.THINKING
    elif can_eat:
        s.doing[seat] = Doing.EATING


@action
def eat(s: Table, seat: Seat) -> None:
    """Philosopher {seat} eats, and both forks are dirty."""
    require(s.doing[seat] == Doing.EATING)
    s.hungry[seat] = False
    s.forks[seat] = Fork(holder=s.forks[seat].holder, clean=False)
    s.forks[right(seat)] = Fork(holder=s.forks[right(seat)].holder, clean=False)
    s.doing[seat] = Doing.LOOKING


@action
def think(s: Table, seat: Seat) -> None:
    """Philosopher {seat} thinks, and gets hungry."""
    require(s.doing[seat] == Doing.THINKING)
    s.hungry[seat] = True
    s.doing[seat] = Doing.LOOKING


@invariant
def neighbours_never_eat_together(s: Table) -> bool:
    """No two neighbours, who share a fork, eat at once."""
    return all(s.doing[seat] != Doing.EATING or s.doing[right(seat)] != Doing.EATING for seat in range(philosophers))


@reachable
def somebody_eats(s: Table) -> bool:
    """A philosopher eats."""
    return any(s.doing[seat] == Doing.EATING for seat in range(philosophers))
