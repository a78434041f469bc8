"""What the properties remember of a partition: bookkeeping that no broker does."""

from __future__ import annotations

from .state import Acks, Broker, Partition, acks, leads


def note_lost_records(s: Partition, broker: Broker, kept: int) -> None:
    """A broker keeps only so many of its records."""
    if len(s.log[broker]) > kept:
        s.lossy.add(broker)


def note_read(s: Partition, broker: Broker, end: int) -> None:
    """Consumers may read a broker's records up to an offset."""
    for offset in range(end):
        s.read[offset].add(s.log[broker][offset].id)


def note_refused(s: Partition, broker: Broker) -> None:
    """A leader that no longer leads answers its producer that the records it has not committed have failed."""
    if leads(s, broker):
        for offset in range(s.high_watermark[broker], len(s.log[broker])):
            if acks == Acks.ALL and s.log[broker][offset].epoch == s.view[broker].leader_epoch:
                s.refused.add(s.log[broker][offset].id)


def note_committed(s: Partition, leader: Broker, offset: int) -> None:
    """A record is below a leader's high watermark, and consumers may read it."""
    if offset == len(s.committed):
        s.committed.append(s.log[leader][offset].id)
    s.read[offset].add(s.log[leader][offset].id)
