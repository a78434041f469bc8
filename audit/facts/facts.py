"""Facts that an answer may depend on, each with the values that it may have, and the settings that they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...language.immutable import immutable
from ..cluster.statements import Default, Origin, SettingValue, StatedValue, Unknown


@immutable
class FactValue:
    """One value that a fact may have, as it is shown, and what it sets."""

    text: str
    sets: Mapping[str, Any]


@immutable
class UsedSetting:
    """A setting that the signature rests on: its value and where it is stated, or whose default it is."""

    key: str
    value: str
    origin: Origin | None
    source: str = ""


@immutable
class OpenStatements:
    """What is stated of a fact that is open all the same, and why it decides nothing, in words before it."""

    why: str
    settings: tuple[UsedSetting, ...]


@immutable
class Fact:
    """Something that an answer may depend on: its name, its possible values (one if it is known), and what to give.
    `open_statements` are what is stated of it though it is open."""

    name: str
    choices: tuple[FactValue, ...]
    ask: str = ""
    open_statements: OpenStatements | None = None


def ask_of_version(choices: Sequence[FactValue], elr: str) -> str:
    """What to give where the version is open: the release, or of one release what runs it, or the level of the feature
    `elr`."""
    pairs = {(choice.sets["binary"], choice.sets["kraft"]) for choice in choices}
    planes = {kraft for _, kraft in pairs}
    if len(pairs) > len(planes):
        return "--kafka-version, and kafka-features.sh describe"
    if len(planes) > 1:
        return "a broker's server.properties: process.roles is KRaft, and zookeeper.connect is ZooKeeper"
    if len({choice.sets["elr"] for choice in choices}) > 1:
        return f"--features {elr}=LEVEL, as kafka-features.sh describe says"
    return "--inter-broker-protocol"


NOT_GIVEN = "not given"
"""What a setting is that nothing states, and that has no default here."""


class UnansweredTopicError(Exception):
    """A topic of which nothing can be asked; the message says why, and what to give. `stops` are the questions that are
    answered by that alone, `writes_nothing` names a producer that writes nothing, if that is why. `decided_by` are the
    settings to blame, and `repairs` says what to do ("": the message alone says so)."""

    stops: tuple[str, ...] = ()
    writes_nothing = ""

    def __init__(self, why: str, repairs: str = "", decided_by: Sequence[UsedSetting] = ()) -> None:
        super().__init__(why)
        self.repairs = repairs
        self.decided_by = tuple(decided_by)


class UncreatableTopicError(UnansweredTopicError):
    """A topic that Kafka refuses to create; the message says why, and what to do. `repairs` says with how
    many brokers, or with which of their settings, it is created; "" where it takes something else."""

    stops = ("writable", "readable")


class UnservedTopicError(UnansweredTopicError):
    """A topic none of whose brokers starts, or without a majority of controllers; the message says why."""

    stops = ("writable", "readable")


class RefusedCommitsError(UnansweredTopicError):
    """The offsets topic of brokers that refuse every write to it; the message says why."""

    stops = ("writable", "groups")


class StoppedProducerError(UnansweredTopicError):
    """A topic whose producer does not start, or whose records are refused; the message says that it writes nothing, as
    `writes_nothing` alone does, and why."""

    stops = ("writable",)

    def __init__(
        self, producer: str, why: str, repairs: str, decided_by: Sequence[UsedSetting], *, topic: str = ""
    ) -> None:
        self.writes_nothing = f"{producer} writes nothing{f' to {topic}' if topic else ''}"
        super().__init__(f"{self.writes_nothing}: {why}", repairs, decided_by)


def open_statements(settings: Sequence[UsedSetting]) -> OpenStatements | None:
    """Statements that contradict each other, or the one that may not be in force; None where there is none."""
    if not settings:
        return None
    return OpenStatements("contradict each other" if len(settings) > 1 else "may not be in force", tuple(settings))


def statements_of_setting(answer: SettingValue, key: str) -> OpenStatements | None:
    """What is stated of a setting that is open all the same (`Unknown.statements`)."""
    stated = answer.statements if isinstance(answer, Unknown) else ()
    return open_statements([UsedSetting(key, said.value, said.origin, said.assumption) for said in stated])


def note_setting(answer: SettingValue, key: str, used_settings: list[UsedSetting]) -> SettingValue:
    """The answer, which `used_settings` keeps with its place or its source, unless it is unknown."""
    match answer:
        case StatedValue(value=value, origin=origin):
            used_settings.append(UsedSetting(key, value, origin, answer.assumption))
        case Default(value=value, source=source):
            used_settings.append(UsedSetting(key, value, None, "; ".join(filter(None, (source, answer.assumption)))))
        case Unknown():
            pass
    return answer
