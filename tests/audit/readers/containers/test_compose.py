"""Compose files: which services are started, what their commands set, and the override file beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.auditing import read_cluster, read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options

SERVICE = """\
  k{id}:
    image: apache/kafka:3.9.0
{more}
    environment:
      KAFKA_NODE_ID: {id}
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@k1:9093,2@k2:9093,3@k3:9093
      KAFKA_DEFAULT_REPLICATION_FACTOR: 3
"""


def compose(*more: str) -> str:
    """A compose file of a broker for each text, which stands among its service's keys."""
    services = (SERVICE.format(id=i, more=f"    {text}" if text else "") for i, text in enumerate(more, 1))
    return "services:\n" + "".join(services)


def of(text: str) -> tuple[Cluster, tuple[Finding, ...]]:
    return read_cluster_texts([("docker-compose.yml", text, True)], Options(kafka_version="3.9.0"), "x")


def incomplete(findings: tuple[Finding, ...]) -> list[str]:
    """What leaves the audit undecided."""
    return [finding.what for finding in findings if finding.kind == "incomplete"]


def brokers(cluster: Cluster) -> list[int | None]:
    return [broker.id for broker in cluster.brokers if broker.keeps_topics]


@pytest.mark.parametrize("more", ["scale: 0", "deploy: {replicas: 0}"])
def test_a_service_that_is_scaled_to_0_is_no_broker(more: str) -> None:
    cluster, findings = of(compose("", more, more))
    assert brokers(cluster) == [1]
    *of_services, of_voter = incomplete(findings)
    assert len(of_services) == 2 and all("no container of it is started" in text for text in of_services)
    assert "nobody reaches that voter" in of_voter


@pytest.mark.parametrize("more", ["scale: 2", "deploy: {replicas: 3}", "scale: ${N:-1}"])
def test_how_many_containers_a_scaled_service_has_is_not_guessed(more: str) -> None:
    cluster, findings = of(compose("", "", more))
    assert brokers(cluster) == [1, 2, 3]
    assert ["is not read" in text for text in incomplete(findings)] == [True]


def test_a_scale_of_1_says_nothing_new() -> None:
    cluster, findings = of(compose("scale: 1", "deploy: {replicas: 1}", ""))
    assert brokers(cluster) == [1, 2, 3] and not incomplete(findings)


def test_a_profile_that_only_some_brokers_have_leaves_the_audit_undecided() -> None:
    ha = "profiles: [ha]"
    cluster, findings = of(compose("", ha, ha))
    assert brokers(cluster) == [1, 2, 3]
    assert ["service k2 starts only with a profile" in text for text in incomplete(findings)] == [True]


def test_a_profile_that_all_brokers_have_is_an_assumption() -> None:
    cluster, findings = of(compose(*["profiles: [ha, other]"] * 3))
    assert not incomplete(findings)
    assert any("`--profile ha`" in assumption for assumption in cluster.assumptions)


def value(cluster: Cluster, key: str) -> set[str]:
    """What the brokers' settings say of a key."""
    return {setting.value for broker in cluster.brokers for setting in broker.settings if setting.key == key}


START = "/opt/kafka/bin/kafka-server-start.sh"


@pytest.mark.parametrize(
    "more",
    [
        f"command: [{START}, /mnt/server.properties, --override, default.replication.factor=1]",
        f"command: {START} /mnt/server.properties --override default.replication.factor=1",
        f"entrypoint: [sh, -c, 'exec {START} /x.properties --override \"default.replication.factor=1\"']",
    ],
)
def test_what_a_command_overrides_is_stronger_than_a_variable(more: str) -> None:
    cluster, findings = of(compose(more, more, more))
    assert value(cluster, "default.replication.factor") == {"1"}
    assert ["starts Kafka by itself" in text for text in incomplete(findings)] == [True] * 3


@pytest.mark.parametrize(
    ("command", "undecided"),
    [
        ("export KAFKA_MIN_INSYNC_REPLICAS=1; exec /etc/confluent/docker/run", True),
        ("env KAFKA_MIN_INSYNC_REPLICAS=1 /etc/kafka/docker/run", True),
        ("sed -i s/2/1/ /opt/kafka/config/server.properties; run", True),
        ("run --override $$MORE", True),
        ("export KAFKA_NODE_ID=$${HOSTNAME##*-}; echo $KAFKA_HOME; exec /etc/confluent/docker/run", False),
        ("/opt/bitnami/scripts/kafka/run.sh", False),
    ],
)
def test_a_command_that_may_set_what_is_not_read_leaves_the_audit_undecided(command: str, undecided: bool) -> None:
    _, findings = of(compose(f"command: [sh, -c, '{command}']", "", ""))
    assert bool(incomplete(findings)) is undecided


PODS = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: kafka}}
spec:
  replicas: 3
  template:
    spec:
      volumes: [{{name: c, configMap: {{name: c}}}}]
      containers:
        - name: kafka
          volumeMounts: [{{name: c, mountPath: /etc/kafka}}]
          image: confluentinc/cp-kafka:7.4.0
          {key}: [sh, -c, "exec kafka-server-start /etc/kafka/server.properties {more}"]
          env: [{env}]
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: c}}
data:
  server.properties: |
    zookeeper.connect=z
    min.insync.replicas=2
"""


@pytest.mark.parametrize("key", ["command", "args"])
@pytest.mark.parametrize(
    ("more", "env", "expected", "undecided"),
    [
        ("", "", "2", False),
        ("--override min.insync.replicas=1 --override broker.id=${{HOSTNAME##*-}}", "", "1", False),
        ("--override min.insync.replicas=$(MIN)", "", "${}", False),
        ("", "{name: KAFKA_DEFAULT_REPLICATION_FACTOR, value: '3'}", "2", True),
        ("; KAFKA_X_Y=1 run", "", "2", True),
    ],
)
def test_what_the_command_of_a_pod_sets(key: str, more: str, env: str, expected: str, undecided: bool) -> None:
    text = PODS.format(key=key, more=more.replace("{{", "{").replace("}}", "}"), env=env)
    cluster, findings = read_cluster_texts([("kafka.yaml", text, True)], Options(), "x")
    assert value(cluster, "min.insync.replicas") == {expected} and len(cluster.brokers) == 3
    assert bool(incomplete(findings)) is undecided


@pytest.mark.parametrize("name", ["compose.yaml", "docker-compose.yml"])
@pytest.mark.parametrize("override", ["compose.override.yml", "docker-compose.override.yaml"])
def test_a_file_given_without_its_override_file_leaves_the_audit_undecided(
    tmp_path: Path, name: str, override: str
) -> None:
    main, other = tmp_path / name, tmp_path / override
    main.write_text(compose("", "", ""))
    other.write_text("services:\n  k1: {environment: {KAFKA_NODE_ID: 1, KAFKA_DEFAULT_REPLICATION_FACTOR: 1}}\n")
    cluster, findings = read_cluster([main])
    assert brokers(cluster) == [1, 2, 3]
    assert incomplete(findings) == [
        f"{other} was not read: `docker compose up` merges it into the compose file beside it"
    ]


def test_a_compose_file_without_an_override_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text(compose("", "", ""))
    (tmp_path / "compose.override.yml").mkdir()
    for path in (tmp_path, tmp_path / "compose.yaml"):
        assert not incomplete(read_cluster([path])[1])


@pytest.mark.parametrize(
    ("command", "made", "incomplete"),
    [
        ("kafka-topics.sh --bootstrap-server b:9092 --create --topic orders --replication-factor 1", ["orders"], False),
        ("kafka-topics.sh --bootstrap-server b:9092 --create --topic $$NAME --replication-factor 1", [], True),
        ("kafka-configs.sh --bootstrap-server b:9092 --alter --entity-type brokers --add-config a=b", [], True),
        ("kafka-topics.sh --bootstrap-server b:9092 --list", [], False),
    ],
)
def test_a_file_whose_services_only_create_topics_is_read(
    tmp_path: Path, command: str, made: list[str], incomplete: bool
) -> None:
    """Beside the brokers' own files: a topic with one replica was passed over in silence."""
    (tmp_path / "b.properties").write_text("node.id=1\nprocess.roles=broker\nlog.dirs=d\n", encoding="utf-8")
    text = f"services:\n  init:\n    image: apache/kafka:3.9.0\n    command: [sh, -c, '{command}']\n"
    (tmp_path / "docker-compose.yml").write_text(text, encoding="utf-8")
    cluster, findings = read_cluster([tmp_path], Options(kafka_version="3.9.0", distribution="apache", acks="all"))
    assert [topic.name for topic in cluster.planned_topics if topic.name == "orders"] == made
    assert any(finding.kind == "incomplete" and "command" in finding.what for finding in findings) == incomplete
