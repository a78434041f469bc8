"""Rules about what Kafka's own topics keep: what follows for groups and for tiered data where that is lost, or ends."""

from __future__ import annotations

from collections.abc import Iterator

from ..cluster.cluster import Broker, Cluster, Topic
from ..cluster.findings import Finding
from ..cluster.settings import setting_number, setting_place, setting_value
from ..cluster.statements import Default, Origin, StatedValue, Unknown
from ..kafka.internal_topics import OFFSETS, REMOTE, SHARE
from ..kafka.keys import KeyName, declared_key
from ..kafka.versions import is_at_least
from ..startup.producers import is_transactional

MIN_ISR, RETENTION = declared_key("min.insync.replicas"), declared_key("offsets.retention.minutes")
RESET = declared_key("auto.offset.reset")
WEEK = 10_080
"""Minutes that a group may rest by default since 2.0 (KIP-186)."""


def internal_topic_rules(cluster: Cluster) -> Iterator[Finding]:
    """All of them."""
    yield from lost_state(cluster)
    yield from offsets_that_expire(cluster)
    yield from commits_that_are_cut_off(cluster)


_FOLLOWS = {
    SHARE: (
        "share groups wait while no replica leads, and after an unclean election they go on from older offsets. Where "
        "nothing is left of it, since 4.1 what members accept is refused: each record is given out again when its lock "
        "ends, up to group.share.delivery.count.limit times (5 by default), and then dropped; once the leader of the "
        "partition that they read moves, nothing is given out until all members are stopped and the offsets are reset "
        "(kafka-share-groups.sh --reset-offsets), which skips records or delivers them again. In 4.0 nothing is lost "
        "with it, unless that leader moves before members accept more: then they start at their reset policy "
        "(share.auto.offset.reset, latest by default)",
        "KIP-932, SharePartition (releaseAcquisitionLockOnTimeout), ShareCoordinatorShard "
        "(READ_UNINITIALIZED_SHARE_PARTITION)",
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
        least = setting_number(cluster, topic, MIN_ISR)
        if topic.name not in _FOLLOWS or replicas is None or least is None or (replicas > 1 and least > 1):
            continue
        follows, source = _FOLLOWS[topic.name]
        one = "has one replica" if replicas == 1 else f"is written with one replica in sync ({MIN_ISR}={least})"
        what = f"{topic.name} {one}: when that one's host or disk is lost, {follows}"
        yield Finding(
            "not_modelled",
            "warning",
            what,
            _place_of_factor_or_min_isr(cluster, topic, replicas),
            "three replicas, two of them in sync",
            source,
        )


def _place_of_factor_or_min_isr(cluster: Cluster, topic: Topic, replicas: int) -> Origin:
    return topic.origin if replicas == 1 else setting_place(cluster, topic, MIN_ISR)


def offsets_that_expire(cluster: Cluster) -> Iterator[Finding]:
    """A group that rests for longer than its offsets are kept starts as if it were new. Before 2.1 what a group does
    not commit anew expires while its members are there, too (KIP-211)."""
    kept = {
        minutes: keeper
        for keeper in cluster.topic_keepers
        if (minutes := setting_number(cluster, keeper, RETENTION)) is not None
    }
    if not kept or min(kept) >= WEEK:
        return
    minutes, kafka = min(kept), cluster.versions.kafka
    old = kafka is not None and is_at_least(kafka.value, "2.1") is False
    who = "a group that commits nothing" if old else "a group without members"
    then = sorted({setting.value for client in cluster.clients for setting in client.settings if setting.key == RESET})
    what = (
        f"{RETENTION} is {minutes}: {who} for {_duration_text(minutes)} loses its offsets and is thrown to {RESET}"
        f"{' (' + ', '.join(then) + ')' if then else ''}: with latest, its default, what came meanwhile is skipped"
    )
    where = setting_place(cluster, kept[minutes], RETENTION)
    yield Finding(
        "advice", "warning", what, where, f"{RETENTION}={WEEK}, or as long as the topics are kept", "KIP-186, KIP-211"
    )


def _duration_text(minutes: int) -> str:
    days, rest = divmod(minutes, 1440)
    return f"{minutes} minutes" if rest else "a day" if days == 1 else f"{days} days"


NEW_COORDINATOR = declared_key("group.coordinator.new.enable")
PROTOCOLS = declared_key("group.coordinator.rebalance.protocols")
_OPTIONAL, _BY_PROTOCOL, _DEFAULT, _ALWAYS = "3.6", "3.7", "4.0", "4.1"
"""Since when groups may have KIP-848's coordinator, since when `consumer` among the protocols brings it, since when
they have it by default, and always."""
_NEXT, _REPAIRED, _NEXT_REPAIRED = "4.3", "4.2.2", "4.3.1"
_SHOWS_CUT_OFF = "tidegate check coordinator_answers:kafka_4_3_0 --bounds one_move --property answered_is_kept"


def commits_that_are_cut_off(cluster: Cluster) -> Iterator[Finding]:
    """KAFKA-20634: KIP-848's coordinator, on a broker that has ceased to lead, may answer that a commit is safe which
    was cut off. What is not replicated is not cut off so, and who has no consumer group has none."""
    kafka = cluster.versions.kafka
    users = [client for client in cluster.clients if client.kind == "consumer" or is_transactional(client)]
    if kafka is None or len(cluster.topic_keepers) < 2 or not users:
        return
    repaired = _NEXT_REPAIRED if is_at_least(kafka.value, _NEXT) is not False else _REPAIRED
    has = is_at_least(kafka.value, repaired)
    reasons = [reason for broker in cluster.topic_keepers if (reason := _new_coordinator(cluster, broker, kafka.value))]
    if has is True or not reasons:
        return
    _, why, where = max(reasons, key=lambda reason: reason[0])
    when = f" before {repaired}" if has is None else ""
    what = (
        f"Kafka {kafka.value}{when}{why}: when a partition of {OFFSETS} gets another leader, which an election of "
        "preferred leaders is enough for, the coordinator before may answer that commits, generations and assignments "
        "are safe which are gone: records are processed again, in transactions too (exactly once is not kept), and the "
        "offsets of a transaction that was committed may stay open until the producer's next one there decides them"
    )
    to_do = (
        f"{_REPAIRED} or later of 4.2, or {_NEXT_REPAIRED} or later; until then leave leaders where they are as far as "
        "possible (auto.leader.rebalance.enable=false)"
    )
    where = where or kafka.origin
    yield Finding("advice", "warning", what, where, to_do, f"KAFKA-20634; {_SHOWS_CUT_OFF}")


def _new_coordinator(cluster: Cluster, broker: Broker, kafka: str) -> tuple[bool, str, Origin | None] | None:
    """Why a broker's groups have KIP-848's coordinator, or may have it, where it is set, and whether that is known:
    None if they have it not. ZooKeeper's brokers never have it (KafkaServer, 3.6 to 3.9)."""
    if is_at_least(kafka, _ALWAYS) is True:
        return True, "", None
    if cluster.control_plane == "zookeeper" or is_at_least(kafka, _OPTIONAL) is False:
        return None
    keys = [NEW_COORDINATOR]
    if is_at_least(kafka, _BY_PROTOCOL) is not False and is_at_least(kafka, _DEFAULT) is False:
        keys.append(PROTOCOLS)
    stated = [(key, answer) for key in keys if (answer := _stated_value(cluster, broker, key)) is not None]
    for key, answer in stated:
        if not isinstance(answer, Unknown) and _brings_new_coordinator(key, answer.value):
            return True, f" with {key}={answer.value}", setting_place(cluster, broker, key)
    for _, answer in stated:
        if isinstance(answer, Unknown):
            return False, f", if groups have KIP-848's coordinator ({answer.why})", None
    return (True, "", None) if not stated and is_at_least(kafka, _DEFAULT) is not False else None


def _stated_value(cluster: Cluster, broker: Broker, key: KeyName) -> StatedValue | Unknown | None:
    """What somebody says of a setting; where nobody does, its default holds in every distribution."""
    answer = setting_value(cluster, broker, key)
    says = any(setting.key == key for setting in (*broker.dynamic, *cluster.dynamic, *broker.settings))
    return answer if says and not isinstance(answer, Default) else None


def _brings_new_coordinator(key: KeyName, value: str) -> bool:
    words = [word.strip().lower() for word in value.split(",")]
    return ("true" if key == NEW_COORDINATOR else "consumer") in words
