"""One fact that two files state differently: open, with both places named, whatever the files are called."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.subjects import cluster_subjects

OPTIONS = Options(kafka_version="4.1.0", distribution="apache", clients=("java:4.1",))
BROKER = (
    "process.roles=broker,controller\nnode.id={id}\nlisteners=PLAINTEXT://k{id}:9092,CONTROLLER://k{id}:9093\n"
    "controller.listener.names=CONTROLLER\ncontroller.quorum.voters=1@k1:9093,2@k2:9093,3@k3:9093\nlog.dirs=/d\n"
    "min.insync.replicas=2\n"
)
HEAD = "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: {configs}\n"
PARTITION = "\tTopic: orders\tPartition: 0\tLeader: {leader}\tReplicas: 1,2,3\tIsr: {isr}\n"
BASE = [
    *((f"b{id_}.properties", BROKER.format(id=id_)) for id_ in (1, 2, 3)),
    ("producer.properties", "acks=all\nbootstrap.servers=k1:9092\n"),
]
STRIMZI = """apiVersion: kafka.strimzi.io/v1
kind: Kafka
metadata: {name: c}
spec: {kafka: {version: 4.1.0, config: {default.replication.factor: 3, min.insync.replicas: 2}}}
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaNodePool
metadata: {name: p, labels: {strimzi.io/cluster: c}}
spec: {replicas: 3, roles: [controller, broker], storage: {type: persistent-claim}}
"""


def description(configs: str = "min.insync.replicas=2", isr: str = "1,2,3", leader: int = 1) -> str:
    return HEAD.format(configs=configs) + PARTITION.format(isr=isr, leader=leader)


def set_on(entity: str, key: str, value: str, layer: str) -> str:
    return f"Dynamic configs for {entity} are:\n  {key}={value} sensitive=false synonyms={{{layer}:{key}={value}}}\n"


def of_topic(key: str, value: str) -> str:
    return set_on("topic orders", key, value, "DYNAMIC_TOPIC_CONFIG")


def of_broker(key: str, value: str) -> str:
    return set_on("broker 1", key, value, "DYNAMIC_BROKER_CONFIG")


def of_all(key: str, value: str) -> str:
    head = "Default configs for brokers in the cluster are:\n"
    return f"{head}  {key}={value} sensitive=false synonyms={{DYNAMIC_DEFAULT_BROKER_CONFIG:{key}={value}}}\n"


def of_feature(name: str, level: str) -> str:
    return (
        f"Feature: {name}\tSupportedMinVersion: 0\tSupportedMaxVersion: 1\tFinalizedVersionLevel: {level}\tEpoch: 4\n"
    )


def resource(name: str, config: str, replicas: int = 3) -> str:
    return (
        f"apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\n"
        f"metadata: {{name: {name}, labels: {{strimzi.io/cluster: c}}}}\n"
        f"spec: {{topicName: orders, partitions: 1, replicas: {replicas}, config: {{{config}}}}}\n"
    )


def status(voters: str, leader: int = 1) -> str:
    return f"ClusterId: x\nLeaderId: {leader}\nCurrentVoters: [{voters}]\nCurrentObservers: []\n"


ISR, UNCLEAN = "min.insync.replicas", "unclean.leader.election.enable"
IN_BASE = [*BASE, ("t.txt", description())]
IN_STRIMZI = [("kafka.yaml", STRIMZI), BASE[-1]]
PAIRS = {
    "described and set": (BASE, description(f"{ISR}=1"), of_topic(ISR, "2")),
    "described and set, unclean": (BASE, description(f"{UNCLEAN}=true"), of_topic(UNCLEAN, "false")),
    "described without what is set": (BASE, description(""), of_topic(ISR, "2")),
    "set twice": (BASE, of_topic(ISR, "1"), of_topic(ISR, "2")),
    "set twice, unclean": (BASE, of_topic(UNCLEAN, "true"), of_topic(UNCLEAN, "false")),
    "one broker's": (IN_BASE, of_broker(UNCLEAN, "true"), of_broker(UNCLEAN, "false")),
    "all brokers'": (IN_BASE, of_all(UNCLEAN, "true"), of_all(UNCLEAN, "false")),
    "a feature": (IN_BASE, *(of_feature("eligible.leader.replicas.version", level) for level in "01")),
    "a feature that one leaves out": (
        IN_BASE,
        of_feature("group.version", "1"),
        of_feature("group.version", "1") + of_feature("eligible.leader.replicas.version", "1"),
    ),
    "metadata.version": (IN_BASE, of_feature("metadata.version", "4.0-IV0"), of_feature("metadata.version", "4.0-IV1")),
    "ISR": (BASE, description(), description(isr="1")),
    "leader": (BASE, description(), description(leader=2)),
    "settings of descriptions": (BASE, description(), description(f"{ISR}=1")),
    "a list of partitions alone": (BASE, description(), PARTITION.format(isr="1", leader=1)),
    "voters": (IN_BASE, status("1,2,3"), status("1,2,4")),
    "leader of the quorum": (IN_BASE, status("1,2,3"), status("1,2,3", leader=2)),
    "resource and what is set": (IN_STRIMZI, resource("a", f"{ISR}: 1"), of_topic(ISR, "2")),
    "what is set and not in the resource": (IN_STRIMZI, resource("a", ""), of_topic(ISR, "2")),
    "resource and description": (IN_STRIMZI, resource("a", f"{ISR}: 1"), description()),
    "two resources": (IN_STRIMZI, resource("a", f"{ISR}: 1"), resource("b", f"{ISR}: 2")),
    "two resources, replicas": (IN_STRIMZI, resource("a", "", 1), resource("b", "", 3)),
}


def suffix(text: str) -> str:
    return "yaml" if text.startswith("apiVersion") else "txt"


def of(base: list[tuple[str, str]], first: str, second: str, *, early: bool) -> tuple[Cluster, list[Finding]]:
    """The files in the order of their names: the first text is called so that it comes before, or after, the other."""
    names = ("0", "z") if early else ("z", "0")
    named = [(f"{name}.{suffix(text)}", text) for name, text in zip(names, (first, second), strict=True)]
    cluster, findings = read_cluster_texts([(*file, True) for file in sorted([*base, *named])], OPTIONS, "x")
    return cluster, list(findings)


def signatures(cluster: Cluster) -> list[tuple[str, frozenset[str], bool]]:
    found = cluster_subjects(cluster)
    return sorted(
        (one.topics[0].name, frozenset(repr(variant.signature) for variant in one.variants), bool(one.not_checked))
        for one in found
    )


@pytest.mark.parametrize("name", PAIRS)
def test_what_two_files_state_differently_is_open_in_both_orders(name: str) -> None:
    base, first, second = PAIRS[name]
    asked: list[list[tuple[str, frozenset[str], bool]]] = []
    for early in (True, False):
        cluster, findings = of(base, first, second, early=early)
        places = [f"{name}.{suffix(text)}" for name, text in zip("0z" if early else "z0", (first, second), strict=True)]
        open_ = [one for one in findings if one.kind == "incomplete" and all(place in one.what for place in places)]
        assert open_, [one.what for one in findings]
        request = AuditRequest(requirements=(), repairs=False, seconds=0.0)
        assert audit(cluster, findings, request).exit == 5
        asked.append(signatures(cluster))
    assert asked[0] == asked[1], "what is asked of the model decides the exit, and is the same in both orders"


@pytest.mark.parametrize("name", PAIRS)
def test_what_two_files_state_alike_is_merged(name: str) -> None:
    base, first, _ = PAIRS[name]
    same = first.replace("name: a,", "name: b,")
    _, findings = of(base, first, same, early=True)
    assert not [one for one in findings if one.kind == "incomplete" and "0." in one.what and "z." in one.what]


def test_a_broker_s_own_dynamic_setting_is_stronger_than_that_of_all() -> None:
    _, findings = of(IN_BASE, of_broker(UNCLEAN, "true"), of_all(UNCLEAN, "false"), early=True)
    assert not [one for one in findings if one.kind == "incomplete"]


def test_a_boolean_in_other_letters_is_the_same() -> None:
    _, findings = of(BASE, of_topic(UNCLEAN, "TRUE"), of_topic(UNCLEAN, "true"), early=True)
    assert not [one for one in findings if one.kind == "incomplete"]


def test_one_file_that_states_two_values_is_open_too() -> None:
    for text in (
        of_topic(ISR, "1") + of_topic(ISR, "2"),
        of_feature("group.version", "0") + of_feature("group.version", "1"),
        status("1,2,3") + status("1,2,4"),
        description() + description(f"{ISR}=1"),
    ):
        texts = [*BASE, ("c.txt", text)]
        _, findings = read_cluster_texts([(*file, True) for file in texts], OPTIONS, "x")
        (said,) = [one.what for one in findings if one.kind == "incomplete"]
        assert said.count("c.txt") == 2


def test_many_topics_that_differ_in_the_same_files_are_one_finding() -> None:
    first = description() + description().replace("orders", "payments")
    _, findings = of(BASE, first, first.replace("Isr: 1,2,3", "Isr: 1"), early=True)
    (said,) = [one.what for one in findings if one.kind == "incomplete"]
    assert "of partition 0 the ISR is" in said and said.endswith("and so for 1 more")


def test_a_name_that_two_different_clients_have_is_open() -> None:
    files = [("a/p.properties", "acks=all\n"), ("b/p.properties", "acks=1\n")]
    for named in (files, files[::-1]):
        texts = [*IN_BASE[:3], IN_BASE[-1], *named, ("audit.toml", '[topic.orders]\nproducer = "p.properties"\n')]
        _, findings = read_cluster_texts([(*file, True) for file in texts], OPTIONS, "x")
        assert [one.what for one in findings if "a/p.properties and b/p.properties" in one.what]
