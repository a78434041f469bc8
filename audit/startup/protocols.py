"""Nodes that do not start for the security protocols of their listeners, or for their control plane.

`KafkaConfig.validateValues`, `effectiveListenerSecurityProtocolMap`, `parseProcessRoles` and
`getControlPlaneListenerNameAndSecurityProtocol` (core/server/KafkaConfig.scala, 2.8.0, 3.3.0, 3.6.0, 3.8.0, 3.9.0),
`EndPoint.createEndPoint`, and `LogManager.createAndValidateLogDirs` (3.9.0). As in `listeners`, what is missing counts
in a `server.properties` alone, and a rule that only some releases have counts where the release is stated.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import replace

from ..cluster.cluster import Broker, Cluster
from ..cluster.listeners import BETWEEN, CONTROLLERS, PROTOCOL, PROTOCOLS, listener_names, written_listener_names
from ..cluster.settings import has_readable_file, readable_settings, stated_settings
from ..cluster.statements import Setting
from ..kafka.keys import KeyName, declared_key, is_false, is_true
from ..kafka.protocol_versions import first_release_with_protocol
from ..kafka.versions import is_at_least
from .listeners import MOST_PORT, Reasons

BROKER_ID = declared_key("broker.id")
LOG_DIR = declared_key("log.dir")
LOG_DIRS = declared_key("log.dirs")
NODE_ID = declared_key("node.id")
REMOTE_LOG_STORAGE_SYSTEM_ENABLE = declared_key("remote.log.storage.system.enable")

ROLES, ZOOKEEPER, MIGRATION = (
    declared_key("process.roles"),
    declared_key("zookeeper.connect"),
    declared_key("zookeeper.metadata.migration.enable"),
)
VOTERS, SERVERS = declared_key("controller.quorum.voters"), declared_key("controller.quorum.bootstrap.servers")
OF_CONTROL_PLANE, EARLY = declared_key("control.plane.listener.name"), declared_key("early.start.listeners")
MECHANISM, MECHANISMS = declared_key("sasl.mechanism.inter.broker.protocol"), declared_key("sasl.enabled.mechanisms")
IBP, ADVERTISED = declared_key("inter.broker.protocol.version"), declared_key("advertised.listeners")
LEGAL = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
"""The security protocols, which are names of listeners that the map has by default (SecurityProtocol)."""

GENERATION, MOST_RESERVED = declared_key("broker.id.generation.enable"), declared_key("reserved.broker.max.id")
RULE = {GENERATION: "true", MOST_RESERVED: "1000"}
"""What says which `broker.id` a node may have with ZooKeeper, with its defaults (KafkaConfig, to 3.9)."""


def protocol_refusals(cluster: Cluster, node: Broker) -> Reasons:
    """Each listener has a security protocol, and brokers use a SASL mechanism among themselves that is enabled."""
    stated = readable_settings(node)
    wrong = list(_wrong_protocols(cluster, stated))
    yield from wrong
    protocols = _protocol_by_listener(cluster, node)
    if wrong or protocols is None:
        return
    yield from _unmapped_listeners(cluster, node, protocols)
    yield from _sasl_mechanism_reasons(cluster, node, protocols)


def _wrong_protocols(cluster: Cluster, stated_settings: dict[str, Setting]) -> Reasons:
    """Protocols that are none (getSecurityProtocol); the one between brokers is in capitals from 3.4 on."""
    exact = _is_release_between(cluster, "3.4", "")
    for key in (PROTOCOLS, PROTOCOL):
        for item in _list_items(stated_settings[key].value) if key in stated_settings else ():
            word = item.rpartition(":")[2].strip()
            if (word if exact and key == PROTOCOL else word.upper()) not in LEGAL:
                yield (
                    f"`{key}` has `{word}`, which is not a security protocol: {', '.join(LEGAL)}",
                    stated_settings[key].origin,
                )
            elif key == PROTOCOLS and ":" not in item:
                yield f"`{key}` has `{item}`, which is not of the form `NAME:PROTOCOL`", stated_settings[key].origin


def _protocol_by_listener(cluster: Cluster, node: Broker) -> dict[str, str] | None:
    """The protocol of each name of a listener, None if nothing says. Without a map of its own a node of KRaft has the
    names of its controllers' listeners too, as PLAINTEXT, unless a listener is called after another protocol."""
    stated, every = readable_settings(node), stated_settings(node)
    if PROTOCOLS in every:
        pairs = (item.rpartition(":") for item in _list_items(stated[PROTOCOLS].value)) if PROTOCOLS in stated else ()
        return {name.strip().upper(): word.strip().upper() for name, _, word in pairs} if PROTOCOLS in stated else None
    if not has_readable_file(cluster, node):
        return None
    protocols = {protocol: protocol for protocol in LEGAL}
    controllers = written_listener_names(stated[CONTROLLERS].value) if CONTROLLERS in stated else set[str]()
    if CONTROLLERS in every and not controllers:
        return None
    listeners = listener_names(stated["listeners"].value) if "listeners" in stated else set[str]()
    if ROLES in every and not (controllers | listeners) & {*LEGAL[1:]}:
        protocols |= dict.fromkeys(controllers, "PLAINTEXT")
    return protocols


def _unmapped_listeners(cluster: Cluster, node: Broker, protocols: dict[str, str]) -> Reasons:
    """Names of listeners that are not in the map (createEndPoint, getInterBrokerListenerNameAndSecurityProtocol,
    validateValues: a broker alone knows the protocol of the controllers' listeners, too)."""
    stated = readable_settings(node)
    keys = ["listeners", ADVERTISED, BETWEEN]
    if node.roles == ("broker",) and ROLES in stated_settings(node):
        keys.append(CONTROLLERS)
    for key in keys:
        where = stated.get(key)
        if where is None or (key in ("listeners", ADVERTISED) and "://" not in where.value):
            continue
        missing = sorted(listener_names(where.value) - protocols.keys())
        if missing:
            yield f"`{key}` has {missing[0]}, and `{PROTOCOLS}` does not say its protocol", where.origin


def _sasl_mechanism_reasons(cluster: Cluster, node: Broker, protocols: dict[str, str]) -> Reasons:
    """Their mechanism is enabled where brokers speak SASL among themselves (validateValues: saslEnabledMechanisms)."""
    stated, every = readable_settings(node), stated_settings(node)
    named, protocol = every.get(BETWEEN), every.get(PROTOCOL)
    if named is not None:
        used = protocols.get(stated[BETWEEN].value.strip().upper(), "") if BETWEEN in stated else ""
    else:
        used = stated[PROTOCOL].value.upper() if PROTOCOL in stated else ""
    of_one = any(key.startswith("listener.name.") and key.endswith(f".{MECHANISMS}") for key in every)
    keys = (MECHANISM, MECHANISMS)
    if not used.startswith("SASL_") or of_one or any(key in every and key not in stated for key in keys):
        return
    if not all(key in every for key in keys) and not has_readable_file(cluster, node):
        return
    mechanism, enabled = (stated[key].value if key in stated else "GSSAPI" for key in keys)
    if mechanism not in _list_items(enabled):
        where = next((stated[key] for key in keys if key in stated), protocol or named)
        if where is not None:
            yield f"brokers use {mechanism} among themselves (`{MECHANISM}`), and `{MECHANISMS}` lacks it", where.origin


def role_refusals(cluster: Cluster, node: Broker) -> Reasons:
    """Roles, each once (parseProcessRoles); without them there is no node since 4.0 (KRaftConfigs: NO_DEFAULT_VALUE),
    or, where they are empty, one that is neither a broker nor a controller (KafkaRaftServer)."""
    stated, every = readable_settings(node), stated_settings(node)
    roles = stated.get(ROLES)
    words = _list_items(roles.value) if roles is not None else []
    if roles is not None and len(words) > len(set(words)):
        yield f"`{ROLES}={roles.value}` has a role twice", roles.origin
    if not _is_release_between(cluster, "4.0", ""):
        return
    if roles is not None and not words and cluster.is_value_empty(replace(roles, value="")):
        yield f"`{ROLES}` is empty: it is neither a broker nor a controller", roles.origin
    given = next((every[key] for key in (ZOOKEEPER, BROKER_ID, NODE_ID) if key in every), None)
    shown = ZOOKEEPER in every or "listeners" in every
    if ROLES not in every and given is not None and shown and has_readable_file(cluster, node):
        yield f"its file has no `{ROLES}`, which 4.0 and later require: migrate to KRaft on 3.9 first", given.origin


def control_plane_refusals(cluster: Cluster, node: Broker) -> Reasons:
    """What a node of KRaft, and one of ZooKeeper's, has and has not."""
    stated, every = readable_settings(node), stated_settings(node)
    roles = stated.get(ROLES)
    if roles is not None and roles.value:
        yield from _kraft_reasons(cluster, node, roles)
    elif ROLES not in every or (roles is not None and not _is_release_between(cluster, "4.0", "")):
        yield from _zookeeper_reasons(cluster, node)
    if ROLES not in every or _value_in_force(cluster, node, MIGRATION, "false") == "true":
        yield from _zookeeper_connect_reasons(cluster, node)
    yield from _log_directory_reasons(cluster, node)
    early, mine = stated.get(EARLY), stated.get("listeners")
    if early is not None and mine is not None and "://" in mine.value and _is_release_between(cluster, "3.3", ""):
        for text in sorted(listener_names(early.value) - listener_names(mine.value)):
            yield f"`{EARLY}` has {text}, which is not one of its `listeners`", early.origin


def _kraft_reasons(cluster: Cluster, node: Broker, roles: Setting) -> Reasons:
    """Controllers to turn to, no listener for ZooKeeper's controller, a protocol from 3.0 on, and listeners apart."""
    stated, every = readable_settings(node), stated_settings(node)
    if OF_CONTROL_PLANE in every and _is_release_between(cluster, "3.3", "4.0"):
        yield f"`{OF_CONTROL_PLANE}` is set, which KRaft does not support", every[OF_CONTROL_PLANE].origin
    protocol = stated.get(IBP)
    if protocol is not None and _is_before_kraft(protocol.value) and _is_release_between(cluster, "3.3", "4.0"):
        yield f"`{IBP}={protocol.value}` is before 3.0-IV1, the first one that KRaft takes", protocol.origin
    yield from _wrong_controller_listeners(cluster, node)
    shown = "listeners" in every and CONTROLLERS in every and has_readable_file(cluster, node)
    if shown:
        yield from _missing_quorum(cluster, every, f"its file has `{ROLES}` and", roles)
    yield from _unreadable_servers(cluster, stated)
    migration = stated.get(MIGRATION)
    migrates = migration is not None and is_true(migration.value) and _is_release_between(cluster, "3.4", "4.0")
    if migration is not None and migrates and ZOOKEEPER not in every and has_readable_file(cluster, node):
        yield f"`{MIGRATION}` is on, and its file has no `{ZOOKEEPER}`", migration.origin


def _missing_quorum(cluster: Cluster, every: Mapping[str, Setting], has: str, where: Setting) -> Reasons:
    """Voters, or since 3.9 servers to ask in their place (KIP-853)."""
    if VOTERS in every and every[VOTERS].value:
        return
    if SERVERS not in every or not every[SERVERS].value:
        yield f"{has} neither `{VOTERS}` nor `{SERVERS}`", where.origin
    elif _is_release_between(cluster, "2.8", "3.9"):
        yield f"{has} no `{VOTERS}`: 3.9 is the first to take `{SERVERS}` in its place", where.origin


def _unreadable_servers(cluster: Cluster, stated_settings: Mapping[str, Setting]) -> Reasons:
    """`host:port`, with commas between (QuorumConfig.parseBootstrapServers, 3.9.0)."""
    servers = stated_settings.get(SERVERS)
    if servers is None or not _is_release_between(cluster, "3.9", ""):
        return
    for text in _list_items(servers.value):
        found = re.fullmatch(r"[^\s:${<]+:(\d+)|\[[0-9a-zA-Z:.%]+\]:(\d+)", text)
        if not re.search(r"[${<]", text) and (found is None or int(found[1] or found[2]) > MOST_PORT):
            yield f"`{SERVERS}` has `{text}`, which is not of the form `host:port`", servers.origin
            return


def _wrong_controller_listeners(cluster: Cluster, node: Broker) -> Reasons:
    """A controller alone has no other listeners, nor brokers' ones; up to 3.8 none of theirs is advertised."""
    stated, every = readable_settings(node), stated_settings(node)
    listeners, advertised, named = (stated.get(key) for key in ("listeners", ADVERTISED, CONTROLLERS))
    if named is None or not named.value:
        return
    theirs = listener_names(named.value)
    before = _is_release_between(cluster, "3.3", "3.9")
    if node.roles == ("controller",):
        others = (
            listener_names(listeners.value) - theirs
            if listeners is not None and "://" in listeners.value
            else set[str]()
        )
        if listeners is not None and others:
            yield (
                f"it is a controller alone, and {min(others)} of its `listeners` is not in `{CONTROLLERS}`",
                listeners.origin,
            )
        if before and ADVERTISED in every:
            yield (
                f"it is a controller alone, and `{ADVERTISED}` is set, which 3.9 is the first to take",
                every[ADVERTISED].origin,
            )
        between = stated.get(BETWEEN)
        if between is not None and listener_names(between.value) & theirs and _is_release_between(cluster, "4.0", ""):
            yield f"it is a controller alone, and `{CONTROLLERS}` has its `{BETWEEN}`", between.origin
    elif before and advertised is not None and theirs & listener_names(advertised.value):
        yield f"`{ADVERTISED}` has a listener of controllers, which 3.9 is the first to take", advertised.origin


def _zookeeper_reasons(cluster: Cluster, node: Broker) -> Reasons:
    """Without roles in KRaft: an ensemble, ids up to the reserved ones, no listeners of controllers, one of its own."""
    stated, every = readable_settings(node), stated_settings(node)
    whole, migration = has_readable_file(cluster, node), every.get(MIGRATION)
    migrates = migration is not None and not is_false(migration.value)
    ids = [stated[key] for key in (BROKER_ID, NODE_ID) if key in stated]
    if _is_release_between(cluster, "4.0", ""):
        return
    if ZOOKEEPER not in every:
        if ids and "listeners" in every and whole:
            yield f"its file has neither `{ROLES}` nor `{ZOOKEEPER}`", ids[0].origin
        return
    yield from _ids_of_zookeeper(cluster, node, ids)
    names = stated.get(CONTROLLERS)
    if names is not None and names.value and not migrates and _is_release_between(cluster, "3.1", "4.0"):
        yield f"`{CONTROLLERS}` is set, but this node does not use KRaft", names.origin
    yield from _control_plane_listener(cluster, node)
    if migrates and whole and migration is not None and _is_release_between(cluster, "3.4", "4.0"):
        yield from _migration_reasons(cluster, node, migration)


def _migration_reasons(cluster: Cluster, node: Broker, migration: Setting) -> Reasons:
    """A broker that migrates knows the controllers, and has a protocol that does (validateValues:
    isMigrationSupported, isDirectoryAssignmentSupported)."""
    stated, every = readable_settings(node), stated_settings(node)
    yield from _missing_quorum(cluster, every, f"`{MIGRATION}` is on, and its file has", migration)
    if CONTROLLERS not in every:
        yield f"`{MIGRATION}` is on, and its file has no `{CONTROLLERS}`", migration.origin
    protocol, directories = stated.get(IBP), stated.get(LOG_DIRS) or stated.get(LOG_DIR)
    if protocol is None or first_release_with_protocol(protocol.value) is None:
        return
    release, _, step = protocol.value.strip().partition("-IV")
    if is_at_least(release, "3.4") is False:
        yield f"`{MIGRATION}` is on, and `{IBP}={protocol.value}` is before 3.4", protocol.origin
    several = (
        directories is not None and len(_list_items(directories.value)) > 1 and _is_release_between(cluster, "3.7", "")
    )
    if several and (is_at_least(release, "3.7") is False or (release == "3.7" and step in ("0", "1"))):
        what = f"`{MIGRATION}` is on with several log directories, and `{IBP}={protocol.value}` is before 3.7-IV2"
        yield what, protocol.origin


def _zookeeper_connect_reasons(cluster: Cluster, node: Broker) -> Reasons:
    """ZooKeeper's client takes the servers that a node is to connect to, and the path below them (ConnectStringParser,
    PathUtils.validatePath, InetSocketAddress)."""
    where = readable_settings(node).get(ZOOKEEPER)
    if where is None or _is_release_between(cluster, "4.0", ""):
        return
    servers, slash, path = where.value.partition("/")
    names = path.split("/") if path else []
    if any(name in ("", ".", "..") for name in names):
        what = "ends with /" if path.endswith("/") and "" not in names[:-1] else "has an empty or a relative name"
        yield f"`{ZOOKEEPER}` has the path {slash}{path}, which ZooKeeper's client refuses: it {what}", where.origin
    for server in _list_items(servers):
        host, _, port = server.rpartition(":")
        is_port = re.fullmatch(r"\+?[0-9]+", port) is not None and int(port) <= MOST_PORT
        if host and not server.endswith("]") and port and not is_port:
            yield f"`{ZOOKEEPER}` has {server}, and {port} is not a port", where.origin


def _ids_of_zookeeper(cluster: Cluster, node: Broker, ids: list[Setting]) -> Reasons:
    """With generation an id is -1 or one of the reserved ones, without it and in a migration 0 or more (validateValues:
    brokerId)."""
    generation, most = (_value_in_force(cluster, node, key, RULE[key]) for key in RULE)
    off = stated_settings(node).get(GENERATION)
    if off is not None and generation == "false" and not ids and not _has_id(node) and has_readable_file(cluster, node):
        yield f"`{GENERATION}=false`, and its file has no `broker.id`", off.origin
    for id_ in ids:
        number = int(id_.value) if re.fullmatch(r"[+-]?[0-9]+", id_.value) else 0
        if number < -1:
            yield f"`{id_.key}={id_.value}` is below -1", id_.origin
        elif generation == "false" and number < 0:
            yield f"`{id_.key}={id_.value}` is below 0, and nodes get no id (`{GENERATION}=false`)", id_.origin
        elif (
            number < 0
            and _value_in_force(cluster, node, MIGRATION, "false") == "true"
            and _is_release_between(cluster, "3.4", "4.0")
        ):
            yield f"`{id_.key}={id_.value}` is below 0 and `{MIGRATION}` is on", id_.origin
        elif generation == "true" and most.isdecimal() and number > int(most):
            yield f"`{id_.key}={id_.value}` is above {most} (`{MOST_RESERVED}`)", id_.origin


def _has_id(node: Broker) -> bool:
    """Whether its files state an id, readable or not."""
    return not stated_settings(node).keys().isdisjoint({BROKER_ID, NODE_ID})


def _value_in_force(cluster: Cluster, node: Broker, key: KeyName, default: str) -> str:
    """What a node has for a key, in small letters; "" where its value is withheld, or an image may have set it."""
    if key in stated_settings(node):
        return readable_settings(node)[key].value.strip().lower() if key in readable_settings(node) else ""
    return default if has_readable_file(cluster, node) else ""


def _control_plane_listener(cluster: Cluster, node: Broker) -> Reasons:
    """ZooKeeper's controller has a listener that is advertised, and that is not the brokers' (validateValues)."""
    stated = readable_settings(node)
    own, every = stated.get(OF_CONTROL_PLANE), stated_settings(node)
    if own is None:
        return
    source = stated.get(ADVERTISED) or (stated.get("listeners") if ADVERTISED not in stated_settings(node) else None)
    if source is not None and "://" in source.value and not listener_names(own.value) <= listener_names(source.value):
        yield f"`{OF_CONTROL_PLANE}={own.value}` is not one of its `{source.key}`", own.origin
    brokers = stated.get(BETWEEN) or stated.get(PROTOCOL)
    default = has_readable_file(cluster, node) and BETWEEN not in every and PROTOCOL not in every
    between = listener_names(brokers.value) if brokers is not None else {"PLAINTEXT"} if default else set[str]()
    if listener_names(own.value) & between:
        yield f"`{OF_CONTROL_PLANE}` and the one between brokers are one listener", own.origin


FIRST_REFUSING = "3.7.1"
"""The first release that asks of a broker with several directories whether the metadata.version has them."""


def lacks_directories(cluster: Cluster) -> bool:
    """Whether it is stated that the metadata.version does not have brokers' directories (KIP-858): they came with
    3.7-IV2 (MetadataVersion.isDirectoryAssignmentSupported)."""
    level = cluster.versions.metadata_version
    if level is None:
        return False
    release, _, step = level.value.strip().partition("-IV")
    return is_at_least(release, "3.7") is False or (bool(re.match(r"v?3\.7\b", release)) and step in ("0", "1"))


def _log_directory_reasons(cluster: Cluster, node: Broker) -> Reasons:
    """No directory twice on a broker (createAndValidateLogDirs), one alone with tiered storage up to 3.7, and from
    3.7.1 on one alone in KRaft where the metadata.version has no others (validateWithMetadataVersion)."""
    stated = readable_settings(node)
    where = stated.get(LOG_DIRS) or stated.get(LOG_DIR)
    if where is None or not node.keeps_topics:
        return
    directories = [posixpath.normpath(item) for item in _list_items(where.value)]
    if len(directories) > len(set(directories)):
        yield f"`{where.key}` has a directory twice", where.origin
    tiered = stated.get(REMOTE_LOG_STORAGE_SYSTEM_ENABLE)
    if (
        len(directories) > 1
        and tiered is not None
        and is_true(tiered.value)
        and _is_release_between(cluster, "3.6", "3.8")
    ):
        yield f"`{where.key}` has several directories, which tiered storage does not support before 3.8", where.origin
    refusing = (
        cluster.control_plane == "kraft"
        and _is_release_between(cluster, FIRST_REFUSING, "")
        and lacks_directories(cluster)
    )
    level = cluster.versions.metadata_version
    if len(directories) > 1 and refusing and level is not None:
        what = f"`{where.key}` has several directories, and metadata.version is {level.value} ({level.origin}), below"
        yield f"{what} 3.7-IV2, the first that has them", where.origin


def advertised_extra(node: Broker) -> Reasons:
    """What a broker advertises is among its listeners (validateValues: subsetOf); those of controllers do not count."""
    stated, every = readable_settings(node), stated_settings(node)
    listeners, advertised = stated.get("listeners"), stated.get(ADVERTISED)
    if listeners is None or advertised is None or "://" not in listeners.value or not node.keeps_topics:
        return
    if CONTROLLERS in every and CONTROLLERS not in stated:
        return
    theirs = listener_names(stated[CONTROLLERS].value) if CONTROLLERS in stated else set[str]()
    extra = listener_names(advertised.value) - listener_names(listeners.value) - theirs
    if extra:
        yield f"`{ADVERTISED}` has {min(extra)}, which is not one of its `listeners`", advertised.origin


def _is_before_kraft(protocol: str) -> bool:
    """Whether an inter.broker.protocol.version is before 3.0-IV1 (MetadataVersion.MINIMUM_KRAFT_VERSION)."""
    found = re.fullmatch(r"(\d+)\.\d+(?:\.\d+)*(?:-IV\d+)?", protocol.strip())
    return found is not None and (int(found[1]) < 3 or protocol.strip() == "3.0-IV0")


def _is_release_between(cluster: Cluster, since: str, until: str) -> bool:
    """Whether the release is stated, and is one from `since` on and before `until` ("": of any later one)."""
    kafka = cluster.versions.kafka
    if kafka is None or is_at_least(kafka.value, since) is not True:
        return False
    return not until or is_at_least(kafka.value, until) is False


def _list_items(text: str) -> list[str]:
    """The parts of a list, without blanks (Csv.parseCsvList)."""
    return [entry.strip() for entry in text.split(",") if entry.strip()]
