"""Kafka's replication, claimed to be a log without a ghost: what is committed is what a high watermark says.

It is none, though nothing is lost: high watermarks are no history. A replica that follows a leader which is behind
takes over the leader's, and what was below its own is below none.
"""

from __future__ import annotations

from tidegate.language import Map, Seq, Set, refines
from tidegate.model import log, replication
from tidegate.model.replication.isr import nobody_is_in_sync as nobody_is_in_sync
from tidegate.model.replication.state import Partition, Replica, log_size, max_records

modules = replication.modules
profiles = replication.profiles


@refines(log, entries=max_records, readers=1)
def as_log(s: Partition) -> log.OneLog:
    """What is below a high watermark is committed and acknowledged, and stays so."""
    return log.OneLog(
        log=log.Log(
            appended=Set(id for id in range(max_records) if id < s.next_record_id),
            committed=committed(s),
            acknowledged=Set(id for id in range(max_records) if id in committed(s)),
            lost=Set(),
            down=False,
            available=True,
        ),
        seen=Map({reader: Seq() for reader in range(log.readers)}),
    )


def committed(s: Partition) -> log.Order:
    """At each offset the record that is below some replica's high watermark there."""
    order: log.Order = Seq()
    for offset in range(log_size):
        if any(offset < s.high_watermark[replica] for replica in Replica):
            order = order + Seq([min(s.log[at][offset].id for at in Replica if offset < s.high_watermark[at])])
    return order
