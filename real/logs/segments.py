"""A partition's own segments: of which leader epochs its records are."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import cast

from ...language.errors import UsageError
from .batches import PARTITION, find_whole_part

SEGMENT = "[0-9]*.log"


def read_epochs(folder: Path) -> tuple[tuple[int, int], ...]:
    """The leader epochs of a log's records, each with the first offset that the log has of it, in their order; none
    where the folder has no segments. Each batch names its leader's epoch (RecordBatch.partitionLeaderEpoch).

    What retention or compaction has removed is not there, so that an epoch may begin before the offset that is given.
    What is not whole at the end is left out, and so are records of a format without epochs, as up to 0.10. UsageError
    for a file that is no segment or is damaged, and where kafka-python, which reads it, is missing.
    """
    found = dict[int, int]()
    for path in sorted(folder.glob(SEGMENT)):
        for epoch, offset in _epochs_of_batches(path):
            found.setdefault(epoch, offset)
    return tuple(sorted((epoch, offset) for epoch, offset in found.items() if epoch >= 0))


def _epochs_of_batches(path: Path) -> list[tuple[int, int]]:
    data = path.read_bytes()
    try:
        from kafka.record.default_records import DefaultRecordBatch
        from kafka.record.memory_records import MemoryRecords
    except ImportError:
        raise UsageError(f"{path}: reading segments needs kafka-python: pip install '.[live]' in the clone") from None
    whole = MemoryRecords(data[: find_whole_part(path, data, PARTITION).size])
    batches = [batch for batch in whole if isinstance(batch, DefaultRecordBatch)]
    found = [(cast(int, batch.leader_epoch), batch.base_offset) for batch in batches]  # pyright: ignore[reportUnknownMemberType]
    for (epoch, offset), (later, after) in itertools.pairwise(found):
        if after <= offset or later < epoch:
            raise UsageError(
                f"{path}: it is damaged: after offset {offset} of leader epoch {epoch} comes offset {after} of {later}"
            )
    return found
