"""Audits of described topics, and of combined nodes, as documents."""

from __future__ import annotations

from typing import Any

from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.explorer.cache import cache_directory

TOPICS = (
    "Topic: {name}\tTopicId: x\tPartitionCount: 1\tReplicationFactor: {replicas}\t"
    "Configs: min.insync.replicas={least}\n"
    "\tTopic: {name}\tPartition: 0\tLeader: 1\tReplicas: {hosts}\tIsr: {hosts}\n"
)


def topic_text(name: str, least: int, replicas: int = 3) -> str:
    """A topic as kafka-topics.sh describes it."""
    hosts = ",".join(map(str, range(1, replicas + 1)))
    return TOPICS.format(name=name, least=least, replicas=replicas, hosts=hosts)


def audit_topics(topics: str, producer: str = "acks=all\n", seconds: float = 600.0) -> dict[str, Any]:
    """The document of an audit of topics and their producer, on Kafka 3.9."""
    texts = [("cluster/topics.txt", topics, True), ("cluster/producer.properties", producer, True)]
    options = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
    return audit(*read_cluster_texts(texts, options, "x"), AuditRequest(seconds=seconds)).document


def combined_nodes(*hosts: str) -> list[tuple[str, str, bool]]:
    """The files of nodes that are brokers and controllers, on these hosts."""
    voters = ",".join(f"{id_}@{host}:{19090 + id_}" for id_, host in enumerate(hosts, 1))
    return [
        (
            f"c/server-{id_}.properties",
            f"process.roles=broker,controller\nnode.id={id_}\ncontroller.quorum.voters={voters}\n"
            f"controller.listener.names=C\nlisteners=PLAINTEXT://{host}:{9090 + id_},C://{host}:{19090 + id_}\n"
            f"log.dirs=/data/{id_}\ndefault.replication.factor=3\nmin.insync.replicas=2\n",
            True,
        )
        for id_, host in enumerate(hosts, 1)
    ]


def audit_combined(*hosts: str) -> dict[str, Any]:
    topics = topic_text("orders", 2) + topic_text("sessions", 3)
    texts = [*combined_nodes(*hosts), ("c/topics.txt", topics, True), ("c/p.properties", "acks=all\n", True)]
    options = Options(kafka_version="3.9.0", distribution="apache", clients=("java:3.9",))
    asked = AuditRequest(folder=cache_directory(), seconds=600.0)
    return audit(*read_cluster_texts(texts, options, "x"), asked).document
