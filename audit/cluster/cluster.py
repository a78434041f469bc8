"""A Kafka cluster as its files state it: the one value that readers write and verdicts read. What no file says is None.

Every stated thing keeps its `Origin`, so that a verdict can name the line. Values of secrets are never held.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from ...language.immutable import immutable
from ..kafka.internal_topics import INTERNAL
from ..kafka.versions import ControlPlane
from .pods import Pod
from .statements import Origin, Setting, StatedValue, Unread

Role = Literal["broker", "controller"]


@immutable
class Versions:
    """What runs. `kafka` is the brokers' binary, `metadata_version` KRaft's, `inter_broker_protocol` ZooKeeper's.

    `features` maps a feature to its finalized level, such as `eligible.leader.replicas.version` to "1"; a feature that
    is not in it has not been stated, unless `all_features` says that the list is complete (then its level is 0).
    `protocols` are all that brokers state as inter.broker.protocol.version, where they differ. `unknown` is a release
    that is stated and not known here, with why: `kafka` is None then, and nothing is answered. `upgraded_from` is the
    release that files state, where the option says a newer one: `kafka` is what is planned then.
    `contradicting_versions` are statements that cannot hold at once, by what they are of: "version",
    "metadata.version" or "distribution".
    """

    kafka: StatedValue | None = None
    metadata_version: StatedValue | None = None
    inter_broker_protocol: StatedValue | None = None
    features: Mapping[str, StatedValue] = field(default_factory=dict[str, StatedValue])
    all_features: bool = False
    distribution: StatedValue | None = None
    protocols: tuple[StatedValue, ...] = ()
    unknown: StatedValue | None = None
    upgraded_from: StatedValue | None = None
    contradicting_versions: Mapping[str, tuple[StatedValue, ...]] = field(
        default_factory=dict[str, tuple[StatedValue, ...]]
    )

    @property
    def release(self) -> str | None:
        """The brokers' release; None where none is stated that is known."""
        return None if self.kafka is None else self.kafka.value


@immutable
class Broker:
    """One node, broker or controller or both. `roles` is empty if not stated, and so is `settings` if no file is given.

    `settings` are static (server.properties), `dynamic` are this broker's own dynamic ones. `ephemeral` is True where
    the storage does not outlive the process (Strimzi's `ephemeral`), None where nothing says so; `of_pod` where it
    goes with the pod alone, in which a container that dies starts again with its files. `machine` names the
    one computer that it shares with all others of that name (those of a compose file, or the host that the addresses
    of several nodes name: `addresses.py`); None: not stated. `pod` is
    what decides on which node it runs, as far as that is open; None of what is no pod. `network` is of a service of a
    compose file: "host" for its host's own, "inner" where it publishes no port, so that others reach it in the network
    of one engine, or in one that spans several; "" otherwise. `log_mounts` are the log directories of a service of a
    compose file that lie on a volume with a name or on a folder of the host, and those of a pod that lie on a claim
    which several pods have, each with which.
    """

    id: int | None
    origin: Origin
    host: str | None = None
    rack: StatedValue | None = None
    roles: tuple[Role, ...] = ()
    settings: tuple[Setting, ...] = ()
    dynamic: tuple[Setting, ...] = ()
    ephemeral: bool | None = None
    of_pod: bool = False
    machine: str | None = None
    pod: Pod | None = None
    network: Literal["", "host", "inner"] = ""
    log_mounts: tuple[tuple[str, str], ...] = ()

    @property
    def keeps_topics(self) -> bool:
        """Whether it is a broker, and not a controller alone; one of which nothing says what it is counts as one."""
        return "broker" in self.roles or not self.roles

    @property
    def states_id(self) -> bool:
        """Whether somebody states its id; a set's pods are numbered by their reader where nobody gives them ids."""
        return self.pod is None or any(setting.key in ("node.id", "broker.id") for setting in self.settings)


@immutable
class Partition:
    """One partition now. `leader` is None if it has none; `elr` and `last_known_elr` are None where nothing says.

    `replicas` are in the order of preference. `adding` and `removing` are of a reassignment under way.
    """

    number: int
    leader: int | None
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    origin: Origin
    elr: tuple[int, ...] | None = None
    last_known_elr: tuple[int, ...] | None = None
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()

    @property
    def eligible(self) -> tuple[int, ...]:
        """Who is elected from the ELR: replicas alone (PartitionChangeBuilder.electAnyLeader)."""
        return tuple(broker for broker in self.elr or () if broker in self.replicas)

    @property
    def eligible_without_copy(self) -> tuple[int, ...]:
        """Who is in the ELR and no replica: it left with a reassignment, and has deleted its copy."""
        return tuple(broker for broker in self.elr or () if broker not in self.replicas)


LEGAL_NAME = re.compile(r"[A-Za-z0-9._\-]{1,249}")
"""What Kafka takes for the name of a topic, but for `.` and `..`."""


@immutable
class Topic:
    """One topic. `partitions` is empty if only its number is known; `replication_factor` is the stated one, or None.

    `complete` says that what is not in `settings` has its default on the brokers as well: so are the descriptions that
    brokers give of themselves (a topic's `Configs:` has every setting that is not a default, whoever set it).
    `resource` is the topic as Strimzi's KafkaTopic asks for it, if there is one: its operator takes other changes back.
    `is_made_by_program`: a program that creates it for itself writes it, with acks=all, as Connect does its storage
    topics. `streams` is the file of the Streams application that creates it with the default of its version; '' of all
    others. `doubt` says in which way the description contradicts itself, so that it describes no topic of Kafka's; else
    ''.
    """

    name: str
    origin: Origin
    partitions: tuple[Partition, ...] = ()
    partition_count: int | None = None
    replication_factor: int | None = None
    settings: tuple[Setting, ...] = ()
    complete: bool = False
    resource: Topic | None = None
    is_made_by_program: bool = False
    streams: str = ""
    doubt: str = ""

    @property
    def has_legal_name(self) -> bool:
        """Whether Kafka takes its name (clients: internals.Topic.validate); of one with a variable nobody knows, and
        what stands in parentheses stands for any name: of an application, or of what a program makes."""
        name = re.sub(r"\(topics that .*\)|\([A-Za-z ]+\)", "x", self.name)
        return "$" in name or "{" in name or (bool(LEGAL_NAME.fullmatch(name)) and name not in (".", ".."))

    @property
    def is_cut_short(self) -> bool:
        """Whether it has partitions that are not described."""
        described = len({partition.number for partition in self.partitions})
        return self.partition_count is not None and 0 < described < self.partition_count

    @property
    def is_internal(self) -> bool:
        """One of Kafka's own topics, by name (`org.apache.kafka.common.internals.Topic`)."""
        return self.name in INTERNAL


RUNNING = "a running cluster"
"""The format of what was asked of brokers, and read from no file."""
DESCRIBED = ("kafka-configs.sh --describe", RUNNING)
"""The formats in which brokers say themselves what is set."""


def is_called(path: str, name: str) -> bool:
    """Whether a name, in `audit.toml` or in an option, means the file of this path."""
    name = name.removeprefix("./")
    return path.removeprefix("./") == name or path.endswith("/" + name)


@immutable
class Client:
    """A producer or a consumer as a file configures it. `family` is "java", "librdkafka", ..., or None: not stated.

    `is_embedded`: of a program that runs clients for others, such as Connect, so that it is nobody's only producer.
    `of_streams` is what a Streams application's file says of its group's protocol, for itself or for its consumers,
    under the keys that stand there.
    """

    name: str
    kind: Literal["producer", "consumer"]
    origin: Origin
    family: StatedValue | None = None
    version: StatedValue | None = None
    settings: tuple[Setting, ...] = ()
    is_embedded: bool = False
    of_streams: tuple[Setting, ...] = ()

    def has_name(self, name: str) -> bool:
        """Whether `audit.toml` means it by this name."""
        return name == self.name or is_called(self.origin.path, name)


@immutable
class Quorum:
    """The controllers of KRaft. `dynamic` is KIP-853's membership (kraft.version 1), None if nothing says. `hosts` are
    the hosts at which voters are described to be reached. `late` are the voters that do not fetch or have not caught
    up, None if nothing says who fetches, and `caught_up` the observers that do and have, by their ids: one with the id
    of a voter has another directory. `directories` are the voters', "" for one that is said to have none. `headless`
    is said to have no leader. `watermark` is the high watermark and `most_lag` the most records that a voter lacks,
    None if not said."""

    voters: tuple[int, ...]
    origin: Origin
    leader: int | None = None
    observers: tuple[int, ...] = ()
    dynamic: bool | None = None
    hosts: tuple[tuple[int, str], ...] = ()
    late: tuple[int, ...] | None = None
    caught_up: tuple[int, ...] = ()
    directories: tuple[tuple[int, str], ...] = ()
    cluster_id: str = ""
    headless: bool = False
    watermark: int | None = None
    most_lag: int | None = None


@immutable
class RespondingBrokers:
    """Who answered when a running cluster was asked at `origin`: brokers by their ids, and those that are known and did
    not, each with the reason. `told_by` is the broker as of which partitions are; `controllers` says what is wrong with
    their quorum, "" where nothing is, and `headless` that it has no leader; `late` are voters that do not fetch."""

    origin: Origin
    answering_brokers: tuple[int, ...]
    down: tuple[tuple[int, str], ...] = ()
    told_by: int | None = None
    controllers: str = ""
    headless: bool = False
    late: tuple[int, ...] = ()

    @property
    def to_sentence(self) -> str:
        """Who does not answer, in a sentence; "" where all do."""
        if not self.down:
            return ""
        down = [(id_, why) for id_, why in self.down if not why.startswith(SILENT)]
        mute = [(id_, why) for id_, why in self.down if why.startswith(SILENT)]
        groups = ((down, "is down", "are down"), (mute, "does not answer", "do not answer"))
        said = [_unanswering_brokers_text(ids, one if len(ids) == 1 else many) for ids, one, many in groups if ids]
        of = f"{len(self.answering_brokers)} of {len(self.answering_brokers) + len(self.down)} answered"
        return "; ".join([*said, f"{of}, and partitions are as broker {self.told_by} knows them"])


SILENT = "no answer"
"""What the reason begins with where a broker may be up."""


def _unanswering_brokers_text(brokers: Sequence[tuple[int, str]], what: str) -> str:
    ids = ", ".join(str(id_) for id_, _ in brokers)
    why = "; ".join(dict.fromkeys(reason for _, reason in brokers))
    return f"broker{'s' if len(brokers) > 1 else ''} {ids} {what} ({why})"


@immutable
class TopicUse:
    """Who writes and reads which topics, and what must hold of them, from `audit.toml`. `pattern` is matched whole, as
    a regular expression.

    `subject` is "topic" or "group". `producers` and `consumers` name `Client`s, `requirements` has what `--require`
    takes; empty is not stated."""

    subject: Literal["topic", "group"]
    pattern: str
    origin: Origin
    producers: tuple[str, ...] = ()
    consumers: tuple[str, ...] = ()
    critical: bool = False
    requirements: tuple[str, ...] = ()

    @property
    def client_names(self) -> tuple[tuple[Literal["producer", "consumer"], str], ...]:
        """The clients by what they are."""
        return (*(("producer", name) for name in self.producers), *(("consumer", name) for name in self.consumers))

    def is_about(self, name: str) -> bool:
        """Whether it speaks of the topic or group of this name."""
        return re.fullmatch(self.pattern, name) is not None

    def is_exactly(self, name: str) -> bool:
        """Whether it is this name, and no pattern of several."""
        return self.pattern in (name, re.escape(name), name.replace(".", "\\."))


def _first_stated(own: Sequence[Sequence[str]], every: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Names, each once: those of the first list, or of the other one where that has none."""
    named = dict.fromkeys(name for names in own for name in names)
    return tuple(named or dict.fromkeys(name for names in every for name in names))


@immutable
class DuplicateId:
    """One id that the files of two nodes have: the first is used. `second` is where the other one says so."""

    node: Broker
    second: Origin

    @property
    def to_text(self) -> str:
        """Why one of them does not start."""
        return f"{self.node.origin} has the same id, and of two nodes with one id only one starts"


@immutable
class Cluster:
    """Everything that was read. `dynamic` are the cluster-wide dynamic settings; `files` are (path, format) as read.

    `assumptions` are sentences: what had to be taken for granted to make one cluster of the files. `whole` says that
    `brokers` has every node that there is. `acks` is the user's word for all producers that no `TopicUse` names.
    `planned_topics` are topics that programs create when they start, and that were not found. `unnamed_clients` is the
    family and the version of clients of which no file was given. `twice` are ids that two nodes have. `zookeepers` are
    the servers that brokers name, each with the computer that it shares with a node, or None; `zookeeper_racks` are the
    racks of some of them, as far as the user states them, and `sessions` for how long they grant sessions, in
    milliseconds (`4000 to 40000`). `passing_ensemble` says where they are set to keep what they know on what goes with
    their pods, or in memory. `unread` is what was given beside `files` and not read. `quorum_doubts` are sentences:
    what is not known of the quorum since outputs contradict each other.
    """

    brokers: tuple[Broker, ...] = ()
    quorum: Quorum | None = None
    quorum_doubts: tuple[str, ...] = ()
    topics: tuple[Topic, ...] = ()
    clients: tuple[Client, ...] = ()
    dynamic: tuple[Setting, ...] = ()
    versions: Versions = field(default_factory=Versions)
    uses: tuple[TopicUse, ...] = ()
    control_plane: ControlPlane | None = None
    files: tuple[tuple[str, str], ...] = ()
    assumptions: tuple[str, ...] = ()
    whole: bool = False
    unnamed_clients: tuple[str, StatedValue | None] | None = None
    acks: StatedValue | None = None
    planned_topics: tuple[Topic, ...] = ()
    twice: tuple[DuplicateId, ...] = ()
    zookeepers: tuple[tuple[str, str | None], ...] = ()
    zookeeper_racks: Mapping[str, StatedValue] = field(default_factory=dict[str, StatedValue])
    sessions: StatedValue | None = None
    passing_ensemble: StatedValue | None = None
    unread: tuple[Unread, ...] = ()
    answering: RespondingBrokers | None = None

    @property
    def controllers(self) -> tuple[Broker, ...]:
        """The nodes that are controllers of KRaft, as far as their roles are stated."""
        return tuple(broker for broker in self.brokers if "controller" in broker.roles)

    @property
    def only_producer(self) -> Client | None:
        """The producer of the files, if there is just one."""
        found = [client for client in self.clients if client.kind == "producer" and not client.is_embedded]
        return found[0] if len(found) == 1 else None

    @property
    def topic_keepers(self) -> tuple[Broker, ...]:
        """The nodes that keep topics and whose settings were given."""
        return tuple(broker for broker in self.brokers if broker.settings and broker.keeps_topics)

    def is_value_empty(self, setting: Setting) -> bool:
        """Whether its value is empty in a file that Kafka reads; a description leaves it empty where it is null."""
        return not setting.value and dict(self.files).get(setting.origin.path) not in DESCRIBED

    def use_of(self, topic: str) -> TopicUse | None:
        """What `audit.toml` says of a topic. An entry of its own name is stronger than patterns, in what it states;
        of all patterns that cover it each counts."""
        found = [use for use in self.uses if use.subject == "topic" and use.is_about(topic)]
        if not found:
            return None
        own = [use for use in found if use.is_exactly(topic)]
        stated = next((use for use in own if use.producers), (own or found)[0])
        return replace(
            stated,
            producers=_first_stated([use.producers for use in own], [use.producers for use in found]),
            consumers=_first_stated([use.consumers for use in own], [use.consumers for use in found]),
            critical=any(use.critical for use in found),
            requirements=_first_stated([use.requirements for use in own], [use.requirements for use in found]),
        )

    def client(self, name: str, kind: Literal["producer", "consumer"] | None = None) -> Client | None:
        """The client of this name, or of the file whose path ends with it; of one kind, if both are in one file."""
        return next((client for client in self.clients if client.has_name(name) and kind in (None, client.kind)), None)


def is_run_by_strimzi(cluster: Cluster) -> bool:
    """Whether the brokers are those of a Kafka resource."""
    return any(strimzi_pool_of(broker) is not None for broker in cluster.brokers)


def strimzi_pool_of(broker: Broker) -> str | None:
    """What of Strimzi's has a broker's number of replicas: "spec.kafka", "KafkaNodePool NAME", or nothing of it."""
    place = broker.origin.place
    return place if place == "spec.kafka" or place.startswith("KafkaNodePool") else None


NEW_TOPICS = "(new topics)"
