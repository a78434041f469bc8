"""Values of a broker's settings that Kafka refuses by type or by least value, and about which nothing else is asked.

What is the same in `KafkaConfig` (core/server/KafkaConfig.scala) of 2.8.1 and in the definitions of 3.9.0 (`ZkConfigs`,
`ServerConfigs`, `ReplicationConfigs`, `SocketServerConfigs`, `GroupCoordinatorConfig`, `TransactionLogConfig` and
others), so that it counts where the stated release is one from 2.8 to 3.9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal

from ..cluster.cluster import Broker, Cluster
from ..cluster.settings import readable
from ..cluster.statements import Origin, Setting
from ..kafka.keys import Key, wrong
from ..kafka.versions import at_least

TYPES: Mapping[tuple[Literal["int", "long", "boolean"], int | None], str] = {
    ("boolean", None): """
        delete.topic.enable zookeeper.set.acl zookeeper.ssl.client.enable zookeeper.ssl.crl.enable
        zookeeper.ssl.ocsp.enable
    """,
    ("int", None): """
        controlled.shutdown.max.retries controller.socket.timeout.ms
        delete.records.purgatory.purge.interval.requests fetch.purgatory.purge.interval.requests
        group.max.session.timeout.ms group.min.session.timeout.ms leader.imbalance.per.broker.percentage
        num.replica.alter.log.dirs.threads num.replica.fetchers offset.metadata.max.bytes
        offsets.topic.compression.codec producer.purgatory.purge.interval.requests replica.fetch.min.bytes
        replica.socket.receive.buffer.bytes replica.socket.timeout.ms socket.receive.buffer.bytes
        socket.send.buffer.bytes zookeeper.connection.timeout.ms
    """,
    ("int", 0): """
        connection.failed.authentication.delay.ms max.connection.creation.rate max.connections
        max.connections.per.ip max.incremental.fetch.session.cache.slots message.max.bytes replica.fetch.backoff.ms
        replica.fetch.max.bytes replica.fetch.response.max.bytes
    """,
    ("int", 1): """
        alter.log.dirs.replication.quota.window.num alter.log.dirs.replication.quota.window.size.seconds
        background.threads controller.quota.window.num controller.quota.window.size.seconds group.max.size
        kafka.metrics.polling.interval.secs num.io.threads num.network.threads num.recovery.threads.per.data.dir
        offsets.commit.timeout.ms offsets.load.buffer.size offsets.topic.segment.bytes queued.max.requests
        quota.window.num quota.window.size.seconds replication.quota.window.num
        replication.quota.window.size.seconds socket.request.max.bytes
        transaction.abort.timed.out.transaction.cleanup.interval.ms
        transaction.remove.expired.transaction.cleanup.interval.ms transaction.state.log.load.buffer.size
        transaction.state.log.segment.bytes zookeeper.max.in.flight.requests
    """,
    ("int", 8): """
        password.encoder.key.length
    """,
    ("int", 1024): """
        fetch.max.bytes password.encoder.iterations
    """,
    ("long", None): """
        connections.max.idle.ms controlled.shutdown.retry.backoff.ms queued.max.request.bytes
    """,
    ("long", 1): """
        delegation.token.expiry.check.interval.ms delegation.token.expiry.time.ms delegation.token.max.lifetime.ms
        offsets.retention.check.interval.ms
    """,
}
"""The names of settings, by their type and the least value that is legal (ConfigDef.parseType, Range.atLeast)."""

WORDS: Mapping[str, tuple[str, ...]] = {
    "compression.type": ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
    "offsets.topic.compression.codec": ("0", "1", "2", "3", "4"),
}
"""Settings with one of several values (BrokerCompressionCodec.isValid, capitals too; CompressionType.forId)."""


def is_checked(setting: Setting) -> bool:
    """Whether it is one of these, with a plain word or number: such a value is kept, and others are withheld."""
    return (setting.key in WORDS or setting.key in _keys()) and bool(
        re.fullmatch(r"[A-Za-z0-9.+\-]{1,20}", setting.value)
    )


def of_types(cluster: Cluster, node: Broker) -> Iterator[tuple[str, Origin]]:
    """Why a node does not start, and where that is set."""
    kafka = cluster.versions.kafka
    if kafka is None or at_least(kafka.value, "2.8") is not True or at_least(kafka.value, "4.0") is not False:
        return
    for setting in readable(node).values():
        why = _refused(setting)
        if why:
            yield f"`{setting.key}={setting.value}` {why}", setting.origin


def _refused(setting: Setting) -> str:
    """What is wrong with a value, in words; "" if nothing is, or where nothing is written."""
    value, words = setting.value.strip(), WORDS.get(setting.key)
    if not value:
        return ""
    if words is not None:
        return "" if value.lower() in words else f"is not one of {', '.join(words)}"
    key = _keys().get(setting.key)
    return wrong(key, value) if key is not None else ""


@cache
def _keys() -> Mapping[str, Key]:
    """Each of them as the audit's own settings are."""
    return {
        name: Key(name, ("broker",), type_, (name,), (1,), least, (), {}, {}, ())
        for (type_, least), names in TYPES.items()
        for name in names.split()
    }
