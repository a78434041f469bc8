"""The settings of brokers for Kafka's own topics.

Also of: `internal_topics`.
"""

from __future__ import annotations

from tidegate.audit.kafka.internal_topics import INTERNAL, OFFSETS, REMOTE, SHARE, TRANSACTIONS
from tidegate.audit.kafka.topic_settings import MIN_ISR_OF, REPLICAS_OF, WHERE_SET


def test_each_topic_of_kafkas_own_with_replicas_of_its_own_has_one_setting_for_them() -> None:
    assert set(REPLICAS_OF) | set(WHERE_SET) == {OFFSETS, TRANSACTIONS, SHARE, REMOTE}
    assert not set(REPLICAS_OF) & set(WHERE_SET)
    assert set(MIN_ISR_OF) <= INTERNAL


def test_the_log_of_metadata_is_internal_and_has_no_replicas_that_a_setting_counts() -> None:
    """Its replicas are the voters of the quorum."""
    assert INTERNAL - set(REPLICAS_OF) - set(WHERE_SET) == {"__cluster_metadata"}
