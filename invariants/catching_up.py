"""What must hold of a follower that catches up, and what must happen in the end."""

from __future__ import annotations

from ..language import always_eventually, invariant, leads_to, limits_of, reachable, transition, weak
from ..model.catching_up import *

_FETCHES = (weak(fetch, each="follower"), weak(begin_anew, each="follower"))
_TRUNCATES = (weak(truncate, each="follower"), weak(align, each="follower"), weak(cut_at_end, each="follower"))
_LEADS = (weak(advance_high_watermark), weak(expand_isr, each="follower"))
_RECORDS = (limits_of(produce),)
_LAGS = (weak(lag, each="follower"), weak(shrink_isr, each="follower"))


@invariant
def type_ok(s: Partition) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def entries_are_in_order(s: Partition) -> bool:
    """Each log's epochs begin one after another, within the log."""
    return all(
        s.entries[r][at].start <= s.end[r]
        and (
            at == 0
            or (
                s.entries[r][at - 1].epoch < s.entries[r][at].epoch
                and s.entries[r][at - 1].start <= s.entries[r][at].start
            )
        )
        for r in Replica
        for at in range(len(s.entries[r]))
    )


@invariant
def high_watermark_is_in_the_log(s: Partition) -> bool:
    """KAFKA-9491: no high watermark lies before its log, nor after it."""
    return all(s.start[r] <= s.high_watermark[r] <= s.end[r] for r in Replica)


@transition
def no_truncation_below_high_watermark(before: Partition, after: Partition) -> bool:
    """KAFKA-7897: no replica truncates its log below its own high watermark ("Truncating ... below high watermark")."""
    return all(after.end[r] >= before.high_watermark[r] for r in Replica)


def is_out_of_sync(s: Partition, follower: Replica) -> bool:
    """Whether a follower that does not shut down is outside of the ISR."""
    return follower not in s.isr and follower not in s.stopping


def is_in_sync(s: Partition, follower: Replica) -> bool:
    """Whether it is in the ISR, or shuts down."""
    return not is_out_of_sync(s, follower)


@leads_to(is_in_sync, *_FETCHES, *_TRUNCATES, *_LEADS, *_LAGS, *_RECORDS)
def followers_join(s: Partition, follower: Replica) -> bool:
    """RL7: a follower outside of the ISR comes to truncate its log as it should, and joins."""
    return is_out_of_sync(s, follower)


@leads_to(is_in_sync, *_FETCHES, *_LEADS, *_LAGS)
def followers_join_without_truncation(s: Partition, follower: Replica) -> bool:
    """RL7 without what it needs: followers do not act on an answer that their logs diverge."""
    return is_out_of_sync(s, follower)


def all_is_committed(s: Partition) -> bool:
    """Whether the leader's high watermark is at the end of its log."""
    return s.high_watermark[s.leader] == s.end[s.leader]


@always_eventually(*_FETCHES, *_TRUNCATES, *_LEADS, *_LAGS, *_RECORDS)
def high_watermark_moves_on(s: Partition) -> bool:
    """RL2: once producers have stopped, the leader's high watermark is again and again at the end of its log."""
    return all_is_committed(s)


@always_eventually(*_FETCHES, *_TRUNCATES, *_LEADS, *_RECORDS)
def high_watermark_waits_for_no_lag(s: Partition) -> bool:
    """RL1, RL2: so it is, though replica.lag.time.max.ms does not pass: no request times out over it."""
    return all_is_committed(s)


@always_eventually(*_TRUNCATES, *_LEADS)
def high_watermark_moves_on_without_fetches(s: Partition) -> bool:
    """RL2 without what it needs: followers do not fetch."""
    return all_is_committed(s)


@reachable
def an_epoch_without_records_diverges(s: Partition) -> bool:
    """A follower is to truncate its log at its end: only its last epoch, which has no records, is not the leader's."""
    return any(f != s.leader and diverges(s, f) and truncation_offset(s, f) == s.end[f] for f in Replica)


@reachable
def records_diverge(s: Partition) -> bool:
    """A follower is to truncate records."""
    return any(f != s.leader and diverges(s, f) and truncation_offset(s, f) < s.end[f] for f in Replica)


@reachable
def a_follower_is_out_of_range(s: Partition) -> bool:
    """A follower that is out of sync ends before the leader's log begins."""
    return any(is_out_of_sync(s, f) and s.end[f] < s.start[s.leader] for f in Replica)


@reachable
def a_follower_names_an_unknown_epoch(s: Partition) -> bool:
    """KAFKA-20961: a follower out of sync has the leader's records, and names an epoch that the leader lacks."""
    return any(is_out_of_sync(s, f) and is_unknown(s, f) and s.end[f] == s.end[s.leader] for f in Replica)
