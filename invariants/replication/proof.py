"""Why KIP-320 keeps its promises, for logs and epochs of any length: lemmas that every step preserves.

The story in short. An epoch has one leader, and the log of that leader is the log of that epoch: everybody else copies
it, and only it. So it is enough to speak of the logs of epochs, which are kept as ghosts. A record is committed in an
epoch once all of that epoch's ISR have it, in that epoch. Whoever leads a later epoch was in that ISR, or somebody who
was has moved on to a later epoch, and then nothing more is committed in the earlier one. So every later leader begins
with everything that was committed, and everybody who follows it keeps that when it truncates its log.

Every lemma is a predicate of one state. They hold at first, and where all hold each step keeps every one of them; from
the logs' lemmas on, each is only true because of the others. What must hold of the protocol follows from them, state by
state: see `docs/proofs.md`.
"""

from __future__ import annotations

from ...language import lemma
from ...model.replication import Partition, Record, Replica, max_leader_epoch, presumes_leadership

# --- who leads in which epoch -----------------------------------------------------------------------------------------


@lemma
def epochs_are_given_out_in_order(s: Partition) -> bool:
    """The quorum is in the newest epoch that was given out; nobody is beyond it, or in an epoch without a leader."""
    return (
        s.quorum.leader_epoch == s.next_leader_epoch - 1
        and all(s.leader_epoch[r] < s.next_leader_epoch for r in Replica)
        and all(s.committed_by[r] <= s.leader_epoch[r] for r in Replica)
        and all((s.leader[r] is None) == (s.leader_epoch[r] < 0) for r in Replica)
    )


@lemma
def epochs_to_come_are_blank(s: Partition) -> bool:
    """What is remembered of an epoch whose leader has not begun is nothing; that is so of epochs not given out yet."""
    return all(
        s.leader_committed[e] == 0 and len(s.leader_log[e]) == 0 for e in range(max_leader_epoch + 1) if not s.began[e]
    ) and all(not s.began[e] for e in range(s.next_leader_epoch, max_leader_epoch + 1))


@lemma
def requests_say_what_was_decided(s: Partition) -> bool:
    """A LeaderAndIsr request names the leader and the ISR that its epoch was given."""
    return all(
        0 <= m.leader_epoch < s.next_leader_epoch
        and m.leader == s.elected[m.leader_epoch]
        and m.isr == s.first_isr[m.leader_epoch]
        for m in s.requests
    )


@lemma
def everybody_knows_the_leader_of_its_epoch(s: Partition) -> bool:
    """The quorum and every replica take for the leader of their epoch the one that was elected for it."""
    return (s.quorum.leader_epoch < 0 or s.quorum.leader == s.elected[s.quorum.leader_epoch]) and all(
        s.leader[r] == s.elected[s.leader_epoch[r]] for r in Replica if s.leader_epoch[r] >= 0
    )


@lemma
def nobody_leads_before_an_epoch_is_given_out(s: Partition) -> bool:
    """Before the first epoch the quorum names no leader."""
    return s.quorum.leader_epoch >= 0 or s.quorum.leader is None


@lemma
def followers_follow_an_epoch_that_began(s: Partition) -> bool:
    """Whoever is in an epoch is in one whose leader has begun."""
    return all(s.began[s.leader_epoch[r]] for r in Replica if s.leader_epoch[r] >= 0)


@lemma
def leaders_do_not_go_back(s: Partition) -> bool:
    """The leader of an epoch that began was elected for it, and has come to it, or is beyond."""
    return all(
        s.elected[e] is not None and all(s.leader_epoch[r] >= e for r in Replica if s.elected[e] == r)
        for e in range(s.next_leader_epoch)
        if s.began[e]
    )


# --- the ISR of an epoch ----------------------------------------------------------------------------------------------


@lemma
def leaders_know_the_isr_of_their_epoch(s: Partition) -> bool:
    """The quorum's ISR is that of its epoch, and a leader's own is that of the epoch it leads."""
    return (s.quorum.leader_epoch < 0 or s.quorum.isr == s.last_isr[s.quorum.leader_epoch]) and all(
        s.isr[r] == s.last_isr[s.leader_epoch[r]]
        for r in Replica
        if presumes_leadership(s, r) and s.leader_epoch[r] >= 0
    )


@lemma
def only_a_leader_changes_the_isr(s: Partition) -> bool:
    """As long as its leader has not come to an epoch, its ISR is the one it was given."""
    return all(
        s.last_isr[e] == s.first_isr[e]
        for e in range(s.next_leader_epoch)
        for r in Replica
        if s.elected[e] == r and s.leader_epoch[r] < e
    )


@lemma
def leaders_are_in_their_isr(s: Partition) -> bool:
    """The leader elected for an epoch is in its ISR, at first and later."""
    return all(
        r in s.first_isr[e] and r in s.last_isr[e]
        for e in range(s.next_leader_epoch)
        for r in Replica
        if s.elected[e] == r
    )


@lemma
def an_empty_isr_leads_nothing(s: Partition) -> bool:
    """Who has not heard of an epoch has an empty log, and who has, has an ISR with its leader in it.

    The published module lets whoever has an empty ISR raise its high watermark, leader or not. So it never does.
    """
    return all(
        len(s.log[r]) == 0 if s.leader_epoch[r] < 0 else all(q in s.isr[r] for q in Replica if s.leader[r] == q)
        for r in Replica
    )


def has_moved_on(s: Partition, e: int) -> bool:
    """Whether somebody in the ISR of epoch `e` is in a later one: nothing more is committed in `e` then."""
    return any(s.leader_epoch[m] > e for m in s.last_isr[e])


@lemma
def an_isr_comes_from_every_earlier_one(s: Partition) -> bool:
    """The ISR of an epoch is part of that of every earlier one in which something may still be committed."""
    return all(
        s.last_isr[f] <= s.last_isr[e] or has_moved_on(s, e) for f in range(s.next_leader_epoch) for e in range(f)
    )


# --- the log of an epoch ----------------------------------------------------------------------------------------------


def is_in(s: Partition, record: Record, o: int, e: int) -> bool:
    """Whether the log of epoch `e` has the record at offset `o`."""
    return o < len(s.leader_log[e]) and s.leader_log[e][o] == record


@lemma
def records_come_from_epochs_that_began(s: Partition) -> bool:
    """A record in the log of an epoch was written in that epoch or before, in one that began, at the same offset."""
    return all(
        0 <= s.leader_log[e][o].epoch <= e
        and s.began[s.leader_log[e][o].epoch]
        and o < len(s.leader_log[s.leader_log[e][o].epoch])
        for e in range(s.next_leader_epoch)
        for o in range(len(s.leader_log[e]))
    )


@lemma
def epochs_grow_along_a_log(s: Partition) -> bool:
    """A later record is of the same epoch, or of a later one."""
    return all(
        s.leader_log[e][o].epoch <= s.leader_log[e][p].epoch
        for e in range(s.next_leader_epoch)
        for p in range(len(s.leader_log[e]))
        for o in range(p)
    )


@lemma
def a_record_comes_with_what_was_before_it(s: Partition) -> bool:
    """Logs of two epochs with a record of the same epoch at the same offset are the same up to there."""
    return all(
        s.leader_log[e][before] == s.leader_log[f][before]
        for e in range(s.next_leader_epoch)
        for f in range(e)
        for o in range(min(len(s.leader_log[e]), len(s.leader_log[f])))
        if s.leader_log[e][o].epoch == s.leader_log[f][o].epoch
        for before in range(o + 1)
    )


@lemma
def logs_are_copies(s: Partition) -> bool:
    """A replica's log is a beginning of the log of its epoch."""
    return all(
        s.leader_epoch[r] >= 0 and is_in(s, s.log[r][o], o, s.leader_epoch[r])
        for r in Replica
        for o in range(len(s.log[r]))
    )


@lemma
def leaders_have_the_log_of_their_epoch(s: Partition) -> bool:
    """Whoever leads an epoch has the whole log of it."""
    return all(
        len(s.log[r]) == len(s.leader_log[s.leader_epoch[r]])
        for r in Replica
        if presumes_leadership(s, r) and s.leader_epoch[r] >= 0
    )


# --- what is committed ------------------------------------------------------------------------------------------------


@lemma
def committed_records_exist(s: Partition) -> bool:
    """What was committed in an epoch is in the log of that epoch."""
    return all(s.leader_committed[e] <= len(s.leader_log[e]) for e in range(s.next_leader_epoch))


def has_committed(s: Partition, r: Replica, e: int, o: int) -> bool:
    """Whether the replica's log is, at offset `o`, that of epoch `e`."""
    return o < len(s.log[r]) and is_in(s, s.log[r][o], o, e)


@lemma
def an_isr_has_what_is_committed(s: Partition) -> bool:
    """No committed record is missing in the ISR: every member has what was committed in its epoch and before."""
    return all(
        s.leader_epoch[q] >= e and all(has_committed(s, q, e, o) for o in range(s.leader_committed[e]))
        for f in range(s.next_leader_epoch)
        for q in s.last_isr[f]
        for e in range(f + 1)
        if s.leader_committed[e] > 0
    )


@lemma
def later_epochs_have_what_is_committed(s: Partition) -> bool:
    """The log of a later epoch that began has everything that was committed in an earlier one, then and now."""
    return all(
        o < len(s.leader_log[e]) and is_in(s, s.leader_log[e][o], o, f)
        for f in range(s.next_leader_epoch)
        if s.began[f]
        for e in range(f)
        for o in range(s.leader_committed[e])
    )


@lemma
def committed_records_are_where_they_were(s: Partition) -> bool:
    """Every committed record is in the log of the epoch in which it was committed, and below what was committed."""
    return all(
        0 <= s.committed_in[id] < s.next_leader_epoch
        and s.committed_at[id] < s.leader_committed[s.committed_in[id]]
        and s.committed_at[id] < len(s.leader_log[s.committed_in[id]])
        and s.leader_log[s.committed_in[id]][s.committed_at[id]].id == id
        for id in s.committed
    )


@lemma
def an_isr_has_every_committed_record(s: Partition) -> bool:
    """Every member of the ISR in ZooKeeper has every record that was ever committed."""
    return all(
        s.committed_at[id] < len(s.log[r]) and s.log[r][s.committed_at[id]].id == id
        for r in s.quorum.isr
        for id in s.committed
    )


@lemma
def high_watermarks_are_committed(s: Partition) -> bool:
    """What is below a replica's high watermark, some epoch's leader committed, and the replica has it."""
    return all(s.high_watermark[r] <= len(s.log[r]) for r in Replica) and all(
        s.committed_by[r] >= 0
        and s.high_watermark[r] <= s.leader_committed[s.committed_by[r]]
        and all(has_committed(s, r, s.committed_by[r], o) for o in range(s.high_watermark[r]))
        for r in Replica
        if s.high_watermark[r] > 0
    )


@lemma
def leaders_know_what_they_committed(s: Partition) -> bool:
    """A leader's high watermark is not below what it committed in its epoch."""
    return all(
        s.leader_committed[s.leader_epoch[r]] <= s.high_watermark[r]
        for r in Replica
        if presumes_leadership(s, r) and s.leader_epoch[r] >= 0
    )


@lemma
def later_leaders_have_what_is_below_high_watermarks(s: Partition) -> bool:
    """Who leads has what is below the high watermark of everybody who is in no later epoch, at the same offsets.

    Across elections and fail-overs no replica's high watermark is beyond the log of a later leader."""
    return all(
        o < len(s.log[leader]) and o < len(s.log[r]) and s.log[leader][o] == s.log[r][o]
        for leader in Replica
        if presumes_leadership(s, leader) and s.leader_epoch[leader] >= 0
        for r in Replica
        if s.leader_epoch[r] <= s.leader_epoch[leader]
        for o in range(s.high_watermark[r])
    )


# --- in every step ----------------------------------------------------------------------------------------------------


@lemma
def what_is_committed_stays(before: Partition, after: Partition) -> bool:
    """What was committed in an epoch stays so: the committed beginning of its log neither shrinks nor changes."""
    return all(
        before.leader_committed[e] <= after.leader_committed[e]
        and all(
            o < len(before.leader_log[e])
            and o < len(after.leader_log[e])
            and before.leader_log[e][o] == after.leader_log[e][o]
            for o in range(before.leader_committed[e])
        )
        for e in range(before.next_leader_epoch)
    )


@lemma
def an_election_keeps_the_high_watermark(before: Partition, after: Partition) -> bool:
    """Who leads after a step has the high watermark that it had before, or a higher one: also who begins to lead by it.
    (It may be behind that of the leader before it, until its followers have fetched.)"""
    return all(after.high_watermark[r] >= before.high_watermark[r] for r in Replica if presumes_leadership(after, r))


@lemma
def a_high_watermark_goes_back_to_the_leaders_or_with_the_log(before: Partition, after: Partition) -> bool:
    """A high watermark goes back only to its leader's, or to the end of the replica's own log.

    A follower fetches from a leader whose own is lower, or truncates its log."""
    return all(
        after.high_watermark[r] >= before.high_watermark[r]
        or after.high_watermark[r] == len(after.log[r])
        or any(before.leader[r] == q and after.high_watermark[r] == before.high_watermark[q] for q in Replica if q != r)
        for r in Replica
    )
