"""A metadata record's life in KRaft: it is written, fetched, committed, or cut off."""

from __future__ import annotations

from ...language import action, limit, require
from .messages import answer_of
from .quorum import (
    Quorum,
    Record,
    Role,
    Voter,
    common_end,
    fetched_from,
    follows,
    guard_truncation,
    high_watermark_after,
    is_active,
    last_epoch,
    late_answers,
    max_records,
    messages,
    needs_snapshot,
)


@action(kind="client")
def write(s: Quorum, controller: Voter) -> None:
    """{controller} is the active controller, and appends metadata at offset {len(s.log[controller])}."""
    require(max_records > 0 and is_active(s, controller))
    limit(s.written < max_records)
    written = Record(epoch=s.election[controller].epoch, number=s.written + 1)
    s.log[controller].append(written)
    s.written += 1
    s.leader_log[written.epoch].append(written)
    s.acknowledged[written.epoch][controller] = len(s.log[controller])


@action
def fetch(s: Quorum, follower: Voter, leader: Voter, answered: bool) -> None:
    """{follower} fetches from {leader} at offset {len(s.log[follower])} (its answer arrives: {answered})."""
    require(messages == 0 and s.election[leader].role == Role.LEADER)
    require(
        follows(s, follower, leader) and not needs_snapshot(s, leader, len(s.log[follower]), last_epoch(s, follower))
    )
    end = len(s.log[follower])
    require(common_end(s, follower, leader) == end)
    high_watermark = high_watermark_after(s, leader, follower, end)
    known = fetched_from(s, leader, follower, end)
    require(answered or high_watermark > s.high_watermark[leader] or known.fetched_to != s.election[leader].fetched_to)
    s.election[leader] = known
    s.acknowledged[known.epoch][follower] = max(s.acknowledged[known.epoch][follower], end)
    if high_watermark > s.high_watermark[leader]:
        s.high_watermark[leader] = high_watermark
        if high_watermark > len(s.committed):
            s.committed = s.log[leader][:high_watermark]
            s.committed_in = known.epoch
        s.counted[known.epoch] = high_watermark
        s.counted_in[leader] = known.epoch
    if late_answers:
        s.awaited[follower] = answer_of(s, follower, leader, end) if answered else None
    elif answered:
        if end < len(s.log[leader]):
            s.log[follower].append(s.log[leader][end])
        if high_watermark > 0:  # else the follower keeps what it knows
            s.high_watermark[follower] = min(high_watermark, len(s.log[follower]))
            s.counted_in[follower] = known.epoch


@action
def truncate(s: Quorum, follower: Voter, leader: Voter) -> None:
    """{follower} fetches at offset {len(s.log[follower])}; {leader} answers where their logs part; it cuts there."""
    require(messages == 0 and s.election[leader].role == Role.LEADER)
    require(
        follows(s, follower, leader) and not needs_snapshot(s, leader, len(s.log[follower]), last_epoch(s, follower))
    )
    end = common_end(s, follower, leader)
    require(s.snapshot[follower] <= end < len(s.log[follower]))
    require(not guard_truncation or end >= s.high_watermark[follower])  # else it fails, and stays as it is
    if late_answers:
        s.awaited[follower] = answer_of(s, follower, leader, end)
    else:
        s.log[follower].truncate(end)
        s.high_watermark[follower] = min(end, s.high_watermark[follower])
