"""Nodes that Kafka refuses to start for the protocols of their listeners, and for their control plane, by release."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.startup.nodes import nodes_down

KRAFT = (
    "process.roles=broker\nnode.id=1\nlog.dirs=/d1\ncontroller.quorum.voters=9@c:9093\n"
    "controller.listener.names=CONTROLLER\n"
)
ALONE = (
    "process.roles=controller\nnode.id=9\nlog.dirs=/d9\ncontroller.quorum.voters=9@c:9093\n"
    "listeners=CONTROLLER://c:9093\ncontroller.listener.names=CONTROLLER\n"
)
BOTH = (
    "process.roles=broker,controller\nnode.id=9\nlog.dirs=/d9\ncontroller.quorum.voters=9@c:9093\n"
    "listeners=PLAINTEXT://c:9092,CONTROLLER://c:9093\ncontroller.listener.names=CONTROLLER\n"
)
ZOOKEEPER = "broker.id=1\nlog.dirs=/d1\nzookeeper.connect=z:2181\nlisteners=PLAINTEXT://b:9092\n"
PLAIN = "listeners=PLAINTEXT://b:9092\n"
INSIDE = "inter.broker.listener.name=INSIDE\nlisteners=INSIDE://b:9092\n"
SASL = "listener.security.protocol.map=INSIDE:SASL_SSL,CONTROLLER:SASL_SSL\n" + INSIDE
SCRAM = "sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512\n"


def startup_findings(file: str, version: str | None = "3.9.0") -> list[str]:
    """What keeps the node of a file from starting."""
    options = Options(kafka_version=version, distribution="apache")
    return [
        node.to_sentence for node in nodes_down(read_cluster_texts([("b.properties", file, True)], options, "x")[0])
    ]


NUMBERED = ZOOKEEPER.replace("broker.id=1\n", "")
REFUSED = [
    (KRAFT + INSIDE, "3.9", "`listeners` has INSIDE, and `listener.security.protocol.map` does not say its protocol"),
    (KRAFT + INSIDE, "4.1", "`listeners` has INSIDE, and"),
    (KRAFT.replace("=CONTROLLER", "=controller") + PLAIN, "4.1", "`controller.listener.names` has CONTROLLER, and"),
    (
        KRAFT + PLAIN + "listener.security.protocol.map=PLAINTEXT:PLAINTEXT",
        "3.9",
        "`controller.listener.names` has CONT",
    ),
    (KRAFT + "listeners=SSL://b:1\nsecurity.inter.broker.protocol=SSL", "3.9", "`controller.listener.names` has CONT"),
    (KRAFT.replace("=CONTROLLER", "=controller") + PLAIN, "3.9", "`controller.listener.names` has CONTROLLER, and"),
    (ALONE + "listener.security.protocol.map=PLAINTEXT:PLAINTEXT", "3.9", "`listeners` has CONTROLLER, and"),
    (
        ALONE + "inter.broker.listener.name=X\nlistener.security.protocol.map=CONTROLLER:PLAINTEXT",
        "3.9",
        "`inter.broker.listener.name` has X, and",
    ),
    (
        ZOOKEEPER + "advertised.listeners=PLAINTEXT://b:1,OUTSIDE://b:2",
        "3.9",
        "has OUTSIDE, which is not one of its `lis",
    ),
    (
        KRAFT + PLAIN + "advertised.listeners=PLAINTEXT://b:1,SSL://b:2",
        "3.6",
        "has SSL, which is not one of its `listen",
    ),
    (
        KRAFT + PLAIN + "listener.security.protocol.map=PLAINTEXT:PLAIN",
        "3.9",
        "has `PLAIN`, which is not a security prot",
    ),
    (
        KRAFT + PLAIN + "listener.security.protocol.map=PLAINTEXT",
        "3.9",
        "has `PLAINTEXT`, which is not of the form `NAME:PROTOCOL`",
    ),
    (ALONE + "security.inter.broker.protocol=TLS", "3.9", "has `TLS`, which is not a security protocol"),
    (KRAFT + SASL + SCRAM + "sasl.enabled.mechanisms=SCRAM-SHA-256", "3.9", "brokers use SCRAM-SHA-512 among"),
    (KRAFT + SASL + SCRAM, "3.9", "`sasl.enabled.mechanisms` lacks it"),
    (KRAFT + SASL + "sasl.enabled.mechanisms=PLAIN", "3.9", "brokers use GSSAPI among themselves"),
    (
        ZOOKEEPER.replace("PLAINTEXT:", "SASL_SSL:") + "security.inter.broker.protocol=SASL_SSL\n" + SCRAM,
        "2.8",
        "brokers use SCRAM-SHA-512 among themselves",
    ),
    (KRAFT.replace("=broker\n", "=broker, broker\n") + PLAIN, "3.9", "has a role twice"),
    (KRAFT.replace("controller.quorum.voters=9@c:9093\n", "") + PLAIN, "3.9", "neither `controller.quorum.voters` nor"),
    (KRAFT + PLAIN + "inter.broker.protocol.version=2.8", "3.9", "is before 3.0-IV1"),
    (KRAFT + PLAIN + "inter.broker.protocol.version=3.0-IV0", "3.9", "is before 3.0-IV1"),
    (KRAFT + PLAIN + "control.plane.listener.name=PLAINTEXT", "3.9", "which KRaft does not support"),
    (KRAFT + PLAIN + "zookeeper.metadata.migration.enable=true", "3.9", "its file has no `zookeeper.connect`"),
    (ALONE.replace("://c:9093", "://c:9093,PLAINTEXT://c:9092"), "3.9", "PLAINTEXT of its `listeners` is not in"),
    (ALONE + "advertised.listeners=CONTROLLER://c:9093", "3.8", "which 3.9 is the first to take"),
    (BOTH + "advertised.listeners=PLAINTEXT://c:1,CONTROLLER://c:2", "3.8", "which 3.9 is the first to take"),
    (
        BOTH + "inter.broker.listener.name=CONTROLLER",
        "3.9",
        "`inter.broker.listener.name=CONTROLLER` is not one of its",
    ),
    (ALONE + "inter.broker.listener.name=CONTROLLER", "4.1", "`controller.listener.names` has its `inter.broker"),
    (ZOOKEEPER + "controller.listener.names=CONTROLLER", "3.9", "but this node does not use KRaft"),
    (ZOOKEEPER.replace("zookeeper.connect=z:2181\n", ""), "3.9", "neither `process.roles` nor `zookeeper.connect`"),
    (ZOOKEEPER.replace("broker.id=1", "broker.id=1001"), "3.9", "is above 1000 (`reserved.broker.max.id`)"),
    (
        ZOOKEEPER.replace("z:2181", "z:2181/kafka/"),
        "3.9",
        "has the path /kafka/, which ZooKeeper's client refuses: it en",
    ),
    (ZOOKEEPER.replace("z:2181", "z:2181//kafka"), "3.9", "has the path //kafka, which ZooKeeper's client refuses: it"),
    (ZOOKEEPER.replace("z:2181", "z:2181/a/../b"), "2.8", "has the path /a/../b, which ZooKeeper's client refuses: it"),
    (ZOOKEEPER.replace("z:2181", "y:abc,z:2181"), "3.9", "`zookeeper.connect` has y:abc, and abc is not a port"),
    (ZOOKEEPER.replace("z:2181", "y:99999,z:2181"), "3.9", "`zookeeper.connect` has y:99999, and 99999 is not a port"),
    (ZOOKEEPER.replace("z:2181", "z:-1"), "3.9", "`zookeeper.connect` has z:-1, and -1 is not a port"),
    (
        KRAFT + PLAIN + "zookeeper.metadata.migration.enable=true\nzookeeper.connect=z:2181/k/",
        "3.9",
        "has the path /k/",
    ),
    (NUMBERED + "broker.id=1001\nbroker.id.generation.enable=true", "3.9", "is above 1000 (`reserved.broker.max.id`)"),
    (NUMBERED + "broker.id=+1001\nbroker.id.generation.enable=TRUE", "3.9", "is above 1000 (`reserved"),
    (NUMBERED + "broker.id=1001\nbroker.id.generation.enable=maybe", "3.9", "=maybe` is neither true nor false"),
    (NUMBERED + "broker.id=1001\nreserved.broker.max.id=-5", "3.9", "`reserved.broker.max.id=-5` is below 0"),
    (NUMBERED + "broker.id=101\nreserved.broker.max.id=100", "2.8", "is above 100 (`reserved.broker.max.id`)"),
    (NUMBERED + "broker.id=-2", "3.9", "`broker.id=-2` is below -1"),
    (NUMBERED + "broker.id=-2\nbroker.id.generation.enable=false", "3.9", "`broker.id=-2` is below -1"),
    (NUMBERED + "broker.id=-1\nbroker.id.generation.enable=false", "3.9", "`broker.id=-1` is below 0, and nodes get"),
    (NUMBERED + "broker.id=-1\nzookeeper.metadata.migration.enable=true", "3.9", "is below 0 and `zookeeper.metadata"),
    (NUMBERED + "broker.id.generation.enable=false", "3.9", "`broker.id.generation.enable=false`, and its file has no"),
    (ZOOKEEPER + "control.plane.listener.name=SSL", "3.9", "`control.plane.listener.name=SSL` is not one of its"),
    (
        ZOOKEEPER + "control.plane.listener.name=PLAINTEXT\ninter.broker.listener.name=PLAINTEXT",
        "3.9",
        "are one listener",
    ),
    (KRAFT + PLAIN + "early.start.listeners=SSL", "3.9", "`early.start.listeners` has SSL, which is not one of its"),
    (KRAFT.replace("/d1", "/a,/b,/a/") + PLAIN, "3.9", "`log.dirs` has a directory twice"),
    (
        KRAFT.replace("/d1", "/a,/b") + PLAIN + "remote.log.storage.system.enable=true",
        "3.7",
        "which tiered storage does not support before 3.8",
    ),
    (ZOOKEEPER + "listeners=PLAINTEXT://0.0.0.0:9,SSL://0.0.0.0:9", "3.9", "two of its `listeners` have the port 9"),
    (ZOOKEEPER + "listeners=PLAINTEXT://1.2.3.4:9,SSL://[::1]:9", "3.5", "two of its `listeners` have the port 9"),
    (ZOOKEEPER + "listeners=PLAINTEXT://1.2.3.4:9,SSL://:9", "3.9", "two of its `listeners` have the port 9"),
]

TAKEN = [
    (KRAFT + PLAIN, "3.9"),
    (KRAFT + INSIDE + "listener.security.protocol.map=inside:plaintext,CONTROLLER:SSL", "3.9"),
    (KRAFT + INSIDE + "listener.security.protocol.map=${MAP}", "3.9"),
    (KRAFT + SASL + SCRAM + "sasl.enabled.mechanisms=PLAIN, SCRAM-SHA-512", "3.9"),
    (KRAFT + SASL + SCRAM + "listener.name.inside.sasl.enabled.mechanisms=SCRAM-SHA-512", "3.9"),
    (KRAFT + SASL, "3.9"),  # GSSAPI on both sides
    (KRAFT.replace("voters=9@c:9093", "bootstrap.servers=c:9093") + PLAIN, "3.9"),
    (KRAFT + PLAIN + "inter.broker.protocol.version=3.0", "3.9"),
    (KRAFT + PLAIN + "inter.broker.protocol.version=2.8", "4.0"),  # no setting any more
    (KRAFT + PLAIN + "control.plane.listener.name=PLAINTEXT", "4.0"),
    (KRAFT + PLAIN + "zookeeper.metadata.migration.enable=true\nzookeeper.connect=z:2181", "3.9"),
    (ALONE + "advertised.listeners=CONTROLLER://c:9093", "3.9"),
    (ALONE + "inter.broker.listener.name=CONTROLLER", "3.9"),
    (BOTH, "3.3"),
    (BOTH + "advertised.listeners=PLAINTEXT://c:1,CONTROLLER://c:2", "3.9"),
    (BOTH + "early.start.listeners=controller", "3.9"),
    (
        ZOOKEEPER + "controller.listener.names=CONTROLLER\nzookeeper.metadata.migration.enable=true\n"
        "controller.quorum.voters=9@c:9093",
        "3.9",
    ),
    (ZOOKEEPER + "controller.listener.names=CONTROLLER", "2.8"),
    (ZOOKEEPER.replace("broker.id=1", "broker.id=1001") + "reserved.broker.max.id=2000", "3.9"),
    (NUMBERED + "broker.id=1001\nbroker.id.generation.enable=false", "3.9"),
    (NUMBERED + "broker.id=1000\nbroker.id.generation.enable=true", "3.9"),
    (NUMBERED + "broker.id=-1", "3.9"),
    (ZOOKEEPER.replace("z:2181", "y, z:2181,[::1],[::1]:2181,x:/kafka/prod"), "3.9"),
    (ZOOKEEPER.replace("z:2181", "z:2181/"), "3.9"),
    (KRAFT + PLAIN + "zookeeper.connect=z:2181/kafka/", "3.9"),
    (NUMBERED + "broker.id=${ID}\nbroker.id.generation.enable=false", "3.9"),
    (ZOOKEEPER + "listeners=PLAINTEXT://b:9,SSL://b:8\ncontrol.plane.listener.name=SSL", "3.9"),
    (ZOOKEEPER + "advertised.listeners=PLAINTEXT://x:1", "3.9"),
    (ZOOKEEPER + "listeners=PLAINTEXT://1.2.3.4:9,SSL://[::1]:9", "3.6"),
    (ZOOKEEPER + "advertised.listeners=PLAINTEXT://x:9,SSL://x:9\nlisteners=PLAINTEXT://:1,SSL://:2", "3.9"),
    (KRAFT.replace("/d1", "/a,/b") + PLAIN + "remote.log.storage.system.enable=true", "3.8"),
    (ALONE.replace("/d9", "/a,/a"), "3.9"),  # a controller alone keeps a set of them
]


@pytest.mark.parametrize(("file", "version", "why"), REFUSED)
def test_a_node_does_not_start_with_what_its_release_refuses(file: str, version: str, why: str) -> None:
    (found,) = startup_findings(file, version)
    assert " does not start: " in found and why in found and "(b.properties:" in found


@pytest.mark.parametrize(("file", "version"), TAKEN)
def test_a_node_starts_with_what_its_release_takes(file: str, version: str) -> None:
    assert startup_findings(file, version) == []


@pytest.mark.parametrize("file", [BOTH + "advertised.listeners=PLAINTEXT://c:1,CONTROLLER://c:2"])
def test_a_rule_of_some_releases_says_nothing_where_none_is_stated(file: str) -> None:
    assert startup_findings(file, None) == []


def test_an_image_may_add_the_map_and_the_controllers() -> None:
    compose = (
        "services:\n  kafka:\n    image: apache/kafka:3.9.0\n    environment:\n      KAFKA_PROCESS_ROLES: broker\n"
        "      KAFKA_NODE_ID: 1\n      KAFKA_LISTENERS: INSIDE://:1\n      KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE\n"
        "      KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER\n"
    )
    assert not nodes_down(read_cluster_texts([("c.yml", compose, True)], Options(), "x")[0])


@pytest.mark.parametrize(
    ("line", "version", "says"),
    [
        ("zookeeper.connection.timeout.ms=x", "3.9", "`zookeeper.connection.timeout.ms=x` is not a whole number"),
        ("zookeeper.max.in.flight.requests=0", "3.9", "`zookeeper.max.in.flight.requests=0` is below 1"),
        ("zookeeper.set.acl=maybe", "3.9", "`zookeeper.set.acl=maybe` is neither true nor false"),
        ("zookeeper.ssl.client.enable=maybe", "3.9", "is neither true nor false"),
        ("compression.type=foo", "2.8.1", "`compression.type=foo` is not one of uncompressed"),
        ("queued.max.requests=0", "2.8.1", "is below 1"),
        ("group.max.size=0", "2.8.1", "is below 1"),
        ("replica.fetch.max.bytes=-1", "2.8.1", "is below 0"),
        ("offsets.topic.compression.codec=9", "2.8.1", "is not one of 0, 1, 2, 3, 4"),
        ("connections.max.idle.ms=9223372036854775808", "3.9", "is above 9223372036854775807"),
        ("zookeeper.set.acl=maybe", "2.7", None),
        ("compression.type=LZ4", "2.8.1", None),
        ("queued.max.requests=1", "3.9", None),
        ("fetch.max.bytes=${BYTES}", "3.9", None),
        ("num.network.threads=8", "3.9", None),
    ],
)
def test_values_that_kafka_refuses_by_type_and_by_least_value(line: str, version: str, says: str | None) -> None:
    found = startup_findings(ZOOKEEPER + line, version)
    assert len(found) == (says is not None)
    assert all(says is not None and says in one for one in found)


@pytest.mark.parametrize(
    ("kafka", "level", "refused"),
    [
        ("3.7.1", "3.7-IV1", True),
        ("3.9.1", "3.6", True),
        ("4.1.0", "3.6-IV2", True),
        ("3.7.0", "3.7-IV1", False),
        ("3.7", "3.7-IV1", False),  # it may be 3.7.0
        ("3.9.1", "3.7-IV2", False),
        ("3.9.1", "3.7", False),
    ],
)
def test_several_directories_need_a_metadata_version_that_has_them(kafka: str, level: str, refused: bool) -> None:
    """KafkaConfig.validateWithMetadataVersion, 3.7.1 to 4.3.0."""
    options = Options(kafka_version=kafka, distribution="apache", metadata_version=level)
    file = KRAFT.replace("/d1", "/a,/b") + PLAIN
    found = nodes_down(read_cluster_texts([("b.properties", file, True)], options, "x")[0])
    assert ["3.7-IV2, the first that has them" in node.to_sentence for node in found] == ([True] if refused else [])
