"""Non-blocking atomic commitment with crashes (Raynal, 1997), after `nbacc_ray97/nbacc_ray97.tla`.

3,016 states of two processes.
"""

from enum import Enum

from tidegate.language import Domain, Map, Set, action, initial, invariant, require, state


class Process(Domain, size=2):
    """A process."""


class Vote(Enum):
    """What a process says."""

    YES = "yes"
    NO = "no"


class Phase(Enum):
    """How far a process is."""

    YES = "yes"
    NO = "no"
    SENT = "sent"
    ABORT = "abort"
    COMMIT = "commit"
    CRASH = "crash"


Votes = Map[Process, Set[Vote]]


@state
class Commitment:
    """What the processes have said, and heard."""

    phase: Map[Process, Phase]
    sent: Votes
    received: Map[Process, Votes]
    crashed: Map[Process, bool]


@initial
def start(wish: Map[Process, bool], crashed: Map[Process, bool]) -> Commitment:
    """Each has a wish, and a failure detector that says anything."""
    return Commitment(
        phase=Map({p: Phase.YES if wish[p] else Phase.NO for p in Process}),
        sent=Map({p: Set() for p in Process}),
        received=Map({p: Map({q: Set() for q in Process}) for p in Process}),
        crashed=crashed,
    )


def hear(s: Commitment, p: Process, heard: Votes, crash: bool) -> None:
    """A process receives some of what was sent, and asks its failure detector."""
    require(all(heard[q] <= s.sent[q] and s.received[p][q] <= heard[q] for q in Process))
    s.received[p] = heard
    s.crashed[p] = crash


@action
def listen(s: Commitment, p: Process, heard: Votes, crash: bool) -> None:
    """{p} listens."""
    hear(s, p, heard, crash)


@action
def vote(s: Commitment, p: Process, heard: Votes, crash: bool) -> None:
    """{p} says what it wishes."""
    require(s.phase[p] in (Phase.YES, Phase.NO))
    hear(s, p, heard, crash)
    s.sent[p].add(Vote.YES if s.phase[p] == Phase.YES else Vote.NO)
    s.phase[p] = Phase.SENT


@action(kind="fault")
def crash(s: Commitment, p: Process, heard: Votes, suspects: bool) -> None:
    """{p} crashes."""
    require(s.phase[p] != Phase.CRASH)
    hear(s, p, heard, suspects)
    s.phase[p] = Phase.CRASH


@action
def abort(s: Commitment, p: Process, heard: Votes, crash: bool) -> None:
    """{p} aborts: it had heard a no, or suspects a crash."""
    require(s.phase[p] == Phase.SENT)
    require(crash or any(Vote.NO in s.received[p][q] for q in Process))
    hear(s, p, heard, crash)
    s.phase[p] = Phase.ABORT


@action
def commit(s: Commitment, p: Process, heard: Votes) -> None:
    """{p} commits: it has a yes of each, and suspects no crash."""
    require(s.phase[p] == Phase.SENT)
    require(all(Vote.YES in heard[q] for q in Process))
    hear(s, p, heard, False)
    s.phase[p] = Phase.COMMIT


@invariant
def validity(s: Commitment) -> bool:
    """Who commits has heard a yes of each."""
    return all(s.phase[p] != Phase.COMMIT or Vote.YES in s.received[p][q] for p in Process for q in Process)
