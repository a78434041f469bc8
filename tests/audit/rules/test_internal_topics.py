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
            "disk is lost, share groups wait while no replica leads, and after an unclean election they go on from "
            "older offsets. Where nothing is left of it, since 4.1 what members accept is refused: each record is "
            "given out again when its lock ends, up to group.share.delivery.count.limit times (5 by default), and then "
            "dropped; once the leader of the partition that they read moves, nothing is given out until all members "
            "are stopped and the offsets are reset (kafka-share-groups.sh --reset-offsets), which skips records or "
            "delivers them again. In 4.0 nothing is lost with it, unless that leader moves before members accept more: "
            "then they start at their reset policy (share.auto.offset.reset, latest by default)",
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


KRAFT = {
    f"k{n}.properties": f"node.id={n}\nprocess.roles=broker,controller\ncontroller.quorum.voters=1@a:93,2@b:93,3@c:93\n"
    for n in (1, 2, 3)
}
CONSUMER = {"consumer.properties": "bootstrap.servers=a:9092\ngroup.id=g\n"}
CUT_OFF = (
    "when a partition of __consumer_offsets gets another leader, which an election of preferred leaders is enough for, "
    "the coordinator before may answer that commits, generations and assignments are safe which are gone: records are "
    "processed again, in transactions too (exactly once is not kept), and the offsets of a transaction that was "
    "committed may stay open until the producer's next one there decides them"
)


@pytest.mark.parametrize(
    ("version", "begins"),
    [
        ("3.9.1", ""),
        ("4.0.0", "Kafka 4.0.0: "),
        ("4.1.2", "Kafka 4.1.2: "),
        ("4.1", "Kafka 4.1: "),
        ("4.2.1", "Kafka 4.2.1: "),
        ("4.2", "Kafka 4.2 before 4.2.2: "),
        ("4.2.2", ""),
        ("4.3.0", "Kafka 4.3.0: "),
        ("4.3", "Kafka 4.3 before 4.3.1: "),
        ("4.3.1", ""),
        ("4.4.0", ""),
    ],
)
def test_commits_that_are_answered_and_cut_off(version: str, begins: str) -> None:
    """KAFKA-20634: what `coordinator_answers` shows, where a group may have more than one broker to coordinate it."""
    found = [text for text in finding_texts({**KRAFT, **CONSUMER}, version) if "which are gone" in text]
    assert found == ([f"{begins}{CUT_OFF}"] if begins else [])


@pytest.mark.parametrize(
    ("version", "setting", "begins"),
    [
        ("4.0.1", "group.coordinator.new.enable=false", ""),
        ("4.0.1", "group.coordinator.new.enable=true", "Kafka 4.0.1 with group.coordinator.new.enable=true: "),
        ("4.0.1", "group.coordinator.rebalance.protocols=classic", "Kafka 4.0.1: "),
        ("4.1.1", "group.coordinator.new.enable=false", "Kafka 4.1.1: "),
        (
            "4.0.1",
            "group.coordinator.new.enable=${NEW}",
            "Kafka 4.0.1, if groups have KIP-848's coordinator (`group.coordinator.new.enable` at k1.properties:4 is "
            "filled in later): ",
        ),
        (
            "3.9.1",
            "group.coordinator.rebalance.protocols=Classic, Consumer",
            "Kafka 3.9.1 with group.coordinator.rebalance.protocols=Classic, Consumer: ",
        ),
        ("3.9.1", "group.coordinator.rebalance.protocols=classic", ""),
        (
            "3.7.0",
            "group.coordinator.rebalance.protocols=${PROTOCOLS}",
            "Kafka 3.7.0, if groups have KIP-848's coordinator (`group.coordinator.rebalance.protocols` at "
            "k1.properties:4 is filled in later): ",
        ),
        ("3.6.2", "group.coordinator.rebalance.protocols=classic,consumer", ""),
        ("3.6.2", "group.coordinator.new.enable=true", "Kafka 3.6.2 with group.coordinator.new.enable=true: "),
        ("3.5.2", "group.coordinator.new.enable=true", ""),
    ],
)
def test_commits_are_cut_off_where_groups_have_the_coordinator_of_kip_848(
    version: str, setting: str, begins: str
) -> None:
    """By default since 4.0, always since 4.1, and where it is switched on since 3.6 (`BrokerServer`)."""
    texts = {name: f"{text}{setting}\n" for name, text in KRAFT.items()}
    found = [text for text in finding_texts({**texts, **CONSUMER}, version) if "which are gone" in text]
    assert found == ([f"{begins}{CUT_OFF}"] if begins else [])


def test_one_broker_with_the_coordinator_of_kip_848_is_enough() -> None:
    off = "group.coordinator.new.enable=false\n"
    texts = {name: text if name == "k2.properties" else f"{text}{off}" for name, text in KRAFT.items()}
    found = [text for text in finding_texts({**texts, **CONSUMER}, "4.0.1") if "which are gone" in text]
    assert found == [f"Kafka 4.0.1: {CUT_OFF}"]


def test_brokers_of_zookeeper_never_have_the_coordinator_of_kip_848() -> None:
    texts = {name: f"{text}group.coordinator.new.enable=true\n" for name, text in BROKERS.items()}
    assert not [text for text in finding_texts({**texts, **CONSUMER}, "3.9.1") if "which are gone" in text]


@pytest.mark.parametrize("texts", [KRAFT, {"k1.properties": KRAFT["k1.properties"], **CONSUMER}])
def test_without_consumers_or_with_one_broker_no_commit_is_cut_off(texts: dict[str, str]) -> None:
    assert not [text for text in finding_texts(texts, "4.1.0") if "which are gone" in text]


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
