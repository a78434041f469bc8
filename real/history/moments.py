"""What is known of partitions from the metadata log, as values: moments, leaderships, and the histories of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from ...language.immutable import immutable
from .assignments import Assignment

METADATA_VERSION = "metadata.version"
ELR_FEATURE = "eligible.leader.replicas.version"
DELETED = "the topic was deleted"
"""Of a history that ends with the partition: there is no more of it."""
RECOVERING = 1
"""LeaderRecoveryState, which an unclean election sets."""


@immutable
class SettingsInForce:
    """What a controller heeds at a moment of the log: the settings of a topic, None where the log has none; whether
    there are eligible leader replicas; and the level of `metadata.version` that is finalized, None where the log has
    none."""

    min_isr: str | None
    unclean: str | None
    elr: bool
    finalized_level: int | None


@immutable
class Moment:
    """A partition as a controller had it on record, from an offset of the metadata log on.

    `leader` is None where nobody leads. `fenced_brokers` are the replicas' brokers that are fenced, or are being shut
    down, or have not registered, or run on without the directory with their copy. `offline` are those whose copy is on
    record in a directory that they no longer have, and `reassigned_brokers` those whose copy is on record in another
    directory than before. `unclean` is whether the record says that the election was unclean, and `of_broker` whether
    the batch says something of a broker, too. `last_known` is the LastKnownElr. `restarted_brokers` are brokers that
    have registered with another incarnation than before since they were unfenced last, `stopping_brokers` those in
    controlled shutdown. `passing`: another record of the same batch goes on from here, so that no broker ever sees this
    moment by itself, or a broker has registered and is not unfenced yet. `shows_loss`: nothing else is on record, and
    the leader has learned of its epoch and lacks a record that was committed. `clears_elr`: the eligible leader
    replicas were forgotten, since somebody set `min.insync.replicas`. `unsure` are brokers of which nothing says
    whether they have been down since they were unfenced last: on ZooKeeper a broker registers anew after each end of
    its session. `assignment` is who holds a copy, where that is not the same all the time. `order` has the replicas in
    the order of assignment, of which the controller elects the first that may lead, and `settings` are those in force;
    of ZooKeeper neither is known moment by moment. `again`: a broker in controlled shutdown was fenced, which makes a
    new leader epoch up to 3.5 where it is the last of the ISR."""

    offset: int
    time_ms: int
    leader: int | None
    leader_epoch: int
    isr: frozenset[int]
    elr: frozenset[int]
    last_known: frozenset[int]
    fenced_brokers: frozenset[int]
    restarted_brokers: frozenset[int]
    stopping_brokers: frozenset[int]
    passing: bool = False
    shows_loss: bool = False
    clears_elr: bool = False
    unsure: frozenset[int] = frozenset()
    assignment: Assignment | None = None
    order: tuple[int, ...] = ()
    settings: SettingsInForce | None = None
    again: bool = False
    offline: frozenset[int] = frozenset()
    reassigned_brokers: frozenset[int] = frozenset()
    unclean: bool = False
    of_broker: bool = False

    def alike(self, other: Moment) -> bool:
        """Whether two moments differ in nothing that a partition's controller has on record of it."""
        return self._recorded_fields() == other._recorded_fields()

    def _recorded_fields(self) -> tuple[Any, ...]:
        sets = self.isr, self.elr, self.last_known, self.fenced_brokers
        return self.leader, self.leader_epoch, *sets, self.assignment


@immutable
class Leadership:
    """Who leads in a leader epoch, -1 for nobody, and the `first` and `last` partition epoch in it."""

    leader: int
    first: int
    last: int


@immutable
class History:
    """All that is known of a partition: its `replicas`, all brokers that ever have a copy as far as it is followed,
    those of its creation first, in the order of assignment; its moments, and the settings that the topic and the
    cluster have in the log. `whole`: it begins with the partition's creation. `end_reason` says why it goes
    no further than the log, where it does not. `leaderships` are by leader epoch, to the end of the
    log. `missing` says what no file has, so that nothing is known from there on."""

    topic: str
    partition: int
    replicas: tuple[int, ...]
    moments: tuple[Moment, ...]
    settings: Mapping[str, str]
    whole: bool
    end_reason: str | None = None
    topic_id: str = ""
    leaderships: Mapping[int, Leadership] = field(default_factory=dict[int, Leadership])
    missing: str | None = None

    @property
    def key(self) -> tuple[str, int]:
        """What tells it from every other partition, also of a topic of the same name."""
        return self.topic_id or self.topic, self.partition

    @property
    def name(self) -> str:
        """As Kafka names the partition: `orders-0`."""
        return f"{self.topic}-{self.partition}"


@immutable
class ZooKeeper:
    """What brokers of a cluster with ZooKeeper say of themselves: their releases, and the versions of the protocol
    between brokers, each once, the one of the last start at the end; and the cluster's id with the line that says it,
    None where no line does."""

    releases: tuple[str, ...]
    protocols: tuple[str, ...]
    cluster: tuple[str, str] | None = None


@immutable
class RecordedCluster:
    """What a metadata log says: each partition's history, the finalized features, and `supported_levels`, the newest
    levels of `metadata.version` that brokers have registered with, each once, the one that registered last at the end.
    `changed_settings` are settings that have another value later in the log: histories have the last. `zookeeper` is
    there where the cluster has no metadata log."""

    histories: tuple[History, ...]
    features: Mapping[str, int]
    supported_levels: tuple[int, ...]
    changed_settings: frozenset[str]
    zookeeper: ZooKeeper | None = None
