"""What Raft promises of elections, and nothing of how it keeps it: a term has one leader, and has it once.

Nobody leads a term at first; then somebody is elected, and when that one no longer leads the term is over. Who it is
does not matter. KRaft's epochs are such terms (docs/refinement.md). The source is the election safety of the Raft
paper, section 5.2.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ..language import Map, Range, Set, action, constant, initial, require, state, terminal

terms = constant(2, minimum=1, maximum=8, says="terms are 1 to this")

Term = Annotated[int, Range(0, terms)]


class Leadership(Enum):
    """How it is with the leader of a term."""

    NOBODY = "nobody"  # none is elected yet
    ONE = "one"  # one leads
    OVER = "over"  # one led
    SEVERAL = "several"  # more than one lead: no election comes to this


def led_by(leaders: int, elected: bool) -> Leadership:
    """How it is with a term that so many lead, and for which somebody was elected or nobody."""
    if leaders > 1:
        return Leadership.SEVERAL
    if leaders == 1:
        return Leadership.ONE
    return Leadership.OVER if elected else Leadership.NOBODY


@state
class Terms:
    """The terms, each with its leader."""

    leadership: Map[Term, Leadership]  # how it is with the leader of each term


@initial
def start() -> Terms:
    """Nobody leads any term."""
    return Terms(leadership=Map({term: Leadership.NOBODY for term in range(terms + 1)}))


@action
def elect(s: Terms, term: Term, over: Set[Term]) -> None:
    """Term {term} gets its leader; whoever led the terms {over} hears of it at once."""
    require(term > 0 and s.leadership[term] == Leadership.NOBODY)
    require(all(s.leadership[epoch] == Leadership.ONE for epoch in over))
    s.leadership[term] = Leadership.ONE
    for epoch in over:
        s.leadership[epoch] = Leadership.OVER


@action
def step_down(s: Terms, term: Term) -> None:
    """The leader of term {term} no longer leads."""
    require(s.leadership[term] == Leadership.ONE)
    s.leadership[term] = Leadership.OVER


@terminal
def all_over(s: Terms) -> bool:
    """Every term has had its leader."""
    return all(s.leadership[term] != Leadership.NOBODY for term in range(1, terms + 1))
