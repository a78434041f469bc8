"""What brokers find of their logs in remote storage."""

from __future__ import annotations

from ...language import *
from .state import *


def has_epoch(segment: Segment, epoch: Epoch) -> bool:
    """Whether a segment has records of an epoch."""
    return any(segment.epochs[offset] == epoch for offset in range(segment.start, len(segment.epochs)))


def start_of(segment: Segment, epoch: Epoch) -> int:
    """Where a segment's records of an epoch begin."""
    return min(o for o in range(segment.start, len(segment.epochs)) if segment.epochs[o] == epoch)


def end_of(segment: Segment, epoch: Epoch) -> int:
    """Where they end; 0 if there are none."""
    return max((o + 1 for o in range(segment.start, len(segment.epochs)) if segment.epochs[o] == epoch), default=0)


def end_of_copies(segments: Segments, epoch: Epoch, count: int) -> int:
    """Up to where the first of all segments have records of an epoch (`highestOffsetForEpoch`), deleted or not."""
    return max((end_of(segments[place], epoch) for place in range(count)), default=0)


def is_replaced(s: Partition, place: int, epoch: Epoch) -> bool:
    """Whether a later segment has taken a segment's place among those of an epoch."""
    first = start_of(s.remote[place], epoch)
    return any(
        has_epoch(s.remote[later], epoch)
        and (
            first == start_of(s.remote[later], epoch)
            or (
                replaces_overlapped
                and first > start_of(s.remote[later], epoch)
                and end_of_copies(s.remote, epoch, later) <= end_of(s.remote[later], epoch)
            )
        )
        for later in range(place + 1, len(s.remote))
    )


def is_found(s: Partition, epoch: Epoch, offset: Offset) -> bool:
    """Whether a record is found in remote storage: of an epoch's segments in the last that begins at it or before."""
    first = max(
        (
            start_of(s.remote[place], epoch)
            for place in range(len(s.remote))
            if is_listed(s, place, epoch)
            and not is_replaced(s, place, epoch)
            and start_of(s.remote[place], epoch) <= offset
        ),
        default=-1,
    )
    return any(
        is_listed(s, place, epoch)
        and not is_replaced(s, place, epoch)
        and start_of(s.remote[place], epoch) == first
        and offset < end_of(s.remote[place], epoch)
        for place in range(len(s.remote))
    )


def is_listed(s: Partition, place: int, epoch: Epoch) -> bool:
    """Whether a segment has records of an epoch, and is not deleted."""
    return place not in s.deleted and has_epoch(s.remote[place], epoch)


def is_readable(s: Partition, broker: Broker, offset: Offset) -> bool:
    """Whether a leader can give a record of its log to a consumer."""
    return s.local[broker] <= offset or is_found(s, s.log[broker][offset], offset)


def copied_epoch(s: Partition, broker: Broker) -> int:
    """The newest epoch of a broker's log of which something was copied; -1 if there is none."""
    return max(
        (
            s.log[broker][offset]
            for offset in range(s.start[broker], len(s.log[broker]))
            if end_of_copies(s.remote, s.log[broker][offset], len(s.remote)) > 0
        ),
        default=-1,
    )


def end_of_copied(s: Partition, broker: Broker) -> int:
    """Up to where a broker finds its records copied (`findHighestRemoteOffset`)."""
    epoch = copied_epoch(s, broker)
    own = max((o + 1 for o in range(len(s.log[broker])) if s.log[broker][o] == epoch), default=0)
    top = max((end_of_copies(s.remote, e, len(s.remote)) for e in range(elections + 1) if e == epoch), default=0)
    return min(own, top) if bounds_copied else top


def start_in_remote(s: Partition) -> int:
    """Where a new leader finds its log to start: at the first segment of its earliest epoch that has one, or where its
    local log does (`findLogStartOffset`)."""
    epoch = min((own_epoch(s, place) for place in range(len(s.remote)) if counts(s, place)), default=-1)
    return min(
        (s.remote[place].start for place in range(len(s.remote)) if counts(s, place) and own_epoch(s, place) == epoch),
        default=s.local[s.leader],
    )


def own_epoch(s: Partition, place: int) -> int:
    """The earliest epoch that a segment has records of and that the leader's log has; -1 if there is none."""
    log, start = s.log[s.leader], s.start[s.leader]
    return min((log[o] for o in range(start, len(log)) if has_epoch(s.remote[place], log[o])), default=-1)


def counts(s: Partition, place: int) -> bool:
    """Whether a new leader takes its log to have a segment: one with records of an epoch of its own."""
    segment, log = s.remote[place], s.log[s.leader]
    own = segment.start < len(log) and log[segment.start] == segment.epochs[segment.start]
    return place not in s.deleted and own_epoch(s, place) >= 0 and (own or not finds_own_start)
