"""What several of the others ask: where a log ends, whether a commit counts, and what it sets."""

from __future__ import annotations

from ...language import Option, Set
from ..parts.generations import is_current as is_of_generation
from ..parts.replicated_logs import Entry
from .state import (
    Consuming,
    Member,
    Offset,
    Partition,
    commits_epochs,
    detects_truncation,
    fences_commits,
    hands_over,
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
    s.parted[partition].discard(member)
    s.blind[partition].discard(member)


def place(s: Consuming, partition: Partition, entry: Entry) -> int:
    """The offset of a record; behind all where the log does not have it."""
    return min(
        (o for o in range(end(s, partition)) if s.logs[partition].committed[o] == entry), default=end(s, partition)
    )


def changes(s: Consuming, member: Member, partition: Partition) -> bool:
    """Whether a member's position is another than what the group has committed."""
    return s.position[member][partition] is not None and s.position[member][partition] != s.offset[partition]


def commit_positions(s: Consuming, member: Member) -> None:
    """A member commits its positions, if its commits count."""
    for partition in Partition:
        position = s.position[member][partition]
        if accepts(s, member) and partition in s.owned[member] and position is not None:
            commit_at(s, partition, position)
            if member in s.parted[partition] and commits_epochs:
                s.parted_offset.add(partition)
            if member in s.blind[partition]:
                s.blind_offset.add(partition)


def commit_at(s: Consuming, partition: Partition, offset: Offset) -> None:
    """The group's offset is set."""
    s.offset[partition] = offset
    s.parted_offset.discard(partition)
    s.blind_offset.discard(partition)
    if not commits_epochs and epochs_matter(s, partition, offset):
        s.blind_offset.add(partition)


def epochs_matter(s: Consuming, partition: Partition, offset: Offset) -> bool:
    """Whether it makes a difference if an offset has a leader epoch: a log is not truncated below its first record."""
    return truncations > 0 and detects_truncation and offset > s.first[partition]
