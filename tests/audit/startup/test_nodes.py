"""Nodes that do not start, ids that two of them have, and files that cannot be read: one answer, and never a ✓."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.auditing import AuditOutcome, AuditRequest, audit, read_cluster, read_cluster_texts
from tidegate.audit.cluster.cluster import Broker, Cluster
from tidegate.audit.cluster.settings import value_of
from tidegate.audit.cluster.statements import Default, Origin, UnreadableInputError
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka.keys import declared_key
from tidegate.audit.questions.subjects import subjects
from tidegate.audit.startup.nodes import ids_of_down_nodes, nodes_down
from tidegate.reports.audit.sarif import audit_sarif
from tidegate.reports.audit.terminal import audit_verdict_line

from ...conftest import ROOT

BROKER = "process.roles=broker\nnode.id={id}\nlog.dirs=d{id}\nmin.insync.replicas=2\n"
CONTROLLER = "process.roles=controller\nnode.id={id}\nlog.dirs=d\n"
TOPIC = (
    "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
)
OPTIONS = Options(kafka_version="3.9.0", distribution="apache", acks="all")


def cluster_with(*lines: str, version: str = "3.9.0", topic: str = TOPIC) -> Cluster:
    """Three brokers, of which the first have these lines too."""
    files = [(f"b{id_}.properties", BROKER.format(id=id_), True) for id_ in (1, 2, 3)]
    texts = [(path, text + line, named) for (path, text, named), line in zip(files, [*lines, "", "", ""], strict=False)]
    options = Options(kafka_version=version, distribution="apache", acks="all")
    return read_cluster_texts([*texts, ("t.txt", topic, True)], options, "x")[0]


def audit_texts(*texts: tuple[str, str]) -> AuditOutcome:
    """Without time for the model: what is out of service needs none."""
    asked = AuditRequest(repairs=False, seconds=0.0)
    return audit(*read_cluster_texts([(path, text, True) for path, text in texts], OPTIONS, "x"), asked)


@pytest.mark.parametrize(
    "line",
    [
        "unclean.leader.election.enable=",
        "unclean.leader.election.enable=yes",
        "min.insync.replicas=",
        "min.insync.replicas=0",
        "min.insync.replicas=two",
        "num.partitions=0",
        "default.replication.factor=",
        "log.flush.interval.messages=0",
        "offsets.topic.replication.factor=3 # three",
        "log.cleanup.policy=remove",
        "inter.broker.protocol.version=newest",
        "inter.broker.protocol.version=",
        "log.message.format.version=",
        "log.message.format.version=4.9-IV77",
        "replica.lag.time.max.ms=400",
        "replica.fetch.wait.max.ms=40000",
        "controller.quorum.voters=1@a:9093",
    ],
)
def test_a_broker_does_not_start_with_what_kafka_refuses(line: str) -> None:
    (found,) = nodes_down(cluster_with(line))
    assert found.says.startswith("broker 1 does not start: ") and found.where.path == "b1.properties"


@pytest.mark.parametrize(
    "line",
    [
        "unclean.leader.election.enable= TRUE ",
        "min.insync.replicas=${MIN}",
        "default.replication.factor=0",  # no validator: what is created with it is refused
        "broker.rack=",
        "min.insync.replicas=0\nmin.insync.replicas=2",  # the last one counts
        "controller.quorum.voters=101@a:9093",
        "retention.ms=never",  # no setting of a broker's: it is not read
        "log.message.format.version=3.8-IV0",
        "inter.broker.protocol.version=${PROTOCOL}",
    ],
)
def test_a_broker_starts_with_what_kafka_takes(line: str) -> None:
    assert not nodes_down(cluster_with(line))


ON_ZOOKEEPER = (
    "broker.id={id}\nzookeeper.connect=z1:2181,z2:2181,z3:2181\nlisteners=PLAINTEXT://b{id}:9092\nlog.dirs=/var/d\n"
    "default.replication.factor=3\nmin.insync.replicas=2\n"
)
IBP, FORMAT = "inter.broker.protocol.version", "log.message.format.version"


@pytest.mark.parametrize(
    ("line", "version", "why"),
    [
        (f"{IBP}=2.6", "2.5.0", "is not a version that Kafka 2.5.0 knows"),
        (f"{FORMAT}=2.7", "2.5.0", "is not a version that Kafka 2.5.0 knows"),
        (f"{IBP}=3.9", "3.7.2", "is not a version that Kafka 3.7.2 knows"),
        (f"{IBP}=0.11.0", "0.10.2.1", "is not a version that Kafka 0.10.2.1 knows"),
        (f"{IBP}=2.5-IV1", "2.5.0", "is not a version that any release knows"),
        (f"{IBP}=0.10", "2.5.0", "is not a version that any release knows"),
        (f"{IBP}=2", "2.5.0", "is not a version that any release knows"),
        (f"{IBP}=2.x", "2.5.0", "is not a version that any release knows"),
        (f"{IBP}=", "2.5.0", "has no value"),
        (f"{FORMAT}=", "2.5.0", "has no value"),
        (f"{IBP}=0.10.2\n{FORMAT}=2.5", "2.5.0", "is newer than `inter.broker.protocol.version=0.10.2`"),
        (f"{IBP}=0.9.0\n{FORMAT}=0.10.0", "2.5.0", "is newer than `inter.broker.protocol.version=0.9.0`"),
        (f"{IBP}=0.10.2", "2.5.0", "needs a `log.message.format.version` as old, and none is set"),
    ],
)
def test_brokers_do_not_start_with_a_protocol_that_their_release_does_not_know(
    line: str, version: str, why: str
) -> None:
    """ApiVersion.apply, MetadataVersion.fromVersionString, and KafkaConfig.validateValues: recordVersion."""
    texts = [(f"s{id_}.properties", f"{ON_ZOOKEEPER.format(id=id_)}{line}\n", True) for id_ in range(3)]
    cluster, found = read_cluster_texts(texts, Options(kafka_version=version, distribution="apache", acks="all"), "x")
    (refusal,) = nodes_down(cluster)
    assert len(refusal.nodes) == 3 and why in refusal.why
    answer = audit(cluster, found, AuditRequest(repairs=False, seconds=0.0))
    assert answer.exit == 1 and audit_verdict_line(answer.document).startswith("✗")


@pytest.mark.parametrize(
    ("line", "version"),
    [
        (f"{IBP}=2.5.0", "2.5.0"),
        (f"{IBP}=2.5-IV0", "2.5.0"),
        (f"{IBP}=0.11.0.2", "2.5.0"),
        (f"{IBP}=3.8-IV0", "3.7.0"),  # which has it already, unfinished
        (f"{IBP}=0.10.2\n{FORMAT}=0.10.1", "2.5.0"),
        (f"{IBP}=3.0\n{FORMAT}=0.10.2", "3.4.0"),
        (f"{IBP}=0.10.2", "0.10.2.1"),
    ],
)
def test_brokers_start_with_a_protocol_that_their_release_knows(line: str, version: str) -> None:
    texts = [(f"s{id_}.properties", f"{ON_ZOOKEEPER.format(id=id_)}{line}\n", True) for id_ in range(3)]
    assert not nodes_down(read_cluster_texts(texts, Options(kafka_version=version, distribution="apache"), "x")[0])


def test_a_protocol_of_confluent_server_is_its_own() -> None:
    texts = [("s1.properties", f"{ON_ZOOKEEPER.format(id=1)}{IBP}=3.4-IV5\n", True)]
    own, plain = (read_cluster_texts(texts, Options(distribution=one), "x")[0] for one in ("cp-server", "apache"))
    assert nodes_down(plain) and not nodes_down(own)


def test_without_a_version_the_protocol_says_which_release_is_the_first() -> None:
    texts = [(f"s{id_}.properties", f"{ON_ZOOKEEPER.format(id=id_)}{IBP}=2.6\n", True) for id_ in range(3)]
    cluster, _ = read_cluster_texts(texts, Options(distribution="apache", acks="all"), "x")
    (asked,) = (subject for subject in subjects(cluster) if not subject.internal)
    releases = {words for variant in asked.variants for fact, words in variant.given if fact == "version"}
    assert releases and all(words >= "2.6" for words in releases)
    answer = value_of(cluster, cluster.brokers[0], declared_key("replica.lag.time.max.ms"))
    assert answer == Default("30000", "KIP-537")  # 10000 before 2.5


def test_a_setting_that_is_gone_is_not_read() -> None:
    assert not nodes_down(cluster_with("inter.broker.protocol.version=newest", version="4.0.0"))


def test_a_controller_without_a_vote_of_its_own() -> None:
    node = CONTROLLER.format(id=7) + "controller.quorum.voters=1@a:1,2@b:1\n"
    cluster, _ = read_cluster_texts([("c.properties", node, True), ("t.txt", TOPIC, True)], OPTIONS, "x")
    assert [node.says for node in nodes_down(cluster)] == [
        "controller 7 does not start: it is a controller, and `controller.quorum.voters` has no voter 7 "
        "(c.properties:4)"
    ]


def test_one_that_does_not_start_is_an_outage_with_its_line_in_every_report() -> None:
    texts = [(f"b{id_}.properties", BROKER.format(id=id_)) for id_ in (2, 3)]
    bad = ("b1.properties", BROKER.format(id=1) + "unclean.leader.election.enable=\n")
    found = audit_texts(bad, *texts, ("t.txt", TOPIC))
    says = "broker 1 does not start: `unclean.leader.election.enable=` has no value (b1.properties:5)"
    assert found.exit == found.document["exit"] == 1 and found.document["outages"][0]["says"] == says
    assert audit_verdict_line(found.document).startswith("✗ node 1 does not start")
    results = audit_sarif(found.document)["runs"][0]["results"]
    assert [result["message"]["text"] for result in results if result["ruleId"] == "out-of-service"] == [says]
    wrong = [finding for finding in found.document["findings"] if finding["kind"] == "wrong_value"]
    assert [outage["what"] for outage in wrong] == ["`unclean.leader.election.enable=` has no value"]


def test_partitions_are_served_without_the_brokers_that_do_not_start() -> None:
    texts = [(f"b{id_}.properties", BROKER.format(id=id_) + "num.partitions=0\n") for id_ in (1, 2)]
    found = audit_texts(*texts, ("b3.properties", BROKER.format(id=3)), ("t.txt", TOPIC))
    says = "orders partition 0: acks=all is refused (the ISR is {3} of 3 replicas)"
    assert [outage["says"] for outage in found.document["outages"][1:]] == [
        f"{says}, without brokers 1, 2, which are down"
    ]


def test_topics_none_of_whose_brokers_starts_are_never_written() -> None:
    cluster = cluster_with(*["min.insync.replicas=x"] * 3)
    (orders,) = (subject for subject in subjects(cluster) if subject.topics[0].name == "orders")
    assert orders.stops == ("writable", "readable") and "none of its brokers starts" in orders.not_checked


def test_without_a_majority_of_controllers_nothing_has_a_leader() -> None:
    texts = [(f"c{id_}.properties", CONTROLLER.format(id=id_) + "min.insync.replicas=x\n", True) for id_ in (7, 8)]
    voters = "controller.quorum.voters=7@a:1,8@a:1,9@a:1\n"
    nine = ("c9.properties", CONTROLLER.format(id=9) + voters, True)
    cluster, _ = read_cluster_texts([*texts, nine, ("t.txt", TOPIC, True)], OPTIONS, "x")
    assert [subject.not_checked for subject in subjects(cluster)] == [
        "most controllers do not start (7, 8 of 3), so that no partition has a leader"
    ]


@pytest.mark.parametrize("other", ["log.dirs=d2\n", "log.dirs=d1\n"])
@pytest.mark.parametrize("key", ["node.id", "broker.id"])
def test_of_two_nodes_with_one_id_only_one_starts(other: str, key: str) -> None:
    first = f"{key}=1\nlog.dirs=d1\n"
    found = audit_texts(("a.properties", first), ("b.properties", f"{key}=1\n{other}"), ("t.txt", TOPIC))
    (outage,) = found.document["outages"]
    assert outage["says"].startswith("broker 1 does not start: a.properties has the same id") and found.exit == 1
    assert any(f"`{key}=1` is of another node already" in finding["what"] for finding in found.document["findings"])


def test_copies_of_one_file_are_not_one_broker_that_stands_for_all() -> None:
    copies = [(f"b{number}.properties", "broker.id=1\ndefault.replication.factor=3\n", True) for number in (1, 2, 3)]
    cluster, _ = read_cluster_texts(copies, OPTIONS, "x")
    (topics, *_) = subjects(cluster)
    assert "cannot be created: 3 replicas are asked for, and of the two nodes with id 1" in topics.not_checked


@pytest.mark.parametrize("content", [bytes(range(256)) * 40, b"node.id=4\n\0", bytes(range(1, 9)) * 9])
@pytest.mark.parametrize("name", ["b4.properties", "kafka.yaml", "topics.txt"])
def test_a_file_in_a_folder_that_is_no_text_is_not_passed_over(tmp_path: Path, content: bytes, name: str) -> None:
    (tmp_path / "b1.properties").write_text(BROKER.format(id=1))
    (tmp_path / name).write_bytes(content)
    _, findings = read_cluster([tmp_path])
    left = [finding.what for finding in findings if finding.kind == "incomplete"]
    assert [what.startswith(f"{tmp_path / name} was not read: it is not a text") for what in left] == [True]
    with pytest.raises(UnreadableInputError, match=f"{name} is not a text file"):
        read_cluster([tmp_path / name])


def test_a_segment_of_a_log_in_a_folder_is_no_configuration(tmp_path: Path) -> None:
    (tmp_path / "b1.properties").write_text(BROKER.format(id=1))
    (tmp_path / "00000000000000000000.log").write_bytes(bytes(100))
    assert [path for path, _ in read_cluster([tmp_path])[0].files] == [str(tmp_path / "b1.properties")]


def test_a_variable_that_compose_passes_on_is_not_empty() -> None:
    compose = (
        "services:\n  kafka:\n    image: apache/kafka:3.9.0\n    environment:\n      KAFKA_NODE_ID: 1\n"
        "      KAFKA_PROCESS_ROLES: broker,controller\n      KAFKA_MIN_INSYNC_REPLICAS:{value}\n"
    )
    passed, _ = read_cluster_texts([("c.yml", compose.replace("{value}", ""), True)], Options(), "x")
    empty, _ = read_cluster_texts([("c.yml", compose.replace("{value}", ' ""'), True)], Options(), "x")
    assert not nodes_down(passed) and nodes_down(empty)


QUORUM = "controller.quorum.voters=9@c:9093\n"
QUORUM_OF_1 = "controller.quorum.voters=1@a:2\n"
MAP = "listener.security.protocol.map=A:SSL,B:SSL,INSIDE:SSL,OUTSIDE:SSL,PLAINTEXT:PLAINTEXT\n"


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (QUORUM + "listeners=PLAINTEXT://:9092", "its file has no `controller.listener.names`"),
        ("controller.listener.names=CONTROLLER\nlisteners=controller://:9092", "names one of its `listeners`"),
        ("listeners=A://:1,B://:2\ninter.broker.listener.name=C", "`inter.broker.listener.name=C` is not one of its"),
        ("process.roles=controller\nlisteners=A://:1\ncontroller.listener.names=B", "names none of its `listeners`"),
        ("process.roles=controller\nlisteners=A://:1\ncontroller.listener.names=a", "not as its `listeners` have it"),
        ("listeners=PLAINTEXT://:1,plaintext://:2", "two of its `listeners` have the name PLAINTEXT"),
        ("listeners=PLAINTEXT://a:1,B://b:1", "two of its `listeners` have the port 1"),
        ("listeners=PLAINTEXT://0.0.0.0:9092", "`listeners`, which are advertised, have 0.0.0.0"),
        ("advertised.listeners=PLAINTEXT://0.0.0.0:9092", "`advertised.listeners` have 0.0.0.0"),
        ("listeners=INSIDE://:1,OUTSIDE://:2", "`listeners` have no PLAINTEXT, and no `inter.broker.listener.name`"),
        ("listeners=A://:1\nsecurity.inter.broker.protocol=SSL\ninter.broker.listener.name=A", "are both set"),
        ("listeners=A://:1\nadvertised.listeners=B://h:1\ninter.broker.listener.name=A", "not one of its `adver"),
        ("controller.quorum.voters=9@c", "has `9@c`, which is not of the form `id@host:port`"),
        ("log.dirs=", "`log.dirs=` names no directory"),
        ("log.dir=/d\nlog.dirs= , ", "names no directory"),
        ("log.retention.ms=0", "`log.retention.ms=0` keeps nothing"),
        ("log.retention.hours=0", "`log.retention.hours=0` keeps nothing"),
        ("broker.id=4", "`node.id=1` and `broker.id=4` are two ids"),
    ],
)
def test_a_node_does_not_start_with_listeners_that_kafka_refuses(lines: str, why: str) -> None:
    (found,) = nodes_down(cluster_with(lines))
    assert why in found.says and found.where.path == "b1.properties"


@pytest.mark.parametrize(
    "lines",
    [
        QUORUM + "listeners=PLAINTEXT://:9092\ncontroller.listener.names=CONTROLLER",
        MAP + "listeners=A://:1,B://:2\ninter.broker.listener.name=b",
        MAP + "listeners=A://:1\ninter.broker.listener.name=${NAME}",
        QUORUM_OF_1 + "process.roles=broker,controller\nlisteners=PLAINTEXT://:1,B://:2\ncontroller.listener.names=B",
        MAP + "listeners=PLAINTEXT://1.2.3.4:1,B://[::1]:1",
        MAP + "listeners=PLAINTEXT://:0,B://:0",
        "listeners=PLAINTEXT://0.0.0.0:9092\nadvertised.listeners=PLAINTEXT://b1:9092",
        QUORUM_OF_1
        + "process.roles=broker,controller\ncontroller.listener.names=C\nlisteners=PLAINTEXT://b1:1,C://0.0.0.0:2",
        MAP + "listeners=INSIDE://:1,OUTSIDE://:2\ninter.broker.listener.name=INSIDE",
        "listeners=SSL://:1\nsecurity.inter.broker.protocol=SSL",
        "log.retention.hours=0\nlog.retention.ms=-1",
        "broker.id=1",
    ],
)
def test_a_node_starts_with_these_listeners(lines: str) -> None:
    assert not nodes_down(cluster_with(lines))


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("process.roles=broker\nlog.dirs=d\n", "its file has `process.roles` and no `node.id`"),
        ("process.roles=broker\nnode.id=-1\nlog.dirs=d\n", "`node.id=-1` is not a valid id in KRaft"),
        ("broker.id=-1\nzookeeper.connect=z:2181\n", ""),  # an id is generated for it
        ("log.dirs=d\nmin.insync.replicas=2\n", ""),
    ],
)
def test_a_node_of_kraft_has_an_id(file: str, why: str) -> None:
    cluster, _ = read_cluster_texts([("b.properties", file, True), ("t.txt", TOPIC, True)], OPTIONS, "x")
    said = [node.says for node in nodes_down(cluster)]
    assert len(said) == bool(why) and (not why or why in said[0])


def test_what_an_image_adds_is_not_missing() -> None:
    """An image gives its node an id, advertises it and picks a listener for brokers: what is not there says nothing."""
    compose = (
        "services:\n  kafka:\n    image: apache/kafka:3.9.0\n    environment:\n      KAFKA_PROCESS_ROLES: broker\n"
        "      KAFKA_LISTENERS: INSIDE://0.0.0.0:1,OUTSIDE://:2\n"
    )
    assert not nodes_down(read_cluster_texts([("c.yml", compose, True)], Options(), "x")[0])


def test_each_node_is_looked_at_once_for_all_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster of a thousand topics and eleven brokers took ten seconds of a processor where it takes one."""
    topics = "".join(TOPIC.replace("orders", f"orders-{number}") for number in range(20))
    cluster, looked = cluster_with(topic=topics), list[int | None]()

    def look(cluster: Cluster, node: Broker) -> tuple[str, Origin]:
        looked.append(node.id)
        return "", node.origin

    monkeypatch.setattr("tidegate.audit.startup.nodes.why_node_is_down", look)
    assert sum(len(subject.topics) for subject in subjects(cluster) if not subject.internal) == 20
    assert looked == [1, 2, 3]


RUNNING = sorted((ROOT / "tests" / "fixtures" / "audit").glob("*/*/topics.txt"))
"""What tools have printed of real clusters."""


@pytest.mark.parametrize("printed", RUNNING, ids=lambda path: "-".join(path.parts[-3:-1]))
def test_a_broker_that_runs_is_not_said_not_to_start(printed: Path) -> None:
    """Defaults that it describes, such as `node.id=-1` beside ZooKeeper, are nothing that a file states."""
    cluster, _ = read_cluster([printed.parent])
    assert not nodes_down(cluster)
    assert not ids_of_down_nodes(cluster)
