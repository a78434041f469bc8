"""Nodes that do not start with a protocol version that their release does not know."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.cluster.settings import setting_value
from tidegate.audit.cluster.statements import Default
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka.keys import declared_key
from tidegate.audit.questions.subjects import cluster_subjects
from tidegate.audit.startup.nodes import nodes_down
from tidegate.reports.audit.terminal import audit_verdict_line

from ...support.startup import cluster_with

ON_ZOOKEEPER = (
    "broker.id={id}\nzookeeper.connect=z1:2181,z2:2181,z3:2181\nlisteners=PLAINTEXT://b{id}:9092\nlog.dirs=/var/d\n"
    "default.replication.factor=3\nmin.insync.replicas=2\n"
)


IBP, FORMAT = "inter.broker.protocol.version", "log.message.format.version"


@pytest.mark.parametrize(
    ("line", "version", "why"),
    [
        (f"{IBP}=2.6", "2.5.0", "is not a version that Kafka 2.5.0 knows"),
        (f"{FORMAT}=2.7", "2.5.0", "is not a version that Kafka 2.5.0 knows"),
        (f"{IBP}=3.9", "3.7.2", "is not a version that Kafka 3.7.2 knows"),
        (f"{IBP}=0.11.0", "0.10.2.1", "is not a version that Kafka 0.10.2.1 knows"),
        (f"{IBP}=2.5-IV1", "2.5.0", "is not a version that any release knows"),
        (f"{IBP}=0.10", "2.5.0", "is not a version that any release knows"),
        (f"{IBP}=2", "2.5.0", "is not a version that any release knows"),
        (f"{IBP}=2.x", "2.5.0", "is not a version that any release knows"),
        (f"{IBP}=", "2.5.0", "has no value"),
        (f"{FORMAT}=", "2.5.0", "has no value"),
        (f"{IBP}=0.10.2\n{FORMAT}=2.5", "2.5.0", "is newer than `inter.broker.protocol.version=0.10.2`"),
        (f"{IBP}=0.9.0\n{FORMAT}=0.10.0", "2.5.0", "is newer than `inter.broker.protocol.version=0.9.0`"),
        (f"{IBP}=0.10.2", "2.5.0", "needs a `log.message.format.version` as old, and none is set"),
    ],
)
def test_brokers_do_not_start_with_a_protocol_that_their_release_does_not_know(
    line: str, version: str, why: str
) -> None:
    """ApiVersion.apply, MetadataVersion.fromVersionString, and KafkaConfig.validateValues: recordVersion."""
    texts = [(f"s{id_}.properties", f"{ON_ZOOKEEPER.format(id=id_)}{line}\n", True) for id_ in range(3)]
    cluster, found = read_cluster_texts(texts, Options(kafka_version=version, distribution="apache", acks="all"), "x")
    (refusal,) = nodes_down(cluster)
    assert len(refusal.nodes) == 3 and why in refusal.why
    answer = audit(cluster, found, AuditRequest(repairs=False, seconds=0.0))
    assert answer.exit == 1 and audit_verdict_line(answer.document).startswith("✗")


@pytest.mark.parametrize(
    ("line", "version"),
    [
        (f"{IBP}=2.5.0", "2.5.0"),
        (f"{IBP}=2.5-IV0", "2.5.0"),
        (f"{IBP}=0.11.0.2", "2.5.0"),
        (f"{IBP}=3.8-IV0", "3.7.0"),  # which has it already, unfinished
        (f"{IBP}=0.10.2\n{FORMAT}=0.10.1", "2.5.0"),
        (f"{IBP}=3.0\n{FORMAT}=0.10.2", "3.4.0"),
        (f"{IBP}=0.10.2", "0.10.2.1"),
    ],
)
def test_brokers_start_with_a_protocol_that_their_release_knows(line: str, version: str) -> None:
    texts = [(f"s{id_}.properties", f"{ON_ZOOKEEPER.format(id=id_)}{line}\n", True) for id_ in range(3)]
    assert not nodes_down(read_cluster_texts(texts, Options(kafka_version=version, distribution="apache"), "x")[0])


def test_a_protocol_of_confluent_server_is_its_own() -> None:
    texts = [("s1.properties", f"{ON_ZOOKEEPER.format(id=1)}{IBP}=3.4-IV5\n", True)]
    own, plain = (read_cluster_texts(texts, Options(distribution=one), "x")[0] for one in ("cp-server", "apache"))
    assert nodes_down(plain) and not nodes_down(own)


def test_without_a_version_the_protocol_says_which_release_is_the_first() -> None:
    texts = [(f"s{id_}.properties", f"{ON_ZOOKEEPER.format(id=id_)}{IBP}=2.6\n", True) for id_ in range(3)]
    cluster, _ = read_cluster_texts(texts, Options(distribution="apache", acks="all"), "x")
    (asked,) = (subject for subject in cluster_subjects(cluster) if not subject.is_internal)
    releases = {words for variant in asked.variants for fact, words in variant.supposed_facts if fact == "version"}
    assert releases and all(words >= "2.6" for words in releases)
    answer = setting_value(cluster, cluster.brokers[0], declared_key("replica.lag.time.max.ms"))
    assert answer == Default("30000", "KIP-537")  # 10000 before 2.5


def test_a_setting_that_is_gone_is_not_read() -> None:
    assert not nodes_down(cluster_with("inter.broker.protocol.version=newest", version="4.0.0"))


@pytest.mark.parametrize(
    ("feature", "version", "down"),
    [
        ("eligible.leader.replicas.version=1", "3.9.0", True),
        ("eligible.leader.replicas.version=0", "3.9.0", False),
        ("eligible.leader.replicas.version=1", "4.1.0", False),
        ("share.version=2", "4.1.0", True),
        ("kraft.version=1", "3.8.0", False),
    ],
)
def test_controllers_end_when_they_read_a_level_that_their_release_has_not(
    feature: str, version: str, down: bool
) -> None:
    """FeatureControlManager.replay; kraft.version is a record of the log, and said to be above the release alone."""
    node = (
        "process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@h:9093\nlog.dirs=/d\n"
        "controller.listener.names=C\nlisteners=PLAINTEXT://h:9092,C://h:9093\n"
        "listener.security.protocol.map=C:PLAINTEXT,PLAINTEXT:PLAINTEXT\n"
    )
    options = Options(kafka_version=version, distribution="apache", features=(feature,))
    cluster, found = read_cluster_texts([("s.properties", node, True)], options, "x")
    refused = [refusal for refusal in nodes_down(cluster) if "controllers end" in refusal.why]
    assert bool(refused) is down
    name, _, level = feature.partition("=")
    named = [finding for finding in found if finding.what.startswith(f"{name} {level} is above Kafka {version}")]
    assert bool(named) is (down or name == "kraft.version")
    assert all("kafka-features.sh upgrade" in finding.to_do for finding in named)
