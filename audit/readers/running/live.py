"""A running cluster, asked by way of Kafka's admin API: what a collection of the same cluster would say.

It only describes. kafka-python asks (docs/decisions/0009-kafka-python-for-live-clusters.md). What a broker does not
answer is not stated, and a finding says so.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any
from uuid import UUID

from kafka.admin import ConfigResource, ConfigResourceType
from kafka.errors import (
    AuthorizationError,
    IncompatibleBrokerVersion,
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    SaslAuthenticationFailedError,
    UnsupportedVersionError,
)
from kafka.protocol.api_key import ApiKey

from ...cluster.cluster import RUNNING, Partition, Quorum, RespondingBrokers, Topic
from ...cluster.statements import HIDDEN, Origin, Setting, StatedValue, UnreadableInputError
from ...kafka.releases import METADATA_VERSIONS
from ..parsed_file import Part
from .admin import Admin
from .collection import kept_names
from .connection import ConnectionSettings
from .descriptions import (
    DescribedSetting,
    add_setting,
    drop_facts_unread_in_kraft,
    lists_to_fill,
)
from .quorum_outputs import note_lagging
from .replicas import LATE_MS, QuorumReplica, with_followers

CONNECT_SECONDS, PROBE_SECONDS = 8.0, 5.0
REQUEST_MS = 8_000
MOST_TOPICS = 100
"""Topics of which the settings are asked for at once: some 3 KB each."""


def read_live_cluster(address: str, how: ConnectionSettings, connect_seconds: float = CONNECT_SECONDS) -> Part:
    """Everything that the cluster at `HOST:PORT[,HOST:PORT...]` says. Raises UnreadableInputError, in one sentence."""
    part = Part(RUNNING)
    with _connected_client(address, how, connect_seconds) as client, _errors_as_unreadable_input(address):
        answered = client.probe(PROBE_SECONDS)
        if not answered:
            reasons = ", ".join(f"broker {node}: {why}" for node, why in client.silent.items())
            raise UnreadableInputError(
                f"{address} answers, and none of the brokers does at the address that it advertises ({reasons})."
            )
        brokers = client.brokers()
        _add_features(part, client, address)
        described = list(_described_topics(client))
        wrong, late = _add_quorum(part, client, address)
        moving = (
            _running_reassignments(part, client, address) if wrong != NO_CONTROLLER else dict[tuple[str, int], Move]()
        )
        names = [topic["name"] for topic in described if _is_allowed(part, topic, address)]
        settings = _settings_of_topics(client, names)
        for topic in described:
            if topic["name"] in settings:
                _add_topic(part, topic, settings[topic["name"]], moving, address)
        _add_broker_settings(part, client, answered, address)
        part.answering = replace(_responding_brokers(part, client, answered, brokers, wrong, address), late=late)
    drop_facts_unread_in_kraft(part)
    return part


# --- the connection ---------------------------------------------------------------------------------------------------


class _LastConnectionError(logging.Handler):
    """Keeps the last reason for which a connection failed: kafka-python writes it to its log alone.

    It tries a password that is refused again and again until its time is over, which can lock an account. Java's client
    does not, and neither do we: what is raised here ends the attempt at its first refusal. A broker closes the
    connection after a refusal, and kafka-python reads nothing of an answer that arrives together with the close. So a
    connection that a broker closes ends the attempt too, where a user was to be authenticated on it.
    """

    def __init__(self, authenticates: bool) -> None:
        super().__init__(logging.WARNING)
        self.reason = ""
        self.refused = False
        self._authenticates = authenticates

    def emit(self, record: logging.LogRecord) -> None:
        next_begins = str(record.msg).startswith("Bootstrap connection")  # where kafka-python would try again
        for argument in record.args if isinstance(record.args, tuple) else ():
            if isinstance(argument, SaslAuthenticationFailedError):
                self.refused = True
            elif isinstance(argument, Exception) and not isinstance(argument, KafkaTimeoutError):
                self.reason = str(argument)
            if isinstance(argument, KafkaError) and next_begins and self._was_refused(argument):
                raise argument

    def _was_refused(self, error: KafkaError) -> bool:
        if isinstance(error, SaslAuthenticationFailedError):
            return True
        closed = any(words in str(error) for words in ("socket disconnected", "reset by peer"))
        return self._authenticates and closed and "Handshake failed" not in str(error)


@contextmanager
def _silence_client_log(how: ConnectionSettings) -> Generator[_LastConnectionError, None, None]:
    """kafka-python's log goes nowhere but into the reason of a failure."""
    logger, heard = logging.getLogger("kafka"), _LastConnectionError(how.mechanism is not None)
    before = logger.propagate
    logger.addHandler(heard)
    logger.propagate = False
    try:
        yield heard
    finally:
        logger.removeHandler(heard)
        logger.propagate = before


@contextmanager
def _connected_client(address: str, how: ConnectionSettings, connect_seconds: float) -> Generator[Admin, None, None]:
    with _silence_client_log(how) as heard:
        client = _connect_client(address, how, connect_seconds, heard)
        try:
            yield client
        finally:
            client.close()


def _connect_client(
    address: str, how: ConnectionSettings, connect_seconds: float, heard: _LastConnectionError
) -> Admin:
    try:
        return Admin(
            bootstrap_servers=[text.strip() for text in address.split(",")],
            client_id="tidegate-audit",
            bootstrap_timeout_ms=round(1000 * connect_seconds),
            request_timeout_ms=how.request_ms or REQUEST_MS,
            security_protocol=how.protocol,
            ssl_context=how.tls,
            sasl_mechanism=how.mechanism,
            sasl_plain_username=how.user,
            sasl_plain_password=how.password,
            sasl_kerberos_service_name=how.service,
        )
    except (SaslAuthenticationFailedError, KafkaConnectionError, KafkaTimeoutError) as error:
        if heard.refused:
            raise UnreadableInputError(f"{address} refuses the user or the password of --command-config.") from None
        if isinstance(error, KafkaConnectionError) and how.mechanism is not None:
            raise UnreadableInputError(
                f"{address} closed the connection on which the user of --command-config was authenticated. A broker "
                "does so when it refuses the user or the password, and when it stops. The password was tried once."
            ) from None
        why = f": {heard.reason}" if heard.reason else ""
        raise UnreadableInputError(
            f"{address}: no broker answered within {connect_seconds:g} s{why}. Give the HOST:PORT of a broker, and "
            "--command-config if the listener is secured."
        ) from None
    except (KafkaError, ValueError, OSError, ImportError) as error:
        raise UnreadableInputError(f"{address}: {error}.") from None


@contextmanager
def _errors_as_unreadable_input(address: str) -> Generator[None, None, None]:
    """What may go wrong once connected, as one sentence."""
    try:
        yield
    except AuthorizationError as error:
        raise UnreadableInputError(
            f"{address}: this user may not describe the cluster ({type(error).__name__}); it needs Describe and "
            "DescribeConfigs on the cluster and on its topics."
        ) from None
    except KafkaError as error:
        raise UnreadableInputError(
            f"{address} stopped answering: {error}. Try again, or look at the brokers."
        ) from None
    except LookupError as error:  # of a field that an answer has not
        raise UnreadableInputError(
            f"{address} answers what kafka-python does not understand ({error!r}); collect with Kafka's own tools: "
            "tidegate audit --collect."
        ) from error


# --- topics -----------------------------------------------------------------------------------------------------------


def _described_topics(client: Admin) -> Iterator[dict[str, Any]]:
    """Every topic, with its eligible leader replicas where brokers know them (KIP-966): then in pages."""
    if ApiKey.DescribeTopicPartitions not in client.api_versions():
        yield from client.describe_topics()
        return
    topics: dict[str, dict[str, Any]] = {}
    cursor: dict[str, Any] | None = None
    while True:
        page = client.describe_topic_partitions([], cursor=cursor)
        for topic in page["topics"]:
            for partition in topic["partitions"]:  # kafka-python gives None for an empty list as well
                partition["eligible_leader_replicas"] = partition["eligible_leader_replicas"] or []
                partition["last_known_elr"] = partition["last_known_elr"] or []
            mine = topics.setdefault(topic["name"], {**topic, "partitions": []})
            mine["partitions"] += topic["partitions"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    yield from topics.values()


def _is_allowed(part: Part, topic: Mapping[str, Any], address: str) -> bool:
    if topic["error_code"] == 0:
        return True
    what = f"topic {topic['name']} is not described (error {topic['error_code']})"
    part.note("not_read", "warning", what, Origin(address, None, "topics"), "let this user describe it, or ask again")
    part.left_out.add(topic["name"])
    return False


Move = tuple[tuple[int, ...], tuple[int, ...]]
"""The replicas that come and those that go."""
Moving = Mapping[tuple[str, int], Move]


def _running_reassignments(part: Part, client: Admin, address: str) -> Moving:
    """Reassignments under way: the replicas that come and those that go, by topic and partition."""
    try:
        found = client.list_partition_reassignments()
    except KafkaError as error:
        what = f"whether replicas are being reassigned is not known ({type(error).__name__})"
        part.note("not_read", "note", what, Origin(address, None, "topics"), "let this user describe the cluster")
        return {}
    return {
        (where[0], where[1]): (tuple(reassignment["adding_replicas"]), tuple(reassignment["removing_replicas"]))
        for where, reassignment in found.items()
    }


def _settings_of_topics(client: Admin, names: Iterable[str]) -> dict[str, list[DescribedSetting]]:
    """What holds for each topic, every setting with its layers; nothing for one whose settings were refused."""
    found: dict[str, list[DescribedSetting]] = {}
    rest = iter(names)
    while some := list(islice(rest, MOST_TOPICS)):
        resources = [ConfigResource(ConfigResourceType.TOPIC, name) for name in some]
        said = client.describe_configs(resources, include_synonyms=True, config_filter="all").get("topic", {})
        found.update({name: described_settings(said.get(name, {})) for name in some})
    return found


def described_settings(configs: Mapping[str, Mapping[str, Any]]) -> list[DescribedSetting]:
    """Settings as a collection has them: of those that the audit has no use for, and of secrets, the name alone."""
    return [setting for name, entry in configs.items() if (setting := _described_setting(name, entry)) is not None]


def _described_setting(name: str, entry: Mapping[str, Any]) -> DescribedSetting | None:
    if name not in KEPT:
        return DescribedSetting(name, HIDDEN, True, [])
    if entry["is_sensitive"]:
        return None
    layers = [
        (synonym["source"], synonym["name"], _text_or_null(synonym["value"])) for synonym in entry.get("synonyms", ())
    ]
    return DescribedSetting(name, _text_or_null(entry["value"]), False, layers)


KEPT = frozenset(kept_names())


def _text_or_null(value: str | None) -> str:
    return "null" if value is None else value


def _add_topic(
    part: Part, description: Mapping[str, Any], settings: list[DescribedSetting], moving: Moving, address: str
) -> None:
    """One topic: what kafka-topics.sh would print of it, and then every setting with its layers."""
    name = description["name"]
    origin = Origin(address, None, f"topic {name}")
    partitions = tuple(
        sorted(_described_partitions(description, moving, origin), key=lambda partition: partition.number)
    )
    first = partitions[0] if partitions else None
    part.topics.append(
        Topic(
            name,
            origin,
            partitions,
            len(partitions) or None,
            len(first.replicas) - len(first.adding) if first else None,
            tuple(
                Setting(setting.key, setting.value, origin) for setting in settings if not _is_default_setting(setting)
            ),
            complete=bool(settings),
        )
    )
    if not settings:
        what = f"the brokers do not give the settings of topic {name}"
        part.note("not_read", "warning", what, origin, "give this user DescribeConfigs on the topic")
        return
    into, dynamic = lists_to_fill(part, "topic", name, whole=True)
    for setting in settings:
        add_setting(part, into, dynamic, setting, origin)


def _is_default_setting(setting: DescribedSetting) -> bool:
    return setting.sensitive or not setting.layers or setting.layers[0][0] == "DEFAULT_CONFIG"


def _described_partitions(description: Mapping[str, Any], moving: Moving, origin: Origin) -> Iterator[Partition]:
    for partition in description["partitions"]:
        number, leader = partition["partition_index"], partition["leader_id"]
        elr, last = partition.get("eligible_leader_replicas"), partition.get("last_known_elr")
        adding, removing = moving.get((description["name"], number), ((), ()))
        yield Partition(
            number,
            leader if leader >= 0 else None,
            tuple(partition["replica_nodes"]),
            tuple(partition["isr_nodes"]),
            origin,
            None if elr is None else tuple(elr),
            None if last is None else tuple(last),
            adding,
            removing,
        )


# --- brokers, features, controllers -----------------------------------------------------------------------------------


def _add_broker_settings(part: Part, client: Admin, brokers: Sequence[int], address: str) -> None:
    """Each broker answers for itself. What is set for all of them is a layer of every one's settings."""
    wide: dict[str, DescribedSetting] = {}
    for number in brokers:
        origin = Origin(address, None, f"broker {number}")
        try:
            resource = ConfigResource(ConfigResourceType.BROKER, str(number))
            said = client.describe_configs([resource], include_synonyms=True, config_filter="all")
        except AuthorizationError:
            raise
        except KafkaError as error:
            what = f"broker {number} does not answer, so that its settings are not known ({type(error).__name__})"
            part.note("not_read", "warning", what, origin, "look at the broker, and audit again")
            continue
        entries = said.get("broker", {}).get(str(number), {})
        settings = described_settings(entries)
        wide.update({setting.key: setting for setting in described_settings(dict(_cluster_wide_layers(entries)))})
        if not settings:
            what = f"the brokers do not give the settings of broker {number}"
            part.note("not_read", "warning", what, origin, "give this user DescribeConfigs on the cluster")
        into, dynamic = lists_to_fill(part, "broker", str(number), whole=True)
        for setting in settings:
            add_setting(part, into, dynamic, setting, origin)
    into, dynamic = lists_to_fill(part, "brokers", "", whole=False)
    for setting in wide.values():
        add_setting(part, into, dynamic, setting, Origin(address, None, "all brokers"))


def _cluster_wide_layers(configs: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Of one broker's settings the layer that is set for all brokers: described as if it were the only one."""
    for name, entry in configs.items():
        for synonym in entry.get("synonyms", ()):
            if synonym["source"] == "DYNAMIC_DEFAULT_BROKER_CONFIG" and synonym["name"] == name:
                yield name, {**entry, "value": synonym["value"], "synonyms": [synonym]}


def _add_features(part: Part, client: Admin, address: str) -> None:
    """The finalized level of each feature. With ZooKeeper none is finalized, and nothing is said."""
    origin = Origin(address, None, "features")
    try:
        found = client.describe_features()
    except UnsupportedVersionError:
        return  # before 2.4 there are none
    metadata = found.get("metadata.version", {})
    if "finalized" not in metadata:
        return
    part.control_plane = "kraft"
    part.all_features = True
    level, most = (
        _metadata_version_name(metadata["finalized"][1]),
        _metadata_version_name(metadata.get("supported", (0, 0))[1]),
    )
    if level is None:
        what = f"the release of metadata.version level {metadata['finalized'][1]}, which has no name here,"
        part.fact("unknown_release", what, origin)
    else:
        part.fact("metadata_version", level, origin)
    if most is None and level is not None:
        what = f"the release that has metadata.version up to level {metadata['supported'][1]}"
        part.fact("unknown_release", what, origin)
    elif most is not None:
        part.fact("kafka", most.partition("-")[0], origin, f"the brokers know metadata.version up to {most}")
    for name, entry in found.items():
        if name != "metadata.version":
            part.features[name] = StatedValue(str(entry.get("finalized", (0, 0))[1]), origin)


def _metadata_version_name(level: int) -> str | None:
    return METADATA_VERSIONS[level - 1] if 0 < level <= len(METADATA_VERSIONS) else None


def _add_quorum(part: Part, client: Admin, address: str) -> tuple[str, tuple[int, ...]]:
    """The controllers of KRaft: what is wrong with them, "" where nothing is, and the voters that do not fetch. With
    ZooKeeper there are none to ask for."""
    origin = Origin(address, None, "metadata quorum")
    try:
        quorum = client.describe_quorum()
    except IncompatibleBrokerVersion:
        if part.control_plane == "kraft":
            part.note("not_read", "warning", "these brokers do not say who the controllers are", origin, FILES)
        return "", ()
    except KafkaError as error:
        part.note("not_read", "warning", f"no controller answered who they are ({type(error).__name__})", origin, FILES)
        refused = isinstance(error, AuthorizationError) or part.control_plane != "kraft"
        return "" if refused else NO_CONTROLLER, ()
    part.control_plane = "kraft"
    leader = quorum["leader_id"]
    voters = tuple(voter["replica_id"] for voter in quorum["current_voters"])
    observers = tuple(observer["replica_id"] for observer in quorum["observers"])
    ends = {voter["replica_id"]: voter["log_end_offset"] for voter in quorum["current_voters"]}
    last = ends.get(leader, -1)
    lags = {f"voter {voter}": last - end for voter, end in ends.items() if last >= 0}
    described = Quorum(
        voters,
        origin,
        leader if leader >= 0 else None,
        observers,
        headless=leader < 0,
        watermark=quorum.get("high_watermark"),
    )
    now = max((_time(voter, "last_fetch_timestamp") for voter in quorum["current_voters"]), default=-1)
    asked_of_all = leader >= 0 and last >= 0 and now >= 0
    replicas = list(_quorum_replicas(quorum, last))
    part.quorums.append(with_followers(described, replicas, now) if asked_of_all else described)
    note_lagging(part, quorum.get("high_watermark"), lags, origin)
    late = dict(late_voters(quorum))
    said = "; ".join(f"controller {voter} has not fetched for {seconds:.0f} s" for voter, seconds in late.items())
    return said if leader >= 0 else NO_CONTROLLER, tuple(late)


NO_CONTROLLER = (
    "no controller answers the brokers: most controllers are down or cut off, and until a majority of them is there no "
    "leader that dies is replaced, and no topic and no ISR changes"
)
"""What a quorum without a leader means."""


def _quorum_replicas(quorum: Mapping[str, Any], end: int) -> Iterator[QuorumReplica]:
    """Voters and observers, as the leader says; `end` is that of its log. Before 4.0 it names no directories."""
    for kind in ("current_voters", "observers"):
        for replica in quorum[kind]:
            times = _time(replica, "last_fetch_timestamp"), _time(replica, "last_caught_up_timestamp")
            directory = _directory_text(replica.get("replica_directory_id"))
            lag = end - replica["log_end_offset"]
            yield QuorumReplica(replica["replica_id"], directory, kind == "current_voters", lag, *times)


def _directory_text(directory: UUID | None) -> str:
    """A directory's id as Kafka's tools print it."""
    return "" if directory is None else base64.urlsafe_b64encode(directory.bytes).decode().rstrip("=")


def _time(replica: Mapping[str, Any], key: str) -> int:
    return replica.get(key) or -1


def late_voters(quorum: Mapping[str, Any]) -> Iterator[tuple[int, float]]:
    """Voters that do not fetch, with the seconds for which they have not, as the leader says since 3.3 (KIP-836)."""
    times = {voter["replica_id"]: voter.get("last_fetch_timestamp") or -1 for voter in quorum["current_voters"]}
    now = times.get(quorum["leader_id"], -1)
    yield from ((voter, (now - at) / 1000) for voter, at in times.items() if at < now - LATE_MS)


def _responding_brokers(
    part: Part, client: Admin, probed_ids: Sequence[int], listed_ids: Sequence[int], wrong: str, address: str
) -> RespondingBrokers:
    """Who answered of all brokers that are listed or have a replica: those that did when they were probed, and do
    still."""
    holding = {replica for topic in part.topics for partition in topic.partitions for replica in partition.replicas}
    answered = tuple(broker for broker in probed_ids if broker not in client.silent)
    unknown = {*holding, *listed_ids} - {*answered, *client.silent}
    down = {**dict.fromkeys(unknown, "not registered as alive"), **client.silent}
    headless, asked = wrong == NO_CONTROLLER, Origin(address, None, "brokers")
    return RespondingBrokers(asked, answered, tuple(sorted(down.items())), client.told_by, wrong, headless)


FILES = "give a controller's server.properties too, or what kafka-metadata-quorum.sh describes"
