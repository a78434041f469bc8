"""What goes wrong with a voter of KRaft: it crashes and starts again, or loses its disk."""

from __future__ import annotations

from ...language import action, require
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
    if not keep_votes:
        s.election[voter] = unattached_voter(0 if kept == 0 else s.log[voter][kept - 1].epoch)
    elif resign_on_restart or s.election[voter].role != Role.LEADER:
        s.election[voter] = what_quorum_state_says(s.election[voter], voter)
    else:
        s.election[voter] = leading(Role.LEADER, s.election[voter].epoch, voter)


@action(kind="fault", budget="wipes")
def replace_disk(s: Quorum, voter: Voter) -> None:
    """{voter} loses its disk, and starts again with an empty one."""
    require(wipes > 0)
    s.election[voter] = unattached_voter(0)
    s.log[voter].truncate(0)
    s.log_start[voter] = 0
    s.snapshot[voter] = 0
    s.high_watermark[voter] = 0
    s.awaited[voter] = None
    s.expected[voter] = 0
    s.replaced.add(voter)
