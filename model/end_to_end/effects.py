"""What comes of a record in the end: which of its application's records an entry of the log holds, and how often."""

from __future__ import annotations

from enum import Enum

from ...language import constant
from ..consumer.state import Consuming, Partition
from ..parts.replicated_logs import Entry


class Written(Enum):
    """What the log has of an application's first record; the others are there once."""

    ONCE = "once"
    TWICE = "twice"  # a retry, or an application that started again and sent it once more
    NEVER = "never"  # it was given up, or the process died before it was sent


written = constant(
    Written.ONCE, says="how often the log has the application's first record, by the producer's settings"
)
knows_records = constant(False, says="the sink knows which records it has: a second time leaves it as it is")


def number(entry: Entry) -> int:
    """The application's record that an entry holds."""
    if written == Written.TWICE:
        return max(0, entry - 1)
    return entry + 1 if written == Written.NEVER else entry


def sent_count(s: Consuming, partition: Partition) -> int:
    """How many records the application has sent to a partition, those before the last that is there among them."""
    return max((number(entry) + 1 for entry in s.logs[partition].appended), default=0)
