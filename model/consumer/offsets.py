"""What several of the others ask: where a log ends, whether a commit counts, and what it sets."""

from __future__ import annotations

from ...language import Option, Set
from ..parts.generations import is_current as is_of_generation
from ..parts.replicated_logs import Entry
from .state import (
    Consuming,
    LeaderEpoch,
    Member,
    Offset,
    Partition,
    commits_epochs,
    detects_truncation,
    fences_commits,
    hands_over,
    returns,
    truncations,
)


def end(s: Consuming, partition: Partition) -> int:
    """The offset after the last record."""
    return len(s.logs[partition].committed)


def beyond(offset: Option[Offset], place: int) -> bool:
    """Whether an offset is known, and greater."""
    return offset is not None and offset > place


def is_current(s: Consuming, member: Member) -> bool:
    """Whether a request of a member counts: it is one, of the group's generation."""
    return is_of_generation(s.group, s.generation, member, s.known[member])


def accepts(s: Consuming, member: Member) -> bool:
    """Whether the coordinator accepts a commit."""
    return is_current(s, member) or not fences_commits


def has_time(s: Consuming, member: Member) -> bool:
    """Whether the application may call poll: it has processed what it got, or another thread does."""
    return hands_over or all(len(s.in_hand[member][partition]) == 0 for partition in Partition)


def has_committed(s: Consuming, member: Member) -> bool:
    """Whether it has committed what it processed, as far as it does so before it polls; who is thrown out cannot."""
    return member not in s.owing or not accepts(s, member)


def forget(s: Consuming, member: Member) -> None:
    """A member has no partition any more; what another thread has in hand stays there."""
    s.owned[member] = Set()
    s.owing.discard(member)
    s.retrying.discard(member)
    for partition in Partition:
        lose_position(s, member, partition)


def lose_position(s: Consuming, member: Member, partition: Partition) -> None:
    """A member has no position in a partition any more."""
    s.position[member][partition] = None
    s.position_epoch[member][partition] = None


def place(s: Consuming, partition: Partition, entry: Entry) -> int:
    """The offset of a record, also of one that was polled and that the log does not have any more."""
    return s.written_at[partition][entry]


def changes(s: Consuming, member: Member, partition: Partition) -> bool:
    """Whether a member's position is another than what the group has committed."""
    return s.position[member][partition] is not None and s.position[member][partition] != s.offset[partition]


def commit_positions(s: Consuming, member: Member) -> None:
    """A member commits its positions, if its commits count."""
    for partition in Partition:
        position = s.position[member][partition]
        if accepts(s, member) and partition in s.owned[member] and position is not None:
            commit_at(s, partition, position, s.position_epoch[member][partition])


def commit_at(s: Consuming, partition: Partition, offset: Offset, epoch: Option[LeaderEpoch]) -> None:
    """The group's offset is set, with its leader epoch if commits have one."""
    s.offset[partition] = offset
    s.offset_epoch[partition] = epoch if commits_epochs else None


# --- leader epochs ----------------------------------------------------------------------------------------------------


def epoch_before(s: Consuming, partition: Partition, offset: Offset) -> Option[LeaderEpoch]:
    """The leader epoch of the record before an offset. It is left out where nobody asks for it, and where it makes no
    difference: a log is not truncated below its first record."""
    if truncations + returns == 0 or not detects_truncation or offset <= s.first[partition]:
        return None
    return epoch_of(s, partition, s.logs[partition].committed[offset - 1])


def epoch_of(s: Consuming, partition: Partition, entry: Entry) -> Option[LeaderEpoch]:
    """The leader epoch of a record, where somebody asks for it."""
    return s.written_in[partition][entry] if truncations + returns > 0 and detects_truncation else None


def epoch_end(s: Consuming, partition: Partition, epoch: LeaderEpoch) -> int:
    """What the leader answers when it is asked where an epoch ends in its log: where the first record of a later one
    is, or else the log's end (LeaderEpochFileCache.endOffsetFor)."""
    older = sum(1 for entry in s.logs[partition].committed if s.written_in[partition][entry] <= epoch)
    return max(s.first[partition], older)


def goes_back_to(s: Consuming, partition: Partition, offset: Offset, epoch: Option[LeaderEpoch]) -> int:
    """Where a position goes that is compared with the leader's log: it stays, unless its epoch ends before it."""
    return offset if epoch is None else min(offset, epoch_end(s, partition, epoch))


def is_parted(s: Consuming, member: Member, partition: Partition) -> bool:
    """Whether a member's position is beyond where its leader epoch ends in the log."""
    position = s.position[member][partition]
    return position is not None and goes_back_to(s, partition, position, s.position_epoch[member][partition]) < position


def offset_is_parted(s: Consuming, partition: Partition) -> bool:
    """Whether the group's offset is."""
    offset = s.offset[partition]
    return offset is not None and goes_back_to(s, partition, offset, s.offset_epoch[partition]) < offset
