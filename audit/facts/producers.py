"""What of a producer a signature rests on: what it waits for, whether it is idempotent, what it sends again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..cluster.cluster import Client, Cluster, Topic
from ..cluster.findings import Finding
from ..cluster.settings import base_family, is_fixed, setting_value
from ..cluster.statements import Default, StatedValue, Unknown
from ..kafka.internal_topics import OFFSETS
from ..kafka.keys import KeyName, declared_key, is_true
from ..kafka.topic_settings import COMMIT_ACKS
from ..kafka.versions import is_at_least
from ..startup.client_settings import settings_in_force
from ..startup.producers import (
    first_refusal_of_producer,
    is_refusing_by_default,
    is_switching_idempotence_off,
    refused_settings,
    unknown_refusal,
)
from .facts import (
    Fact,
    FactValue,
    OpenStatements,
    RefusedCommitsError,
    StoppedProducerError,
    UnansweredTopicError,
    UsedSetting,
    note_setting,
    statements_of_setting,
)
from .record_format import has_old_format

ACKS = declared_key("acks")
RETRIES = declared_key("retries")
ENABLE_IDEMPOTENCE = declared_key("enable.idempotence")
MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION = declared_key("max.in.flight.requests.per.connection")
TRANSACTIONAL_ID = declared_key("transactional.id")

MODEL_ACKS = {"0": "none", "1": "leader", "all": "all", "-1": "all"}
"""acks of the producer, as the model names it."""

MOST_IN_FLIGHT = 5
"""With more requests in flight a producer cannot be idempotent: a broker remembers so many batches of it (KIP-98)."""

_SHOWN = {"none": "0", "leader": "1", "all": "all"}
_ASK = "--acks, or which producers write it, in audit.toml"


def producers_of_topic(cluster: Cluster, topic: Topic) -> Sequence[Client | None]:
    """Who writes a topic: as audit.toml says, else the only producer among the files, else None: not stated.

    `--acks` speaks of every producer that audit.toml does not name, so that no file is assumed beside it.
    """
    if topic.is_internal or topic.is_made_by_program:
        return (None,)
    use = cluster.use_of(topic.name)
    named = [cluster.client(name, "producer") or cluster.client(name) for name in (use.producers if use else ())]
    if named:  # of one whose file is missing nothing is known: it stays, and what it sets is open
        return tuple(dict.fromkeys(named))
    only = cluster.only_producer
    return (None,) if cluster.acks is not None or only is None else (only,)


Said = dict[Client, tuple[Sequence[Fact], Sequence[UsedSetting]]]
"""What the files of producers say, and what they say it with: the same for every topic that they write."""


def producer_facts(
    cluster: Cluster, topic: Topic, producer: Client | None, used_settings: list[UsedSetting], facts_by_client: Said
) -> Iterator[Fact]:
    """acks, idempotence, requests in flight and retries. Kafka writes its own topics itself, with acks=all. What is
    found of a producer is added to `facts_by_client`, and taken from there."""
    if topic.is_internal or topic.is_made_by_program:
        yield _kafkas_own_acks_fact(cluster, topic, used_settings)
    elif producer is None:
        yield _unstated_acks_fact(cluster, used_settings)
        again = unnamed_producers_repeat_sequence_numbers(cluster) is True
        on, off = _idempotence_value(True, explicit=False), _idempotence_value(False, explicit=False)
        given = _open_statements_without_topics(cluster, ENABLE_IDEMPOTENCE)
        yield Fact(ENABLE_IDEMPOTENCE, (FactValue(on.text, {**on.sets, "gives_again": again}), off), _ASK, given)
    else:
        if not any(producer.has_name(name) for name in _producer_names(cluster, topic)):
            why = "assumed to write it: the only producer's file that was given"
            used_settings.append(UsedSetting("producer", producer.name, producer.origin, why))
        if producer not in facts_by_client:
            facts_by_client[producer] = _facts_of_producer(cluster, producer)
        _raise_if_format_refuses(cluster, topic, producer)
        facts, by = facts_by_client[producer]
        used_settings += by
        yield from facts


def _facts_of_producer(cluster: Cluster, producer: Client) -> tuple[Sequence[Fact], Sequence[UsedSetting]]:
    refusal = first_refusal_of_producer(cluster, producer)
    if refusal is not None:
        raise StoppedProducerError(producer.name, refusal.what, refusal.to_do, _settings_named(refusal, producer))
    unknown = unknown_refusal(cluster, producer)
    if unknown is not None:
        why = f"{unknown.what}; {unknown.to_do}"
        raise UnansweredTopicError(why, decided_by=_settings_named(unknown, producer))
    used: list[UsedSetting] = []
    return [_acks_fact(cluster, producer, used), *_sending_facts(cluster, producer, used)], used


def _settings_named(refusal: Finding, producer: Client) -> list[UsedSetting]:
    """The settings that a producer is refused for, each at its line; the client itself where it is refused for that."""
    named = [UsedSetting(said.key, said.value, said.origin) for said in refused_settings(refusal, producer)]
    version = "" if producer.version is None else f" {producer.version.value}"
    client = f"{producer.name if producer.family is None else producer.family.value}{version}"
    return named or [UsedSetting("client", client, refusal.where)]


def _raise_if_format_refuses(cluster: Cluster, topic: Topic, producer: Client) -> None:
    """Records of idempotent producers have ids that formats of before 0.11 have no place for: the leader refuses each
    batch, and the producer ends (LogValidator.validateBatch, UnsupportedForMessageFormatException, 0.11 to 3.9). Raises
    StoppedProducerError, or UnansweredTopicError where it is not known whether it is idempotent."""
    formats: list[UsedSetting] = []
    if cluster.control_plane == "kraft" or not has_old_format(
        cluster, topic, cluster.versions.inter_broker_protocol, formats
    ):
        return
    idempotent = _is_idempotent(cluster, producer)
    old = formats[0]
    refused = f"`{old.key}={old.value}` at {old.origin} has no place for the ids of an idempotent producer"
    if idempotent:
        raise StoppedProducerError(
            producer.name,
            f"{refused}, and it is one; {ENABLE_IDEMPOTENCE}=false and no transactions, or a format of 0.11 or later",
            f"{old.key}=0.11 or later, or {ENABLE_IDEMPOTENCE}=false and no transactions",
            [old],
            topic=topic.name,
        )
    if idempotent is None:
        ask = "--client java:VERSION" if base_family(producer) in (None, "java") else ENABLE_IDEMPOTENCE
        raise UnansweredTopicError(f"{refused}, and whether {producer.name} is one is not known; give {ask}")


def _is_idempotent(cluster: Cluster, producer: Client) -> bool | None:
    """Whether a producer is idempotent, by its file or by default; None where that is not known."""
    if asks_for_idempotence(cluster, producer):
        return True
    answer = setting_value(cluster, producer, ENABLE_IDEMPOTENCE)
    if any(is_switching_idempotence_off(producer, setting) for setting in settings_in_force(producer)):
        return False
    if isinstance(answer, Unknown):
        return None if any(is_true(default.value) for default in answer.possible) or not answer.possible else False
    return is_true(answer.value)


def is_idempotent(*, is_requested: bool, explicit: bool, acks: str, retries: bool, requests_in_flight: int) -> bool:
    """Whether a producer is idempotent. By default only if nothing speaks against it (`ProducerConfig`,
    postProcessAndValidateIdempotenceConfigs); what is asked for explicitly is never silently switched off."""
    return is_requested and (explicit or (acks == "all" and retries and requests_in_flight <= MOST_IN_FLIGHT))


def _producer_names(cluster: Cluster, topic: Topic) -> Sequence[str]:
    use = cluster.use_of(topic.name)
    return () if use is None else use.producers


def _unstated_acks_fact(cluster: Cluster, used_settings: list[UsedSetting]) -> Fact:
    if cluster.acks is not None:
        used_settings.append(UsedSetting("acks", cluster.acks.value, cluster.acks.origin))
        return Fact("acks", (FactValue(cluster.acks.value, {"acks": MODEL_ACKS[cluster.acks.value]}),))
    given = _open_statements_without_topics(cluster, ACKS)
    return Fact("acks", (FactValue("all", {"acks": "all"}), FactValue("1", {"acks": "leader"})), _ASK, given)


def _open_statements_without_topics(cluster: Cluster, key: KeyName) -> OpenStatements | None:
    """What the files of producers state of a setting, where no file says who writes a topic; None where none does."""
    writers = (client for client in cluster.clients if client.kind == "producer")
    stated = [setting_value(cluster, client, key) for client in writers]
    settings = [UsedSetting(key, said.value, said.origin) for said in stated if isinstance(said, StatedValue)]
    settings.sort(key=lambda used: MODEL_ACKS.get(used.value, used.value) in ("all", "true"))  # the weakest first
    return OpenStatements("no file says who writes it", tuple(settings)) if settings else None


def _kafkas_own_acks_fact(cluster: Cluster, topic: Topic, used_settings: list[UsedSetting]) -> Fact:
    """All, but of a commit before 4.0 what `offsets.commit.required.acks` says, which 4.0 has no more: 0 is as 1, since
    the leader itself appends, and any other number is refused with each commit (ReplicaManager.isValidRequiredAcks).
    Raises RefusedCommitsError."""
    key, kafka = COMMIT_ACKS, cluster.versions.kafka
    if topic.name == OFFSETS and (kafka is None or is_at_least(kafka.value, "4.0") is not True):
        for setting in (setting for broker in cluster.topic_keepers for setting in broker.settings):
            value = setting.value.strip() if setting.key == key else "-1"
            if value not in MODEL_ACKS and value.isdecimal():
                what = f"{key}={value} at {setting.origin} is not -1, 0 or 1, so that nothing is written"
                raise RefusedCommitsError(
                    f"{what}, no offset and no group (INVALID_REQUIRED_ACKS); remove it: the default is -1",
                    f"remove {key}",
                    [UsedSetting(key, setting.value, setting.origin)],
                )
            if MODEL_ACKS.get(value, "all") != "all":
                used_settings.append(UsedSetting(key, setting.value, setting.origin))
                return Fact("acks", (FactValue(setting.value, {"acks": "leader"}),))
    return Fact("acks", (FactValue("all", {"acks": "all"}),))


def _acks_fact(cluster: Cluster, producer: Client, used_settings: list[UsedSetting]) -> Fact:
    answer = setting_value(cluster, producer, ACKS)
    if not isinstance(answer, StatedValue) and asks_for_idempotence(cluster, producer):
        answer = Default("all", "an idempotent producer has acks=all, unless it is set")
    note_setting(answer, "acks", used_settings)
    if isinstance(answer, Unknown):
        words = dict.fromkeys(MODEL_ACKS[default.value] for default in answer.possible if default.value in MODEL_ACKS)
        choices = tuple(FactValue(_SHOWN[text], {"acks": text}) for text in words or ("all", "leader"))
        return Fact("acks", choices, answer.ask, statements_of_setting(answer, "acks"))
    word = MODEL_ACKS.get(answer.value.strip().lower())
    if word is None:
        raise UnansweredTopicError(
            f"acks of {producer.name} is `{answer.value}`, which is not one of {', '.join(MODEL_ACKS)}; correct it"
        )
    return Fact("acks", (FactValue(answer.value, {"acks": word}),))


def asks_for_idempotence(cluster: Cluster, producer: Client) -> bool:
    """Whether the file itself asks for it: by its name, or by transactions, which need it; not of a client that has no
    idempotence whatever is set."""
    answer = setting_value(cluster, producer, ENABLE_IDEMPOTENCE)
    if isinstance(answer, StatedValue):
        return is_true(answer.value)
    if is_fixed(producer, ENABLE_IDEMPOTENCE):
        return False
    transactional = setting_value(cluster, producer, TRANSACTIONAL_ID)
    return isinstance(transactional, StatedValue) and bool(transactional.value)


def _sending_facts(cluster: Cluster, producer: Client, used_settings: list[UsedSetting]) -> Iterator[Fact]:
    key, idempotence = ENABLE_IDEMPOTENCE, True
    if asks_for_idempotence(cluster, producer):
        note_setting(setting_value(cluster, producer, key), key, used_settings)
        again = repeats_sequence_numbers(cluster, producer) is True
        if again and producer.version is not None:
            used_settings.append(UsedSetting("client", f"Java {producer.version.value}", producer.version.origin))
        asked = _idempotence_value(True, explicit=True)
        yield Fact(key, (FactValue(asked.text, {**asked.sets, "gives_again": again}),))
    else:
        answer = setting_value(cluster, producer, key)
        off = next(
            (setting for setting in settings_in_force(producer) if is_switching_idempotence_off(producer, setting)),
            None,
        )
        if off is not None and isinstance(answer, Default) and is_true(answer.value):
            used_settings.append(UsedSetting(key, "false", off.origin, f"{off.key}={off.value} switches it off"))
        else:
            note_setting(answer, key, used_settings)
        values = [default.value for default in answer.possible] if isinstance(answer, Unknown) else [answer.value]
        truths = tuple(dict.fromkeys(is_true(value) for value in values)) or (True, False)
        ask, idempotence = answer.ask if isinstance(answer, Unknown) else "", True in truths and off is None
        explicit = is_refusing_by_default(producer)
        choices = tuple(_idempotence_value(truth, explicit=explicit) for truth in truths)
        yield Fact(key, choices, ask, statements_of_setting(answer, key))
    in_flight, ask, stated = _possible_numbers(cluster, producer, MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, used_settings)
    most = (FactValue(str(number), {"in_flight": max(1, number or MOST_IN_FLIGHT)}) for number in in_flight)
    yield Fact("in flight", tuple(most), ask, stated)
    if 1 in in_flight and idempotence:
        yield _sending_after_gap_fact(producer)
    retries, ask, stated = _possible_numbers(cluster, producer, RETRIES, used_settings)
    some = {retry != 0: FactValue(str(retry), {"retries": retry != 0}) for retry in retries}
    yield Fact("retries", tuple(some.values()), ask, stated)


def repeats_sequence_numbers(cluster: Cluster, producer: Client) -> bool | None:
    """Whether an idempotent producer gives the sequence of a record that it gave up to the next one, which is then
    acknowledged without being there: Java's clients of 2.1 to 2.4 do (Sender.completeBatch and canRetry of 2.4.1; it is
    possible since KIP-91, and no more since KIP-360). None where it may be such a client. Up to 2.4 none is idempotent
    unless it is asked for."""
    if not asks_for_idempotence(cluster, producer) or base_family(producer) not in (None, "java"):
        return False
    return None if base_family(producer) is None else _java_repeats_sequence_numbers(producer.version)


def _java_repeats_sequence_numbers(version: StatedValue | None) -> bool | None:
    if version is None:
        return None
    since, ended = (is_at_least(version.value, release) for release in ("2.1", "2.5"))
    if since is False or ended is True:
        return False
    return True if since and ended is False else None


def unnamed_producers_repeat_sequence_numbers(cluster: Cluster) -> bool | None:
    """`repeats_sequence_numbers` of producers of which no file was given, if they are idempotent; None where they may
    be such."""
    family, version = cluster.unnamed_clients or ("java", None)
    return _java_repeats_sequence_numbers(version) if family in ("java", "spring") else False


def _sending_after_gap_fact(producer: Client) -> Fact:
    """Whether a producer goes on in a new epoch once it has given up a record (KIP-360): Java's does since 2.5."""
    java, version = base_family(producer) == "java", producer.version
    since = is_at_least(version.value, "2.5") if java and version is not None else None
    known = (True, False) if since is None else (since,)
    choices = tuple(FactValue(_RENEWS[bumps], {"bumps_epoch": bumps}) for bumps in known)
    ask = "--client java:VERSION; of clients that are not Java's it is not known here"
    return Fact("what follows a record that was given up", choices, ask)


_RENEWS = {True: "a new epoch", False: "a new producer id"}


def _idempotence_value(is_requested: bool, *, explicit: bool) -> FactValue:
    return FactValue(str(is_requested).lower(), {"idempotent": is_requested, "explicit": explicit})


def _possible_numbers(
    cluster: Cluster, producer: Client, key: KeyName, used_settings: list[UsedSetting]
) -> tuple[tuple[int | None, ...], str, OpenStatements | None]:
    """What a number of a producer may be, where only a profile sets it otherwise (None if nothing says); what to give,
    and what is stated of it though it is open."""
    answer = note_setting(setting_value(cluster, producer, key), key, used_settings)
    if not isinstance(answer, Unknown):
        return (int(answer.value) if answer.value.isdecimal() else None,), "", None
    given = any(setting.when and setting.key == key for setting in producer.settings)
    possible = dict.fromkeys(int(default.value) for default in answer.possible if given and default.value.isdecimal())
    return tuple(possible) or (None,), answer.ask, statements_of_setting(answer, key)
