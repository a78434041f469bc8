"""What must hold of a partition with tiered storage."""

from __future__ import annotations

from ..language import invariant, leads_to, limits_of, reachable, transition, weak
from ..model.tiered_log.remote import clean, copy, grow_old, is_too_old
from ..model.tiered_log.replicas import *
from ..model.tiered_log.segments import is_readable
from ..model.tiered_log.state import Broker, Epoch, Index, Offset, Partition, Place, records


@invariant
def type_ok(s: Partition) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def what_is_listed_is_readable(s: Partition) -> bool:
    """A consumer is given every record from the log's start, once a leader has found it, to the high watermark."""
    return (
        not leads(s)
        or s.looking
        or all(is_readable(s, s.leader, offset) for offset in range(s.start[s.leader], high(s)))
    )


@invariant
def committed_is_kept(s: Partition) -> bool:
    """What was committed, was not lost in an unclean election and is not too old, the leader gives to consumers."""
    return not leads(s) or all(
        s.committed[index] is None or index < s.expired or is_kept(s, index) for index in range(records)
    )


def is_kept(s: Partition, index: Index) -> bool:
    """Whether the leader has what was committed at an offset, and gives it."""
    log = s.log[s.leader]
    return (
        index < len(log)
        and log[index] == s.committed[index]
        and s.start[s.leader] <= index
        and is_readable(s, s.leader, index)
    )


@invariant
def logs_agree(s: Partition) -> bool:
    """Who is in sync and follows has what the leader has, up to the high watermark."""
    return all(
        len(s.log[broker]) >= high(s) and s.log[broker][: high(s)] == s.log[s.leader][: high(s)]
        for broker in s.isr
        if serves(s, broker)
    )


@transition
def tiered_is_deleted_when_due(before: Partition, after: Partition) -> bool:
    """A record leaves remote storage once it is too old, or while it is in another segment or in the leader's log."""
    return all(
        place in before.deleted
        or offset < before.expired
        or has_record(after, before.remote[place].epochs[offset], offset)
        for place in after.deleted
        if place < len(before.remote)
        for offset in range(before.remote[place].start, len(before.remote[place].epochs))
    )


def has_record(s: Partition, epoch: Epoch, offset: Offset) -> bool:
    """Whether a record is in remote storage, or in the leader's local log."""
    log = s.log[s.leader]
    return (s.local[s.leader] <= offset < len(log) and log[offset] == epoch) or any(
        place not in s.deleted
        and s.remote[place].start <= offset < len(s.remote[place].epochs)
        and s.remote[place].epochs[offset] == epoch
        for place in range(len(s.remote))
    )


def is_due(s: Partition, place: Place) -> bool:
    """Whether a segment in remote storage is too old."""
    return place < len(s.remote) and place not in s.deleted and is_too_old(s, place)


def is_gone(s: Partition, place: Place) -> bool:
    """Whether it is deleted, or nobody leads who could."""
    return place in s.deleted or place >= len(s.remote) or not leads(s)


@leads_to(
    is_gone,
    weak(clean),
    weak(grow_old),
    weak(follow, each="broker"),
    weak(come_back, each="broker"),
    limits_of(produce),
    limits_of(elect),
    limits_of(copy),
)
def old_segments_are_deleted(s: Partition, place: Place) -> bool:
    """KAFKA-16511: a segment in remote storage that is too old is deleted in the end."""
    return is_due(s, place)


def is_out_of_sync(s: Partition, broker: Broker) -> bool:
    """Whether a broker is not in the ISR, and there is a leader."""
    return broker not in s.isr and leads(s)


def is_in_sync(s: Partition, broker: Broker) -> bool:
    """Whether it is, or nobody leads."""
    return broker in s.isr or not leads(s)


@leads_to(
    is_in_sync,
    weak(follow, each="broker"),
    weak(fetch, each="follower"),
    weak(fetch_start, each="follower"),
    weak(build, each="follower"),
    weak(begin_anew, each="follower"),
    weak(join, each="follower"),
    weak(come_back, each="broker"),
    limits_of(produce),
    limits_of(elect),
    limits_of(copy),
)
def followers_join(s: Partition, broker: Broker) -> bool:
    """Who is out of sync joins the ISR, from remote storage where it must."""
    return is_out_of_sync(s, broker)


@reachable
def a_follower_is_built_and_leads(s: Partition) -> bool:
    """Who has begun a log with the epochs of a segment in remote storage leads, and gives what it never had."""
    return s.leader in s.built and leads(s) and not s.looking and s.start[s.leader] == 0


@reachable
def segments_overlap(s: Partition) -> bool:
    """Two segments in remote storage have one record."""
    return any(
        s.remote[later].start < len(s.remote[place].epochs)
        for place in range(len(s.remote))
        for later in range(place + 1, len(s.remote))
    )


@reachable
def one_is_deleted_and_one_stays(s: Partition) -> bool:
    """A segment in remote storage was deleted as too old, another is there, and no broker has either."""
    return len(s.deleted) == 1 and len(s.remote) == 2 and all(s.local[b] == len(s.remote[1].epochs) for b in Broker)


@reachable
def another_leader_reads_what_it_did_not_copy(s: Partition) -> bool:
    """A leader without local records gives those that the one before it has copied."""
    return leads(s) and s.epoch > 0 and s.start[s.leader] == 0 and s.local[s.leader] == high(s) > 0
