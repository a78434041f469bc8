"""Cars on a ring road with a bridge of one lane (Magee and Kramer), after `SingleLaneBridge/SingleLaneBridge.tla`. They
queue before the bridge; those in front go on when nobody comes the other way.

3,605 states with two cars each way.
"""

from typing import Annotated

from tidegate.language import (
    Capacity,
    Domain,
    Map,
    Range,
    Seq,
    action,
    constant,
    initial,
    invariant,
    reachable,
    require,
    state,
)

each_way = constant(2, minimum=1, maximum=3, says="cars that go each way")
positions = constant(8, minimum=4, maximum=10, says="positions on the ring")
first = constant(4, minimum=2, maximum=8, says="where the bridge begins")
last = constant(5, minimum=2, maximum=9, says="where the bridge ends")


class Car(Domain, size=2 * each_way, ordered=True):
    """A car: the first of them go to the right, down the positions, the others to the left."""


Position = Annotated[int, Range(1, positions)]


@state
class Road:
    """Where the cars are, and who waits."""

    place: Map[Car, Position]
    waiting: Annotated[Seq[Car], Capacity(2 * each_way)]


def goes_right(car: Car) -> bool:
    """Whether a car goes down the positions."""
    return car < Car(each_way)


def is_on_bridge(at: Position) -> bool:
    """Whether a position is on the bridge."""
    return first <= at <= last


def following(s: Road, car: Car) -> Position:
    """The position after that of a car."""
    at = s.place[car]
    if goes_right(car):
        return at - 1 if at > 1 else positions
    return at + 1 if at < positions else 1


@initial
def start() -> Road:
    """All cars are at the ends of the road."""
    return Road(place=Map({c: positions if c < Car(each_way) else 1 for c in Car}), waiting=Seq())


def move(s: Road, car: Car) -> None:
    """A car goes on by one position, and queues when the bridge is next."""
    to = following(s, car)
    s.place[car] = to
    if to == (last + 1 if goes_right(car) else first - 1):
        s.waiting.append(car)


@action
def move_outside(s: Road, car: Car) -> None:
    """{car} goes on to a position that is not on the bridge."""
    require(not is_on_bridge(following(s, car)))
    move(s, car)


@action
def move_inside(s: Road, car: Car) -> None:
    """{car}, on the bridge, goes on to a free position."""
    require(is_on_bridge(s.place[car]))
    require(all(s.place[c] != following(s, car) for c in Car))
    move(s, car)


@action
def enter(s: Road) -> None:
    """The car in front of the queue drives onto the bridge."""
    require(len(s.waiting) > 0)
    car = s.waiting[0]
    to = following(s, car)
    nobody = not any(is_on_bridge(s.place[c]) for c in Car)
    same_way = all(goes_right(c) == goes_right(car) for c in Car if is_on_bridge(s.place[c]))
    free = all(s.place[c] != to for c in Car)
    require(nobody or (not is_on_bridge(s.place[car]) and same_way and free))
    s.place[car] = to
    s.waiting = s.waiting[1:]


@invariant
def no_crash(s: Road) -> bool:
    """No two cars are at one position of the bridge."""
    return all(a == b or not is_on_bridge(s.place[a]) or s.place[a] != s.place[b] for a in Car for b in Car)


@invariant
def one_way(s: Road) -> bool:
    """Nobody meets a car that comes the other way."""
    return not any(
        goes_right(a) and not goes_right(b) and is_on_bridge(s.place[a]) and is_on_bridge(s.place[b])
        for a in Car
        for b in Car
    )


@reachable
def full(s: Road) -> bool:
    """The bridge can be full."""
    return sum(1 for c in Car if is_on_bridge(s.place[c])) == last - first + 1
