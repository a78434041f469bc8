"""A replica's log as a program would have it: segments of a few records, and a cache of where epochs begin.

`forgetful=True` plants a bug that real logs have had: cutting the log leaves what the cache knows of epochs that were
cut off.
"""

from __future__ import annotations

import bisect

SEGMENT = 3


class SegmentedLog:
    """Records in segments of `SEGMENT`; each record is the epoch it was written in."""

    def __init__(self, *, forgetful: bool = False) -> None:
        self.forgetful = forgetful
        self.epoch = 0
        self.segments: list[list[int]] = [[]]
        self.starts: list[tuple[int, int]] = []  # (epoch, its first offset), in order

    @property
    def end(self) -> int:
        """The offset after the last record."""
        return (len(self.segments) - 1) * SEGMENT + len(self.segments[-1])

    def begin_epoch(self) -> None:
        """A new leader epoch."""
        self.epoch += 1

    def append(self) -> None:
        """Write a record; the cache hears of an epoch with its first one."""
        if len(self.segments[-1]) == SEGMENT:
            self.segments.append([])
        if not self.starts or self.starts[-1][0] < self.epoch:
            self.starts.append((self.epoch, self.end))
        self.segments[-1].append(self.epoch)

    def truncate(self, end: int) -> None:
        """Keep the records before an offset."""
        del self.segments[end // SEGMENT + 1 :]
        del self.segments[-1][end % SEGMENT :]
        if not self.forgetful:
            self.starts = [start for start in self.starts if start[1] < end]

    def end_of(self, epoch: int) -> int:
        """Where an epoch ends, by the cache: where the next one begins."""
        later = bisect.bisect_right(self.starts, (epoch, self.end))
        return self.starts[later][1] if later < len(self.starts) else self.end

    def records(self) -> list[int]:
        """All records."""
        return [record for segment in self.segments for record in segment]
