"""Whose Kafka runs, where no option says so: a broker's own file is Apache Kafka's unless something says otherwise."""

from __future__ import annotations

from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.cluster.settings import setting_value
from tidegate.audit.cluster.statements import Default
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka.keys import declared_key

OWN = "node.id=1\nprocess.roles=broker\n"
COMPOSE = """\
services:
  kafka-1:
    image: confluentinc/cp-kafka:7.6.1
    environment:
      KAFKA_NODE_ID: 1
      KAFKA_PROCESS_ROLES: broker,controller
"""


def of(**texts: str) -> tuple[Cluster, tuple[Finding, ...]]:
    return read_cluster_texts([(name.replace("__", "."), text, True) for name, text in texts.items()], Options(), "x")


def test_a_file_with_a_nodes_id_is_of_apache_kafka_and_the_assumption_is_stated() -> None:
    cluster, _ = of(server__properties=OWN)
    assert cluster.versions.distribution is not None and cluster.versions.distribution.value == "apache"
    found = setting_value(cluster, cluster.brokers[0], declared_key("unclean.leader.election.enable"))
    assert isinstance(found, Default) and found.value == "false"
    assert found.assumption == (
        "a file with `node.id` is of a broker that you run yourself, and it runs Apache Kafka's code"
    )


def test_a_zookeeper_broker_of_an_unstated_version_may_be_older_than_0_11() -> None:
    cluster, _ = of(server__properties="broker.id=1\nzookeeper.connect=z:2181\n")
    found = setting_value(cluster, cluster.brokers[0], declared_key("unclean.leader.election.enable"))
    assert not isinstance(found, Default)


def test_a_platforms_own_key_and_a_file_without_a_nodes_place_leave_it_open() -> None:
    assert of(server__properties=OWN + "confluent.license.topic=x\n")[0].versions.distribution is None
    managed = "min.insync.replicas=2\ndefault.replication.factor=3\n"
    assert of(server__properties=managed)[0].versions.distribution is None


def test_an_image_is_believed_before_a_brokers_own_file() -> None:
    cluster, findings = of(server__properties=OWN, compose__yml=COMPOSE)
    assert cluster.versions.distribution is not None and cluster.versions.distribution.value == "cp-kafka"
    assert not any("the distribution is" in finding.what for finding in findings)
