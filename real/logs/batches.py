"""Where the whole batches of a segment end, and whether what follows may be left out.

A segment that is copied while it is written, or after a loss of power, ends with a part of a batch, with zeros that the
file system has in place of what was never written, or with both. All before that is whole. Where more batches follow,
or where the bytes are there and are wrong, the file is damaged, and to leave out the rest would hide what it says.

A batch begins with its first offset, its length, its leader's epoch, its magic and its checksum
(org.apache.kafka.common.record.DefaultRecordBatch). The checksum covers what comes after it, and not what comes before.
"""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path

from ...language.errors import UsageError
from ...language.immutable import immutable

NEWEST = 2
SECTOR = 512
"""What a disk writes as one: where nothing was written, zeros begin at a multiple of it."""
_BEGINS, _AFTER_LENGTH, _MAGIC, _SUM, _SUMMED = struct.Struct(">qi"), 12, 16, 17, 21
_HEADER = struct.Struct(">qiibIhiqqqhii")
_LEAST_OF_OLD = 14
_LEAST = _HEADER.size - _AFTER_LENGTH


@immutable
class BatchFormat:
    """What a log's batches are like: their oldest magic, how long they are at most, and whether each checksum is
    compared, which takes a second for each 3 MB."""

    oldest: int
    longest: int
    compares_checksums: bool


METADATA = BatchFormat(2, 8 * 1024 * 1024, True)
"""Of the metadata log (KafkaRaftClient.MAX_BATCH_SIZE_BYTES)."""
PARTITION = BatchFormat(0, 2**31 - 1, False)
"""Of any partition."""


@immutable
class SegmentStart:
    """The beginning of a segment that is whole: its size, the offset that comes next where it has a batch, and what is
    to be said of the bytes that are left out."""

    size: int
    next: int | None
    note: str | None = None


def find_whole_part(path: Path, data: bytes, form: BatchFormat) -> SegmentStart:
    """The beginning of a segment that is whole. UsageError where what follows is damaged, and not just unfinished."""
    at, after = 0, None
    while (end := _end_of_batch(data, at, form)) is not None:
        at, after = end, _offset_after_batch(data, at)
    if at == len(data):
        return SegmentStart(at, after)
    left, written = len(data) - at, max(_written_length(data), at)
    begins = f"{path}: the last {left} bytes are"
    ends = "" if after is None else f": it is read up to offset {after - 1}"
    if not data.rstrip(b"\0")[at:]:
        return SegmentStart(at, after, f"{begins} zeros, as a loss of power leaves them, and are left out{ends}")
    if (why := _why_damaged(data, at, written, after, form)) is not None:
        raise UsageError(_damage_message(path, at, after, why))
    zeros = f", and from byte {written} on zeros, as a loss of power leaves them" if written < len(data) else ""
    return SegmentStart(at, after, f"{begins} no whole batch{zeros}, and are left out{ends}")


def _damage_message(path: Path, position: int, next_offset: int | None, why: str) -> str:
    if next_offset is None:
        return f"{path}: it is no segment of a log of Kafka, or its first batch is damaged: {why}"
    return (
        f"{path}: the batch at offset {next_offset}, byte {position}, is damaged: {why}. What follows may be what "
        "matters: give a whole copy of this log, or that of another replica, which has the same records"
    )


def _end_of_batch(data: bytes, position: int, form: BatchFormat) -> int | None:
    """Where the batch ends that begins at a place; None where there is none, or it is not whole."""
    if position + _SUM > len(data):
        return None
    first, length = _BEGINS.unpack_from(data, position)
    magic, end = data[position + _MAGIC], position + _AFTER_LENGTH + length
    least = _LEAST if magic == NEWEST else _LEAST_OF_OLD
    if first < 0 or not form.oldest <= magic <= NEWEST or length < least or end > len(data):
        return None
    return end if not form.compares_checksums or _sum_is_right(data, position, end) else None


def _sum_is_right(data: bytes, position: int, end: int) -> bool:
    """Whether a batch has its checksum."""
    if data[position + _MAGIC] < NEWEST:
        return int.from_bytes(data[position + _AFTER_LENGTH : position + _MAGIC]) == zlib.crc32(
            data[position + _MAGIC : end]
        )
    try:
        from kafka.record.util import calc_crc32c
    except ImportError:
        raise UsageError("reading segments needs kafka-python: pip install '.[live]' in the clone") from None
    return int.from_bytes(data[position + _SUM : position + _SUMMED]) == calc_crc32c(data[position + _SUMMED : end])


def _offset_after_batch(data: bytes, position: int) -> int:
    """The offset after a batch that is whole."""
    if data[position + _MAGIC] < NEWEST:
        return _BEGINS.unpack_from(data, position)[0] + 1
    header = _HEADER.unpack_from(data, position)
    return header[0] + header[6] + 1


def _written_length(data: bytes) -> int:
    """Up to where a file was written: where zeros begin that go on to its end, in whole sectors."""
    return min(-(-len(data.rstrip(b"\0")) // SECTOR) * SECTOR, len(data))


def _why_damaged(
    data: bytes, position: int, written_offset: int, next_offset: int | None, form: BatchFormat
) -> str | None:
    """Why what begins at a place is damaged; None where it may be the beginning of a batch that was being written."""
    if (more := _next_batch_start(data, position + 1, next_offset or 0, form)) is not None:
        place, offset = more
        if place == position + _AFTER_LENGTH + int.from_bytes(data[position + 8 : position + _AFTER_LENGTH]):
            return f"its checksum is wrong, or its header, and another batch follows, at offset {offset}"
        return f"it is not whole, and another batch follows, at offset {offset}, byte {place}"
    if position + _AFTER_LENGTH > written_offset:
        return None
    first, length = _BEGINS.unpack_from(data, position)
    if next_offset is not None and (first < next_offset or (form.compares_checksums and first != next_offset)):
        return f"it states {first} as its offset"
    if not _LEAST_OF_OLD <= length <= form.longest:
        return f"it states a length of {length} bytes, and no batch is so long or so short"
    if position + _MAGIC < written_offset and not form.oldest <= data[position + _MAGIC] <= NEWEST:
        return f"it states the format {data[position + _MAGIC]}, which there is not"
    if position + _AFTER_LENGTH + length <= written_offset:
        return "its checksum is wrong"
    if position + _HEADER.size <= len(data) <= position + METADATA.longest and _sum_is_right(data, position, len(data)):
        return f"it states a length of {length} bytes, and is whole with fewer"
    return None


def _next_batch_start(data: bytes, since: int, next_offset: int, form: BatchFormat) -> tuple[int, int] | None:
    """The place and the offset of the first batch that begins later, whole or not. The header of a batch without a
    producer, as all in the metadata log are, is known by itself, and that of another by its checksum."""
    for found in re.compile(b"\2").finditer(data, since + _MAGIC):
        place = found.start() - _MAGIC
        if place + _HEADER.size > len(data):
            return None
        first, length, _, _, _, _, delta, _, _, *producer, count = _HEADER.unpack_from(data, place)
        if first < next_offset or not _LEAST <= length <= form.longest or not 0 <= count <= delta + 1:
            continue
        whole = place + _AFTER_LENGTH + length <= len(data)
        if (producer == [-1, -1, -1] and count == delta + 1) or (
            whole and _sum_is_right(data, place, place + _AFTER_LENGTH + length)
        ):
            return place, first
    return None
