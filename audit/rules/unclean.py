"""Rules about what unclean elections do beyond what the partition's model says: to transactions, to tiered topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..cluster.cluster import Client, Cluster, Topic
from ..cluster.findings import Finding
from ..cluster.settings import setting_place, setting_value
from ..cluster.statements import Unknown
from ..facts.controller_settings import UNCLEAN, unclean_elections
from ..kafka.internal_topics import INTERNAL
from ..kafka.keys import declared_key, is_true
from ..kafka.versions import is_at_least
from ..startup.producers import is_transactional

TIERED_TOPIC = declared_key("remote.storage.enable")
_HANGS = "tidegate check lost_marker:unclean --bounds two_transactions --property nothing_hangs"
_DELETES = "tidegate check tiered_log:unclean --bounds two_outages --symmetry --property tiered_is_deleted_when_due"
_TO_DO = "unclean.leader.election.enable=false"


def unclean_rules(cluster: Cluster) -> Iterator[Finding]:
    """Both, once each: where leaders of a topic are elected uncleanly, as the files say or their defaults."""
    unclean = [topic for topic in cluster.topics if topic.name not in INTERNAL and _is_unclean(cluster, topic)]
    yield from lost_markers(cluster, unclean)
    yield from deleted_segments(cluster, unclean)


def _is_unclean(cluster: Cluster, topic: Topic) -> bool:
    """KRaft ignores the setting before 3.9 (`versions.unclean_in_kraft`)."""
    kafka = cluster.versions.kafka
    if cluster.control_plane == "kraft" and kafka is not None and is_at_least(kafka.value, "3.9") is False:
        return False
    answer = unclean_elections(cluster, topic)
    return not isinstance(answer, Unknown) and is_true(answer.value)


def lost_markers(cluster: Cluster, unclean: Sequence[Topic]) -> Iterator[Finding]:
    """KAFKA-20716: the new leader may have a transaction's records and not its marker, which nobody sends again."""
    writers = [client for client in cluster.clients if client.kind == "producer" and is_transactional(client)]
    topics = [topic for topic in unclean if _is_written_by(cluster, writers, topic)]
    if topics:
        what = (
            f"leaders of {_names(topics)} are elected uncleanly, and {min(writer.name for writer in writers)} writes "
            "in transactions: a leader that lacks a transaction's marker leaves readers of committed records where "
            "that begins, for ever; the producer's next transaction there ends both alike, so that committed records "
            "are dropped or aborted ones are read"
        )
        to_do = f"{_TO_DO}; after such an election kafka-transactions.sh find-hanging, then abort"
        where = setting_place(cluster, topics[0], UNCLEAN)
        yield Finding("advice", "warning", what, where, to_do, f"KAFKA-20716; {_HANGS}")


def _is_written_by(cluster: Cluster, writers: Sequence[Client], topic: Topic) -> bool:
    """Whether one of these producers writes a topic, or may: no entry of audit.toml says who does."""
    use = cluster.use_of(topic.name)
    producers = () if use is None else use.producers
    return any(not producers or any(map(writer.has_name, producers)) for writer in writers)


def deleted_segments(cluster: Cluster, unclean: Sequence[Topic]) -> Iterator[Finding]:
    """A leader deletes in remote storage what has older epochs than any that it knows."""
    topics = [topic for topic in unclean if _is_tiered(cluster, topic)]
    if topics:
        what = (
            f"leaders of {_names(topics)}, which is tiered, are elected uncleanly: one without the epochs of what is "
            "in remote storage, as with a new disk, deletes that, too, and what is written after such an election may "
            "be lost as well"
        )
        yield Finding(
            "advice", "warning", what, setting_place(cluster, topics[0], UNCLEAN), _TO_DO, f"KIP-405; {_DELETES}"
        )


def _is_tiered(cluster: Cluster, topic: Topic) -> bool:
    answer = setting_value(cluster, topic, TIERED_TOPIC)
    return not isinstance(answer, Unknown) and is_true(answer.value)


def _names(topics: Sequence[Topic]) -> str:
    more = len(topics) - 1
    return f"topic {topics[0].name}" + (f" and {more} more" if more else "")
