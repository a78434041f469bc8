"""What must hold of a group of consumers. G1, G9 to G11 are the numbers of a catalogue of Kafka's properties.

Not all of it is promised by Kafka: docs/producers.md says which setting keeps which.
"""

from __future__ import annotations

from ..language import invariant, reachable, transition
from ..model.consumer.protocol import end, goes_back_to, is_beyond, is_current, is_parted, offset_is_parted, place
from ..model.consumer.state import Consuming, LeaderEpoch, Member, Offset, Partition, Phase
from ..model.parts.replicated_logs import Entry, entries


@invariant
def type_ok(s: Consuming) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


def is_cared_for(s: Consuming, partition: Partition, offset: Offset) -> bool:
    """Whether a record was processed, or somebody has it in hand."""
    entry = s.logs[partition].committed[offset]
    return s.effects[partition][entry] > 0 or any(entry in s.in_hand[member][partition] for member in Member)


@invariant
def at_least_once(s: Consuming) -> bool:
    """G10: what the log has below the group's offset was processed, is in hand, or will be read again (KIP-320)."""
    return all(
        offset < s.first[partition]
        or offset >= end(s, partition)
        or not is_passed(s, partition, s.offset[partition], s.offset_epoch[partition], offset)
        or is_cared_for(s, partition, offset)
        for partition in Partition
        for offset in range(entries)
    )


def is_passed(
    s: Consuming, partition: Partition, known: Offset | None, epoch: LeaderEpoch | None, offset: Offset
) -> bool:
    """Whether an offset is below one from which a member reads on, after it was compared with the leader's log."""
    return known is not None and goes_back_to(s, partition, known, epoch) > offset


@invariant
def nothing_skipped(s: Consuming) -> bool:
    """What the log has below a member's position was processed, is in hand, or will be read again (KIP-320)."""
    return all(
        offset < s.first[partition]
        or offset >= end(s, partition)
        or not is_current(s, member)
        or not is_passed_by(s, member, partition, offset)
        or is_cared_for(s, partition, offset)
        for member in Member
        for partition in Partition
        for offset in range(entries)
    )


@invariant
def nothing_expires_unread(s: Consuming) -> bool:
    """No record is deleted that nobody has processed, or has in hand."""
    return all(
        offset >= s.first[partition] or offset >= end(s, partition) or is_cared_for(s, partition, offset)
        for partition in Partition
        for offset in range(entries)
    )


@invariant
def at_most_once(s: Consuming) -> bool:
    """G11: no record is processed twice."""
    return all(s.effects[partition][entry] <= 1 for partition in Partition for entry in range(entries))


@transition
def in_order(before: Consuming, after: Consuming) -> bool:
    """A record is not processed for the first time after a later one of its partition."""
    return all(
        before.effects[partition][entry] > 0
        or after.effects[partition][entry] == 0
        or not later_was_processed(before, partition, entry)
        for partition in Partition
        for entry in range(entries)
    )


def later_was_processed(s: Consuming, partition: Partition, entry: Entry) -> bool:
    """Whether a record of the log after this one was processed."""
    return entry in s.logs[partition].committed and any(
        s.effects[partition][other] > 0 and place(s, partition, other) > place(s, partition, entry)
        for other in s.logs[partition].committed
    )


@transition
def offset_never_goes_back(before: Consuming, after: Consuming) -> bool:
    """G9: within a generation the group's offset only rises, where there is one."""
    return all(
        before.generation != after.generation
        or after.offset[partition] is None
        or not is_beyond(before.offset[partition], 0)
        or not_less(before.offset[partition], after.offset[partition])
        for partition in Partition
    )


def not_less(before: Offset | None, after: Offset | None) -> bool:
    """Whether two offsets are known, and the second is not less."""
    return before is not None and after is not None and after >= before


@transition
def cut_is_noticed(before: Consuming, after: Consuming) -> bool:
    """KIP-320: where a log is another from an offset on, positions beyond that go back there, and the group's offset.

    It is not asked of those that are yet to go back for an earlier leader's log.
    """
    return all(
        before.leader_epoch[partition] == after.leader_epoch[partition]
        or (
            all(
                is_parted(before, member, partition)
                or not is_passed_by(after, member, partition, shared_length(before, after, partition))
                for member in Member
            )
            and (
                offset_is_parted(before, partition)
                or not is_passed(
                    after,
                    partition,
                    after.offset[partition],
                    after.offset_epoch[partition],
                    shared_length(before, after, partition),
                )
            )
        )
        for partition in Partition
    )


def is_passed_by(s: Consuming, member: Member, partition: Partition, offset: Offset) -> bool:
    """Whether a member has a position from which it will read on behind an offset."""
    return is_passed(s, partition, s.position[member][partition], s.position_epoch[member][partition], offset)


def shared_length(before: Consuming, after: Consuming, partition: Partition) -> int:
    """Up to which offset two logs are the same."""
    old = before.logs[partition].committed
    new = after.logs[partition].committed
    return sum(
        1
        for last in range(entries)
        if last < len(old)
        and last < len(new)
        and all(old[offset] == new[offset] for offset in range(entries) if offset <= last)
    )


@invariant
def one_member_has_it(s: Consuming) -> bool:
    """G1: no two members of the group's generation have one partition."""
    return all(
        a == b or not is_current(s, a) or not is_current(s, b) or len(s.owned[a] & s.owned[b]) == 0
        for a in Member
        for b in Member
    )


@invariant
def one_consumer_has_it(s: Consuming) -> bool:
    """No two consumers have one partition at one moment, whether they are members or were."""
    return all(a == b or len(s.owned[a] & s.owned[b]) == 0 for a in Member for b in Member)


@invariant
def goes_on(s: Consuming) -> bool:
    """No consumer stops because it has no offset."""
    return all(s.phase[member] != Phase.STOPPED for member in Member)


# --- what must be possible --------------------------------------------------------------------------------------------


def everything_processed(s: Consuming) -> bool:
    """Whether all records that there are were processed, some in each partition or all in one."""
    return any(end(s, partition) > 1 for partition in Partition) and all(
        s.effects[partition][entry] > 0 for partition in Partition for entry in s.logs[partition].committed
    )


@reachable
def everything_is_committed(s: Consuming) -> bool:
    """Every record was processed and committed, of a partition with several."""
    return everything_processed(s) and all(
        end(s, partition) == 0 or s.offset[partition] == end(s, partition) for partition in Partition
    )


@reachable
def another_goes_on(s: Consuming) -> bool:
    """In a later generation, records were processed that all are committed."""
    return s.generation > 1 and not s.rebalancing and everything_is_committed(s)


@reachable
def each_has_one(s: Consuming) -> bool:
    """Each consumer has a partition, and has read from it."""
    return all(
        is_current(s, member) and any(is_beyond(s.position[member][p], 0) for p in s.owned[member]) for member in Member
    )
