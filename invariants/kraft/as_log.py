"""KRaft's quorum of controllers, claimed to be a log that keeps what it acknowledges, whichever voters fail.

The entries are the metadata records that active controllers write. One is committed, and its writer hears of it, once
it is below a leader's high watermark, which the ghost `committed` remembers; it is lost while the leader of the newest
epoch, or every voter, does not have it. LeaderChange records are no entries: they stutter.

Readers are the brokers, by what they have applied, and the controllers, by what is below their high watermarks. One
that has what is not committed, or has it in another order, has seen what others do not find: `readers_diverge`, which
is off.
"""

from __future__ import annotations

from ...language import Seq, Set, refines
from ...model import kraft, log
from ...model.kraft.quorum import Broker, Log, Number, Quorum, Role, Voter, max_records
from .properties import has_record

modules = kraft.modules
profiles = kraft.profiles
view = kraft.view


@refines(log, entries=max_records, readers=1)
def as_log(s: Quorum) -> log.OneLog:
    """To an active controller, the quorum is a log, and what is applied is its beginning."""
    return log.mislead_readers(
        log.unread(
            written=s.written,
            committed=entries_of(s.committed),
            acknowledged=Set(record.number - 1 for record in s.committed if record.number > 0),
            lost=Set(record.number - 1 for record in s.committed if record.number > 0 and is_lost(s, record.number)),
        ),
        order_applied_astray(s),
    )


def entries_of(records: Log) -> log.Order:
    """These records as entries, without those that begin an epoch."""
    order: log.Order = Seq()
    for record in records:
        if record.number > 0:
            order = order + Seq([record.number - 1])
    return order


def order_applied_astray(s: Quorum) -> log.Order:
    """What somebody has applied, up to the first entry that is not committed there; empty where all is."""
    order = entries_of(s.committed)
    seen: log.Order = Seq()
    for offset in range(max_records):
        astray = Set(entry for entry in range(max_records) if is_applied_astray(s, order, offset, entry))
        if len(seen) == 0 and len(astray) > 0:
            seen = order[:offset] + Seq([min(astray)])
    return seen


def is_applied_astray(s: Quorum, order: log.Order, offset: int, entry: int) -> bool:
    """Whether some broker or controller has applied an entry at a place where another one is committed, or none."""
    return not is_at(order, offset, entry) and (
        any(is_at(entries_of(s.applied[broker]), offset, entry) for broker in Broker)
        or any(is_at(entries_of(s.log[voter][: s.high_watermark[voter]]), offset, entry) for voter in Voter)
    )


def is_at(order: log.Order, offset: int, entry: int) -> bool:
    """Whether an entry is at this place of an order."""
    return offset < len(order) and order[offset] == entry


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
