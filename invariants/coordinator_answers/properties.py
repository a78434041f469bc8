"""What a client may rely on when a coordinator has answered, and what must be possible."""

from __future__ import annotations

from ...language import invariant, leads_to, limits_of, reachable, weak
from ...model.coordinator_answers import *

impossible = {"waits_as_leader": ("former_waits",)}


@invariant
def type_ok(s: Partition) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def answered_is_kept(s: Partition) -> bool:
    """KAFKA-20634: what was answered with success is in the leader's log, whoever leads."""
    return all(entry in s.log[s.leader] for entry in s.answered)


@invariant
def answered_once(s: Partition) -> bool:
    """Nothing is answered with success and with an error."""
    return len(s.answered & s.refused) == 0


@invariant
def what_is_shown_is_kept(s: Partition) -> bool:
    """KAFKA-20634: what a coordinator takes for committed, and shows to whoever asks, is in the leader's log."""
    return all(
        entry in s.log[s.leader]
        for broker in Broker
        if s.active[broker]
        for entry in s.written[broker][: s.settled[broker]]
    )


def is_open(s: Partition, entry: Write) -> bool:
    """Whether a client waits for the answer to a write."""
    return any(entry in s.waiting[broker] for broker in Broker)


def is_closed(s: Partition, entry: Write) -> bool:
    """Whether none does."""
    return not is_open(s, entry)


@leads_to(
    is_closed,
    weak(learn, each="broker"),
    weak(begin_to_fetch, each="broker"),
    weak(fetch, each="broker"),
    weak(raise_high_watermark),
    weak(take_high_watermark, each="broker"),
    weak(unload, each="broker"),
    limits_of(write),
)
def every_write_is_answered(s: Partition, entry: Write) -> bool:
    """Whoever asks for a write is answered in the end, with success or with an error."""
    return is_open(s, entry)


@reachable
def write_is_answered(s: Partition) -> bool:
    """A write is answered with success after the leader has moved."""
    return s.epoch > 0 and len(s.answered) > 0


@reachable
def write_is_cut_off(s: Partition) -> bool:
    """A write is refused that is in no log any more."""
    return any(all(entry not in s.log[broker] for broker in Broker) for entry in s.refused)


@reachable
def former_waits(s: Partition) -> bool:
    """A coordinator on a follower knows a write that its own log has no more, and is yet to answer it."""
    return any(
        not s.led[broker] and any(entry not in s.log[broker] for entry in s.waiting[broker]) for broker in Broker
    )


@reachable
def former_answers(s: Partition) -> bool:
    """A coordinator on a follower is yet to take a high watermark of the time when its broker led."""
    return any(not s.led[broker] and s.reported[broker] is not None for broker in Broker)
