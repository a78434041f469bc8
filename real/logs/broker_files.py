"""The files of brokers that say something of a leader or a high watermark, line by line.

* `server.log` and `state-change.log`, rolled and compressed ones too: where a leader or a follower of an epoch starts,
  and with which high watermark (state.change.logger, ReplicaManager), the high watermark of a leader when its ISR
  shrinks (kafka.cluster.Partition), and where a follower truncates its log (ReplicaFetcherThread, from 3.1 on). The
  words are those of Kafka 2.6 to 4.2. Kafka's own configuration of logging has the two kinds of lines in two files, and
  begins new ones each hour: the lines of a broker are put in order by their times, which come from one clock, and those
  of a file as they stand;
* a broker's `log.dirs`: `replication-offset-checkpoint`, and of a partition `leader-epoch-checkpoint` and
  `partition.metadata`, which has the topic's id; where the first is missing or empty, its segments say which epochs
  its records are of.
"""

from __future__ import annotations

import bz2
import gzip
import heapq
import lzma
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import IO, TypeAlias

from ...language.errors import UsageError
from ...language.immutable import immutable
from .segments import read_epochs
from .zookeeper_lines import CLUSTER

PROPERTIES = "meta.properties"
CHECKPOINT, EPOCHS, OF_TOPIC = "replication-offset-checkpoint", "leader-epoch-checkpoint", "partition.metadata"
_STARTS = re.compile(
    r"\[Broker id=(?P<broker>\d+)\] (?P<role>Leader|Follower) (?P<name>\S+)(?: with topic id (?P<id>\S+))? starts at "
    r"leader epoch (?P<epoch>\d+) from offset (?P<end>\d+) with (?:partition epoch (?P<partition>\d+)(?:,| and) )?"
    r"high watermark (?P<hw>\d+)(?:\. Current leader is (?P<leader>-?\d+))?"
)
_SHRINKS = re.compile(
    r"\[Partition (?P<name>\S+) broker=(?P<broker>\d+)\] Shrinking ISR from \S+ to \S*\. Leader: "
    r"\(highWatermark: (?P<hw>\d+), endOffset: \d+\)"
)
_CUTS = re.compile(
    r"\[ReplicaFetcher replicaId=(?P<broker>\d+), leaderId=(?P<leader>\d+), fetcherId=\d+\] Truncating partition "
    r"(?P<name>\S+) with \w*TruncationState\(offset=(?P<end>\d+), .*?\) due to leader epoch"
)
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{3}))?")
_ID = re.compile(r"(?:Some|Optional)[(\[](?P<id>[^)\]]+)[)\]]")
_SEGMENT = re.compile(r"\d{20}\.log$")
_OPENED: Mapping[str, Callable[..., IO[str]]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_PACKED = frozenset({".zip", ".zst", ".lz4", ".7z", ".tar", ".tgz", ".Z"})


@immutable
class EpochStart:
    """A broker starts to lead or to follow in a leader epoch: `leader` is the broker that it leads or follows, -1 for
    nobody, and None where the line does not name it, as `partition_epoch` is up to 2.8. Of a follower `topic_id` is
    None, since it does not say it. `end` and `high_watermark` are those of its log before the epoch."""

    broker: int
    leads: bool
    topic_id: str | None
    epoch: int
    partition_epoch: int | None
    leader: int | None
    end: int
    high_watermark: int
    where: str


@immutable
class IsrShrink:
    """A leader has a high watermark when its ISR shrinks. `is_tied`: another file has a line of the same time, so that
    it is not known which was first."""

    broker: int
    high_watermark: int
    where: str
    is_tied: bool = False


@immutable
class LogTruncation:
    """A follower truncates its log to where its leader's leaves it (OffsetsForLeaderEpoch, or a DivergingEpoch).
    `is_tied` as of `Shrinks`."""

    broker: int
    leader: int
    end: int
    where: str
    is_tied: bool = False


@immutable
class DiskState:
    """What a broker's `log.dirs` have of a partition: its high watermark, and where the epochs of its log begin."""

    broker: int
    topic_id: str | None
    high_watermark: int
    where: str
    begins: tuple[tuple[int, int], ...]
    epochs: str


Line: TypeAlias = EpochStart | IsrShrink | LogTruncation


@immutable
class BrokerLogs:
    """What was read: the files, by a partition's name the lines of each broker in their order and what `log.dirs`
    have, `notes` on files that were not read, and `clusters`: of which cluster files say that brokers are, by the
    place that says so."""

    paths: tuple[Path, ...]
    lines: Mapping[str, Sequence[Sequence[Line]]]
    disk_states: Mapping[str, Sequence[DiskState]]
    notes: tuple[str, ...] = ()
    clusters: Mapping[str, str] = field(default_factory=dict[str, str])

    def refuse_another(self, metadata: Iterable[Path], zookeeper: tuple[str, str] | None = None) -> None:
        """UsageError where brokers are of another cluster than a metadata log's files, or than the logs of a cluster
        with ZooKeeper, which have its id and where it stands: of two clusters no loss, and that there is none, says
        anything. Where one of them does not say whose it is, nothing is known."""
        if zookeeper is not None:
            self._refuse_other_clusters(
                zookeeper[0], f"the controllers' logs are of {zookeeper[0]}: see {zookeeper[1]}"
            )
            return
        folders = {place for path in metadata for place in path.resolve().parents[:2]}
        for place in sorted(folder / PROPERTIES for folder in folders):
            if (own := _cluster_id(place)) is not None:
                self._refuse_other_clusters(own, f"the metadata log is of {own}: see {place}")

    def _refuse_other_clusters(self, own: str, reason: str) -> None:
        for place, other in self.clusters.items():
            if other != own:
                raise UsageError(f"{place}: it is of cluster {other}, and {reason}")


def read_brokers(paths: Iterable[Path]) -> BrokerLogs:
    """The logs of brokers at or below some paths. UsageError where there is no path, where nothing in it says where
    a leader or a high watermark of a partition is, and for a file that is damaged."""
    read = _BrokerFilesReading()
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: there is no such file or directory")
        before = len(read.paths)
        try:
            for file in [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file()):
                read.file(file)
        except (OSError, EOFError, lzma.LZMAError) as error:
            raise UsageError(f"{path}: it cannot be read: {error}") from None
        if len(read.paths) == before:
            raise UsageError(
                f"{path}: no server.log or state-change.log in it says where a leader starts, and no {CHECKPOINT} is "
                "there; give a broker's folder of logs or its log.dirs"
            )
    lines = {name: tuple(tuple(one) for one in _lines_by_broker(files)) for name, files in read.lines.items()}
    return BrokerLogs(tuple(read.paths), lines, read.kept, tuple(read.notes), read.clusters)


_Timed: TypeAlias = tuple[str, int, Line]
"""A line with its time, or "" where it has none, and the number of its file."""


class _BrokerFilesReading:
    def __init__(self) -> None:
        self.paths: list[Path] = []
        self.lines: dict[str, dict[tuple[int, int], list[_Timed]]] = {}
        self.kept: dict[str, list[DiskState]] = {}
        self.notes: list[str] = []
        self.clusters: dict[str, str] = {}

    def file(self, path: Path) -> None:
        """Reads a file, if it is one that says something; each once, also where it is found twice."""
        if path.resolve() in {one.resolve() for one in self.paths if one.name == path.name}:
            return
        if path.name == CHECKPOINT:
            self._read_checkpoint(path)
        elif is_log(path):
            if is_packed(path):
                self.notes.append(f"{path}: it is packed in a way that is not read here, and left out; unpack it")
            else:
                self._read_log_lines(path)

    def _read_log_lines(self, path: Path) -> None:
        latest, found = "", False
        with open_log(path) as lines:
            for number, text in enumerate(lines, 1):
                if (cluster := CLUSTER.search(text)) is not None:
                    self.clusters[f"{path}:{number}"] = cluster[1]
                if (said := _parse_line(text, f"{path}:{number}")) is not None:
                    name, line = said
                    latest = max(latest, "".join(time_of_line(text) or ()))
                    of_file = self.lines.setdefault(name, {}).setdefault((line.broker, len(self.paths)), [])
                    of_file.append((latest, len(self.paths), line))
                    found = True
        if found:
            self.paths.append(path)

    def _read_checkpoint(self, path: Path) -> None:
        about = path.parent / PROPERTIES
        broker = _broker_id(about)
        if (cluster := _cluster_id(about)) is not None:
            self.clusters[str(about)] = cluster
        self.paths.append(path)
        for topic, partition, high_watermark in _checkpoint_rows(path, 3):
            folder = path.parent / f"{topic}-{partition}"
            epochs = folder / EPOCHS
            begins = (
                tuple((int(epoch), int(start)) for epoch, start in _checkpoint_rows(epochs, 2))
                if epochs.exists()
                else ()
            )
            if not begins:
                begins, epochs = read_epochs(folder), folder
            known = DiskState(broker, _topic_id(folder), int(high_watermark), str(path), begins, str(epochs))
            self.kept.setdefault(folder.name, []).append(known)


def time_of_line(text: str) -> tuple[str, ...] | None:
    """The first time in a line: year, month, day, hour, minute, second, and ms, which may be missing."""
    found = _TIME.search(text)
    return None if found is None else tuple(part or "000" for part in found.groups())


def is_log(path: Path) -> bool:
    """Whether a file is one that a logger writes, also rolled or compressed, and no segment."""
    return ".log" in path.name and not _SEGMENT.search(path.name)


def is_packed(path: Path) -> bool:
    """Whether a file is compressed in a way that is not read here."""
    return path.suffix in _PACKED


def open_log(path: Path) -> IO[str]:
    """A log file, also a compressed one, to be read."""
    return _OPENED.get(path.suffix, open)(path, "rt", encoding="utf-8", errors="replace")


def _parse_line(text: str, where: str) -> tuple[str, Line] | None:
    """What a line says, and of which partition."""
    if line := _STARTS.search(text):
        broker, leads = int(line["broker"]), line["role"] == "Leader"
        leader = broker if leads else None if line["leader"] is None else int(line["leader"])
        found = _ID.match(line["id"] or "")
        numbers = int(line["end"]), int(line["hw"])
        identity, epoch = found["id"] if found else None, int(line["epoch"])
        partition = None if line["partition"] is None else int(line["partition"])
        return line["name"], EpochStart(broker, leads, identity, epoch, partition, leader, *numbers, where)
    if line := _SHRINKS.search(text):
        return line["name"], IsrShrink(int(line["broker"]), int(line["hw"]), where)
    if line := _CUTS.search(text):
        return line["name"], LogTruncation(int(line["broker"]), int(line["leader"]), int(line["end"]), where)
    return None


def _lines_by_broker(files: Mapping[tuple[int, int], Sequence[_Timed]]) -> Iterator[list[Line]]:
    """The lines of each broker in their order: those of files with times together, others file by file."""
    timed = dict[int, list[Sequence[_Timed]]]()
    for (broker, _), lines in files.items():
        if lines[0][0]:
            timed.setdefault(broker, []).append(lines)
        else:
            yield [line for _, _, line in lines]
    for of_broker in timed.values():
        yield list(_mark_ties(list(heapq.merge(*of_broker, key=lambda one: one[0]))))


def _mark_ties(lines: Sequence[_Timed]) -> Iterator[Line]:
    """The lines, with those marked that may as well come before or after one of another file."""
    files = dict[str, set[int]]()
    for when, file, line in lines:
        if isinstance(line, EpochStart):
            files.setdefault(when, set()).add(file)
    for when, file, line in lines:
        if not isinstance(line, EpochStart) and files.get(when, {file}) != {file}:
            line = replace(line, is_tied=True)
        yield line


def _checkpoint_rows(path: Path, width: int) -> Iterator[list[str]]:
    """The rows of a checkpoint: below its version and how many there are. A file without a byte has none: it was being
    written when power was lost. UsageError where it has another number of rows than it says."""
    lines = path.read_text("utf-8", errors="replace").splitlines()
    if not lines:
        return
    stated, has = lines[1].strip() if len(lines) > 1 else "no number of", max(len(lines) - 2, 0)
    if lines[0].strip() != "0" or stated != str(has):
        raise UsageError(f"{path}: it is damaged: it states {stated} rows of version 0, and has {has}")
    for line in lines[2:]:
        row = line.rsplit(" ", width - 1)
        if len(row) != width or not all(word.isdecimal() for word in row[1:]):
            raise UsageError(f"{path}: {line!r} is no row of a checkpoint")
        yield row


def _broker_id(path: Path) -> int:
    """The broker whose log.dirs have a meta.properties."""
    text = path.read_text("utf-8", errors="replace") if path.exists() else ""
    found = re.search(r"^(?:node|broker)\.id=(\d+)\s*$", text, re.MULTILINE)
    if found is None:
        raise UsageError(f"{path}: it does not say which broker's log.dirs these are (node.id)")
    return int(found[1])


def _cluster_id(path: Path) -> str | None:
    """The cluster that a meta.properties names; None where there is none, or it names none."""
    text = path.read_text("utf-8", errors="replace") if path.is_file() else ""
    found = re.search(r"^cluster\.id=(\S+)\s*$", text, re.MULTILINE)
    return found[1] if found else None


def _topic_id(folder: Path) -> str | None:
    path = folder / OF_TOPIC
    text = path.read_text("utf-8", errors="replace") if path.exists() else ""
    found = re.search(r"^topic_id: *(\S+)\s*$", text, re.MULTILINE)
    return found[1] if found else None
