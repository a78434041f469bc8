"""The setting that decides a loss: what the repair changes, or, where there is none, what the loss comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...language.constants import PlainValue
from ..answers.answer import Answer
from ..facts.facts import NOT_GIVEN
from ..kafka.internal_topics import OFFSETS
from ..kafka.keys import declared_key
from ..kafka.topic_settings import COMMIT_ACKS
from ..questions.signature import Signature, Subject, UsedSetting
from ..questions.situations import BY_NAME
from ..repairs.changes import SettingChange
from .places import Places

BROKER_RACK = declared_key("broker.rack")
MIN_INSYNC_REPLICAS = declared_key("min.insync.replicas")
UNCLEAN_LEADER_ELECTION_ENABLE = declared_key("unclean.leader.election.enable")

_KEYS: Mapping[str, str] = {
    "unclean": declared_key("unclean.leader.election.enable"),
    "client": "client",
    "acks": "acks",
    "commit_acks": COMMIT_ACKS,
    "in_flight": declared_key("max.in.flight.requests.per.connection"),
    "idempotence": declared_key("enable.idempotence"),
    "lower_min_isr": declared_key("min.insync.replicas"),
    "min_isr": declared_key("min.insync.replicas"),
    "replicas": "replication factor",
    "racks": declared_key("broker.rack"),
    "release": "version",
    "elr": "eligible.leader.replicas.version",
    "newest": "eligible.leader.replicas.version",
    "fsync": declared_key("log.flush.interval.messages"),
}
"""The key of a change, where it is of a setting and not of where nodes stand."""

_OF_RACKS = ("racks", "each_rack", "voter_racks")
"""Changes that move nodes to other racks."""

DEFAULTS: Mapping[str, str] = {
    "eligible.leader.replicas.version": "0",
    declared_key("log.flush.interval.messages"): "not set: no append is flushed by itself",
    declared_key("broker.rack"): "as placed",
}
"""What a setting is that no answer rests on by itself."""

_SHARED_HOSTS = "hosts"
"""What is to blame where one host takes several replicas with it: no setting, but where the nodes stand."""

_OF_HOSTS = ("power_losses", "disk_losses")
"""What a host that loses power, or its disk, takes of each replica that is on it."""

PLACING = UsedSetting("where the nodes run", "", None, "")
"""What decides where the repair moves nodes: no setting, but their places."""


def deciding_setting(
    subject: Subject, changes: Sequence[SettingChange], cell: str, constants: Mapping[str, PlainValue], places: Places
) -> Iterator[tuple[UsedSetting, str]]:
    """The settings that decide a loss in a cell, each with what the repair makes of it ("" where none is made): those
    that the repair changes, each of which is needed, first the one that the run of the loss, with these constants,
    comes from; that one alone where nothing is changed. Where nodes are moved it is where they stand."""
    cause = _key_to_blame(subject, cell, constants)
    if changes:
        for change in sorted(changes, key=lambda change: _place_as_cause(change, cause)):
            key = _KEYS.get(change.name)
            if key and key != BROKER_RACK:
                used_settings = _used_settings(subject, key)
                other = [used for used in used_settings if used.value != change.value]
                yield from ((used, change.value) for used in other or used_settings)
            else:
                yield from ((used, change.setting) for used in _placement_settings(change.name, places))
        return
    if cause:
        yield from ((used, "") for used in _stated_causes(subject, cause, places))


def _stated_causes(subject: Subject, cause: str, places: Places) -> Sequence[UsedSetting]:
    """What a key of a cause stands for: the setting, or where nodes stand."""
    if cause == _SHARED_HOSTS:
        return places.hosts
    return places.racks if cause == BROKER_RACK and places.racks else _used_settings(subject, cause)


_CAUSES_FIRST = ("replicas", "acks", "commit_acks", "unclean", "client", "min_isr", "lower_min_isr")
"""Changes in the order in which what they change is to blame: with one copy, or with acks=1, no other setting helps."""


def _place_as_cause(change: SettingChange, cause: str) -> tuple[bool, int]:
    """Where what a change is of stands among what decides: what the loss comes from is first."""
    order = _CAUSES_FIRST.index(change.name) if change.name in _CAUSES_FIRST else len(_CAUSES_FIRST)
    return not cause or _KEYS.get(change.name) != cause, order


def _placement_settings(change: str, places: Places) -> Sequence[UsedSetting]:
    """Where nodes stand that a change moves."""
    return (places.racks if change in _OF_RACKS else places.hosts) or (PLACING,)


def setting_deciding_check(
    subject: Subject, question: str, cell: str, answer: Answer, places: Places
) -> Sequence[UsedSetting]:
    """The setting that a requirement that fails comes from, whatever a repair makes of others, or its statements that
    contradict each other; () where no one setting is to blame. `answer` is that of its cell."""
    if not subject.variants:
        return subject.stopped_by
    if question in ("writable", "readable"):
        key = _cause_of_stop(subject.variants[0].signature)
    else:
        key = _key_to_blame(subject, cell, {} if answer.case is None else answer.case.values)
    causes = _stated_causes(subject, key, places) if key else ()
    return causes if key in subject.open_statements else causes[:1]


def _cause_of_stop(signature: Signature) -> str:
    """The key of what stops writes without one broker: "" where no setting of the topic does."""
    if signature.replicas == 1 and signature.least_isr <= 1:
        return "replication factor"
    return MIN_INSYNC_REPLICAS if signature.acks == "all" and signature.least_isr >= signature.replicas else ""


def _used_settings(subject: Subject, key: str) -> Sequence[UsedSetting]:
    """The setting as it is stated, or each of the statements that contradict each other; as by default where nothing
    states it; else it is not given."""
    if key in subject.open_statements:
        return subject.open_statements[key].settings
    stated = next((used for used in subject.used_settings if used.key == key), None)
    return [stated or UsedSetting(key, DEFAULTS.get(key, NOT_GIVEN), None, "Kafka's own" if key in DEFAULTS else "")]


def setting_text(setting: UsedSetting) -> str:
    """A setting that decides, in words: `acks=1`, `acks not given`."""
    return (
        f"{setting.key} {setting.value}".strip()
        if setting.value in ("", NOT_GIVEN)
        else f"{setting.key}={setting.value}"
    )


def _key_to_blame(subject: Subject, cell: str, constants: Mapping[str, PlainValue]) -> str:
    """The key of the setting that a loss comes from; "" where no one setting is to blame."""
    if not constants:
        return ""
    if constants.get("replicas") == 1 and constants.get("acks") != "none":
        return "replication factor"
    if constants.get("acks") != "all":
        return COMMIT_ACKS if subject.topics[0].name == OFFSETS else "acks"
    if constants.get("unclean") and constants.get("heed_unclean"):
        return UNCLEAN_LEADER_ELECTION_ENABLE
    if cell.startswith("rack-"):
        return BROKER_RACK
    if cell and BY_NAME[cell].fault.single and sum(int(constants.get(name, 0)) for name in _OF_HOSTS) > 1:
        return _SHARED_HOSTS
    if int(constants.get("min_isr", 2)) < 2:
        return MIN_INSYNC_REPLICAS
    if constants.get("isr_shrinks") and not constants.get("elr"):
        return "eligible.leader.replicas.version"
    return ""
