"""What goes wrong with a voter of KRaft: it crashes and starts again, or loses its disk."""

from __future__ import annotations

from ...language import Set, action, limit, replace, require
from .quorum import *


@action(kind="fault", budget="crashes")
def restart(s: Quorum, voter: Voter, kept: Offset) -> None:
    """{voter} crashes, and starts again with {kept} of its {len(s.log[voter])} records."""
    require(crashes > 0)
    require(kept == len(s.log[voter]) or (not flush_log and s.snapshot[voter] <= kept < len(s.log[voter])))
    s.log[voter].truncate(kept)
    s.high_watermark[voter] = 0
    s.awaited[voter] = None
    s.expected[voter] = 0
    if misses_replaced == 1:  # it reads its snapshot, and what comes after it in its log
        s.unread[voter] = Set({at for at in s.unread[voter] if at < s.snapshot[voter]})
    if not keep_votes:
        s.election[voter] = unattached_voter(0 if kept == 0 else s.log[voter][kept - 1].epoch)
    elif keeps_own_vote and s.election[voter].leader is not None and s.election[voter].voted_for == voter:
        s.election[voter] = standing_again(s, voter)
    elif resign_on_restart or s.election[voter].role != Role.LEADER:
        s.election[voter] = what_quorum_state_says(s.election[voter], voter)
    else:
        s.election[voter] = leading(Role.LEADER, s.election[voter].epoch, voter)


def standing_again(s: Quorum, voter: Voter) -> Election:
    """A candidate of the epoch in which it stood before. One that was removed takes that for impossible."""
    stands = standing(s.election[voter].epoch, voter)
    return stands if is_counted(s, voter, voter) else replace(stands, role=Role.ILLEGAL, votes=Set())


@action(kind="fault", budget="wipes")
def replace_disk(s: Quorum, voter: Voter) -> None:
    """{voter} loses its disk, and starts again with an empty one."""
    require(wipes > 0)
    limit(messages == 0 or voter_changes == 0)  # a fetch in flight does not say of which disk it is
    s.election[voter] = unattached_voter(0)
    s.log[voter].truncate(0)
    s.log_start[voter] = 0
    s.snapshot[voter] = 0
    s.high_watermark[voter] = 0
    s.awaited[voter] = None
    s.expected[voter] = 0
    s.unread[voter] = Set()
    s.disk[voter] += 1
    for other in Voter:  # a leader knows how far a disk has come
        if directory_ids and voter_changes > 0:
            known = s.election[other]
            s.election[other] = replace(
                known, fetched_to=Map({at: 0 if at == voter else known.fetched_to[at] for at in Voter})
            )
