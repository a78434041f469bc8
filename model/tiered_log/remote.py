"""What a leader copies to remote storage, and what brokers delete there and of their own."""

from __future__ import annotations

from ...language import *
from .replicas import begin_local, high, leads, move_start, serves
from .segments import end_of_copied, is_found
from .state import *


def next_base(s: Partition, broker: Broker, offset: Offset) -> int:
    """Where the next local segment begins after an offset; beyond all offsets if there is none."""
    return min((base for base in s.bases[broker] if base > offset), default=records + 1)


def base_before(s: Partition, broker: Broker, offset: Offset) -> int:
    """Where the local segment begins that has an offset, or the first one."""
    return max((base for base in s.bases[broker] if base <= offset), default=s.local[broker])


def copy_from(s: Partition) -> int:
    """From where on the leader has to copy."""
    return max(end_of_copied(s, s.leader), s.start[s.leader])


@action
def copy(s: Partition) -> None:
    """{s.leader} copies a segment, up to offset {next_base(s, s.leader, max(copy_from(s), s.local[s.leader]))}."""
    end = next_base(s, s.leader, max(copy_from(s), s.local[s.leader]))
    require(leads(s) and not s.looking and end <= high(s))
    limit(len(s.remote) < copies)
    first = base_before(s, s.leader, max(copy_from(s), s.local[s.leader]))
    s.remote = s.remote + Seq([Segment(start=first, epochs=s.log[s.leader][:end])])
    s.copied[s.leader] = max(s.copied[s.leader], end)


@action
def learn_copied(s: Partition, broker: Broker) -> None:
    """{broker} finds that its records up to {end_of_copied(s, broker)} are copied."""
    require(serves(s, broker) and s.copied[broker] < end_of_copied(s, broker))
    s.copied[broker] = end_of_copied(s, broker)


@action
def delete_local(s: Partition, broker: Broker) -> None:
    """{broker} deletes its first local segment, up to {next_base(s, broker, s.local[broker])}."""
    end = next_base(s, broker, s.local[broker])
    require(leads(s) and serves(s, broker) and end <= high(s) and end <= len(s.log[broker]))
    require(may_delete(s, broker, end))
    if looks_up and end <= s.expired:
        move_start(s, broker, end)
    else:
        begin_local(s, broker, end)


def may_delete(s: Partition, broker: Broker, end: int) -> bool:
    """Whether a broker deletes its local log up to an offset: it takes that for copied."""
    found = all(is_found(s, s.log[broker][offset], offset) for offset in range(s.local[broker], end))
    return end <= s.expired or found if looks_up else end <= s.copied[broker]


@action(kind="client")
def grow_old(s: Partition) -> None:
    """The record at offset {s.expired} is too old."""
    require(s.expired < high(s))
    s.expired += 1


@action(kind="fault", budget="metadata_losses")
def lose_metadata(s: Partition) -> None:
    """The metadata of remote storage is lost."""
    require(len(s.remote) > 0)
    s.remote = Seq()
    s.deleted = Set()


# --- what the leader deletes ------------------------------------------------------------------------------------------


def first_epoch(s: Partition) -> int:
    """The earliest epoch that the leader knows of."""
    start = s.start[s.leader]
    return min((s.log[s.leader][o] for o in range(start, len(s.log[s.leader]))), default=s.epoch)


def last_epoch(segment: Segment) -> int:
    """The epoch of a segment's last record."""
    return max(segment.epochs[offset] for offset in range(segment.start, len(segment.epochs)))


def is_before_start(s: Partition, place: int) -> bool:
    """Whether a segment lies before the log's start, in epochs that are not newer than the first."""
    segment = s.remote[place]
    return last_epoch(segment) <= first_epoch(s) and len(segment.epochs) <= s.start[s.leader]


def is_of_leader(s: Partition, place: int) -> bool:
    """Whether the leader takes a segment for its own log's (`isRemoteSegmentWithinLeaderEpochs`)."""
    segment, own, start = s.remote[place], s.log[s.leader], s.start[s.leader]
    return (
        first_epoch(s) <= last_epoch(segment)
        and len(segment.epochs) <= len(own)
        and (deletes_overlapping or start <= segment.start)
        and all(own[o] == segment.epochs[o] for o in range(max(start, segment.start), len(segment.epochs)))
    )


def is_too_old(s: Partition, place: int) -> bool:
    """Whether all records of a segment are too old."""
    return len(s.remote[place].epochs) <= s.expired


@action
def clean(s: Partition) -> None:
    """{s.leader} deletes segments in remote storage."""
    require(leads(s) and any(is_to_go(s, place) for place in range(len(s.remote))))
    start = start_after(s)
    s.deleted = s.deleted | Set(place for place in range(len(s.remote)) if is_to_go(s, place))
    move_start(s, s.leader, start)
    earliest = first_epoch(s)
    s.deleted = s.deleted | Set(place for place in range(len(s.remote)) if last_epoch(s.remote[place]) < earliest)


def is_to_go(s: Partition, place: int) -> bool:
    """Whether the leader comes to a segment, and deletes it: it ends at the first of its own that is to stay."""
    return place not in s.deleted and (
        last_epoch(s.remote[place]) < first_epoch(s)
        or (
            (is_before_start(s, place) or (is_of_leader(s, place) and is_too_old(s, place)))
            and not any(is_own_that_stays(s, other) and comes_before(s, other, place) for other in range(len(s.remote)))
        )
    )


def is_own_that_stays(s: Partition, place: int) -> bool:
    """Whether a segment is of the leader's log, and stays."""
    return (
        place not in s.deleted and not is_before_start(s, place) and is_of_leader(s, place) and not is_too_old(s, place)
    )


def comes_before(s: Partition, one: int, other: int) -> bool:
    """Whether a segment is listed before another: by its first epoch, and by where it begins, the longer one first."""
    first, second = s.remote[one], s.remote[other]
    a, b = first.epochs[first.start], second.epochs[second.start]
    return a < b or (a == b and (first.start < second.start or (first.start == second.start and one > other)))


def start_after(s: Partition) -> int:
    """Where the log starts once that is deleted: behind the highest of what is too old, or behind the last of it."""
    return max(
        (
            len(s.remote[place].epochs)
            for place in range(len(s.remote))
            if moves_the_start(s, place) and (start_is_highest or is_the_last(s, place))
        ),
        default=s.start[s.leader],
    )


def moves_the_start(s: Partition, place: int) -> bool:
    """Whether a segment is deleted since it is too old."""
    return is_to_go(s, place) and not is_before_start(s, place) and is_of_leader(s, place) and is_too_old(s, place)


def is_the_last(s: Partition, place: int) -> bool:
    """Whether a segment is the last of those."""
    return not any(moves_the_start(s, other) and comes_before(s, place, other) for other in range(len(s.remote)))
