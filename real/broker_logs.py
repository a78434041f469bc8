"""What brokers wrote beside the metadata log: does it show that records were lost which had been committed?

A record below a high watermark is committed: consumers may have read it, and with acks=all its producer was told so. A
leader of a later epoch whose log ends before it has lost it. Both are in what brokers write:

* lines of `server.log` and `state-change.log`: where a leader or a follower of an epoch starts, and with which high
  watermark (state.change.logger, ReplicaManager), and the high watermark of a leader when its ISR shrinks
  (kafka.cluster.Partition). The words are those of Kafka 3.3 to 4.1;
* a broker's `log.dirs`: `replication-offset-checkpoint` has its high watermarks, and the `leader-epoch-checkpoint` of a
  partition the offsets at which the leader epochs of its records begin.

Epochs say what was before what, and no clock is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from ..language.errors import UsageError
from ..language.immutable import immutable
from .history import History, Moment

CHECKPOINT, EPOCHS = "replication-offset-checkpoint", "leader-epoch-checkpoint"
_STARTS = re.compile(
    r"\[Broker id=(?P<broker>\d+)\] (?P<role>Leader|Follower) (?P<name>\S+)(?: with topic id (?P<id>\S+))? starts at "
    r"leader epoch (?P<epoch>\d+) from offset (?P<end>\d+) with partition epoch \d+(?:,| and) "
    r"high watermark (?P<hw>\d+)"
)
_SHRINKS = re.compile(
    r"\[Partition (?P<name>\S+) broker=(?P<broker>\d+)\] Shrinking ISR from \S+ to \S*\. Leader: "
    r"\(highWatermark: (?P<hw>\d+), endOffset: \d+\)"
)
_SEGMENT = re.compile(r"\d{20}\.log$")


@immutable
class Committed:
    """A broker has a high watermark, in or after a leader epoch."""

    epoch: int
    high_watermark: int
    broker: int
    where: str


@immutable
class Start:
    """The log of a leader epoch's leader ends at an offset when the epoch begins."""

    epoch: int
    end: int
    where: str


@immutable
class Loss:
    """Records of the partition `name` from `first` on, and before `end`, were below a high watermark of `broker`, and
    the leader of a later epoch starts without them. `committed` and `lost` are the places that say so."""

    name: str
    epoch: int
    first: int
    end: int
    broker: int
    committed: str
    lost: str


@immutable
class BrokerLogs:
    """What was read: the files, and what they say of each partition, by its name. `anew` are those whose topic was
    deleted and created again: what is said of the one is not told from what is said of the other, so that nothing is
    concluded from it."""

    paths: tuple[Path, ...]
    committed: Mapping[str, Sequence[Committed]]
    starts: Mapping[str, Sequence[Start]]
    anew: frozenset[str]


def read_brokers(paths: Iterable[Path]) -> BrokerLogs:
    """The logs of brokers at or below some paths. UsageError where there is no path, or where nothing in it says where
    a leader or a high watermark of a partition is."""
    read = _Reading()
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: there is no such file or directory")
        before = len(read.paths)
        try:
            for file in [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file()):
                read.file(file)
        except OSError as error:
            raise UsageError(f"{path}: it cannot be read: {error}") from None
        if len(read.paths) == before:
            raise UsageError(
                f"{path}: no server.log or state-change.log in it says where a leader starts, and no {CHECKPOINT} is "
                "there; give a broker's folder of logs or its log.dirs"
            )
    anew = frozenset(name for name, ids in read.ids.items() if len(ids) > 1)
    return BrokerLogs(tuple(read.paths), read.committed, read.starts, anew)


class _Reading:
    def __init__(self) -> None:
        self.paths: list[Path] = []
        self.committed: dict[str, list[Committed]] = {}
        self.starts: dict[str, list[Start]] = {}
        self.ids: dict[str, set[str]] = {}

    def file(self, path: Path) -> None:
        """Reads a file, if it is one that says something."""
        if path.name == CHECKPOINT:
            self._checkpoint(path)
        elif ".log" in path.name and not _SEGMENT.search(path.name):
            self._lines(path)

    def _lines(self, path: Path) -> None:
        leads, found = dict[tuple[str, int], int](), False
        with path.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                where = f"{path}:{number}"
                if starts := _STARTS.search(line):
                    self._start(starts, leads, where)
                    found = True
                elif shrinks := _SHRINKS.search(line):
                    self._shrink(shrinks, leads, where)
        if found:
            self.paths.append(path)

    def _start(self, line: re.Match[str], leads: dict[tuple[str, int], int], where: str) -> None:
        name, broker, epoch = line["name"], int(line["broker"]), int(line["epoch"])
        leads.pop((name, broker), None)
        if line["role"] == "Leader":
            leads[name, broker] = epoch
            self.ids.setdefault(name, set()).add(line["id"])
            self.starts.setdefault(name, []).append(Start(epoch, int(line["end"]), where))
        self.committed.setdefault(name, []).append(Committed(epoch, int(line["hw"]), broker, where))

    def _shrink(self, line: re.Match[str], leads: Mapping[tuple[str, int], int], where: str) -> None:
        """The epoch is that of the leader's line before; without one nothing is known of it."""
        name, broker = line["name"], int(line["broker"])
        if (name, broker) in leads:
            known = Committed(leads[name, broker], int(line["hw"]), broker, where)
            self.committed.setdefault(name, []).append(known)

    def _checkpoint(self, path: Path) -> None:
        broker = _identity(path.parent / "meta.properties")
        self.paths.append(path)
        for topic, partition, high_watermark in _rows(path, 3):
            name = f"{topic}-{partition}"
            epochs = path.parent / name / EPOCHS
            begins = [(int(epoch), int(start)) for epoch, start in _rows(epochs, 2)] if epochs.exists() else []
            self.starts.setdefault(name, []).extend(Start(epoch, start, str(epochs)) for epoch, start in begins)
            last = [epoch for epoch, start in begins if start < int(high_watermark)]
            if last:
                known = Committed(last[-1], int(high_watermark), broker, str(path))
                self.committed.setdefault(name, []).append(known)


def _rows(path: Path, width: int) -> Iterator[list[str]]:
    """The rows of a checkpoint: below its version and how many there are."""
    lines = path.read_text("utf-8", errors="replace").splitlines()
    for line in lines[2:]:
        row = line.rsplit(" ", width - 1)
        if len(row) != width or not all(word.isdigit() for word in row[1:]):
            raise UsageError(f"{path}: {line!r} is no row of a checkpoint")
        yield row


def _identity(path: Path) -> int:
    """The broker whose log.dirs have a meta.properties."""
    found = re.search(r"^(?:node|broker)\.id=(\d+)\s*$", path.read_text("utf-8") if path.exists() else "", re.MULTILINE)
    if found is None:
        raise UsageError(f"{path}: it does not say which broker's log.dirs these are (node.id)")
    return int(found[1])


def losses_of(name: str, logs: BrokerLogs) -> list[Loss]:
    """The losses of a partition, by their epochs. What is lost in one epoch is not lost again in a later one."""
    found, since = list[Loss](), -1
    if name in logs.anew:
        return []
    for start in sorted(logs.starts.get(name, ()), key=lambda one: (one.epoch, one.end)):
        known = [one for one in logs.committed.get(name, ()) if since <= one.epoch < start.epoch]
        most = max(known, key=lambda one: one.high_watermark, default=None)
        if most is not None and most.high_watermark > start.end:
            since = start.epoch
            found.append(Loss(name, start.epoch, start.end, most.high_watermark, most.broker, most.where, start.where))
    return found


def with_losses(history: History, losses: Sequence[Loss]) -> History:
    """The history with each loss as a moment of its own, behind the first with its leader epoch; those of epochs that
    the metadata log does not have, or only begins with, are left out."""
    epochs = {loss.epoch for loss in losses}
    moments = list(history.moments[:1])
    for before, moment in pairwise(history.moments):
        moments.append(moment)
        if moment.leader_epoch in epochs and before.leader_epoch < moment.leader_epoch and moment.leader is not None:
            moments[-1] = replace(moment, passing=False)
            moments.append(_loss(moment))
    return replace(history, moments=tuple(moments))


def _loss(moment: Moment) -> Moment:
    nobody = frozenset[int]()
    return replace(moment, lost=True, passing=False, restarted=nobody, stopping=nobody)
