"""What unclean elections do to transactions and to tiered topics, as the audit says it."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.joining.options import Options

BROKERS = {
    f"b{n}.properties": f"node.id={n}\nprocess.roles=broker\ncontroller.quorum.voters=9@c:9093\nlog.dirs=d\n"
    "controller.listener.names=C\n"
    for n in (1, 2, 3)
}
WRITER = {"pay.properties": "bootstrap.servers=b:9092\nacks=all\ntransactional.id=pay-1\n"}
HANGS = (
    "leaders of topic orders are elected uncleanly, and pay.properties writes in transactions: a leader that lacks a "
    "transaction's marker leaves readers of committed records where that begins, for ever; the producer's next "
    "transaction there ends both alike, so that committed records are dropped or aborted ones are read"
)
DELETES = (
    "leaders of topic orders, which is tiered, are elected uncleanly: one without the epochs of what is in remote "
    "storage, as with a new disk, deletes that, too, and what is written after such an election may be lost as well"
)


def findings(settings: str, more: dict[str, str]) -> dict[str, str]:
    """What is said of elections of topic orders, with the source."""
    head = f"Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: {settings}\n"
    row = "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
    texts = {**BROKERS, **more, "topics.txt": head + row}
    files = [(name, text, True) for name, text in texts.items()]
    _, found = read_cluster_texts(files, Options(kafka_version="4.1.0", distribution="apache"), "x")
    return {finding.what: finding.source for finding in found if finding.what.startswith("leaders of topic orders")}


def test_a_topic_that_transactions_write_is_named_with_the_run_and_the_command() -> None:
    found = findings("unclean.leader.election.enable=true", WRITER)
    assert set(found) == {HANGS}
    assert "KAFKA-20716" in found[HANGS] and "lost_marker:unclean" in found[HANGS]


def test_a_tiered_topic_is_named() -> None:
    assert set(findings("unclean.leader.election.enable=true,remote.storage.enable=true", {})) == {DELETES}


@pytest.mark.parametrize(
    ("settings", "more"),
    [
        ("unclean.leader.election.enable=true", {}),
        ("unclean.leader.election.enable=false,remote.storage.enable=true", WRITER),
        (
            "unclean.leader.election.enable=true",
            {
                **WRITER,
                "other.properties": "bootstrap.servers=b:9092\nacks=all\n",
                "audit.toml": '[topic."orders"]\nproducer = "other.properties"\n',
            },
        ),
    ],
)
def test_neighbours_are_not(settings: str, more: dict[str, str]) -> None:
    assert findings(settings, more) == {}
