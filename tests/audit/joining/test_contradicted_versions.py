"""A version or a level that is stated in two places which differ is said, and what runs is not known."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.subjects import cluster_subjects

STRIMZI = """apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaNodePool
metadata: {name: broker, labels: {strimzi.io/cluster: prod}}
spec: {replicas: 3, roles: [broker, controller], storage: {type: persistent-claim, size: 1Gi}}
---
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {name: prod, annotations: {strimzi.io/node-pools: enabled, strimzi.io/kraft: enabled}}
spec:
  kafka:
    version: 4.1.0
    metadataVersion: 4.1-IV1
    config: {default.replication.factor: 3, min.insync.replicas: 2}
"""
FEATURES = (
    "Feature: group.version\tSupportedMinVersion: 0\tSupportedMaxVersion: 1\tFinalizedVersionLevel: 1\tEpoch: 4\n"
)


def incomplete(options: Options, *texts: tuple[str, str, bool]) -> list[str]:
    _, findings = read_cluster_texts([("kafka.yaml", STRIMZI, True), *texts], options, "x")
    return [one.what for one in findings if one.kind == "incomplete" and "contradicts" in one.what]


def test_an_option_that_says_another_release_than_the_files_leaves_open_what_runs() -> None:
    assert any("4.1.0" in what for what in incomplete(Options(kafka_version="3.9")))
    assert any("4.1-IV1" in what for what in incomplete(Options(metadata_version="4.0")))
    assert incomplete(Options(kafka_version="4.1")) == incomplete(Options()) == []


def test_a_feature_of_another_level_than_the_described_one_does_so_too() -> None:
    described = ("features.txt", FEATURES, True)
    assert incomplete(Options(features=("group.version=0",)), described)
    assert not incomplete(Options(features=("group.version=1",)), described)


def test_nodes_do_not_start_with_a_metadata_version_above_their_software() -> None:
    made = audit(
        *read_cluster_texts([("kafka.yaml", STRIMZI, True)], Options(kafka_version="3.9"), "x"), AuditRequest()
    )
    assert made.exit == 1
    assert any(one["kind"] == "does not start" for one in made.document["outages"])


COMPOSE = """services:
  kafka:
    image: apache/kafka:3.9.0
    environment:
      KAFKA_NODE_ID: 1
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
      KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@localhost:9093
"""


def test_an_option_of_a_newer_release_than_the_files_asks_about_an_upgrade() -> None:
    """The verdict is of the release that is planned, and says so first; metadata.version is that of the files."""
    assert incomplete(Options(kafka_version="4.3")) == []
    read = read_cluster_texts([("kafka.yaml", STRIMZI, True)], Options(kafka_version="4.3"), "x")
    versions = read[0].versions
    assert versions.metadata_version is not None and versions.metadata_version.value == "4.1-IV1"
    made = audit(*read, AuditRequest(seconds=0.0)).document
    assert made["summary"]["headline"].startswith("as if upgraded from 4.1.0 to 4.3: ")
    assert any(said.startswith("as if upgraded from 4.1.0 (kafka.yaml:") for said in made["assumptions"])


def test_an_upgrade_turns_nothing_on_that_metadata_version_holds_back() -> None:
    """Where no file states it, it is at most that of the release before: there are no eligible leader replicas."""
    cluster, _ = read_cluster_texts([("c.yml", COMPOSE, True)], Options(kafka_version="4.1"), "x")
    assert cluster.versions.metadata_version is not None and cluster.versions.metadata_version.value == "3.9"
    variants = [variant.signature for subject in cluster_subjects(cluster) for variant in subject.variants]
    assert variants and not any(signature.constants["elr"] for signature in variants)


@pytest.mark.parametrize("kafka", ["4.1", "4.2"])
def test_files_that_contradict_each_other_are_no_upgrade(kafka: str) -> None:
    """Nobody says which of them is upgraded."""
    other = ("d.yml", COMPOSE.replace("3.9.0", "4.0.0").replace("_NODE_ID: 1", "_NODE_ID: 2"), True)
    texts = [("c.yml", COMPOSE, True), other]
    cluster, findings = read_cluster_texts(texts, Options(kafka_version=kafka), "x")
    assert cluster.versions.upgraded_from is None
    assert any(finding.kind == "incomplete" for finding in findings)
