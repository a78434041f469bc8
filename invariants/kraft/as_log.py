"""KRaft's quorum of controllers, claimed to be a log that keeps what it acknowledges, whichever voters fail.

The entries are the metadata records that active controllers write. One is committed, and its writer hears of it, once
it is below a leader's high watermark, which the ghost `committed` remembers; it is lost while the leader of the newest
epoch, or every voter, does not have it. LeaderChange records are no entries: they stutter.
"""

from __future__ import annotations

from ...language import Seq, Set, refines
from ...model import kraft, log
from ...model.kraft.quorum import Number, Quorum, Role, Voter, max_records
from .properties import has_record

modules = kraft.modules
profiles = kraft.profiles
view = kraft.view


@refines(log, entries=max_records, readers=1)
def as_log(s: Quorum) -> log.OneLog:
    """To an active controller, the quorum is a log. What brokers apply is `committed`."""
    return log.unread(
        written=s.written,
        committed=committed(s),
        acknowledged=Set(record.number - 1 for record in s.committed if record.number > 0),
        lost=Set(record.number - 1 for record in s.committed if record.number > 0 and is_lost(s, record.number)),
    )


def committed(s: Quorum) -> log.Order:
    """What is committed, without the records that begin an epoch."""
    order: log.Order = Seq()
    for record in s.committed:
        if record.number > 0:
            order = order + Seq([record.number - 1])
    return order


def is_lost(s: Quorum, number: Number) -> bool:
    """Whether the leader of the newest epoch does not have a record, or nobody has it."""
    return any(leads_newest(s, leader) and not has(s, leader, number) for leader in Voter) or not any(
        has(s, voter, number) for voter in Voter
    )


def leads_newest(s: Quorum, voter: Voter) -> bool:
    """Whether it leads an epoch after which no voter knows another."""
    return s.election[voter].role == Role.LEADER and all(
        s.election[other].epoch <= s.election[voter].epoch for other in Voter
    )


def has(s: Quorum, voter: Voter, number: Number) -> bool:
    """Whether a voter has a record, on its disk or in its snapshot."""
    return any(s.log[voter][o].number == number and has_record(s, voter, o) for o in range(len(s.log[voter])))
