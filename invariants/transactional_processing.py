"""What must hold of consuming, processing and producing in transactions."""

from __future__ import annotations

from ..language import invariant, reachable, transition
from ..model.parts.generations import Consumer, Partition
from ..model.transactional_processing import *


@invariant
def type_ok(s: Processing) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def exactly_once(s: Processing) -> bool:
    """G12: of each record one result is committed at most, and of each one before the committed offset, one."""
    return all(
        copies(s, p, number) <= 1 and (number >= s.offset[p] or copies(s, p, number) == 1)
        for p in Partition
        for number in range(records)
    )


def copies(s: Processing, partition: Partition, number: Offset) -> Copies:
    """How many results of a record are committed, or will be when their marker comes."""
    return sum(
        1 for result in s.output if result.partition == partition and result.number == number and is_kept(s, result)
    )


def is_kept(s: Processing, result: Result) -> bool:
    """Whether a result is committed, or is to be: that is decided, and a marker is to come."""
    return result.status == Status.COMMITTED or (
        result.writer is not None and s.transactions[result.writer][result.partition].state == Stage.PREPARE_COMMIT
    )


@invariant
def delivered_once(s: Processing) -> bool:
    """What reads the output, as far as it may, gets no result of a record twice."""
    return all(copies_delivered(s, p, number) <= 1 for p in Partition for number in range(records))


def copies_delivered(s: Processing, partition: Partition, number: Offset) -> Copies:
    """How many results of a record a reader has got that has read as far as it may."""
    end = last_stable_offset(s) if reads_committed else len(s.output)
    return sum(
        1
        for at in range(len(s.output))
        if at < end
        and s.output[at].partition == partition
        and s.output[at].number == number
        and (s.output[at].status == Status.COMMITTED or not reads_committed)
    )


def last_stable_offset(s: Processing) -> int:
    """The place of the first result in the output that no marker follows; or its end."""
    end = len(s.output)
    return min((at for at in range(end) if s.output[at].status == Status.OPEN), default=end)


@transition
def offset_only_rises(before: Processing, after: Processing) -> bool:
    """The committed offset of a partition never goes back."""
    return all(after.offset[p] >= before.offset[p] for p in Partition)


@invariant
def one_transaction_at_a_time(s: Processing) -> bool:
    """No two transactions have records of one partition and both an offset that may come to count."""
    return all(
        a == b or not (may_count(s, a, p) and may_count(s, b, p)) for p in Partition for a in Consumer for b in Consumer
    )


def may_count(s: Processing, member: Consumer, partition: Partition) -> bool:
    """Whether an offset of a partition is in a transaction that may be committed, or is."""
    return s.transactions[member][partition].pending and s.transactions[member][partition].state != Stage.PREPARE_ABORT


# --- what must be possible --------------------------------------------------------------------------------------------


def is_zombie(s: Processing, member: Consumer) -> bool:
    """Whether a member has a partition, as far as it knows, that another one has in a newer generation."""
    return any(
        s.known[c] > s.known[member] and any(p in s.owned[c] and p in s.owned[member] for p in Partition)
        for c in Consumer
    )


@reachable
def everything_is_processed(s: Processing) -> bool:
    """A partition that has moved is processed to its end."""
    return all(s.offset[p] == records for p in Partition) and s.generation > 1


@reachable
def zombie_has_written(s: Processing) -> bool:
    """A member has written a result, in a transaction that is under way, and another one has its partition."""
    return any(s.phase[c] == Phase.WROTE and is_zombie(s, c) for c in Consumer)


@reachable
def zombie_has_added_its_offset(s: Processing) -> bool:
    """A partition is another member's while an offset of it is in a transaction that may yet be committed."""
    return any(s.phase[c] == Phase.ADDED and is_zombie(s, c) for c in Consumer)


@reachable
def successor_waits(s: Processing) -> bool:
    """A member has a partition, and no position there, since an offset is in another's transaction."""
    return any(
        s.phase[c] == Phase.IDLE
        and s.position[c][p] is None
        and p in s.owned[c]
        and p in s.holds[c]
        and counts(s, c)
        and is_unstable(s, p)
        for c in Consumer
        for p in Partition
    )


@reachable
def offset_counts_before_its_result(s: Processing) -> bool:
    """An offset is committed whose result has no marker yet."""
    return any(
        result.writer is not None
        and is_under_way(s, result.writer, result.partition)
        and s.offset[result.partition] > result.number
        and is_kept(s, result)
        for result in s.output
    )
