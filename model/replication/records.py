"""A record is written, fetched by the followers, and committed when the high watermark passes it."""

from __future__ import annotations

from ...language import action, limit, require
from .followers import cut, truncation_offset
from .ghosts import note_committed, note_written
from .leaders import presumes_leadership
from .state import (
    Partition,
    Record,
    Replica,
    compare_last_epoch,
    fence_fetch,
    fence_high_watermark,
    fence_truncation,
    log_size,
    max_records,
    truncate_on_fetch,
)


@action(kind="client")
def write(s: Partition, leader: Replica) -> None:
    """{leader} appends a producer's record at offset {len(s.log[leader])}, in epoch {s.leader_epoch[leader]}."""
    require(presumes_leadership(s, leader))
    limit(s.next_record_id < max_records)
    limit(len(s.log[leader]) < log_size)
    written = Record(id=s.next_record_id, epoch=s.leader_epoch[leader])
    s.log[leader].append(written)
    note_written(s, leader, written)
    s.next_record_id += 1


def follows(s: Partition, follower: Replica, leader: Replica) -> bool:
    """Whether the follower regards that replica as its leader (a leader follows itself)."""
    return s.leader[follower] == leader


def are_in_one_epoch(s: Partition, one: Replica, other: Replica) -> bool:
    """Whether the newest leader epoch that both have learned of is the same."""
    return s.leader_epoch[one] == s.leader_epoch[other]


def has_reached(s: Partition, follower: Replica, leader: Replica, end: int) -> bool:
    """Whether the follower's log goes up to `end`, and, where a fetch carries it, its epoch there is the leader's."""
    return len(s.log[follower]) >= end and (
        not compare_last_epoch or end == 0 or s.log[follower][end - 1].epoch == s.log[leader][end - 1].epoch
    )


@action
def fetch(s: Partition, leader: Replica, follower: Replica) -> None:
    """{follower} fetches the record at offset {len(s.log[follower])} from {leader}."""
    require(presumes_leadership(s, leader))
    require(follows(s, follower, leader))
    require(not fence_fetch or are_in_one_epoch(s, follower, leader))
    end = len(s.log[follower])
    require(end < len(s.log[leader]))
    require(has_reached(s, follower, leader, end))
    s.log[follower].append(s.log[leader][end])
    s.high_watermark[follower] = min(s.high_watermark[leader], end + 1)
    s.committed_by[follower] = s.committed_by[leader]


@action
def truncate(s: Partition, leader: Replica, follower: Replica) -> None:
    """{follower} learns from {leader} that their logs differ, and truncates its own."""
    require(truncate_on_fetch)
    require(presumes_leadership(s, leader))
    require(follows(s, follower, leader))
    require(not fence_truncation or are_in_one_epoch(s, follower, leader))
    require(ends_differently(s, leader, follower))
    end = truncation_offset(s, leader, follower)
    require(end <= len(s.log[follower]))
    cut(s, follower, end)


def ends_differently(s: Partition, leader: Replica, follower: Replica) -> bool:
    """Whether the follower's newest record is beyond the leader's log, or of another epoch than the leader's there."""
    end = len(s.log[follower])
    return end > len(s.log[leader]) or (end > 0 and s.log[follower][end - 1].epoch != s.log[leader][end - 1].epoch)


@action
def advance_high_watermark(s: Partition, leader: Replica) -> None:
    """{leader} moves its high watermark past offset {s.high_watermark[leader]}, which its ISR {s.isr[leader]} has."""
    require(presumes_leadership(s, leader))
    offset = s.high_watermark[leader]
    require(offset < len(s.log[leader]))
    require(
        all(
            follows(s, follower, leader)
            and (not fence_high_watermark or are_in_one_epoch(s, follower, leader))
            and has_reached(s, follower, leader, offset + 1)
            for follower in s.isr[leader]
        )
    )
    s.high_watermark[leader] = offset + 1
    note_committed(s, leader, offset)
