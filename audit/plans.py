"""What to type for a change of settings: the command or the patch, what restarts, the order, what it costs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from .cluster import Cluster, Topic
from .signature import Subject

BOOTSTRAP = "--bootstrap-server HOST:9092"
_ORDER = ("elr", "replicas", "racks", "min_isr", "lower_min_isr", "unclean", "fsync", "acks", "idempotence")
"""The order of roll-out: more replicas, in sync, before more of them are asked for."""
MOST_PARTITIONS = 20
"""Of a reassignment so many partitions are shown; the others follow the same rule."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do: in words, with the commands or lines of a file, whether something restarts, what it costs."""

    says: str
    commands: tuple[str, ...]
    restart: bool
    cost: str


def plan(subject: Subject, changes: Sequence[tuple[str, str]], cluster: Cluster) -> list[Step]:
    """The steps of a change, in the order of roll-out."""
    ordered = sorted(changes, key=lambda each: _ORDER.index(each[0]))
    return [step for name, value in ordered for step in _steps(subject, name, value, cluster)]


def _steps(subject: Subject, name: str, value: str, cluster: Cluster) -> Iterator[Step]:
    match name:
        case "replicas" | "racks":
            yield _reassign(subject, int(value) if name == "replicas" else 0, cluster)
        case "acks":
            yield _client(subject, "acks=all", "a write waits for the ISR: latency as of the slowest member of it")
        case "idempotence":
            yield _client(subject, "enable.idempotence=true", "needs acks=all and at most 5 requests in flight")
        case "elr":
            yield _elr()
        case _:
            yield _topic_setting(subject, name, value)


_TOPIC_SETTINGS = {
    "min_isr": (
        "min.insync.replicas",
        "with fewer in sync, producers with acks=all are refused with NotEnoughReplicas and try again",
    ),
    "lower_min_isr": ("min.insync.replicas", "a record may be acknowledged with fewer copies"),
    "unclean": (
        "unclean.leader.election.enable",
        "a partition whose last in-sync replicas are gone waits for one of them instead of losing data",
    ),
    "fsync": ("flush.messages", "each append waits for the disk: throughput falls, often by a factor of ten or more"),
}


def _topic_setting(subject: Subject, name: str, value: str) -> Step:
    key, cost = _TOPIC_SETTINGS[name]
    if subject.planned and not subject.internal:
        line = "log.flush.interval.messages" if key == "flush.messages" else key
        return Step(f"Set {line}={value} on every broker, for topics to come. {_cap(cost)}.",
                    (f"{line}={value}",), True, cost)  # fmt: skip
    if _yaml(subject.topics[0]):
        return Step(f"Set {key} in the KafkaTopic, without a restart. {_cap(cost)}.",
                    ("spec:", "  config:", f"    {key}: {value}"), False, cost)  # fmt: skip
    commands = tuple(
        f"kafka-configs.sh {BOOTSTRAP} --alter --entity-type topics --entity-name {topic.name} "
        f"--add-config {key}={value}"
        for topic in subject.topics[:3]
    )
    more = f" Likewise for the other {len(subject.topics) - 3} topics." if len(subject.topics) > 3 else ""
    return Step(f"Set {key}={value}; it is dynamic, nothing restarts. {_cap(cost)}.{more}", commands, False, cost)


def _cap(text: str) -> str:
    return text[:1].upper() + text[1:]


def _yaml(topic: Topic) -> bool:
    return topic.origin.path.endswith((".yaml", ".yml"))


def _client(subject: Subject, line: str, cost: str) -> Step:
    where = "the producer's configuration" if subject.producer is None else str(subject.producer.origin.path)
    return Step(f"Write {line} into {where} and restart the producer: {cost}.", (line,), True, cost)


def _elr() -> Step:
    cost = "an upgrade of every broker, with KRaft; nothing changes for clients"
    return Step(
        "Upgrade to 4.1 and turn on eligible leader replicas (KIP-966); set min.insync.replicas by topic or for the "
        f"whole cluster first. It costs {cost}.",
        (f"kafka-features.sh {BOOTSTRAP} upgrade --feature eligible.leader.replicas.version=1",),
        True,
        cost,
    )


def _reassign(subject: Subject, replicas: int, cluster: Cluster) -> Step:
    topic = subject.topics[0]
    cost = "the new replicas copy the whole log; throttle it, and wait until all are in sync before the next step"
    if subject.planned:
        key = {"__consumer_offsets": "offsets.topic.replication.factor",
               "__transaction_state": "transaction.state.log.replication.factor"}.get(topic.name,
               "default.replication.factor")  # fmt: skip
        return Step(f"Set {key}={replicas} on every broker, and restart them. It is for topics that are not there "
                    "yet: an existing one keeps its replicas until it is reassigned.",
                    (f"{key}={replicas}",), True, cost)  # fmt: skip
    if _yaml(topic):
        return Step(f"Raise the replicas in the KafkaTopic: {cost}.", ("spec:", f"  replicas: {replicas}"), False, cost)
    moves = list(_moves(subject, replicas, cluster))
    if not replicas and len({each.rack.value for each in cluster.brokers if each.rack is not None}) < 2:
        return Step("Add brokers in a second rack, and then spread the replicas over both: all brokers are in one.",
                    (), False, cost)  # fmt: skip
    if not moves:
        return Step(f"Give {subject.name} {replicas} replicas, in different racks, with kafka-reassign-partitions.sh: "
                    f"{cost}. The brokers to choose from are not known here.", (), False, cost)  # fmt: skip
    document = json.dumps({"version": 1, "partitions": moves[:MOST_PARTITIONS]})
    more = "" if len(moves) <= MOST_PARTITIONS else f" (the first {MOST_PARTITIONS} of {len(moves)} partitions)"
    return Step(
        f"Save this as reassignment.json{more} and execute it, without a restart: {cost}.",
        (document, f"kafka-reassign-partitions.sh {BOOTSTRAP} --reassignment-json-file reassignment.json --execute"),
        False,
        cost,
    )


def _preference(
    racks: Mapping[int, str], used: Sequence[str], load: Mapping[int, int], id_: int
) -> tuple[int, int, int]:
    return used.count(racks[id_]) if id_ in racks else 0, load[id_], id_


def _moves(subject: Subject, replicas: int, cluster: Cluster) -> Iterator[dict[str, object]]:
    """Where each partition's replicas go: those it has stay, and the least loaded brokers of other racks come."""
    racks = {each.id: each.rack.value for each in cluster.brokers if each.id is not None and each.rack is not None}
    ids = {each.id for each in cluster.brokers if each.id is not None and "broker" in (each.roles or ("broker",))}
    ids |= {id_ for topic in cluster.topics for each in topic.partitions for id_ in each.replicas}
    load = {id_: 0 for id_ in sorted(ids)}
    for topic in subject.topics:
        for each in topic.partitions:
            chosen = list(each.replicas[:1])
            size = replicas or len(each.replicas)
            rest = [id_ for id_ in each.replicas if id_ not in chosen] if replicas else []
            chosen += rest
            while len(chosen) < size:
                free = [id_ for id_ in load if id_ not in chosen]
                if not free:
                    return
                used = [racks[id_] for id_ in chosen if id_ in racks]
                best = min(free, key=partial(_preference, racks, used, load))
                chosen.append(best)
                load[best] += 1
            yield {"topic": topic.name, "partition": each.number, "replicas": chosen}
