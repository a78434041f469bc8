"""The subjects of a cluster: its topics, those that are alike in everything that is asked together."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..cluster.cluster import Client, Cluster, Topic
from ..cluster.settings import ELR_FEATURE, UNCLEAN, earliest_possible_release, elr_is_too_early, setting_value
from ..cluster.statements import StatedValue, Unknown
from ..facts.controller_settings import least_in_sync, unclean_elections
from ..facts.down_nodes import raise_if_never_up
from ..facts.facts import (
    Fact,
    FactValue,
    UnansweredTopicError,
    UsedSetting,
    ask_of_version,
    note_setting,
    open_statements,
    statements_of_setting,
)
from ..facts.placement import follower_reads, loses_logs_at_end, names_of_hosts, open_places
from ..facts.producers import Said, is_idempotent, producer_facts, producers_of_topic
from ..facts.record_format import has_old_format
from ..facts.topic_creation import (
    factor_and_placement,
    is_to_be_created,
    own_min_isr_key,
    replication_factors,
    topics_to_create,
    values_of_min_isr,
    versions_with_created_replicas,
)
from ..kafka.keys import declared_key, is_true
from ..kafka.profiles import (
    ELR_FOR_NEW,
    FIRST_ELR,
    KIP_360,
    MOST_REPLICAS,
    defects_mended_in_release,
    profiles_within,
    releases_text_of_profile,
    switches_of_brokers,
    version_profiles,
)
from ..kafka.versions import is_version, releases_meant
from ..startup.nodes import Refusals, why_nodes_are_down
from .signature import Signature, Subject, Variant

FLUSH_MESSAGES = declared_key("flush.messages")
MIN_INSYNC_REPLICAS = declared_key("min.insync.replicas")


def spoken_protocols(cluster: Cluster, *, kraft: bool) -> Sequence[tuple[StatedValue | None, str]]:
    """The protocols that brokers speak, each with its words; several while they are upgraded one after the other."""
    versions = cluster.versions
    if kraft or not versions.protocols:
        return ((versions.metadata_version if kraft else versions.inter_broker_protocol, ""),)
    return tuple((protocol, f" with inter.broker.protocol.version {protocol.value}") for protocol in versions.protocols)


MOST_VARIANTS = 128
"""With more combinations of what is not stated nothing is explored: it is said what to state first."""

MOST_OF_UNKNOWN = 24
"""The same where nothing is known of the brokers, and a topic has several replicas: what depends on everything is no
answer, and would take minutes."""


def cluster_subjects(cluster: Cluster) -> list[Subject]:
    """Every topic of a cluster, alike ones together; those that the brokers would create, where they are not there."""
    why_down = why_nodes_are_down(cluster)
    said: Said = {}
    made = [
        _make_subject(cluster, topic, producer, why_down, said, is_of_plan=planned)
        for topic, planned in _topics_and_creatable_topics(cluster)
        for producer in producers_of_topic(cluster, topic)
    ]
    return _merge_alike_subjects(
        replace(subject, requirements=_requirements_stated(cluster, subject)) for subject in made
    )


def _requirements_stated(cluster: Cluster, subject: Subject) -> tuple[str, ...]:
    use = cluster.use_of(subject.topics[0].name)
    return use.requirements if use is not None else ()


def _merge_alike_subjects(subjects: Iterable[Subject]) -> list[Subject]:
    groups: dict[Any, list[Subject]] = {}
    for subject in subjects:
        producer = None if subject.producer is None else subject.producer.name
        name = subject.is_internal and subject.topics[0].name
        said = (subject.not_checked, subject.is_planned, subject.stops, subject.requirements)
        key = (subject.variants, subject.present, name, producer, *said)
        groups.setdefault(key, []).append(subject)
    return [replace(same[0], topics=tuple(t for subject in same for t in subject.topics)) for same in groups.values()]


def _topics_and_creatable_topics(cluster: Cluster) -> Iterator[tuple[Topic, bool]]:
    """The topics that are there, and those that are not but that the brokers' configuration speaks of."""
    yield from ((topic, False) for topic in cluster.topics)
    yield from ((topic, True) for topic in cluster.planned_topics)
    if cluster.topic_keepers:
        yield from ((topic, True) for topic in topics_to_create(cluster))


def _make_subject(
    cluster: Cluster,
    topic: Topic,
    producer: Client | None,
    why_down: Refusals,
    facts_by_client: Said,
    *,
    is_of_plan: bool,
) -> Subject:
    used: list[UsedSetting] = []
    try:
        if cluster.versions.unknown is not None:
            raise UnansweredTopicError(cluster.versions.unknown.value)
        if topic.doubt:
            to_do = "" if ";" in topic.doubt else "; give it whole, unchanged"
            doubt = f"the description of {topic.name} cannot be used: {topic.doubt}{to_do}"
            raise UnansweredTopicError(doubt)
        raise_if_never_up(cluster, topic, why_down)
        facts = list(_topic_facts(cluster, topic, producer, used, facts_by_client))
        copies = max((choice.sets.get("replicas", 1) for fact in facts for choice in fact.choices), default=1)
        most = MOST_OF_UNKNOWN if has_unknown_nodes(cluster) and copies > 1 else MOST_VARIANTS
        variants = tuple(_variants_of_facts(facts, most))
    except UnansweredTopicError as error:
        why, stops, rest = str(error), error.stops, tuple(used)
        return Subject(
            (topic,), producer, (), rest, not_checked=why, is_planned=is_of_plan, stops=stops, repairs=error.repairs,
            stopped_by=error.decided_by, writes_nothing=error.writes_nothing,
        )  # fmt: skip
    asks = {fact.name: fact.ask for fact in facts if len(fact.choices) > 1}
    stated = {
        fact.name: fact.open_statements for fact in facts if len(fact.choices) > 1 and fact.open_statements is not None
    }
    present = tuple(dict.fromkeys(variant.signature for variant in variants))
    many = max(signature.replicas for signature in present)
    if many > MOST_REPLICAS:
        why = f"{topic.name} has {many} replicas, and the model has 1 to {MOST_REPLICAS}"
        return Subject((topic,), producer, (), tuple(used), not_checked=why, is_planned=is_of_plan, present=present)
    hosts = names_of_hosts(cluster, {signature.replicas for signature in present})
    return Subject(
        (topic,),
        producer,
        variants,
        tuple(used),
        asks,
        is_planned=is_of_plan,
        present=present,
        hosts=hosts,
        open_statements=stated,
    )


def has_unknown_nodes(cluster: Cluster) -> bool:
    """Whether nothing is known of the brokers: no file, no description, no release."""
    return not (
        cluster.topic_keepers or cluster.topics or cluster.versions.kafka or cluster.control_plane or cluster.dynamic
    )


def _variants_of_facts(facts: Sequence[Fact], most: int) -> Iterator[Variant]:
    open_ = [fact for fact in facts if len(fact.choices) > 1]
    number = 1
    for fact in open_:
        number *= len(fact.choices)
    if number > most:
        raise UnansweredTopicError(
            f"too much is not stated ({', '.join(fact.name for fact in open_)}); give "
            f"{'; '.join(dict.fromkeys(fact.ask for fact in open_))}"
        )
    for chosen in itertools.product(*(fact.choices for fact in facts)):
        sets: dict[str, Any] = {}
        for choice in chosen:
            sets |= choice.sets
        given = tuple((f.name, c.text) for f, c in zip(facts, chosen, strict=True) if len(f.choices) > 1)
        yield Variant(given, _signature_of_values(sets))


def _signature_of_values(sets: Mapping[str, Any]) -> Signature:
    found = dict(sets)
    binary, mended = found.pop("binary"), found.pop("mended")
    old, protocol, kraft, elr = (found.pop(name) for name in ("old_format", "protocol", "kraft", "elr"))
    made = switches_of_brokers(binary, protocol, kraft=kraft, elr=elr, mended_defects=mended, old_format=old)
    written = found.pop("min_isr_with_elr", None)
    if sets["elr"] and written is not None:
        found["min_isr"] = written
    in_flight = found.pop("in_flight", 5)
    acks, retries, wanted, explicit = (
        found["acks"], found.get("retries", True), found.get("idempotent", True), found.pop("explicit", False)
    )  # fmt: skip
    found["idempotent"] = is_idempotent(
        is_requested=wanted, explicit=explicit, acks=acks, retries=retries, requests_in_flight=in_flight
    )
    found["gives_again"] = found["idempotent"] and found.get("gives_again", False)
    matters = found["idempotent"] and in_flight == 1  # with more in flight order goes in any case (KAFKA-15591)
    found["bumps_epoch"] = not matters or (found.get("bumps_epoch", True) and not found["before_2_5"])
    del found["before_2_5"]
    return Signature(profile=sets["binary"], switches=made, max_in_flight=min(5, in_flight), **found)


def _topic_facts(
    cluster: Cluster, topic: Topic, producer: Client | None, used_settings: list[UsedSetting], facts_by_client: Said
) -> Iterator[Fact]:
    numbers = replication_factors(cluster, topic, used_settings)
    placed = list(factor_and_placement(cluster, topic, numbers, used_settings))
    yield from placed
    of_version: list[UsedSetting] = []
    versions = list(_version_facts(cluster, topic, max(numbers), of_version))
    elr = {choice.sets["elr"] for fact in versions for choice in fact.choices}
    written = (
        list(_min_isr_facts_with_elr(cluster, topic, used_settings, alone=False not in elr)) if True in elr else []
    )
    if False in elr or not written:
        yield _min_isr_fact(cluster, topic, max(numbers), used_settings)
    used_settings += of_version
    yield from versions
    yield from written
    yield _unclean_election_fact(cluster, topic, used_settings)
    yield _flush_fact(cluster, topic, used_settings)
    yield from open_places(cluster)
    yield follower_reads(cluster, topic, used_settings)
    yield from producer_facts(cluster, topic, producer, used_settings, facts_by_client)


def _min_isr_fact(cluster: Cluster, topic: Topic, replicas: int, used_settings: list[UsedSetting]) -> Fact:
    key = MIN_INSYNC_REPLICAS
    of_brokers, own = values_of_min_isr(cluster, topic), own_min_isr_key(cluster, topic)
    differing = [said for said in of_brokers if not isinstance(said, Unknown) and said.value.isdecimal()]
    if own is not None and len(differing) > 1 and len(differing) == len(of_brokers):
        for said in differing:
            note_setting(said, own, used_settings)
        ask = f"kafka-topics.sh --describe --topic {topic.name}"
        numbers = tuple(FactValue(said.value, {"min_isr": max(1, int(said.value))}) for said in differing)
        return Fact(key, numbers, ask, open_statements(used_settings[-len(differing) :]))
    unknown = next((said for said in of_brokers if isinstance(said, Unknown)), None)
    answer = note_setting(unknown or next(iter(of_brokers), setting_value(cluster, topic, key)), key, used_settings)
    if isinstance(answer, Unknown):
        numbers = sorted({max(1, int(default.value)) for default in answer.possible if default.value.isdecimal()})
        values = numbers if len(numbers) > 1 else range(1, replicas + 1)  # Apache's default alone would be a guess
        choices = tuple(FactValue(str(n), {"min_isr": n}) for n in values)
        return Fact(key, choices, answer.ask, statements_of_setting(answer, key))
    if not answer.value.isdecimal():
        raise UnansweredTopicError(f"{key} of {topic.name} is `{answer.value}`, which is not a number; correct it")
    return Fact(key, (FactValue(answer.value, {"min_isr": max(1, int(answer.value))}),))


def _min_isr_facts_with_elr(
    cluster: Cluster, topic: Topic, used_settings: list[UsedSetting], *, alone: bool
) -> Iterator[Fact]:
    """When ELR is switched on, the controllers write the cluster's min.insync.replicas, which the brokers' files do
    not override (KIP-966; docs, Eligible Leader Replicas). `alone`: there is no other value, since ELR is on."""
    if own_min_isr_key(cluster, topic) is not None and is_to_be_created(topic):
        return
    answer = least_in_sync(cluster, topic)
    if answer is None:
        return
    key = MIN_INSYNC_REPLICAS if alone else "min.insync.replicas with ELR"
    if not isinstance(answer, Unknown):
        note_setting(
            replace(answer, assumption="; ".join(filter(None, (answer.assumption, OF_CLUSTER)))), key, used_settings
        )
    values = [default.value for default in answer.possible] if isinstance(answer, Unknown) else [answer.value]
    numbers = dict.fromkeys(max(1, int(value)) for value in values if value.isdecimal())
    ask = answer.ask if isinstance(answer, Unknown) else ""
    name = "min_isr" if alone else "min_isr_with_elr"
    if numbers:
        stated = statements_of_setting(answer, MIN_INSYNC_REPLICAS)
        yield Fact(key, tuple(FactValue(str(number), {name: number}) for number in numbers), ask, stated)


OF_CLUSTER = "written for the whole cluster when ELR was switched on; what brokers' files have does not count"
"""Why one value of min.insync.replicas holds with ELR."""


def _unclean_election_fact(cluster: Cluster, topic: Topic, used_settings: list[UsedSetting]) -> Fact:
    answer = note_setting(unclean_elections(cluster, topic), UNCLEAN, used_settings)
    if isinstance(answer, Unknown):
        possible = tuple(dict.fromkeys(default.value for default in answer.possible)) or ("false", "true")
        choices = tuple(FactValue(text, {"unclean": is_true(text)}) for text in possible)
        return Fact(UNCLEAN, choices, answer.ask, statements_of_setting(answer, UNCLEAN))
    return Fact(UNCLEAN, (FactValue(answer.value, {"unclean": is_true(answer.value)}),))


def _flush_fact(cluster: Cluster, topic: Topic, used_settings: list[UsedSetting]) -> Fact:
    """No release and no distribution flushes by default: where nothing is stated it is never."""
    key = FLUSH_MESSAGES
    answer = setting_value(cluster, topic, key)
    if isinstance(answer, Unknown):
        may = any(default.value == "1" for default in answer.possible)
        choices = (_FLUSHING[False], *((_FLUSHING[True],) if may else ()))
        return Fact(key, choices, answer.ask, statements_of_setting(answer, key))
    if isinstance(answer, StatedValue):
        note_setting(answer, key, used_settings)
    return Fact(key, (_FLUSHING[answer.value == "1" and not loses_logs_at_end(cluster)],))


_FLUSHING = {False: FactValue("never", {"fsync": False}), True: FactValue("1", {"fsync": True})}


def _version_facts(cluster: Cluster, topic: Topic, replicas: int, used_settings: list[UsedSetting]) -> Iterator[Fact]:
    versions = list(_version_choices(cluster, topic, used_settings))
    choices = tuple(versions_with_created_replicas(cluster, topic, replicas, versions, used_settings))
    if not choices:
        raise UnansweredTopicError(
            "KRaft before 3.3 was not ready for production (KIP-833), and Kafka has no ZooKeeper since 4.0: no such "
            "version is modelled; give --kafka-version if the files are wrong"
        )
    differing = cluster.versions.contradicting_versions
    stated = ((name, said) for name in ("version", "metadata.version") for said in differing.get(name, ()))
    given = [UsedSetting(name, said.value, said.origin, said.assumption) for name, said in stated]
    yield Fact("version", choices, ask_of_version(choices, ELR_FEATURE), open_statements(given))


def _version_choices(cluster: Cluster, topic: Topic, used_settings: list[UsedSetting]) -> Iterator[FactValue]:
    versions, planes = cluster.versions, (cluster.control_plane,) if cluster.control_plane else ("kraft", "zookeeper")
    if versions.kafka is not None:
        used_settings.append(
            UsedSetting("version", versions.kafka.value, versions.kafka.origin, versions.kafka.assumption)
        )
    first, last = (
        releases_meant(versions.kafka.value) if versions.kafka else (earliest_possible_release(cluster), (1 << 30,))
    )
    many = sum(any(profiles_within(first, last, kraft=plane == "kraft")) for plane in planes) > 1
    for plane in planes:
        kraft = plane == "kraft"
        for binary in profiles_within(first, last, kraft=kraft):
            shown = f"{releases_text_of_profile(binary, first, last, kraft=kraft)}{f' with {plane}' if many else ''}"
            for elr, about in _possible_elr_states(cluster, binary, last, kraft=kraft):
                old = first < KIP_360 and next(one.since for one in version_profiles() if one.name == binary) < KIP_360
                sets = {"binary": binary, "kraft": kraft, "elr": elr, "before_2_5": old}
                for stated, how in spoken_protocols(cluster, kraft=kraft):
                    spoken = _profile_of_protocol(stated, binary)
                    since = releases_meant(stated.value)[0] if stated is not None and is_version(stated.value) else None
                    mended = defects_mended_in_release(first, binary, since)
                    of_old = not kraft and has_old_format(cluster, topic, stated, used_settings)
                    yield FactValue(
                        f"{shown}{about}{how}", sets | {"protocol": spoken, "mended": mended, "old_format": of_old}
                    )


def _profile_of_protocol(protocol: StatedValue | None, binary: str) -> str:
    """The profile of the protocol that brokers speak: that of their binary, unless an older one is stated."""
    if protocol is None or not is_version(protocol.value):
        return binary
    first, _ = releases_meant(protocol.value)
    spoken = [profile for profile in version_profiles() if profile.since <= first[:2]] or [version_profiles()[0]]
    return min(spoken[-1].name, binary, key=[profile.name for profile in version_profiles()].index)


def _possible_elr_states(
    cluster: Cluster, binary: str, last: tuple[int, ...], *, kraft: bool
) -> Sequence[tuple[bool, str]]:
    """Whether eligible leader replicas are on. In a cluster of 4.1 they are if it was new then."""
    newest = {profile.name: profile.since for profile in version_profiles()}[binary]
    if not kraft or last[:2] < FIRST_ELR or newest < (3, 9):
        return ((False, ""),)
    stated = cluster.versions.features.get(ELR_FEATURE)
    if stated is not None:
        return ((stated.value != "0" and not elr_is_too_early(cluster), ""),)
    if elr_is_too_early(cluster) or cluster.versions.all_features or newest < ELR_FOR_NEW:
        return ((False, ""),)
    return ((True, " with eligible.leader.replicas.version=1"), (False, " with eligible.leader.replicas.version=0"))
