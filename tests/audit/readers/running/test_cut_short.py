"""Descriptions of which a part is missing: what is not there is not known, and is never taken for a default."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.signature import Subject
from tidegate.audit.questions.subjects import cluster_subjects

OPTIONS = Options(kafka_version="3.9.0", distribution="apache", acks="all")
BROKER = "process.roles=broker\nnode.id={id}\nlog.dirs=d\nmin.insync.replicas=2\n"
HEAD = "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3"
PARTITION = "\n\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
SETTING = "  {key}={value} sensitive=false synonyms={{DYNAMIC_TOPIC_CONFIG:{key}={value}}}\n"


def of(*texts: tuple[str, str]) -> tuple[Cluster, list[Finding], Subject]:
    brokers = [(f"b{number}.properties", BROKER.format(id=number), True) for number in (1, 2, 3)]
    cluster, findings = read_cluster_texts([*brokers, *((path, text, True) for path, text in texts)], OPTIONS, "x")
    (orders,) = (subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "orders")
    return cluster, [finding for finding in findings if finding.kind == "incomplete"], orders


@pytest.mark.parametrize(
    "configs",
    [
        "",
        "\tConfigs: min.insync.replicas=",
        "\tConfigs: cleanup.policy=delete,min.insync.rep",
        "\tConfigs: retention.ms=604800000,min.insync.replicas",
        "\tConfigs: retention.ms=604800000,uncl",
        "\tConfigs: retention.ms=604800000,...",
        "\tConfigs: min.insync.re",
        "\tConfigs: unclean.leader.election.enable=tr",
        "\tConfigs: cleanup.policy=compact,del",
    ],
)
def test_what_is_cut_off_configs_is_not_taken_for_a_default(configs: str) -> None:
    _, _, orders = of(("t.txt", HEAD + configs + PARTITION))
    assert not orders.variants and "Configs:`" in orders.not_checked and not orders.stops


@pytest.mark.parametrize(
    "configs",
    [
        "",
        "min.insync.replicas=2",
        "cleanup.policy=compact,delete,min.insync.replicas=2",
        "follower.replication.throttled.replicas=0:1,0:2,min.insync.replicas=2",
        "retention.ms=1000,min.insync.replicas=2,segment.bytes=1073741824",
    ],
)
def test_whole_configs_are_read(configs: str) -> None:
    assert of(("t.txt", f"{HEAD}\tConfigs: {configs}{PARTITION}"))[2].variants


def test_partitions_without_their_topics_line_say_nothing_of_its_settings() -> None:
    """`--under-replicated-partitions` and its like print no line of the topic."""
    _, _, orders = of(("t.txt", PARTITION))
    assert "own settings are not known" in orders.not_checked
    described = "Dynamic configs for topic orders are:\n" + SETTING.format(key="min.insync.replicas", value="1")
    _, _, known = of(("t.txt", PARTITION), ("c.txt", described))
    assert {variant.signature.min_isr for variant in known.variants} == {1}


def test_a_setting_whose_line_is_cut() -> None:
    described = "Dynamic configs for topic orders are:\n  min.insync.replicas=1 sensitive=false synonyms={DYN"
    cluster, missing, _ = of(("t.txt", HEAD + "\tConfigs: " + PARTITION), ("c.txt", described))
    assert [str(finding.where) for finding in missing] == ["c.txt:2"]
    done = audit(cluster, missing, AuditRequest(requirements=(), repairs=False, seconds=0.0))
    assert done.exit == done.document["exit"] == 5


def test_all_settings_of_a_topic_are_all_of_them() -> None:
    keys = {"unclean.leader.election.enable": "false", "min.insync.replicas": "2"}
    described = HEAD + "\tConfigs: unclean.leader.election.enable=false,min.insync.replicas=2" + PARTITION
    whole = "All configs for topic orders are:\n" + "".join(SETTING.format(key=k, value=v) for k, v in keys.items())
    assert not of(("t.txt", described), ("c.txt", whole))[1]
    (missing,) = of(("t.txt", described), ("c.txt", whole.rpartition("  min")[0]))[1]
    assert missing.what == "all settings of topic orders are described, and min.insync.replicas is not among them"


def test_a_topic_that_is_named_and_not_described_is_not_known() -> None:
    mapping = '[topic.payments]\nproducer = "p.properties"\n'
    texts = [("t.txt", f"{HEAD}\tConfigs: {PARTITION}"), ("audit.toml", mapping), ("p.properties", "acks=all\n")]
    cluster, missing, _ = of(*texts)
    assert "`payments` is the name of no topic" in missing[0].what
    assert audit(cluster, missing, AuditRequest(requirements=(), repairs=False, seconds=0.0)).exit == 5


MAPPED = '[topic."{name}"]\nproducer = "p.properties"\n'


@pytest.mark.parametrize(("name", "missing"), [("payments", 1), (".*", 0), ("(?!payments).*", 0)])
def test_where_no_topic_is_described_none_is_known_by_its_name(name: str, missing: int) -> None:
    """Its own settings may be weaker than those with which brokers create a topic."""
    brokers = [(f"b{number}.properties", BROKER.format(id=number), True) for number in (1, 2, 3)]
    texts = [*brokers, ("audit.toml", MAPPED.format(name=name), True), ("p.properties", "acks=all\n", True)]
    cluster, every = read_cluster_texts(texts, OPTIONS, "x")
    found = [finding for finding in every if finding.kind == "incomplete"]
    assert [finding.what for finding in found] == [
        "`payments` is the name of no topic that was read: none is described"
    ] * missing
    if missing:
        assert audit(cluster, every, AuditRequest(requirements=(), repairs=False, seconds=0.0)).exit == 5


OTHERS = """\
apiVersion: kafka.strimzi.io/v1
kind: Kafka
metadata: {name: mine}
spec: {kafka: {version: 3.9.0, replicas: 3}}
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaNodePool
metadata: {name: all, labels: {strimzi.io/cluster: mine}}
spec: {replicas: 3, roles: [controller, broker], storage: {type: ephemeral}}
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata: {name: payments, labels: {strimzi.io/cluster: other}}
spec: {partitions: 1, replicas: 1}
"""


@pytest.mark.parametrize(
    "left_out", [("k.yaml", OTHERS), ("c.txt", "Dynamic configs for topic payments are:\n")], ids=["strimzi", "configs"]
)
@pytest.mark.parametrize("name", ["payments", "(orders|pay.*)"])
def test_a_topic_that_is_named_and_left_out_is_not_known(left_out: tuple[str, str], name: str) -> None:
    topics = ("t.txt", f"{HEAD}\tConfigs: {PARTITION}")
    cluster, missing, _ = of(topics, left_out, ("audit.toml", MAPPED.format(name=name)), ("p.properties", "acks=all\n"))
    assert [finding.what for finding in missing if str(finding.where).startswith("audit.toml")] == [
        f"`{name}` names topic payments, which was not read: nothing is known of it"
    ]
    assert audit(cluster, missing, AuditRequest(requirements=(), repairs=False, seconds=0.0)).exit == 5
    assert not of(topics, left_out, ("audit.toml", MAPPED.format(name="orders")), ("p.properties", "acks=all\n"))[1]


@pytest.mark.parametrize(
    "line", ["Configs for topic 'orders' are min.insync.replicas=1", "Configs for broker '1' are x=1"]
)
def test_what_zookeeper_is_asked_is_not_passed_over(line: str) -> None:
    (missing,) = of(("t.txt", HEAD + "\tConfigs: " + PARTITION), ("c.txt", f"\n{line}\n"))[1]
    assert str(missing.where) == "c.txt:2" and "--zookeeper" in missing.what
