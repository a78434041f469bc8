"""What controllers' logs of a cluster with ZooKeeper say of each partition, moment by moment.

Controllers follow one another in controller epochs, and the lines of each are put in order by their times, which come
from one clock. The state of a partition has a version in ZooKeeper: where one is in no file, the history ends before
it, and says so.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from ...language.immutable import immutable
from ..logs.zookeeper_lines import (
    NOBODY,
    BrokersChange,
    ControlledShutdown,
    ControllerElection,
    Event,
    NewController,
    PartitionChange,
    PartitionCreation,
    Relocation,
    TopicId,
)
from .moments import History, Leadership, Moment

MOST_AT_ONCE = 2
UNKNOWN_REPLICAS = "no file says which brokers have a copy of it: give state-change.log since it was created"


@immutable
class TimedEvent:
    """An event with its time in ms since 1970 as the machine's clock shows it, and the place that says it."""

    time_ms: int
    event: Event
    where: str


@dataclass(slots=True)
class _ZooKeeperPartition:
    """A partition while its events are taken. `down` and `back` are brokers that the controller has seen go and come,
    without having changed the partition for it yet; `ending` those of `down` that it shut down."""

    name: str
    replicas: tuple[int, ...]
    absent_brokers: set[int]
    leader: int = NOBODY
    epoch: int = 0
    isr: frozenset[int] = frozenset()
    version: int = -1
    first: int = -1
    time_ms: int = 0
    down: set[int] = field(default_factory=set[int])
    back: list[int] = field(default_factory=list[int])
    ending: set[int] = field(default_factory=set[int])
    later: set[int] = field(default_factory=set[int])
    known_down: set[int] = field(default_factory=set[int])
    moments: list[Moment] = field(default_factory=list[Moment])
    leaderships: dict[int, Leadership] = field(default_factory=dict[int, Leadership])
    end_reason: str | None = None
    missing: str | None = None

    def add(self, back: frozenset[int] = frozenset(), stopping: frozenset[int] = frozenset()) -> None:
        """A moment: what is on record now. `back` are brokers that are there again with it."""
        if self.version < 0 or self.end_reason or self.missing:
            return
        restarted = back & self.known_down
        self.known_down -= back
        moment = Moment(
            offset=self.version,
            time_ms=self.time_ms,
            leader=None if self.leader == NOBODY else self.leader,
            leader_epoch=self.epoch,
            isr=self.isr,
            elr=frozenset(),
            last_known=frozenset(),
            fenced_brokers=frozenset(self.absent_brokers),
            restarted_brokers=restarted,
            stopping_brokers=stopping,
            unsure=back - restarted,
        )
        if not self.moments or not moment.alike(self.moments[-1]):
            self.moments.append(moment)

    # --- brokers go and come ---

    def note_broker_gone(self, broker: int, *, ending: bool) -> None:
        """The controller sees that a broker is gone, or is shut down."""
        if broker in self.back:
            self.settle_back()
        if broker not in self.absent_brokers:
            self.down.add(broker)
            if ending:
                self.ending.add(broker)

    def note_broker_back(self, broker: int) -> None:
        """The controller sees that a broker is there."""
        if broker in self.down and (broker in self.isr or broker == self.leader):
            self.later.add(broker)
        elif broker in self.down:
            self.settle_down()
        if broker in self.absent_brokers and broker not in self.back:
            self.back.append(broker)

    def settle_back(self) -> None:
        """Brokers are there again, and the partition has not changed for it."""
        for broker in self.back:
            self.absent_brokers.discard(broker)
            self.add(back=frozenset({broker}))
        self.back.clear()

    def settle_down(self) -> None:
        """Brokers are gone, and the partition does not change for it: those that it did not need."""
        for broker in sorted(self.down):
            if broker not in self.isr and broker != self.leader:
                self._note_absent_broker(broker)
                self.add(stopping=self._shut_down_brokers({broker}))

    def _note_absent_broker(self, broker: int) -> None:
        self.down.discard(broker)
        self.absent_brokers.add(broker)
        if broker in self.later:
            self.later.discard(broker)
            self.back.append(broker)

    def _shut_down_brokers(self, brokers: Iterable[int]) -> frozenset[int]:
        """Those of some brokers that were shut down: they have been down when they come back."""
        ended = self.ending & set(brokers)
        self.ending -= ended
        self.known_down |= ended
        return frozenset(ended)

    # --- its state changes ---

    def changes(self, event: PartitionChange, where: str) -> None:
        """Its state has another version."""
        if event.version <= self.version or self.end_reason or self.missing:
            return
        if self.version >= 0 and event.version > self.version + 1:
            first, last = self.version + 1, event.version - 1
            which = f"version {first}" if first == last else f"versions {first} to {last}"
            self.missing = (
                f"checked until {which} of its state, which no file has ({where} has the next one): give "
                "controller.log and state-change.log of each broker, and server.log of the leaders"
            )
            return
        leader = self.leader if event.leader is None else event.leader
        epoch = self.epoch if event.epoch is None else event.epoch
        elected = self.leader == NOBODY and leader != NOBODY
        gone = set(self.isr - event.isr) | ({self.leader} if leader == NOBODY else set[int]())
        self._prepare_change(event, is_elected=elected)
        back = self._take_state(event, leader, epoch, is_elected=elected)
        if event.is_asked_by_leader or self.version == event.version == self.first:
            self.add()
        else:
            fenced = frozenset(gone & self.down)
            if self._is_change_too_large(fenced):
                return
            for broker in fenced:
                self._note_absent_broker(broker)
            self.add(back=back, stopping=self._shut_down_brokers(fenced))
        self.settle_down()

    def _is_change_too_large(self, fenced_brokers: frozenset[int]) -> bool:
        """Whether so many are gone in one change that the model has no such step: then nothing is said of it."""
        if len(fenced_brokers) > MOST_AT_ONCE or (len(fenced_brokers) > 1 and fenced_brokers & self.ending):
            names = ", ".join(map(str, sorted(fenced_brokers)))
            self.missing = f"checked until brokers {names} leave the ISR in one change, which no step of the model does"
        return self.missing is not None

    def _prepare_change(self, event: PartitionChange, *, is_elected: bool) -> None:
        """What has to come before a change."""
        if self.version < 0:
            self.absent_brokers |= self.down
            self.down.clear()
            return
        if not is_elected or event.is_asked_by_leader:
            self.settle_back()
        self.settle_down()

    def _take_state(self, event: PartitionChange, leader: int, epoch: int, *, is_elected: bool) -> frozenset[int]:
        """Takes down the new state; the last broker to come back, where the leader is elected since it came."""
        back = frozenset[int]()
        if is_elected and self.back:
            self.back.sort(key=lambda broker: broker == leader)
            *before, last = self.back
            self.back = list(before)
            self.settle_back()
            self.absent_brokers.discard(last)
            back = frozenset({last})
        if self.version < 0:
            self.first = event.version
        self.leader, self.epoch, self.isr, self.version = leader, epoch, event.isr, event.version
        known = self.leaderships.get(epoch)
        first = self.version if known is None else known.first
        self.leaderships[epoch] = Leadership(leader, first, self.version)
        return back


class _EventReading:
    """The state that events make, one after the other."""

    def __init__(self) -> None:
        self.partitions: dict[str, _ZooKeeperPartition] = {}
        self.past: list[_ZooKeeperPartition] = []
        self.live: frozenset[int] = frozenset()
        self.stopping: set[int] = set()
        self.ids: dict[str, str] = {}
        self.unknown: dict[str, None] = {}
        self.again: set[str] = set()
        self.time_ms = 0

    def take(self, event: TimedEvent) -> None:
        """Takes an event."""
        self.time_ms = event.time_ms
        match event.event:
            case NewController(live):
                self._change_brokers(live - self.live, self.live - live, frozenset(), live)
            case BrokersChange(added, deleted, bounced, live):
                self._change_brokers(added | (live - self.live - bounced), deleted | (self.live - live), bounced, live)
            case ControlledShutdown(broker):
                self.stopping.add(broker)
                for partition in self._partitions_on_broker(broker):
                    partition.note_broker_gone(broker, ending=True)
            case PartitionCreation(name, replicas):
                self._create_partition(name, replicas)
            case Relocation(name, why):
                self._end_moved_partitions(name, why)
            case TopicId(topic, identity):
                self.ids[topic] = identity
            case PartitionChange(name):
                if name in self.partitions:
                    self.partitions[name].time_ms = event.time_ms
                    self.partitions[name].changes(event.event, event.where)
                else:
                    self.unknown[name] = None
            case _:
                pass

    def _partitions_on_broker(self, broker: int) -> Iterator[_ZooKeeperPartition]:
        """The partitions with a copy on a broker, which are about to change."""
        for partition in self.partitions.values():
            if broker in partition.replicas:
                partition.time_ms = self.time_ms
                yield partition

    def _change_brokers(
        self,
        added_brokers: frozenset[int],
        deleted_brokers: frozenset[int],
        bounced_brokers: frozenset[int],
        live: frozenset[int],
    ) -> None:
        for broker in sorted(deleted_brokers | bounced_brokers):
            for partition in self._partitions_on_broker(broker):
                partition.note_broker_gone(broker, ending=broker in self.stopping)
        for broker in sorted(added_brokers | bounced_brokers):
            for partition in self._partitions_on_broker(broker):
                partition.note_broker_back(broker)
        self.stopping -= deleted_brokers | bounced_brokers
        self.live = live

    def _create_partition(self, name: str, replicas: tuple[int, ...]) -> None:
        if name in self.partitions:
            self.past.append(self.partitions[name])
            self.again.add(name)
        away = set(replicas) - self.live | (set(replicas) & self.stopping)
        self.partitions[name] = _ZooKeeperPartition(name, replicas, away)

    def _end_moved_partitions(self, name: str, why: str) -> None:
        for partition in self.partitions.values():
            if name in (partition.name, partition.name.rpartition("-")[0]):
                partition.end_reason = partition.end_reason or why


def order_events(
    events: Mapping[int, Sequence[TimedEvent]], leaders: Sequence[TimedEvent]
) -> tuple[list[TimedEvent], list[str]]:
    """The events of all controllers one after the other, by controller epochs, and what is not known. `events` are
    those of each broker in their order, `leaders` what leaders say of an ISR."""
    reigns = list[tuple[int, list[TimedEvent]]]()
    for of_broker in events.values():
        current: list[TimedEvent] | None = None
        for told in of_broker:
            if isinstance(told.event, ControllerElection):
                current = []
                reigns.append((told.event.epoch, current))
            if current is None:
                current = []
                reigns.append((0, current))
            current.append(told)
    reigns.sort(key=lambda one: one[0])
    epochs = sorted({epoch for epoch, _ in reigns if epoch})
    notes = [
        f"no file has what controllers of epochs {before + 1} to {after - 1} did: give controller.log of each broker"
        for before, after in pairwise(epochs)
        if after > before + 1
    ]
    return _insert_leader_events([told for _, reign in reigns for told in reign], leaders), notes


def _insert_leader_events(events: list[TimedEvent], leaders: Sequence[TimedEvent]) -> list[TimedEvent]:
    """The events with what leaders alone say of an ISR: a version that no controller has, at its time, and before the
    next version."""
    versions = {(told.event.name, told.event.version) for told in events if isinstance(told.event, PartitionChange)}
    alone = dict[tuple[str, int], TimedEvent]()
    for told in leaders:
        assert isinstance(told.event, PartitionChange)
        where = told.event.name, told.event.version
        if where not in versions:
            alone.setdefault(where, told)
    placed, latest = dict[int, list[TimedEvent]](), list(accumulate((told.time_ms for told in events), max))
    later = dict[str, list[tuple[int, int]]]()
    for place, told in enumerate(events):
        if isinstance(told.event, PartitionChange):
            later.setdefault(told.event.name, []).append((place, told.event.version))
    for (name, version), told in sorted(alone.items(), key=lambda one: one[1].time_ms):
        by_version = (place for place, other in later.get(name, ()) if other > version)
        placed.setdefault(min(bisect_right(latest, told.time_ms), *by_version, len(events)), []).append(told)
    return [one for place in range(len(events) + 1) for one in (*placed.get(place, ()), *events[place : place + 1])]


def build_histories(events: Iterable[TimedEvent], settings: Mapping[str, Mapping[str, str]]) -> list[History]:
    """The history of each partition. `settings` are those of the brokers (`""`) and of topics."""
    reading = _EventReading()
    for told in events:
        reading.take(told)
    ones = (*reading.past, *reading.partitions.values())
    found = [_history_of_partition(one, reading, settings) for one in ones if one.version >= 0]
    unknown = reading.unknown.keys() - reading.partitions.keys()
    return [*found, *(_unknown_history(name) for name in sorted(unknown))]


def _unknown_history(name: str) -> History:
    topic, _, number = name.rpartition("-")
    return History(topic, int(number), (), (), {}, False, missing=UNKNOWN_REPLICAS)


def _history_of_partition(
    one: _ZooKeeperPartition, reading: _EventReading, settings: Mapping[str, Mapping[str, str]]
) -> History:
    one.settle_back()
    one.settle_down()
    topic, _, number = one.name.rpartition("-")
    return History(
        topic=topic,
        partition=int(number),
        replicas=one.replicas,
        moments=tuple(one.moments),
        settings={**settings.get("", {}), **settings.get(topic, {})},
        whole=one.first == 0,
        end_reason=one.end_reason,
        topic_id=f"{topic} before" if one in reading.past else reading.ids.get(topic, ""),
        leaderships={} if one.name in reading.again else one.leaderships,  # brokers' lines say not which one they mean
        missing=one.missing,
    )
