"""Strimzi's resources, as they are read beside one another: nodes, versions, topics, and whose they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.auditing import read_cluster
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.cluster.settings import setting_value
from tidegate.audit.cluster.statements import StatedValue, Unknown, UnreadableInputError
from tidegate.audit.kafka.keys import declared_key
from tidegate.audit.readers.containers.strimzi import NOT_LABELLED

STRIMZI = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {name: my-cluster}
spec:
  kafka:
    version: 3.9.0
    metadataVersion: 3.9-IV0
    config:
      min.insync.replicas: 2
      offsets.topic.replication.factor: 3
---
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaNodePool
metadata: {name: both, labels: {strimzi.io/cluster: my-cluster}}
spec: {replicas: 3, roles: [controller, broker], storage: {type: ephemeral}}
---
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata: {name: orders, labels: {strimzi.io/cluster: my-cluster}}
spec:
  partitions: 12
  replicas: 3
  config:
    retention.ms: 7200000
"""


def read_text(folder: Path, text: str, name: str = "cluster.yaml") -> tuple[Cluster, tuple[Finding, ...]]:
    """The cluster of a folder with one file more."""
    (folder / name).write_text(text, encoding="utf-8")
    return read_cluster([folder])


def test_strimzis_resources(tmp_path: Path) -> None:
    cluster, findings = read_text(tmp_path, STRIMZI)
    assert {finding.kind for finding in findings} == {"advice", "incomplete", "not_modelled"}
    assert [(b.id, b.roles, b.ephemeral) for b in cluster.brokers] == [
        (i, ("broker", "controller"), True) for i in range(3)
    ]
    assert cluster.control_plane == "kraft"
    assert cluster.versions.kafka is not None and cluster.versions.kafka.origin.line == 6
    (orders,) = cluster.topics
    assert (orders.partition_count, orders.replication_factor) == (12, 3)
    answer = setting_value(cluster, orders, declared_key("min.insync.replicas"))
    assert isinstance(answer, StatedValue) and answer.value == "2" and answer.origin.line == 9
    assert answer.origin.place == "spec.kafka.config.min.insync.replicas"
    unclean = setting_value(cluster, orders, declared_key("unclean.leader.election.enable"))
    assert not isinstance(unclean, Unknown) and unclean.value == "false"


def test_a_pool_of_another_cluster_is_left_out(tmp_path: Path) -> None:
    other = STRIMZI.split("---\n")[1].replace("name: both", "name: theirs").replace(": my-cluster", ": another")
    cluster, findings = read_text(tmp_path, STRIMZI + "---\n" + other)
    assert len(cluster.brokers) == 3
    (said_so,) = [finding for finding in findings if finding.kind == "not_read"]
    assert said_so.what == "KafkaNodePool theirs is of cluster another, not of my-cluster: left out"


def test_a_topic_without_the_label_of_its_cluster_does_not_count(tmp_path: Path) -> None:
    cluster, findings = read_text(
        tmp_path, STRIMZI.replace("{name: orders, labels: {strimzi.io/cluster: my-cluster}}", "{name: orders}")
    )
    assert not cluster.topics
    (said_so,) = [finding for finding in findings if finding.kind == "not_read"]
    assert (
        said_so.what == "KafkaTopic orders has no label strimzi.io/cluster: the operator ignores it, and it is left out"
    )
    assert said_so.to_do == "add the label strimzi.io/cluster: my-cluster"


def test_a_pool_without_the_label_of_its_cluster_leaves_the_audit_undecided(tmp_path: Path) -> None:
    other = STRIMZI.split("---\n")[1].replace("name: both, labels: {strimzi.io/cluster: my-cluster}", "name: theirs")
    cluster, findings = read_text(tmp_path, STRIMZI + "---\n" + other)
    assert len(cluster.brokers) == 3
    what = "KafkaNodePool theirs has no label strimzi.io/cluster: the operator ignores it, and it is left out"
    assert what in [finding.what for finding in findings if finding.kind == "incomplete"]


@pytest.mark.parametrize(("labels", "doubt"), [("", NOT_LABELLED), (", labels: {strimzi.io/cluster: c}", "")])
def test_of_a_topic_without_a_label_nothing_is_known_where_no_kafka_resource_is(
    tmp_path: Path, labels: str, doubt: str
) -> None:
    metadata = f"metadata: {{name: orders{labels}}}"
    text = f"apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\n{metadata}\nspec: {{replicas: 3}}\n"
    cluster, _ = read_text(tmp_path, text)
    assert [topic.doubt for topic in cluster.topics] == [doubt]


def test_an_audit_is_of_one_cluster(tmp_path: Path) -> None:
    other = STRIMZI.split("---\n")[0].replace("my-cluster", "another")
    with pytest.raises(
        UnreadableInputError, match=r"^two Kafka resources, my-cluster \(\S+:1\) and another \(\S+:26\): an"
    ):
        read_text(tmp_path, STRIMZI + "---\n" + other)


def test_a_rack_that_is_named_when_the_broker_starts_is_not_one_rack_for_all(tmp_path: Path) -> None:
    text = STRIMZI.replace(
        "    config:\n      min", "    rack: {topologyKey: topology.kubernetes.io/zone}\n    config:\n      min"
    )
    cluster, findings = read_text(tmp_path, text)
    assert [broker.rack for broker in cluster.brokers] == [None] * 3
    assert not [finding for finding in findings if "rack" in finding.what]
    cluster, _ = read_text(tmp_path, "broker.id=9\nbroker.rack=${ZONE}\n", "server.properties")
    assert next(broker.rack for broker in cluster.brokers if broker.id == 9) is None
