"""Clusters of files, and what is known of their topics."""

from __future__ import annotations

from typing import Any

from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.signature import Signature, Subject
from tidegate.audit.questions.subjects import cluster_subjects

NODE = "process.roles={roles}\nnode.id={id}\ncontroller.quorum.voters=11@a:1,12@b:1,13@c:1\nlog.dirs=data\n"
CONTROLLER = NODE + "controller.listener.names=C\nlisteners=C://:1\n"

SOUND = "default.replication.factor=3\n"


def cluster_of(texts: dict[str, str], version: str = "4.1.0", **options: Any) -> Cluster:
    files = [(name, text, True) for name, text in texts.items()]
    return read_cluster_texts(files, Options(kafka_version=version, distribution="apache", **options), "x")[0]


def nodes(brokers: str = "", controllers: str | None = "", **more: str) -> dict[str, str]:
    """Three brokers and three controllers; None: the controllers' files are not given."""
    found = {f"b{i}.properties": NODE.format(roles="broker", id=i) + SOUND + brokers for i in (1, 2, 3)}
    if controllers is not None:
        found |= {f"c{i}.properties": CONTROLLER.format(roles="controller", id=i) + controllers for i in (11, 12, 13)}
    return found | {name.replace("__", "."): text for name, text in more.items()}


def subject_of(cluster: Cluster, name: str = "(new topics)") -> Subject:
    return next(subject for subject in cluster_subjects(cluster) if subject.topics[0].name == name)


def signatures(cluster: Cluster, name: str = "(new topics)") -> list[Signature]:
    return [variant.signature for variant in subject_of(cluster, name).variants]


DESCRIBED = """\
Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: unclean.leader.election.enable=true
\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3
"""


USES = '[topic."orders"]\nproducer = "p.properties"\n'


ORDERS = DESCRIBED.replace("unclean.leader.election.enable=true", "min.insync.replicas=2")


def signatures_of_settings(settings: str, client: str = "java:3.9") -> list[Signature]:
    texts = {"topics.txt": ORDERS, "audit.toml": USES, "p.properties": "key.serializer=x\n" + settings}
    return signatures(cluster_of(texts, "3.9.0", clients=(client,)), "orders")
