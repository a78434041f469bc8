"""Rules about what runs: settings that a version ignores, pairs of versions that hold features back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..cluster.cluster import Cluster
from ..cluster.findings import Finding
from ..cluster.settings import ELR_FEATURE, elr_is_too_early, has_readable_file
from ..cluster.statements import Setting
from ..facts.record_format import FORMATS, is_before_epochs
from ..kafka.keys import declared_key, is_true
from ..kafka.versions import is_at_least, releases_meant
from ..startup.protocol_versions import FORMAT, PROTOCOL, levels_above, why_version_refused

ZOOKEEPER_CONNECT = declared_key("zookeeper.connect")
UNCLEAN_LEADER_ELECTION_ENABLE = declared_key("unclean.leader.election.enable")


def version_rules(cluster: Cluster) -> Iterator[Finding]:
    """All of them."""
    yield from unclean_in_kraft(cluster)
    yield from features_held_back(cluster)
    yield from removed_settings(cluster)
    yield from old_format(cluster)
    yield from elr_too_early(cluster)
    yield from features_too_new(cluster)
    yield from high_watermarks_that_go_back(cluster)


def high_watermarks_that_go_back(cluster: Cluster) -> Iterator[Finding]:
    """Consumers that a leader's move throws back: up to 2.1 a new leader says that its log ends at its high watermark,
    which may be below what was read from the one before (KIP-207)."""
    kafka = cluster.versions.kafka
    replicated = len(cluster.topic_keepers) > 1 or any(
        len(part.replicas) > 1 for topic in cluster.topics for part in topic.partitions
    )
    if kafka is None or not replicated or is_at_least(kafka.value, "2.2") is not False:
        return
    what = (
        f"Kafka {kafka.value}: once a leader has moved, the new one may say that a partition ends below what consumers "
        "have read: one that begins at the end then (auto.offset.reset=latest, seekToEnd) is thrown back, and reads "
        "records again"
    )
    to_do = "2.2 or later; until then have consumers take records that come again for what they are"
    yield Finding("advice", "warning", what, kafka.origin, to_do, f"KAFKA-2334, KIP-207; {_SHOWS_THROWN_BACK}")


_SHOWS_THROWN_BACK = (
    "tidegate check partition:kafka_2334 --bounds two_replicas_lag --set isr_shrinks=0 --property listed_end_complete"
)


def features_too_new(cluster: Cluster) -> Iterator[Finding]:
    """Levels of features that no broker of the stated release supports: kafka-features.sh upgrade is refused
    (FeatureControlManager.updateFeature: INVALID_UPDATE_VERSION), and so is kafka-storage.sh format with it."""
    for what, level in levels_above(cluster):
        to_do = (
            "give the release that runs with --kafka-version, or the features of these brokers; kafka-features.sh "
            "upgrade and kafka-storage.sh format --feature refuse such a level"
        )
        yield Finding("contradiction", "error", what, level.origin, to_do, "KIP-584, FeatureControlManager")


def elr_too_early(cluster: Cluster) -> Iterator[Finding]:
    """A feature that is stated as on, with a metadata.version that cannot have it."""
    stated, level = cluster.versions.features.get(ELR_FEATURE), cluster.versions.metadata_version
    if stated is not None and stated.value != "0" and level is not None and elr_is_too_early(cluster):
        what = f"{ELR_FEATURE}={stated.value} needs metadata.version 4.0-IV1, and it is {level.value}: taken as off"
        to_do = "kafka-features.sh upgrade --release-version 4.1, then the feature"
        yield Finding("contradiction", "error", what, stated.origin, to_do, "KIP-966, KIP-1022")


def all_settings(cluster: Cluster) -> Iterator[Setting]:
    """Every setting of topics and brokers, the topics' first."""
    for topic in cluster.topics:
        yield from topic.settings
    yield from cluster.dynamic
    for broker in cluster.brokers:
        yield from (*broker.dynamic, *broker.settings)


def unclean_in_kraft(cluster: Cluster) -> Iterator[Finding]:
    """KRaft reads unclean.leader.election.enable since 3.9.0: before that it does nothing, and harms afterwards."""
    key = UNCLEAN_LEADER_ELECTION_ENABLE
    heard = replace(
        cluster, brokers=cluster.controllers
    )  # what brokers alone have is never read (`settings_not_read_by_controllers`)
    stated = [setting for setting in all_settings(heard) if setting.key == key and is_true(setting.value)]
    kafka = cluster.versions.kafka
    reads = is_at_least(kafka.value, "3.9") if kafka is not None else None
    if not stated or cluster.control_plane != "kraft" or reads is True:
        return
    more = f", and {len(stated) - 1} more" if len(stated) > 1 else ""
    when = "in this version" if reads is False else "before 3.9.0 (the version is not stated)"
    what = (
        f"{key}=true{more}: KRaft ignores it {when}; after an upgrade to 3.9 or later acknowledged records can be lost"
    )
    yield Finding("latent", "warning", what, stated[0].origin, f"{key}=false, before the upgrade", "KAFKA-12670")


LEAST = "3.3"
"""The oldest metadata.version, as a release, with which Kafka 4.0 and later start."""
GATES = (
    ("3.3", "KIP-841: a replica that is shutting down is kept out of the ISR"),
    ("3.5", "KIP-903: so is one that lost its log"),
    ("3.6", "KAFKA-15021: a smaller ISR alone makes no new leader epoch"),
)
"""What metadata.version turns on. That a fenced replica is kept out goes by the binary (3.3.0:
ReplicationControlManager.ineligibleReplicasForIsr)."""
OLD_GATES = (
    ("0.11", "KIP-101: truncation by leader epoch"),
    ("2.0", "KIP-279: truncation that does not diverge"),
    ("2.1", "KIP-320: fetches of another leader epoch are refused"),
    ("2.7", "KIP-497: changes of the ISR through the controller"),
)


def features_held_back(cluster: Cluster) -> Iterator[Finding]:
    """A protocol or metadata version below the binary keeps fixes off; one above it does not start."""
    kafka = cluster.versions.kafka
    level, gates = cluster.versions.metadata_version, GATES
    name = "metadata.version"
    if level is None:
        level, gates, name = cluster.versions.inter_broker_protocol, OLD_GATES, PROTOCOL
    if kafka is None or level is None:
        return
    if releases_meant(level.value)[0] > releases_meant(kafka.value)[1]:
        early = name == PROTOCOL and not why_version_refused(level.value, kafka.value)
        why = "in which it is not finished" if early else "which does not know it"
        what = f"{name} {level.value} is above Kafka {kafka.value}, {why}"
        yield Finding("contradiction", "error", what, level.origin, f"at most {kafka.value}")
    if name == "metadata.version" and is_at_least(kafka.value, "4.0") and is_at_least(level.value, LEAST) is False:
        what = f"{name} {level.value} is below {LEAST}-IV3, the least that Kafka {kafka.value} starts with"
        to_do = f"kafka-features.sh upgrade --metadata {LEAST}-IV3 or later, before the upgrade to 4.0"
        yield Finding("contradiction", "error", what, level.origin, to_do, "MetadataVersion, MINIMUM_VERSION")
    off = [
        text for since, text in gates if is_at_least(kafka.value, since) and is_at_least(level.value, since) is False
    ]
    if off:
        what = f"{name} {level.value} below Kafka {kafka.value} keeps off: {'; '.join(off)}"
        to_do = "kafka-features.sh upgrade" if name == "metadata.version" else f"raise {name}, then restart each broker"
        yield Finding("advice", "warning", what, level.origin, to_do)


GONE: Mapping[str, str] = {
    ZOOKEEPER_CONNECT: "4.0",
    PROTOCOL: "4.0",
    declared_key("message.format.version"): "4.0",
    FORMAT: "4.0",
    declared_key("offsets.commit.required.acks"): "4.0",
}


def removed_settings(cluster: Cluster) -> Iterator[Finding]:
    """Settings that the stated version no longer has."""
    kafka = cluster.versions.kafka
    settings = {setting.key: setting for setting in all_settings(cluster) if setting.key in GONE}
    for key, setting in settings.items():
        alone = key == ZOOKEEPER_CONNECT and cluster.control_plane == "zookeeper"
        if alone and all(has_readable_file(cluster, keeper) for keeper in cluster.topic_keepers):
            continue  # it is all that the nodes have: without `process.roles` they do not start (`startup`)
        if kafka is not None and is_at_least(kafka.value, GONE[key]):
            what = f"`{key}` was removed in {GONE[key]}, and Kafka is {kafka.value}"
            to_do = "migrate to KRaft on 3.9 first" if alone else "remove it"
            yield Finding("contradiction", "warning", what, setting.origin, to_do, "docs/upgrade.html, 4.0")


def old_format(cluster: Cluster) -> Iterator[Finding]:
    """Records of a format without leader epochs are truncated by the high watermark, whatever the binary."""
    kafka = cluster.versions.kafka
    old = [setting for setting in all_settings(cluster) if setting.key in FORMATS and is_before_epochs(setting.value)]
    if old and (kafka is None or is_at_least(kafka.value, "3.0") is not True):
        more = f" (and {len(old) - 1} more)" if len(old) > 1 else ""
        what = (
            f"`{old[0].key}={old[0].value}`{more} has no leader epochs: followers truncate by the high watermark again"
        )
        yield Finding("advice", "error", what, old[0].origin, "0.11 or later", "KAFKA-7897, KIP-101")
