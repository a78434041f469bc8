"""Values of a broker's settings that Kafka refuses by type or by least value, and about which nothing else is asked.

What is the same in `KafkaConfig` (core/server/KafkaConfig.scala) of 2.8.1 and in the definitions of 3.9.0 (`ZkConfigs`,
`ServerConfigs`, `ReplicationConfigs`, `SocketServerConfigs`, `GroupCoordinatorConfig`, `TransactionLogConfig` and
others), so that it counts where the stated release is one from 2.8 to 3.9.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..cluster.cluster import Broker, Cluster
from ..cluster.settings import readable_settings
from ..cluster.statements import Origin, Setting
from ..kafka.keys import other_settings, why_illegal
from ..kafka.versions import is_at_least


def type_refusals(cluster: Cluster, node: Broker) -> Iterator[tuple[str, Origin]]:
    """Why a node does not start, and where that is set."""
    kafka = cluster.versions.kafka
    if kafka is None or is_at_least(kafka.value, "2.8") is not True or is_at_least(kafka.value, "4.0") is not False:
        return
    for setting in readable_settings(node).values():
        why = _why_refused(setting)
        if why:
            yield f"`{setting.key}={setting.value}` {why}", setting.origin


def _why_refused(setting: Setting) -> str:
    """What is wrong with a value, in words; "" if nothing is, or where nothing is written."""
    value, key = setting.value.strip(), other_settings().get(setting.key)
    if not value or key is None or not key.only_checked:
        return ""
    return why_illegal(key, value.lower() if key.legal else value)
