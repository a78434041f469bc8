"""Brokers and controllers that do not start: settings that Kafka refuses, and ids that two of them have.

Kafka reads every setting that it defines by its type and its validator before anything starts, and then checks some of
them together (`ConfigDef.parseType`, `KafkaConfig.validateValues`; the validators are those of ServerConfigs,
ReplicationConfigs, LogConfig, KRaftConfigs, GroupCoordinatorConfig, TransactionLogConfig and
TransactionStateManagerConfig, 3.9.0; those of listeners are in `listeners` and `protocols`). What is set while a broker
runs is checked then. Of two brokers with one id the second is refused while the first lives
(`ClusterControlManager.registerBroker`; ZooKeeper: `/brokers/ids/ID` is there already).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from ...language.immutable import immutable
from ..cluster.cluster import DESCRIBED, Broker, Cluster
from ..cluster.settings import has_readable_file, setting_value, stated_settings
from ..cluster.statements import HIDDEN, Default, Origin, Setting, StatedValue
from ..kafka.keys import NEVER_EMPTY, Key, declared_key, settings_by_name, why_illegal
from . import protocol_versions
from .groups import group_refusals
from .listeners import identity_refusals, listener_refusals
from .lists import list_refusals
from .numbers import number_refusals
from .protocols import advertised_extra, control_plane_refusals, protocol_refusals, role_refusals
from .quorum import quorum_refusals
from .value_types import type_refusals

CONTROLLER_QUORUM_VOTERS = declared_key("controller.quorum.voters")
LOG_DIR = declared_key("log.dir")
LOG_DIRS = declared_key("log.dirs")
PROCESS_ROLES = declared_key("process.roles")

WAIT, LAG = declared_key("replica.fetch.wait.max.ms"), declared_key("replica.lag.time.max.ms")

UNBOUNDED = frozenset({
    declared_key("default.replication.factor"), declared_key("flush.ms"), LAG, WAIT,
    declared_key("replica.high.watermark.checkpoint.interval.ms"),
})  # fmt: skip
"""Settings whose least value is no validator of the broker's: with less it starts."""

Refusals: TypeAlias = tuple[tuple[Broker, str], ...]
"""The nodes of a cluster, each with why it does not start, "" where nothing says so."""


@immutable
class DownNodes:
    """Nodes that do not start for one reason. `where` is the first of their settings, `why` says which and why."""

    nodes: tuple[Broker, ...]
    why: str
    where: Origin

    @property
    def to_sentence(self) -> str:
        """In a sentence."""
        verb = "does" if len(self.nodes) == 1 else "do"
        return f"{names_of_nodes(self.nodes)} {verb} not start: {self.why} ({self.where})"


def names_of_nodes(nodes: Sequence[Broker]) -> str:
    """`brokers 1, 2`, `controller 101`, `the broker of server.properties`."""
    what = "broker" if all(node.keeps_topics for node in nodes) else "node"
    if all(not node.keeps_topics for node in nodes):
        what = "controller"
    if any(node.id is None for node in nodes):
        return f"the {what} of {', '.join(dict.fromkeys(node.origin.path for node in nodes))}"
    return f"{what}{'s' if len(nodes) > 1 else ''} {', '.join(str(node.id) for node in nodes)}"


def nodes_down(cluster: Cluster) -> list[DownNodes]:
    """Every node that does not start, by the reason; and what that leaves of the controllers."""
    reasons: dict[str, list[tuple[Broker, Origin]]] = {}
    for broker in cluster.brokers:
        for why, where in _reasons_at_once(cluster, broker):
            reasons.setdefault(why, []).append((broker, where))
    refusing = [DownNodes(tuple(node for node, _ in found), why, found[0][1]) for why, found in reasons.items()]
    return [*refusing, *(DownNodes((pair.node,), pair.to_text, pair.second) for pair in cluster.twice)]


def why_node_is_down(cluster: Cluster, node: Broker) -> tuple[str, Origin]:
    """Why a node does not start, and where that is set; ("", its file) if nothing says so.

    Its files count alone: what a running broker says of itself is no reason, and has defaults among it.
    """
    at = next(number for number, one in enumerate(cluster.brokers) if one is node)
    filed = _cluster_as_in_files(cluster)
    if node.settings and not filed.brokers[at].settings:
        return "", node.origin
    return next(_refusal_reasons(filed, filed.brokers[at]), ("", node.origin))


def _reasons_at_once(cluster: Cluster, node: Broker) -> Sequence[tuple[str, Origin]]:
    """Every setting whose value a node refuses, so that none is found only once another is mended; of a node whose
    values are all legal the first rule that they break together."""
    why, where = why_node_is_down(cluster, node)
    if not why:
        return ()
    filed = _cluster_as_in_files(cluster)
    own = filed.brokers[next(number for number, one in enumerate(cluster.brokers) if one is node)]
    return list(dict.fromkeys([*_value_refusals(filed, own), (why, where)]))


def _value_refusals(cluster: Cluster, node: Broker) -> Iterator[tuple[str, Origin]]:
    """The settings that are refused whatever the others are."""
    for setting in stated_settings(node).values():
        message = why_value_refused(cluster, setting)
        if message:
            yield f"`{setting.key}={setting.value}` {message}", setting.origin
    yield from type_refusals(cluster, node)


def _cluster_as_in_files(cluster: Cluster) -> Cluster:
    """The same without what running brokers say of themselves."""
    running = {path for path, form in cluster.files if form in DESCRIBED}
    if not running:
        return cluster
    return replace(
        cluster,
        brokers=tuple(
            replace(node, settings=tuple(it for it in node.settings if it.origin.path not in running))
            for node in cluster.brokers
        ),
    )


def ids_of_down_nodes(cluster: Cluster) -> frozenset[int]:
    """The ids of the nodes that do not start."""
    return frozenset(
        broker.id for broker in cluster.brokers if broker.id is not None and why_node_is_down(cluster, broker)[0]
    )


def ids_of_absent_nodes(cluster: Cluster) -> frozenset[int]:
    """The ids of the nodes that do not start, and of those of a running cluster that do not answer."""
    silent = cluster.answering.down if cluster.answering is not None else ()
    return ids_of_down_nodes(cluster) | {id_ for id_, _ in silent}


def _refusal_reasons(cluster: Cluster, node: Broker) -> Iterator[tuple[str, Origin]]:
    yield from _value_refusals(cluster, node)
    yield from role_refusals(cluster, node)
    yield from list_refusals(cluster, node)
    yield from _combination_reasons(cluster, node)
    yield from number_refusals(cluster, node)
    yield from group_refusals(cluster, node)
    yield from protocol_versions.version_refusals(cluster, node)
    yield from protocol_versions.metadata_refusals(cluster)
    yield from protocol_versions.feature_refusals(cluster)
    yield from identity_refusals(cluster, node)
    yield from listener_refusals(cluster, node)
    yield from control_plane_refusals(cluster, node)
    yield from advertised_extra(node)
    yield from quorum_refusals(cluster, node)
    yield from protocol_refusals(cluster, node)


def why_value_refused(cluster: Cluster, setting: Setting) -> str:
    """What is wrong with a value that keeps a node from starting, in words; "" if nothing is."""
    key, kafka = settings_by_name().get(setting.key), cluster.versions.kafka
    if key is None or setting.key not in key.broker_names or setting.value == HIDDEN:
        return ""
    if not is_read(cluster, key):
        return ""
    if not setting.value:
        return "has no value" if key.type in NEVER_EMPTY and cluster.is_value_empty(setting) else ""
    message = why_illegal(key, setting.value)
    if key.type == "version" and "${" not in setting.value:
        owner = cluster.versions.distribution
        message = protocol_versions.why_version_refused(
            setting.value, kafka.value if kafka is not None else None, owner.value if owner is not None else ""
        )
    return "" if key.name in UNBOUNDED and message.startswith("is below") else message


def is_read(cluster: Cluster, key: Key) -> bool:
    """Whether brokers of the stated release define a setting; where none is stated, whether all of them do."""
    if cluster.versions.kafka is not None:
        return key.is_defined(cluster.versions.kafka.value)
    return not key.since and (not key.until or cluster.control_plane == "zookeeper")


def _combination_reasons(cluster: Cluster, node: Broker) -> Iterator[tuple[str, Origin]]:
    """Settings that are legal alone."""
    wait, lag = (setting_value(cluster, node, key) for key in (WAIT, LAG))
    if isinstance(wait, StatedValue | Default) and isinstance(lag, StatedValue | Default):
        stated = next((setting for setting in (wait, lag) if isinstance(setting, StatedValue)), None)
        if stated is not None and int(wait.value) > int(lag.value):
            yield f"`{WAIT}={wait.value}` is above `{LAG}={lag.value}`", stated.origin
    yield from _log_directory_reasons(cluster, node)
    yield from _locked_directory_reasons(cluster, node)
    voters = next((setting for setting in reversed(node.settings) if setting.key == CONTROLLER_QUORUM_VOTERS), None)
    roles = any(setting.key == PROCESS_ROLES and setting.value for setting in node.settings)
    if voters is None or node.id is None or not roles or "${" in voters.value or "@" not in voters.value:
        return
    if not node.states_id:
        return  # the pods of a set are numbered by their reader, and an init container gives them other ids
    votes = node.id in {int(id_) for id_ in _ids_in_voter_list(voters.value)}
    if "controller" in node.roles and not votes:
        yield f"it is a controller, and `{voters.key}` has no voter {node.id}", voters.origin
    elif "controller" not in node.roles and votes:
        yield f"it is a broker alone, and `{voters.key}` has its id {node.id} as a voter's", voters.origin


RETENTION = (
    declared_key("log.retention.ms"),
    declared_key("log.retention.minutes"),
    declared_key("log.retention.hours"),
)
"""The strongest first. Of these 0 is refused (validateValues: logRetentionTimeMillis); below 0 there is no limit."""


def _log_directory_reasons(cluster: Cluster, node: Broker) -> Iterator[tuple[str, Origin]]:
    """A directory for logs (validateValues: logDirs; LOG_DIR counts where LOG_DIRS is not set), and their retention."""
    stated = stated_settings(node)
    where = stated.get(LOG_DIRS) or stated.get(LOG_DIR)
    if where is not None and not where.value.strip(" ,") and cluster.is_value_empty(replace(where, value="")):
        yield f"`{where.key}={where.value}` names no directory", where.origin
    kept = next((stated[key] for key in RETENTION if key in stated), None)
    if kept is not None and re.fullmatch(r"[+-]?0+", kept.value):
        yield f"`{kept.key}=0` keeps nothing: 1 or more, or -1 for no limit", kept.origin


def _locked_directory_reasons(cluster: Cluster, node: Broker) -> Iterator[tuple[str, Origin]]:
    """A directory that an earlier node on its host has: who starts second finds its `.lock` taken (LogManager,
    lockLogDirs). Containers have file systems of their own, of which they share what they mount; and where a relative
    path is nothing says."""
    yield from _shared_mount_reasons(cluster, node)
    mine = _log_directories(cluster, node)
    for other in cluster.brokers[: next(at for at, one in enumerate(cluster.brokers) if one is node)]:
        if node.machine is None or other.machine != node.machine or not has_readable_file(cluster, other):
            continue
        both = [path for path in _log_directories(cluster, other) if path in mine]
        if both:
            yield f"{both[0]} is a log directory of {other.origin.path} on its host, too, which locks it", mine[both[0]]


def _shared_mount_reasons(cluster: Cluster, node: Broker) -> Iterator[tuple[str, Origin]]:
    stated = stated_settings(node)
    where = stated.get(LOG_DIRS) or stated.get(LOG_DIR)
    for other in cluster.brokers[: next(at for at, one in enumerate(cluster.brokers) if one is node)]:
        theirs = dict(_log_directory_places(other))
        for place, (folder, named) in _log_directory_places(node):
            if place in theirs:
                why = f"its log directory {folder} is the {named}, as is that of {other.origin.place}, which locks it"
                yield why, where.origin if where is not None else node.origin
                return


def _log_directory_places(node: Broker) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Where a node's log directories lie, so that two that lie at one place are one directory: of one compose file, or
    in one namespace of Kubernetes. With each the directory, and its place in words."""
    around = node.origin.path if node.pod is None else node.pod.namespace
    for folder, named in node.log_mounts:
        yield (around, named), (folder, named)


def _log_directories(cluster: Cluster, node: Broker) -> dict[str, Origin]:
    stated = stated_settings(node)
    where = stated.get(LOG_DIRS) or stated.get(LOG_DIR)
    if where is None or not has_readable_file(cluster, node):
        return {}
    paths = (path.strip().rstrip("/") for path in where.value.split(","))
    return {path: where.origin for path in paths if path.startswith("/") and "$" not in path}


def _ids_in_voter_list(text: str) -> Iterator[str]:
    for voter in text.split(","):
        number = voter.partition("@")[0].strip()
        if number.isascii() and number.isdecimal():
            yield number


def why_nodes_are_down(cluster: Cluster) -> Refusals:
    """Every node of a cluster, and why it does not start; "" where nothing says so."""
    return tuple((node, why_node_is_down(cluster, node)[0]) for node in cluster.brokers)
