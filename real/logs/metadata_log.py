"""Where a cluster's metadata log is: segments and snapshots of a controller, or what `kafka-dump-log` prints of them.

$ kafka-dump-log.sh --cluster-metadata-decoder --files 00000000000000000000.log > metadata.txt
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ...language.errors import UsageError
from ...language.immutable import immutable
from .batches import METADATA, find_whole_part
from .metadata_records import MetadataRecord, UnreadableRecordError, decode_record, parse_printed_record

if TYPE_CHECKING:
    from kafka.record.memory_records import Batch, MemoryRecords

TOPIC = "__cluster_metadata-0"
SEGMENT, SNAPSHOT = ".log", ".checkpoint"
_DUMPED = re.compile(r"^\| offset: (?P<offset>\d+) CreateTime: (?P<time>-?\d+) .*?(?:payload: (?P<payload>.*)|\S)$")
_BATCH = re.compile(r"^baseOffset: (\d+) lastOffset: (\d+) ")
_FILE = re.compile(r"^Dumping (\S.*?)\s*$")
_OF_CONTROL = re.compile(
    r"\b(?:controlType|endTxnMarker|SnapshotHeader|SnapshotFooter|LeaderChange|KRaftVersion|KRaftVoters)\b"
)
_OF_SNAPSHOT = re.compile(r"\bSNAPSHOT_HEADER\b|\bSnapshotHeader\b")


class NoRecordsError(UsageError):
    """There is no metadata log at a path, or no record of a broker or a partition in it, as where it is yet to come."""


@immutable
class Entry:
    """A record of the metadata log: its offset, the offset at which its batch begins, when it was appended in ms since
    1970, and what it says. `snapshot`: it is of a snapshot, whose offsets are its own."""

    offset: int
    batch: int
    time_ms: int
    record: MetadataRecord
    snapshot: bool = False


@immutable
class MetadataLog:
    """What was read: `paths` in the order in which they were, the entries that say something of brokers and partitions,
    and `notes` on what could not be read."""

    paths: tuple[Path, ...]
    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = ()


def read_metadata_log(path: Path) -> MetadataLog:
    """The metadata log at a path: a segment, a snapshot, a printed log, or a directory with segments and snapshots in
    it or below it.

    Raises UsageError, which says what is wrong and what to give, where there is none, where there are several, or where
    a file cannot be read.
    """
    if not path.exists():
        raise NoRecordsError(f"{path}: there is no such file or directory")
    return _read_log_files(list(_files_of_log(_metadata_log_folder(path))) if path.is_dir() else [path])


def has_metadata_log(path: Path) -> bool:
    """Whether a path is a file that may be a metadata log by its name, or has one in it or below it."""
    if path.is_file():
        return path.suffix == SNAPSHOT or (path.suffix == SEGMENT and path.stem.isdigit())
    return path.name == TOPIC or any(one.stem.isdigit() for one in path.glob(f"*{SEGMENT}")) or any(path.rglob(TOPIC))


def _metadata_log_folder(path: Path) -> Path:
    """The one directory at or below a path that has segments or snapshots of the metadata log."""
    if path.name == TOPIC or any(path.glob(f"*{SEGMENT}")):
        return path
    found = sorted(path.rglob(TOPIC))
    if not found:
        raise NoRecordsError(
            f"{path}: no {TOPIC} is in it or below it; give a controller's metadata.log.dir, one of its segments, or "
            "what kafka-dump-log.sh --cluster-metadata-decoder prints"
        )
    if len(found) > 1:
        raise UsageError(f"{path}: several controllers' logs are below it; give one, for example {found[0]}")
    return found[0]


def _files_of_log(folder: Path) -> Iterator[Path]:
    """The files of a log: all segments; where the first does not begin at 0, the oldest snapshot from which the
    segments go on, which has the longest history, and those. Without segments, the newest snapshot."""
    segments = sorted(folder.glob(f"*{SEGMENT}"))
    if (segments and _first_offset_of_file(segments[0]) > 0) or not segments:
        snapshots = sorted(folder.glob(f"*{SNAPSHOT}"))
        usable = [
            one for one in snapshots if not segments or _first_offset_of_file(one) >= _first_offset_of_file(segments[0])
        ]
        if not segments and not snapshots:
            raise NoRecordsError(f"{folder}: no segment and no snapshot is in it")
        if not usable:
            raise UsageError(f"{folder}: its segments do not begin at offset 0, and there is no snapshot before them")
        yield usable[0] if segments else usable[-1]
    yield from segments


def _first_offset_of_file(path: Path) -> int:
    """The offset in a segment's or a snapshot's name; a snapshot's is the first that is not in it."""
    number = path.name.partition("-" if path.suffix == SNAPSHOT else ".")[0]
    if not number.isdigit():
        raise UsageError(f"{path}: its name does not begin with an offset, as names of segments and snapshots do")
    return int(number)


def _read_log_files(paths: list[Path]) -> MetadataLog:
    entries, notes, follow = list[Entry](), list[str](), _Offsets(0)
    for path in paths:
        if path.suffix == SNAPSHOT:
            entries += _segment_entries(path, notes, _Offsets(0), snapshot=True)
            follow = _Offsets(_first_offset_of_file(path), since=_first_offset_of_file(path))
        elif path.suffix == SEGMENT:
            entries += [one for one in _segment_entries(path, notes, follow) if one.offset >= follow.since]
        else:
            entries += _printed_entries(path, notes)
    if not entries:
        raise NoRecordsError(
            f"{', '.join(map(str, paths))}: nothing in it is a metadata record of a broker or a partition"
        )
    return MetadataLog(tuple(paths), tuple(entries), tuple(notes))


class _Offsets:
    """The offsets of a log that are read: `next` comes next. What is below `since` is in a snapshot, too: the first
    batch that is read may begin below it."""

    def __init__(self, first: int, since: int = 0) -> None:
        self.next, self.since, self.begun, self.epoch = first, since, False, 0

    def take(self, path: Path, first: int, last: int, epoch: int | None = None) -> None:
        """Takes a batch of a leader's epoch. UsageError where it does not follow: the log of a controller has no gaps,
        and its epochs, which no checksum covers, do not go back."""
        if epoch is not None and epoch < self.epoch:
            went = f"it is of leader epoch {epoch}, after one of {self.epoch}"
            raise UsageError(f"{path}: the batch at offset {first} is damaged: {went}")
        self.epoch = self.epoch if epoch is None else epoch
        if first > self.next:
            what = f"offsets {self.next} to {first - 1} are missing before it"
            if self.next == 0:
                what += "; give the controller's directory, or a snapshot before it and all segments since"
            raise UsageError(f"{path}: the batch at offset {first} does not follow: {what}")
        if last >= self.since > first or (first < self.next and (self.begun or not self.since)):
            raise UsageError(f"{path}: the batch at offset {first} is there twice: offset {self.next} comes next")
        self.next, self.begun = last + 1, True

    def come_to(self, path: Path) -> None:
        """After a segment was read, whose name has its first offset: UsageError where that is not come to yet, as where
        the segment is empty, and the end of the one before it is not there."""
        if path.stem.isdigit() and (first := int(path.stem)) > self.next:
            raise UsageError(f"{path}: offsets {self.next} to {first - 1} are missing before it, which its name states")


# --- segments ---------------------------------------------------------------------------------------------------------


def _segment_entries(path: Path, notes: list[str], follow: _Offsets, *, snapshot: bool = False) -> Iterator[Entry]:
    """The entries of a segment or a snapshot. What is not whole at the end was being written: it is left out, and a
    note says so (`find_whole_part`). A snapshot is whole: it begins with a header and ends with a footer
    (SnapshotFooterRecord)."""
    data = path.read_bytes()
    part = find_whole_part(path, data, METADATA)
    batches, ended = list(_memory_records(data[: part.size])), False
    for batch in batches:
        follow.take(path, batch.base_offset, batch.next_offset - 1, _leader_epoch(batch))
        ended = batch.is_control_batch
        if not ended:
            yield from _batch_entries(path, batch, snapshot)
    if snapshot and (part.note is not None or not ended or len(batches) < 2):
        raise UsageError(f"{path}: the snapshot is not whole: it has no footer")
    if not snapshot:
        follow.come_to(path)
    if part.note is not None:
        notes.append(part.note)


def _leader_epoch(batch: Batch) -> int | None:
    """The leader's epoch that a batch names."""
    epoch = getattr(batch, "leader_epoch", None)
    return epoch if isinstance(epoch, int) else None


def _memory_records(data: bytes) -> MemoryRecords:
    try:
        from kafka.record.memory_records import MemoryRecords
    except ImportError:
        raise UsageError("reading segments needs kafka-python: pip install '.[live]' in the clone") from None
    return MemoryRecords(data)


def _batch_entries(path: Path, batch: Batch, snapshot: bool) -> Iterator[Entry]:
    for record in batch:
        try:
            said = decode_record(bytes(record.value or b""))
        except UnreadableRecordError as error:
            raise UsageError(f"{path}: the record at offset {record.offset} cannot be read: {error}") from None
        if said is not None:
            yield Entry(record.offset, batch.base_offset, record.timestamp, said, snapshot)


# --- what kafka-dump-log prints ---------------------------------------------------------------------------------------


def _printed_entries(path: Path, notes: list[str]) -> Iterator[Entry]:
    """The entries of what `kafka-dump-log.sh --cluster-metadata-decoder` has printed."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path}: a segment's name ends in {SEGMENT}, a snapshot's in {SNAPSHOT}") from None
    text = _strip_zeros(path, text, notes)
    lines, printed = text.splitlines(), _PrintedLog(path)
    if lines and not text.endswith("\n") and not _is_whole(lines[-1]):
        notes.append(f"{path}: the last line is not whole, and is left out")
        del lines[-1]
    for number, line in enumerate(lines, 1):
        if (entry := printed.take(number, line)) is not None:
            yield entry
    if printed.expected <= printed.last:
        notes.append(f"{path}: the last batch is not whole: it ends before offset {printed.expected}")


def _strip_zeros(path: Path, text: str, notes: list[str]) -> str:
    """A printed log without the zeros at its end. UsageError where there are some in its midst."""
    whole = text.rstrip("\0")
    if "\0" in whole:
        line = whole.partition("\0")[0].count("\n") + 1
        raise UsageError(f"{path}:{line}: it is damaged: zeros are in its midst; print the log again")
    if left := len(text) - len(whole):
        notes.append(f"{path}: the last {left} bytes are zeros, as a loss of power leaves them, and are left out")
    return whole


def _is_whole(line: str) -> bool:
    """Whether a line that no end of line follows is one whole record, or none at all."""
    try:
        json.loads(line.partition("payload: ")[2])
    except ValueError:
        return not line.startswith(("baseOffset", "| "))
    return True


class _PrintedLog:
    """A printed log while it is read. Each batch's line is followed by those of all its records; at the end some may
    not be printed yet, and nowhere else."""

    def __init__(self, path: Path) -> None:
        self.path, self.log, self.snapshot = path, _Offsets(0), False
        self.first, self.last, self.expected = 0, -1, 0
        self.since = 0

    def take(self, number: int, line: str) -> Entry | None:
        """Takes a line; what it says of brokers or partitions. UsageError for one that cannot stand there."""
        where = f"{self.path}:{number}"
        if named := _FILE.match(line):
            self._begin_file(Path(named[1]))
        elif begins := _BATCH.match(line):
            self._check_batch_is_whole(where)
            self.first, self.last = int(begins[1]), int(begins[2])
            self.log.take(self.path, self.first, self.last)
            self.expected = self.first
        elif line.startswith("| "):
            return self._parse_record_line(where, line)
        return None

    def _begin_file(self, path: Path) -> None:
        """The name of a file whose records follow."""
        if path.suffix == SNAPSHOT:
            self.log, self.snapshot, self.since = _Offsets(0), True, _first_offset_of_file(path)
        elif self.snapshot:
            self.log, self.snapshot = _Offsets(self.since, self.since), False

    def _check_batch_is_whole(self, where: str) -> None:
        if self.expected <= self.last:
            raise UsageError(f"{where}: the records from offset {self.expected} to {self.last} are missing before it")

    def _parse_record_line(self, where: str, line: str) -> Entry | None:
        found = _DUMPED.match(line)
        if found is None or int(found["offset"]) != self.expected or self.expected > self.last:
            raise UsageError(f"{where}: {line[:60]!r} is not the record at offset {self.expected} as it is printed")
        self.snapshot = self.snapshot or _OF_SNAPSHOT.search(line) is not None
        self.expected += 1
        payload = found["payload"]
        if payload is None and not _OF_CONTROL.search(line):
            raise UsageError(f"{where}: {line[:60]!r} has no payload, and is no control record as it is printed")
        record = None if payload is None else _parse_payload(where, payload)
        if record is None or (not self.snapshot and int(found["offset"]) < self.log.since):
            return None
        return Entry(int(found["offset"]), self.first, int(found["time"]), record, self.snapshot)


def _parse_payload(where: str, text: str) -> MetadataRecord | None:
    try:
        payload = json.loads(text)
        return parse_printed_record(payload["type"], payload["data"], payload["version"])
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"{where}: {text[:60]!r} is no whole record as kafka-dump-log prints it") from None
    except UnreadableRecordError as error:
        raise UsageError(f"{where}: the record cannot be read: {error}") from None
