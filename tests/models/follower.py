"""Two numbers, the lower of which follows the higher one: the smallest thing to prove by induction."""

from __future__ import annotations

from typing import Annotated

from tidegate.language import Range, action, constant, initial, invariant, lemma, limit, require, state

top = constant(3, minimum=1, maximum=5, says="where we stop looking")
careful = constant(True, says="whether the lower one looks at the higher")
Number = Annotated[int, Range(0, top)]


@state
class Pair:
    """Two numbers."""

    low: Number
    high: Number


@initial
def start() -> Pair:
    """Nothing yet."""
    return Pair(low=0, high=0)


@action
def lead(s: Pair) -> None:
    """The higher one goes on."""
    limit(s.high < top)
    s.high += 1


@action
def follow(s: Pair) -> None:
    """The lower one follows."""
    require(not careful or s.low < s.high)
    limit(s.low < top)
    s.low += 1


@lemma
def in_order(s: Pair) -> bool:
    """The lower one is not ahead."""
    return s.low <= s.high


@invariant
def not_ahead_by_two(s: Pair) -> bool:
    """The lower one is not ahead by two."""
    return s.low < s.high + 2
