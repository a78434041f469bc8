"""Topics that no node ever serves, since none of theirs starts."""

from __future__ import annotations

from ..cluster.cluster import Cluster, Topic
from ..startup.nodes import Refusals
from .facts import UnservedTopicError


def raise_if_never_up(cluster: Cluster, topic: Topic, why_down: Refusals) -> None:
    """Raises UnservedTopicError where no replica of a topic, or no majority of the controllers, is ever up; `why_down`
    are the cluster's `refusals`, which are the same for all of its topics."""
    why = _why_never_up(cluster, topic, why_down)
    if why:
        raise UnservedTopicError(why)


def _why_never_up(cluster: Cluster, topic: Topic, why_down: Refusals) -> str:
    keepers = {id(keeper) for keeper in cluster.topic_keepers}
    found = [(why, node) for node, why in why_down if id(node) in keepers]
    held = {number for partition in topic.partitions for number in partition.replicas}
    mine = [(why, broker) for why, broker in found if not held or broker.id in held]
    known_of = {broker.id for _, broker in mine}
    if mine and all(why for why, _ in mine) and held <= known_of:
        return f"none of its brokers starts: {mine[0][0]}"
    voters = set(cluster.quorum.voters) if cluster.quorum else set[int]()
    lost = voters & {node.id for node, why in why_down if why}
    if voters and 2 * len(voters - lost) <= len(voters):
        which = ", ".join(map(str, sorted(lost)))
        return f"most controllers do not start ({which} of {len(voters)}), so that no partition has a leader"
    return ""
