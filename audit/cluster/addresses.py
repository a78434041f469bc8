"""On which hosts the nodes of a cluster stand, as far as the addresses in their own files show.

Two nodes that bind one address stand on one host, and so do two brokers that the others are to reach under
one name. An address of every interface says nothing. A loopback address says that whoever uses it stands there:
brokers that reach each other at it, and the controllers or ZooKeeper servers that all of them reach at it, are on one
host. A name without a domain is that of the one name with a domain that begins with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from ipaddress import IPv6Address, ip_address

from ..kafka.keys import declared_key
from . import pods
from .cluster import Broker, Cluster, Quorum
from .listeners import BETWEEN, PROTOCOL, listener_entries
from .settings import readable_settings
from .statements import Setting

ADVERTISED_HOST_NAME = declared_key("advertised.host.name")
ADVERTISED_LISTENERS = declared_key("advertised.listeners")
CONTROLLER_QUORUM_BOOTSTRAP_SERVERS = declared_key("controller.quorum.bootstrap.servers")
CONTROLLER_QUORUM_VOTERS = declared_key("controller.quorum.voters")
HOST_NAME = declared_key("host.name")
ZOOKEEPER_CONNECT = declared_key("zookeeper.connect")

LOOPBACK = "localhost"
"""The name of every loopback address."""

_NAMED_LOOPBACK = re.compile(r"(ip6-)?localhost|ip6-loopback|localhost[46](\.localdomain[46])?|(.+\.)?localhost"
                             r"|localhost\.localdomain")  # fmt: skip
"""Names of it that hosts have in their own tables, or that always are its names (RFC 6761)."""

Server = tuple[str, str | None]
"""A ZooKeeper server as `zookeeper.connect` names it, with its port, and the host that it shares, if any."""


def place_on_hosts(
    brokers: Sequence[Broker], quorum: Quorum | None, ensemble: Sequence[str] = ()
) -> tuple[tuple[Broker, ...], tuple[Server, ...]]:
    """The nodes, each with the host that it shares with another node or a ZooKeeper server as its `machine`, and the
    ZooKeeper servers. A container in a network of its own stands where its file says. `ensemble` are the servers that
    ZooKeeper's own file lists, if it was given: brokers need not name all of them, and may name some that do not vote.
    """
    servers = tuple(dict.fromkeys(ensemble)) or _zookeeper_addresses(brokers)
    open_ = [broker for broker in brokers if _is_addressed(broker)]
    own = [host_names_of_node(broker, open_, quorum) | frozenset(filter(None, [broker.machine])) for broker in open_]
    hosts = _shared_hosts([*own, *(frozenset(filter(None, [host_of_address(server)])) for server in servers)])
    found = {id(broker): host or broker.machine for broker, host in zip(open_, hosts, strict=False)}
    nodes = tuple(replace(broker, machine=found.get(id(broker), broker.machine)) for broker in brokers)
    return nodes, tuple(zip(servers, hosts[len(own) :], strict=True))


def _is_addressed(broker: Broker) -> bool:
    """Whether its addresses are its host's, so that they say where it stands."""
    return broker.pod is None and (broker.machine is None or broker.network == "host")


def conflicting_loopbacks(brokers: Sequence[Broker]) -> tuple[Setting, Setting] | None:
    """Two statements of `zookeeper.connect` at a loopback, by brokers that stand on different hosts: each names another
    server. None where there are no such."""
    local: dict[str, Setting] = {}
    for broker in brokers:
        setting = readable_settings(broker).get(ZOOKEEPER_CONNECT)
        names = host_names_of_node(broker, brokers) - {LOOPBACK}
        if setting is not None and names and {*map(host_of_address, zookeeper_servers(setting))} == {LOOPBACK}:
            local.setdefault(broker.machine or min(names), setting)
    found = list(local.values())
    return (found[0], found[1]) if len(found) > 1 else None


def host_of_address(address: str) -> str:
    """The host of an address with a port, as `plain` writes it."""
    return plain_host(re.sub(r":\d+$", "", address.strip()))


def plain_host(host: str) -> str:
    """A host in small letters, an address in one spelling, every loopback address under one name; "" where it is every
    interface, or none."""
    text = host.strip().strip("[]").rstrip(".").lower()
    try:
        number = ip_address(text)
    except ValueError:
        return LOOPBACK if _NAMED_LOOPBACK.fullmatch(text) else text
    number = number.ipv4_mapped or number if isinstance(number, IPv6Address) else number
    if number.is_unspecified:
        return ""
    return LOOPBACK if number.is_loopback else str(number)


def zookeeper_servers(setting: Setting) -> tuple[str, ...]:
    """The servers that a `zookeeper.connect` names, each once, with their ports."""
    return servers_and_path(setting.value, 2181)[0]


def servers_and_path(text: str, port: int | None) -> tuple[tuple[str, ...], str]:
    """The servers of an address list, each once, with `port` where none is written and there is one to assume; and the
    path below them, which is what follows the first slash."""
    servers, _, path = text.partition("/")
    named = (server.strip() for server in servers.split(",") if server.strip())
    whole = (name if port is None or re.search(r":\d+$", name) else f"{name}:{port}" for name in named)
    return tuple(dict.fromkeys(whole)), path.strip().strip("/")


def _zookeeper_addresses(brokers: Iterable[Broker]) -> tuple[str, ...]:
    """All that brokers name, one that has several names once; none of pods, for which one name may be a service with
    several servers behind it."""
    stated = [readable_settings(broker).get(ZOOKEEPER_CONNECT) for broker in brokers if broker.pod is None]
    named = dict.fromkeys(name for setting in stated if setting for name in zookeeper_servers(setting))
    whole = _qualified_names(frozenset(map(host_of_address, named)))
    same: dict[tuple[str, str], str] = {}
    for name in named:
        same.setdefault((whole.get(host_of_address(name), host_of_address(name)), name.rpartition(":")[2]), name)
    return tuple(same.values())


def host_names_of_node(node: Broker, nodes: Sequence[Broker], quorum: Quorum | None = None) -> frozenset[str]:
    """Every name that a host has by what is written of a node that stands there; `LOOPBACK` for the host of all who
    reach one another there."""
    endpoints = dict(quorum.hosts) if quorum is not None else {}
    voting = [plain_host(host) for voter, host in endpoints.items() if voter == node.id]
    alone = len(endpoints) > 1 and {*map(plain_host, endpoints.values())} == {LOOPBACK}
    voting = [host for host in voting if alone or host != LOOPBACK]
    own = frozenset(filter(None, [*_bound_hosts(node), *_advertised_hosts(node), *voting]))
    votes = frozenset(filter(None, _voter_hosts_of_node(node, nodes)))
    found = own | (votes - {LOOPBACK} if own - {LOOPBACK} else votes)  # a host of its own name is not all others' host
    return found or frozenset(_loopback_for_contacts(node))


def _loopback_for_contacts(node: Broker) -> Iterator[str]:
    """The loopback, where it reaches nothing but that to find the others, and is not itself what it finds there."""
    for key in (ZOOKEEPER_CONNECT, CONTROLLER_QUORUM_BOOTSTRAP_SERVERS):
        setting = readable_settings(node).get(key)
        servers = servers_and_path(setting.value, None)[0] if setting is not None else ()
        listeners = readable_settings(node).get("listeners")
        mine = {port for _, _, port in listener_entries(listeners)} if listeners is not None else set[int]()
        asked = {int(found[0]) if (found := re.findall(r":(\d+)$", server)) else 0 for server in servers}
        if servers and {*map(host_of_address, servers)} == {LOOPBACK} and not asked & mine:
            yield LOOPBACK


def _bound_hosts(node: Broker) -> Iterator[str]:
    """The addresses that it binds. A loopback address alone says nothing: each host has one."""
    stated = readable_settings(node)
    hosts = [host for _, host, _ in listener_entries(stated["listeners"])] if "listeners" in stated else []
    hosts += [stated[HOST_NAME].value] if HOST_NAME in stated else []
    yield from (host for host in map(plain_host, hosts) if host != LOOPBACK)


def _advertised_hosts(node: Broker) -> Iterator[str]:
    """Where the other brokers reach it. Clients may reach several brokers at one address, such as a load balancer's."""
    stated = readable_settings(node)
    source = stated.get(ADVERTISED_LISTENERS, stated.get("listeners"))
    if not node.keeps_topics:
        return
    if source is None:
        yield from (plain_host(stated[key].value) for key in (ADVERTISED_HOST_NAME, HOST_NAME) if key in stated)
        return
    named = stated.get(BETWEEN) or stated.get(PROTOCOL)
    wanted = "PLAINTEXT" if named is None else named.value.strip().upper()
    yield from (plain_host(host) for name, host, _ in listener_entries(source) if name.upper() == wanted)


def _voter_hosts_of_node(node: Broker, nodes: Sequence[Broker]) -> Iterator[str]:
    """Where the others reach it as a controller; and its own host where it reaches all of them at a loopback."""
    for other in nodes:
        voters = _listed_voters(other)
        alone = {host for _, host in voters} == {LOOPBACK}
        among_others = {voter for voter, _ in voters} != {other.id}
        for voter, host in voters:
            here = voter == node.id or (alone and other is node)
            if here and (host != LOOPBACK or (alone and among_others)):
                yield host


def _listed_voters(node: Broker) -> list[tuple[int, str]]:
    setting = readable_settings(node).get(CONTROLLER_QUORUM_VOTERS)
    found = re.findall(r"(?:^|,)\s*(\d{1,9})@([^,@]+)", setting.value) if setting is not None else []
    return [(int(voter), host_of_address(address)) for voter, address in found]


def _shared_hosts(name_sets: Sequence[frozenset[str]]) -> list[str | None]:
    """For the names of each of several nodes the host that it shares with another one; None where it shares none."""
    whole = _qualified_names(frozenset[str]().union(*name_sets))
    of_nodes = [frozenset(whole.get(name, name) for name in names) for names in name_sets]
    hosts: list[frozenset[str]] = []
    for names in of_nodes:
        same = [host for host in hosts if host & names]
        hosts = [host for host in hosts if host not in same] + [names.union(*same)]
    found = [next((min(host) for host in hosts if host & names), None) for names in of_nodes]
    held = Counter(found)
    return [host if host is not None and held[host] > 1 else None for host in found]


def _qualified_names(names: frozenset[str]) -> dict[str, str]:
    """For a name without a domain the one name with a domain that begins with it."""
    dotted = [name for name in sorted(names) if re.fullmatch(r"[^.:]*[^.:\d][^.:]*\..+", name)]
    found = {name: [other for other in dotted if other.startswith(f"{name}.")] for name in names if "." not in name}
    return {name: others[0] for name, others in found.items() if len(others) == 1}


# --- what names and addresses leave open ------------------------------------------------------------------------------

Named = tuple[str, frozenset[str]]
"""Something that stands on a host, in words, and what its host is called."""


def address_and_name_pairs(
    nodes: Sequence[Broker], servers: Sequence[Server], quorum: Quorum | None = None
) -> tuple[list[tuple[Named, Named]], list[tuple[Named, Named]]]:
    """Pairs of which one is known by addresses alone and the other by names alone, so that they may be on one host,
    and a ZooKeeper server that is listed twice: those of one kind, and those of two kinds, the first of each."""
    open_ = [node for node in nodes if _is_addressed(node)]
    of_nodes = [(node, host_names_of_node(node, open_, quorum) - {LOOPBACK}) for node in open_]
    kinds = [
        [(f"broker {node.id}", names) for node, names in of_nodes if node.keeps_topics],
        [(f"controller {node.id}", names) for node, names in of_nodes if not node.keeps_topics],
        [(f"ZooKeeper server {server}", frozenset([host_of_address(server)]) - {LOOPBACK}) for server, _ in servers],
    ]
    within = [pair for kind in kinds if (pair := _first_address_and_name(kind, kind)) is not None]
    between = (_first_address_and_name(*pair) for pair in ((kinds[0], kinds[1]), (kinds[0], kinds[2])))
    return within, [pair for pair in between if pair is not None]


def _first_address_and_name(some: Sequence[Named], others: Sequence[Named]) -> tuple[Named, Named] | None:
    """One that is known by an address alone, and one by a name alone."""
    for numbers, names in ((some, others), (others, some)):
        number = next((one for one in numbers if one[1] and all(map(_is_number, one[1]))), None)
        name = next((one for one in names if one[1] and not any(map(_is_number, one[1]))), None)
        if number is not None and name is not None:
            return number, name
    return None


def _is_number(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def servers_named_by_pods(cluster: Cluster) -> set[str]:
    """The ZooKeeper servers that pods of brokers name."""
    stated = [
        setting
        for broker in cluster.topic_keepers
        if broker.pod is not None
        for setting in broker.settings
        if setting.key == ZOOKEEPER_CONNECT and "$" not in setting.value
    ]
    return {server for setting in stated for server in zookeeper_servers(setting)}


def node_address_assumptions(cluster: Cluster) -> tuple[str, ...]:
    """What is taken for granted of the nodes of pods."""
    servers = servers_named_by_pods(cluster) or (cluster.zookeepers if broker_pods(cluster) else ())
    apart = "ZooKeeper's servers are on nodes of their own, apart from the brokers" if servers else ""
    return tuple(filter(None, (pods.spread_assumption(broker_pods(cluster)), apart)))


def broker_pods(cluster: Cluster) -> Sequence[pods.Pod]:
    """The pods of brokers that keep topics."""
    return [broker.pod for broker in cluster.brokers if broker.keeps_topics and broker.pod is not None]
