"""What vendors add: Confluent's observers are no replicas, and eligible leader replicas need their metadata.version."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.signature import Subject
from tidegate.audit.questions.subjects import cluster_subjects
from tidegate.audit.rules.advice import advice_findings

PLACED = (
    '{"version":1,"replicas":[{"count":2,"constraints":{"rack":"west"}}],'
    '"observers":[{"count":2,"constraints":{"rack":"east"}}]}'
)


def read(text: str, version: str = "3.9.0", **options: str) -> tuple[Cluster, Sequence[Finding]]:
    asked = Options(version, distribution="apache", acks="all", metadata_version=options.get("level"),
                    features=(options["feature"],) if "feature" in options else ())  # fmt: skip
    return read_cluster_texts([("topics.txt", text, True)], asked, "x")


def orders(text: str) -> Subject:
    return next(subject for subject in cluster_subjects(read(text)[0]) if subject.topics[0].name == "orders")


def topic_lines(placed: str, row: str) -> str:
    configs = f"min.insync.replicas=2,confluent.placement.constraints={placed}"
    head = f"Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 4\tConfigs: {configs}\n"
    return f"{head}\tTopic: orders\tPartition: 0\tLeader: 1\t{row}\n" if row else head


@pytest.mark.parametrize(
    "row",
    [
        "Replicas: 1,2,3,4\tIsr: 1,2\tOffline: \tObservers: 3,4",
        "Replicas: 1,2,3,4\tIsr: 1,2\tOffline: \tLiveObservers: 3,4",
        "Replicas: 1,2,3,4\tIsr: 1,2",
        "",
    ],
)
def test_observers_are_no_replicas(row: str) -> None:
    """Four copies of which two are observers keep what two replicas keep."""
    assert {variant.signature.replicas for variant in orders(topic_lines(PLACED, row)).variants} == {2}


def test_a_promoted_observer_is_a_replica_now() -> None:
    row = "Replicas: 1,2,3,4\tIsr: 1,3\tOffline: 2\tObservers: 3,4"
    (partition,) = orders(topic_lines(PLACED, row)).topics[0].partitions
    assert partition.replicas == (1, 2, 3)


def test_a_placement_that_cannot_be_read_leaves_the_replicas_open() -> None:
    found = orders(topic_lines("(withheld)", "Replicas: 1,2,3,4\tIsr: 1,2"))
    assert not found.variants and "may be observers" in found.not_checked


def test_no_words_of_a_placement_but_its_numbers_are_kept() -> None:
    cluster, _ = read(topic_lines(PLACED, ""))
    kept = [setting.value for setting in cluster.topics[0].settings if "placement" in setting.key]
    assert kept == ["2 replicas, 2 observers"]
    (said,) = [finding for finding in advice_findings(cluster) if finding.kind == "not_modelled"]
    assert "observers are not counted as replicas" in said.what


HEAD = "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"


@pytest.mark.parametrize(
    ("level", "expected"),
    [("3.9-IV0", False), ("4.0-IV0", False), ("4.0-IV1", True), ("4.0", True), ("4.1", True), (None, True)],
)
def test_eligible_leader_replicas_need_their_metadata_version(level: str | None, expected: bool) -> None:
    """MetadataVersion.isElrSupported: records have them since 4.0-IV1."""
    given = {"feature": "eligible.leader.replicas.version=1", **({} if level is None else {"level": level})}
    cluster, _ = read(HEAD, "4.1.0", **given)
    found = next(subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "orders")
    kraft = [variant.signature for variant in found.variants]
    assert {bool(signature.constants["elr"]) for signature in kraft} == {expected}
    assert any("needs metadata.version 4.0-IV1" in finding.what for finding in advice_findings(cluster)) is not expected


def _partition(number: int, *replicas: int) -> str:
    placed = ",".join(map(str, replicas))
    return f"\tTopic: orders\tPartition: {number}\tLeader: {replicas[0]}\tReplicas: {placed}\tIsr: {placed}\n"


OF_MSK = "Topic: orders\tTopicId: x\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
REVISION = "min.insync.replicas=2\nunclean.leader.election.enable=false\ndefault.replication.factor=3\n"


@pytest.mark.parametrize(
    ("owner", "own", "known"), [("msk", {}, True), ("apache", {}, False), ("msk", {"old.properties": REVISION}, False)]
)
def test_a_revision_of_msk_beside_a_description_is_of_all_brokers(owner: str, own: dict[str, str], known: bool) -> None:
    """It has no id: alone it would be a fourth broker, and those that are described would have no settings."""
    described = f"{OF_MSK}{_partition(0, 1, 2, 3)}{_partition(1, 2, 3, 1)}"
    files = {"topics.txt": described, "revision.properties": REVISION, **own}
    asked = Options("3.9.0", distribution=owner, acks="all")
    cluster, findings = read_cluster_texts([(name, text, True) for name, text in files.items()], asked, "x")
    assert ([broker.id for broker in cluster.brokers] == [1, 2, 3]) is known
    assert all(broker.settings for broker in cluster.brokers) is known
    assert any("run the configuration in revision.properties" in said for said in cluster.assumptions) is known
    if known:
        (one,) = [subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "orders"]
        assert {variant.signature.unclean for variant in one.variants} == {False}
        assert not any("no broker has broker.rack" in found.what for found in findings)


@pytest.mark.parametrize(
    ("version", "replicas", "said"),
    [
        ("2.1.1", "1,2,3", True),
        ("1.1", "1,2", True),
        ("2.2.0", "1,2,3", False),
        ("3.9.0", "1,2", False),
        ("2.1.1", "1", False),
    ],
)
def test_consumers_that_a_leaders_move_throws_back(version: str, replicas: str, said: bool) -> None:
    """KAFKA-2334 (KIP-207) is mended in 2.2; with one replica no leader moves."""
    row = f"Replicas: {replicas}\tIsr: {replicas}"
    text = f"Topic: orders\tPartitionCount: 1\tConfigs: \n\tTopic: orders\tPartition: 0\tLeader: 1\t{row}\n"
    found = [finding for finding in read(text, version)[1] if "thrown back" in finding.what]
    assert [finding.source.startswith("KAFKA-2334, KIP-207; tidegate check ") for finding in found] == [True] * said


@pytest.mark.parametrize(
    ("kafka", "level", "said"),
    [("4.1", "3.2", True), ("4.0", "3.1-IV0", True), ("4.1", "3.3-IV3", False), ("3.9", "3.2", False)],
)
def test_since_4_0_no_node_starts_with_a_metadata_version_before_3_3(kafka: str, level: str, said: bool) -> None:
    text = "node.id=1\nprocess.roles=broker\ncontroller.quorum.voters=101@c:9093\nlog.dirs=/data\n"
    options = Options(kafka, distribution="apache", metadata_version=level)
    cluster, _ = read_cluster_texts([("server.properties", text, True)], options, "x")
    what = f"metadata.version {level} is below 3.3-IV3, the least that Kafka {kafka} starts with"
    assert any(finding.what == what for finding in advice_findings(cluster)) is said
