"""What is said of the loss of Kafka's own topics, and of offsets that expire."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.joining.options import Options

BROKERS = {f"b{n}.properties": f"broker.id={n}\nzookeeper.connect=z:2181\nlog.dirs=d{{}}\n" for n in (1, 2, 3)}
HEAD = "Topic: {}\tTopicId: x\tPartitionCount: 1\tReplicationFactor: {}\tConfigs: min.insync.replicas={}\n"
ROW = "\tTopic: {}\tPartition: 0\tLeader: 1\tReplicas: {}\tIsr: {}\n"


def topic_text(name: str, replicas: str, least: int) -> str:
    return HEAD.format(name, replicas.count(",") + 1, least) + ROW.format(name, replicas, replicas)


def finding_texts(texts: dict[str, str], version: str = "4.1.0") -> list[str]:
    files = [(name, text, True) for name, text in texts.items()]
    _, findings = read_cluster_texts(files, Options(kafka_version=version, distribution="apache"), "x")
    return [finding.what for finding in findings]


@pytest.mark.parametrize(
    ("name", "replicas", "least", "what"),
    [
        (
            "__share_group_state",
            "1,2,3",
            1,
            "__share_group_state is written with one replica in sync (min.insync.replicas=1): when that one's host or "
            "disk is lost, share groups start at their reset policy (share.auto.offset.reset, latest by default): "
            "records that no consumer has accepted are skipped, and with earliest those that were accepted are "
            "delivered again",
        ),
        (
            "__remote_log_metadata",
            "1",
            1,
            "__remote_log_metadata has one replica: when that one's host or disk is lost, brokers do not find the "
            "segments in remote storage any more: all that is tiered is lost to consumers, and stays there undeleted",
        ),
        ("__share_group_state", "1,2,3", 2, ""),
        ("__remote_log_metadata", "1,2,3", 2, ""),
        ("orders", "1", 1, ""),
    ],
)
def test_what_follows_from_the_loss_of_a_topic(name: str, replicas: str, least: int, what: str) -> None:
    found = [text for text in finding_texts({"topics.txt": topic_text(name, replicas, least)}) if "is lost" in text]
    assert found == ([what] if what else [])


@pytest.mark.parametrize(
    ("version", "setting", "begins"),
    [
        ("1.1", "", "offsets.retention.minutes is 1440: a group that commits nothing for a day"),
        ("2.8", "", ""),
        (
            "2.8",
            "offsets.retention.minutes=2880",
            "offsets.retention.minutes is 2880: a group without members for 2 days",
        ),
        (
            "2.8",
            "offsets.retention.minutes=100",
            "offsets.retention.minutes is 100: a group without members for 100 min",
        ),
    ],
)
def test_a_group_that_rests_longer_than_its_offsets_are_kept(version: str, setting: str, begins: str) -> None:
    texts = {name: f"{text}{setting}\n" for name, text in BROKERS.items()}
    consumer = "bootstrap.servers=a:9092\ngroup.id=g\nauto.offset.reset=latest\n"
    found = [
        text for text in finding_texts({**texts, "consumer.properties": consumer}, version) if "is thrown to" in text
    ]
    assert len(found) == bool(begins) and all(text.startswith(begins) for text in found)
    assert all("loses its offsets and is thrown to auto.offset.reset (latest): with latest" in text for text in found)


def test_one_transactional_id_in_two_producers() -> None:
    producer = "bootstrap.servers=a:9092\nacks=all\ntransactional.id={}\n"
    two = {f"{name}-producer.properties": producer.format("t") for name in ("a", "b")}
    found = [text for text in finding_texts(two) if "fences the other" in text]
    assert found == [
        "`transactional.id=t` is in a-producer.properties and in b-producer.properties: each producer that starts "
        "fences "
        "the other, whose transaction is aborted and which writes no more"
    ]
    apart = {f"{name}-producer.properties": producer.format(name) for name in ("a", "b")}
    assert not [text for text in finding_texts(apart) if "fences the other" in text]
