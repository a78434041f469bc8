"""Values of a broker's settings that Kafka refuses by type or by least value, and about which nothing else is asked.

What is the same in `KafkaConfig` of 2.8.1 (core/server/KafkaConfig.scala), and in that of 3.4.1 to 4.4.0, whose jars a
test asks, so that it counts where the stated release is one from 2.8 on that defines the setting. Words are compared as
they are written from 3.4 on; 2.8 takes capitals, too (BrokerCompressionCodec.isValid).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..cluster.cluster import Broker, Cluster
from ..cluster.settings import readable_settings
from ..cluster.statements import Origin, Setting
from ..kafka.keys import Key, other_settings, why_illegal
from ..kafka.versions import is_at_least


def type_refusals(cluster: Cluster, node: Broker) -> Iterator[tuple[str, Origin]]:
    """Why a node does not start, and where that is set."""
    kafka = cluster.versions.kafka
    if kafka is None or is_at_least(kafka.value, "2.8") is not True:
        return
    exact = is_at_least(kafka.value, FIRST_EXACT) is True
    for setting in readable_settings(node).values():
        key = other_settings().get(setting.key)
        why = _why_refused(key, setting, exact=exact) if key is not None and key.is_defined(kafka.value) else ""
        if why:
            yield f"`{setting.key}={setting.value}` {why}", setting.origin


FIRST_EXACT = "3.4"
"""From here on words are known to be compared as they are written."""


def _why_refused(key: Key, setting: Setting, *, exact: bool) -> str:
    """What is wrong with a value, in words; "" if nothing is, or where nothing is written."""
    value = setting.value.strip()
    if not value or not key.only_checked:
        return ""
    return why_illegal(key, value if exact or not key.legal else value.lower())
