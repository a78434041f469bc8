"""What a file says and what is not in force all the same: the audit says so, and does not count it."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options


def of(*texts: tuple[str, str], named: bool = False) -> tuple[Cluster, tuple[Finding, ...]]:
    return read_cluster_texts([(path, text, named) for path, text in texts], Options("3.9", acks="all"), "x")


def findings_with(findings: tuple[Finding, ...], words: str) -> list[Finding]:
    return [finding for finding in findings if words in finding.what]


def compose(least: int, more: str = "", image: str = "apache/kafka:3.9.0") -> str:
    return f"""\
services:
  k1:
    image: {image}
    environment:
      KAFKA_NODE_ID: {least}
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@k1.example:9093
      KAFKA_MIN_INSYNC_REPLICAS: {least}
{more}"""


@pytest.mark.parametrize(
    ("more", "image", "expected"),
    [
        ("", "apache/kafka:3.9.0", True),
        ("    volumes: ['data:/var/lib/kafka/data']\n", "apache/kafka:3.9.0", True),
        ("    volumes: ['data:/var/lib/kafka/data']\n", "confluentinc/cp-kafka:7.9.0", False),
        ("      KAFKA_LOG_DIRS: /data/a\n    volumes: ['data:/data']\n", "apache/kafka:3.9.0", False),
        ("      KAFKA_LOG_DIRS: /data/a\n    volumes: ['data:/other']\n", "apache/kafka:3.9.0", True),
        ("", "example/broker", True),
        ("    volumes: ['data:/var/lib/kafka/data']\n", "example/broker", False),
        ("    volumes_from: [other]\n", "apache/kafka:3.9.0", False),
    ],
)
def test_a_log_in_the_container_itself_is_lost_with_it(more: str, image: str, expected: bool) -> None:
    """Apache's image keeps logs in a folder of temporary files, and Confluent's below /var/lib/kafka."""
    _, findings = of(("compose.yaml", compose(1, more, image)))
    assert bool(findings_with(findings, "is in the container itself")) is expected


KRAFT = """\
process.roles=broker,controller
node.id=%d
controller.quorum.voters=1@a:9093,2@b:9093,3@c:9093
min.insync.replicas=2
default.replication.factor=3
"""


FEATURES = "Feature: kraft.version SupportedMinVersion: 0 SupportedMaxVersion: 1 FinalizedVersionLevel: %d Epoch: 9\n"


STATUS = (
    "ClusterId: x\nLeaderId: 1\nLeaderEpoch: 1\nHighWatermark: 9\nMaxFollowerLag: 0\n"
    "MaxFollowerLagTimeMs: 0\nCurrentVoters: [1,2]\nCurrentObservers: [3]\n"
)


@pytest.mark.parametrize(("level", "voters"), [(0, (1, 2, 3)), (1, None)])
def test_the_voters_of_a_dynamic_quorum_are_not_those_that_files_list(level: int, voters: tuple[int, ...]) -> None:
    """KafkaRaftClient reads voters from the log once kraft.version is 1; controller.quorum.voters stays in files."""
    files = [(f"{number}-server.properties", KRAFT % number) for number in (1, 2, 3)]
    cluster, findings = of(*files, ("features.txt", FEATURES % level))
    assert (cluster.quorum.voters if cluster.quorum else None) == voters
    assert [finding.kind for finding in findings_with(findings, "decides nothing with kraft.version 1")] == [
        "incomplete"
    ] * level
    described, findings = of(*files, ("features.txt", FEATURES % 1), ("status.txt", STATUS))
    assert described.quorum is not None
    assert described.quorum.voters == (1, 2)
    assert not findings_with(findings, "decides nothing")


SIDECAR = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: kafka}
spec:
  replicas: 3
  volumeClaimTemplates: [{metadata: {name: data}}]
  template:
    spec:
      containers:
        - name: kafka
          image: confluentinc/cp-kafka:7.9.0
          env: [{name: KAFKA_PROCESS_ROLES, value: "broker,controller"}]
          volumeMounts: [OWN]
        - name: backup
          image: example/backup:1
          volumeMounts: [{name: data, mountPath: /var/lib/kafka/data}]
"""


@pytest.mark.parametrize(("own", "lost"), [("", True), ("{name: data, mountPath: /var/lib/kafka/data}", False)])
def test_what_a_sidecar_has_mounted_is_not_under_the_brokers_log(own: str, lost: bool) -> None:
    cluster, _ = of(("cluster.yaml", SIDECAR.replace("OWN", own)))
    assert [bool(broker.ephemeral) for broker in cluster.brokers] == [lost] * 3


STRIMZI = """\
apiVersion: kafka.strimzi.io/v1
kind: Kafka
metadata: {name: c, annotations: {KAFKA}}
spec: {kafka: {version: 3.9.0, config: {default.replication.factor: 3, min.insync.replicas: 2}}}
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaNodePool
metadata: {name: p, labels: {strimzi.io/cluster: c}, annotations: {POOL}}
spec: {replicas: 3, roles: [controller, broker], storage: {type: persistent-claim}}
"""


PAUSED = 'strimzi.io/pause-reconciliation: "true"'


@pytest.mark.parametrize(
    ("kafka", "pool", "expected"),
    [
        ("", "", []),
        (PAUSED, "", ["Kafka c is paused"]),
        ("", PAUSED, ["KafkaNodePool p is paused"]),
        ('strimzi.io/pause-reconciliation: "false"', "", []),
    ],
)
def test_a_resource_that_is_paused_leaves_the_audit_undecided(kafka: str, pool: str, expected: list[str]) -> None:
    _, findings = of(("kafka.yaml", STRIMZI.replace("KAFKA}", kafka + "}").replace("POOL}", pool + "}")))
    paused = [finding for finding in findings if "the operator does not apply it" in finding.what]
    assert [finding.what.partition(" (")[0] for finding in paused] == expected
    assert {finding.kind for finding in paused} <= {"incomplete"}


def server(number: int, key: str, value: str) -> tuple[str, str]:
    return f"b{number}/server.properties", f"broker.id={number}\n{key}={value}\n"


@pytest.mark.parametrize(
    ("key", "values", "expected"),
    [
        ("zookeeper.connect", ("zk1:2181,zk2:2181/a", "zk1:2181,zk2:2181/a", "zk1:2181,zk2:2181/b"), True),
        ("zookeeper.connect", ("zk1,zk2", "zk1,zk2", "zk1,zk2/kafka"), True),
        ("zookeeper.connect", ("zkA:2181", "zkA:2181", "zkB:2181"), True),
        ("zookeeper.connect", ("zk1:2181,zk2:2181", "zk2", "zk2:2181,zk3:2181/"), False),
        ("controller.quorum.bootstrap.servers", ("c1:9093", "c2:9093"), True),
        ("controller.quorum.bootstrap.servers", ("c1:9093,c2:9093", "c2:9093"), False),
    ],
)
def test_nodes_that_meet_nowhere_are_not_of_one_cluster(key: str, values: tuple[str, ...], expected: bool) -> None:
    _, findings = of(*(server(number, key, value) for number, value in enumerate(values, 1)))
    found = findings_with(findings, "by these files the nodes are not of one cluster")
    assert [finding.kind for finding in found] == ["incomplete"] * expected
    assert all(finding.where.path == f"b{len(values)}/server.properties" for finding in found)
    same = "write one path in all of them" if "/" in values[-1] else "name one server in all of them"
    assert all(finding.to_do == f"give the files of one cluster, or {same}" for finding in found)


OF_TOPIC = """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata: {name: orders, generation: 2, labels: {strimzi.io/cluster: c}}
spec: {partitions: 1, replicas: 3, config: {min.insync.replicas: 2}}
status: {STATUS}
"""


NOW = (
    "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
)


@pytest.mark.parametrize(
    ("status", "open_"),
    [
        ("", False),
        ("observedGeneration: 2, conditions: [{type: Ready, status: 'True'}]", False),
        ("replicasChange: {}", False),
        ("conditions: [{type: Ready, status: 'False', reason: NotSupported}]", True),
        ("observedGeneration: 1", True),
        ("conditions: [{type: Ready, status: 'True'}], replicasChange: {state: pending, targetReplicas: 3}", True),
    ],
)
def test_what_the_status_of_a_topic_says_is_not_there_yet(status: str, open_: bool) -> None:
    """The Topic Operator changes no replicas without Cruise Control, and says so in the status alone."""
    asked = OF_TOPIC.replace("STATUS", status)
    cluster, _ = of(("t.yaml", STRIMZI.replace("KAFKA", "").replace("POOL", "") + "---\n" + asked))
    (topic,) = cluster.topics
    assert ("has not applied it" in topic.doubt, topic.replication_factor) == (open_, None if open_ else 3)
    if open_:
        described, _ = of(("t.yaml", asked), ("topics.txt", NOW))
        assert [(one.replication_factor, one.doubt) for one in described.topics] == [(1, "")]


@pytest.mark.parametrize(
    ("status", "open_"), [("type: Ready, status: 'True'", False), ("type: NotReady, status: 'True'", True)]
)
def test_a_kafka_resource_that_is_not_ready_leaves_the_audit_undecided(status: str, open_: bool) -> None:
    text = (
        STRIMZI.replace("KAFKA", "").replace("POOL", "").replace("---", f"status: {{conditions: [{{{status}}}]}}\n---")
    )
    _, findings = of(("kafka.yaml", text))
    assert [finding.kind for finding in findings_with(findings, "is not ready")] == (["incomplete"] if open_ else [])
