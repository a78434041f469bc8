"""Voting in ballots, the heart of Paxos, after `Paxos/Voting.tla` (Lamport): what is safe to vote for is asked of every
quorum.

77 states by symmetry with three acceptors, two values and two ballots.
"""

from typing import Annotated

from tidegate.language import (
    Domain,
    Map,
    Range,
    Set,
    action,
    constant,
    initial,
    invariant,
    is_majority,
    reachable,
    require,
    state,
    subsets,
    terminal,
)

acceptors = constant(3, minimum=1, maximum=5, says="acceptors")
values = constant(2, minimum=1, maximum=3, says="values to choose from")
ballots = constant(2, minimum=1, maximum=4, says="ballots")


class Acceptor(Domain, size=acceptors, symmetric=True):
    """Someone who votes."""


class Value(Domain, size=values, symmetric=True):
    """What may be chosen."""


Ballot = Annotated[int, Range(0, ballots - 1)]


@state
class Votes:
    """What every acceptor has voted for, and up to which ballot it has promised to vote no more."""

    votes: Map[Acceptor, Map[Ballot, Set[Value]]]  # what each acceptor voted for in each ballot
    promised: Map[Acceptor, Annotated[int, Range(-1, ballots - 1)]]  # it votes in no lower ballot


@initial
def start() -> Votes:
    """Nobody has voted."""
    return Votes(
        votes=Map({a: Map({b: Set() for b in range(ballots)}) for a in Acceptor}),
        promised=Map({a: -1 for a in Acceptor}),
    )


def chosen_at(s: Votes, ballot: int, value: Value) -> bool:
    """A quorum has voted for a value in a ballot."""
    return any(is_majority(q) and all(value in s.votes[a][ballot] for a in q) for q in subsets(Acceptor))


def is_chosen(s: Votes, value: Value) -> bool:
    """A value is chosen in some ballot."""
    return any(chosen_at(s, b, value) for b in range(ballots))


def none_other_at(s: Votes, ballot: int, value: Value) -> bool:
    """No value but this one can be chosen in a ballot any more."""
    return any(
        is_majority(q)
        and all(value in s.votes[a][ballot] or (s.promised[a] > ballot and len(s.votes[a][ballot]) == 0) for a in q)
        for q in subsets(Acceptor)
    )


def shows_safe(s: Votes, quorum: Set[Acceptor], ballot: int, value: Value) -> bool:
    """What a quorum says shows that it is safe to vote for a value: it promised, and the last of it that voted
    before voted for this value."""
    return all(s.promised[a] >= ballot for a in quorum) and any(
        (c == -1 or any(value in s.votes[a][max(c, 0)] for a in quorum))
        and all(len(s.votes[a][d]) == 0 for d in range(c + 1, ballot) for a in quorum)
        for c in range(-1, ballot)
    )


@action
def promise(s: Votes, acceptor: Acceptor, ballot: Ballot) -> None:
    """{acceptor} promises to vote in no ballot before {ballot}."""
    require(ballot > s.promised[acceptor])
    s.promised[acceptor] = ballot


@action
def vote(s: Votes, acceptor: Acceptor, ballot: Ballot, value: Value) -> None:
    """{acceptor} votes for {value} in ballot {ballot}."""
    require(s.promised[acceptor] <= ballot)
    require(len(s.votes[acceptor][ballot]) == 0)
    require(all(s.votes[other][ballot] <= Set([value]) for other in Acceptor if other != acceptor))
    require(any(is_majority(q) and shows_safe(s, q, ballot, value) for q in subsets(Acceptor)))
    s.votes[acceptor][ballot].add(value)
    s.promised[acceptor] = ballot


@invariant
def votes_are_safe(s: Votes) -> bool:
    """Where there is a vote, nothing else can have been chosen in a lower ballot."""
    return all(
        value not in s.votes[a][b] or all(none_other_at(s, c, value) for c in range(b))
        for a in Acceptor
        for b in range(ballots)
        for value in Value
    )


@invariant
def one_value_per_ballot(s: Votes) -> bool:
    """All votes of a ballot are for one value."""
    return all(
        one == other or one not in s.votes[a][b] or other not in s.votes[c][b]
        for a in Acceptor
        for c in Acceptor
        for b in range(ballots)
        for one in Value
        for other in Value
    )


@invariant
def one_is_chosen(s: Votes) -> bool:
    """No two values are chosen."""
    return all(one == other or not (is_chosen(s, one) and is_chosen(s, other)) for one in Value for other in Value)


@reachable
def some_is_chosen(s: Votes) -> bool:
    """A value is chosen."""
    return any(is_chosen(s, value) for value in Value)


@terminal
def all_ballots_are_over(s: Votes) -> bool:
    """Everyone is at the last ballot."""
    return all(s.promised[a] == ballots - 1 for a in Acceptor)
