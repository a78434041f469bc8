"""Two logs."""

from __future__ import annotations

from typing import Annotated

from tidegate.language import Capacity, Range, Seq, action, constant, initial, invariant, lemma, limit, state

top = constant(3, minimum=1, maximum=5, says="records")
cuts = constant(0, minimum=0, maximum=2, says="how far")
Number = Annotated[int, Range(0, top)]


@state
class Two:
    """Two logs."""

    one: Annotated[Seq[Number], Capacity(top)]
    other: Annotated[Seq[Number], Capacity(top)]
    cut: Annotated[int, Range(0, cuts)]


@initial
def start() -> Two:
    """Nothing yet."""
    return Two(one=Seq([]), other=Seq([]), cut=0)


@action
def write(s: Two, number: Number) -> None:
    """One gets {number}."""
    limit(len(s.one) < top)
    s.one.append(number)


@action
def write_other(s: Two, number: Number) -> None:
    """The other gets {number}."""
    limit(len(s.other) < top)
    s.other.append(number)


@lemma
def share(s: Two) -> bool:
    """They share."""
    return s.one[: s.cut] == s.other[: s.cut]


@invariant
def same(s: Two) -> bool:
    """They are the same as far as they go."""
    return all(s.one[o] == s.other[o] for o in range(len(s.one)) if o < len(s.other))
