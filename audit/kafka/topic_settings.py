"""Settings of brokers for topics: those of Kafka's own, and where replicas are placed."""

from __future__ import annotations

from collections.abc import Mapping

from .internal_topics import OFFSETS, REMOTE, SHARE, TRANSACTIONS
from .keys import KeyName, declared_key, settings_table

COMMIT_ACKS = declared_key("offsets.commit.required.acks")
"""What the append of a committed offset waits for, up to 3.9; 4.0 has no such key (KIP-1041)."""

REPLICAS_OF: Mapping[str, KeyName] = {
    OFFSETS: declared_key("offsets.topic.replication.factor"),
    TRANSACTIONS: declared_key("transaction.state.log.replication.factor"),
}
"""The brokers' setting for how many replicas a topic of Kafka's own is created with."""

WHERE_SET: Mapping[str, tuple[KeyName, KeyName | None]] = {
    SHARE: (declared_key("share.coordinator.state.topic.replication.factor"), None),
    REMOTE: (
        declared_key("rlmm.config.remote.log.metadata.topic.replication.factor"),
        declared_key("remote.log.storage.system.enable"),
    ),
}
"""Topics of Kafka's own that only some clusters have: the setting for their replicas, and the one that switches them
on. They are asked about where either is set."""

MIN_ISR_OF: Mapping[str, KeyName] = {
    TRANSACTIONS: declared_key("transaction.state.log.min.isr"),
    SHARE: declared_key("share.coordinator.state.topic.min.isr"),
    REMOTE: declared_key("rlmm.config.remote.log.metadata.topic.min.isr"),
}
"""The brokers' setting for the min.insync.replicas that a topic of Kafka's own is created with."""

_ONCE_WITHOUT = (REMOTE,)
"""Of these, releases before the setting create the topic with the min.insync.replicas of others (KIP-1235: 4.3)."""

CONSTRAINTS = (declared_key("confluent.placement.constraints"), declared_key("confluent.log.placement.constraints"))
"""Where Confluent's brokers place replicas and observers: a topic's own setting, and the brokers' for those without."""


def factor_key(topic: str) -> KeyName | None:
    """The brokers' setting for how many replicas a topic of Kafka's own is created with; None of any other topic."""
    return REPLICAS_OF.get(topic) or next((keys[0] for name, keys in WHERE_SET.items() if name == topic), None)


def min_isr_key(topic: str, release: str | None) -> KeyName | None:
    """The brokers' setting for the min.insync.replicas that a release creates a topic of Kafka's own with; None where
    it takes that of other topics, or may, since the release is not known."""
    key = MIN_ISR_OF.get(topic)
    if key is None or topic not in _ONCE_WITHOUT:
        return key
    return key if release is not None and settings_table()[key].is_defined(release) else None
