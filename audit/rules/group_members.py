"""Rules about the members of groups: with which timeouts and which protocol a consumer does not start.

Each client has its own. In the classic protocol Java's refuses a heartbeat that is not within the session (Heartbeat),
and so do kafka-python's (coordinator/heartbeat.py) and Sarama's since 1.19 (Config.Validate); franz-go's refuses one
beyond it; librdkafka refuses a session that is longer than max.poll.interval.ms since 1.0, and no heartbeat. KIP-848's
protocol is in Java's client since 3.7 and in librdkafka since 2.4; there the brokers say how long both are, and clients
refuse settings of the other protocol. What is said of librdkafka was tried with 2.3.0, 2.11.1, 2.12.0 and 2.16.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..cluster.cluster import Client, Cluster
from ..cluster.findings import Finding
from ..cluster.settings import base_family, setting_number, setting_place
from ..kafka.keys import KeyName, client_settings, declared_key, is_true
from ..kafka.versions import is_at_least
from ..startup.client_settings import is_version_known_between, refused_values, stated_setting
from ..startup.group_protocols import group_findings
from ..startup.possible_clients import possible_refusal, unknown_start
from ..startup.served_clients import unserved_client_findings

AUTO_OFFSET_RESET = declared_key("auto.offset.reset")
ENABLE_AUTO_COMMIT, GROUP = declared_key("enable.auto.commit"), declared_key("group.id")
REQUEST, FETCH_WAIT = declared_key("request.timeout.ms"), declared_key("fetch.max.wait.ms")

PROTOCOL, SESSION, HEARTBEAT = (
    declared_key("group.protocol"),
    declared_key("session.timeout.ms"),
    declared_key("heartbeat.interval.ms"),
)
_STRATEGY, _REMOTE, _POLL = (
    declared_key("partition.assignment.strategy"),
    declared_key("group.remote.assignor"),
    declared_key("max.poll.interval.ms"),
)

_SINCE = {"java": "3.7", "librdkafka": "2.4"}
"""Since when a client has KIP-848's protocol."""

_REFUSED = {"java": ("4.0", "ConsumerConfig"), "librdkafka": ("2.10", "librdkafka, rd_kafka_conf_finalize")}
"""Since when a client refuses the classic protocol's settings with it, and where."""

_HEARTBEATS = {
    "java": ("0", False, "Heartbeat"),
    "kafka-python": ("1.0", False, "kafka-python, coordinator/heartbeat.py"),
    "sarama": ("1.19", False, "Sarama, config.go, Validate"),
    "franz-go": ("1.0", True, "franz-go, kgo/config.go, validate"),
}
"""Since when a client looks at its heartbeats, and whether a heartbeat may be as long as the session."""


def member_rules(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """All of them, of one consumer; where its family or release is not stated, what those refuse that it may be."""
    own = list(_own_rules(cluster, client))
    yield from own
    if not any(finding.severity == "error" for finding in (*own, *refused_values(client))):
        possible = possible_refusal(client, lambda known: _consumer_refusals(cluster, known))
        if possible is not None:
            yield possible.reason if possible.is_certain else unknown_start(client, possible)


def _consumer_refusals(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """With what a consumer does not start."""
    yield from (finding for finding in _own_rules(cluster, client) if finding.severity == "error")
    yield from refused_values(client)


def _own_rules(cluster: Cluster, client: Client) -> Iterator[Finding]:
    if not has_new_protocol(client):
        yield from _heartbeat_findings(cluster, client)
    yield from _poll_interval_findings(cluster, client)
    yield from _findings_of_other_protocol(client)
    yield from _offset_reset_findings(client)
    yield from _request_timeout_findings(cluster, client)
    yield from _findings_without_group(cluster, client)


def consumers_down(cluster: Cluster) -> Iterator[Finding]:
    """Why consumers do not start, or cannot join their group: one reason of each."""
    for client in cluster.clients:
        if client.kind == "consumer":
            unserved = (*unserved_client_findings(cluster, client), *group_findings(cluster, client))
            reasons = (*unserved, *member_rules(cluster, client), *refused_values(client))
            yield from [reason for reason in reasons if reason.severity == "error"][:1]


def has_new_protocol(client: Client) -> bool:
    """Whether a consumer uses KIP-848's protocol: it asks for it, and its release has it or is not stated."""
    return (
        _asks_for_consumer_protocol(client)
        and _is_at_least_release(client, _SINCE.get(base_family(client) or "")) is not False
    )


def _asks_for_consumer_protocol(client: Client) -> bool:
    protocol = stated_setting(client, PROTOCOL)
    return protocol is not None and protocol.value.lower() == "consumer"


def _is_at_least_release(client: Client, since: str | None) -> bool | None:
    """Whether a client is of a release or later; None if it is not stated. Without a release none is."""
    if since is None:
        return False
    return None if client.version is None else is_at_least(client.version.value, since)


def _heartbeat_findings(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """Three heartbeats fit into a session; with less than one most clients do not start."""
    beat, session = setting_number(cluster, client, HEARTBEAT), setting_number(cluster, client, SESSION)
    if beat is None or session is None:
        return
    where, to_do = setting_place(cluster, client, HEARTBEAT), f"at most {session // 3}"
    if not _may_have_group(client):
        return
    looks, equal, source = _HEARTBEATS.get(base_family(client) or "", (None, False, ""))
    if (
        looks is not None
        and _is_at_least_release(client, looks) is not False
        and (beat > session or (beat == session and not equal))
    ):
        what = f"heartbeat.interval.ms={beat} is not below session.timeout.ms={session}: the consumer does not start"
        yield Finding("contradiction", "error", what, where, to_do, source)
    elif beat >= session:
        what = f"heartbeat.interval.ms={beat} is not below session.timeout.ms={session}: the group loses the consumer"
        what += " again and again" if base_family(client) else " again and again, or it does not start, as Java's"
        yield Finding("contradiction", "warning", what, where, to_do)
    elif beat * 3 > session:
        what = f"heartbeat.interval.ms={beat} is above a third of session.timeout.ms={session}: one lost is a rebalance"
        yield Finding("advice", "note", what, where, to_do)


def _may_have_group(client: Client) -> bool:
    """Whether it is in a group by its file, or by its program where the file does not say so: Java's is in none where
    nobody names it since 2.2 (KIP-289), and then looks at nothing of groups."""
    return (
        base_family(client) != "java"
        or stated_setting(client, GROUP) is not None
        or is_version_known_between(client, "", "2.2")
    )


def _findings_without_group(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """What Java's consumer does where its program gives it a group that its file does not name, or none."""
    if _may_have_group(client):
        return
    commits = stated_setting(client, ENABLE_AUTO_COMMIT)
    if commits is not None and is_true(commits.value):
        what = f"{client.name} names no {GROUP}, and `{commits.key}=true`: without one from its program it does not"
        what += " start"
        yield Finding("advice", "note", what, commits.origin, f"{GROUP}, where it belongs to a group", "KafkaConsumer")
    beat, session = setting_number(cluster, client, HEARTBEAT), setting_number(cluster, client, SESSION)
    if beat is not None and session is not None and beat >= session:
        what = f"heartbeat.interval.ms={beat} is not below session.timeout.ms={session}: where its program gives it a"
        what += f" {GROUP}, the consumer does not start"
        where = setting_place(cluster, client, HEARTBEAT)
        yield Finding("contradiction", "warning", what, where, f"at most {session // 3}", "Heartbeat")


def _request_timeout_findings(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """Up to 1.1 a request is to outlast a session and what a fetch waits (KafkaConsumer; KAFKA-7050 ends it)."""
    if base_family(client) != "java" or not is_version_known_between(client, "", "2.0"):
        return
    request, session = setting_number(cluster, client, REQUEST), setting_number(cluster, client, SESSION)
    request = _default_number(REQUEST) if request is None and stated_setting(client, REQUEST) is None else request
    stated = stated_setting(client, FETCH_WAIT)
    wait = int(stated.value) if stated is not None and stated.value.strip().isdecimal() else _default_number(FETCH_WAIT)
    if request is not None and session is not None and request <= max(session, wait):
        longer = f"session.timeout.ms={session}" if request <= session else f"{FETCH_WAIT}={wait}"
        what = f"request.timeout.ms={request} is not above {longer}: the consumer does not start"
        where = setting_place(cluster, client, REQUEST)
        yield Finding("contradiction", "error", what, where, f"{max(session, wait) + 1} or more", "KafkaConsumer")


def _default_number(name: KeyName) -> int:
    """What Java's consumers have where nobody states it."""
    return next(int(row.defaults[0].value) for row in client_settings()[name] if row.defaults)


def _poll_interval_findings(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """librdkafka: a session ends before the time for which the application may stay away."""
    poll, session = setting_number(cluster, client, _POLL), setting_number(cluster, client, SESSION)
    since, source = _REFUSED["librdkafka"]
    if (
        base_family(client) != "librdkafka"
        or poll is None
        or session is None
        or _is_at_least_release(client, "1.0") is False
    ):
        return
    if has_new_protocol(client) and _is_at_least_release(client, since) is not False:
        return
    if poll < session:
        key = _POLL if stated_setting(client, _POLL) is not None else SESSION
        what = f"session.timeout.ms={session} is above max.poll.interval.ms={poll}: the consumer does not start"
        yield Finding("contradiction", "error", what, setting_place(cluster, client, key), f"at most {poll}", source)


def _findings_of_other_protocol(client: Client) -> Iterator[Finding]:
    """Settings of one protocol with the other, and a protocol that the client's release has not."""
    family = base_family(client) or ""
    since, source = _REFUSED.get(family, ("", ""))
    protocol = stated_setting(client, PROTOCOL)
    if family == "librdkafka" and protocol is not None and _is_at_least_release(client, _SINCE[family]) is False:
        what = f"`{PROTOCOL}={protocol.value}` is known since librdkafka 2.4: the consumer does not start"
        yield Finding("contradiction", "error", what, protocol.origin, f"remove {PROTOCOL}", "CHANGELOG v2.4.0")
    elif _asks_for_consumer_protocol(client) and since and _is_at_least_release(client, since):
        for setting in filter(None, (stated_setting(client, key) for key in (_STRATEGY, HEARTBEAT, SESSION))):
            if setting.value.strip():
                what = f"`{setting.key}={setting.value}` with {PROTOCOL}=consumer: the consumer does not start"
                yield Finding("contradiction", "error", what, setting.origin, f"remove {setting.key}", source)
    remote = stated_setting(client, _REMOTE)
    if (
        family == "java"
        and remote is not None
        and remote.value
        and not _asks_for_consumer_protocol(client)
        and _is_at_least_release(client, "3.9")
    ):
        what = f"`{_REMOTE}={remote.value}` with {PROTOCOL}=classic: the consumer does not start"
        yield Finding("contradiction", "error", what, remote.origin, f"{PROTOCOL}=consumer", "ConsumerConfig")


def _offset_reset_findings(client: Client) -> Iterator[Finding]:
    """`by_duration`, which Java's consumers know since 4.0 (KIP-1106)."""
    reset = stated_setting(client, AUTO_OFFSET_RESET)
    if base_family(client) != "java" or reset is None or not reset.value.startswith(BY_DURATION):
        return
    if _is_at_least_release(client, "4.0") is False:
        what = f"`{reset.key}={reset.value}` is known since 4.0: the consumer does not start"
        yield Finding("contradiction", "error", what, reset.origin, "earliest, latest or none", "KIP-1106")
    elif not _DURATION.fullmatch(reset.value.removeprefix(BY_DURATION).strip()):
        what = f"`{reset.key}={reset.value}` has no duration of ISO 8601: the consumer does not start"
        yield Finding("contradiction", "error", what, reset.origin, "such as by_duration:PT1H", "KIP-1106")


BY_DURATION = "by_duration:"
_DURATION = re.compile(r"\+?P(?=[\dT])(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d{1,9})?S)?)?", re.IGNORECASE)
"""What `Duration.parse` takes that is not below 0, but for parts with signs of their own."""
