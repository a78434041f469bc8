"""From a cluster to signatures: what of a topic, its producer and its placement the model is asked about.

A fact that nobody states gives several signatures, each with the value that it supposes, and never one guess. Topics
with the same signatures are one `Subject`. What a version means is the model's own profiles, which are named after it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

from ...invariants import partition as properties
from ...invariants.partition import reads, waiting
from ...language.binding import Definition, load
from ...model import partition
from ..cluster.cluster import MIN_ISR_OF, Client, Cluster, Topic
from ..cluster.settings import ELR_FEATURE, earliest, elr_is_too_early, value_of
from ..cluster.statements import Stated, Unknown
from ..facts.controller_settings import UNCLEAN, least_in_sync, unclean_elections
from ..facts.facts import CannotTell, Fact, FactValue, Used, ask_of_version, note
from ..facts.placement import follower_reads, logs_that_pass, names_of_hosts, open_places
from ..facts.producers import Said, is_idempotent, producer_facts, producers
from ..facts.topic_creation import (
    MOST_REPLICAS,
    factor_and_placement,
    is_to_be_made,
    min_isr_set_by,
    replicas_of,
    to_be_made,
    with_what_is_made,
)
from ..kafka.versions import SPANS, is_version, span
from ..rules.versions import has_old_format, protocols
from ..startup.nodes import Refusals, raise_if_never_up, refusals

Constant = bool | int | str

MOST_VARIANTS = 128
"""With more combinations of what is not stated nothing is explored: it is said what to state first."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that an answer depends on, and nothing else: equal ones are explored once.

    `profile` names the model's version, `switches` are what differs from the newest one. `in_rack` is the most replicas
    of one partition in one rack, 0 where racks are not stated. `voters` is 0 where nothing says how many there are,
    `voters_in_rack` is the most of them in one rack, 0 where that is not stated, and `shared_voters` the most that are
    on hosts of one partition's replicas. `one_machine`: all brokers and controllers run on one computer.
    `hosts` are replicas of one partition and voters at one host, `two_hosts` at two; () where no file says who shares.
    `racks` are the replicas and the voters in each rack, where the racks of all replicas are stated; of two racks of
    which one has no more of either, only the other. `open_voters` may be in any of them. `ephemeral`: a broker that
    stops comes back with an empty disk; `of_pod`: not one whose process dies, since it starts again in its pod.
    `passing`: its log is where a start of its host finds nothing. `empty_voters` are those that come back empty, and
    `disk_voters` those that do with a broker's lost disk, at most (`combined`: some node is a broker, too); with
    `enough_emptied` of them what others committed may be lost (0: with a majority alone).
    `bumps_epoch`: an idempotent producer goes on in a new epoch after a possible gap (KIP-360), as far as that matters.
    `gives_again`: it gives the sequence of a record that it gave up to the next one (Java's clients of 2.1 to 2.4).
    """

    profile: str
    switches: tuple[tuple[str, Constant], ...]
    replicas: int
    min_isr: int
    acks: str
    unclean: bool
    fsync: bool
    co_located: bool
    in_rack: int
    voters: int = 0
    voters_in_rack: int = 0
    shared_voters: int = 0
    one_machine: bool = False
    hosts: tuple[tuple[int, int], ...] = ()
    two_hosts: tuple[tuple[int, int], ...] = ()
    ephemeral: bool = False
    of_pod: bool = False
    passing: bool = False
    empty_voters: int = 0
    combined: bool = False
    disk_voters: int = 0
    enough_emptied: int = 0
    racks: tuple[tuple[int, int], ...] = ()
    open_voters: int = 0
    idempotent: bool = True
    bumps_epoch: bool = True
    gives_again: bool = False
    max_in_flight: int = 5
    retries: bool = True
    follower_reads: bool = False

    @property
    def newest(self) -> dict[str, Constant]:
        """Every switch of the newest version."""
        return dict(_switches_of(NEWEST))

    @property
    def constants(self) -> Mapping[str, Constant]:
        """The model's constants, without bounds and budgets."""
        return _constants_of(self)

    @property
    def elects_uncleanly(self) -> bool:
        """Whether a replica out of the ISR is made leader where no other is left: it is set so, and heeded."""
        return self.unclean and bool(self.constants["heed_unclean"])

    @property
    def least_isr(self) -> int:
        """How many members the ISR must have for acks=all, in this version."""
        return self.least_isr_of(self.replicas)

    def least_isr_of(self, replicas: int) -> int:
        """The same with another number of replicas."""
        return min(self.min_isr, replicas) if self.constants["cap_min_isr"] else self.min_isr


@lru_cache(maxsize=10_000)
def _constants_of(signature: Signature) -> Mapping[str, Constant]:
    """They are asked for with every partition and every cell, and so made once."""
    return {
        **signature.newest,
        **dict(signature.switches),
        **{name: getattr(signature, name) for name in _ALIKE},
        "min_isr": min(signature.min_isr, MOST_REPLICAS),
    }


_ALIKE = ("replicas", "acks", "unclean", "fsync", "co_located", "idempotent", "max_in_flight", "follower_reads")


# --- versions: the model's own profiles -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Profile:
    """A version of the model: its name, the first release that has it, and for which control plane it is."""

    name: str
    since: tuple[int, int]


NEWEST = "kafka_4_1"
FIRST_KRAFT = SPANS["kraft"][0][:2]
"""KRaft is for production since (KIP-833); what there was before is not modelled."""
LAST_ZOOKEEPER = SPANS["zookeeper"][1][:2]
FIRST_ELR, ELR_FOR_NEW = (4, 0), (4, 1)
"""Since when eligible.leader.replicas.version may be 1, and since when it is for clusters that are new (KIP-966)."""

KIP_360 = (2, 5)
"""Since when brokers let an idempotent producer bump its epoch; with clients of that release."""

BY_METADATA = ("truncation", "fence_fetch", "alter_partition", "maximal_isr", "reject_restarted", "elr")
"""Switches that metadata.version, or inter.broker.protocol.version, turns on; the others come with the binary."""


@cache
def definition() -> Definition:
    """The partition, with properties that only audits ask about."""
    return load(partition, (properties, reads, waiting))


@cache
def profiles() -> tuple[Profile, ...]:
    """The versions that the model has, oldest first."""
    found = [
        Profile(name, (int(match[1]), int(match[2])))
        for name in definition().profiles
        if (match := re.fullmatch(r"kafka_(\d+)_(\d+)", name)) and int(match[2]) < 100
    ]
    return tuple(sorted(found, key=lambda profile: profile.since))


@cache
def _switches_of(profile: str) -> Mapping[str, Constant]:
    """Every constant that any version differs in, with its value in one of them."""
    model = definition()
    names = {name for version in profiles() for name in model.profiles[version.name]}
    given: Mapping[str, Any] = model.profiles[profile]
    return {name: _plain(given.get(name, model.constants[name].default)) for name in sorted(names)}


def _plain(value: Any) -> Constant:
    return value if isinstance(value, bool | int | str) else str(value.value)


def _zookeeper() -> Mapping[str, Constant]:
    """What is otherwise with ZooKeeper in every version: unclean elections are heeded, and KIP-903 is not there."""
    with_, without = definition().profiles["kafka_3_9_zookeeper"], definition().profiles["kafka_3_9"]
    differs = {name: _plain(value) for name, value in with_.items() if without.get(name) != value}
    return {**differs, "heed_unclean": True}


def profiles_within(first: tuple[int, ...], last: tuple[int, ...], *, kraft: bool) -> list[str]:
    """The profiles that a span of releases may mean, oldest first."""
    known = [one for one in profiles() if (one.since >= FIRST_KRAFT if kraft else one.since <= LAST_ZOOKEEPER)]
    starts = [profile.since if kraft or place else (0, 0) for place, profile in enumerate(known)]
    ends = [*starts[1:], (1 << 30, 0) if kraft else FIRST_ELR]
    spans = zip(known, starts, ends, strict=True)
    return [profile.name for profile, start, end in spans if first < end and last >= start]


def switches(
    binary: str, protocol: str, *, kraft: bool, elr: bool, mended: Iterable[str] = (), old_format: bool = False
) -> tuple[tuple[str, Constant], ...]:
    """The switches of brokers with one profile's binary that speak another's protocol, where not as in the newest.
    `mended` are those that the binary's release has already (`mended_in`); an `old_format` has no leader epochs."""
    made = {**_switches_of(binary), **dict.fromkeys(mended, True)}
    made |= {name: value for name, value in _switches_of(protocol).items() if name in BY_METADATA}
    made |= {"truncation": _switches_of(profiles()[0].name)["truncation"]} if old_format else {}
    made |= {} if kraft else _zookeeper()
    made["elr"] = elr
    newest = {**_switches_of(NEWEST), "check_last_leader": True}
    made |= {"check_last_leader": False} if elr and binary != NEWEST else {}  # KAFKA-19522: 4.0.0 has it, 4.1.0 not
    return tuple(sorted((name, value) for name, value in made.items() if newest[name] != value))


MENDED: Mapping[str, tuple[tuple[int, ...], ...]] = {
    "truncate_each_epoch": ((2, 0, 1), (2, 1, 0)),
    "record_epoch": ((2, 0, 1), (2, 1, 0)),
    "await_epoch_start": ((2, 0, 1), (2, 1, 0)),
    "bound_reads": ((2, 5, 1), (2, 6, 0)),
    "skip_diverging": ((2, 7, 2), (2, 8, 1), (3, 0, 0)),
    "fence_truncation": ((2, 8, 1), (3, 0, 0)),
    "prefer_in_sync": ((3, 3, 2), (3, 4, 0)),
    "keep_epoch": ((3, 6, 0),),
    "truncate_first": ((3, 4, 1), (3, 5, 0)),
    "await_target": ((3, 8, 0),),
}
"""Releases between two profiles that mend what the earlier one has not (model/partition/state.py, beside each switch):
the first of each line of releases; the last is for all that come after it."""


def mended_in(first: tuple[int, ...], binary: str) -> tuple[str, ...]:
    """What a release has beyond its profile, given the first one that it may be."""
    since = {profile.name: profile.since for profile in profiles()}
    return tuple(
        name
        for name, releases in MENDED.items()
        if since[binary] <= releases[-1][:2] and _switches_of(binary)[name] is not True and _is_since(first, releases)
    )


def _is_since(first: tuple[int, ...], releases: Sequence[tuple[int, ...]]) -> bool:
    return first[:3] >= releases[-1] or any(first[:2] == release[:2] and first[:3] >= release for release in releases)


# --- facts, each with what it may be ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Variant:
    """A signature, and the facts that are not stated with the values that it supposes."""

    given: tuple[tuple[str, str], ...]
    signature: Signature


@dataclass(frozen=True, slots=True)
class Subject:
    """Topics that are alike in everything that is asked about, with their producer (None: not stated).
    `not_checked` says why nothing can be asked of them, and is "" if it can. `asks` are what the user may give, by
    fact. `planned` are topics that are not there yet: what one would be that is created with the brokers' defaults.
    `stops`: it is never written, or never read, since Kafka does not create it or its producer does not start; these
    questions are answered by that, and `not_checked` says why. `present` are the signatures that the present state of
    its partitions is checked by; they may have more replicas than the model. `hosts` are what the cluster's brokers are
    called, the first replica's first, where each of them has a replica of every partition and no file says in which
    order; () elsewhere.
    """

    topics: tuple[Topic, ...]
    producer: Client | None
    variants: tuple[Variant, ...]
    used: tuple[Used, ...]
    asks: Mapping[str, str] = field(default_factory=dict[str, str])
    not_checked: str = ""
    planned: bool = False
    stops: tuple[str, ...] = ()
    present: tuple[Signature, ...] = ()
    hosts: tuple[str, ...] = ()

    @property
    def internal(self) -> bool:
        """Whether they are Kafka's own."""
        return self.topics[0].internal

    @property
    def name(self) -> str:
        """`812 topics, e.g. orders`, or the one topic's name; with the producer, if it is stated."""
        first = self.topics[0].name
        shown = first if len(self.topics) == 1 else f"{len(self.topics):,} topics, e.g. {first}"
        return shown if self.producer is None else f"{shown} (producer {self.producer.name})"


def subjects(cluster: Cluster) -> list[Subject]:
    """Every topic of a cluster, alike ones together; those that the brokers would create, where they are not there."""
    why_down = refusals(cluster)
    said: Said = {}
    made = [
        _subject(cluster, topic, producer, why_down, said, planned=planned)
        for topic, planned in _topics(cluster)
        for producer in producers(cluster, topic)
    ]
    return _together(made)


def _together(made: Iterable[Subject]) -> list[Subject]:
    groups: dict[Any, list[Subject]] = {}
    for subject in made:
        producer = None if subject.producer is None else subject.producer.name
        name = subject.internal and subject.topics[0].name
        key = (subject.variants, subject.present, name, producer, subject.not_checked, subject.planned, subject.stops)
        groups.setdefault(key, []).append(subject)
    return [replace(same[0], topics=tuple(t for subject in same for t in subject.topics)) for same in groups.values()]


def _topics(cluster: Cluster) -> Iterator[tuple[Topic, bool]]:
    """The topics that are there, and those that are not but that the brokers' configuration speaks of."""
    yield from ((topic, False) for topic in cluster.topics)
    yield from ((topic, True) for topic in cluster.planned)
    if cluster.keepers:
        yield from ((topic, True) for topic in to_be_made(cluster))


def _subject(
    cluster: Cluster, topic: Topic, producer: Client | None, why_down: Refusals, said: Said, *, planned: bool
) -> Subject:
    used: list[Used] = []
    try:
        if topic.doubt:
            doubt = f"the description of {topic.name} cannot be used: {topic.doubt}; give it whole, unchanged"
            raise CannotTell(doubt)
        raise_if_never_up(cluster, topic, why_down)
        facts = list(_facts(cluster, topic, producer, used, said))
        variants = tuple(_variants(facts))
    except CannotTell as error:
        why, stops = str(error), error.stops
        return Subject((topic,), producer, (), tuple(used), not_checked=why, planned=planned, stops=stops)
    asks = {fact.name: fact.ask for fact in facts if len(fact.choices) > 1}
    present = tuple(dict.fromkeys(variant.signature for variant in variants))
    many = max(signature.replicas for signature in present)
    if many > MOST_REPLICAS:
        why = f"{topic.name} has {many} replicas, and the model has 1 to {MOST_REPLICAS}"
        return Subject((topic,), producer, (), tuple(used), not_checked=why, planned=planned, present=present)
    hosts = names_of_hosts(cluster, {signature.replicas for signature in present})
    return Subject((topic,), producer, variants, tuple(used), asks, planned=planned, present=present, hosts=hosts)


def _variants(facts: Sequence[Fact]) -> Iterator[Variant]:
    open_ = [fact for fact in facts if len(fact.choices) > 1]
    number = 1
    for fact in open_:
        number *= len(fact.choices)
    if number > MOST_VARIANTS:
        raise CannotTell(
            f"too much is not stated ({', '.join(fact.name for fact in open_)}); give "
            f"{'; '.join(dict.fromkeys(fact.ask for fact in open_))}"
        )
    for chosen in itertools.product(*(fact.choices for fact in facts)):
        sets: dict[str, Any] = {}
        for choice in chosen:
            sets |= choice.sets
        given = tuple((f.name, c.shown) for f, c in zip(facts, chosen, strict=True) if len(f.choices) > 1)
        yield Variant(given, _signature(sets))


def _signature(sets: Mapping[str, Any]) -> Signature:
    found = dict(sets)
    binary, mended = found.pop("binary"), found.pop("mended")
    old, protocol, kraft, elr = (found.pop(name) for name in ("old_format", "protocol", "kraft", "elr"))
    made = switches(binary, protocol, kraft=kraft, elr=elr, mended=mended, old_format=old)
    written = found.pop("min_isr_with_elr", None)
    if sets["elr"] and written is not None:
        found["min_isr"] = written
    in_flight = found.pop("in_flight", 5)
    acks, retries, wanted, explicit = (
        found["acks"], found.get("retries", True), found.get("idempotent", True), found.pop("explicit", False)
    )  # fmt: skip
    sends = {"acks": acks, "retries": retries, "in_flight": in_flight}
    found["idempotent"] = is_idempotent(wanted=wanted, explicit=explicit, **sends)
    found["gives_again"] = found["idempotent"] and found.get("gives_again", False)
    matters = found["idempotent"] and in_flight == 1  # with more in flight order goes in any case (KAFKA-15591)
    found["bumps_epoch"] = not matters or (found.get("bumps_epoch", True) and not found["before_2_5"])
    del found["before_2_5"]
    return Signature(profile=sets["binary"], switches=made, max_in_flight=min(5, in_flight), **found)


def _facts(cluster: Cluster, topic: Topic, producer: Client | None, used: list[Used], said: Said) -> Iterator[Fact]:
    numbers = replicas_of(cluster, topic, used)
    placed = list(factor_and_placement(cluster, topic, numbers, used))
    yield from placed
    yield _min_isr(cluster, topic, max(numbers), used)
    versions = list(_version_facts(cluster, topic, max(numbers), used))
    yield from versions
    if any(choice.sets["elr"] for fact in versions for choice in fact.choices):
        yield from _min_isr_with_elr(cluster, topic, used)
    yield _unclean(cluster, topic, used)
    yield _fsync(cluster, topic, used)
    yield from open_places(cluster)
    yield follower_reads(cluster, topic, used)
    yield from producer_facts(cluster, topic, producer, used, said)


def _min_isr(cluster: Cluster, topic: Topic, replicas: int, used: list[Used]) -> Fact:
    key = "min.insync.replicas"
    of_brokers = min_isr_set_by(cluster, topic)
    differing = [said for said in of_brokers if not isinstance(said, Unknown) and said.value.isdecimal()]
    if len(differing) > 1 and len(differing) == len(of_brokers):
        for said in differing:
            note(said, MIN_ISR_OF[topic.name], used)
        ask = f"kafka-topics.sh --describe --topic {topic.name}"
        return Fact(key, tuple(FactValue(said.value, {"min_isr": max(1, int(said.value))}) for said in differing), ask)
    unknown = next((said for said in of_brokers if isinstance(said, Unknown)), None)
    answer = note(unknown or next(iter(of_brokers), value_of(cluster, topic, key)), key, used)
    if isinstance(answer, Unknown):
        numbers = sorted({max(1, int(default.value)) for default in answer.possible if default.value.isdecimal()})
        values = numbers if len(numbers) > 1 else range(1, replicas + 1)  # Apache's default alone would be a guess
        choices = tuple(FactValue(str(n), {"min_isr": n}) for n in values)
        return Fact(key, choices, answer.ask)
    if not answer.value.isdecimal():
        raise CannotTell(f"{key} of {topic.name} is `{answer.value}`, which is not a number; correct it")
    return Fact(key, (FactValue(answer.value, {"min_isr": max(1, int(answer.value))}),))


def _min_isr_with_elr(cluster: Cluster, topic: Topic, used: list[Used]) -> Iterator[Fact]:
    """When ELR is switched on, the controllers write the cluster's min.insync.replicas, which the brokers' files do
    not override (KIP-966; docs, Eligible Leader Replicas)."""
    if topic.name in MIN_ISR_OF and is_to_be_made(topic):
        return
    answer = least_in_sync(cluster, topic)
    if answer is None:
        return
    key = "min.insync.replicas with ELR"
    note(answer, key, used)
    values = [default.value for default in answer.possible] if isinstance(answer, Unknown) else [answer.value]
    numbers = dict.fromkeys(max(1, int(value)) for value in values if value.isdecimal())
    ask = answer.ask if isinstance(answer, Unknown) else ""
    if numbers:
        yield Fact(key, tuple(FactValue(str(number), {"min_isr_with_elr": number}) for number in numbers), ask)


def _unclean(cluster: Cluster, topic: Topic, used: list[Used]) -> Fact:
    answer = note(unclean_elections(cluster, topic), UNCLEAN, used)
    if isinstance(answer, Unknown):
        possible = tuple(dict.fromkeys(default.value for default in answer.possible)) or ("false", "true")
        return Fact(UNCLEAN, tuple(FactValue(text, {"unclean": text == "true"}) for text in possible), answer.ask)
    return Fact(UNCLEAN, (FactValue(answer.value, {"unclean": answer.value.strip().lower() == "true"}),))


def _fsync(cluster: Cluster, topic: Topic, used: list[Used]) -> Fact:
    """No release and no distribution flushes by default: where nothing is stated it is never."""
    key = "flush.messages"
    answer = value_of(cluster, topic, key)
    if isinstance(answer, Unknown):
        may = any(default.value == "1" for default in answer.possible)
        return Fact(key, (_FLUSHING[False], *((_FLUSHING[True],) if may else ())), answer.ask)
    if isinstance(answer, Stated):
        note(answer, key, used)
    return Fact(key, (_FLUSHING[answer.value == "1" and not logs_that_pass(cluster)],))


_FLUSHING = {False: FactValue("never", {"fsync": False}), True: FactValue("1", {"fsync": True})}


# --- versions as facts ------------------------------------------------------------------------------------------------


def _version_facts(cluster: Cluster, topic: Topic, replicas: int, used: list[Used]) -> Iterator[Fact]:
    versions = list(_version_choices(cluster, topic, used))
    choices = tuple(with_what_is_made(cluster, topic, replicas, versions, used))
    if not choices:
        raise CannotTell(
            "KRaft before 3.3 was not ready for production (KIP-833), and Kafka has no ZooKeeper since 4.0: no such "
            "version is modelled; give --kafka-version if the files are wrong"
        )
    yield Fact("version", choices, ask_of_version(choices, ELR_FEATURE))


def _version_choices(cluster: Cluster, topic: Topic, used: list[Used]) -> Iterator[FactValue]:
    versions, planes = cluster.versions, (cluster.control_plane,) if cluster.control_plane else ("kraft", "zookeeper")
    if versions.kafka is not None:
        used.append(Used("version", versions.kafka.value, versions.kafka.origin, versions.kafka.assumed))
    first, last = span(versions.kafka.value) if versions.kafka else (earliest(cluster), (1 << 30,))
    many = sum(any(profiles_within(first, last, kraft=plane == "kraft")) for plane in planes) > 1
    for plane in planes:
        kraft = plane == "kraft"
        for binary in profiles_within(first, last, kraft=kraft):
            shown = f"{releases_of(binary, first, last, kraft=kraft)}{f' with {plane}' if many else ''}"
            for elr, about in _elr(cluster, binary, last, kraft=kraft):
                old = first < KIP_360 and next(one.since for one in profiles() if one.name == binary) < KIP_360
                sets = {"binary": binary, "kraft": kraft, "elr": elr, "mended": mended_in(first, binary)}
                sets |= {"before_2_5": old}
                for stated, how in protocols(cluster, kraft=kraft):
                    spoken = _protocol(stated, binary)
                    of_old = not kraft and has_old_format(cluster, topic, stated, used)
                    yield FactValue(f"{shown}{about}{how}", sets | {"protocol": spoken, "old_format": of_old})


RELEASES = (
    (0, 10), (0, 11), (1, 0), (1, 1), *((2, n) for n in range(9)), *((3, n) for n in range(10)), (4, 0), (4, 1),
)  # fmt: skip
"""Kafka's releases, so that a span of versions ends with the last one that it has."""


def releases_of(profile: str, first: tuple[int, ...], last: tuple[int, ...], *, kraft: bool) -> str:
    """`3.9 to 4.0`: the releases between two that a profile stands for."""
    since = next(version.since for version in profiles() if version.name == profile)
    later = next((version.since for version in profiles() if version.since > since), (1 << 30, 0))
    most = last if kraft else min(last, LAST_ZOOKEEPER)
    meant = [release for release in RELEASES if max(since, first[:2]) <= release < later and release <= most]
    texts = [f"{major}.{minor}" for major, minor in meant[:1] + meant[1:][-1:]] or [release_of(profile)]
    return " to ".join(texts)


def release_of(profile: str) -> str:
    """`3.7` of `kafka_3_7`."""
    return profile.removeprefix("kafka_").replace("_", ".", 1)


def _protocol(stated: Stated | None, binary: str) -> str:
    """The profile of the protocol that brokers speak: that of their binary, unless an older one is stated."""
    if stated is None or not is_version(stated.value):
        return binary
    first, _ = span(stated.value)
    spoken = [profile for profile in profiles() if profile.since <= first[:2]] or [profiles()[0]]
    return min(spoken[-1].name, binary, key=[profile.name for profile in profiles()].index)


def _elr(cluster: Cluster, binary: str, last: tuple[int, ...], *, kraft: bool) -> Sequence[tuple[bool, str]]:
    """Whether eligible leader replicas are on. In a cluster of 4.1 they are if it was new then."""
    newest = {profile.name: profile.since for profile in profiles()}[binary]
    if not kraft or last[:2] < FIRST_ELR or newest < (3, 9):
        return ((False, ""),)
    stated = cluster.versions.features.get(ELR_FEATURE)
    if stated is not None:
        return ((stated.value != "0" and not elr_is_too_early(cluster), ""),)
    if elr_is_too_early(cluster) or cluster.versions.all_features or newest < ELR_FOR_NEW:
        return ((False, ""),)
    return ((True, " with eligible.leader.replicas.version=1"), (False, " with eligible.leader.replicas.version=0"))
