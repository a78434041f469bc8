"""Rules about what Kafka's own topics keep: what follows for groups and for tiered data where that is lost, or ends."""

from __future__ import annotations

from collections.abc import Iterator

from ..cluster.cluster import Cluster, Topic
from ..cluster.findings import Finding
from ..cluster.settings import number_of, place_of
from ..cluster.statements import Origin
from ..kafka.internal_topics import REMOTE, SHARE
from ..kafka.keys import declared_key
from ..kafka.versions import is_at_least

MIN_ISR, RETENTION = declared_key("min.insync.replicas"), declared_key("offsets.retention.minutes")
RESET = declared_key("auto.offset.reset")
WEEK = 10_080
"""Minutes that a group may rest by default since 2.0 (KIP-186)."""


def internal_topic_rules(cluster: Cluster) -> Iterator[Finding]:
    """All of them."""
    yield from lost_state(cluster)
    yield from offsets_that_expire(cluster)


_FOLLOWS = {
    SHARE: (
        "share groups start at their reset policy (share.auto.offset.reset, latest by default): records that no "
        "consumer has accepted are skipped, and with earliest those that were accepted are delivered again",
        "KIP-932",
    ),
    REMOTE: (
        "brokers do not find the segments in remote storage any more: all that is tiered is lost to consumers, and "
        "stays there undeleted",
        "KIP-405",
    ),
}
"""What is lost with a topic, and the source."""


def lost_state(cluster: Cluster) -> Iterator[Finding]:
    """What the loss of a topic of Kafka's own means, where one replica may be all that has a record of it."""
    for topic in cluster.topics:
        replicas = min((len(partition.replicas) for partition in topic.partitions), default=topic.replication_factor)
        least = number_of(cluster, topic, MIN_ISR)
        if topic.name not in _FOLLOWS or replicas is None or least is None or (replicas > 1 and least > 1):
            continue
        follows, source = _FOLLOWS[topic.name]
        one = "has one replica" if replicas == 1 else f"is written with one replica in sync ({MIN_ISR}={least})"
        what = f"{topic.name} {one}: when that one's host or disk is lost, {follows}"
        yield Finding(
            "not_modelled",
            "warning",
            what,
            _place(cluster, topic, replicas),
            "three replicas, two of them in sync",
            source,
        )


def _place(cluster: Cluster, topic: Topic, replicas: int) -> Origin:
    return topic.origin if replicas == 1 else place_of(cluster, topic, MIN_ISR)


def offsets_that_expire(cluster: Cluster) -> Iterator[Finding]:
    """A group that rests for longer than its offsets are kept starts as if it were new. Before 2.1 what a group does
    not commit anew expires while its members are there, too (KIP-211)."""
    kept = {
        minutes: keeper for keeper in cluster.keepers if (minutes := number_of(cluster, keeper, RETENTION)) is not None
    }
    if not kept or min(kept) >= WEEK:
        return
    minutes, kafka = min(kept), cluster.versions.kafka
    old = kafka is not None and is_at_least(kafka.value, "2.1") is False
    who = "a group that commits nothing" if old else "a group without members"
    then = sorted({setting.value for client in cluster.clients for setting in client.settings if setting.key == RESET})
    what = (
        f"{RETENTION} is {minutes}: {who} for {_time(minutes)} loses its offsets and is thrown to {RESET}"
        f"{' (' + ', '.join(then) + ')' if then else ''}: with latest, its default, what came meanwhile is skipped"
    )
    where = place_of(cluster, kept[minutes], RETENTION)
    yield Finding(
        "advice", "warning", what, where, f"{RETENTION}={WEEK}, or as long as the topics are kept", "KIP-186, KIP-211"
    )


def _time(minutes: int) -> str:
    days, rest = divmod(minutes, 1440)
    return f"{minutes} minutes" if rest else "a day" if days == 1 else f"{days} days"
