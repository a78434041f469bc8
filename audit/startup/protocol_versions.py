"""Which protocol versions a release of Kafka knows: it does not start with another one.

`inter.broker.protocol.version` and `log.message.format.version` are read by `ApiVersion.apply` (to 3.2) or
`MetadataVersion.fromVersionString` (3.3 to 3.9), which compare the first two numbers (three from 0.8 to 0.11) with the
versions that the release has; 4.0 has neither setting.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..cluster.cluster import Broker, Cluster
from ..cluster.settings import has_readable_file, readable_settings, stated_settings
from ..cluster.statements import Setting, StatedValue
from ..kafka.keys import declared_key
from ..kafka.protocol_versions import first_release_with_protocol
from ..kafka.releases import newest_level
from ..kafka.versions import is_at_least, releases_meant
from .listeners import Reasons

PROCESS_ROLES = declared_key("process.roles")

PROTOCOL, FORMAT = declared_key("inter.broker.protocol.version"), declared_key("log.message.format.version")


def why_version_refused(text: str, kafka: str | None, owner: str = "") -> str:
    """Why Kafka does not start with this as a protocol version, in words; "" if nothing says so. Confluent Server
    (`owner` cp-server) has more versions by the way."""
    release = first_release_with_protocol(text, strict=owner != "cp-server")
    if release is None:
        return "is not a version that any release knows"
    if kafka is not None and is_at_least(kafka, release) is False:
        return f"is not a version that Kafka {kafka} knows"
    return ""


def version_refusals(cluster: Cluster, node: Broker) -> Reasons:
    """With ZooKeeper, records of no newer format than the protocol has (validateValues: recordVersion). A format that
    is not stated is the newest one."""
    every, stated = stated_settings(node), readable_settings(node)
    protocol, kafka = stated.get(PROTOCOL), cluster.versions.kafka
    if protocol is None or PROCESS_ROLES in every or kafka is None or is_at_least(kafka.value, "4.0") is not False:
        return
    if FORMAT not in every:
        newest = has_readable_file(cluster, node) and is_at_least(kafka.value, "0.11") is True
        if newest and _record_format(protocol) < RECORDS:
            yield f"`{PROTOCOL}={protocol.value}` needs a `{FORMAT}` as old, and none is set", protocol.origin
    elif FORMAT in stated and _record_format(protocol) < _record_format(stated[FORMAT]):
        what = f"`{FORMAT}={stated[FORMAT].value}` is newer than `{PROTOCOL}={protocol.value}` has records for"
        yield what, stated[FORMAT].origin


def metadata_refusals(cluster: Cluster) -> Reasons:
    """A metadata.version that the software does not know: a node ends when it reads that level (FeaturesImage,
    MetadataVersion.fromFeatureLevel)."""
    kafka, level = cluster.versions.kafka, cluster.versions.metadata_version
    if cluster.control_plane != "kraft" or kafka is None or level is None:
        return
    if releases_meant(level.value)[0] > releases_meant(kafka.value)[1]:
        yield f"metadata.version {level.value} is above Kafka {kafka.value}, which does not know it", level.origin


def feature_refusals(cluster: Cluster) -> Reasons:
    """Finalized levels that the software does not have: a controller ends when it reads such a one
    (FeatureControlManager.replay of 3.3 to 4.4 throws, which QuorumController takes for fatal), and a broker that has
    the feature is not registered (ClusterControlManager.processRegistrationFeature). kraft.version is no such record,
    but one of the log's own."""
    if cluster.control_plane != "kraft":
        return
    for what, level in levels_above(cluster):
        if not what.startswith("kraft.version "):
            yield f"{what}: controllers end when they read that it is finalized", level.origin


def levels_above(cluster: Cluster) -> Iterator[tuple[str, StatedValue]]:
    """Levels of features that no broker of the stated release has (Feature: LATEST_PRODUCTION), in words."""
    kafka = cluster.versions.kafka
    if kafka is None:
        return
    for name, level in cluster.versions.features.items():
        newest = newest_level(name, kafka.value)
        if newest is not None and level.value.isdecimal() and int(level.value) > newest:
            yield f"{name} {level.value} is above Kafka {kafka.value}, whose newest level is {newest}", level


RECORDS = 2
"""The newest format of records, since 0.11 (RecordVersion)."""


def _record_format(setting: Setting) -> int:
    """The format of records that a protocol version has; the newest of one that nobody knows, which says nothing."""
    release = first_release_with_protocol(setting.value)
    if release is None or is_at_least(release, "0.11"):
        return RECORDS
    return 1 if is_at_least(release, "0.10") else 0
