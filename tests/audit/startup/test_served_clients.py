"""Clients that their brokers do not serve: the protocol is gone, is not there yet, or is switched off."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options
from tidegate.audit.rules.group_members import consumers_down
from tidegate.audit.startup.served_clients import unserved_client_findings

BROKER = "node.id=1\nprocess.roles=broker\ncontroller.quorum.voters=101@c:9093\nlog.dirs=/data\n"


def findings_of(
    kafka: str, client: str, consumer: str = "group.id=g\n", broker: str = "", more: str = ""
) -> list[Finding]:
    texts = [("consumer.properties", consumer, True), ("broker.properties", BROKER + broker, True)]
    if more:
        texts.append(("features.txt", more, True))
    cluster, _ = read_cluster_texts(texts, Options(kafka_version=kafka, distribution="apache", clients=(client,)), "x")
    (reader,) = cluster.clients
    refused = list(unserved_client_findings(cluster, reader))
    assert [finding.what for finding in consumers_down(cluster)] == [
        finding.what for finding in refused if finding.severity == "error"
    ]
    return refused


@pytest.mark.parametrize(
    ("kafka", "client", "kind"),
    [
        ("4.1", "java:0.10.2", "contradiction"),
        ("4.0", "java:0.9", "contradiction"),
        ("4.1", "java:2.0", "incomplete"),
        ("4.0", "java:0.11", "incomplete"),
        ("4.4", "librdkafka:1.6.1", "incomplete"),
        ("4.1", "sarama:1.29.0", "incomplete"),
        ("4.1", "sarama:1.40.1", "incomplete"),  # OffsetCommit of version 1
        ("4.1", "kafkajs:1.3.1", "incomplete"),
        ("4.1", "kafka-python:1.4.7", "incomplete"),
        ("4.1", "node-rdkafka:2.12.0", "incomplete"),  # librdkafka 1.7.0
    ],
)
def test_brokers_of_4_0_do_not_support_clients_of_before_2_1(kafka: str, client: str, kind: str) -> None:
    (finding,) = findings_of(kafka, client)
    assert finding.kind == kind and finding.source == "KIP-896"


@pytest.mark.parametrize(
    ("kafka", "client"),
    [
        ("3.9", "java:2.0"),
        ("4.1", "java:2.1"),
        ("4.1", "java:4.0"),
        ("4.1", "librdkafka:1.8.2"),
        ("3.9", "sarama:1.1"),
        ("4.1", "sarama:1.41.0"),
        ("4.1", "kafkajs:1.4.0"),
        ("4.1", "franz-go:1.0.0"),
        ("4.1", "kafka-go:0.3.1"),
        ("4.1", "node-rdkafka:2.13.0"),
        ("4.1", "node-rdkafka:1.0.0"),  # which librdkafka that has is not known
    ],
)
def test_other_clients_are_served(kafka: str, client: str) -> None:
    assert findings_of(kafka, client) == []


@pytest.mark.parametrize(
    ("kafka", "client", "more", "kind"),
    [
        ("4.0.0", "kafka-go:0.4.47", "", "contradiction"),
        ("4.0", "kafka-go:0.4.47", "", "incomplete"),
        ("4.0.1", "kafka-go:0.4.47", "", ""),
        ("4.1", "kafka-go:0.4.47", "", ""),
        ("4.0.0", "kafka-go:0.4.48", "", ""),
        ("4.0.0", "librdkafka:2.10.1", "", ""),
        ("4.0.0", "librdkafka:2.10.1", "sasl.mechanisms=GSSAPI\n", "contradiction"),
        ("4.0.0", "librdkafka:2.11.0", "sasl.mechanisms=GSSAPI\n", ""),
    ],
)
def test_4_0_0_alone_lacks_the_oldest_joins(kafka: str, client: str, more: str, kind: str) -> None:
    """KAFKA-19444."""
    found = findings_of(kafka, client, f"group.id=g\n{more}")
    assert [finding.kind for finding in found] == ([kind] if kind else [])


@pytest.mark.parametrize(
    ("kafka", "setting", "why"),
    [
        ("2.4", "processing.guarantee=exactly_once_v2", "needs brokers of 2.5, and they are of 2.4"),
        ("2.4", "processing.guarantee=exactly_once_beta", "the application stops at its first commit"),
        ("2.3", "replication.factor=-1", "none of the application's topics can be created"),
        ("2.3", "", "replication.factor is not set, which is -1 since Streams 3.0"),
        ("2.5", "processing.guarantee=exactly_once_v2", ""),
        ("2.4", "replication.factor=-1", ""),
        ("2.3", "replication.factor=3", ""),
        ("2.4", "", ""),
    ],
)
def test_streams_says_what_it_needs_of_brokers(kafka: str, setting: str, why: str) -> None:
    texts = [
        ("app.properties", f"application.id=app\n{setting}\n", True),
        ("broker.properties", "broker.id=1\nzookeeper.connect=z:2181\nlog.dirs=/data\n", True),
    ]
    options = Options(kafka_version=kafka, distribution="apache", clients=("java:3.4",))
    cluster, _ = read_cluster_texts(texts, options, "x")
    for client in cluster.clients:
        found = [finding.what for finding in unserved_client_findings(cluster, client)]
        assert len(found) == bool(why) and all(why in what for what in found)


def producer_findings(kafka: str, client: str, producer: str = "acks=all\n") -> list[Finding]:
    texts = [("producer.properties", producer, True), ("broker.properties", "broker.id=1\nzookeeper.connect=z\n", True)]
    cluster, _ = read_cluster_texts(texts, Options(kafka_version=kafka, distribution="apache", clients=(client,)), "x")
    (writer,) = cluster.clients
    return list(unserved_client_findings(cluster, writer))


@pytest.mark.parametrize(("kafka", "kind"), [("0.10.2", "contradiction"), ("1.1", "incomplete"), ("2.0", "incomplete")])
def test_java_clients_of_4_0_do_not_support_brokers_of_before_2_1(kafka: str, kind: str) -> None:
    found = [finding for finding in producer_findings(kafka, "java:4.1.0") if finding.source == "KIP-896"]
    assert [finding.kind for finding in found] == [kind]
    assert "brokers of 2.1 or later" in found[0].to_do


def test_clients_of_before_4_0_speak_to_brokers_of_any_release_since_0_10() -> None:
    assert producer_findings("0.10.2", "java:2.8.1") == []
    assert producer_findings("2.1", "java:4.1.0") == []


@pytest.mark.parametrize(
    ("client", "producer", "kind"),
    [
        ("java:2.8.1", "enable.idempotence=true\n", "contradiction"),
        ("java:2.8.1", "transactional.id=t\n", "contradiction"),
        ("java:3.4.0", "acks=all\n", "incomplete"),  # idempotent by default
    ],
)
def test_brokers_of_before_0_11_give_no_producer_ids(client: str, producer: str, kind: str) -> None:
    (finding,) = producer_findings("0.10.2", client, producer)
    assert (finding.kind, finding.source) == (kind, "KIP-98")
    assert producer_findings("0.11", client, producer) == []


def test_a_producer_that_is_not_idempotent_needs_no_producer_id() -> None:
    assert producer_findings("0.10.2", "java:3.4.0", "enable.idempotence=false\n") == []
