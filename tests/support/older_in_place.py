"""What is asked of a partition in `tests/audit/questions/test_returns.py`, beside the properties that it has."""

from __future__ import annotations

from tidegate.language import invariant
from tidegate.model.partition.state import Broker, Partition, is_true_leader, log_size


@invariant
def no_older_in_place(s: Partition) -> bool:
    """No leader serves a record of an older epoch than the one that consumers could have read there, and that another
    broker has yet."""
    return all(
        offset >= min(len(s.log[leader]), s.high_watermark[leader])
        or offset >= len(s.log[other])
        or s.log[other][offset].id not in s.read[offset]
        or s.log[leader][offset].epoch >= s.log[other][offset].epoch
        for leader in Broker
        if is_true_leader(s, leader)
        for other in Broker
        for offset in range(log_size)
    )
