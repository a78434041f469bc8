"""What to type for a change of settings: the command or the patch, what restarts, the order, what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...traces.sentences import capitalize_first
from ..cluster.cluster import Cluster, Topic, is_run_by_strimzi
from ..cluster.settings import elr_is_too_early, setting_place, setting_value
from ..cluster.statements import SettingValue, Unknown
from ..facts.controller_settings import MIN_ISR, least_in_sync
from ..facts.topic_creation import own_min_isr_key, topics_to_create
from ..kafka.keys import KeyName, declared_key
from ..kafka.tools import BOOTSTRAP, reassignment_command, topic_alteration_command
from ..kafka.topic_settings import COMMIT_ACKS, factor_key
from ..kafka.versions import is_at_least
from ..questions.signature import Subject
from .changes import SettingChange
from .moves import PlanStep, plan_move
from .patches import (
    Lines,
    broker_count_diff,
    kafka_config_diff,
    rack_diff,
    topic_config_diff,
    topic_replicas_diff,
    version_diff,
)

DEFAULT_REPLICATION_FACTOR = declared_key("default.replication.factor")
FLUSH_MESSAGES = declared_key("flush.messages")
LOG_FLUSH_INTERVAL_MESSAGES = declared_key("log.flush.interval.messages")
MIN_INSYNC_REPLICAS = declared_key("min.insync.replicas")

ROLL_OUT = (
    "release",
    "elr",
    "newest",
    "replicas",
    "racks",
    "each_rack",
    "min_isr",
    "lower_min_isr",
    "unclean",
    "fsync",
    "commit_acks",
    "client",
    "acks",
    "in_flight",
    "idempotence",
    "hosts",
    "controllers",
    "voter_racks",
)
"""The order of roll-out: more replicas, in sync, before more of them are asked for; what takes computers is last."""
MOST_TOPICS = 3
"""Of topics that are changed alike so many are shown."""


def plan_changes(subject: Subject, changes: Sequence[tuple[str, str]], cluster: Cluster) -> list[PlanStep]:
    """The steps of a change, in the order of roll-out."""
    ordered = sorted(changes, key=lambda change: ROLL_OUT.index(change[0]))
    if cluster.control_plane == "zookeeper" and {"elr", "newest"} & {name for name, _ in changes}:
        ordered = [change for change in ordered if change[0] != "controllers"]  # it has none of ZooKeeper's afterwards
    return [step for name, value in ordered for step in _steps_of_change(subject, name, value, cluster)]


def _steps_of_change(subject: Subject, name: str, value: str, cluster: Cluster) -> Iterator[PlanStep]:
    match name:
        case "hosts" | "controllers" | "voter_racks":
            yield plan_move(name, cluster)
        case "each_rack":
            yield _replica_change_step(subject, 0, cluster, 1)
        case "replicas" | "racks":
            if name == "replicas":
                yield from _broker_addition_steps(cluster, int(value))
            for some in _split_by_owner(subject) if name == "replicas" else (subject,):
                yield _replica_change_step(some, int(value) if name == "replicas" else 0, cluster, int(value))
        case "acks" | "in_flight" | "idempotence":
            yield _producer_setting_step(subject, cluster, *_OF_PRODUCERS[name])
        case "client":
            what = "Run the producer with a Java client of 2.5 or later: up to 3.9 it speaks to brokers since 0.10"
            yield PlanStep(f"{what}, since 4.0 to brokers since 2.1.", (), True, "a restart")
        case "commit_acks":
            yield _planned_setting_step(
                subject, COMMIT_ACKS, value, cluster, "a commit waits for the ISR of __consumer_offsets"
            )
        case "release":
            yield _upgrade_step(cluster, value)
        case "elr" | "newest":
            yield _elr_step(cluster, "" if name == "elr" else value)
        case _:
            for some in _split_by_owner(subject):
                yield _topic_setting_step(some, name, value, cluster)


def _split_by_owner(subject: Subject) -> Iterator[Subject]:
    """The topics that Strimzi's KafkaTopics ask for, then those that nothing asks for."""
    for asked in (True, False):
        topics = tuple(topic for topic in subject.topics if (topic.resource is not None) is asked)
        if topics:
            yield replace(subject, topics=topics)


_TOPIC_SETTINGS = {
    "min_isr": (
        declared_key("min.insync.replicas"),
        "with fewer in sync, producers with acks=all are refused with NotEnoughReplicas and try again",
    ),
    "lower_min_isr": (declared_key("min.insync.replicas"), "a record may be acknowledged with fewer copies"),
    "unclean": (
        declared_key("unclean.leader.election.enable"),
        "a partition whose last in-sync replicas are gone waits for one of them instead of losing data",
    ),
    "fsync": (
        declared_key("flush.messages"),
        "each append waits for the disk: throughput falls, often by a factor of ten or more",
    ),
}
DYNAMIC_SINCE = "1.1"
"""Since when brokers take the settings of `_TOPIC_SETTINGS` while they run, for all topics at once (KIP-226)."""

_OF_INTERNAL = ("transaction.", "offsets.", "share.")
"""How settings of brokers begin that are of one of Kafka's own topics alone, and that take a restart."""

_OPERATOR = "the operator restarts brokers one after the other where it must"
_NEEDS_CRUISE_CONTROL = (
    "The topic operator does it with Cruise Control, which must be deployed; without it reassign with "
    "kafka-reassign-partitions.sh first and write the number then"
)


def _topic_setting_step(subject: Subject, name: str, value: str, cluster: Cluster) -> PlanStep:
    key, cost = _TOPIC_SETTINGS[name]
    if subject.is_planned:
        return _planned_setting_step(subject, broker_key(subject, key, cluster), value, cluster, cost)
    if subject.topics[0].resource is not None:
        says = f"Set {key} in the KafkaTopic, without a restart. {capitalize_first(cost)}.{_topic_count_note(subject)}"
        return _step_for_each_topic(
            subject, _lines_of_resource(lambda asked: topic_config_diff(asked, key, value)), says, cost
        )
    says = f"Set {key}={value}; it is dynamic, nothing restarts. {capitalize_first(cost)}.{_topic_count_note(subject)}"
    release = cluster.versions.release
    return _step_for_each_topic(
        subject, lambda topic: (topic_alteration_command(topic.name, f"{key}={value}", release),), says, cost
    )


def broker_key(subject: Subject, key: KeyName, cluster: Cluster) -> KeyName:
    """What a topic that is not there yet takes the setting from."""
    if key == MIN_INSYNC_REPLICAS:
        return own_min_isr_key(cluster, subject.topics[0]) or key
    return LOG_FLUSH_INTERVAL_MESSAGES if key == FLUSH_MESSAGES else key


def _planned_setting_step(subject: Subject, key: str, value: str, cluster: Cluster, cost: str) -> PlanStep:
    """A setting of the brokers, for topics that will be created."""
    about = "" if key.startswith(_OF_INTERNAL) else ", for topics that have no value of their own"
    if is_run_by_strimzi(cluster):
        says = f"Set {key}={value} in the Kafka resource{about}; {_OPERATOR}. {capitalize_first(cost)}."
        return PlanStep(says, kafka_config_diff(cluster, key, value), True, cost)
    kafka = cluster.versions.kafka
    old = kafka is not None and is_at_least(kafka.value, DYNAMIC_SINCE) is False
    if key.startswith(_OF_INTERNAL) or old:
        says = f"Set {key}={value} on every broker{about}, and restart them. {capitalize_first(cost)}."
        return PlanStep(says, (f"{key}={value}",), True, cost)
    says = f"Set {key}={value} for the whole cluster{about}; it is dynamic, and stronger than the brokers' files."
    line = f"kafka-configs.sh {BOOTSTRAP} --alter --entity-type brokers --entity-default --add-config {key}={value}"
    return PlanStep(f"{says} {capitalize_first(cost)}.", (line,), False, cost)


def _step_for_each_topic(subject: Subject, lines: Callable[[Topic], Lines], says: str, cost: str) -> PlanStep:
    """What is done to topics one by one."""
    commands = [lines(topic) for topic in subject.topics]
    shown = sum(len(command) for command in commands[:MOST_TOPICS])
    return PlanStep(says, tuple(line for command in commands for line in command), False, cost, shown)


def _lines_of_resource(lines: Callable[[Topic], Lines]) -> Callable[[Topic], Lines]:
    """Of the KafkaTopic, where there is one."""
    return lambda topic: () if topic.resource is None else lines(topic.resource)


def _topic_count_note(subject: Subject) -> str:
    return f" It is done to {len(subject.topics):,} topics." if len(subject.topics) > MOST_TOPICS else ""


_OF_PRODUCERS: Mapping[str, tuple[KeyName, str, str]] = {
    "acks": (declared_key("acks"), "all", "each write waits for the slowest replica in sync"),
    "in_flight": (
        declared_key("max.in.flight.requests.per.connection"),
        "1",
        "a request waits for the answer to the one before: less throughput where the broker is far",
    ),
    "idempotence": (declared_key("enable.idempotence"), "true", "needs acks=all and at most 5 requests in flight"),
}


def _producer_setting_step(subject: Subject, cluster: Cluster, key: KeyName, value: str, cost: str) -> PlanStep:
    where = "the producer's configuration"
    if subject.producer is not None:
        old = setting_place(cluster, subject.producer, key)
        where = subject.producer.origin.path + ("" if old.line is None else f", in place of line {old.line},")
    line = f"{key}={value}"
    return PlanStep(f"Write {line} into {where} and restart the producer: {cost}.", (line,), True, cost)


def _upgrade_step(cluster: Cluster, kafka: str) -> PlanStep:
    cost = "a restart of every broker, one after the other; nothing changes for clients"
    says = f"Upgrade every broker to {kafka} or later, with inter.broker.protocol.version as it is at first."
    return PlanStep(
        f"{says} {capitalize_first(cost)}.",
        version_diff(cluster, kafka) if is_run_by_strimzi(cluster) else (),
        True,
        cost,
    )


def _elr_step(cluster: Cluster, release: str) -> PlanStep:
    """On brokers of `release` or later ("": of the one that is there), from where the cluster is: 4.1 has no ZooKeeper,
    and only 3.9 can leave it for 4.0 and later (KIP-866). The feature needs metadata.version 4.0-IV1
    (EligibleLeaderReplicasVersion.ELRV_1), which no upgrade of brokers raises, and `--release-version` raises both
    (FeatureCommand, 4.1.0)."""
    kafka = cluster.versions.kafka
    there = not release or (kafka is not None and is_at_least(kafka.value, release) is True)
    old = cluster.control_plane == "zookeeper" or (kafka is not None and is_at_least(kafka.value, "3.3") is False)
    moved = "Upgrade to 3.9 and migrate to KRaft there, with three controllers, each on a host without a broker"
    moved = f"{moved} (KIP-866). " if old else ""
    cost = f"{'' if there else 'an upgrade of every broker, with KRaft; '}nothing changes for clients"
    says = f"{'Turn' if there else f'{moved}Upgrade to {release} and turn'} on eligible leader replicas (KIP-966)"
    upgrade = version_diff(cluster, f"{release}.0") if is_run_by_strimzi(cluster) and not there else ()
    feature = f"kafka-features.sh {BOOTSTRAP} upgrade --feature eligible.leader.replicas.version=1"
    how = ""
    if not upgrade and (not there or elr_is_too_early(cluster)):
        feature = f"kafka-features.sh {BOOTSTRAP} upgrade --release-version {release or '4.1'}"
        how = " Raising metadata.version to that of the release turns them on, and makes kraft.version 1."
    return PlanStep(
        f"{says}; set min.insync.replicas by topic or for the whole cluster first.{how} {capitalize_first(cost)}.",
        (*upgrade, feature),
        not there,
        cost,
    )


def _replica_change_step(subject: Subject, replicas: int, cluster: Cluster, most: int) -> PlanStep:
    """More replicas, or (`replicas` is 0) the same number in more racks, at most so many in one."""
    topic = subject.topics[0]
    cost = "the new replicas copy the whole log; throttle it, and wait until all are in sync before the next step"
    if subject.is_planned and not replicas:
        says = (
            f"Have brokers in more racks, each with its broker.rack, so that at most {most} of a new topic's replicas"
        )
        return PlanStep(f"{says} share one.", (), True, "more racks")
    if topic in cluster.planned_topics and (topic.streams or topic.replication_factor is not None):
        return _program_setting_step(subject, replicas)
    if subject.is_planned:
        return _planned_replicas_step(factor_key(topic.name) or DEFAULT_REPLICATION_FACTOR, replicas, cluster, cost)
    if topic.resource is not None and replicas:
        says = f"Raise the replicas in the KafkaTopic: {cost}. {_NEEDS_CRUISE_CONTROL}.{_topic_count_note(subject)}"
        return _step_for_each_topic(
            subject, _lines_of_resource(lambda asked: topic_replicas_diff(asked, replicas)), says, cost
        )
    return _move_step(subject, replicas, cluster, cost, most)


def _broker_addition_steps(cluster: Cluster, replicas: int) -> Iterator[PlanStep]:
    """With fewer brokers than replicas. One broker's file may stand for any number of them."""
    cost = "more nodes and disks"
    if not is_run_by_strimzi(cluster):
        now = known_brokers(cluster)
        if now is None or now >= replicas:
            return
        fewer = "with fewer, a topic of so many replicas cannot be created (InvalidReplicationFactorException)"
        yield PlanStep(f"Have {replicas} brokers first ({now} now): {fewer}. It costs {cost}.", (), False, cost)
        return
    lines = broker_count_diff(cluster, replicas)
    if lines is None:
        yield PlanStep(f"Have {replicas} brokers first: add a KafkaNodePool with roles: [broker]. The nodes that there "
                   "are vote as well, and the number of controllers is to stay.", (), False, cost)  # fmt: skip
    elif lines:
        yield PlanStep(f"Have {replicas} brokers first. It costs {cost}.", lines, False, cost)


def known_brokers(cluster: Cluster) -> int | None:
    """How many brokers there are; None where that is not known, since one broker's file may stand for any number."""
    now = sum(1 for broker in cluster.brokers if broker.keeps_topics)
    return None if now == 0 or (now == 1 and not cluster.whole) else now


def _program_setting_step(subject: Subject, replicas: int) -> PlanStep:
    """A program that creates its topics asks for a number of replicas itself, whatever the brokers' default is."""
    what = "An existing one keeps its replicas until it is reassigned."
    topic = subject.topics[0]
    if topic.streams:
        line = f"replication.factor={replicas}"
        return PlanStep(
            f"Write {line} into {topic.streams}, and restart the application. {what}", (line,), True, "a restart"
        )
    where = ", ".join(dict.fromkeys(str(one.origin) for one in subject.topics))
    says = f"Ask for {replicas} replicas of {subject.name} where the program that creates it states the number: {where}"
    return PlanStep(f"{says}. {what}", (), True, "a restart")


def _planned_replicas_step(key: str, replicas: int, cluster: Cluster, cost: str) -> PlanStep:
    what = "It applies to new topics only: an existing one keeps its replicas until it is reassigned."
    if is_run_by_strimzi(cluster):
        says = f"Set {key}={replicas} in the Kafka resource; {_OPERATOR}. {what}"
        return PlanStep(says, kafka_config_diff(cluster, key, str(replicas)), True, cost)
    where = "every broker and every controller" if is_decided_by_controllers(key, cluster) else "every broker"
    return PlanStep(f"Set {key}={replicas} on {where}, and restart them. {what}", (f"{key}={replicas}",), True, cost)


def is_decided_by_controllers(key: str, cluster: Cluster) -> bool:
    """Whether controllers that are no brokers decide it, too: with how many replicas a topic is created that asks for
    no number."""
    alone = any(not node.keeps_topics for node in cluster.controllers) or not cluster.controllers
    return cluster.control_plane == "kraft" and key == DEFAULT_REPLICATION_FACTOR and alone


def _move_step(subject: Subject, replicas: int, cluster: Cluster, cost: str, most: int) -> PlanStep:
    moves = list(_partition_reassignments(subject, replicas, cluster))
    there = {broker.rack.value for broker in cluster.brokers if broker.rack is not None and broker.keeps_topics}
    needed = -(-_most_replicas(subject) // most)
    if not replicas and len(there) < needed:
        lines = rack_diff(cluster) if is_run_by_strimzi(cluster) else ()
        says = f"Have brokers in {needed} racks ({len(there)} now), each with its broker.rack, and then spread the"
        return PlanStep(
            f"{says} replicas over them with kafka-reassign-partitions.sh: {cost}.", lines, bool(lines), cost
        )
    if not moves:
        return PlanStep(f"Give {subject.name} {replicas} replicas, in different racks, with "
                    f"kafka-reassign-partitions.sh: {cost}. The brokers to choose from are not known here.", (),
                    False, cost)  # fmt: skip
    name = "reassignment.json" if replicas else "racks.json"
    says = f"Save this as {name} and execute it, without a restart: {cost}."
    line = reassignment_command(name, cluster.versions.release)
    return PlanStep(says, (line,), False, cost, file=(name, {"version": 1, "partitions": moves}))


def _most_replicas(subject: Subject) -> int:
    return max((len(partition.replicas) for topic in subject.topics for partition in topic.partitions), default=1)


def _broker_preference_key(
    racks: Mapping[int, str], used_racks: Sequence[str], load: Mapping[int, int], id_: int
) -> tuple[int, int, int]:
    return used_racks.count(racks[id_]) if id_ in racks else 0, load[id_], id_


def _partition_reassignments(subject: Subject, replicas: int, cluster: Cluster) -> Iterator[dict[str, object]]:
    """Where each partition's replicas go: those it has stay, and the least loaded brokers of other racks come."""
    racks = {
        broker.id: broker.rack.value for broker in cluster.brokers if broker.id is not None and broker.rack is not None
    }
    ids = {broker.id for broker in cluster.brokers if broker.id is not None and broker.keeps_topics}
    ids |= {id_ for topic in cluster.topics for partition in topic.partitions for id_ in partition.replicas}
    load = {id_: 0 for id_ in sorted(ids)}
    for topic in subject.topics:
        for partition in topic.partitions:
            chosen = list(partition.replicas[:1])
            size = replicas or len(partition.replicas)
            rest = [id_ for id_ in partition.replicas if id_ not in chosen] if replicas else []
            chosen += rest
            while len(chosen) < size:
                free = [id_ for id_ in load if id_ not in chosen]
                if not free:
                    return
                used = [racks[id_] for id_ in chosen if id_ in racks]
                best = min(free, key=partial(_broker_preference_key, racks, used, load))
                chosen.append(best)
                load[best] += 1
            yield {"topic": topic.name, "partition": partition.number, "replicas": chosen}


# --- in as few words as a table's column has: what repairs it when nothing else is done ------------------------------


def change_texts(subject: Subject, changes: Sequence[SettingChange], cluster: Cluster) -> list[str]:
    """The changes in the order of roll-out, each as it is typed: `offsets.topic.replication.factor=3`."""
    ordered = sorted(changes, key=lambda change: ROLL_OUT.index(change.name))
    every = (
        text
        for change in ordered
        for text in (*_texts_before(subject, change, cluster), _change_text(subject, change, cluster))
    )
    return list(dict.fromkeys(every))


def _texts_before(subject: Subject, change: SettingChange, cluster: Cluster) -> list[str]:
    """What a change needs first."""
    match change.name:
        case "replicas":
            brokers = known_brokers(cluster)
            return [f"{change.value} brokers"] if brokers is not None and brokers < int(change.value) else []
        case "elr" | "newest":
            least = _min_isr_first_text(subject, cluster)
            return [least] if least else []
        case _:
            return []


def _set_key(subject: Subject, key: KeyName, cluster: Cluster) -> KeyName:
    """Where a topic's setting is set: the topic's own, and of one that is not there yet the brokers'."""
    return broker_key(subject, key, cluster) if subject.is_planned else key


def _change_text(subject: Subject, change: SettingChange, cluster: Cluster) -> str:
    match change.name:
        case "replicas":
            key = _replication_factor_key(subject, cluster)
            both = is_decided_by_controllers(key, cluster)
            return f"{key}={change.value}{' on brokers and controllers' if both else ''}"
        case "min_isr" | "lower_min_isr":
            return f"{_set_key(subject, MIN_ISR, cluster)}={change.value}"
        case "fsync":
            return f"{_set_key(subject, FLUSH_MESSAGES, cluster)}={change.value}"
        case "controllers":
            servers = "ZooKeeper servers" if cluster.control_plane == "zookeeper" else "controllers"
            return f"three {servers} on hosts without brokers"
        case _:
            return change.setting


def _replication_factor_key(subject: Subject, cluster: Cluster) -> str:
    """What says how many replicas there are: of a topic that the brokers create, their setting."""
    topic = subject.topics[0]
    by_program = topic in cluster.planned_topics and (topic.streams or topic.replication_factor is not None)
    if subject.is_planned and not by_program:
        return factor_key(topic.name) or DEFAULT_REPLICATION_FACTOR
    return "replication factor"


def _min_isr_first_text(subject: Subject, cluster: Cluster) -> str:
    """What is set before eligible leader replicas are switched on, where the controllers would make less of it than
    what holds now for any topic."""
    least = max((variant.signature.min_isr for variant in subject.variants), default=1)
    to_come = topics_to_create(cluster) if cluster.topic_keepers else ()
    for topic in (*subject.topics, *cluster.topics, *to_come):
        now, then = setting_value(cluster, topic, MIN_ISR), least_in_sync(cluster, topic)
        if (
            own_min_isr_key(cluster, topic) is None
            and then is not None
            and _setting_value_text(now) != _setting_value_text(then)
        ):
            return f"{MIN_ISR}={max(2, least)} for the whole cluster"
    return ""


def _setting_value_text(value: SettingValue) -> str:
    return "" if isinstance(value, Unknown) else value.value


def step_document(step: PlanStep) -> dict[str, Any]:
    """A step as the document has it. `shown` commands are for a reader, the others are alike; `file` is what they read,
    by its name."""
    file = None if step.file is None else {"name": step.file[0], "document": step.file[1]}
    return {
        "says": step.says,
        "commands": list(step.commands),
        "shown": len(step.commands) if step.shown_commands is None else step.shown_commands,
        "file": file,
        "restart": step.restart,
        "cost": step.cost,
    }
