"""Who has the majority of votes, found in one pass (Boyer and Moore, 1981), after `Majority/Majority.tla`.

2,733 states with three candidates and at most five votes.
"""

from typing import Annotated

from tidegate.language import Domain, Map, Option, Range, action, constant, initial, invariant, require, state, terminal

votes = constant(5, minimum=1, maximum=6, says="votes, at most")


class Candidate(Domain, size=3, symmetric=True):
    """Somebody to vote for."""


Position = Annotated[int, Range(0, votes - 1)]
Number = Annotated[int, Range(0, votes)]


@state
class Count:
    """The votes, and how far they are counted."""

    vote: Map[Position, Option[Candidate]]  # none where there are not so many votes
    at: Number
    leads: Candidate
    lead: Number


@initial
def start(vote: Map[Position, Option[Candidate]], leads: Candidate) -> Count:
    """Some votes, and anybody."""
    require(all(vote[p] is None or p == 0 or vote[p - 1] is not None for p in range(votes)))
    return Count(vote=vote, at=0, leads=leads, lead=0)


@action
def look(s: Count) -> None:
    """The next vote is looked at."""
    require(s.at < votes and s.vote[s.at] is not None)
    seen = s.vote[s.at]
    if seen is not None:
        if s.lead == 0:
            s.leads = seen
            s.lead = 1
        elif s.leads == seen:
            s.lead += 1
        else:
            s.lead -= 1
    s.at += 1


def seen_of(s: Count, candidate: Candidate) -> int:
    """How many of the votes that were looked at are for somebody."""
    return sum(1 for p in range(s.at) if s.vote[p] == candidate)


@terminal
def all_seen(s: Count) -> bool:
    """There is no vote left."""
    return s.at == sum(1 for p in range(votes) if s.vote[p] is not None)


@invariant
def correct(s: Count) -> bool:
    """At the end, who has more than half of the votes leads."""
    return not all_seen(s) or all(2 * seen_of(s, c) <= s.at or c == s.leads for c in Candidate)


@invariant
def known(s: Count) -> bool:
    """What the lead says of the votes that were looked at."""
    mine = seen_of(s, s.leads)
    others = all(c == s.leads or 2 * seen_of(s, c) <= s.at - s.lead for c in Candidate)
    return s.lead <= mine and 2 * (mine - s.lead) <= s.at - s.lead and others
