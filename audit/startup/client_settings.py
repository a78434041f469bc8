"""Values with which Java's clients do not start: by type, range and word, by form, and by what their classes are.

`ProducerConfig`, `ConsumerConfig` and the constructors of `KafkaProducer` and `KafkaConsumer`, of 0.11.0.3 to 4.4.0; a
test holds these rules against the classes themselves. Of a client whose release is not stated only what all of them
refuse is said. What a class path, a resolver or the program decide is not known here: classes that are not Kafka's own,
hosts without an address, JAAS. Nor is anything said of `share.acknowledgement.mode`, which KafkaConsumer refuses and
KafkaShareConsumer takes, and of `partitioner.ignore.keys`, whose value is withheld for its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from ..cluster.cluster import Client
from ..cluster.findings import Finding
from ..cluster.settings import base_family
from ..cluster.statements import HIDDEN, Setting
from ..kafka.keys import (
    NEVER_EMPTY,
    Key,
    KeyName,
    client_settings,
    declared_key,
    is_never_blank,
    settings_table,
    why_illegal,
)
from ..kafka.versions import is_at_least

SERVERS, GROUP = declared_key("bootstrap.servers"), declared_key("group.id")
PROTOCOL, STRATEGY = declared_key("group.protocol"), declared_key("partition.assignment.strategy")
INSTANCE, PARTITIONER = declared_key("group.instance.id"), declared_key("partitioner.class")

LONGEST_NAME = 249
"""Of a member's `group.instance.id`, in characters (JoinGroupRequest.validateGroupInstanceId)."""

CLASSES: Mapping[str, tuple[str, str]] = {
    "org.apache.kafka.clients.consumer.StickyAssignor": ("0.11", ""),
    "org.apache.kafka.clients.consumer.CooperativeStickyAssignor": ("2.4", ""),
    "org.apache.kafka.clients.producer.RoundRobinPartitioner": ("2.4", ""),
    "org.apache.kafka.clients.producer.UniformStickyPartitioner": ("2.4", "4.0"),
    "org.apache.kafka.clients.producer.internals.DefaultPartitioner": ("", "4.0"),
}
"""Kafka's own classes that not every release has: since which, and before which."""

WORDS = ("range", "roundrobin", "sticky", "cooperative-sticky")
"""What librdkafka calls its assignors, and Java has no class of that name."""


def refused_values(client: Client, *, only_undeclared: bool = False) -> Iterator[Finding]:
    """The settings of a client of Java's with which it does not start, each by itself. With `only_undeclared` those
    alone of which no other rule says that they are wrong."""
    if base_family(client) != "java":
        return
    for setting in settings_in_force(client):
        if setting.value == HIDDEN or "${" in setting.value:
            continue
        why = "" if only_undeclared else _why_declared_refused(client, setting)
        why = why or _why_other_refused(client, setting) or _FORMS.get(setting.key, _no_form)(client, setting.value)
        if why:
            what = f"`{setting.key}={setting.value}` {why}: the {client.kind} does not start"
            source = "ProducerConfig" if client.kind == "producer" else "ConsumerConfig"
            yield Finding("contradiction", "error", what, setting.origin, "a value that its release takes", source)


def stated_setting(client: Client, key: KeyName) -> Setting | None:
    """What the client's own file says, whatever profile is active."""
    return next((setting for setting in reversed(client.settings) if setting.key == key and not setting.when), None)


def settings_in_force(client: Client) -> list[Setting]:
    """The last statement of each setting."""
    return list({setting.key: setting for setting in client.settings if not setting.when}.values())


def is_version_known_between(client: Client, since: str, until: str = "") -> bool:
    """Whether a client's release is stated, and from `since` on and before `until`; "" is any."""
    if client.version is None or (since and is_at_least(client.version.value, since) is not True):
        return False
    return not until or is_at_least(client.version.value, until) is False


def _is_known_to(client: Client, since: str, until: str = "") -> bool:
    """The same, where what all releases have is known to one that is not stated, too."""
    return not (since or until) or is_version_known_between(client, since, until)


# --- by type, range and word ------------------------------------------------------------------------------------------


def _why_declared_refused(client: Client, setting: Setting) -> str:
    """Of a setting that answers rest on."""
    key = settings_table().get(setting.key)
    if key is None or client.kind not in key.scopes:
        return ""
    if not _is_known_to(client, key.since):
        return ""
    return _why_value_refused(key, setting.value)


def _why_other_refused(client: Client, setting: Setting) -> str:
    """Of a setting that no answer rests on: refused by the client's release, or by all of them."""
    rows = [row for row in client_settings().get(setting.key, ()) if client.kind in row.scopes]
    if client.version is None:
        reasons = [_why_value_refused(row, setting.value) for row in rows]
        ever = any(not row.since for row in rows) and any(not row.until for row in rows)
        return reasons[-1] if ever and all(reasons) else ""
    found = [row for row in rows if is_version_known_between(client, row.since, row.until)]
    return next((why for row in found if (why := _why_value_refused(row, setting.value))), "")


def _why_value_refused(key: Key, value: str) -> str:
    value = value.strip()
    if not value:
        return "has no value" if is_never_blank(key) or key.type in NEVER_EMPTY else ""
    return why_illegal(key, value, "java")


# --- by form ----------------------------------------------------------------------------------------------------------


def _why_servers_refused(client: Client, value: str) -> str:
    """`host:port`, each (ClientUtils.parseAndValidateAddresses, Utils.HOST_PORT_PATTERN)."""
    servers = [server.strip() for server in value.split(",")]
    if not any(servers):
        return "names no server"
    if "" in servers and is_version_known_between(client, "4.2"):
        return "has a server without a name"
    is_whole = is_version_known_between(client, "3.8", "3.9.1") or is_version_known_between(
        client, "4.0"
    )  # what the pattern is about
    for server in filter(None, servers):
        found = re.fullmatch(r".*?\[?([0-9a-zA-Z\-%._:]*)\]?:([0-9]+)", server)
        if found is None or (is_whole and not re.fullmatch(r"(\w+://)?\[?[\w\-%.:]*\]?:\d+", server)):
            return f"has `{server}`, which has no host with a port"
        if int(found[2]) > 65535:
            return f"has port {found[2]}"
    return ""


def _why_group_refused(client: Client, value: str) -> str:
    """An empty name (KafkaConsumer of 2.2 on; refused by all consumers of KIP-848, and by all of 4.0 and later)."""
    protocol = stated_setting(client, PROTOCOL)
    of_new = (
        protocol is not None
        and protocol.value.strip().lower() == "consumer"
        and is_version_known_between(client, "3.7")
    )
    return "is an empty name" if not value.strip() and (of_new or is_version_known_between(client, "4.0")) else ""


def _why_member_refused(client: Client, value: str) -> str:
    """The name of a static member, which is one of a topic's (KIP-345)."""
    name = value.strip()
    if not is_version_known_between(client, "2.3"):
        return ""
    if not name:
        return "is an empty name"
    if name in (".", "..") or len(name) > LONGEST_NAME or not re.fullmatch(r"[a-zA-Z0-9._\-]+", name):
        return "is no name of a member: letters, digits, `.`, `_` and `-`, 249 at most"
    return ""


def _why_class_refused(client: Client, value: str) -> str:
    for name in (part.strip() for part in value.split(",")):
        since, until = CLASSES.get(name, ("", ""))
        if client.version is not None and not _is_known_to(client, since, until):
            return f"names {name.rpartition('.')[2]}, which {client.version.value} does not have"
    return ""


def _why_partitioner_refused(client: Client, value: str) -> str:
    return _why_class_refused(client, value) if value.strip() else "has no value"


def _why_assignors_refused(client: Client, value: str) -> str:
    """No such class; or, where it did so, one assignor twice (ConsumerPartitionAssignor.getAssignorInstances)."""
    names = [name.strip() for name in value.split(",")]
    word = next((name for name in names if name in WORDS), "")
    protocol = stated_setting(client, PROTOCOL)
    is_new = protocol is not None and protocol.value.strip().lower() == "consumer"
    if word and (not is_new or is_version_known_between(client, "", "3.8")):
        return f"names `{word}`, librdkafka's word, which Java does not know as a class"
    if len(set(names)) < len(names) and is_version_known_between(client, "3.1", "4.2"):
        return "names one assignor twice"
    return _why_class_refused(client, value)


def _no_form(client: Client, value: str) -> str:
    return ""


_FORMS: Mapping[str, Callable[[Client, str], str]] = {
    SERVERS: _why_servers_refused,
    GROUP: _why_group_refused,
    INSTANCE: _why_member_refused,
    STRATEGY: _why_assignors_refused,
    PARTITIONER: _why_partitioner_refused,
}
