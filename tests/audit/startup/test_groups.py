"""Group coordinators that do not start, in words; test_kafka_config holds the verdicts against Kafka's own."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.startup.groups import group_refusals

from ...support.startup import cluster_with


@pytest.mark.parametrize(
    ("line", "version", "why"),
    [
        (
            "group.coordinator.rebalance.protocols=classic,streams",
            "3.9.0",
            "`group.coordinator.rebalance.protocols` has `streams`, which is not a protocol of groups in Kafka 3.9.0",
        ),
        ("group.coordinator.rebalance.protocols=consumer", "4.1.0", "lacks classic, which cannot be disabled"),
        (
            "group.consumer.heartbeat.interval.ms=15001",
            "4.1.0",
            "`group.consumer.heartbeat.interval.ms=15001` is above `group.consumer.max.heartbeat.interval.ms=15000`",
        ),
        ("group.share.min.session.timeout.ms=60001", "4.1.0", "above `group.share.max.session.timeout.ms=60000`"),
        ("group.streams.session.timeout.ms=44999", "4.1.0", "above `group.streams.session.timeout.ms=44999`"),
    ],
)
def test_what_a_coordinator_refuses(line: str, version: str, why: str) -> None:
    cluster = cluster_with(line, version=version)
    found = [says for says, _ in group_refusals(cluster, cluster.brokers[0])]
    assert len(found) >= 1 and why in found[0]


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("group.coordinator.rebalance.protocols=classic,consumer", "3.9.0"),
        ("group.coordinator.rebalance.protocols=consumer", "3.6.0"),  # not defined
        ("group.streams.session.timeout.ms=1", "4.0.0"),
        ("group.consumer.heartbeat.interval.ms=15000", "4.1.0"),
        ("group.consumer.heartbeat.interval.ms=${HEARTBEAT}", "4.1.0"),
    ],
)
def test_what_a_coordinator_takes(line: str, version: str) -> None:
    cluster = cluster_with(line, version=version)
    assert not list(group_refusals(cluster, cluster.brokers[0]))


@pytest.mark.parametrize(("version", "refuses"), [("3.7.0", False), ("3.8.0", True), ("3.9.0", True)])
def test_with_zookeeper_a_broker_refuses_kip_848_since_3_8(version: str, refuses: bool) -> None:
    """KafkaConfig of 3.8.0: only supported in KRaft cluster. 3.7 warns."""
    line = "group.coordinator.rebalance.protocols=classic,consumer"
    texts = [("server.properties", f"broker.id=1\nzookeeper.connect=z\n{line}\n", True)]
    cluster, _ = read_cluster_texts(texts, Options(kafka_version=version, distribution="apache"), "x")
    assert bool(list(group_refusals(cluster, cluster.brokers[0]))) is refuses
