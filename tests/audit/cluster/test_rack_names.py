"""What an answer about racks depends on is said by name, with what the user can give."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Topic
from tidegate.audit.cluster.racks import missing_racks
from tidegate.audit.cluster.statements import Origin
from tidegate.audit.joining.options import Options

TOPICS_OF_THREE = (
    "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: \n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
)
VOTER = "process.roles=controller\nnode.id=9\ncontroller.quorum.voters=9@c:9093\n"


@pytest.mark.parametrize(
    ("racks", "more", "name"),
    [
        ((1, 2), {"topics.txt": TOPICS_OF_THREE}, "broker.rack"),
        ((1, 2, 3), {}, "which brokers have (new topics)"),
        ((1, 2, 3), {"topics.txt": TOPICS_OF_THREE}, "who the controllers are"),
        ((1, 2, 3), {"topics.txt": TOPICS_OF_THREE, "c.properties": VOTER}, "the racks of controllers 9"),
    ],
)
def test_what_is_missing_of_the_racks_has_its_name(racks: tuple[int, ...], more: dict[str, str], name: str) -> None:
    files = {
        f"b{id_}.properties": f"process.roles=broker\nnode.id={id_}\n"
        + (f"broker.rack=r{id_}\n" if id_ in racks else "")
        for id_ in (1, 2, 3)
    }
    texts = [(path, text, True) for path, text in (files | more).items()]
    cluster, _ = read_cluster_texts(texts, Options(kafka_version="3.9.0", distribution="apache"), "x")
    topic = cluster.topics[0] if cluster.topics else Topic("(new topics)", Origin("x"))
    assert missing_racks(cluster, topic)[0] == name
