"""What is named in one file, and of which no other file says anything: topics, and brokers."""

from __future__ import annotations

from collections.abc import Sequence

from ..cluster.cluster import NEW_TOPICS, Broker, Cluster, TopicUse
from ..cluster.findings import Finding
from ..cluster.statements import Origin
from ..readers.parsed_file import Part


def undescribed_topic_text(parts: Sequence[Part], cluster: Cluster, use: TopicUse) -> str:
    """What is said of a mapping that names a topic of which nothing was read; "" if it names none. Where no topic was
    described, one that covers every name is about those that will be created."""
    every = {topic.name for topic in (*cluster.topics, *cluster.planned_topics)}
    left_out = {name for part in parts for name in (*part.left_out, *part.of_topics)} - every
    named = sorted(filter(use.is_about, left_out))
    if named:
        return f"`{use.pattern}` names topic {named[0]}, which was not read: nothing is known of it"
    if any(map(use.is_about, every or {NEW_TOPICS})) or not (every or cluster.topic_keepers):
        return ""
    among = f"among the {len(cluster.topics)} that were read" if every else "that was read: none is described"
    return f"`{use.pattern}` is the name of no topic {among}"


def brokers_without_files(cluster: Cluster) -> tuple[list[Finding], list[str]]:
    """Brokers that have replicas, and of which no file was given beside those of several others: they are assumed to be
    like these, each on a host of its own. Where the files are of all nodes, or nodes share hosts, that decides, and a
    finding leaves the audit undecided. One broker's file may stand for all."""
    holding = {id_: part.origin for topic in cluster.topics for part in topic.partitions for id_ in part.replicas}
    down = {id_ for id_, _ in cluster.answering.down} if cluster.answering is not None else set[int]()
    bare = {
        b.id: holding[b.id]
        for b in cluster.brokers
        if b.id in holding and b.id not in down and _is_bare(b, holding[b.id])
    }
    given = [broker for broker in cluster.brokers if broker.keeps_topics and broker.id not in bare]
    if not bare or len(given) < 2:
        return [], []
    who = f"broker {next(iter(bare))}" if len(bare) == 1 else f"brokers {', '.join(map(str, bare))}"
    hosts = [node.machine for node in cluster.brokers if node.machine is not None]
    if cluster.whole or len({*hosts}) < len(hosts):
        what = f"{who}, with a replica of a partition, is in no file" if len(bare) == 1 else f"{who} are in no file"
        to_do = "give the files of all brokers, and the description of the same cluster"
        where = next(iter(bare.values()))
        return [Finding("incomplete", "error", f"{what}: its host and settings are not known", where, to_do)], []
    one = "is on a host of its own, and has the settings" if len(bare) == 1 else "are on hosts of their own, set as"
    like = f"{one} of the others" if len(bare) == 1 else f"{one} the others are"
    return [], [f"{who}, of which no file was given, {like}"]


def _is_bare(broker: Broker, where: Origin) -> bool:
    """Whether a description is all that names it."""
    return not broker.settings and (bool(broker.dynamic) or broker.origin.path == where.path)
