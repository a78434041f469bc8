"""Nodes that do not start for what their listeners, or their ids, are together."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.startup.nodes import nodes_down

from ...support.startup import OPTIONS, TOPIC, cluster_with

QUORUM = "controller.quorum.voters=9@c:9093\n"


QUORUM_OF_1 = "controller.quorum.voters=1@a:2\n"


MAP = "listener.security.protocol.map=A:SSL,B:SSL,INSIDE:SSL,OUTSIDE:SSL,PLAINTEXT:PLAINTEXT\n"


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (QUORUM + "listeners=PLAINTEXT://:9092", "its file has no `controller.listener.names`"),
        (
            QUORUM_OF_1 + "process.roles=controller\nlisteners=CONTROLLER://:2",
            "it is a controller, and its file has no `controller.listener.names` (b1.properties:",
        ),
        (
            QUORUM_OF_1 + MAP + "process.roles=broker,controller\nlisteners=PLAINTEXT://:1,A://:2",
            "it is a controller, and its file has no `controller.listener.names` (b1.properties:",
        ),
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
    assert why in found.to_sentence and found.where.path == "b1.properties"


@pytest.mark.parametrize(
    "lines",
    [
        QUORUM + "listeners=PLAINTEXT://:9092\ncontroller.listener.names=CONTROLLER",
        MAP + "listeners=A://:1,B://:2\ninter.broker.listener.name=b",
        MAP + "listeners=A://:1\ninter.broker.listener.name=${NAME}",
        QUORUM_OF_1 + "process.roles=broker,controller\nlisteners=PLAINTEXT://:1,B://:2\ncontroller.listener.names=B",
        QUORUM_OF_1 + "process.roles=controller\nlisteners=CONTROLLER://:2\ncontroller.listener.names=CONTROLLER",
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
    said = [node.to_sentence for node in nodes_down(cluster)]
    assert len(said) == bool(why) and (not why or why in said[0])


CONTROLLER = (
    "process.roles=controller\nnode.id=1\ncontroller.quorum.voters=1@c:9093\nlog.dirs=d\ncontroller.listener.names=a\n"
    "listeners=A://:9093\n"
)
JOINING = (
    "process.roles=broker\nnode.id=1\ncontroller.quorum.voters=9@c:9093\nlog.dirs=d\ncontroller.listener.names=C\n"
    "controller.quorum.auto.join.enable=true\n"
)


@pytest.mark.parametrize(
    ("kafka", "file", "why"),
    [
        ("3.9", CONTROLLER, "not as its `listeners` have it, in capitals"),
        ("4.3", CONTROLLER, "not as its `listeners` have it, in capitals"),
        ("4.2", JOINING, "it is a broker alone, and `controller.quorum.auto.join.enable` is for controllers"),
        ("4.1", JOINING, ""),  # which does not know the key
    ],
)
def test_a_release_refuses_what_it_looks_at(kafka: str, file: str, why: str) -> None:
    cluster, _ = read_cluster_texts([("n.properties", file, True)], Options(kafka_version=kafka), "x")
    said = [node.to_sentence for node in nodes_down(cluster)]
    assert len(said) == bool(why) and (not why or why in said[0])


def test_what_an_image_adds_is_not_missing() -> None:
    """An image gives its node an id, advertises it and picks a listener for brokers: what is not there says nothing."""
    compose = (
        "services:\n  kafka:\n    image: apache/kafka:3.9.0\n    environment:\n      KAFKA_PROCESS_ROLES: broker\n"
        "      KAFKA_LISTENERS: INSIDE://0.0.0.0:1,OUTSIDE://:2\n"
    )
    assert not nodes_down(read_cluster_texts([("c.yml", compose, True)], Options(), "x")[0])


def test_a_controller_has_neither_listeners_nor_their_name() -> None:
    """KafkaConfig.validateValues; Apache's image adds neither."""
    text = "process.roles=controller\nnode.id=9\ncontroller.quorum.voters=9@c:9093\nlog.dirs=/d\n"
    image = (
        "services:\n  c:\n    image: apache/kafka:4.1.0\n    environment:\n      KAFKA_PROCESS_ROLES: controller\n"
        "      KAFKA_NODE_ID: 9\n      KAFKA_CONTROLLER_QUORUM_VOTERS: 9@c:9093\n      KAFKA_LOG_DIRS: /d\n"
    )
    for name, file in (("c.properties", text), ("c.yml", image)):
        cluster, _ = read_cluster_texts([(name, file, True)], Options(kafka_version="4.1.0"), "x")
        (down,) = nodes_down(cluster)
        assert down.why == "it is a controller, and has neither `controller.listener.names` nor `listeners`"
