"""Clusters in the middle of an upgrade, and files that disagree: what is older, or open, is never left out."""

from __future__ import annotations

from dataclasses import replace

from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.signature import Signature
from tidegate.audit.questions.subjects import cluster_subjects

ZOOKEEPER = "broker.id={id}\nzookeeper.connect=z1,z2,z3\nlog.dirs=d\n"


HEAD = "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2{more}\n"


PARTITION = "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: {isr}\n"


OPTIONS = Options(kafka_version="2.8.2", distribution="apache", acks="all")


def topic(more: str = "", isr: str = "1,2,3") -> str:
    return HEAD.format(more=more) + PARTITION.format(isr=isr)


def of(*texts: tuple[str, str], options: Options = OPTIONS) -> tuple[Cluster, list[Finding]]:
    cluster, findings = read_cluster_texts([(path, text, True) for path, text in texts], options, "x")
    return cluster, list(findings)


def brokers(*lines: str) -> list[tuple[str, str]]:
    return [(f"b{id_}.properties", ZOOKEEPER.format(id=id_) + line) for id_, line in enumerate(lines, 1)]


def signatures(cluster: Cluster) -> list[Signature]:
    (orders,) = (subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "orders")
    return [variant.signature for variant in orders.variants]


def truncations(cluster: Cluster) -> set[object]:
    return {signature.constants["truncation"] for signature in signatures(cluster)}


def test_brokers_with_an_older_protocol_are_not_forgotten() -> None:
    key = "inter.broker.protocol.version"
    old, new = f"{key}=0.10.2\n", f"{key}=2.8\n"
    mixed, found = of(*brokers(old, new, new), ("t.txt", topic()))
    assert "high_watermark" in truncations(mixed) and len(truncations(mixed)) == 2
    assert any("the inter broker protocol is" in finding.what for finding in found)
    assert len(truncations(of(*brokers(new, new, new), ("t.txt", topic()))[0])) == 1
    reported = replace(OPTIONS, inter_broker_protocol="2.8")
    assert len(truncations(of(*brokers(old, new, new), ("t.txt", topic()), options=reported)[0])) == 1


def test_a_topic_that_is_described_twice_with_other_settings_is_not_known() -> None:
    cluster, _ = of(("t.txt", topic()), ("u.txt", topic().replace("replicas=2", "replicas=1")))
    (orders,) = cluster_subjects(cluster)
    assert not orders.variants and "described twice, at t.txt:1 and at u.txt:1" in orders.not_checked
    assert signatures(of(("t.txt", topic()), ("u.txt", topic()))[0])


def test_an_isr_with_a_broker_twice_is_none() -> None:
    (orders,) = cluster_subjects(of(("t.txt", topic(isr="1,1")))[0])
    assert "the ISR of partition 0 has a broker twice" in orders.not_checked


def test_the_voters_that_controllers_list_are_those_that_count() -> None:
    broker = "process.roles=broker\nnode.id=1\ncontroller.quorum.voters=7@a:1,8@b:1,9@c:1\n"
    controller = "process.roles=controller\nnode.id=7\ncontroller.quorum.voters=7@a:1,8@b:1\n"
    cluster, found = of(("b.properties", broker), ("c.properties", controller))
    assert cluster.quorum is not None and cluster.quorum.voters == (7, 8)
    (said,) = [finding for finding in found if "has voters 7, 8, 9 here, 7, 8 there (c.properties:3)" in finding.what]
    assert said.where.path == "b.properties"
    assert said.kind == "incomplete", "nodes that are not of one quorum are no cluster of which something holds"


def test_variables_of_a_file_that_is_not_read() -> None:
    compose = (
        "services:\n  kafka:\n    image: apache/kafka:3.9.0\n    env_file: kafka.env\n    environment:\n"
        "      KAFKA_NODE_ID: 1\n      KAFKA_PROCESS_ROLES: broker,controller\n"
    )
    _, found = of(("c.yml", compose), options=Options())
    (missing,) = (finding for finding in found if finding.kind == "incomplete")
    assert missing.where.line == 4 and "`env_file`" in missing.what


def test_here_is_the_place_of_the_finding_and_there_the_other_one() -> None:
    """Every sentence about two places named them the other way round."""
    _, found = of(("t.txt", topic(",retention.ms=1")), ("u.txt", topic(",retention.ms=2")))
    (said,) = [finding for finding in found if "`retention.ms`" in finding.what]
    assert said.kind == "incomplete" and said.what.endswith("`retention.ms` 1 (t.txt:1) and 2 (u.txt:1)")
    assert said.where.path == "u.txt"


def test_a_voter_without_a_file_is_assumed_to_run() -> None:
    node = "process.roles=controller\nnode.id={id}\ncontroller.quorum.voters=7@a:1,8@b:1,9@c:1\n"
    some = of(("a.properties", node.format(id=7)), ("b.properties", node.format(id=8)))[0]
    assert "controller 9, of which no file was given, runs and is reached by the others" in some.assumptions
    every = of(*((f"{id_}.properties", node.format(id=id_)) for id_ in (7, 8, 9)))[0]
    assert not any("no file" in assumption for assumption in every.assumptions)
