"""Nodes that do not start for what their listeners, or their ids, are together.

Each line says where Kafka refuses it: `KafkaConfig.validateValues` and its helpers (core/server/KafkaConfig.scala,
2.8.0, 3.3.0, 3.6.0, 3.9.0), `CoreUtils.listenerListToEndPoints` (core/utils/CoreUtils.scala, 2.8.0, 3.9.0), and
`QuorumConfig.parseVoterConnections` (raft, 3.9.0). What an image or an operator adds to what it is given is not known:
so what is missing counts in a `server.properties` alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from ipaddress import ip_address

from ..cluster.cluster import Broker, Cluster
from ..cluster.listeners import BETWEEN, CONTROLLERS, PROTOCOL, listener_entries, listener_names, written_listener_names
from ..cluster.settings import has_readable_file, readable_settings, stated_settings
from ..cluster.statements import Origin, Setting
from ..kafka.keys import declared_key, is_true
from ..kafka.versions import is_at_least

ADVERTISED_LISTENERS = declared_key("advertised.listeners")
BROKER_ID = declared_key("broker.id")
CONTROLLER_QUORUM_BOOTSTRAP_SERVERS = declared_key("controller.quorum.bootstrap.servers")
AUTO_JOIN = declared_key("controller.quorum.auto.join.enable")
CONTROLLER_QUORUM_VOTERS = declared_key("controller.quorum.voters")
NODE_ID = declared_key("node.id")
PROCESS_ROLES = declared_key("process.roles")

LOG_DIRS, IDS = declared_key("log.dirs"), (NODE_ID, BROKER_ID)
MOST_PORT = 65535

Reasons = Iterator[tuple[str, Origin]]
"""Why a node does not start, and where that is set."""


def identity_refusals(cluster: Cluster, node: Broker) -> Reasons:
    """Its id: KRaft's nodes need one, and `broker.id` is the same (populateSynonyms, validateValues: nodeId)."""
    stated = stated_settings(node)
    ids = [stated[key] for key in (NODE_ID, BROKER_ID) if key in stated]
    roles = stated.get(PROCESS_ROLES)
    if roles is not None and roles.value and not ids and has_readable_file(cluster, node):
        yield (
            "its file has `process.roles` and no `node.id` (give it here too if the command line sets it)",
            roles.origin,
        )
    for id_ in ids:
        if roles is not None and re.fullmatch(r"-\d+", id_.value):
            yield f"`{id_.key}={id_.value}` is not a valid id in KRaft", id_.origin
    if len(ids) == 2 and all(id_.value.isdecimal() for id_ in ids) and int(ids[0].value) != int(ids[1].value):
        yield f"`node.id={ids[0].value}` and `broker.id={ids[1].value}` are two ids", ids[1].origin


def _joining_reasons(cluster: Cluster, node: Broker) -> Reasons:
    """Since 4.2 only a controller may join the quorum by itself (validateValues: quorumConfig.autoJoin)."""
    joins, kafka = stated_settings(node).get(AUTO_JOIN), cluster.versions.kafka
    knows = kafka is not None and is_at_least(kafka.value, "4.2") is True
    if node.roles == ("broker",) and knows and joins is not None and is_true(joins.value):
        yield f"it is a broker alone, and `{AUTO_JOIN}` is for controllers", joins.origin


def listener_refusals(cluster: Cluster, node: Broker) -> Reasons:
    """What is wrong with its listeners, by themselves and with what names them."""
    yield from _joining_reasons(cluster, node)
    yield from _missing_listener_reasons(cluster, node)
    stated = readable_settings(node)
    voters = stated.get(CONTROLLER_QUORUM_VOTERS)
    if voters is not None and voters.value:
        yield from _voter_list_reasons(cluster, voters)
    advertised, listeners = stated.get(ADVERTISED_LISTENERS), stated.get("listeners")
    if advertised is not None:
        yield from _advertised_reasons(advertised, "`advertised.listeners`")
    if listeners is not None and has_readable_file(cluster, node):
        yield from _unreadable_listeners(listeners)
    if listeners is None or "://" not in listeners.value:
        return
    yield from _duplicate_listener_reasons(cluster, listeners)
    yield from _controller_listener_reasons(cluster, node, listeners, stated)
    if "broker" not in node.roles and PROCESS_ROLES in stated:
        return
    controllers = listener_names(stated[CONTROLLERS].value) if CONTROLLERS in stated else set[str]()
    if advertised is None and ADVERTISED_LISTENERS not in stated_settings(node) and has_readable_file(cluster, node):
        yield from _advertised_reasons(listeners, "`listeners`, which are advertised,", controllers)
    yield from _broker_listener_reasons(cluster, node, listeners, stated, controllers)


def _missing_listener_reasons(cluster: Cluster, node: Broker) -> Reasons:
    """A node of KRaft names the controllers' listeners, and a controller has them: without `listeners` it has one for
    brokers alone (validateValues: controllerListenerNames, controllerListeners)."""
    stated, every = readable_settings(node), stated_settings(node)
    named, roles = stated.get(CONTROLLERS), stated.get(PROCESS_ROLES)
    if roles is None or not roles.value:
        return
    if _lacks_all_of_controllers(cluster, node):
        yield f"it is a controller, and has neither `{CONTROLLERS}` nor `listeners`", roles.origin
    if named is None:
        return
    if not named.value.strip(" ,") and cluster.is_value_empty(replace(named, value="")):
        yield f"it is a node in KRaft, and `{CONTROLLERS}` names no listener", named.origin
        return
    default = "broker" not in node.roles and listener_names(named.value) == {"PLAINTEXT"}
    if "controller" in node.roles and "listeners" not in every and not default and has_readable_file(cluster, node):
        yield f"it is a controller, and its file has no `listeners` for `{CONTROLLERS}`", named.origin


def _lacks_all_of_controllers(cluster: Cluster, node: Broker) -> bool:
    """Whether a controller alone has no listener and no name of one, where its file has all else that it needs: of a
    part of a file that says nothing."""
    every = stated_settings(node)
    quorum = CONTROLLER_QUORUM_VOTERS in every or CONTROLLER_QUORUM_BOOTSTRAP_SERVERS in every
    shown = node.roles == ("controller",) and quorum and LOG_DIRS in every and not every.keys().isdisjoint(IDS)
    if not shown or CONTROLLERS in every or "listeners" in every:
        return False
    return has_readable_file(cluster, node) or _is_set_by_apache_image_alone(cluster, node)


def _is_set_by_apache_image_alone(cluster: Cluster, node: Broker) -> bool:
    """Whether variables of Apache's image are all that a node is started with, to which the image adds no listener of a
    controller (its script `configure`, KafkaDockerWrapper)."""
    owner = cluster.versions.distribution
    of_image = owner is not None and owner.value == "apache" and bool(node.settings)
    return of_image and all("KAFKA_" in setting.origin.place and not setting.when for setting in node.settings)


def _unreadable_listeners(listeners: Setting) -> Reasons:
    """`NAME://host:port`, with commas between (EndPoint.createEndPoint, and since 4.0 SocketServerConfigs)."""
    for text in listeners.value.split(","):
        if text.strip() and re.fullmatch(r"[^${<]*", text) and not listener_entries(replace(listeners, value=text)):
            yield f"`listeners` has `{text.strip()}`, which is not of the form `NAME://host:port`", listeners.origin
            return


def _voter_list_reasons(cluster: Cluster, voters: Setting) -> Reasons:
    """`{id}@{host}:{port}`, with commas between (parseVoterConnections), and since 3.8 no host that is every one
    (KafkaRaftServer, QuorumConfig.NON_ROUTABLE_HOST)."""
    kafka = cluster.versions.kafka
    for text in voters.value.split(","):
        if not re.fullmatch(r"\s*\d+@[^@]+:\d+\s*", text):
            yield f"`{voters.key}` has `{text.strip()}`, which is not of the form `id@host:port`", voters.origin
            return
        port = int(text.rpartition(":")[2])
        if port > MOST_PORT:
            yield f"`{voters.key}` has `{text.strip()}`, and {port} is not a port", voters.origin
            return
        if "@0.0.0.0:" in text and kafka is not None and is_at_least(kafka.value, "3.8"):
            yield f"`{voters.key}` has `{text.strip()}`, and 0.0.0.0 is no address to reach a voter at", voters.origin
            return


def _duplicate_listener_reasons(cluster: Cluster, listeners: Setting) -> Reasons:
    """Names and ports are different (CoreUtils.validate). Since 3.6 exactly two may share a port, one at an IPv4 and
    one at an IPv6 address (KAFKA-13299). Port 0 is any."""
    names = Counter(name.upper() for name, _, _ in listener_entries(listeners))
    hosts: dict[int, list[str]] = {}
    for _, host, port in listener_entries(listeners):
        hosts.setdefault(port, []).append(host)
    for name in (name for name, many in names.items() if many > 1):
        yield f"two of its `listeners` have the name {name}", listeners.origin
    kafka = cluster.versions.kafka
    pairs = kafka is None or is_at_least(kafka.value, "3.6") is not False
    for port, of_port in hosts.items():
        if port and len(of_port) > 1 and not (pairs and sorted(map(_address_family, of_port)) == [4, 6]):
            yield f"two of its `listeners` have the port {port}", listeners.origin


def _address_family(host: str) -> int:
    """4 or 6, of an address; 0 of a name, or of no host."""
    try:
        return ip_address(host).version
    except ValueError:
        return 0


def _advertised_reasons(setting: Setting, what: str, but: set[str] | None = None) -> Reasons:
    """0.0.0.0 is no address to be reached at (validateValues: effectiveAdvertisedBrokerListeners)."""
    for name, host, _ in listener_entries(setting):
        if host == "0.0.0.0" and name.upper() not in (but or ()):
            yield f"{what} have 0.0.0.0, at which no client can reach it", setting.origin
            return


def _controller_listener_reasons(
    cluster: Cluster, node: Broker, listeners: Setting, setting_by_key: Mapping[str, Setting]
) -> Reasons:
    """The controllers' listeners are among those of a controller and not among those of a broker alone. Names in
    `listeners` are put into capitals, those of controllers are compared as they are written (controllerListenerNames,
    2.8 to 4.3). Each node of KRaft names one, a controller at least one of its own (validateValues, 3.3 to 4.3:
    validateAdvertisedControllerListenersNonEmptyForKRaftController)."""
    controllers, mine = setting_by_key.get(CONTROLLERS), listener_names(listeners.value)
    if controllers is not None:
        also = mine & listener_names(controllers.value)
        if "controller" in node.roles and not also:
            yield f"it is a controller, and `{CONTROLLERS}` names none of its `listeners`", controllers.origin
        elif "controller" in node.roles:
            yield from _missing_controller_listener_reasons(cluster, controllers, mine)
        if node.roles == ("broker",) and also:
            yield f"it is a broker alone, and `{CONTROLLERS}` names one of its `listeners`", listeners.origin
    every = stated_settings(node)
    quorum = CONTROLLER_QUORUM_VOTERS in every or CONTROLLER_QUORUM_BOOTSTRAP_SERVERS in every
    controls = "controller" in node.roles
    if PROCESS_ROLES not in every or CONTROLLERS in every or listeners.origin.place:
        return
    if controls or (node.roles == ("broker",) and quorum):
        what = "controller" if controls else "broker in KRaft"
        yield f"it is a {what}, and its file has no `{CONTROLLERS}`", listeners.origin


def _missing_controller_listener_reasons(cluster: Cluster, controllers: Setting, mine: set[str]) -> Reasons:
    """All of the controllers' listeners are among a controller's own; up to 4.0 a blank after a comma counts
    (controllerListenerNames, which Csv.parseCsvList reads since 4.1)."""
    others = sorted(listener_names(controllers.value) - mine)
    kafka = cluster.versions.kafka
    if others:
        yield (
            f"it is a controller, and `{CONTROLLERS}` has {others[0]}, which is not one of its `listeners`",
            (controllers.origin),
        )
    elif not written_listener_names(controllers.value) <= mine:
        yield (
            f"it is a controller, and `{CONTROLLERS}` is not as its `listeners` have it, in capitals",
            controllers.origin,
        )
    elif kafka is not None and is_at_least(kafka.value, "4.1") is False:
        for name in controllers.value.strip().split(","):
            if name != name.strip():
                yield (
                    f"`{CONTROLLERS}` has a blank beside {name.strip()}, which 4.1 is the first to take",
                    (controllers.origin),
                )
                return


def _broker_listener_reasons(
    cluster: Cluster, node: Broker, listeners: Setting, setting_by_key: Mapping[str, Setting], controllers: set[str]
) -> Reasons:
    """The listener between brokers is one that is advertised (getInterBrokerListenerNameAndSecurityProtocol)."""
    every = stated_settings(node)
    named, protocol = every.get(BETWEEN), every.get(PROTOCOL)
    if named is not None and protocol is not None:
        yield f"`{BETWEEN}` and `{PROTOCOL}` are both set", named.origin
    source = setting_by_key.get(ADVERTISED_LISTENERS, listeners)
    if ADVERTISED_LISTENERS in every and ADVERTISED_LISTENERS not in setting_by_key:
        return
    mine = listener_names(source.value)
    if named is not None:
        if BETWEEN in setting_by_key and not (
            mine - controllers if "controller" in node.roles else mine
        ) & listener_names(named.value):
            yield f"`{BETWEEN}={named.value}` is not one of its `{source.key}`", named.origin
        return
    if protocol is not None and PROTOCOL not in setting_by_key:
        return
    wanted = protocol.value.strip().upper() if protocol is not None else "PLAINTEXT"
    if wanted not in mine - controllers and has_readable_file(cluster, node):
        yield f"`{source.key}` have no {wanted}, and no `{BETWEEN}` names another one for brokers", source.origin
