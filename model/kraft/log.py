"""A metadata record's life in KRaft: it is written, fetched, committed, or truncated."""

from __future__ import annotations

from ...language import action, require
from ..parts.logs import common_end
from .messages import answer_of
from .quorum import (
    Quorum,
    Role,
    Voter,
    append,
    cut,
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
    note_acknowledged,
    note_committed,
    take,
)


@action(kind="client")
def write(s: Quorum, controller: Voter) -> None:
    """{controller} is the active controller, and appends metadata at offset {len(s.log[controller])}."""
    require(max_records > 0 and is_active(s, controller))
    append(s, controller)


@action
def fetch(s: Quorum, follower: Voter, leader: Voter, answered: bool) -> None:
    """{follower} fetches from {leader} at offset {len(s.log[follower])}{'' if answered else '; the answer is lost'}."""
    require(messages == 0 and s.election[leader].role == Role.LEADER)
    require(
        follows(s, follower, leader) and not needs_snapshot(s, leader, len(s.log[follower]), last_epoch(s, follower))
    )
    end = len(s.log[follower])
    require(common_end(s.log[follower], s.log[leader]) == end)
    high_watermark = high_watermark_after(s, leader, follower, end)
    known = fetched_from(s, leader, follower, end)
    require(answered or high_watermark > s.high_watermark[leader] or known.fetched_to != s.election[leader].fetched_to)
    s.election[leader] = known
    note_acknowledged(s, follower, known.epoch, end)
    if high_watermark > s.high_watermark[leader]:
        s.high_watermark[leader] = high_watermark
        note_committed(s, leader, known.epoch, high_watermark)
    if late_answers:
        s.awaited[follower] = answer_of(s, follower, leader, end) if answered else None
    elif answered:
        fetched = s.log[leader][end] if end < len(s.log[leader]) else None
        take(s, follower, fetched, high_watermark, known.epoch)


@action
def truncate(s: Quorum, follower: Voter, leader: Voter) -> None:
    """{follower} fetches at offset {len(s.log[follower])}; {leader} answers where the logs diverge; it truncates."""
    require(messages == 0 and s.election[leader].role == Role.LEADER)
    require(
        follows(s, follower, leader) and not needs_snapshot(s, leader, len(s.log[follower]), last_epoch(s, follower))
    )
    end = common_end(s.log[follower], s.log[leader])
    require(s.snapshot[follower] <= end < len(s.log[follower]))
    require(not guard_truncation or end >= s.high_watermark[follower])  # otherwise the step fails, and nothing changes
    if late_answers:
        s.awaited[follower] = answer_of(s, follower, leader, end)
    else:
        cut(s, follower, end)
