"""What the settings of a broker or a controller make of it: `server.properties`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..cluster.cluster import Broker, Role
from ..cluster.statements import Origin, Setting, StatedValue
from .parsed_file import Part

BROKER_MARKS = frozenset(
    {"broker.id", "node.id", "process.roles", "zookeeper.connect", "log.dirs", "log.dir", "controller.quorum.voters"}
)

VERSION_KEYS = {"inter.broker.protocol.version": "inter_broker_protocol"}


def broker_part(path: str, settings: list[Setting], text: str = "") -> Part:
    """A broker's or controller's own file."""
    part = Part("server.properties")
    by_key = {setting.key: setting for setting in settings}
    roles = by_key.get("process.roles")
    part.control_plane = "kraft" if roles else ("zookeeper" if "zookeeper.connect" in by_key else None)
    part.brokers.append(broker_of_settings(settings, Origin(path)))
    for key, fact in VERSION_KEYS.items():
        if key in by_key:
            part.fact(fact, by_key[key].value, by_key[key].origin)
    _note_distribution(part, path, text, settings)
    return part


def broker_of_settings(settings: Sequence[Setting], origin: Origin) -> Broker:
    """A node as its static settings make it. Without `process.roles` it is a broker of ZooKeeper's time."""
    by_key = {setting.key: setting for setting in settings if setting.value}
    number = by_key.get("node.id", by_key.get("broker.id"))
    roles = by_key.get("process.roles")
    rack = by_key.get("broker.rack")
    words = tuple(word.strip() for word in roles.value.split(",")) if roles else ()
    names_of_roles: tuple[Role, ...] = tuple(role for role in ("broker", "controller") if role in words)
    if "zookeeper.connect" in by_key and not words:
        names_of_roles = ("broker",)
    return Broker(
        int(number.value) if number and re.fullmatch(r"\d{1,9}", number.value) else None,
        origin,
        host=advertised_host(by_key),
        rack=StatedValue(rack.value, rack.origin) if rack and "${" not in rack.value else None,
        roles=names_of_roles,
        settings=tuple(settings),
    )


def _note_distribution(part: Part, path: str, text: str, settings: list[Setting]) -> None:
    """Whose Kafka the broker runs. Apache's own sample files say so in their first lines. A managed service does not
    let its customers set a node's id, roles, log directories or quorum: who states these runs the broker, and Apache's
    defaults hold unless a platform's own keys, another file or an option says otherwise."""
    if any(setting.key.startswith("confluent.") for setting in settings):
        return
    if "Licensed to the Apache Software Foundation" in text[:600]:
        assumed = "the file carries Apache's header, so the broker runs Apache Kafka's code"
        part.fact("distribution", "apache", Origin(path, 1), assumed)
        return
    own = next((setting for setting in settings if setting.key in BROKER_MARKS), None)
    if own is not None:
        assumed = f"a file with `{own.key}` is of a broker that you run yourself, and it runs Apache Kafka's code"
        part.fact("distribution_of_own_file", "apache", own.origin, assumed)


def advertised_host(setting_by_key: dict[str, Setting]) -> str | None:
    """The host that a broker advertises to its clients, or None."""
    for key in ("advertised.listeners", "listeners", "advertised.host.name", "host.name"):
        if key in setting_by_key:
            found = re.search(r"(?:^|://)([A-Za-z0-9.\-]+)(?::\d+)?", setting_by_key[key].value)
            if found and found[1] not in ("0.0.0.0", ""):
                return found[1]
    return None
