"""Replicas where no broker is, on nodes that are controllers alone, such as those that had both roles before; and those
that are being moved."""

from __future__ import annotations

from collections.abc import Iterator

from ..cluster.cluster import Cluster
from ..cluster.findings import Finding
from ..cluster.settings import setting_place, setting_value
from ..cluster.statements import Unknown
from ..kafka.keys import declared_key
from ..kafka.versions import is_at_least

LOG_DIRS = declared_key("log.dirs")

REASSIGN = (
    "move these replicas to brokers (kafka-reassign-partitions.sh), then take the nodes out of the list of brokers: "
    "kafka-cluster.sh unregister --id ID, for each of them"
)


def replicas_without_a_broker(cluster: Cluster) -> Iterator[Finding]:
    """Replicas on nodes whose files say that they are no brokers. A node that lost the role stays registered, and its
    replicas are counted: of three copies one may be all that there ever will be (KIP-631)."""
    alone = {node.id for node in cluster.brokers if node.roles == ("controller",) and node.id is not None}
    found = [
        (topic, partition, [replica for replica in partition.replicas if replica in alone])
        for topic in cluster.topics
        for partition in topic.partitions
        if not alone.isdisjoint(partition.replicas)
    ]
    if not found:
        return
    topic, partition, there = found[0]
    nodes = sorted({replica for _, _, replicas in found for replica in replicas})
    who = f"node {nodes[0]}, which is a controller"
    who = who if len(nodes) == 1 else f"nodes {_list_nodes(nodes)}, which are controllers"
    name = f"{topic.name}-{partition.number}"
    which = f"{name} has" if len(found) == 1 else f"{len(found)} partitions, such as {name}, have"
    left = len(partition.replicas) - len(there)
    copies = {0: "is no copy", 1: "is one copy"}.get(left, f"are {left} copies")
    what = f"{which} replicas on {who} alone: these never come back, and of {name} there {copies} until they are moved"
    yield Finding("incomplete", "error", what, partition.origin, REASSIGN, "KIP-631")


def running_reassignments(cluster: Cluster) -> Iterator[Finding]:
    """Replicas that are being moved: the answers are about the replicas that there will be, and none is about the time
    until then (KIP-455)."""
    found = [(topic, part) for topic in cluster.topics for part in topic.partitions if part.adding or part.removing]
    if not found:
        return
    topic, part = found[0]
    name = f"{topic.name}-{part.number}"
    which = f"of {name}" if len(found) == 1 else f"of {len(found)} partitions, such as {name},"
    moves = [f"{word} {_list_nodes(sorted(ids))}" for word, ids in (("to", part.adding), ("off", part.removing)) if ids]
    what = (
        f"replicas {which} are being moved {' and '.join(moves)}: the answers are about those that it will have, and "
        "not about the time until then"
    )
    to_do = "wait until kafka-reassign-partitions.sh --list shows none, and audit again"
    yield Finding("not_modelled", "warning", what, part.origin, to_do, "KIP-455")


def eligible_without_copies(cluster: Cluster) -> Iterator[Finding]:
    """Brokers that left with a reassignment and are in the ELR still, from which they may be elected with an empty copy
    once they are added again (4.0 to 4.4)."""
    found = [(topic, part) for topic in cluster.topics for part in topic.partitions if part.eligible_without_copy]
    if not found:
        return
    topic, part = found[0]
    name = f"{topic.name}-{part.number}"
    which = f"of {name}" if len(found) == 1 else f"of {len(found)} partitions, such as {name},"
    who = _list_nodes(sorted(part.eligible_without_copy))
    what = (
        f"the eligible leader replicas {which} name {who}, where no copy is: "
        "added again, it may be elected before it has fetched, and acknowledged records are lost"
    )
    to_do = "add it only once as many as min.insync.replicas are in sync, and it is in the ELR no more"
    yield Finding("incomplete", "error", what, part.origin, to_do, f"KIP-966; {_SHOWS_EMPTY}")


_SHOWS_EMPTY = "tidegate check partition:kafka_4_1 --bounds reassignment_cancelled --property leader_completeness"


def _list_nodes(nodes: list[int]) -> str:
    return " and ".join(filter(None, (", ".join(map(str, nodes[:-1])), str(nodes[-1]))))


def moves_between_directories(cluster: Cluster) -> Iterator[Finding]:
    """KAFKA-15608, KAFKA-20961: a log that was moved to another directory of its broker lacks the leader epochs that
    have no records, from 2.7 on (a fetch names its last epoch), and in 4.4 still."""
    kafka = cluster.versions.kafka
    if kafka is None or is_at_least(kafka.value, "2.7") is not True:
        return
    for broker in cluster.topic_keepers:
        answer = setting_value(cluster, broker, LOG_DIRS)
        if not isinstance(answer, Unknown) and "," in answer.value.strip(", "):
            what = (
                "where a leader's log is moved to another directory of its broker, and nobody writes to that partition,"
                " a follower may stay out of the ISR until somebody does, or another leader is elected"
            )
            to_do = "look at the ISR after a move, and write a record, or move the leader, where one stays out"
            source = f"KAFKA-20961, KAFKA-15608; {_SHOWS_MOVED}"
            yield Finding("advice", "note", what, setting_place(cluster, broker, LOG_DIRS), to_do, source)
            return


_SHOWS_MOVED = "tidegate check catching_up:kafka_20961 --property followers_join"
