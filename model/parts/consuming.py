"""What an application chooses of its consumer: when it commits, and where it begins without an offset."""

from __future__ import annotations

from enum import Enum


class Commits(Enum):
    """When an application commits."""

    AUTO = "in polls"  # enable.auto.commit
    AFTER = "after processing"  # commitSync when all is processed that was returned
    BEFORE = "before processing"
    EACH = "after each record"
    TOGETHER = "with the effect"  # in one transaction of a database, which has the offset in place of Kafka


class Reset(Enum):
    """Where a consumer begins whose group has no offset that the log has: `auto.offset.reset`."""

    LATEST = "latest"  # after the last record that there is
    EARLIEST = "earliest"  # at the first one
    NONE = "none"  # nowhere: it stops with an error
    BY_DURATION = "by_duration"  # at the first one that is young enough, whichever it is (KIP-1106, 4.0)
