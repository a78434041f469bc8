"""A Kafka partition, claimed to be a log: with which of the log's switches is the question of docs/partition-matrix.md.

The switches are constants here: a version with its settings refines the log with those on of which the matrix says so,
and with one of them fewer it does not. A record counts as appended once its producer has sent it, as acknowledged once
the producer may take it for safe, and as lost while the leader of the newest epoch, or everybody, does not have it. A
broker is down when its host is lost for good and the controller knows; the log is available unless that is so and no
leader has followers enough.

What readers find is what consumers could ever read at an offset, as far as the leader of the newest epoch has it there;
while nobody leads, all of it. Somebody who has read what that leader does not have, or has elsewhere, is a reader who
has seen something else than others do: `readers_diverge`. That nobody has is `consistent_read`, in the partition's own
properties.
"""

from __future__ import annotations

from ...language import Seq, Set, refines
from ...model import log, partition
from ...model.partition.broker import is_current
from ...model.partition.state import *
from ...model.parts.replicated_logs import acknowledges_uncommitted as acknowledges_uncommitted
from ...model.parts.replicated_logs import loses_acknowledged as loses_acknowledged
from ...model.parts.replicated_logs import readers_diverge as readers_diverge
from ...model.parts.replicated_logs import unavailable_while_down as unavailable_while_down

modules = (*partition.modules, partition)
profiles = partition.profiles
view = partition.view


@refines(log, entries=max_records, readers=1, failures=1)
def as_log(s: Partition) -> log.OneLog:
    """To those who write to it and read it, the partition is a log."""
    return log.mislead_readers(
        log.unread(
            written=s.sent,
            committed=readable_entries(s),
            acknowledged=s.acknowledged,
            lost=Set(id for id in s.acknowledged if is_lost(s, id)),
            down=a_broker_is_down(s),
            available=not a_broker_is_down(s) or takes_writes(s),
        ),
        seen_astray(s),
    )


def readable_entries(s: Partition) -> log.Order:
    """What readers find: at each offset what could ever be read there, as far as the newest leader has it."""
    order: log.Order = Seq()
    for offset in range(log_size):
        if len(order) == offset and any(is_found(s, offset, id) for id in s.read[offset]):
            order = order + Seq([min(id for id in s.read[offset] if is_found(s, offset, id))])
    return order


def is_found(s: Partition, offset: int, id: RecordId) -> bool:
    """Whether the leader of the newest epoch, if there is one, has a record at an offset."""
    return all(
        offset < len(s.log[leader]) and s.log[leader][offset].id == id for leader in Broker if is_true_leader(s, leader)
    )


def seen_astray(s: Partition) -> log.Order:
    """What somebody has read, up to the first record that readers do not find there; empty where all is found."""
    order = readable_entries(s)
    seen: log.Order = Seq()
    for offset in range(log_size):
        if len(seen) == 0 and any(is_elsewhere(order, offset, id) for id in s.read[offset]):
            seen = order[:offset] + Seq([min(id for id in s.read[offset] if is_elsewhere(order, offset, id))])
    return seen


def is_elsewhere(order: log.Order, offset: int, id: RecordId) -> bool:
    """Whether readers find another record at an offset, or none."""
    return offset >= len(order) or order[offset] != id


def is_lost(s: Partition, id: RecordId) -> bool:
    """Whether the leader of the newest epoch does not have a record, or nobody has it."""
    return any(is_true_leader(s, leader) and not has(s, leader, id) for leader in Broker) or not any(
        has(s, broker, id) for broker in Broker
    )


def has(s: Partition, broker: Broker, id: RecordId) -> bool:
    """Whether a broker's log has a record."""
    return any(record.id == id for record in s.log[broker])


def a_broker_is_down(s: Partition) -> bool:
    """Whether as many hosts as may be are lost for good, the controller knows, and so does whoever leads."""
    return (
        host_losses > 0
        and len(s.gone & s.fenced) == host_losses
        and all(is_current(s, leader) for leader in Broker if leads(s, leader))
    )


def takes_writes(s: Partition) -> bool:
    """Whether a leader that knows the partition as it is registered has followers enough for acks=all."""
    return any(is_current(s, leader) and len(s.view[leader].isr) >= effective_min_isr() for leader in s.up)
