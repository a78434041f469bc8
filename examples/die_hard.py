"""Two jugs, of 3 and 5 gallons, no marks on them, and a tap: measure 4 gallons (as in the film *Die Hard 3*).

`tidegate check examples/die_hard.py` finds all 16 states and, as the witness `four_gallons`, the shortest way: 6
steps.
"""

from typing import Annotated

from tidegate.language import Range, action, initial, reachable, state


@state
class Jugs:
    """How much water each jug holds, in gallons."""

    small: Annotated[int, Range(0, 3)]  # the jug of 3 gallons
    big: Annotated[int, Range(0, 5)]  # the jug of 5 gallons


@initial
def empty() -> Jugs:
    """Both jugs are empty."""
    return Jugs(small=0, big=0)


@action
def fill_small(s: Jugs) -> None:
    """The small jug is filled at the tap."""
    s.small = 3


@action
def fill_big(s: Jugs) -> None:
    """The big jug is filled at the tap."""
    s.big = 5


@action
def empty_small(s: Jugs) -> None:
    """The small jug is poured out."""
    s.small = 0


@action
def empty_big(s: Jugs) -> None:
    """The big jug is poured out."""
    s.big = 0


@action
def small_to_big(s: Jugs) -> None:
    """The small jug is poured into the big one, as far as it goes."""
    poured = min(s.small, 5 - s.big)
    s.small -= poured
    s.big += poured


@action
def big_to_small(s: Jugs) -> None:
    """The big jug is poured into the small one, as far as it goes."""
    poured = min(s.big, 3 - s.small)
    s.big -= poured
    s.small += poured


@reachable
def four_gallons(s: Jugs) -> bool:
    """The big jug holds exactly 4 gallons."""
    return s.big == 4
