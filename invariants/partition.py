"""What must hold of a partition."""

from __future__ import annotations

from ..language import invariant, reachable
from ..model.partition_state import Broker, Partition, is_true_leader


@invariant
def type_ok(s: Partition) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def leader_in_isr(s: Partition) -> bool:
    """R2. The leader that the controller names, if any, is in the ISR."""
    return s.registered.leader is None or s.registered.leader in s.registered.isr


@invariant
def acked_durable(s: Partition) -> bool:
    """R13. Every acknowledged record is in the log of a broker."""
    return all(any(record.id == id for broker in Broker for record in s.log[broker]) for id in s.acknowledged)


@invariant
def leader_completeness(s: Partition) -> bool:
    """R5. The leader, once it knows, holds every record that was ever acknowledged."""
    return all(
        any(record.id == id for record in s.log[leader])
        for leader in Broker
        if is_true_leader(s, leader)
        for id in s.acknowledged
    )


@invariant
def log_matching(s: Partition) -> bool:
    """R10. Two logs with a record of the same epoch at the same offset are the same up to there."""
    return all(
        s.log[one][before] == s.log[other][before]
        for one in Broker
        for other in Broker
        for offset in range(min(len(s.log[one]), len(s.log[other])))
        if s.log[one][offset].epoch == s.log[other][offset].epoch
        for before in range(offset + 1)
    )


@reachable
def record_is_acknowledged(s: Partition) -> bool:
    """A record is acknowledged."""
    return len(s.acknowledged) > 0
