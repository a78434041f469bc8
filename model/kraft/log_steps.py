"""What several steps do to a log, what is remembered of it, and what a leader makes of a fetch."""

from __future__ import annotations

from ...language import Option, Set, limit, replace
from .quorum import *

# --- what several steps do to a log -----------------------------------------------------------------------------------


def win(s: Quorum, candidate: Voter, epoch: Epoch) -> None:
    """A candidate with a majority of the votes leads, and begins its epoch."""
    s.election[candidate] = leading(Role.LEADER, epoch, candidate)
    if writes_first_voters(s, candidate):
        known = voters_known(s, candidate)
        s.changed += 1
        s.voter_sets[s.changed] = known
        s.log[candidate].append(Record(epoch=epoch, number=max_records + s.changed))  # one batch with LeaderChange
    else:
        s.log[candidate].append(Record(epoch=epoch, number=0))  # LeaderChange
    s.high_watermark[candidate] = 0  # it may be ahead of what this leader can prove
    note_elected(s, candidate, epoch)
    if voter_changes > 0:
        count_again(s, candidate)


def append(s: Quorum, controller: Voter) -> None:
    """An active controller appends a record of metadata."""
    limit(s.written < max_records)
    written = Record(epoch=s.election[controller].epoch, number=s.written + 1)
    s.log[controller].append(written)
    s.written += 1
    note_written(s, controller, written)
    if voter_changes > 0:
        count_again(s, controller)


def count_again(s: Quorum, leader: Voter) -> None:
    """A leader has appended a record, and counts who has what (`LeaderState.updateLocalState`): it may be the only
    voter, and what it appended may be another set of voters."""
    high_watermark = high_watermark_after(s, leader, leader, len(s.log[leader]))
    if high_watermark > s.high_watermark[leader]:
        commit(s, leader, high_watermark)


def commit(s: Quorum, leader: Voter, high_watermark: Offset) -> None:
    """A leader's high watermark moves. A leader that is removed by what is committed resigns (`RemoveVoterHandler`)."""
    epoch = s.election[leader].epoch
    s.high_watermark[leader] = high_watermark
    note_committed(s, leader, epoch, high_watermark)
    if voter_changes > 0 and not is_counted(s, leader, leader) and not has_uncommitted_voters(s, leader):
        resigned = keeps_control_records or s.log[leader][high_watermark - 1].number <= max_records
        s.election[leader] = leading(Role.RESIGNED if resigned else Role.ILLEGAL, epoch, leader)


def take(s: Quorum, follower: Voter, fetched: Option[Record], high_watermark: Offset, epoch: Epoch) -> None:
    """A follower appends what it has fetched, and hears the high watermark of its leader, if that one knows it."""
    note_answered(s, follower)
    if fetched is not None:
        s.log[follower].append(fetched)
    if high_watermark > 0:
        s.high_watermark[follower] = min(high_watermark, len(s.log[follower]))
        s.counted_in[follower] = epoch


def note_answered(s: Quorum, follower: Voter) -> None:
    """A follower has the leader's answer to a fetch: records, where to truncate, or a snapshot."""
    if grants_until_fetch:
        s.election[follower] = replace(s.election[follower], has_fetched=True)


def cut(s: Quorum, follower: Voter, end: Offset) -> None:
    """A follower truncates its log, and with it what it knows to be committed.

    With `misses_replaced` it does not read what it appends there later (`KRaftControlRecordStateMachine`: the offset up
    to which it has read stays as it is).
    """
    note_answered(s, follower)
    if misses_replaced == 1:
        s.unread[follower] = s.unread[follower] | Set(range(end, len(s.log[follower])))
    s.log[follower].truncate(end)
    s.high_watermark[follower] = min(end, s.high_watermark[follower])


# --- what properties and proof remember -------------------------------------------------------------------------------


def note_vote(s: Quorum, voter: Voter, candidate: Voter, log_end: LogEnd, epoch: Epoch) -> None:
    """A candidate, which votes for itself, is given a vote; its log ends there."""
    s.ballots[epoch][voter] = candidate
    s.ballots[epoch][candidate] = candidate
    s.asked[epoch][candidate] = log_end


def note_elected(s: Quorum, leader: Voter, epoch: Epoch) -> None:
    """A voter leads an epoch, with the log that it has."""
    s.led_for[leader] = 0
    s.elected[epoch] = leader
    s.leader_log[epoch] = s.log[leader]
    s.acknowledged[epoch][leader] = len(s.log[leader])


def note_written(s: Quorum, leader: Voter, written: Record) -> None:
    """A leader has appended a record of its epoch."""
    s.leader_log[written.epoch].append(written)
    s.acknowledged[written.epoch][leader] = len(s.log[leader])


def note_acknowledged(s: Quorum, follower: Voter, epoch: Epoch, end: Offset) -> None:
    """A follower has fetched at an offset, and so acknowledged all before it."""
    s.acknowledged[epoch][follower] = max(s.acknowledged[epoch][follower], end)


def note_committed(s: Quorum, leader: Voter, epoch: Epoch, end: Offset) -> None:
    """A leader has counted a majority up to an offset."""
    if end > len(s.committed):
        s.committed = s.log[leader][:end]
        s.committed_in = epoch
    s.counted[epoch] = end
    s.counted_in[leader] = epoch


# --- what a leader makes of a fetch -----------------------------------------------------------------------------------


def high_watermark_after(s: Quorum, leader: Voter, follower: Voter, end: Offset) -> Offset:
    """The leader's high watermark once the follower has fetched at that end: where a majority is, if that counts."""
    reached = max(
        (
            offset + 1
            for offset in range(len(s.log[leader]))
            if is_quorum(
                s,
                leader,
                Set(
                    {
                        voter
                        for voter in Voter
                        if adds_to_majority(s, leader, voter)
                        and (
                            voter == leader
                            or (end if voter == follower else s.election[leader].fetched_to[voter]) > offset
                        )
                    }
                ),
            )
        ),
        default=0,
    )
    start = epoch_start(s, leader)
    counts = reached > start if high_watermark_rule == HighWatermarkRule.PAST_EPOCH_START else reached >= start
    counts = counts and (follower == leader or is_counted(s, leader, follower))
    return reached if counts and reached > s.high_watermark[leader] else s.high_watermark[leader]


def fetched_from(s: Quorum, leader: Voter, follower: Voter, end: Offset) -> Election:
    """The leader once the follower has fetched at that end: it knows how far that one has come, and that it is there.

    With two or three voters a follower and its leader are a majority, and what it has fetched is in the high watermark.
    """
    known = s.election[leader]
    heard = known.fetched | {follower} if is_counted(s, leader, follower) else known.fetched
    enough = check_quorum == CheckQuorum.UNTIMED or is_quorum(s, leader, heard | {leader})
    return replace(
        known,
        fetched_to=Map(
            {
                voter: end if (voters > 3 or voter_changes > 0) and voter == follower else known.fetched_to[voter]
                for voter in Voter
            }
        ),
        fetched=Set() if enough else heard,
        silent=known.silent and not enough,
    )
