"""From what files state to signatures: what they leave open gives several, and what they settle gives one.

Also of: `subjects`.
"""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.signature import Subject
from tidegate.audit.questions.subjects import cluster_subjects

BROKER = "broker.id={id}\nzookeeper.connect=z\nlog.dirs=data\n"
ORDERS = """\
Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: {configs}
\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3
"""
KAFKA = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {name: mine}
spec:
  kafka:
    version: 3.9.0
    replicas: 3
    config: {default.replication.factor: 3}
---
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata: {name: orders, labels: {strimzi.io/cluster: mine}}
spec: {partitions: 2}
"""


def cluster_of(**texts: str) -> Cluster:
    files = [(name.replace("__", "."), text, True) for name, text in texts.items()]
    return read_cluster_texts(files, Options(kafka_version="3.9.1", distribution="apache"), "x")[0]


def orders_of(cluster: Cluster) -> Subject:
    return next(subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "orders")


def three(extra: str, last: str | None = None) -> dict[str, str]:
    added = (extra, extra, extra if last is None else last)
    return {f"b{i}__properties": BROKER.format(id=i) + added[i - 1] for i in (1, 2, 3)}


def suppositions(subject: Subject, fact: str) -> list[str]:
    return [value for variant in subject.variants for name, value in variant.supposed_facts if name == fact and value]


@pytest.mark.parametrize(
    ("setting", "fact", "values"),
    [
        ("min.insync.replicas=2", "min.insync.replicas", {"1", "2"}),
        ("unclean.leader.election.enable=true", "unclean.leader.election.enable", {"false", "true"}),
        ("log.flush.interval.messages=1", "flush.messages", {"never", "1"}),
    ],
)
def test_what_a_description_does_not_show_and_the_files_set_is_open(setting: str, fact: str, values: set[str]) -> None:
    """kafka-topics.sh shows what brokers set: a broker that was not restarted since, or a description by ZooKeeper."""
    open_ = orders_of(cluster_of(topics__txt=ORDERS.format(configs=""), **three(setting + "\n")))
    assert set(suppositions(open_, fact)) == values and "these files" in open_.asks[fact]
    name = fact if fact == "flush.messages" else setting.partition("=")[0]
    shown = ORDERS.format(configs=f"{name}={setting.partition('=')[2]}")
    assert suppositions(orders_of(cluster_of(topics__txt=shown, **three(setting + "\n"))), fact) == []


def test_brokers_that_differ_leave_open_what_they_have_and_nothing_else() -> None:
    cluster = cluster_of(
        topics__txt=ORDERS.replace("\tTopicId: x", "").format(configs=""),
        **three("min.insync.replicas=2\n", last="min.insync.replicas=1\n"),
    )
    assert set(suppositions(orders_of(cluster), "min.insync.replicas")) == {"1", "2"}


def test_one_default_of_whoever_it_may_be_is_no_guess() -> None:
    """Apache's min.insync.replicas is 1; whose brokers these are is not said."""
    files = [("topics.txt", ORDERS.format(configs=""), True)]
    cluster = read_cluster_texts(files, Options(kafka_version="3.9.1"), "x")[0]
    assert set(suppositions(orders_of(cluster), "min.insync.replicas")) == {"1", "2", "3"}


def test_a_resource_without_replicas_is_made_with_the_brokers_default() -> None:
    found = orders_of(cluster_of(kafka__yaml=KAFKA))
    assert {variant.signature.replicas for variant in found.variants} == {3}
    (used,) = [use for use in found.used_settings if use.key == "default.replication.factor"]
    assert used.origin is not None and used.origin.line == 8
    without = orders_of(cluster_of(kafka__yaml=KAFKA.split("---\n")[1]))
    assert without.not_checked == "the replication factor of orders is not stated; give kafka-topics.sh --describe"


@pytest.mark.parametrize("note", ['strimzi.io/managed: "false"', 'strimzi.io/pause-reconciliation: "true"'])
def test_what_the_operator_does_not_apply_says_nothing_of_the_topic(note: str) -> None:
    """Converting managed topics; Pausing reconciliation (strimzi.io)."""
    text = KAFKA.replace("{name: orders,", f"{{name: orders, annotations: {{{note}}},")
    assert "unmanaged or paused" in orders_of(cluster_of(kafka__yaml=text)).not_checked
    described = ORDERS.format(configs="min.insync.replicas=2")
    found = orders_of(cluster_of(kafka__yaml=text, topics__txt=described))
    assert {variant.signature.least_isr for variant in found.variants} == {2}
    applied = text.replace('"false"', '"true"') if "managed" in note else text.replace('"true"', '"false"')
    assert orders_of(cluster_of(kafka__yaml=applied)).variants
