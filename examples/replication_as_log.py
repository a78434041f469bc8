"""Kafka's replication of a partition, claimed to be a log that keeps what it acknowledges.

`kip320` is one within its bounds; `truncate_to_hw` and `kip101` are none, and each counterexample is the loss for which
the version was replaced. A record counts as acknowledged once it was below a leader's high watermark, which the ghost
`committed` remembers; it counts as lost while a member of the ISR, which may lead next, does not have it.
"""

from __future__ import annotations

from tidegate.language import Set, refines
from tidegate.model import log, replication
from tidegate.model.replication.state import Partition, RecordId, Replica, max_records

modules = replication.modules
profiles = replication.profiles


@refines(log, entries=max_records)
def as_log(s: Partition) -> log.Log:
    """To whoever writes to it, the partition is a log."""
    return log.Log(
        appended=Set(id for id in range(max_records) if id < s.next_record_id and id not in s.committed),
        acknowledged=s.committed,
        lost=Set(id for id in s.committed if any(not has(s, member, id) for member in s.quorum.isr)),
    )


def has(s: Partition, replica: Replica, id: RecordId) -> bool:
    """Whether a replica's log has a record."""
    return any(record.id == id for record in s.log[replica])
