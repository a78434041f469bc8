"""Topics, as all files together say: by name. Descriptions of one topic that differ are of different moments, and
nothing says which one is the newer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..cluster.cluster import Partition, Topic
from ..cluster.statements import HIDDEN, OF_ASKED, OPEN, Origin, Setting, StatedValue
from ..kafka.keys import settings_by_any_name
from ..readers.containers.strimzi import NOT_IN_FORCE
from ..readers.running.descriptions import NO_CONFIGS
from .parts import JoinedParts, withhold_values

UNSET = "not set"
"""What stands for the value where a whole statement of a topic's settings leaves one out."""


def joined_topics(joined_parts: JoinedParts) -> tuple[Topic, ...]:
    """Every topic that is there or asked for, once, with all that is said of it."""
    resources: dict[str, list[Topic]] = {}
    described: dict[str, list[Topic]] = {}
    for part in joined_parts.parts:
        of = resources if part.format == "Strimzi resources" else described
        for topic in part.topics:
            of.setdefault(topic.name, []).append(_withhold_topic_values(topic))
    own: dict[str, list[Setting]] = {}
    whole = {name for part in joined_parts.parts for name in part.whole_topics}
    for part in joined_parts.parts:
        for name, settings in part.of_topics.items():
            own.setdefault(name, []).extend(withhold_values(settings))
    created = [topic for part in joined_parts.parts for topic in part.created_topics]
    programs = {topic.name for topic in created if topic.is_made_by_program}
    found: list[Topic] = []
    for name in sorted({*resources, *described, *(name for name, settings in own.items() if settings)}):
        topic = _join_topic(joined_parts, name, resources.get(name, []), described.get(name, []), own.get(name))
        is_made = topic.is_made_by_program or name in programs
        found.append(replace(topic, complete=topic.complete or name in whole, is_made_by_program=is_made))
    return tuple(found)


def planned_topics(joined_parts: JoinedParts, topics: tuple[Topic, ...]) -> tuple[Topic, ...]:
    """What programs will create: each name once, and none that is there. Which program comes first is not known."""
    there = {topic.name for topic in topics}
    made: dict[str, Topic] = {}
    for topic in (_withhold_topic_values(topic) for part in joined_parts.parts for topic in part.created_topics):
        before = made.get(topic.name)
        if topic.name not in there:
            made[topic.name] = topic if before is None else _topic_of_two_programs(joined_parts, before, topic)
    return tuple(made.values())


def _topic_of_two_programs(joined_parts: JoinedParts, first: Topic, second: Topic) -> Topic:
    """One topic that two programs create: as both ask for it, else nobody knows as which."""
    differing = _differing_requests(first, second)
    if not differing:
        return replace(second, doubt=second.doubt or first.doubt)
    doubt = f"two programs create it, with different requests: {differing}; make them agree"
    joined_parts.doubt(f"topic {second.name}", doubt, second.origin)
    return replace(second, doubt=second.doubt or first.doubt or doubt)


def _withhold_topic_values(topic: Topic) -> Topic:
    asked = topic.resource and replace(topic.resource, settings=withhold_values(topic.resource.settings))
    return replace(topic, settings=withhold_values(topic.settings), resource=asked)


def _join_topic(
    joined_parts: JoinedParts,
    name: str,
    resources: Sequence[Topic],
    described_topics: Sequence[Topic],
    own: Sequence[Setting] | None,
) -> Topic:
    """One topic: the resources that ask for it, what describes it, and what is set on it (None where nothing says)."""
    asked, described = _asked_topic(resources), _described_topic(described_topics)
    for merged, alone in ((asked, resources), (described, described_topics)):
        if merged is not None and merged.doubt and merged.doubt not in {topic.doubt for topic in alone}:
            joined_parts.doubt(f"topic {name}", merged.doubt, merged.origin)
    if described is not None and asked is not None and asked.doubt in NOT_IN_FORCE:
        asked = None
    set_on_it = [setting for setting in own or () if setting.whose == ""]
    stated: list[Setting] = []
    if described is not None:
        stated += described.settings if own is None else _own_settings_of_description(described.settings, own)
        if described.doubt != NO_CONFIGS:
            _note_unset(joined_parts, described, set_on_it)
    if asked is not None and not asked.doubt:
        _note_unset(joined_parts, asked, set_on_it)
        if described is not None and described.doubt != NO_CONFIGS:
            _note_unset(joined_parts, described, [setting for setting in asked.settings if not _is_default(setting)])
    topic = described or asked or Topic(name, own[0].origin if own else Origin(name))
    if asked is not None:
        shown = {setting.key for setting in stated}
        leaves_out = described is not None and described.complete
        stated = [one for one in asked.settings if one.key in shown or not leaves_out] + stated
        topic = _topic_with_request(joined_parts, asked, topic)
    doubt = "" if own is not None and topic.doubt == NO_CONFIGS else topic.doubt
    return replace(topic, settings=joined_parts.agree(f"topic {name}", (*stated, *(own or ()))), doubt=doubt)


def _asked_topic(resources: Sequence[Topic]) -> Topic | None:
    """The topic as its resource asks for it. Of several the operator follows the one that was created first, and gives
    the others a conflict (Strimzi's BatchingTopicController, validateSingleManagingResource)."""
    in_force = [topic for topic in resources if topic.doubt not in NOT_IN_FORCE] or list(resources)
    if not in_force:
        return None
    first = replace(in_force[0], settings=_last_setting_of_each_key(in_force[0].settings))
    for other in in_force[1:]:
        differing = _differing_requests(first, replace(other, settings=_last_setting_of_each_key(other.settings)))
        if differing and not first.doubt:
            doubt = f"two KafkaTopics ask for it, with different requests: {differing}; the operator follows the one"
            return replace(first, doubt=f"{doubt} that was created first: remove the other one")
    return first


def _differing_requests(first: Topic, second: Topic) -> str:
    """In what two requests for one topic differ, with both places; "" where they ask for the same."""
    pairs = [
        ("replication factor", _number_text(first.replication_factor), _number_text(second.replication_factor)),
        ("number of partitions", _number_text(first.partition_count), _number_text(second.partition_count)),
    ]
    one, other = ({s.key: s.value for s in topic.settings if s.value != HIDDEN} for topic in (first, second))
    pairs += [(f"`{key}`", one.get(key), other.get(key)) for key in sorted({*one, *other})]
    for what, mine, others in pairs:
        if mine != others:
            said = sorted([(mine or UNSET, str(first.origin)), (others or UNSET, str(second.origin))])
            return f"{what} {' and '.join(f'{value} ({where})' for value, where in said)}"
    return ""


def _number_text(number: int | None) -> str | None:
    return None if number is None else str(number)


def _described_topic(topics: Sequence[Topic]) -> Topic | None:
    found = None
    for topic in topics:
        found = topic if found is None else _topic_described_twice(found, topic)
    return found


def _topic_described_twice(first: Topic, second: Topic) -> Topic:
    """One topic that is described twice: all of both where they agree, else nobody knows which one holds now."""
    one, other = first.doubt == NO_CONFIGS, second.doubt == NO_CONFIGS
    head = first if other and not one else second
    doubts = [topic.doubt for topic in (first, second) if topic.doubt not in ("", NO_CONFIGS)]
    doubt = (NO_CONFIGS if one and other else "") if not doubts else doubts[0]
    where = (
        f"it is described twice, at {' and at '.join(sorted([str(first.origin), str(second.origin)]))}, with different"
    )
    partitions = {partition.number: partition for partition in first.partitions}
    for partition in second.partitions:
        before = partitions.setdefault(partition.number, partition)
        if not doubts and (said := _differing_partitions(before, partition)):
            doubts.append(f"{where} partitions: {said}")
    for what, mine, others in (
        ("numbers of partitions", first.partition_count, second.partition_count),
        ("replication factors", first.replication_factor, second.replication_factor),
    ):
        if not doubts and None not in (mine, others) and mine != others and not (one or other):
            doubts.append(f"{where} {what}, {min(mine or 0, others or 0)} and {max(mine or 0, others or 0)}")
    if not doubts and not one and not other and (said := _differing_requests(*map(_settings_alone, (first, second)))):
        doubts.append(f"{where} settings: {said}")
    return replace(
        head,
        doubt=doubts[0] if doubts else doubt,
        partitions=tuple(partitions[number] for number in sorted(partitions)),
        partition_count=head.partition_count or first.partition_count or second.partition_count,
        replication_factor=head.replication_factor or first.replication_factor or second.replication_factor,
        complete=first.complete or second.complete,
    )


def _settings_alone(topic: Topic) -> Topic:
    return replace(topic, partition_count=None, replication_factor=None)


def _differing_partitions(one: Partition, other: Partition) -> str:
    """In what two descriptions of one partition differ, with both places; "" where they agree. What one of them does
    not say of eligible leader replicas the other one may."""
    for what, mine, others in (
        (
            "leader",
            _broker_ids_text([one.leader] if one.leader is not None else []),
            _broker_ids_text([other.leader] if other.leader is not None else []),
        ),
        ("replicas", _broker_ids_text(one.replicas), _broker_ids_text(other.replicas)),
        ("ISR", _broker_ids_text(sorted(one.isr)), _broker_ids_text(sorted(other.isr))),
        ("Elr", _broker_ids_text(sorted(one.elr or ())), _broker_ids_text(sorted(other.elr or ()))),
        (
            "LastKnownElr",
            _broker_ids_text(sorted(one.last_known_elr or ())),
            _broker_ids_text(sorted(other.last_known_elr or ())),
        ),
        ("replicas to add", _broker_ids_text(one.adding), _broker_ids_text(other.adding)),
        ("replicas to remove", _broker_ids_text(one.removing), _broker_ids_text(other.removing)),
    ):
        unsaid = what.endswith("lr") and None in (one.elr, other.elr)
        if mine != others and not unsaid:
            said = sorted([(mine, str(one.origin)), (others, str(other.origin))])
            return f"of partition {one.number} the {what} is {' and '.join(f'{ids} ({where})' for ids, where in said)}"
    return ""


def _broker_ids_text(brokers: Sequence[int]) -> str:
    return ", ".join(map(str, brokers)) or "none"


def _note_unset(joined_parts: JoinedParts, whole_topic: Topic, settings: Sequence[Setting]) -> None:
    """What is set on a topic, and missing where all that is set is stated: kafka-topics.sh prints it (TopicCommand),
    and Strimzi's operator takes back what its resource does not have (BatchingTopicController, buildAlterConfigOps)."""
    there = {setting.key for setting in whole_topic.settings}
    for setting in settings:
        if setting.key not in there and setting.value != HIDDEN:
            stated = [StatedValue(setting.value, setting.origin), StatedValue(UNSET, whole_topic.origin)]
            joined_parts.contradict(f"`{setting.key}` of topic {whole_topic.name}", stated)


def _is_default(setting: Setting) -> bool:
    """Whether it may be Kafka's default, which nobody sets and no description shows."""
    key = settings_by_any_name().get(setting.key)
    return key is not None and any(row.value == setting.value for row in key.defaults)


def _topic_with_request(joined_parts: JoinedParts, requested_topic: Topic, topic: Topic) -> Topic:
    """A topic with the resource that asks for it, whose number of replicas changes nothing of one that is there."""
    one, other = requested_topic.replication_factor, topic.replication_factor
    if one is not None and other is not None and one != other:
        what = f"topic {topic.name} has replication factor {other} here, {one} there"
        joined_parts.disagree(
            what, requested_topic.origin, topic.origin, "an existing topic keeps its replicas: reassign them"
        )
    return replace(
        topic,
        doubt=topic.doubt or requested_topic.doubt,
        partition_count=topic.partition_count or requested_topic.partition_count,
        replication_factor=topic.replication_factor or requested_topic.replication_factor,
        resource=requested_topic.resource or topic.resource,
    )


def _last_setting_of_each_key(settings: Sequence[Setting]) -> tuple[Setting, ...]:
    """What counts of a list that one file gives: the last statement of each."""
    return tuple({setting.key: setting for setting in settings}.values())


def _own_settings_of_description(described_settings: Sequence[Setting], own: Sequence[Setting]) -> Iterator[Setting]:
    """What a topic is described with, where all that is its own is known: the rest is of the broker that was asked."""
    names = {setting.key for setting in own}
    for setting in described_settings:
        yield replace(setting, whose=OF_ASKED) if setting.whose == OPEN and setting.key not in names else setting
