"""Topics that commands and variables of containers create."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
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


def test_topics_of_the_images_own_variable_are_asked_about() -> None:
    variables = "{KAFKA_BROKER_ID: 1, KAFKA_CREATE_TOPICS: 'a:1:1,b:2:3:compact'}"
    text = f"services: {{k: {{image: wurstmeister/kafka, environment: {variables}}}}}"
    cluster, _ = read_cluster_texts([("compose.yml", text, True)], Options(), "x")
    assert {topic.name: topic.replication_factor for topic in cluster.planned_topics} == {"a": 1, "b": 3}
