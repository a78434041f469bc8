"""A hundred prisoners and two switches, after `Prisoners/Prisoners.tla`: one of them counts.

214 states with four prisoners.
"""

from typing import Annotated

from tidegate.language import Domain, Map, Range, action, constant, initial, invariant, reachable, state

others = constant(3, minimum=1, maximum=6, says="prisoners who do not count")


class Prisoner(Domain, size=others, symmetric=True):
    """A prisoner other than the one who counts."""


@state
class Prison:
    """The room with the switches, and what the prisoners remember."""

    a_is_up: bool  # the switch that says something
    b_is_up: bool  # the switch that says nothing
    switched: Map[Prisoner, Annotated[int, Range(0, 2)]]  # how often each has moved switch A up
    count: Annotated[int, Range(0, 2 * others + 1)]  # how often the one who counts has moved it down


@initial
def start(a: bool, b: bool) -> Prison:
    """The switches are anyhow."""
    return Prison(a_is_up=a, b_is_up=b, switched=Map({prisoner: 0 for prisoner in Prisoner}), count=0)


@action
def visit(s: Prison, prisoner: Prisoner) -> None:
    """{prisoner} visits the room."""
    if not s.a_is_up and s.switched[prisoner] < 2:
        s.a_is_up = True
        s.switched[prisoner] += 1
    else:
        s.b_is_up = not s.b_is_up


@action
def count(s: Prison) -> None:
    """The one who counts visits the room."""
    if s.a_is_up:
        s.a_is_up = False
        s.count += 1
    else:
        s.b_is_up = not s.b_is_up


def is_done(s: Prison) -> bool:
    """The one who counts may say that all were here."""
    return s.count == 2 * others


@invariant
def safety(s: Prison) -> bool:
    """When that is said, everyone was here."""
    return not is_done(s) or all(s.switched[prisoner] > 0 for prisoner in Prisoner)


@invariant
def count_invariant(s: Prison) -> bool:
    """The count is what was switched, or one more: the switch may have been up at the beginning."""
    known = sum(s.switched[prisoner] for prisoner in Prisoner) - (1 if s.a_is_up else 0)
    return known <= s.count <= known + 1


@reachable
def done(s: Prison) -> bool:
    """It comes to an end."""
    return is_done(s)
