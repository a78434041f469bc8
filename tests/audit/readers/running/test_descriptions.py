"""Descriptions that are cut short, or that describe no topic that Kafka can have: nothing is called kept of them."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.cluster.statements import Origin, Setting
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.signature import Subject
from tidegate.audit.questions.subjects import cluster_subjects
from tidegate.audit.readers.parsed_file import Part
from tidegate.audit.readers.running import descriptions
from tidegate.audit.readers.running.descriptions import DescribedSetting, add_setting

BROKER = "process.roles=broker\nnode.id={id}\nlog.dirs=d\nbroker.rack=r{id}\n"
HEAD = (
    "Topic: orders\tTopicId: x\tPartitionCount: {count}\tReplicationFactor: {factor}\tConfigs: min.insync.replicas=2\n"
)
WHOLE = "\tTopic: orders\tPartition: {number}\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"


def of(partitions: str, count: int = 1, factor: int = 3) -> tuple[Cluster, list[Finding], Subject]:
    texts = [(f"b{number}.properties", BROKER.format(id=number), True) for number in (1, 2, 3)]
    texts.append(("t.txt", HEAD.format(count=count, factor=factor) + partitions, True))
    cluster, findings = read_cluster_texts(
        texts, Options(kafka_version="3.9.0", distribution="apache", acks="all"), "x"
    )
    (orders,) = (subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "orders")
    return cluster, list(findings), orders


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("Leader: 1\tReplicas: 1,2,3\tIsr: 1,2,3,4", "broker 4 is in the ISR of partition 0, and has no replica of it"),
        ("Leader: 1\tReplicas: 1,1,2\tIsr: 1,2", "partition 0 lists a replica twice"),
        ("Leader: 3\tReplicas: 1,2,3\tIsr: 1,2", "broker 3 leads partition 0, and is not in its ISR"),
        ("Leader: 1\tReplicas: 1,2\tIsr: 1,2", "its ReplicationFactor is 3, and its partitions list 2"),
    ],
)
def test_a_description_that_contradicts_itself_is_judged_by_nothing(line: str, says: str) -> None:
    _, findings, orders = of(f"\tTopic: orders\tPartition: 0\t{line}\n")
    assert not orders.variants and says in orders.not_checked and not orders.stops
    assert [finding.what for finding in findings if finding.severity == "error"] == [f"topic orders: {says}"]


def test_a_partition_that_is_described_twice() -> None:
    again = WHOLE.format(number=0).replace("Isr: 1,2,3", "Isr: 1")
    _, _, orders = of(WHOLE.format(number=0) + again)
    assert "described twice" in orders.not_checked
    _, findings, same = of(WHOLE.format(number=0) * 2)
    assert same.variants and not [finding for finding in findings if finding.severity == "error"]


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "\tTopic: orders\tPartition: 1\tLeader: 2\tReplicas: 1,2,",
        "\tTopic: orders\tPartition: 1\tLeader: 2\tReplicas: 1,2,3",
        "\tTopic: orders\tPartition: 1\tLeader: 2\tReplicas: 1,2,3\tIsr: 1,",
    ],
)
def test_of_partitions_that_are_not_described_nothing_is_known(rest: str) -> None:
    """Each may have one replica, in any rack."""
    _, findings, orders = of(WHOLE.format(number=0) + rest, count=2)
    assert {(variant.signature.replicas, variant.signature.replicas_in_rack) for variant in orders.variants} == {
        (3, 0),
        (1, 0),
    }
    assert orders.asks["replication factor"] == "the whole output of kafka-topics.sh --describe"
    assert any("2 partitions, and 1 are described" in finding.what for finding in findings)
    _, _, whole = of(WHOLE.format(number=0) + WHOLE.format(number=1), count=2)
    assert {(variant.signature.replicas, variant.signature.replicas_in_rack) for variant in whole.variants} == {(3, 1)}


def test_a_reassignment_and_a_partition_without_a_leader_are_no_contradiction() -> None:
    moving = "Leader: 1\tReplicas: 4,1,2,3\tIsr: 1,2,3\tAdding Replicas: 4\tRemoving Replicas: 3\n"
    assert of(f"\tTopic: orders\tPartition: 0\t{moving}")[2].variants
    assert of("\tTopic: orders\tPartition: 0\tLeader: none\tReplicas: 1,2,3\tIsr: \tElr: 2\tLastKnownElr: 2\n")[
        2
    ].variants
    observed = "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2\tOffline: \tLiveObservers: 3\n"
    assert of(observed)[2].variants


def test_a_broker_without_a_file_is_said_to_be_assumed_like_the_others() -> None:
    cluster, _, _ = of(WHOLE.format(number=0).replace("3", "9").replace("ReplicationFactor: 9", "ReplicationFactor: 3"))
    says = "broker 9, of which no file was given, is on a host of its own, and has the settings of the others"
    assert says in cluster.assumptions
    assert not of(WHOLE.format(number=0))[0].assumptions


def test_a_broker_without_a_file_beside_brokers_that_share_a_host_is_not_known() -> None:
    host = "listeners=PLAINTEXT://same:{port}\n"
    brokers = [(f"b{n}.properties", BROKER.format(id=n) + host.format(port=9090 + n), True) for n in (1, 2)]
    topics = ("t.txt", HEAD.format(count=1, factor=3) + WHOLE.format(number=0), True)
    _, findings = read_cluster_texts(
        [*brokers, topics], Options(kafka_version="3.9.0", distribution="apache", acks="all"), "x"
    )
    said = [finding for finding in findings if finding.kind == "incomplete"]
    assert [finding.what for finding in said] == [
        "broker 3, with a replica of a partition, is in no file: its host and settings are not known"
    ]
    assert str(said[0].where) == "t.txt:2"


def test_a_list_of_brokers_with_something_else_in_it_leaves_the_audit_undecided() -> None:
    text = "Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3unclean.leader.election.enable=true\n"
    part = descriptions.read_topics("t.txt", text)
    assert part is not None and part.topics[0].partitions == ()
    what = "partition 0 of t has in `Isr:` what is not a list of brokers: 1,2,3unclean.leader.election.enable=true"
    assert [(finding.kind, finding.what) for finding in part.findings] == [("incomplete", what)]


@pytest.mark.parametrize(
    ("layer", "place"),
    [
        ("DYNAMIC_TOPIC_CONFIG", "topic orders, set on the topic"),
        ("DYNAMIC_DEFAULT_BROKER_CONFIG", "topic orders, set for all brokers"),
        ("STATIC_BROKER_CONFIG", "topic orders, from the broker's file"),
        ("DEFAULT_CONFIG", "topic orders, Kafka's default"),
        ("A_LAYER_OF_TOMORROW", "topic orders"),
    ],
)
def test_a_value_of_a_running_cluster_says_where_it_comes_from(layer: str, place: str) -> None:
    settings: list[Setting] = []
    described = DescribedSetting("min.insync.replicas", "1", False, [(layer, "min.insync.replicas", "1")])
    add_setting(Part("p"), settings, settings, described, Origin("b:9092", None, "topic orders"))
    add_setting(Part("p"), settings, settings, described, Origin("configs.txt", 3))
    assert [one.origin for one in settings] == [Origin("b:9092", None, place), Origin("configs.txt", 3)]


def test_a_file_below_a_dynamic_value_is_said_to_be_the_file() -> None:
    into: list[Setting] = []
    dynamic: list[Setting] = []
    layers = [("DYNAMIC_BROKER_CONFIG", "log.dirs", "a"), ("STATIC_BROKER_CONFIG", "log.dirs", "b")]
    described = DescribedSetting("log.dirs", "a", False, layers)
    add_setting(Part("p"), into, dynamic, described, Origin("b:9092", None, "broker 1"))
    places = [(one.value, one.origin.place) for one in (*dynamic, *into)]
    assert places == [("a", "broker 1, set on the broker"), ("b", "broker 1, from the broker's file")]
