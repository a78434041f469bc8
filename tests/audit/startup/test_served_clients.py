"""Clients that their brokers do not serve: the protocol is gone, is not there yet, or is switched off."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options
from tidegate.audit.rules.group_members import consumers_down
from tidegate.audit.startup.served_clients import is_not_served

BROKER = "node.id=1\nprocess.roles=broker\ncontroller.quorum.voters=101@c:9093\nlog.dirs=/data\n"


def findings_of(
    kafka: str, client: str, consumer: str = "group.id=g\n", broker: str = "", more: str = ""
) -> list[Finding]:
    texts = [("consumer.properties", consumer, True), ("broker.properties", BROKER + broker, True)]
    if more:
        texts.append(("features.txt", more, True))
    cluster, _ = read_cluster_texts(texts, Options(kafka_version=kafka, distribution="apache", clients=(client,)), "x")
    (reader,) = cluster.clients
    refused = list(is_not_served(cluster, reader))
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
    ],
)
def test_brokers_of_4_0_do_not_support_clients_of_before_2_1(kafka: str, client: str, kind: str) -> None:
    (finding,) = findings_of(kafka, client)
    assert finding.kind == kind and finding.source == "KIP-896"


@pytest.mark.parametrize(
    ("kafka", "client"),
    [("3.9", "java:2.0"), ("4.1", "java:2.1"), ("4.1", "java:4.0"), ("4.1", "librdkafka:1.8.2"), ("3.9", "sarama:1.1")],
)
def test_other_clients_are_served(kafka: str, client: str) -> None:
    assert findings_of(kafka, client) == []


WITHOUT_GROUPS = (
    "Feature: group.version\tSupportedMinVersion: 0\tSupportedMaxVersion: 1\tFinalizedVersionLevel: 0\tEpoch: 5\n"
)
NEW = "group.id=g\ngroup.protocol=consumer\n"


@pytest.mark.parametrize(
    ("kafka", "broker", "features", "why"),
    [
        ("3.6", "", "", "brokers of 3.6 do not have that protocol"),
        ("3.9", "", "", "the brokers have group.coordinator.rebalance.protocols=classic"),
        ("3.8", "group.coordinator.rebalance.protocols=Classic\n", "", "rebalance.protocols=Classic"),
        (
            "4.1",
            "",
            WITHOUT_GROUPS,
            "group.version is 0 (features.txt:1)",
        ),
    ],
)
def test_a_group_of_kip_848_is_refused(kafka: str, broker: str, features: str, why: str) -> None:
    (finding,) = findings_of(kafka, "java:4.0", NEW, broker, features)
    assert why in finding.what and finding.what.endswith("no consumer of the group can join it")


@pytest.mark.parametrize(
    ("kafka", "broker"),
    [("4.0", ""), ("3.9", "group.coordinator.rebalance.protocols=classic,consumer\n"), ("3.7", "")],
)
def test_it_is_served_where_brokers_may_have_it(kafka: str, broker: str) -> None:
    assert findings_of(kafka, "java:4.0", NEW, broker) == []
