"""Producers that are set up by other than their own properties: Kafka Connect in every form, variables, arguments, and
what no reader knows. None of them is passed over beside another producer's file."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.answers.transactions import writes_transactions
from tidegate.audit.auditing import read_cluster, read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.subjects import cluster_subjects

BROKERS = {
    f"broker-{n}.properties": f"process.roles=broker\nnode.id={n}\nlog.dirs=/d\nmin.insync.replicas=2\n"
    for n in (1, 2, 3)
} | {"producer.properties": "acks=all\n"}

HEAD = "apiVersion: kafka.strimzi.io/v1beta2\nmetadata: {name: c}\n"
WORKER = HEAD + "kind: KafkaConnect\nspec:\n  config:\n    group.id: c\n    "
MIRRORS = (
    HEAD + "kind: KafkaMirrorMaker2\nspec:\n  connectCluster: b\n  clusters:\n    - {alias: a}\n    - alias: b\n"
    "      config:\n        "
)
BRIDGE = HEAD + "kind: KafkaBridge\nspec:\n  producer:\n    config:\n      acks: 1\n"
SERVICE = "services:\n  app:\n    image: x\n    "
DEPLOYED = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {containers: "
    "[{name: c, env: [{name: CONNECT_BOOTSTRAP_SERVERS, value: b}, {name: CONNECT_PRODUCER_ACKS, value: '1'}]}]}}}\n"
)
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  "


def of(folder: Path, files: dict[str, str]) -> tuple[Cluster, tuple[Finding, ...]]:
    """What is read of a folder with three brokers, one producer and these."""
    for name, text in (BROKERS | files).items():
        (folder / name).write_text(text, encoding="utf-8")
    return read_cluster([folder], Options(kafka_version="3.9", distribution="apache"))


def undecided_findings(findings: tuple[Finding, ...]) -> list[str]:
    return [finding.where.path.rpartition("/")[2] for finding in findings if finding.kind == "incomplete"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.yaml", WORKER + "producer.acks: 1\n"),
        ("c.yaml", HEAD + "kind: KafkaConnector\nspec:\n  config:\n    producer.override.acks: 1\n"),
        ("c.yaml", HEAD + "kind: KafkaSomething\nspec: {}\n"),
        ("c.yaml", HEAD + "kind: KafkaMirrorMaker2\nspec: {clusters: []}\n"),
        ("c.yaml", MIRRORS + "producer.acks: 1\n"),
        ("c.json", '{"name": "pg", "config": {"connector.class": "X", "producer.override.acks": "1"}}'),
        ("c.json", '[{"connector.class": "X", "producer.override.acks": "1"}]'),
        ("c.json", '{"config": {"connector.class": "X", "schema.history.internal.producer.acks": "1"}}'),
        ("c.json", '{"connector.class": "X", {{ more }}'),
        ("c.yml", "all:\n  pg:\n    connector.class: X\n    producer.override.acks: 0\n"),
        ("c.properties", "name=pg\nconnector.class=X\nproducer.override.acks=1\n"),
        ("compose.yml", SERVICE + "environment: {CONNECT_BOOTSTRAP_SERVERS: b, CONNECT_PRODUCER_ACKS: 1}\n"),
        ("compose.yml", SERVICE + "env_file: x.env\n    environment: [CONNECT_BOOTSTRAP_SERVERS=b]\n"),
        ("compose.yml", SERVICE + "environment: {KAFKA_REST_PRODUCER_ACKS: 1}\n"),
        ("compose.yml", SERVICE + "environment: {MP_MESSAGING_OUTGOING_X_RETRIES: 1}\n"),
        ("k.yaml", DEPLOYED),
        ("k.yaml", HEAD + "kind: KafkaUser\n---\n" + DEPLOYED),
        ("k.yaml", CONFIG_MAP + "connect.properties: |\n    producer.acks=1\n"),
        ("k.yaml", CONFIG_MAP + "app.yml: |\n    Kafka: {acks: 1}\n"),
        ("app.env", "SPRING_KAFKA_PRODUCER_ACKS=1\n"),
        ("start.sh", "exec java -jar app.jar --spring.kafka.producer.acks=1\n"),
        ("worker.service", "Environment=CONNECT_PRODUCER_ACKS=1\n"),
        ("settings.json", '{"Kafka": {"Producer": {"Acks": "Leader"}}}'),
        ("settings.yaml", "kafka:\n  producer:\n    acks: 1\n"),
    ],
)
def test_a_producer_of_another_program_is_not_passed_over(tmp_path: Path, name: str, text: str) -> None:
    assert name in undecided_findings(of(tmp_path, {name: text})[1])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.yaml", WORKER + "offset.storage.replication.factor: 3\n"),
        ("c.yaml", HEAD + "kind: KafkaUser\nspec: {}\n"),
        ("c.json", '{"name": "sink", "config": {"connector.class": "X", "producer.override.acks": "all"}}'),
        ("compose.yml", SERVICE + "environment: {CONNECT_BOOTSTRAP_SERVERS: b}\n"),
        ("other.json", '{"packs": 3, "name": "x"}'),
    ],
)
def test_what_sets_nothing_weaker_leaves_nothing_open(tmp_path: Path, name: str, text: str) -> None:
    cluster, findings = of(tmp_path, {name: text})
    assert not undecided_findings(findings)
    assert cluster.only_producer is not None


@pytest.mark.parametrize(
    ("name", "text", "topic"),
    [
        ("c.yaml", WORKER + "offset.storage.replication.factor: 1\n", "connect-cluster-offsets"),
        ("c.yaml", MIRRORS + "offset.storage.replication.factor: 1\n", "mirrormaker2-cluster-offsets"),
        (
            "c.yaml",
            MIRRORS + "x: y\n  mirrors: [{sourceConnector: {config: {replication.factor: 1}}}]\n",
            "(topics that MirrorMaker mirrors)",
        ),
        (
            "compose.yml",
            SERVICE + "environment: {CONNECT_OFFSET_STORAGE_TOPIC: o, CONNECT_OFFSET_STORAGE_REPLICATION_FACTOR: 1}\n",
            "o",
        ),
        ("c.json", '{"connector.class": "X", "topic.creation.default.replication.factor": 1}',
         "(topics that c creates)"),
        ("c.json", '{"connector.class": "X", "errors.deadletterqueue.topic.name": "d", '
         '"errors.deadletterqueue.topic.replication.factor": 1}', "d"),
    ],
)  # fmt: skip
def test_topics_of_connect_are_asked_about_in_every_form(tmp_path: Path, name: str, text: str, topic: str) -> None:
    cluster, _ = of(tmp_path, {name: text})
    assert {made.name: made.replication_factor for made in cluster.planned_topics}[topic] == 1


def test_the_bridge_is_a_producer_like_another(tmp_path: Path) -> None:
    cluster, _ = of(tmp_path, {"bridge.yaml": BRIDGE})
    assert cluster.only_producer is None
    assert cluster.client("c", "producer") is not None


def test_a_program_that_audit_toml_names_is_asked_about(tmp_path: Path) -> None:
    mapping = '[topic.orders]\nproducer = "pg"\n'
    connector = '{"name": "pg", "config": {"connector.class": "X", "producer.override.acks": "1"}}'
    _, findings = of(tmp_path, {"c.json": connector, "audit.toml": mapping})
    assert "c.json" not in undecided_findings(findings)


def test_a_tree_that_audit_toml_names_is_not_read_as_lines(tmp_path: Path) -> None:
    files = {"app.yaml": "kafka: {wait: 1}\n", "audit.toml": '[topic.orders]\nproducer = "app.yaml"\n'}
    assert "app.yaml" in undecided_findings(of(tmp_path, files)[1])


@pytest.mark.parametrize(
    ("first", "second", "writers", "named"),
    [
        ("ord.*", "orders", {"weak.properties"}, 1),
        ("orders", "ord.*", {"producer.properties"}, 1),
        ("ord.*", ".*rs", {"producer.properties", "weak.properties"}, 0),
    ],
)
def test_the_entry_of_a_topics_name_is_stronger_than_patterns_of_which_all_count(
    tmp_path: Path, first: str, second: str, writers: set[str], named: int
) -> None:
    mapping = f'[topic."{first}"]\nproducer = "producer.properties"\n[topic."{second}"]\nproducer = "weak.properties"\n'
    topics = (
        "Topic: orders\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
        "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
    )
    files = {"weak.properties": "acks=1\n", "topics.txt": topics, "audit.toml": mapping}
    cluster, findings = of(tmp_path, files)
    use = cluster.use_of("orders")
    assert use is not None
    assert set(use.producers) == writers
    assert len([finding for finding in findings if "counts for nothing" in finding.what]) == named


def test_of_several_clusters_of_a_mirror_the_weakest_acks_counts(tmp_path: Path) -> None:
    text = (
        "clusters=a,b\na.bootstrap.servers=x:1\nb.bootstrap.servers=y:1\na.producer.acks=1\nb.producer.acks=all\n"
        "a->b.enabled=true\n"
    )
    cluster, findings = of(tmp_path, {"mm2.properties": text})
    producer = cluster.client("mm2.properties", "producer")
    assert producer is not None
    assert [setting.value for setting in producer.settings if setting.key == "acks"][-1] == "1"
    assert "mm2.properties" in undecided_findings(findings)


@pytest.mark.parametrize(
    ("support", "expected"), [("enabled", "yes"), ("ENABLED", "yes"), ("preparing", "unknown"), ("disabled", "unknown")]
)
def test_sources_that_write_exactly_once_write_transactions(tmp_path: Path, support: str, expected: str) -> None:
    """KIP-618: idempotence and a transactional id are set whatever is stated; a worker's other producers have none."""
    text = "group.id=c\nkey.converter=x\nvalue.converter=x\nproducer.enable.idempotence=false\n"
    cluster, _ = of(tmp_path, {"connect.properties": f"{text}exactly.once.source.support={support}\n"})
    worker = cluster.client("connect.properties", "producer")
    assert worker is not None and writes_transactions(cluster) == expected
    stated = {setting.key: setting.value for setting in worker.settings}
    assert stated["enable.idempotence"] == ("true" if expected == "yes" else "false")


def test_settings_for_topics_with_a_cluster_that_is_not_the_target_have_no_effect(tmp_path: Path) -> None:
    clusters = (
        "  - alias: dst\n    config: {group.id: m}\n"
        "  - alias: src\n    config: {config.storage.replication.factor: 3, status.storage.replication.factor: 3}\n"
    )
    text = HEAD + "kind: KafkaMirrorMaker2\nspec:\n  connectCluster: dst\n  clusters:\n" + clusters
    where = "with cluster src of c has no effect: it is not the target of the workers"
    found = [finding.what for finding in of(tmp_path, {"m.yaml": text})[1] if "not the target" in finding.what]
    assert found == [f"`config.storage.replication.factor=3` and 1 more {where}"]
    assert not [
        f
        for f in of(tmp_path, {"m.yaml": text.replace("connectCluster: dst", "connectCluster: src")})[1]
        if "not the target" in f.what
    ]


def test_where_nothing_is_known_of_the_brokers_it_is_asked_for_them() -> None:
    worker = "group.id=g\nconfig.storage.topic=c\nkey.converter=x\nvalue.converter=y\n"
    found = cluster_subjects(
        read_cluster_texts([("w.properties", worker, True)], Options(distribution="apache"), "x")[0]
    )
    assert found and not any(subject.variants for subject in found)
    assert found[0].not_checked.startswith("too much is not stated (min.insync.replicas, version")
