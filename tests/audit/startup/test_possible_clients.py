"""Clients whose family or release is not stated are not taken to start where one that they may be does not."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.subjects import cluster_subjects

TOPIC = (
    "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
)


@pytest.mark.parametrize(
    ("settings", "clients", "stops", "unknown"),
    [
        ("enable.idempotence=true\nmax.in.flight.requests.per.connection=10\n", (), True, False),
        ("enable.idempotence=true\nacks=1\n", (), True, False),
        ("transactional.id=t\nenable.idempotence=false\n", (), True, False),
        ("transactional.id=\nacks=all\n", (), False, True),  # refused by Java's alone
        ("acks=all\nmax.in.flight.requests.per.connection=10\n", ("java",), False, True),  # since 4.0
        ("acks=all\nmax.in.flight.requests.per.connection=5\n", (), False, False),
        ("enable.idempotence=true\nacks=all\n", (), False, False),
    ],
)
def test_a_producer_of_no_stated_family_or_release(
    settings: str, clients: tuple[str, ...], stops: bool, unknown: bool
) -> None:
    texts = [("t.txt", TOPIC, True), ("rdkafka.conf", f"bootstrap.servers=a:1\nlinger.ms=5\n{settings}", True)]
    options = Options(kafka_version="3.9.0", distribution="apache", clients=clients)
    cluster, findings = read_cluster_texts(texts, options, "x")
    (orders,) = cluster_subjects(cluster)
    assert bool(orders.stops) is stops
    assert any(one.kind == "contradiction" and "does not start" in one.what for one in findings) is stops
    assert ("whether rdkafka.conf starts is not known" in orders.not_checked) is unknown
    assert any(one.kind == "incomplete" for one in findings) is unknown


@pytest.mark.parametrize(
    ("settings", "unknown"),
    [
        ("partition.assignment.strategy=range\n", True),  # a class of Java's, a word of librdkafka's
        ("auto.offset.reset=latest\n", False),
    ],
)
def test_a_consumer_of_no_stated_family(settings: str, unknown: bool) -> None:
    texts = [("t.txt", TOPIC, True), ("consumer.conf", f"bootstrap.servers=a:1\ngroup.id=g\n{settings}", True)]
    _, findings = read_cluster_texts(texts, Options(kafka_version="3.9.0", distribution="apache"), "x")
    assert any(one.kind == "incomplete" and "starts is not known" in one.what for one in findings) is unknown
