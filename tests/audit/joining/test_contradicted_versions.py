"""A version or a level that is stated in two places which differ is said, and what runs is not known."""

from __future__ import annotations

from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.joining.options import Options

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
