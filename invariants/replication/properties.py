"""What must hold of Kafka's replication, what must never happen in one step, and what must be possible.

The published specification states `weak_isr`, `strong_isr` and `leader_in_isr`; the others say the same promise from
the side of the records. They need ghosts: a record is *committed* once it was below the high watermark of a replica
that believed itself to be the leader, since a consumer may then have read it.

One thing to know before trusting `strong_isr`: as published, the controller can empty the ISR. Where no leader is
elected and one member is left, the controller may remove that member too. No replica can be elected after that, and a
property of all members of the ISR holds of an empty ISR. The properties about logs and leaders still speak.
"""

from __future__ import annotations

from ...language import invariant, reachable, transition
from ...model.replication import Partition, RecordId, Replica, is_true_leader, presumes_leadership

# --- in every state ---------------------------------------------------------------------------------------------------


@invariant
def type_ok(s: Partition) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def leader_in_isr(s: Partition) -> bool:
    """The leader that ZooKeeper names, if any, is in the ISR."""
    return s.quorum.leader is None or s.quorum.leader in s.quorum.isr


@invariant
def one_leader_per_epoch(s: Partition) -> bool:
    """No two replicas believe that they lead the same epoch."""
    return all(
        one == other
        or not presumes_leadership(s, one)
        or not presumes_leadership(s, other)
        or s.leader_epoch[one] != s.leader_epoch[other]
        for one in Replica
        for other in Replica
    )


@invariant
def weak_isr(s: Partition) -> bool:
    """Every member of the ISR that a leader knows holds the leader's records below the leader's high watermark."""
    return all(
        have_same_record(s, leader, follower, offset)
        for leader in Replica
        if presumes_leadership(s, leader)
        for follower in s.isr[leader]
        for offset in range(s.high_watermark[leader])
    )


@invariant
def strong_isr(s: Partition) -> bool:
    """Every member of the ISR in ZooKeeper holds each leader's records below that leader's high watermark."""
    return all(
        have_same_record(s, leader, follower, offset)
        for leader in Replica
        if presumes_leadership(s, leader)
        for follower in s.quorum.isr
        for offset in range(s.high_watermark[leader])
    )


def have_same_record(s: Partition, one: Replica, other: Replica, offset: int) -> bool:
    """Whether both logs have a record at the offset, and it is the same."""
    return offset < len(s.log[one]) and offset < len(s.log[other]) and s.log[one][offset] == s.log[other][offset]


@invariant
def leader_completeness(s: Partition) -> bool:
    """The leader holds every record that was ever committed."""
    return all(
        any(record.id == id for record in s.log[leader])
        for leader in Replica
        if is_true_leader(s, leader)
        for id in s.committed
    )


@invariant
def log_matching(s: Partition) -> bool:
    """Two logs with a record of the same epoch at the same offset are the same up to there."""
    return all(
        s.log[one][before] == s.log[other][before]
        for one in Replica
        for other in Replica
        for offset in range(min(len(s.log[one]), len(s.log[other])))
        if s.log[one][offset].epoch == s.log[other][offset].epoch
        for before in range(offset + 1)
    )


@invariant
def committed_log_matching(s: Partition) -> bool:
    """Two logs are the same below both high watermarks."""
    return all(
        s.log[one][offset] == s.log[other][offset]
        for one in Replica
        for other in Replica
        for offset in range(min(s.high_watermark[one], s.high_watermark[other]))
    )


# --- in every step ----------------------------------------------------------------------------------------------------


def has_record(s: Partition, replica: Replica, id: RecordId) -> bool:
    """Whether a replica's log has a producer's record."""
    return any(record.id == id for record in s.log[replica])


def is_below_true_high_watermark(s: Partition, id: RecordId) -> bool:
    """Whether a record was committed, and every member of the ISR holds it. The true high watermark, which a leader's
    may lag, is how many of these there are."""
    return id in s.committed and all(has_record(s, replica, id) for replica in s.quorum.isr)


@transition
def true_high_watermark_never_decreases(before: Partition, after: Partition) -> bool:
    """The true high watermark never goes back: committed records that all of the ISR hold stay in all of the ISR."""
    return all(
        is_below_true_high_watermark(after, id) for id in before.committed if is_below_true_high_watermark(before, id)
    )


@transition
def no_truncation_below_true_high_watermark(before: Partition, after: Partition) -> bool:
    """No member of the ISR truncates its log below the true high watermark: it keeps each record below it."""
    return all(
        has_record(after, replica, id)
        for replica in before.quorum.isr
        for id in before.committed
        if is_below_true_high_watermark(before, id)
    )


@transition
def leader_epochs_never_decrease(before: Partition, after: Partition) -> bool:
    """No leader epoch goes back, neither ZooKeeper's nor a replica's."""
    return after.quorum.leader_epoch >= before.quorum.leader_epoch and all(
        after.leader_epoch[replica] >= before.leader_epoch[replica] for replica in Replica
    )


@transition
def a_leaders_high_watermark_never_decreases(before: Partition, after: Partition) -> bool:
    """As long as a replica leads in one epoch, its high watermark does not go back (a follower's may)."""
    return all(
        after.high_watermark[replica] >= before.high_watermark[replica]
        for replica in Replica
        if presumes_leadership(before, replica) and after.leader_epoch[replica] == before.leader_epoch[replica]
    )


# --- what must be possible --------------------------------------------------------------------------------------------


@reachable
def record_is_committed(s: Partition) -> bool:
    """A leader's high watermark passes a record."""
    return any(presumes_leadership(s, leader) and s.high_watermark[leader] > 0 for leader in Replica)


@reachable
def isr_shrinks_and_grows_back(s: Partition) -> bool:
    """A replica that was taken out of the ISR is in it again."""
    return any(replica in s.quorum.isr for replica in s.left_isr)


@reachable
def two_replicas_lead(s: Partition) -> bool:
    """Two replicas believe at once that they lead."""
    return any(
        one != other and presumes_leadership(s, one) and presumes_leadership(s, other)
        for one in Replica
        for other in Replica
    )
