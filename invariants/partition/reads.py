"""What an audit asks of a partition's reads so that one exploration answers for several settings (`audit.inference`).

The catalogue does not have it: there `acked_durable` says the same of what producers were promised.
"""

from __future__ import annotations

from ...language import invariant
from ...model.partition.state import Broker, Partition, log_size


@invariant
def read_durable(s: Partition) -> bool:
    """Everything that consumers may have read is in the log of some broker."""
    return all(
        any(record.id == id for broker in Broker for record in s.log[broker])
        for offset in range(log_size)
        for id in s.read[offset]
    )
