"""Spring Boot's settings: in every spelling, common to all clients, and from variables and arguments."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options
from tidegate.audit.readers.yamls import yaml_documents


def of(files: dict[str, str]) -> tuple[Cluster, list[Finding]]:
    texts = [(name, text, True) for name, text in files.items()]
    cluster, findings = read_cluster_texts(texts, Options(kafka_version="3.9", distribution="apache"), "x")
    return cluster, list(findings)


def acks(cluster: Cluster, name: str) -> str | None:
    """What is in force last, which counts."""
    client = cluster.client(name, "producer")
    found = [setting.value for setting in client.settings if setting.key == "acks"] if client is not None else []
    return found[-1] if found else None


@pytest.mark.parametrize(
    "text",
    [
        'spring: {kafka: {properties: {"[acks]": 1}}}',
        "spring: {kafka: {properties: {acks: 1}}}",
        "spring.kafka.properties.acks: 1",
        'spring: {kafka: {bootstrap-servers: b, properties: {"[acks]": 1}}}',
        "spring: {kafka: {properties: {acks: 1}, consumer: {group-id: g}}}",
        "spring.kafka.producer.Acks: 1",
        "spring: {kafka: {Producer: {ACKS: 1}}}",
        "Spring: {Kafka: {producer: {acks: 1}}}",
        "spring: {kafka: {producer: {properties: {acks: 1}, acks: all}}}",
        "spring: {kafka: {producer: {acks: 1}, properties: {acks: all}}}",
    ],
)
def test_acks_of_a_document_in_every_form(text: str) -> None:
    assert acks(of({"application.yml": text + "\n"})[0], "application.yml") == "1"


@pytest.mark.parametrize(
    "line", ["spring.kafka.properties.acks=1", "spring.kafka.properties[acks]=1", "spring.kafka.producer.ACKS=1"]
)
def test_acks_of_lines_in_every_form(line: str) -> None:
    cluster, _ = of({"application.properties": line + "\n", "producer.properties": "acks=all\n"})
    assert acks(cluster, "application.properties") == "1"
    assert cluster.only_producer is None


def test_names_that_relax_are_no_typos() -> None:
    text = "spring.kafka.producer.CompressionType=gzip\nspring.kafka.producer.Transaction_Id_Prefix=x\n"
    cluster, findings = of({"application.properties": text})
    (producer,) = [client for client in cluster.clients if client.kind == "producer"]
    assert {setting.key for setting in producer.settings} == {
        "compression.type",
        "transactional.id",
    }
    assert not [finding for finding in findings if finding.kind in ("typo", "unknown_key")]


@pytest.mark.parametrize(
    "service",
    [
        "environment: {SPRING_KAFKA_PROPERTIES_ACKS: 1}",
        "environment: {spring.kafka.producer.acks: 1}",
        "environment: {spring_kafka_producer_acks: 1}",
        'environment: {JAVA_TOOL_OPTIONS: "-Xmx1g -Dspring.kafka.producer.acks=1"}',
        'command: ["--spring.kafka.producer.acks=1"]',
        "entrypoint: java -Dspring.kafka.properties.acks=1 -jar app.jar",
    ],
)
def test_what_is_stronger_than_the_file_leaves_acks_open(service: str) -> None:
    files = {
        "application.yml": "spring: {kafka: {producer: {acks: all}}}\n",
        "compose.yml": f"services:\n  app:\n    image: x\n    {service}\n",
    }
    client = of(files)[0].client("application.yml", "producer")
    assert client is not None
    assert ("1", "the environment of app") in {(s.value, s.when) for s in client.settings if s.key == "acks"}


@pytest.mark.parametrize("argument", ["--spring.config.location=/x", "--spring.application.json={}"])
def test_arguments_that_bring_other_files_are_named(argument: str) -> None:
    compose = f'services:\n  app:\n    image: x\n    command: ["{argument}"]\n'
    _, findings = of({"compose.yml": compose, "producer.properties": "acks=all\n"})
    assert [finding for finding in findings if finding.kind == "incomplete"]


def test_streams_in_springs_files_are_named() -> None:
    text = "spring: {kafka: {streams: {application-id: s, properties: {producer.acks: 1}}}}\n"
    _, findings = of({"application.yml": text, "producer.properties": "acks=all\n"})
    assert [finding for finding in findings if finding.kind == "incomplete"]


@pytest.mark.parametrize(
    ("written", "is_read"),
    [
        ("no", "false"),
        ("Off", "false"),
        ("ON", "true"),
        ("True", "true"),
        ('"no"', "no"),
        ("0x1", "1"),
        ("010", "8"),
        ("1_000", "1000"),
        ("-1", "-1"),
        ("0", "0"),
        ("nO", "nO"),
        ("_", "_"),
    ],
)
def test_scalars_without_quotes_are_those_of_yaml_1_1(written: str, is_read: str) -> None:
    cluster, _ = of({"application.yml": f"spring: {{kafka: {{producer: {{properties: {{x: {written}}}}}}}}}\n"})
    (producer,) = [client for client in cluster.clients if client.kind == "producer"]
    (leaf,) = yaml_documents(f"x: {written}")[0].leaves()
    assert (leaf.typed_text, len(producer.settings)) == (is_read, 1)


def test_an_idempotence_that_is_off_is_no_value_that_is_wrong() -> None:
    text = "spring: {kafka: {producer: {acks: all, properties: {enable.idempotence: off}}}}\n"
    cluster, findings = of({"application.yml": text})
    client = cluster.client("application.yml", "producer")
    assert client is not None
    assert "false" in {setting.value for setting in client.settings if setting.key == "enable.idempotence"}
    assert not [finding for finding in findings if finding.kind == "wrong_value"]


@pytest.mark.parametrize(
    ("own", "counts"),
    [
        ("enable-idempotence: false", None),
        ("enableIdempotence: false", None),
        ("enable.idempotence: false", None),
        ("max-in-flight-requests-per-connection: 7", None),
        ("RETRIES: 0", ("retries", "0")),
        ("transactionIdPrefix: tx-", ("transactional.id", "tx-")),
        ("buffer_memory: 1", ("buffer.memory", "1")),
        ("properties: {enable.idempotence: false}", ("enable.idempotence", "false")),
        ("properties: {enable: {idempotence: false}}", ("enable.idempotence", "false")),
    ],
)
def test_what_springs_producer_has_no_field_for_does_not_count(own: str, counts: tuple[str, str] | None) -> None:
    """KafkaProperties.Producer binds a dozen names; `enable-idempotence` is none of them, as it looks."""
    cluster, findings = of({"application.yml": f"spring:\n  kafka:\n    producer:\n      {own}\n"})
    client = cluster.client("application.yml", "producer")
    assert client is not None
    assert {(s.key, s.value) for s in client.settings} == ({counts} if counts else set())
    named = [finding for finding in findings if "Spring Boot has no such setting" in finding.what]
    assert [finding.where.line for finding in named] == ([] if counts else [4])


def test_strimzis_unclean_elections_may_be_written_as_yes() -> None:
    text = (
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: c}\nspec:\n  kafka:\n    replicas: 3\n"
        "    config: {unclean.leader.election.enable: yes, min.insync.replicas: '２'}\n"
    )
    cluster, findings = of({"k.yaml": text})
    values = {setting.key: setting.value for setting in cluster.brokers[0].settings}
    assert values["unclean.leader.election.enable"] == "true"
    assert ["min.insync.replicas" in f.what for f in findings if f.kind == "wrong_value"] == [True]


@pytest.mark.parametrize("digit", ["２", "٢"])
def test_digits_of_other_scripts_are_none_in_latin_1(digit: str) -> None:
    """`Utils.loadProps` reads bytes; what is escaped is a digit for Java too."""
    head = "process.roles=broker\nnode.id=1\nlog.dirs=/d\n"
    _, raw = of({"server.properties": f"{head}min.insync.replicas={digit}\n"})
    _, composed = of(
        {"compose.yml": f"services: {{b: {{environment: {{KAFKA_NODE_ID: 1, KAFKA_LOG_RETENTION_MS: {digit}}}}}}}\n"}
    )
    assert [finding for finding in raw if finding.kind == "wrong_value"]
    assert [finding for finding in composed if finding.kind == "wrong_value"]
