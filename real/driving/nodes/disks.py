"""What brokers wrote: segments, checkpoints, the controller's metadata log; and how a power loss cuts them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kafka.record.memory_records import MemoryRecords

from ....language.immutable import immutable
from ...history.moments import History
from ...history.partitions import recorded_cluster
from ...logs.metadata_log import TOPIC, NoRecordsError, read_metadata_log

SEGMENT = "00000000000000000000.log"
FILLER = b"bait"


@immutable
class LoggedRecord:
    """A record in a segment: its offset, the leader epoch of its batch, its value, and the byte where its batch
    begins."""

    offset: int
    epoch: int
    value: bytes
    position: int


def read_log(segment: Path) -> list[LoggedRecord]:
    """The whole batches of a segment, which may be being written; nothing where there is none."""
    found = list[LoggedRecord]()
    for position, epoch, batch in read_batches(segment):
        if not batch.is_control_batch:
            found += [LoggedRecord(one.offset, epoch, bytes(one.value or b""), position) for one in batch]
    return found


def read_batches(segment: Path, position: int = 0) -> Iterator[tuple[int, int, Any]]:
    """The whole batches of a segment from a byte on, each with the byte where it begins and its leader epoch; none
    where there is no segment. What is being written at its end is left out."""
    try:
        data = segment.read_bytes()
    except FileNotFoundError:
        return
    while position + 17 <= len(data):
        size = 12 + int.from_bytes(data[position + 8 : position + 12], "big")
        if size <= 12 or position + size > len(data):
            return
        epoch = int.from_bytes(data[position + 12 : position + 16], "big", signed=True)
        for batch in MemoryRecords(data[position : position + size]):
            yield position, epoch, batch
        position += size


def read_checkpoint(path: Path, topic: str, partition: int = 0) -> int:
    """What a checkpoint file says of a partition; 0 where it says nothing."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return 0
    rows = (line.split() for line in lines[2:])
    return next((int(row[2]) for row in rows if len(row) == 3 and row[:2] == [topic, str(partition)]), 0)


def count_unflushed(data: Path, topic: str) -> tuple[int, int]:
    """How many records of a topic's log are on the disk for certain, and how many there are; baits do not count."""
    real = [one for one in read_log(data / f"{topic}-0" / SEGMENT) if one.value != FILLER]
    flushed = read_checkpoint(data / "recovery-point-offset-checkpoint", topic)
    return sum(one.offset < flushed for one in real), len(real)


def cut_log(data: Path, topic: str, kept_records: int, partition: int = 0) -> tuple[int, int]:
    """Leaves of a partition's log what a power loss leaves: so many of the records that are no bait; how many there
    were, and how many bytes are left. ValueError where Kafka knows that more is on the disk."""
    segment = data / f"{topic}-{partition}" / SEGMENT
    written = read_log(segment)
    real = [one for one in written if one.value != FILLER]
    if kept_records >= len(real):
        return len(real), segment.stat().st_size if segment.exists() else 0
    flushed = read_checkpoint(data / "recovery-point-offset-checkpoint", topic, partition)
    if real[kept_records].offset < flushed:
        raise ValueError(f"its recovery point is {flushed}, so that offset {real[kept_records].offset} is on the disk")
    with segment.open("r+b") as file:
        file.truncate(real[kept_records].position)
    return len(real), real[kept_records].position


def read_history(controller: Path, topic: str) -> History | None:
    """What the controller has on record of partition 0 of a topic; None before it is created."""
    log = read_metadata_log(controller / TOPIC)
    return next((one for one in recorded_cluster(log).histories if one.topic == topic), None)


def read_live_brokers(controller: Path) -> set[int]:
    """The brokers that have registered and are not fenced; nobody while there is no log, or nothing in it yet. Raises
    UsageError for a log that cannot be read: who is there is not known then."""
    found = dict[int, bool]()
    try:
        entries = read_metadata_log(controller / TOPIC).entries
    except NoRecordsError:
        return set()
    for entry in entries:
        fields = entry.record.fields
        match entry.record.kind:
            case "REGISTER_BROKER_RECORD":
                found[fields["brokerId"]] = not fields["fenced"]
            case "BROKER_REGISTRATION_CHANGE_RECORD" if fields.get("fenced", 0):
                found[fields["brokerId"]] = fields["fenced"] < 0
            case "UNFENCE_BROKER_RECORD" | "FENCE_BROKER_RECORD":
                found[fields["id"]] = entry.record.kind == "UNFENCE_BROKER_RECORD"
            case _:
                pass
    return {broker for broker, is_there in found.items() if is_there}
