"""Topics that commands and variables of containers create."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options

from ....support.compose import incomplete, services


@pytest.mark.parametrize(
    ("command", "replicas", "least"),
    [
        ("kafka-topics --create --topic pay --partitions 3 --replication-factor 1 --bootstrap-server k1:9092", 1, None),
        (
            "[sh, -c, 'kafka-topics.sh --create --topic=pay --replication-factor=3 --config=min.insync.replicas=1; x']",
            3,
            "1",
        ),
    ],
)
def test_a_topic_that_a_command_creates_is_asked_about(command: str, replicas: int, least: str | None) -> None:
    cluster, findings = services(command=command)
    (topic,) = cluster.planned_topics
    assert (topic.name, topic.replication_factor) == ("pay", replicas)
    assert {setting.key: setting.value for setting in topic.settings}.get("min.insync.replicas") == least
    assert not incomplete(findings)


def test_a_topic_that_a_command_creates_by_a_variable_leaves_the_audit_undecided() -> None:
    _, findings = services(command='kafka-topics --create --topic "$$TOPIC" --replication-factor 1')
    assert ["a command creates a topic" in what for what in incomplete(findings)] == [True]


WITH_VARIABLE = """\
services:
  k:
    image: {image}
    environment: {{KAFKA_BROKER_ID: 1, KAFKA_CREATE_TOPICS: 'a:1:1,b:2:3:compact'}}
    command: {command}
"""


def _of_variable(image: str, command: str = "[]") -> tuple[dict[str, int | None], tuple[Finding, ...]]:
    text = WITH_VARIABLE.format(image=image, command=command)
    cluster, findings = read_cluster_texts([("compose.yml", text, True)], Options(), "x")
    return {topic.name: topic.replication_factor for topic in cluster.planned_topics}, findings


@pytest.mark.parametrize("image", ["wurstmeister/kafka", "registry.test/wurstmeister/kafka:2.13-2.8.1"])
def test_topics_of_the_images_own_variable_are_asked_about(image: str) -> None:
    created, findings = _of_variable(image)
    assert created == {"a": 1, "b": 3}
    assert not any("KAFKA_CREATE_TOPICS" in finding.what for finding in findings)


@pytest.mark.parametrize(
    ("image", "owner"),
    [("confluentinc/cp-kafka:7.5.0", "cp-kafka"), ("apache/kafka:3.9.0", "apache"), ("bitnami/kafka:3.9.0", "bitnami")],
)
def test_an_image_that_does_not_read_the_variable_creates_no_topic(image: str, owner: str) -> None:
    created, findings = _of_variable(image)
    said = f"`KAFKA_CREATE_TOPICS` has no effect: only wurstmeister's image reads it, and this one is of {owner}"
    assert not created
    assert said in [finding.what for finding in findings]


@pytest.mark.parametrize(
    ("image", "command"),
    [("example.test/kafka:1", "[]"), ("apache/kafka:3.9.0", "[sh, -c, 'make $$KAFKA_CREATE_TOPICS']")],
)
def test_an_unknown_image_with_the_variable_leaves_the_audit_undecided(image: str, command: str) -> None:
    created, findings = _of_variable(image, command)
    assert not created
    assert any("creates the topics of KAFKA_CREATE_TOPICS is not known" in what for what in incomplete(findings))


@pytest.mark.parametrize("image", ["wurstmeister/kafka", "confluentinc/cp-kafka:7.5.0"])
def test_a_pods_image_decides_whether_the_variable_creates_topics(image: str) -> None:
    variables = "[{name: KAFKA_BROKER_ID, value: '1'}, {name: KAFKA_CREATE_TOPICS, value: 'a:1:3'}]"
    text = f"""\
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: k}}
spec: {{replicas: 1, template: {{spec: {{containers: [{{name: k, image: {image}, env: {variables}}}]}}}}}}
"""
    cluster, _ = read_cluster_texts([("kafka.yaml", text, True)], Options(), "x")
    assert [topic.name for topic in cluster.planned_topics] == ["a"] * (image == "wurstmeister/kafka")
