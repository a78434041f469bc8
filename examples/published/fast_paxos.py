"""Fast Paxos, simplified: a value may be chosen without a coordinator; where votes collide, it chooses among them.

After FastPaxos.tla and Paxos.tla by Lim Ngian Xin Terry and Gaurav Gandhi, in tlaplus/Examples
(specifications/SimplifiedFastPaxos), with the constants of FastPaxos.cfg: four replicas, three values, ballots 0 to 4,
of which 1 and 3 are fast. TLC finds 25,617 states by symmetry.

Each kind of its messages is a field of its own; what it says of `{m \\in messages : ...}` is said by the same filters.
`any`, the value of a question that leaves the choice to the replicas, is None.
"""

from __future__ import annotations

from typing import Annotated

from tidegate.language import (
    Capacity,
    Domain,
    Map,
    Range,
    Set,
    action,
    initial,
    invariant,
    reachable,
    record,
    require,
    state,
    transition,
)


class Replica(Domain, size=4, symmetric=True):
    """An acceptor."""


class Value(Domain, size=3, symmetric=True):
    """What is decided on."""


Ballot = Annotated[int, Range(0, 4)]
FAST = Set([1, 3])


@record
class Ask:
    """Phase 2a: the coordinator asks for votes, for one value, or with None for any."""

    ballot: Ballot
    value: Value | None


@record
class Vote:
    """Phase 2b."""

    ballot: Ballot
    by: Replica
    value: Value


@state
class Consensus:
    """All messages that were ever sent, what replicas remember, and what the coordinator chose."""

    asked: Annotated[Set[Ask], Capacity(4)]
    votes: Annotated[Set[Vote], Capacity(16)]
    decision: Value | None
    promised: Map[Replica, Ballot]
    voted_in: Map[Replica, Ballot]
    voted_for: Map[Replica, Value | None]
    chosen: Value | None


def votes_of(s: Consensus, ballot: Ballot, quorum: Set[Replica]) -> Set[Vote]:
    """The votes of a quorum in a ballot."""
    return Set(m for m in s.votes if m.ballot == ballot and m.by in quorum)


def is_complete(votes: Set[Vote], quorum: Set[Replica]) -> bool:
    """Whether all of a quorum voted."""
    return {m.by for m in votes} == quorum


def is_majority_value(votes: Set[Vote], value: Value) -> bool:
    """Whether more than half of the votes are for a value."""
    return len(votes) // 2 < len({m for m in votes if m.value == value})


@initial
def start() -> Consensus:
    """Nothing was said."""
    return Consensus(
        asked=Set(),
        votes=Set(),
        decision=None,
        promised=Map({r: 0 for r in Replica}),
        voted_in=Map({r: 0 for r in Replica}),
        voted_for=Map({r: None for r in Replica}),
        chosen=None,
    )


@action
def ask_for_any(s: Consensus, ballot: Ballot) -> None:
    """The coordinator asks for any value in the fast ballot {ballot}."""
    require(ballot in FAST)
    s.asked |= {Ask(ballot=ballot, value=None)}


@action
def propose(s: Consensus, replica: Replica, question: Ask, value: Value) -> None:
    """{replica} votes for {value} in the fast ballot {question.ballot}."""
    require(question.value is None)
    require(s.promised[replica] <= question.ballot)
    require(s.voted_for[replica] is None or s.voted_for[replica] == value)
    require(not any(m.ballot == question.ballot and m.by == replica for m in s.votes))
    s.promised[replica] = question.ballot
    s.voted_in[replica] = question.ballot
    s.voted_for[replica] = value
    s.votes |= {Vote(ballot=question.ballot, by=replica, value=value)}


@action
def decide_fast(s: Consensus, quorum: Set[Replica], vote: Vote) -> None:
    """All of {quorum} voted for {vote.value} in the fast ballot {vote.ballot}: it is decided."""
    require(vote.ballot in FAST and len(quorum) == 3 and vote.by in quorum)
    require(is_complete(votes_of(s, vote.ballot, quorum), quorum))
    require(len({m.value for m in votes_of(s, vote.ballot, quorum)}) == 1)
    s.decision = vote.value


@action
def ask_again(s: Consensus, ballot: Ballot, fast: Ballot, quorum: Set[Replica], value: Value) -> None:
    """The votes of {quorum} in the fast ballot {fast} collided: the coordinator asks for {value} in ballot {ballot}."""
    require(ballot not in FAST and fast in FAST and fast < ballot and len(quorum) == 3)
    require(s.chosen is None or s.chosen == value)
    require(all(m.ballot != ballot for m in s.asked))
    require(is_complete(votes_of(s, fast, quorum), quorum))
    require(len({m.value for m in votes_of(s, fast, quorum)}) > 1)
    require(
        is_majority_value(votes_of(s, fast, quorum), value)
        if any(is_majority_value(votes_of(s, fast, quorum), m.value) for m in votes_of(s, fast, quorum))
        else value in {m.value for m in votes_of(s, fast, quorum)}
    )
    s.chosen = value
    s.asked |= {Ask(ballot=ballot, value=value)}


@action
def accept(s: Consensus, replica: Replica, question: Ask, value: Value) -> None:
    """{replica} votes for {value} in the classic ballot {question.ballot}."""
    require(question.value == value)
    require(s.promised[replica] <= question.ballot)
    s.promised[replica] = question.ballot
    s.voted_in[replica] = question.ballot
    s.voted_for[replica] = value
    s.votes |= {Vote(ballot=question.ballot, by=replica, value=value)}


@action
def decide(s: Consensus, quorum: Set[Replica], vote: Vote) -> None:
    """All of {quorum} voted in the classic ballot {vote.ballot}: its value is decided."""
    require(vote.ballot not in FAST and len(quorum) == 3 and vote.by in quorum)
    require(is_complete(votes_of(s, vote.ballot, quorum), quorum))
    s.decision = vote.value


@invariant
def proposed(s: Consensus) -> bool:
    """What is decided was proposed in a fast ballot."""
    return s.decision is None or any(m.value == s.decision and m.ballot in FAST for m in s.votes)


@transition
def decided_once(before: Consensus, after: Consensus) -> bool:
    """What is decided stays decided."""
    return before.decision is None or before.decision == after.decision


@reachable
def decided_after_a_collision(s: Consensus) -> bool:
    """Votes collide, and a value is decided all the same."""
    return s.decision is not None and s.chosen == s.decision and len({m.value for m in s.votes}) == 3
