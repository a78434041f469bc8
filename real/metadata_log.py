"""Where a cluster's metadata log is: segments and snapshots of a controller, or what `kafka-dump-log` prints of them.

$ kafka-dump-log.sh --cluster-metadata-decoder --files 00000000000000000000.log > metadata.txt
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..language.errors import UsageError
from ..language.immutable import immutable
from .metadata_records import KINDS, MetadataRecord, NotReadable, decoded

if TYPE_CHECKING:
    from kafka.record.memory_records import Batch, MemoryRecords

TOPIC = "__cluster_metadata-0"
SEGMENT, SNAPSHOT = ".log", ".checkpoint"
_NAMES = frozenset(kind.name for kind in KINDS.values())
_DUMPED = re.compile(r"offset: (\d+) CreateTime: (-?\d+) .*?payload: (\{.*\})\s*$")
_BATCH = re.compile(r"^baseOffset: (\d+) ")


@immutable
class Entry:
    """A record of the metadata log: its offset, the offset at which its batch begins, when it was appended in ms since
    1970, and what it says."""

    offset: int
    batch: int
    time_ms: int
    record: MetadataRecord


@immutable
class MetadataLog:
    """What was read: `paths` in the order in which they were, the entries that say something of brokers and partitions,
    and `notes` on what could not be read. `from_snapshot`: what came before the first entries is only known as it was
    in the end."""

    paths: tuple[Path, ...]
    entries: tuple[Entry, ...]
    from_snapshot: bool
    notes: tuple[str, ...] = ()


def read(path: Path) -> MetadataLog:
    """The metadata log at a path: a segment, a snapshot, a printed log, or a directory with segments and snapshots in
    it or below it.

    Raises UsageError, which says what is wrong and what to give, where there is none, where there are several, or where
    a file cannot be read.
    """
    if not path.exists():
        raise UsageError(f"{path}: there is no such file or directory")
    return _of_files(list(_chosen(_folder(path))) if path.is_dir() else [path])


def _folder(path: Path) -> Path:
    """The one directory at or below a path that has segments or snapshots of the metadata log."""
    if path.name == TOPIC or any(path.glob(f"*{SEGMENT}")):
        return path
    found = sorted(path.rglob(TOPIC))
    if not found:
        raise UsageError(
            f"{path}: no {TOPIC} is in it or below it; give a controller's metadata.log.dir, one of its segments, or "
            "what kafka-dump-log.sh --cluster-metadata-decoder prints"
        )
    if len(found) > 1:
        raise UsageError(f"{path}: several controllers' logs are below it; give one, for example {found[0]}")
    return found[0]


def _chosen(folder: Path) -> Iterator[Path]:
    """The files of a log: all segments; where the first does not begin at 0, the newest snapshot from which the
    segments go on, and those."""
    segments = sorted(folder.glob(f"*{SEGMENT}"))
    if (segments and _begins(segments[0]) > 0) or not segments:
        snapshots = sorted(folder.glob(f"*{SNAPSHOT}"))
        usable = [one for one in snapshots if not segments or _begins(one) >= _begins(segments[0])]
        if not usable:
            raise UsageError(f"{folder}: its segments do not begin at offset 0, and there is no snapshot before them")
        yield usable[0]
    yield from segments


def _begins(path: Path) -> int:
    """The offset in a segment's or a snapshot's name; a snapshot's is the first that is not in it."""
    number = path.name.partition("-" if path.suffix == SNAPSHOT else ".")[0]
    if not number.isdigit():
        raise UsageError(f"{path}: its name does not begin with an offset, as names of segments and snapshots do")
    return int(number)


def _of_files(paths: list[Path]) -> MetadataLog:
    entries, notes, snapshot_end = list[Entry](), list[str](), 0
    for path in paths:
        if path.suffix == SNAPSHOT:
            snapshot_end = _begins(path)
        found = _segment(path, notes) if path.suffix in (SEGMENT, SNAPSHOT) else _printed(path)
        is_new = path.suffix == SNAPSHOT
        entries += [entry for entry in found if is_new or entry.offset >= snapshot_end]
    if not entries:
        raise UsageError(f"{', '.join(map(str, paths))}: nothing in it is a metadata record of a broker or a partition")
    return MetadataLog(tuple(paths), tuple(entries), snapshot_end > 0, tuple(notes))


# --- segments ---------------------------------------------------------------------------------------------------------


def _segment(path: Path, notes: list[str]) -> Iterator[Entry]:
    """The entries of a segment or a snapshot. A batch at the end that is not whole is being written: it is left out,
    and a note says so."""
    data = path.read_bytes()
    batches = _records(data)
    from kafka.errors import CorruptRecordError  # there, since the batches are

    try:
        for batch in batches:
            if not batch.validate_crc():
                raise UsageError(f"{path}: the batch at offset {batch.base_offset} is damaged: its checksum is wrong")
            if not batch.is_control_batch:
                yield from _entries(path, batch)
    except CorruptRecordError as error:
        raise UsageError(f"{path}: it is no segment of a log of Kafka: {error}") from None
    if left := len(data) - batches.valid_bytes():
        notes.append(f"{path}: the last {left} bytes are no whole batch, and are left out")


def _records(data: bytes) -> MemoryRecords:
    try:
        from kafka.record.memory_records import MemoryRecords
    except ImportError:
        raise UsageError("reading segments needs kafka-python: pip install 'tidegate[live]'") from None
    return MemoryRecords(data)


def _entries(path: Path, batch: Batch) -> Iterator[Entry]:
    for record in batch:
        try:
            said = decoded(bytes(record.value or b""))
        except NotReadable as error:
            raise UsageError(f"{path}: the record at offset {record.offset} cannot be read: {error}") from None
        if said is not None:
            yield Entry(record.offset, batch.base_offset, record.timestamp, said)


# --- what kafka-dump-log prints ---------------------------------------------------------------------------------------


def _printed(path: Path) -> Iterator[Entry]:
    """The entries of what `kafka-dump-log.sh --cluster-metadata-decoder` has printed."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except UnicodeDecodeError:
        raise UsageError(f"{path}: a segment's name ends in {SEGMENT}, a snapshot's in {SNAPSHOT}") from None
    return _of_lines(lines)


def _of_lines(lines: Iterable[str]) -> Iterator[Entry]:
    batch = 0
    for line in lines:
        if begins := _BATCH.match(line):
            batch = int(begins[1])
        elif found := _DUMPED.search(line):
            payload = json.loads(found[3])
            if payload["type"] in _NAMES:
                record = MetadataRecord(payload["type"], payload["data"])
                yield Entry(int(found[1]), batch, int(found[2]), record)
