"""What is set and the model does not have: said where it is set, so that no answer is taken to cover it."""

from __future__ import annotations

from collections.abc import Iterator

from ..cluster.cluster import Cluster
from ..cluster.findings import Finding
from ..cluster.statements import Setting
from ..kafka.keys import declared_key, is_true, settings_by_name
from ..kafka.topic_settings import CONSTRAINTS
from ..kafka.versions import is_at_least
from ..startup.protocols import FIRST_REFUSING, lacks_directories

LOG_DIRS = declared_key("log.dirs")

MIGRATION = declared_key("zookeeper.metadata.migration.enable")
TIERED, TIERED_TOPIC = declared_key("remote.log.storage.system.enable"), declared_key("remote.storage.enable")


def limit_rules(cluster: Cluster) -> Iterator[Finding]:
    """All of them, each once. What may lose records that no answer is about leaves the audit undecided
    (docs/decisions/0014-what-is-not-modelled.md)."""
    found: dict[str, Setting] = {}
    for setting in _settings_of_all_layers(cluster):
        if setting.key == TIERED and is_true(setting.value):
            found.setdefault("tiered", setting)
        if setting.key == TIERED_TOPIC and is_true(setting.value):
            found.setdefault("tiered topic", setting)
        if setting.key == MIGRATION and is_true(setting.value):
            found.setdefault("migration", setting)
        several = setting.key in settings_by_name()[LOG_DIRS].broker_names and "," in setting.value.strip(", ")
        if several and _hides_disks(cluster):
            found.setdefault("disks", setting)
        if setting.key in CONSTRAINTS and setting.value:
            found.setdefault("observers", setting)
    if "tiered topic" in found:
        found.pop("tiered", None)
    for name, setting in found.items():
        what, source = _SAYS[name]
        kind, severity = ("incomplete", "error") if name in _UNDECIDED else ("not_modelled", "warning")
        yield Finding(kind, severity, f"`{setting.key}`: {what}", setting.origin, _TO_DO[name], source)


def _hides_disks(cluster: Cluster) -> bool:
    """Whether a broker may keep from its controller that a log directory failed: in KRaft before 3.7, and in 3.7.0
    below metadata.version 3.7-IV2 (`ReplicaManager.handleLogDirFailure`, 3.6.0; `ClusterControlManager`, 3.7.0). From
    3.7.1 on it does not start with that (`startup.protocols`)."""
    kafka = cluster.versions.kafka
    if cluster.control_plane != "kraft":
        return False
    if kafka is None or is_at_least(kafka.value, "3.7") is not True:
        return True
    return lacks_directories(cluster) and is_at_least(kafka.value, FIRST_REFUSING) is not True


_UNDECIDED = ("migration", "tiered topic")
"""What may lose records that no answer is about: an audit that finds nothing else ends undecided."""

_SAYS = {
    "migration": (
        "a migration from ZooKeeper to KRaft is not modelled: until it ends, who decides is not what the files say",
        "KIP-866",
    ),
    "tiered": (
        "tiered storage is not modelled; no topic that was given has it switched on",
        "KIP-405",
    ),
    "tiered topic": (
        "tiered storage is not modelled: whether segments that were moved are lost is not asked about",
        "KIP-405",
    ),
    "disks": (
        "not modelled: before metadata.version 3.7-IV2 a KRaft controller does not learn that one of several "
        "directories failed, and the partitions that the broker leads there are neither read nor written until it is "
        "stopped",
        "KIP-858",
    ),
    "observers": (
        "placement constraints and the promotion of observers are not modelled: observers are not counted as replicas",
        "docs.confluent.io, Multi-Region Clusters",
    ),
}
_TO_DO = {
    "migration": "audit again when it has ended",
    "tiered": "give the topics' settings, if one of them has remote.storage.enable",
    "tiered topic": "read the answers as those about what is still in the brokers' own logs",
    "disks": "stop a broker of which a directory failed",
    "observers": "read the answers as those about the replicas that are no observers",
}


def _settings_of_all_layers(cluster: Cluster) -> Iterator[Setting]:
    for topic in cluster.topics:
        yield from topic.settings
    yield from cluster.dynamic
    for broker in cluster.brokers:
        yield from (*broker.dynamic, *broker.settings)
