"""Paxos without leaders or learners of their own, after `SimplifiedFastPaxos/Paxos.tla`: messages are never taken away,
and may be read by anybody at any later time.

1,207 states by symmetry with four replicas, three values and two ballots.
"""

from typing import Annotated

from tidegate.language import (
    Capacity,
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
    record,
    require,
    state,
    subsets,
    transition,
)

replicas = constant(4, minimum=1, maximum=5, says="replicas")
values = constant(3, minimum=1, maximum=3, says="values that may be proposed")
ballots = constant(2, minimum=1, maximum=3, says="ballots, besides 0, in which nobody has proposed")


class Replica(Domain, size=replicas, symmetric=True):
    """A replica that promises and accepts."""


class Value(Domain, size=values, symmetric=True):
    """What may be decided."""


Ballot = Annotated[int, Range(0, ballots)]


@record
class Prepare:
    """Phase 1a: somebody asks for promises."""

    ballot: Ballot


@record
class Promise:
    """Phase 1b: a replica promises to accept nothing of a lower ballot, and says what it accepted last."""

    ballot: Ballot
    by: Replica
    last: Ballot  # 0 when it has accepted nothing
    value: Value | None


@record
class Accept:
    """Phase 2a: a value is proposed."""

    ballot: Ballot
    value: Value


@record
class Accepted:
    """Phase 2b: a replica accepts a value."""

    ballot: Ballot
    by: Replica
    value: Value


@state
class Paxos:
    """The replicas, and all messages that were ever sent."""

    prepares: Annotated[Set[Prepare], Capacity(ballots)]  # phase 1a
    promises: Annotated[Set[Promise], Capacity(replicas * ballots)]  # phase 1b
    proposals: Annotated[Set[Accept], Capacity(ballots)]  # phase 2a
    acceptances: Annotated[Set[Accepted], Capacity(replicas * ballots)]  # phase 2b
    promised: Map[Replica, Ballot]  # the highest ballot that each has seen
    last: Map[Replica, Ballot]  # the highest ballot in which each has accepted
    value: Map[Replica, Value | None]  # what it accepted there
    decision: Value | None  # what was decided


@initial
def start() -> Paxos:
    """Nothing was sent."""
    return Paxos(
        prepares=Set(),
        promises=Set(),
        proposals=Set(),
        acceptances=Set(),
        promised=Map({r: 0 for r in Replica}),
        last=Map({r: 0 for r in Replica}),
        value=Map({r: None for r in Replica}),
        decision=None,
    )


@action
def prepare(s: Paxos, ballot: Ballot) -> None:
    """Somebody asks for promises in ballot {ballot}."""
    require(ballot > 0)
    s.prepares.add(Prepare(ballot=ballot))


@action
def promise(s: Paxos, replica: Replica, asked: Prepare) -> None:
    """{replica} promises to accept nothing before ballot {asked.ballot}."""
    require(s.promised[replica] < asked.ballot)
    s.promised[replica] = asked.ballot
    s.promises.add(Promise(ballot=asked.ballot, by=replica, last=s.last[replica], value=s.value[replica]))


def may_propose(s: Paxos, ballot: int, value: Value, quorum: Set[Replica]) -> bool:
    """A quorum has promised, and of what it has accepted the last was this value, if there was any."""
    heard = all(any(m.ballot == ballot and m.by == r for m in s.promises) for r in quorum)
    highest = max((m.last for m in s.promises if m.ballot == ballot and m.by in quorum), default=0)
    forced = any(m.ballot == ballot and m.by in quorum and m.last == highest and m.value == value for m in s.promises)
    return heard and (highest == 0 or forced)


@action
def propose(s: Paxos, ballot: Ballot, value: Value) -> None:
    """{value} is proposed in ballot {ballot}."""
    require(all(m.ballot != ballot for m in s.proposals))
    require(
        any(is_majority(q) and may_propose(s, ballot, value, q) for q in subsets(Replica) if len(q) == quorum_size())
    )
    s.proposals.add(Accept(ballot=ballot, value=value))


def quorum_size() -> int:
    """How many replicas are just a majority."""
    return replicas // 2 + 1


@action
def accept(s: Paxos, replica: Replica, proposal: Accept) -> None:
    """{replica} accepts {proposal.value} in ballot {proposal.ballot}."""
    require(s.promised[replica] <= proposal.ballot)
    s.promised[replica] = proposal.ballot
    s.last[replica] = proposal.ballot
    s.value[replica] = proposal.value
    s.acceptances.add(Accepted(ballot=proposal.ballot, by=replica, value=proposal.value))


@action
def decide(s: Paxos, ballot: Ballot, value: Value) -> None:
    """A majority has accepted {value} in ballot {ballot}."""
    require(is_majority(Set(m.by for m in s.acceptances if m.ballot == ballot and m.value == value)))
    s.decision = value


@invariant
def nontriviality(s: Paxos) -> bool:
    """Only what was proposed is decided."""
    return s.decision is None or any(m.value == s.decision for m in s.acceptances)


@transition
def consistency(before: Paxos, after: Paxos) -> bool:
    """What is decided stays decided."""
    return before.decision is None or before.decision == after.decision


@reachable
def is_decided(s: Paxos) -> bool:
    """A value is decided."""
    return s.decision is not None
