"""What may set up brokers and is not read: hooks, init containers, mounts, scripts, templates, other tools' files.

Also of: `options`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.auditing import read_cluster, read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options

from ...support.compose import SERVICE, incomplete, services

PODS = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: kafka}}
spec:
  replicas: 3
  template:
    spec:
      volumes: [{volumes}]
      initContainers: [{init}]
      containers:
        - name: kafka
          image: confluentinc/cp-kafka:7.4.0
          {command}
          lifecycle: {{{hooks}}}
          volumeMounts: [{mounts}]
          envFrom: [{source}]
          env:
            - {{name: KAFKA_ZOOKEEPER_CONNECT, value: z}}
            - {{name: KAFKA_MIN_INSYNC_REPLICAS, value: "2"}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: c}}
data:
  KAFKA_DEFAULT_REPLICATION_FACTOR: "1"
  KAFKA_MIN_INSYNC_REPLICAS: "1"
  sound.sh: |
    export KAFKA_NODE_ID=${{HOSTNAME##*-}}
    exec /etc/confluent/docker/run
  bad.sh: |
    export KAFKA_MIN_INSYNC_REPLICAS=1
    exec /etc/confluent/docker/run
"""


def pods(**more: str) -> tuple[Cluster, tuple[Finding, ...]]:
    names = ("volumes", "init", "hooks", "mounts", "source", "command")
    return read_cluster_texts(
        [("k.yaml", PODS.format(**{name: more.get(name, "") for name in names}), True)], Options(), "x"
    )


def test_pods_of_which_all_is_read_leave_nothing_open() -> None:
    assert not incomplete(pods()[1])


@pytest.mark.parametrize(
    ("command", "undecided"),
    [
        ("command: [/scripts/start.sh]", True),
        ("command: [/scripts/start]", True),
        ("command: [/bin/bash, -ec, /scripts/kafka-init.sh]", True),
        ("command: [/bin/bash, -ec, /scripts/connect-kafka.sh]", True),
        ("command: [sh, -c, '. /opt/more.sh && exec /etc/confluent/docker/run']", True),
        ("command: [sh, -c, 'exec /scripts/sound.sh']", False),
        ("command: [sh, -c, 'exec /scripts/bad.sh']", True),
        ("args: [/etc/confluent/docker/run]", False),
        ("command: [/bin/sh, -c, 'kafka-storage.sh format -t x; exec /etc/confluent/docker/run']", False),
        ("command: [sh, -c, 'run & kafka-configs --alter --add-config min.insync.replicas=1']", True),
    ],
)
def test_a_script_under_any_name_is_not_passed_over(command: str, undecided: bool) -> None:
    mounted = {"volumes": "{name: v, configMap: {name: c}}", "mounts": "{name: v, mountPath: /scripts}"}
    assert bool(incomplete(pods(command=command, **mounted)[1])) is undecided


@pytest.mark.parametrize(
    ("init", "undecided"),
    [
        ("{name: i, image: busybox, command: [sh, -c, 'chown -R 1000 /data']}", False),
        ("{name: i, image: busybox, command: [sh, -c, 'until nc -z z 2181; do sleep 1; done']}", False),
        ("{name: i, image: busybox, command: [sh, -c, 'cp /x/server.properties /config']}", True),
        ("{name: i, image: busybox, command: [sh, -c, 'echo export KAFKA_MIN_INSYNC_REPLICAS=1 > /c/env']}", True),
        ("{name: i, image: busybox, command: [/scripts/init.sh]}", True),
        ("{name: i, image: our/config-writer}", True),
    ],
)
def test_an_init_container_that_may_write_settings_is_named(init: str, undecided: bool) -> None:
    found = incomplete(pods(init=init)[1])
    assert ["init container i may write Kafka's settings" in what for what in found] == [True] * undecided


@pytest.mark.parametrize("hook", ["postStart", "preStop"])
@pytest.mark.parametrize(
    ("command", "undecided"),
    [
        ("kafka-configs.sh --alter --entity-default --entity-type brokers --add-config min.insync.replicas=1", True),
        ("/opt/kafka/bin/kafka-server-stop.sh", False),
    ],
)
def test_a_hook_that_may_change_settings_is_named(hook: str, command: str, undecided: bool) -> None:
    found = incomplete(pods(hooks=f"{hook}: {{exec: {{command: [sh, -c, '{command}']}}}}")[1])
    assert [f"the {hook} hook" in what for what in found] == [True] * undecided


def test_variables_of_a_map_are_read_and_those_of_the_container_are_stronger() -> None:
    cluster, findings = pods(source="{configMapRef: {name: c}}")
    settings = {setting.key: setting.value for setting in cluster.brokers[0].settings}
    assert settings["default.replication.factor"] == "1" and settings["min.insync.replicas"] == "2"
    assert not incomplete(findings)


@pytest.mark.parametrize("source", ["{configMapRef: {name: gone}}", "{secretRef: {name: s}}"])
def test_variables_that_are_not_in_the_file_leave_the_audit_undecided(source: str) -> None:
    assert ["envFrom" in what for what in incomplete(pods(source=source)[1])] == [True]


@pytest.mark.parametrize(
    ("volume", "target", "undecided"),
    [
        ("configMap: {name: gone}", "/etc/kafka", True),
        ("secret: {secretName: s}", "/mnt/x/server.properties", True),
        ("secret: {secretName: s}", "/etc/kafka/secrets", False),
        ("configMap: {name: gone}", "/etc/kafka/log4j.properties", False),
        ("emptyDir: {}", "/etc/kafka", False),
    ],
)
def test_a_mounted_file_of_settings_that_is_not_read_is_named(volume: str, target: str, undecided: bool) -> None:
    _, findings = pods(volumes=f"{{name: v, {volume}}}", mounts=f"{{name: v, mountPath: {target}}}")
    assert ["which may have settings of Kafka" in what for what in incomplete(findings)] == [True] * undecided


@pytest.mark.parametrize(
    ("more", "undecided"),
    [
        ("volumes: ['./config:/mnt/shared/config']", True),
        ("volumes: [{type: bind, source: ./s, target: /mnt/shared/config/server.properties}]", True),
        ("configs: [{source: s, target: /opt/kafka/config/server.properties}]", True),
        ("volumes: ['data:/var/lib/kafka/data', './log4j.properties:/opt/kafka/config/log4j.properties']", False),
    ],
)
def test_a_file_of_settings_that_a_service_mounts_is_named(more: str, undecided: bool) -> None:
    assert ["mounted" in what for what in incomplete(services(more)[1])] == [True] * undecided


def test_settings_that_another_service_alters_leave_the_audit_undecided() -> None:
    alter = "kafka-configs --bootstrap-server k1:9092 --alter --entity-type brokers --entity-default --add-config x=1"
    assert ["a command alters" in what for what in incomplete(services(command=alter)[1])] == [True]
    assert not incomplete(services(command=alter.replace("--alter", "--describe").partition(" --add")[0])[1])


@pytest.mark.parametrize(
    ("name", "text", "undecided"),
    [
        ("kafka.service", "[Service]\nExecStart=/k/kafka-server-start.sh /etc/k/server.properties\n", False),
        ("kafka.service", "[Service]\nExecStart=/k/kafka-server-start.sh /etc/k/other.properties\n", True),
        (
            "kafka.service",
            "ExecStart=/k/kafka-server-start.sh server.properties --override min.insync.replicas=1\n",
            True,
        ),
        ("kafka.service", "[Service]\nEnvironment=KAFKA_OPTS=-Dx=y\n", False),
        ("start.sh", "docker run -e KAFKA_MIN_INSYNC_REPLICAS=1 apache/kafka\n", True),
        ("start.sh", "export KAFKA_HOME=/opt KAFKA_HEAP_OPTS=-Xmx4g\n", False),
        ("topics.sh", "kafka-topics.sh --create --topic x --replication-factor 1\n", True),
        ("look.sh", "kafka-topics.sh --describe; kafka-configs.sh --describe --entity-type brokers\n", False),
        ("kafka-server-start.sh", 'exec $base_dir/kafka-run-class.sh $EXTRA_ARGS kafka.Kafka "$@"\n', False),
        ("Dockerfile", "FROM apache/kafka\nENV KAFKA_MIN_INSYNC_REPLICAS=1\n", True),
        ("Dockerfile", "FROM openjdk\nENV KAFKA_VERSION=3.9.0\n", False),
        ("server.properties.j2", "min.insync.replicas={{ min_isr }}\n", True),
        ("group_vars.yml", "kafka_broker_custom_properties: {min.insync.replicas: 1}\n", True),
        ("stack.json", '{"ServerProperties": "default.replication.factor=1"}\n', True),
        ("audit.json", '{"tool": "tidegate 0.1.0", "settings": "min.insync.replicas"}\n', False),
        ("topic.yaml", "apiVersion: platform.confluent.io/v1beta1\nkind: KafkaTopic\nspec: {replicas: 1}\n", True),
        ("kustomization.yaml", "resources: [a.yaml]\npatches: [{path: p.yaml}]\n", True),
        ("kustomization.yaml", "resources: [a.yaml]\n", False),
        ("override.conf", "[Service]\nExecStart=/k/kafka-server-start.sh x.properties --override a=1\n", True),
        ("run", "#!/bin/sh\nKAFKA_DEFAULT_REPLICATION_FACTOR=1 exec /etc/kafka/docker/run\n", True),
        ("kafka.env", "KAFKA_MIN_INSYNC_REPLICAS=1\n", True),
        ("kafka.env", "KAFKA_HEAP_OPTS=-Xmx1g\n", False),
        ("app.yaml", "apiVersion: apps/v1\nkind: Deployment\n", False),
        ("main.tf", 'resource "aws_msk_configuration" "x" { server_properties = "min.insync.replicas=1" }\n', True),
        ("main.tf", 'resource "aws_instance" "x" {}\n', False),
        ("values.yaml", "minInsyncReplicas: 1\n", True),
        ("values.yaml", "replicaCount: 3\n", False),
        ("templates.yaml", "a: {{ .Values.minInsyncReplicas }}\n", True),
    ],
)
def test_what_a_folder_has_beside_is_not_passed_over(tmp_path: Path, name: str, text: str, undecided: bool) -> None:
    (tmp_path / "server.properties").write_text("broker.id=1\nzookeeper.connect=z\nmin.insync.replicas=2\n")
    (tmp_path / name).write_text(text)
    cluster, findings = read_cluster([tmp_path])
    assert [broker.id for broker in cluster.brokers] == [1]
    assert [name in what for what in incomplete(findings)] == [True] * undecided


def test_values_beside_what_their_chart_rendered_leave_nothing_open(tmp_path: Path) -> None:
    names = ("volumes", "init", "hooks", "mounts", "source", "command")
    (tmp_path / "rendered.yaml").write_text(PODS.format(**dict.fromkeys(names, "")))
    (tmp_path / "values.yaml").write_text("minInsyncReplicas: 1\n")
    assert not incomplete(read_cluster([tmp_path])[1])


@pytest.mark.parametrize(
    ("command", "one_id"),
    [
        ("", True),
        ("command: [sh, -c, 'export KAFKA_BROKER_ID=${HOSTNAME##*-}; exec /etc/confluent/docker/run']", False),
    ],
)
def test_pods_that_are_all_given_one_id_are_named(command: str, one_id: bool) -> None:
    names = ("volumes", "init", "hooks", "mounts", "source")
    text = PODS.format(**dict.fromkeys(names, ""), command=command)
    text = text.replace("env:\n", "env:\n            - {name: KAFKA_BROKER_ID, value: '1'}\n")
    _, findings = read_cluster_texts([("k.yaml", text, True)], Options(), "x")
    assert ["3 pods are given one id, 1" in what for what in incomplete(findings)] == [True] * one_id


@pytest.mark.parametrize(("line", "undecided"), [("COMPOSE_FILE=a.yml:b.yml", True), ("MIN_ISR=2", False)])
def test_files_that_the_environment_names_for_compose_are_not_passed_over(
    tmp_path: Path, line: str, undecided: bool
) -> None:
    (tmp_path / "compose.yml").write_text(SERVICE.format(more="", command="[sleep]"))
    (tmp_path / ".env").write_text(f"{line}\n")
    for given in (tmp_path, tmp_path / "compose.yml"):
        assert ["COMPOSE_FILE" in what for what in incomplete(read_cluster([given])[1])] == [True] * undecided


def test_a_clients_file_of_tests_says_nothing_of_the_program(tmp_path: Path) -> None:
    """Of a folder; one that the user names is read."""
    file = tmp_path / "src" / "test" / "resources" / "application.yml"
    file.parent.mkdir(parents=True)
    file.write_text("spring:\n  kafka:\n    producer:\n      acks: all\n", encoding="utf-8")
    (tmp_path / "b.properties").write_text("broker.id=1\nzookeeper.connect=z1,z2,z3\n", encoding="utf-8")
    cluster, findings = read_cluster([tmp_path])
    assert cluster.clients == () and any("it is of a program's tests" in finding.what for finding in findings)
    assert read_cluster([tmp_path / "b.properties", file])[0].clients


TERRAFORM = (
    'resource "aws_msk_configuration" "c" {\n  server_properties = <<EOT\nlog.flush.interval.messages=1\nEOT\n}\n'
)


CLOUD_FORMATION = (
    "Resources:\n  Conf:\n    Type: AWS::MSK::Configuration\n"
    "    Properties: {ServerProperties: log.flush.interval.messages=1}\n"
)


@pytest.mark.parametrize(("name", "text", "line"), [("m.tf", TERRAFORM, 1), ("m.yaml", CLOUD_FORMATION, 3)])
def test_a_configuration_of_msk_is_said_to_be_open_and_how_it_is_given(
    tmp_path: Path, name: str, text: str, line: int
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "t.txt").write_text("Topic: t\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: \n", encoding="utf-8")
    found = [
        finding for finding in read_cluster([tmp_path])[1] if finding.kind == "incomplete" and "MSK" in finding.what
    ]
    assert [(finding.where.line, "describe-configuration-revision" in finding.to_do) for finding in found] == [
        (line, True)
    ]


PRINTED = """\
✗ 1 of 3 groups of topics fails what is required (standard)

✗ orders: acknowledged records survive any one crash
    with the ISR at 1, which min.insync.replicas=1 allows to be written to
  repair: on every broker
default.replication.factor=3
min.insync.replicas=2
    then restart one broker after the other, each when the one before it is
    in every ISR again
"""


@pytest.mark.parametrize(("name", "named"), [("out.txt", False), ("audit.log", True), ("saved", True)])
def test_what_an_audit_has_printed_is_no_broker(name: str, named: bool) -> None:
    """Its repair's settings were those of one more broker, without an id."""
    broker = "process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@a:9093\n"
    texts = [("server.properties", broker, True), (name, PRINTED, named)]
    cluster, findings = read_cluster_texts(texts, Options(), "x")
    assert len(cluster.brokers) == 1
    assert [(left.path, left.reason) for left in cluster.unread] == [(name, "it is what an audit has printed")]
    assert not [finding for finding in findings if finding.where.path == name]


@pytest.mark.parametrize("line", ["{key}={value}", "{key}: {value}", "{key} {value}", "  {key} = {value}"])
def test_a_text_of_settings_is_one_however_they_are_written(line: str) -> None:
    settings = {"broker.id": "1", "zookeeper.connect": "z:2181", "min.insync.replicas": "2", "log.dirs": "/a,/b"}
    text = "\n".join(["# of the first broker", *(line.format(key=key, value=settings[key]) for key in settings)])
    cluster, _ = read_cluster_texts([("broker-1", text, True)], Options(), "x")
    assert len(cluster.brokers) == 1
