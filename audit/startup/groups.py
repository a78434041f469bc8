"""Group coordinators that do not start: the protocols of groups, and times of theirs that do not go together.

`KafkaConfig.groupCoordinatorRebalanceProtocols` (3.7.2, 3.8.0, 3.9.0, 4.1.0), what `KafkaConfig.validateValues` (3.7.2)
and `GroupCoordinatorConfig` (3.9.0 to 4.3.0) ask of KIP-848's groups, and then of share groups and of streams groups.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..cluster.cluster import Broker, Cluster
from ..cluster.settings import readable_settings, stated_settings
from ..cluster.statements import Setting
from ..kafka.keys import declared_key, other_settings
from ..kafka.versions import is_at_least
from .listeners import Reasons

PROTOCOLS, ROLES = declared_key("group.coordinator.rebalance.protocols"), declared_key("process.roles")

WORDS: Mapping[str, tuple[str, str]] = {
    "classic": ("3.7", ""), "consumer": ("3.7", ""), "share": ("3.9", ""), "unknown": ("3.7", "4.1"),
    "streams": ("4.1", ""),
}  # fmt: skip
"""The protocols, each with the release since which one may state it, and before which (GroupType)."""

FIRST_IN_KRAFT_ALONE = "3.8"
"""From here on ZooKeeper's brokers refuse `consumer`."""

HEARTBEAT, SESSION = "heartbeat.interval.ms", "session.timeout.ms"
GROUPS = ("consumer", "share", "streams")


def group_refusals(cluster: Cluster, node: Broker) -> Reasons:
    """Why a node does not start, and where that is set."""
    yield from _protocol_reasons(cluster, node)
    for group in GROUPS:
        yield from _time_reasons(cluster, node, group)


def _protocol_reasons(cluster: Cluster, node: Broker) -> Reasons:
    stated, kafka = readable_settings(node).get(PROTOCOLS), cluster.versions.kafka
    if stated is None or kafka is None or is_at_least(kafka.value, "3.7") is not True:
        return
    words = [word.strip() for word in stated.value.split(",")] if stated.value.strip() else []
    wrong = next((word for word in words if not _is_word(word, kafka.value)), None)
    if wrong is not None:
        yield f"`{PROTOCOLS}` has `{wrong}`, which is not a protocol of groups in Kafka {kafka.value}", stated.origin
    elif "classic" not in words:
        yield f"`{PROTOCOLS}={stated.value}` lacks classic, which cannot be disabled", stated.origin
    elif "consumer" in words and ROLES not in stated_settings(node) and _is_in_kraft_alone(kafka.value):
        yield f"`{PROTOCOLS}={stated.value}` has consumer, which is for nodes in KRaft", stated.origin


def _is_word(word: str, kafka: str) -> bool:
    since, until = WORDS.get(word, ("99", ""))
    return is_at_least(kafka, since) is not False and not (until and is_at_least(kafka, until) is True)


def _is_in_kraft_alone(kafka: str) -> bool:
    return is_at_least(kafka, FIRST_IN_KRAFT_ALONE) is True


def _time_reasons(cluster: Cluster, node: Broker, group: str) -> Reasons:
    """Each time is between its least and its largest one, and since 4.0 a heartbeat comes within a session."""
    stated, kafka = readable_settings(node), cluster.versions.kafka
    names = {
        kind: tuple(f"group.{group}.{part}{kind}" for part in ("min.", "", "max.")) for kind in (HEARTBEAT, SESSION)
    }
    if kafka is None or not all(other_settings()[name].is_defined(kafka.value) for name in names[HEARTBEAT]):
        return
    for least, own, most in names.values():
        for lower, upper in ((least, most), (least, own), (own, most)):
            where = _first_stated(stated, lower, upper)
            if where is not None and _number_or_default(stated, lower) > _number_or_default(stated, upper):
                yield _contradiction_sentence(stated, lower, "above", upper), where.origin
    own, session = names[HEARTBEAT][1], names[SESSION][1]
    where = _first_stated(stated, own, session)
    if (
        where is not None
        and is_at_least(kafka.value, "4.0")
        and _number_or_default(stated, own) >= _number_or_default(stated, session)
    ):
        yield _contradiction_sentence(stated, own, "not below", session), where.origin


def _contradiction_sentence(stated_settings: Mapping[str, Setting], first: str, how: str, second: str) -> str:
    one, other = (_number_or_default(stated_settings, key) for key in (first, second))
    return f"`{first}={one}` is {how} `{second}={other}`"


def _number_or_default(stated_settings: Mapping[str, Setting], key: str) -> int:
    return int(stated_settings[key].value) if key in stated_settings else int(other_settings()[key].defaults[0].value)


def _first_stated(stated_settings: Mapping[str, Setting], *keys: str) -> Setting | None:
    """The first of two that is stated, where each is a number or its default holds."""
    found = [stated_settings[key] for key in keys if key in stated_settings]
    return found[0] if found and all(setting.value.strip().isdecimal() for setting in found) else None
