"""Kafka's replication of a partition, claimed to be a log that keeps what it acknowledges.

`kip320` is one within its bounds; `truncate_to_hw` and `kip101` are none, and each counterexample is the loss for which
the version was replaced. A record counts as committed and acknowledged once it was below a leader's high watermark,
which the ghost `committed_entries` remembers; it counts as lost while a member of the ISR, which may lead next, does
not have it. Nothing is claimed of readers: the image does not read the high watermarks by which a consumer reads.
"""

from __future__ import annotations

from ...language import Seq, Set, refines
from ...model import log, replication
from ...model.replication import Partition, RecordId, Replica, log_size, max_records

modules = (replication,)
profiles = replication.profiles
view = replication.view


@refines(log, entries=max_records, readers=1)
def as_log(s: Partition) -> log.OneLog:
    """To whoever writes to it, the partition is a log. Nobody has read yet: what a reader would see is
    `committed_entries`."""
    return log.unread(
        written=s.next_record_id,
        committed=committed_entries(s),
        acknowledged=s.committed,
        lost=Set(id for id in s.committed if any(not has(s, member, id) for member in s.quorum.isr)),
    )


def committed_entries(s: Partition) -> log.Order:
    """What is committed, in the order of the replicas' logs: at each offset the committed record that is there.

    Their high watermarks do not say it: a replica that follows a leader which is behind takes over the leader's.
    """
    order: log.Order = Seq()
    for offset in range(log_size):
        if any(is_committed_at(s, replica, offset) for replica in Replica):
            order = order + Seq([min(s.log[at][offset].id for at in Replica if is_committed_at(s, at, offset))])
    return order


def is_committed_at(s: Partition, replica: Replica, offset: int) -> bool:
    """Whether a replica has a committed record at an offset."""
    return offset < len(s.log[replica]) and s.log[replica][offset].id in s.committed


def has(s: Partition, replica: Replica, id: RecordId) -> bool:
    """Whether a replica's log has a record."""
    return any(record.id == id for record in s.log[replica])
