"""Clusters whose nodes may not start."""

from __future__ import annotations

from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.joining.options import Options

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
