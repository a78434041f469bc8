"""What readers of committed records may rely on, and do not get where a marker was lost."""

from __future__ import annotations

from ...language import invariant, leads_to, limits_of, reachable, weak
from ...model.studies.lost_marker import *


@invariant
def type_ok(s: Partition) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


def is_ended_by(s: Partition, decided: Set[Txn], kind: Kind) -> bool:
    """Whether a marker of one kind ends a record in the leader's log whose transaction was decided otherwise."""
    log = s.log[s.leader]
    return any(
        log[at].kind == Kind.RECORD and log[at].txn in decided and marker_after(s, at) == kind for at in range(len(log))
    )


@invariant
def committed_is_not_dropped(s: Partition) -> bool:
    """No record of a transaction that was committed is taken for aborted."""
    return not is_ended_by(s, s.committed, Kind.ABORT)


@invariant
def aborted_is_never_delivered(s: Partition) -> bool:
    """T8: no record of a transaction that was aborted is taken for committed."""
    return not is_ended_by(s, s.aborted, Kind.COMMIT)


def hangs(s: Partition) -> bool:
    """Whether a record is open of a transaction that its coordinator takes for complete."""
    return s.phase == Phase.COMPLETE and last_stable_offset(s) < len(s.log[s.leader])


@invariant
def nothing_hangs(s: Partition) -> bool:
    """T12, KAFKA-20716: nothing is open that the coordinator takes for complete."""
    return not hangs(s)


def is_open(s: Partition) -> bool:
    """Whether readers of committed records wait for a transaction that is decided."""
    return s.phase != Phase.ONGOING and last_stable_offset(s) < len(s.log[s.leader])


def is_stable(s: Partition) -> bool:
    """Whether they have read all that is there, or the producer goes on."""
    return not is_open(s)


@leads_to(
    is_stable,
    weak(send_marker),
    weak(complete),
    weak(fetch, each="follower"),
    limits_of(begin),
    limits_of(elect),
    limits_of(fall_behind),
)
def readers_go_on(s: Partition) -> bool:
    """Readers of committed records come to the end once a transaction is decided, whatever the producer does then."""
    return is_open(s)


@reachable
def committed_and_read(s: Partition) -> bool:
    """All transactions were committed, all in sync have their markers, and the leader has moved."""
    log = s.log[s.leader]
    return (
        len(s.committed) == transactions and s.phase == Phase.COMPLETE and len(log) == 2 * transactions and all_have(s)
    )


@reachable
def marker_is_lost_and_sent_again(s: Partition) -> bool:
    """A follower that lacks the marker of a transaction that is decided and not complete may be elected."""
    return is_decided(s) and has_marker(s) and any(len(s.log[b]) < len(s.log[s.leader]) and b in s.isr for b in Broker)
