"""What a metadata log says of each partition, moment by moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...language.errors import UsageError
from ...language.immutable import immutable
from ..logs.metadata_log import Entry, MetadataLog
from ..logs.metadata_records import MetadataRecord
from .assignments import Assignment, assigned_brokers, assignment_changes
from .directories import LOST, Directories, failed_directories
from .moments import (
    DELETED,
    ELR_FEATURE,
    METADATA_VERSION,
    RECOVERING,
    History,
    Leadership,
    Moment,
    RecordedCluster,
    SettingsInForce,
)

NOBODY, UNCHANGED = -1, -2
"""No leader, and a leader that a change does not name."""
MIN_ISR, UNCLEAN = "min.insync.replicas", "unclean.leader.election.enable"
TOPIC_CONFIG, BROKER_CONFIG = 2, 4
"""ConfigResource.Type."""


@immutable
class _CompletingReassignment:
    """What a partition is for an instant in a record that completes its reassignment."""

    assignment: Assignment
    leader: int
    leader_epoch: int
    isr: frozenset[int]


@dataclass(slots=True)
class _PartitionOnRecord:
    """A partition while the log is read."""

    topic: str
    number: int
    replicas: tuple[int, ...]
    assignment: Assignment
    moves: bool
    leader: int
    leader_epoch: int
    isr: frozenset[int]
    elr: frozenset[int]
    last_known: frozenset[int]
    whole: bool
    partition_epoch: int
    topic_id: str
    order: tuple[int, ...]
    directories: Directories
    unclean: bool = False
    moments: list[Moment] = field(default_factory=list[Moment])
    end_reason: str | None = None
    leaderships: dict[int, Leadership] = field(default_factory=dict[int, Leadership])
    halfway: _CompletingReassignment | None = None

    def led(self) -> None:
        """Takes down who leads in the present epochs."""
        before = self.leaderships.get(self.leader_epoch)
        first = self.partition_epoch if before is None else before.first
        self.leaderships[self.leader_epoch] = Leadership(self.leader, first, self.partition_epoch)


@dataclass(slots=True)
class _BrokerOnRecord:
    """A broker while the log is read."""

    incarnation: str
    epoch: int
    is_fenced: bool
    is_stopping: bool
    has_restarted: bool
    directories: tuple[str, ...] = ()
    failed_directories: frozenset[str] = frozenset()

    @property
    def is_out(self) -> bool:
        """Whether it is fenced, or in controlled shutdown: no partition is given to it
        (ClusterControlManager.isActive)."""
        return self.is_fenced or self.is_stopping


class _UnfitRecord(Exception):
    """A record that cannot follow those before it, and why."""


class _RecordReading:
    """The state that the records of a log make, one after the other."""

    def __init__(self, moves: Mapping[tuple[str, int], tuple[int, ...]], of_brokers: frozenset[int | None]) -> None:
        """`moves` has the brokers of partitions that are reassigned, `of_brokers` the batches that say something of a
        broker."""
        self.moved, self.of_brokers = moves, of_brokers
        self.snapshot = False
        self.topics: dict[str, str] = {}
        self.brokers: dict[int, _BrokerOnRecord] = {}
        self.partitions: dict[tuple[str, int], _PartitionOnRecord] = {}
        self.of_broker: dict[int, list[_PartitionOnRecord]] = {}
        self.unsettled: dict[int, _PartitionOnRecord] = {}
        self.features: dict[str, int] = {}
        self.supported: dict[int, None] = {}
        self.settings: dict[tuple[int, str], dict[str, str]] = {}
        self.changed: set[str] = set()
        self.batch: int | None = None
        self.cleared: list[_PartitionOnRecord] = []
        self.again = False

    def end_snapshot(self) -> None:
        """What is in force from the end of a snapshot on: its settings come after its partitions (ImageWriter)."""
        self.snapshot = False
        for one in self.partitions.values():
            one.moments = [replace(moment, settings=self.settings_in_force(one.topic)) for moment in one.moments]

    def take(self, entry: Entry) -> Sequence[_PartitionOnRecord]:
        """Takes what a record says; the partitions that it may be about. UsageError where it does not fit to what
        comes before it: such a log is not whole."""
        if self.snapshot and not entry.snapshot:
            self.end_snapshot()
        record, self.snapshot, self.again = entry.record, entry.snapshot, False
        try:
            self._take_record(record)
        except _UnfitRecord as error:
            raise UsageError(
                f"the {record.kind} at offset {entry.offset} {error}: this is no whole metadata log; give the "
                "controller's directory, or all of its segments printed"
            ) from None
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(
                f"the {record.kind} at offset {entry.offset} has other fields than such a record: {error}"
            ) from None
        if record.kind == "CLEAR_ELR_RECORD":
            return self.cleared
        fields, broker = record.fields, _broker_of_record(record)
        if broker is not None:
            return self.of_broker.get(broker, ())
        partition = self.partitions.get((fields.get("topicId", ""), fields.get("partitionId", NOBODY)))
        return () if partition is None else (partition,)

    def _take_record(self, record: MetadataRecord) -> None:
        fields = record.fields
        match record.kind:
            case "REGISTER_BROKER_RECORD":
                self._register_broker(fields)
            case "UNREGISTER_BROKER_RECORD":
                self.again = self._broker(fields["brokerId"], fields["brokerEpoch"]).is_out
                del self.brokers[fields["brokerId"]]
            case "FENCE_BROKER_RECORD" | "UNFENCE_BROKER_RECORD":
                self._fence_broker(self._broker(fields["id"], fields["epoch"]), record.kind == "FENCE_BROKER_RECORD")
            case "BROKER_REGISTRATION_CHANGE_RECORD":
                self._change_broker(fields)
            case "TOPIC_RECORD":
                self.topics[fields["topicId"]] = fields["name"]
            case "REMOVE_TOPIC_RECORD":
                self._remove_topic(fields["topicId"])
            case "PARTITION_RECORD":
                self._create_partition(fields)
            case "PARTITION_CHANGE_RECORD":
                self._change_partition(fields)
            case "CLEAR_ELR_RECORD":
                self._clear_elrs(fields["topicName"])
            case "CONFIG_RECORD":
                self._take_config(fields)
            case "FEATURE_LEVEL_RECORD":
                self.features[fields["name"]] = fields["featureLevel"]
            case _:
                raise AssertionError(record.kind)

    def _broker(self, number: int, epoch: int) -> _BrokerOnRecord:
        """The broker of a record, whose registration it must be: a controller takes no other
        (ClusterControlManager.replayRegistrationChange)."""
        broker = self.brokers.get(number)
        if broker is None:
            raise _UnfitRecord(f"is about broker {number}, which has not registered before")
        if broker.epoch != epoch:
            raise _UnfitRecord(
                f"is about broker {number} in broker epoch {epoch}, and it has registered in {broker.epoch}"
            )
        return broker

    def _register_broker(self, fields: Mapping[str, Any]) -> None:
        incarnation, before = fields["incarnationId"], self.brokers.get(fields["brokerId"])
        restarted = before is not None and (before.has_restarted or before.incarnation != incarnation)
        stopping = bool(fields.get("inControlledShutdown"))
        failed = (
            before.failed_directories if before is not None and before.incarnation == incarnation else frozenset[str]()
        )
        directories = tuple(fields.get("logDirs") or ())
        self.brokers[fields["brokerId"]] = _BrokerOnRecord(
            incarnation, fields["brokerEpoch"], fields["fenced"], stopping, restarted, directories, failed
        )
        self._note_directories(fields["brokerId"])
        for level in (level for name, level in map(_feature_level, fields["features"]) if name == METADATA_VERSION):
            self.supported.pop(level, None)  # the last to register is the last here
            self.supported[level] = None

    def _change_broker(self, fields: Mapping[str, Any]) -> None:
        broker = self._broker(fields["brokerId"], fields["brokerEpoch"])
        if changed := fields.get("fenced", 0):
            self._fence_broker(broker, changed > 0)  # BrokerRegistrationFencingChange: 1 fences, -1 unfences
        if fields.get("inControlledShutdown", 0):
            broker.is_stopping = True
        failed = failed_directories(broker.directories, fields.get("logDirs"))
        if fields.get("logDirs"):
            broker.directories, broker.failed_directories = tuple(fields["logDirs"]), broker.failed_directories | failed
            self._note_directories(fields["brokerId"])

    def _note_directories(self, number: int) -> None:
        """Takes down which copies of a broker are in a directory that it has. One that it has again is not followed."""
        for partition in self.of_broker.get(number, ()):
            if partition.directories.note_online(number, self.brokers[number].directories):
                partition.end_reason = partition.end_reason or f"a directory of broker {number} was there again"

    def _fence_broker(self, broker: _BrokerOnRecord, is_fenced: bool) -> None:
        self.again = is_fenced and broker.is_out
        broker.is_fenced = is_fenced

    def _take_config(self, fields: Mapping[str, Any]) -> None:
        settings = self.settings.setdefault((fields["resourceType"], fields["resourceName"]), {})
        if settings.get(fields["name"], fields["value"]) != fields["value"]:
            self.changed.add(fields["name"])
        if fields["value"] is None:
            settings.pop(fields["name"], None)
        else:
            settings[fields["name"]] = fields["value"]

    def _clear_elrs(self, topic: str) -> None:
        """All ELRs of a topic, or of all topics, are emptied at once (TopicDelta.replay): the controller writes this
        where min.insync.replicas is set, also to the value that it has. Of a last known leader alone the search knows
        nothing."""
        of_topic = [one for one in self.partitions.values() if topic in ("", one.topic)]
        self.cleared = [one for one in of_topic if one.elr]
        for partition in of_topic:
            if partition.elr or partition.last_known:
                if not partition.elr:
                    partition.end_reason = (
                        partition.end_reason or "its last known leader was cleared by a change of settings"
                    )
                partition.elr = partition.last_known = frozenset()
                partition.partition_epoch += 1
                partition.led()

    def _remove_topic(self, topic: str) -> None:
        if topic not in self.topics:
            raise _UnfitRecord(f"removes topic {topic}, which is not created before")
        for (of, _), partition in self.partitions.items():
            if of == topic and partition.end_reason is None:
                partition.end_reason = DELETED

    def _create_partition(self, fields: Mapping[str, Any]) -> None:
        where = fields["topicId"], fields["partitionId"]
        if fields["topicId"] not in self.topics:
            raise _UnfitRecord(f"is of topic {fields['topicId']}, which is not created before")
        replicas = tuple(fields["replicas"])
        partition = self.partitions[where] = _PartitionOnRecord(
            topic=self.topics[fields["topicId"]],
            number=fields["partitionId"],
            replicas=self.moved.get(where, replicas),
            assignment=Assignment(frozenset(replicas)).apply_record(fields),
            moves=where in self.moved,
            leader=fields["leader"],
            leader_epoch=fields["leaderEpoch"],
            isr=frozenset(fields["isr"]),
            elr=frozenset(fields.get("eligibleLeaderReplicas") or ()),
            last_known=frozenset(fields.get("lastKnownElr") or ()),
            whole=not self.snapshot,
            partition_epoch=fields.get("partitionEpoch", 0),
            topic_id=fields["topicId"],
            order=replicas,
            directories=Directories(fields),
        )
        _check_replicas(partition, replicas)
        partition.led()
        for broker in partition.replicas:
            self.of_broker.setdefault(broker, []).append(partition)

    def _change_partition(self, fields: Mapping[str, Any]) -> None:
        partition = self.partitions.get((fields["topicId"], fields["partitionId"]))
        if partition is None:
            raise _UnfitRecord(
                f"changes partition {fields['partitionId']} of {fields['topicId']}, which is not created"
            )
        partition.order = tuple(fields.get("replicas") or partition.order)
        partition.directories.take_record(fields, partition.order)
        for number in partition.directories.assigned & self.brokers.keys():
            broker, directory = self.brokers[number], partition.directories.of[number]
            if directory == LOST:
                broker.failed_directories |= {LOST}
            if directory in broker.failed_directories:  # else who starts names one that it is about to register
                partition.directories.note_failed(number)
        partition.unclean = fields.get("leaderRecoveryState") == RECOVERING
        self._reassign_partition(partition, fields)
        leader = fields.get("leader", UNCHANGED)
        if leader != UNCHANGED:  # PartitionRegistration.merge: each record with a leader is a new leader epoch
            partition.leader, partition.leader_epoch = leader, partition.leader_epoch + 1
        for name, attribute in (("isr", "isr"), ("eligibleLeaderReplicas", "elr"), ("lastKnownElr", "last_known")):
            if fields.get(name) is not None:
                setattr(partition, attribute, frozenset(fields[name]))
        partition.partition_epoch += 1
        partition.led()
        if partition.end_reason is None:
            _check_replicas(partition, fields.get("replicas") or ())

    def _reassign_partition(self, partition: _PartitionOnRecord, fields: Mapping[str, Any]) -> None:
        """Another order of the same brokers is no move: it says whom the controller prefers."""
        before, partition.assignment = partition.assignment, partition.assignment.apply_record(fields)
        if partition.end_reason is not None:
            return
        try:
            instant = assignment_changes(before, partition.assignment)
        except ValueError as error:
            partition.end_reason = str(error)
            return
        if not partition.assignment.replicas <= set(partition.replicas):
            partition.end_reason = "its replicas were reassigned to more brokers than are followed"
        elif instant is not None:
            partition.halfway = _CompletingReassignment(
                instant,
                partition.leader,
                partition.leader_epoch,
                partition.isr | frozenset(fields.get("isr") or ()),
            )

    def note(self, entry: Entry, partitions: Sequence[_PartitionOnRecord], passing: bool) -> None:
        """Adds to each partition that a record is about what it is then, where that is another moment. A moment that
        was passing and from which nothing went on is none that passes."""
        within = entry.batch == self.batch
        for partition in partitions if passing else (*partitions, *self.unsettled.values()):
            if partition.end_reason is None or not partition.moments:
                moment = self._moment_of_partition(partition, entry, passing)
                if partition.halfway is not None:
                    _add_moment(partition.moments, _moment_of_halfway(partition.halfway, moment), within)
                    partition.halfway = None
                _add_moment(partition.moments, moment, within)
                self.unsettled[id(partition)] = partition
        for partition in partitions:
            partition.unclean, partition.directories.assigned = False, frozenset()
        if not passing:
            self.unsettled.clear()
        self.batch = entry.batch
        number = _broker_of_record(entry.record)
        if number in self.brokers:
            self.brokers[number].has_restarted = self.brokers[number].has_restarted and self._is_fenced(number)

    def _moment_of_partition(self, partition: _PartitionOnRecord, entry: Entry, passing: bool) -> Moment:
        return Moment(
            offset=entry.offset,
            time_ms=entry.time_ms,
            leader=None if partition.leader == NOBODY else partition.leader,
            leader_epoch=partition.leader_epoch,
            isr=partition.isr,
            elr=partition.elr,
            last_known=partition.last_known,
            fenced_brokers=frozenset(broker for broker in partition.replicas if self._is_out(broker, partition)),
            restarted_brokers=self._replicas_where(partition, lambda broker: broker.has_restarted),
            stopping_brokers=self._replicas_where(
                partition, lambda broker: broker.is_stopping and not broker.is_fenced
            ),
            passing=passing,
            clears_elr=entry.record.kind == "CLEAR_ELR_RECORD",
            assignment=partition.assignment if partition.moves else None,
            order=partition.order,
            settings=self.settings_in_force(partition.topic),
            again=self.again,
            offline=partition.directories.offline & partition.assignment.replicas,
            reassigned_brokers=partition.directories.assigned,
            unclean=partition.unclean,
            of_broker=entry.batch in self.of_brokers,
        )

    def _is_out(self, number: int, partition: _PartitionOnRecord) -> bool:
        """Whether a broker is fenced, or runs on without the directory with its copy."""
        return (
            self._is_fenced(number) or partition.directories.of.get(number) in self.brokers[number].failed_directories
        )

    def _replicas_where(
        self, partition: _PartitionOnRecord, which: Callable[[_BrokerOnRecord], bool]
    ) -> frozenset[int]:
        return frozenset(one for one in partition.replicas if one in self.brokers and which(self.brokers[one]))

    def _is_fenced(self, broker: int) -> bool:
        known = self.brokers.get(broker)
        return known is None or known.is_out

    def settings_in_force(self, topic: str) -> SettingsInForce:
        """What a controller heeds of a topic's settings now."""
        own, common = self.settings.get((TOPIC_CONFIG, topic), {}), self.settings.get((BROKER_CONFIG, ""), {})
        min_isr, unclean = (own.get(name, common.get(name)) for name in (MIN_ISR, UNCLEAN))
        return SettingsInForce(
            min_isr, unclean, self.features.get(ELR_FEATURE, 0) > 0, self.features.get(METADATA_VERSION)
        )

    def settings_of_topic(self, topic: str) -> dict[str, str]:
        """The settings of the cluster and, over them, of a topic."""
        return {**self.settings.get((BROKER_CONFIG, ""), {}), **self.settings.get((TOPIC_CONFIG, topic), {})}


def _check_replicas(partition: _PartitionOnRecord, replicas: Sequence[int]) -> None:
    """_Unfit where replicas of a record are nobody or twice there, or who leads or is in sync is no replica. Who has
    been one may be an eligible leader still (PartitionChangeBuilder.maybePopulateTargetElr)."""
    held = partition.assignment.replicas
    left = partition.elr & set(partition.replicas) if partition.moves else frozenset[int]()
    named = {*partition.isr, *(partition.elr - left), *({partition.leader} - {NOBODY})}
    if not held or len(set(replicas)) < len(replicas):
        raise _UnfitRecord(f"has the replicas {list(replicas)}")
    if strangers := named - held:
        names = ", ".join(map(str, sorted(strangers)))
        known = list(replicas) or sorted(held)
        raise _UnfitRecord(f"has {names} lead or be in sync, where {known} are the replicas")


def _moment_of_halfway(halfway: _CompletingReassignment, moment: Moment) -> Moment:
    """The moment before one, in the same record, in which the reassignment is not complete yet."""
    return replace(
        moment,
        assignment=halfway.assignment,
        leader=None if halfway.leader == NOBODY else halfway.leader,
        leader_epoch=halfway.leader_epoch,
        isr=halfway.isr,
        elr=moment.elr - halfway.isr,
        passing=True,
    )


def _broker_of_record(record: MetadataRecord) -> int | None:
    """The broker that a record is about, if it is about one."""
    name = {"FENCE_BROKER_RECORD": "id", "UNFENCE_BROKER_RECORD": "id"}.get(record.kind, "brokerId")
    return record.fields.get(name)


def _feature_level(feature: Mapping[str, Any]) -> tuple[str, int]:
    """The name and the newest level of a feature."""
    return feature["name"], feature["maxSupportedVersion"]


def _add_moment(moments: list[Moment], moment: Moment, is_within_batch: bool) -> None:
    """Adds a moment, if it is another one. `is_within_batch`: a broker's registration may follow what it changes."""
    if not moments or not moment.alike(moments[-1]):
        moments.append(moment)
        return
    restarted = moments[-1].restarted_brokers | (moment.restarted_brokers if is_within_batch else frozenset[int]())
    again = moments[-1].again or (is_within_batch and moment.again)
    passing = moments[-1].passing and moment.passing
    offline = moment.offline if is_within_batch else moments[-1].offline
    moments[-1] = replace(moments[-1], passing=passing, restarted_brokers=restarted, again=again, offline=offline)


def recorded_cluster(log: MetadataLog) -> RecordedCluster:
    """What a metadata log says of the cluster and of each partition. UsageError where it is not whole."""
    of_brokers = frozenset(entry.batch for entry in log.entries if _broker_of_record(entry.record) is not None)
    reading = _RecordReading(assigned_brokers(log.entries), of_brokers)
    for entry, next_one in zip(log.entries, (*log.entries[1:], None), strict=True):
        about = reading.take(entry)
        within = next_one is not None and (next_one.batch, next_one.snapshot) == (entry.batch, entry.snapshot)
        reading.note(entry, about, within)
    if reading.snapshot:
        reading.end_snapshot()
    histories = tuple(_histories_of_reading(reading))
    return RecordedCluster(histories, reading.features, tuple(reading.supported), frozenset(reading.changed))


def _histories_of_reading(reading: _RecordReading) -> Iterator[History]:
    for partition in reading.partitions.values():
        yield History(
            topic=partition.topic,
            partition=partition.number,
            replicas=partition.replicas,
            moments=tuple(partition.moments),
            settings=reading.settings_of_topic(partition.topic),
            whole=partition.whole,
            end_reason=partition.end_reason,
            topic_id=partition.topic_id,
            leaderships=partition.leaderships,
        )
