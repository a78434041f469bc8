"""Prisoners and a single lamp, after `Prisoners_Single_Switch/Prisoner.tla`: one of them counts, and announces when all
were in the cell.

16 states with three prisoners, and 62 where nobody knows whether the lamp is on at first.
"""

from typing import Annotated

from tidegate.language import Domain, Map, Range, Set, action, constant, initial, invariant, reachable, require, state

others = constant(2, minimum=1, maximum=5, says="prisoners who do not count")
light_known = constant(True, says="the lamp is off at first")


class Prisoner(Domain, size=others, symmetric=True):
    """A prisoner other than the one who counts."""


@state
class Prison:
    """The lamp, and what the prisoners remember."""

    light: bool
    count: Annotated[int, Range(1, 2 * others + 2)]
    announced: bool
    signalled: Map[Prisoner, Annotated[int, Range(0, 2)]]  # how often each has put the lamp on
    visited: Set[Prisoner]  # who was in the cell
    counter_visited: bool


@initial
def start(light: bool) -> Prison:
    """Nobody was in the cell."""
    require(not (light and light_known))
    return Prison(
        light=light,
        count=1,
        announced=False,
        signalled=Map({p: 0 for p in Prisoner}),
        visited=Set(),
        counter_visited=False,
    )


@action
def count(s: Prison) -> None:
    """The one who counts is in the cell."""
    if s.light:
        s.light = False
        s.count += 1
    s.announced = s.count >= (others + 1 if light_known else 2 * others + 1)
    s.counter_visited = True


@action
def visit(s: Prison, prisoner: Prisoner) -> None:
    """{prisoner} is in the cell."""
    if not s.light and s.signalled[prisoner] < (1 if light_known else 2):
        s.light = True
        s.signalled[prisoner] += 1
    s.visited.add(prisoner)


@invariant
def victory(s: Prison) -> bool:
    """Who announces that all were here is right."""
    return not s.announced or (s.counter_visited and s.visited == Set(Prisoner))


@reachable
def announced(s: Prison) -> bool:
    """It is announced."""
    return s.announced
