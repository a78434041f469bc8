"""With how many replicas topics are created, and with which `min.insync.replicas`, as far as the files say.

A topic of Kafka's own is made as the broker says that is asked for its coordinator first, and one that is made on
first use as the broker says that was asked for it: both send their own number (KafkaApis 0.11,
AutoTopicCreationManager since 2.8). Who creates a topic and asks for no number (-1) gets that of the active controller:
with ZooKeeper that is one of the brokers (ZkAdminManager), in KRaft a controller, whatever the brokers' files say
(ControllerServer, ReplicationControlManager). Where those who may make it differ, and no description says how many
there are, each of their numbers is possible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..cluster.cluster import NEW_TOPICS, Broker, Cluster, Topic, is_run_by_strimzi
from ..cluster.settings import setting_value
from ..cluster.statements import Default, SettingValue, StatedValue, Unknown
from ..kafka.internal_topics import OFFSETS
from ..kafka.keys import KeyName, declared_key, is_false, is_true
from ..kafka.profiles import MOST_REPLICAS
from ..kafka.topic_settings import CONSTRAINTS, REPLICAS_OF, WHERE_SET, min_isr_key
from ..kafka.versions import is_at_least
from .facts import Fact, FactValue, UnansweredTopicError, UsedSetting, note_setting, open_statements
from .placement import check_creatable, has_one_by_default, placement_fact

AUTO_CREATE_TOPICS_ENABLE = declared_key("auto.create.topics.enable")

DEFAULT_FACTOR = declared_key("default.replication.factor")

REPLICAS_SET_BY = {NEW_TOPICS: DEFAULT_FACTOR, **REPLICAS_OF, **{name: key for name, (key, _) in WHERE_SET.items()}}
"""The brokers' setting for the replicas of each topic that they make by themselves."""


def topics_to_create(cluster: Cluster) -> Iterator[Topic]:
    """The topics that are not there but of which the brokers' configuration speaks. There is no topic of transactions
    before 0.11 (KIP-98)."""
    there, kafka = {topic.name for topic in cluster.topics}, cluster.versions.kafka
    if not any(not topic.is_internal for topic in cluster.topics):
        yield _topic_created_by_brokers(cluster, NEW_TOPICS)
    for name in REPLICAS_OF:
        older = name != OFFSETS and kafka is not None and is_at_least(kafka.value, "0.11") is False
        if name not in there and not older:
            yield _topic_created_by_brokers(cluster, name)
    for name, (key, switch) in WHERE_SET.items():
        if name not in there and any(
            _is_topic_asked_for(cluster, key, switch, at) for at in range(len(cluster.topic_keepers))
        ):
            yield _topic_created_by_brokers(cluster, name)


def _is_topic_asked_for(cluster: Cluster, key: KeyName, switch: KeyName | None, index: int) -> bool:
    """Whether a broker's settings ask for a topic that only some clusters have."""
    answer = setting_value(cluster, cluster.topic_keepers[index], switch) if switch else None
    on = isinstance(answer, StatedValue) and is_true(answer.value)
    return on or isinstance(setting_value(cluster, cluster.topic_keepers[index], key), StatedValue)


def _topic_created_by_brokers(cluster: Cluster, name: str) -> Topic:
    answers = _values_of_creating_nodes(cluster, name, REPLICAS_SET_BY[name])
    stated = [said for said in answers if isinstance(said, StatedValue)]
    return Topic(name, stated[0].origin if stated else cluster.topic_keepers[0].origin)


def values_of_brokers(cluster: Cluster, key: KeyName) -> Sequence[SettingValue]:
    """What the brokers have for a setting, each value once; those whose files were not given are like these."""
    return _distinct_values([setting_value(cluster, keeper, key) for keeper in cluster.topic_keepers])


def _distinct_values(answers: Sequence[SettingValue]) -> tuple[SettingValue, ...]:
    return tuple({None if isinstance(said, Unknown) else said.value: said for said in reversed(answers)}.values())


def creating_nodes(cluster: Cluster, name: str) -> tuple[Broker, ...]:
    """The nodes whose settings decide how many replicas a topic of this name is made with: the brokers, and in KRaft,
    of a topic that is not Kafka's own, the controllers as well, of whom no number may have been asked. A broker that
    makes no topic on first use decides none there."""
    if name != NEW_TOPICS or cluster.control_plane != "kraft":
        return cluster.topic_keepers
    controllers = _deciding_controllers(cluster)
    on_first_use = tuple(node for node in cluster.topic_keepers if not controllers or _makes_topics(cluster, node))
    return tuple(node for node in cluster.brokers if node in on_first_use or node in controllers)


def _makes_topics(cluster: Cluster, broker: Broker) -> bool:
    """Whether a broker may make a topic on first use."""
    answer = setting_value(cluster, broker, AUTO_CREATE_TOPICS_ENABLE)
    return isinstance(answer, Unknown) or not is_false(answer.value)


def _default_factors(cluster: Cluster) -> Sequence[SettingValue]:
    """With how many replicas a topic is created of which nobody says how many; of controllers whose files were not
    given, what the brokers have or the default."""
    if cluster.control_plane != "kraft":
        return values_of_brokers(cluster, DEFAULT_FACTOR)
    given = [setting_value(cluster, node, DEFAULT_FACTOR) for node in _deciding_controllers(cluster)]
    if given:
        return _distinct_values(given)
    unset = Default("1", "KafkaConfig: the default, on the controllers, whose files were not given")
    return _distinct_values([*values_of_brokers(cluster, DEFAULT_FACTOR), unset])


def replication_factors(cluster: Cluster, topic: Topic, used_settings: list[UsedSetting]) -> Sequence[int]:
    """How many replicas a topic has, or may have, most first. Raises UnansweredTopicError."""
    sizes = {len(set(part.replicas) - set(part.removing)) for part in topic.partitions if part.replicas}
    found = _count_without_observers(cluster, topic, min(sizes, default=topic.replication_factor))
    if found is not None:
        used_settings.append(UsedSetting("replication factor", str(found), topic.origin))
    elif has_one_by_default(cluster, topic):
        used_settings.append(UsedSetting("replication.factor", "1", None, "StreamsConfig before 3.0 (KIP-733)"))
        found = 1
    numbers = _replication_factors_by_default(cluster, topic, used_settings) if found is None else [found]
    if not topic.partitions:
        numbers = [check_creatable(cluster, topic, number, used_settings) for number in numbers]
    if topic.name == OFFSETS and found is None and _is_before_kip_115(cluster):
        numbers = list(range(max(numbers), 0, -1))
        why = "before 0.11 it is made with as many replicas as brokers were alive then, at most these (KIP-115)"
        used_settings.append(UsedSetting("replicas at first use", f"1 to {max(numbers)}", None, why))
    if min(numbers) < 1:
        raise UnansweredTopicError(f"{topic.name} has {min(numbers)} replicas, and the model has 1 to {MOST_REPLICAS}")
    return sorted(set(numbers), reverse=True)


def _is_before_kip_115(cluster: Cluster) -> bool:
    kafka = cluster.versions.kafka
    return kafka is not None and is_at_least(kafka.value, "0.11") is False


def _asks_for_no_factor(cluster: Cluster, topic: Topic) -> bool:
    """Whether it is created by someone, who states no number of replicas if none is known."""
    return topic.resource is not None or topic in cluster.planned_topics


def _is_left_to_controllers(cluster: Cluster, topic: Topic) -> bool:
    """Whether controllers decide its number of replicas whose files were not given."""
    return (
        cluster.control_plane == "kraft" and not _deciding_controllers(cluster) and _asks_for_no_factor(cluster, topic)
    )


def _deciding_controllers(cluster: Cluster) -> tuple[Broker, ...]:
    """The controllers of KRaft whose settings were given. Strimzi gives every node those of its Kafka resource."""
    found = tuple(node for node in cluster.controllers if node.settings)
    return found or (cluster.topic_keepers if is_run_by_strimzi(cluster) else ())


def _replication_factors_by_default(cluster: Cluster, topic: Topic, used_settings: list[UsedSetting]) -> list[int]:
    """Who asks for no number of replicas has the topic made with that of the controllers; all other topics are made
    with that of a broker, whichever it is."""
    asks_for_none = _asks_for_no_factor(cluster, topic)
    key = REPLICAS_SET_BY.get(topic.name) if topic not in cluster.topics else None
    key = DEFAULT_FACTOR if asks_for_none else key
    answers = (
        _default_factors(cluster)
        if asks_for_none
        else _values_of_creating_nodes(cluster, topic.name, key)
        if key
        else ()
    )
    known = [said for said in answers if not isinstance(said, Unknown) and said.value.isdecimal()]
    if not key or not known or len(known) < len(answers):
        raise UnansweredTopicError(
            f"the replication factor of {topic.name} is not stated; give kafka-topics.sh --describe"
        )
    if asks_for_none or len(known) > 1:
        for said in known:
            note_setting(said, key, used_settings)
    else:
        used_settings.append(UsedSetting("replication factor", known[0].value, topic.origin))
    return [int(said.value) for said in known]


def _values_of_creating_nodes(cluster: Cluster, name: str, key: KeyName) -> Sequence[SettingValue]:
    return _distinct_values([setting_value(cluster, node, key) for node in creating_nodes(cluster, name)])


def _count_without_observers(cluster: Cluster, topic: Topic, replicas: int | None) -> int | None:
    """Of Confluent's placement only the replicas count: an observer is in no ISR until it is promoted. Raises
    UnansweredTopicError where nothing says which of the replicas are observers."""
    of_brokers = (setting for broker in cluster.topic_keepers for setting in broker.settings)
    placed = [setting for setting in (*topic.settings, *of_brokers) if setting.key in CONSTRAINTS and setting.value]
    if not placed or topic.is_internal:
        return replicas
    read = re.fullmatch(r"(\d+) replicas, (\d+) observers", placed[0].value)
    if read is None:
        what = f"`{placed[0].key}` of {topic.name} cannot be read, so that some of its replicas may be observers"
        raise UnansweredTopicError(f"{what}; give it as JSON with counts, and kafka-topics.sh --describe")
    return int(read[1]) if int(read[1]) and (replicas is None or int(read[1]) < replicas) else replicas


def factor_and_placement(
    cluster: Cluster, topic: Topic, numbers: Sequence[int], used_settings: list[UsedSetting]
) -> Iterator[Fact]:
    """The number of replicas, and where they stand; of partitions that are not described each may have just one, and
    so has what a Streams application creates whose version is not stated."""
    open_ = topic.is_cut_short or (topic.streams != "" and has_one_by_default(cluster, topic) is None)
    ask = "--client java:VERSION" if topic.streams else "the whole output of kafka-topics.sh --describe"
    if len(numbers) == 1:
        both = dict.fromkeys((*numbers, 1) if open_ else numbers)
        yield Fact("replication factor", tuple(FactValue(str(n), {"replicas": n}) for n in both), ask)
        yield placement_fact(cluster, topic, numbers[0], used_settings)
        return
    choices = [(number, placement_fact(cluster, topic, number, used_settings)) for number in numbers]
    made = tuple(FactValue(str(n), {**placed.choices[0].sets, "replicas": n}) for n, placed in choices)
    if topic.is_internal:
        ask = f"kafka-topics.sh --describe --topic {topic.name}"
    elif _is_left_to_controllers(cluster, topic):
        ask = "server.properties of the controllers" + (f", and {ask}" if open_ else "")
    keys = {REPLICAS_SET_BY.get(topic.name, DEFAULT_FACTOR), DEFAULT_FACTOR}
    differing = {used.value: used for used in used_settings if used.key in keys}
    yield Fact("replication factor", made, ask, open_statements(list(differing.values())))


def versions_with_created_replicas(
    cluster: Cluster, topic: Topic, most: int, versions: Sequence[FactValue], used_settings: list[UsedSetting]
) -> Iterator[FactValue]:
    """Versions that an open cluster may have: with one before 0.11 its offsets topic may have any number of replicas
    up to `most`."""
    is_made = topic.name == OFFSETS and not topic.partitions and topic.replication_factor is None
    for version in versions:
        old = is_made and not _is_before_kip_115(cluster) and version.sets["binary"] == "kafka_0_10"
        yield version
        for number in range(most - 1, 0, -1) if old else ():
            placed = placement_fact(cluster, topic, number, used_settings).choices[0].sets
            shown = f"{version.text}, made with {number} of its brokers alive"
            yield FactValue(shown, {**version.sets, **placed, "replicas": number})


def own_min_isr_key(cluster: Cluster, topic: Topic) -> KeyName | None:
    """The brokers' setting for the min.insync.replicas that a topic of Kafka's own is created with."""
    return min_isr_key(topic.name, cluster.versions.release)


def values_of_min_isr(cluster: Cluster, topic: Topic) -> Sequence[SettingValue]:
    """What a topic of Kafka's own is created with, where it has a setting of its own; () where it has not."""
    own = own_min_isr_key(cluster, topic)
    return values_of_brokers(cluster, own) if own is not None and is_to_be_created(topic) else ()


def is_to_be_created(topic: Topic) -> bool:
    """Whether nothing is known of a topic that is there."""
    return not topic.partitions and not topic.settings and not topic.complete
