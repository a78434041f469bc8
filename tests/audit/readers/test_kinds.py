"""What cannot be configuration, and what shows that a text may be."""

from __future__ import annotations

import pytest
from tidegate.audit.readers.kinds import file_kind, first_mark_of_kafka, name_of_other_program

IDLE = "apiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: Namespace\n"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("logo.PNG", "an image"),
        ("README", "a document"),
        ("README.md", "a document"),
        ("LICENSE.txt", "a document"),
        ("Main.java", "source code"),
        ("ca.pem", "a certificate or a key"),
        (".gitignore", "a file of version control"),
        ("pom.xml", "a file of a tool that makes or checks programs"),
        ("readme.properties", ""),
        ("security.properties", ""),
        ("server.properties", ""),
        ("hosts.ini", ""),
        ("topics", ""),
        (".env", ""),
        ("values.schema.json", ""),
    ],
)
def test_a_name_says_what_a_file_is(name: str, kind: str) -> None:
    assert file_kind(name) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"panels": [], "schemaVersion": 16}', "a dashboard of Grafana"),
        ("groups:\n- name: kafka\n  rules:\n  - alert: UnderMinIsr\n    expr: x > 0\n", "rules of Prometheus"),
        ("# of kafka\nlowercaseOutputName: true\nrules:\n- pattern: kafka.server\n", "rules of a metrics exporter"),
        ("# Apache\n\nlog4j.rootLogger=INFO\n", "settings of a logging library"),
        ('<?xml version="1.0"?>\n<Configuration status="INFO">', "settings of a logging library"),
        ("KafkaServer {\n  org.x.PlainLoginModule required\n  username=a;\n};\n", "settings of a login"),
        ("alert: yes\n", ""),
        (
            "apiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: Namespace\n",
            "of resources of Kubernetes that run nothing",
        ),
        ("apiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: ConfigMap\n", ""),
        ("broker.id=1\nlog4j.x=1\n", ""),
    ],
)
def test_a_text_says_whose_it_is(text: str, kind: str) -> None:
    assert name_of_other_program(text) == kind


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("kafka_min_insync_replicas=1", "min_insync_replicas"),
        ("minInsyncReplicas: 1", "minInsyncReplicas"),
        ("KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE", "UNCLEAN_LEADER_ELECTION_ENABLE"),
        ("{ acks: 1 }", "acks"),
        ("requiredAcks: WaitForLocal", "requiredAcks"),
        ("{kafka: {url: b, kafkaProducerAcks: 1}}", "kafkaProducerAcks"),
        ("requestRequiredAcks: 1", "requestRequiredAcks"),
        ("requiredAcksOfNobody: 1", "requiredAcks"),
        ("packsAndStacks: 1", ""),
        ("x\tTopic: a\tPartition: 0", ""),
        ("Topic: a\tPartitionCount: 1", "Topic: a"),
        ("kafka-topics.sh --bootstrap-server b --create --topic a", "kafka-topics.sh --bootstrap-server b --create"),
        ("kafka-topics.sh --describe", ""),
        ("sum(kafka_cluster_partition_underminisr)", ""),
        ("packs and stacks", ""),
        ("hostname: a\nlog_dir: b\nbroker_id: 1\n", ""),
        ("# old\nbroker.id = 1\n", "broker.id"),
    ],
)
def test_what_answers_rest_on_is_found_however_it_is_spelt(text: str, mark: str) -> None:
    assert first_mark_of_kafka(text) == mark


def test_many_comments_take_no_time() -> None:
    assert name_of_other_program("# a\n\n \n" * 50_000) == ""
