"""Repairs of a cluster that Strimzi runs: diffs of its resources, which do what they say when they are applied."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.settings import setting_value
from tidegate.audit.cluster.statements import StatedValue
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka.keys import declared_key
from tidegate.audit.questions.signature import Subject
from tidegate.audit.questions.subjects import cluster_subjects
from tidegate.audit.repairs.plans import PlanStep, plan_changes

KAFKA = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {name: my-cluster}
spec:
  kafka:
    version: 3.9.0
    config:
      default.replication.factor: 1
      min.insync.replicas: 1 # one is few
"""
POOL = """\
---
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaNodePool
metadata: {{name: {name}, labels: {{strimzi.io/cluster: my-cluster}}}}
spec:
  replicas: {count}
  roles: [{roles}]
"""
TOPIC = """\
---
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata: {name: orders-resource, labels: {strimzi.io/cluster: my-cluster}}
spec:
  topicName: orders
  partitions: 2
  replicas: 2
  config: {min.insync.replicas: 1}
"""
DESCRIBED = """\
Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: min.insync.replicas=1
\tTopic: orders\tPartition: 0\tLeader: 0\tReplicas: 0,1\tIsr: 0,1
"""
POOLS = POOL.format(name="votes", count=3, roles="controller") + POOL.format(name="brokers", count=2, roles="broker")


def cluster_of(text: str, **others: str) -> Cluster:
    files = [("kafka.yaml", text, True), *((f"{name}.txt", other, True) for name, other in others.items())]
    return read_cluster_texts(files, Options(), "x")[0]


def subject_of(cluster: Cluster, name: str) -> Subject:
    return next(subject for subject in cluster_subjects(cluster) if subject.topics[0].name == name)


def steps(cluster: Cluster, name: str, *changes: tuple[str, str]) -> list[PlanStep]:
    return plan_changes(subject_of(cluster, name), changes, cluster)


def asks_for(lines: Sequence[str]) -> dict[str, Any]:
    """What a diff wants to be so: its lines without those that go, as YAML."""
    return yaml.safe_load("\n".join(line[2:] for line in lines if not line.startswith(("-", "#"))))


def has(document: Any, diff: Sequence[str]) -> bool:
    """Whether what a diff takes away is in a document as it says; where it takes nothing away, it has no such key."""
    gone = [line for line in diff if line.startswith("-")]
    if gone:
        before = yaml.safe_load("\n".join(line[2:] for line in diff if not line.startswith(("+", "#"))))
        return merge_patch(document, before) == document
    here: dict[str, Any] = document
    wanted: Any = asks_for(diff)
    while isinstance(wanted, dict):
        ((key, wanted),) = cast("dict[str, Any]", wanted).items()
        if key not in here:
            return True
        here = here[key]
    return False


def merge_patch(document: Any, patch: Any) -> Any:
    """As `kubectl patch --type merge` does it."""
    if not isinstance(patch, dict):
        return patch
    base = cast("dict[str, Any]", document if isinstance(document, dict) else {})
    return {**base, **{key: merge_patch(base.get(key), value) for key, value in cast("dict[str, Any]", patch).items()}}


def apply_diff(text: str, kind: str, diff: Sequence[str], name: str = "") -> str:
    """The resources with one of them changed as the diff says."""
    documents = list(yaml.safe_load_all(text))
    place = next(i for i, d in enumerate(documents) if d["kind"] == kind and name in ("", d["metadata"]["name"]))
    assert has(documents[place], diff)
    documents[place] = merge_patch(documents[place], asks_for(diff))
    return yaml.safe_dump_all(documents)


@pytest.mark.parametrize(
    ("name", "change", "key", "value"),
    [
        ("(new topics)", ("min_isr", "2"), "min.insync.replicas", "2"),
        ("(new topics)", ("unclean", "false"), "unclean.leader.election.enable", "false"),
        ("(new topics)", ("fsync", "1"), "log.flush.interval.messages", "1"),
        ("__transaction_state", ("min_isr", "2"), "transaction.state.log.min.isr", "2"),
        ("__consumer_offsets", ("min_isr", "2"), "min.insync.replicas", "2"),
        ("(new topics)", ("replicas", "3"), "default.replication.factor", "3"),
        ("__consumer_offsets", ("replicas", "2"), "offsets.topic.replication.factor", "2"),
    ],
)
def test_a_setting_of_the_brokers(name: str, change: tuple[str, str], key: str, value: str) -> None:
    text = KAFKA + POOLS
    cluster = cluster_of(text)
    diff = steps(cluster, name, change)[-1].commands
    assert diff[0].startswith("# kafka.yaml") and diff[0].endswith(", Kafka")
    after = cluster_of(apply_diff(text, "Kafka", diff))
    broker = next(node for node in after.brokers if "broker" in node.roles)
    answer = setting_value(after, broker, declared_key(key))
    stated = {setting.key: setting.value for setting in broker.settings}
    assert stated[key] == value and (not isinstance(answer, StatedValue) or answer.value == value)
    before = {setting.key: setting.value for setting in cluster.brokers[-1].settings}
    assert {k: v for k, v in stated.items() if k != key} == {k: v for k, v in before.items() if k != key}


def test_a_diff_has_the_line_that_it_changes() -> None:
    (step,) = steps(cluster_of(KAFKA + POOLS), "(new topics)", ("min_isr", "2"))
    assert step.commands == (
        "# kafka.yaml:9, Kafka",
        "  spec:",
        "    kafka:",
        "      config:",
        "-       min.insync.replicas: 1",
        "+       min.insync.replicas: 2",
    )
    assert "kafka-configs.sh" not in step.says and step.restart


@pytest.mark.parametrize("files", [{}, {"topics": DESCRIBED}])
def test_a_topic_with_a_resource_is_changed_there(files: dict[str, str]) -> None:
    """Also where the running topic is described too: the operator would take back what a command sets."""
    text = KAFKA + POOLS + TOPIC
    cluster = cluster_of(text, **files)
    (step,) = steps(cluster, "orders", ("min_isr", "2"))
    assert "KafkaTopic orders-resource" in step.commands[0] and "kafka-configs" not in " ".join(step.commands)
    after = cluster_of(apply_diff(text, "KafkaTopic", step.commands))
    assert {setting.key: setting.value for setting in after.topics[0].settings} == {"min.insync.replicas": "2"}


def test_alike_topics_of_which_one_has_no_resource() -> None:
    described = DESCRIBED + DESCRIBED.replace("orders", "other")
    cluster = cluster_of(KAFKA + POOLS + TOPIC, topics=described)
    assert [topic.name for topic in subject_of(cluster, "orders").topics] == ["orders", "other"]
    mine, other = steps(cluster, "orders", ("min_isr", "2"))
    assert mine.commands[0].endswith("KafkaTopic orders-resource")
    assert len(other.commands) == 1 and "--entity-name other" in other.commands[0]


def test_more_replicas_than_brokers_need_brokers_first() -> None:
    text = KAFKA + POOLS + TOPIC
    cluster = cluster_of(text)
    nodes, topic = steps(cluster, "orders", ("replicas", "3"))
    assert "KafkaNodePool brokers" in nodes.commands[0] and "Cruise Control" in topic.says
    text = apply_diff(apply_diff(text, "KafkaNodePool", nodes.commands, "brokers"), "KafkaTopic", topic.commands)
    after = cluster_of(text)
    assert sum("broker" in broker.roles for broker in after.brokers) == 3
    assert after.topics[0].replication_factor == 3
    assert len(steps(after, "orders", ("replicas", "3"))) == 1


def test_the_number_of_controllers_is_not_changed_on_the_way() -> None:
    text = KAFKA + POOL.format(name="both", count=2, roles="controller, broker")
    first, _ = steps(cluster_of(text), "(new topics)", ("replicas", "3"))
    assert first.commands == () and "roles: [broker]" in first.says


def test_a_kafka_resource_without_pools_has_its_own_replicas() -> None:
    text = KAFKA.replace("    version", "    replicas: 1\n    version") + "  zookeeper: {replicas: 3}\n"
    nodes, _ = steps(cluster_of(text), "(new topics)", ("replicas", "3"))
    after = cluster_of(apply_diff(text, "Kafka", nodes.commands))
    assert len(after.brokers) == 3


def test_racks_and_releases() -> None:
    described = DESCRIBED.replace("0,1", "0,1,2")
    cluster = cluster_of(KAFKA + POOLS, topics=described)
    (step,) = plan_changes(subject_of(cluster, "orders"), [("racks", "2")], cluster)
    assert asks_for(step.commands) == {"spec": {"kafka": {"rack": {"topologyKey": "topology.kubernetes.io/zone"}}}}
    there = cluster_of(KAFKA + "    rack: {topologyKey: zone}\n" + POOLS, topics=described)
    assert plan_changes(subject_of(there, "orders"), [("racks", "2")], there)[0].commands == ()
    (step,) = steps(cluster, "orders", ("newest", "4.3"))
    assert step.commands[:5] == ("# kafka.yaml:6, Kafka", "  spec:", "    kafka:", "-     version: 3.9.0",
                                 "+     version: 4.3.0")  # fmt: skip
    assert step.commands[-1].startswith("kafka-features.sh")


def test_resources_may_stand_in_a_file_each() -> None:
    texts = [("kafka.yaml", KAFKA), ("orders.yaml", TOPIC)]
    texts += [(f"pool-{i}.yaml", text) for i, text in enumerate(POOLS.split("---\n")[1:])]
    whole = cluster_of(KAFKA + POOLS + TOPIC)
    cluster, findings = read_cluster_texts([(path, text, True) for path, text in texts], Options(), "x")
    assert [(b.id, b.roles, len(b.settings)) for b in cluster.brokers] == [
        (b.id, b.roles, len(b.settings)) for b in whole.brokers
    ]
    assert not [finding for finding in findings if finding.kind == "contradiction"]
    nodes, topic = steps(cluster, "orders", ("replicas", "3"))
    assert nodes.commands[0].startswith("# pool-1.yaml") and topic.commands[0].startswith("# orders.yaml")


def test_other_clusters_keep_their_commands(tmp_path: Path) -> None:
    cluster = read_cluster_texts([("topics.txt", DESCRIBED, True)], Options(), "x")[0]
    (step,) = steps(cluster, "orders", ("min_isr", "2"))
    assert step.commands[0].startswith("kafka-configs.sh")
