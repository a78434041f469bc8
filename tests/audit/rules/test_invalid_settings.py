"""What is wrong with settings themselves: unknown names, typos, wrong values, one key stated twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.settings import setting_value
from tidegate.audit.cluster.statements import Unknown
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka.keys import declared_key
from tidegate.audit.rules.invalid_settings import invalid_settings

from ...support.reading import finding_texts, of

BROKER = """\
broker.id=1
zookeeper.connect=zk:2181
min.insync.replicas=2 # two
min.insync.replica=2
unclean.leader.election.enable=yes
log.dirs = \\
    data/a,\\
    data/b
log.dirs=data/c
hunter2 is on this line
replica.lag.time.max.ms=${LAG}
"""


def test_every_mistake_of_a_file_is_reported_with_its_line(tmp_path: Path) -> None:
    cluster, findings = of(tmp_path, server__properties=BROKER)
    path = tmp_path / "server.properties"
    assert finding_texts(findings, "wrong_value") == [
        f"{path}:3: `min.insync.replicas=2 # two` is not a whole number; "
        "in a properties file a comment has a line of its own",
        f"{path}:5: `unclean.leader.election.enable=yes` is neither true nor false",
    ]
    assert finding_texts(findings, "typo") == [
        f"{path}:4: `min.insync.replica` is not a setting of Kafka and has no effect; "
        "the nearest is `min.insync.replicas`"
    ]
    assert finding_texts(findings, "contradiction") == [
        f"{path}:9: `log.dirs` is stated twice: data/a,data/b at {path}:6, then data/c, which counts"
    ]
    assert finding_texts(findings, "not_read") == [f"{path}:10: a line that states no setting"]
    assert "hunter2" not in repr((cluster, findings))
    (broker,) = cluster.brokers
    for key in ("min.insync.replicas", "unclean.leader.election.enable", "replica.lag.time.max.ms"):
        assert isinstance(setting_value(cluster, broker, declared_key(key)), Unknown), (
            "a value that is not legal is none"
        )


def test_the_articles_typo_is_reported(tmp_path: Path) -> None:
    text = "bootstrap.servers=a:9092\nkey.serializer=x\nrequest.required.asks=1\n"
    cluster, findings = of(tmp_path, pay__properties=text)
    (typo,) = [finding for finding in findings if finding.kind == "typo"]
    assert typo.where.line == 3
    assert "the nearest is `request.required.acks` (an old name of `acks`)" in typo.what
    assert typo.to_do == "remove it, or, if it is meant, write `acks` with a value that keeps what is acknowledged"
    (client,) = cluster.clients
    assert client.kind == "producer" and client.family is not None and client.family.value == "java"
    assert isinstance(setting_value(cluster, client, declared_key("acks")), Unknown)


def test_a_key_of_another_scope_is_reported(tmp_path: Path) -> None:
    _, findings = of(tmp_path, server__properties="broker.id=1\nzookeeper.connect=z\nacks=all\n")
    assert finding_texts(findings, "unknown_key") == [
        f"{tmp_path / 'server.properties'}:3: `acks` is a setting of a producer, not of a broker: it has no effect here"
    ]


@pytest.mark.parametrize(
    ("line", "client", "says"),
    [
        ("enable.auto.offset.store=false", "java:3.9", "a setting of librdkafka, which Java's clients ignore"),
        ("sasl.mechanisms=PLAIN", "java:3.9", "a setting of librdkafka, which Java's clients ignore"),
        ("max.block.ms=1", "librdkafka:2.3.0", "a setting of Java's clients, which librdkafka refuses"),
        ("group.instance.id=a", "java:2.2", "clients since 2.3, and app.properties is of 2.2: it has no effect"),
        ("fetch.wait.max.ms=10", "librdkafka:2.3.0", ""),
        ("group.instance.id=a", "java:2.3", ""),
        ("sasl.mechanism=PLAIN", "java:3.9", ""),
    ],
)
def test_settings_of_another_client_or_release_are_said_to_have_no_effect(line: str, client: str, says: str) -> None:
    text = f"bootstrap.servers=a:1\ngroup.id=g\nenable.auto.commit=false\n{line}\n"
    cluster, _ = read_cluster_texts([("app.properties", text, True)], Options(clients=(client,)), "x")
    found = [finding for finding in invalid_settings(cluster) if finding.severity != "note"]
    assert {says in finding.what for finding in found} == ({True} if says else set())
