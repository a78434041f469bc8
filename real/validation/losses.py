"""What brokers wrote beside the metadata log: does it show that records were lost which had been committed?

A record below a high watermark is committed: consumers may have read it, and with acks=all its producer was told so. A
leader of a later epoch whose log ends before it has lost it. Leader epochs say what was before what, so that clocks of
different brokers are not compared; within one broker the order of its lines says in which epoch it knew a high
watermark.

Lines count as evidence where they are of the topic of the metadata log: by its id, or, of a follower, whose lines have
none, by leader and epochs. What is not certain in this way, and would show a loss, is a `possible` one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ...language.immutable import immutable
from ..history.moments import History, Moment
from ..logs.broker_files import BrokerLogs, DiskState, EpochStart, IsrShrink, Line, LogTruncation

NOTHING = "brokers' logs say nothing of it, so that losses are not looked for"
NO_START = "no file says where the leader of an epoch starts, so that a loss then is not seen"
OTHER_TOPIC = "brokers' logs are of another topic of this name as well, which is not looked at"
NO_EPOCH = "no file says of which leader epoch a high watermark is; give state-change.log as well, and all its parts"


@immutable
class CommittedEpoch:
    """A broker has a high watermark, in or after a leader epoch."""

    epoch: int
    high_watermark: int
    broker: int
    where: str
    sure: bool = True


@immutable
class LeaderEpochStart:
    """The log of a leader epoch's leader ends at an offset when the epoch begins."""

    epoch: int
    end: int
    where: str
    sure: bool = True


@immutable
class Loss:
    """Records of the partition `name` from `first` on, and before `end`, were below a high watermark of `broker`, and
    the leader of a later epoch starts without them. `committed_at` and `lost_at` are the places that say so."""

    name: str
    epoch: int
    first: int
    end: int
    broker: int
    committed_at: str
    lost_at: str


@immutable
class LossNote:
    """What is not known of a partition: `what` is one of a few sentences, `more` is of this partition."""

    what: str
    more: str


@immutable
class Evidence:
    """What brokers' logs show of a partition: `losses`, those that are only `possible`, and what is not known."""

    losses: tuple[Loss, ...]
    possible: tuple[Loss, ...]
    notes: tuple[LossNote, ...]


def find_losses(history: History, logs: BrokerLogs) -> Evidence:
    """What brokers' logs show of a partition. Losses are in the order of their epochs; what is lost in one is not lost
    again in a later one."""
    read = _LossReading(history, logs)
    losses = _losses_of_epochs(history.name, read.committed_epochs, read.starts)
    more = _losses_of_epochs(history.name, read.committed_epochs, read.starts, unsure=True)
    epochs = {loss.epoch for loss in losses}
    possible = tuple(loss for loss in more if loss.epoch not in epochs)
    return Evidence(tuple(losses), possible, tuple(read.notes()))


def _losses_of_epochs(
    name: str, committed_epochs: Sequence[CommittedEpoch], starts: Sequence[LeaderEpochStart], *, unsure: bool = False
) -> list[Loss]:
    found, since = list[Loss](), -1
    usable = [one for one in committed_epochs if one.sure or unsure]
    for start in sorted(starts, key=lambda one: (one.epoch, one.end)):
        known = [one for one in usable if since <= one.epoch < start.epoch]
        most = max(known, key=lambda one: one.high_watermark, default=None)
        if (start.sure or unsure) and most is not None and most.high_watermark > start.end:
            since = start.epoch
            found.append(Loss(name, start.epoch, start.end, most.high_watermark, most.broker, most.where, start.where))
    return found


@dataclass(slots=True)
class _BrokerLines:
    """A broker while its lines are read: the newest epoch that it is known to have been in, the epoch that it leads,
    the topic of the last line with an id, whether what it says is of another topic, and how it began to follow."""

    newest_epoch: int | None = None
    leads: int | None = None
    topic: str | None = None
    elsewhere: bool = False
    sure: bool = True
    follows: EpochStart | None = None


@dataclass(slots=True)
class _LossReading:
    """What the lines of all brokers say of one partition."""

    history: History
    logs: BrokerLogs
    committed_epochs: list[CommittedEpoch] = field(default_factory=list[CommittedEpoch])
    starts: list[LeaderEpochStart] = field(default_factory=list[LeaderEpochStart])
    others: set[str] = field(default_factory=set[str])
    epochless_lines: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        streams = self.logs.lines.get(self.history.name, ())
        kept = self.logs.disk_states.get(self.history.name, ())
        named = {line.topic_id for lines in streams for line in lines if isinstance(line, EpochStart)}
        named |= {one.topic_id for one in kept}
        self.others = {identity for identity in named if identity not in (None, self.history.topic_id)}
        for lines in streams:
            self._read_broker_lines(lines)
        for one in kept:
            self._note_disk_state(one)

    def _read_broker_lines(self, lines: Sequence[Line]) -> None:
        broker = _BrokerLines()
        for place, line in enumerate(lines):
            if isinstance(line, IsrShrink):
                self._take_isr_shrink(broker, line)
            elif isinstance(line, LogTruncation):
                self._take_truncation(broker, line)
            elif self._is_elsewhere(broker, line, lines[place + 1 :]):
                broker.newest_epoch, broker.leads, broker.elsewhere, broker.follows = None, None, True, None
            else:
                self._take_epoch_start(broker, line)

    def _is_elsewhere(self, broker: _BrokerLines, line: EpochStart, later: Sequence[Line]) -> bool:
        """Whether a line is of another topic of the name. One without an id is, where there are others, unless lines
        with this id stand before it, and none with another one after it."""
        if line.topic_id is not None:
            broker.topic = line.topic_id
            return line.topic_id != self.history.topic_id
        after = next((one.topic_id for one in later if isinstance(one, EpochStart) and one.topic_id is not None), None)
        wanted = self.history.topic_id
        return bool(self.others) and (
            broker.topic != wanted or after not in (None, wanted) or not self._fits_metadata_log(line)
        )

    def _fits_metadata_log(self, line: EpochStart) -> bool:
        """Whether the metadata log has what a line says of leader and epochs."""
        led = self.history.leaderships.get(line.epoch)
        return (
            led is not None
            and (line.leader is None or line.leader == led.leader)
            and (line.partition_epoch is None or led.first <= line.partition_epoch <= led.last)
        )

    def _take_epoch_start(self, broker: _BrokerLines, line: EpochStart) -> None:
        """A broker's high watermark is from before the epoch, since it has fetched nothing in it. Where it restarts
        within the epoch that is not so, and it is in doubt where the partition has changed since the epoch began."""
        sure = line.topic_id is not None or self._fits_metadata_log(line)
        led = self.history.leaderships.get(line.epoch)
        at_once = led is not None and line.partition_epoch == led.first
        known = broker.newest_epoch
        if line.leads:
            self.starts.append(LeaderEpochStart(line.epoch, line.end, line.where, sure))
        newest = line.epoch if known is None else max(known, line.epoch)
        self._add_committed_epoch(line, newest, sure)
        if known is None and at_once:
            self._add_committed_epoch(line, line.epoch - 1, False)
        elif known is not None and known < line.epoch:
            self._add_committed_epoch(line, known, sure and broker.sure and (at_once or line.leads))
        broker.newest_epoch, broker.sure, broker.elsewhere = newest, sure, False
        broker.leads = line.epoch if line.leads else None
        broker.follows = None if line.leads else line

    def _take_isr_shrink(self, broker: _BrokerLines, line: IsrShrink) -> None:
        if broker.elsewhere:
            return
        if line.is_tied or broker.leads is None:
            self.epochless_lines.append(line.where)
        else:
            self._add_committed_epoch(line, broker.leads, broker.sure)

    def _take_truncation(self, broker: _BrokerLines, line: LogTruncation) -> None:
        """A follower that truncates below the high watermark that it had before the epoch shows that its leader lacks
        records which were committed. Above that mark it says nothing: they may never have been committed."""
        before = broker.follows
        if before is None or line.is_tied or line.end >= before.high_watermark:
            return
        led = self.history.leaderships.get(before.epoch)
        if led is not None and led.leader == line.leader:
            self.starts.append(LeaderEpochStart(before.epoch, line.end, line.where, broker.sure))

    def _add_committed_epoch(self, line: EpochStart | IsrShrink, epoch: int, sure: bool) -> None:
        self.committed_epochs.append(CommittedEpoch(epoch, line.high_watermark, line.broker, line.where, sure))

    def _note_disk_state(self, one: DiskState) -> None:
        """A checkpoint says in which epochs its records are, and those below the high watermark are committed."""
        if one.topic_id not in (None, self.history.topic_id):
            return
        sure = one.topic_id is not None or not self.others
        self.starts += (LeaderEpochStart(epoch, start, one.epochs, sure) for epoch, start in one.begins)
        last = [epoch for epoch, start in one.begins if start < one.high_watermark]
        if last:
            self.committed_epochs.append(CommittedEpoch(last[-1], one.high_watermark, one.broker, one.where, sure))

    def notes(self) -> Iterator[LossNote]:
        """What is not known of the partition."""
        if self.others:
            yield LossNote(OTHER_TOPIC, f"id {', '.join(sorted(self.others))}")
        if self.epochless_lines:
            yield LossNote(
                NO_EPOCH, ", ".join(self.epochless_lines[:3]) + (", ..." if len(self.epochless_lines) > 3 else "")
            )
        if not self.starts and not self.committed_epochs:
            yield LossNote(NOTHING, "")
            return
        said = {start.epoch for start in self.starts}
        led = sorted(epoch for epoch, one in self.history.leaderships.items() if one.leader >= 0)
        if missing := [str(epoch) for epoch in led[1:] if epoch not in said]:
            yield LossNote(NO_START, f"epoch {', '.join(missing[:5])}{', ...' if len(missing) > 5 else ''}")


# --- as moments -------------------------------------------------------------------------------------------------------


def add_losses(history: History, losses: Sequence[Loss]) -> History:
    """The history with each loss as a moment of its own, behind the first with its leader epoch; those of epochs that
    the metadata log does not have, or only begins with, are left out."""
    epochs = {loss.epoch for loss in losses}
    moments = list(history.moments[:1])
    for before, moment in pairwise(history.moments):
        moments.append(moment)
        if moment.leader_epoch in epochs and before.leader_epoch < moment.leader_epoch and moment.leader is not None:
            moments[-1] = replace(moment, passing=False)
            moments.append(_moment_of_loss(moment))
    return replace(history, moments=tuple(moments))


def _moment_of_loss(moment: Moment) -> Moment:
    nobody = frozenset[int]()
    return replace(moment, shows_loss=True, passing=False, restarted_brokers=nobody, stopping_brokers=nobody)
