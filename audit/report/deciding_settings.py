"""The setting that decides a loss: what the repair changes, or, where there is none, what the loss comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..answers.answer import Answer
from ..kafka.internal_topics import OFFSETS
from ..kafka.keys import declared_key
from ..kafka.profiles import Constant
from ..kafka.topic_settings import COMMIT_ACKS
from ..questions.signature import Signature, Subject, UsedSetting
from ..repairs.changes import SettingChange

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
    "fsync": declared_key("log.flush.interval.messages"),
}
"""The key of a change, where it is of a setting and not of where nodes stand."""

DEFAULTS: Mapping[str, str] = {
    "eligible.leader.replicas.version": "0",
    declared_key("log.flush.interval.messages"): "not set: no append is flushed by itself",
    declared_key("broker.rack"): "as placed",
}
"""What a setting is that no answer rests on by itself."""

NOT_GIVEN = "not given"
"""What a setting is that nothing states, and that has no default here."""

PLACING = UsedSetting("where the nodes run", "", None, "")
"""What decides where the repair moves nodes: no setting, but their places."""


def deciding_setting(
    subject: Subject, changes: Sequence[SettingChange], cell: str, constants: Mapping[str, Constant]
) -> Iterator[tuple[UsedSetting, str]]:
    """The settings that decide a loss in a cell, each with what the repair makes of it ("" where none is made): those
    that the repair changes, else the one that the run of the loss, with these constants, comes from."""
    if changes:
        for change in changes:
            key = _KEYS.get(change.name)
            yield _used_setting(subject, key) if key else PLACING, change.value if key else change.setting
        return
    key = _cause(subject, cell, constants)
    if key:
        yield _used_setting(subject, key), ""


def setting_deciding_check(subject: Subject, question: str, answer: Answer) -> UsedSetting | None:
    """The setting that a requirement that fails comes from, whatever a repair makes of others; None where no one
    setting is to blame. `answer` is that of its cell."""
    if not subject.variants:
        return None
    if question in ("writable", "readable"):
        key = _cause_of_stop(subject.variants[0].signature)
    else:
        key = _cause(subject, "", {} if answer.case is None else answer.case.values)
    return _used_setting(subject, key) if key else None


def _cause_of_stop(signature: Signature) -> str:
    """The key of what stops writes without one broker: "" where no setting of the topic does."""
    if signature.replicas == 1 and signature.least_isr <= 1:
        return "replication factor"
    return MIN_INSYNC_REPLICAS if signature.acks == "all" and signature.least_isr >= signature.replicas else ""


def _used_setting(subject: Subject, key: str) -> UsedSetting:
    """The setting as it is stated; as by default where nothing states it; else it is not given."""
    stated = next((used for used in subject.used_settings if used.key == key), None)
    return stated or UsedSetting(key, DEFAULTS.get(key, NOT_GIVEN), None, "Kafka's own" if key in DEFAULTS else "")


def setting_text(used: UsedSetting) -> str:
    """A setting that decides, in words: `acks=1`, `acks not given`."""
    return f"{used.key} {used.value}".strip() if used.value in ("", NOT_GIVEN) else f"{used.key}={used.value}"


def _cause(subject: Subject, cell: str, constants: Mapping[str, Constant]) -> str:
    """The key of the setting that a loss comes from; "" where no one setting is to blame."""
    if not constants:
        return ""
    if constants.get("acks") != "all":
        return COMMIT_ACKS if subject.topics[0].name == OFFSETS else "acks"
    if constants.get("unclean") and constants.get("heed_unclean"):
        return UNCLEAN_LEADER_ELECTION_ENABLE
    if constants.get("replicas") == 1:
        return "replication factor"
    if cell.startswith("rack-"):
        return BROKER_RACK
    if constants.get("replicas") == 1:
        return "replication factor"
    if int(constants.get("min_isr", 2)) < 2:
        return MIN_INSYNC_REPLICAS
    if constants.get("isr_shrinks") and not constants.get("elr"):
        return "eligible.leader.replicas.version"
    return ""
