"""On which hosts the nodes of a cluster stand, as far as the addresses in their own files show.

Two nodes that bind one address stand on one host, and so do two brokers that the others are to reach under
one name. An address of every interface says nothing. A loopback address says that whoever uses it stands there:
brokers that reach each other at it, and the controllers that all of them reach at it, are on one host.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from ipaddress import ip_address

from .cluster import Broker, Setting
from .listeners import BETWEEN, PROTOCOL, entries, readable

LOOPBACK = "localhost"
"""The name of every loopback address."""

Server = tuple[str, str | None]
"""A ZooKeeper server as `zookeeper.connect` names it, with its port, and the host that it shares, if any."""


def placed(brokers: Sequence[Broker]) -> tuple[tuple[Broker, ...], tuple[Server, ...]]:
    """The nodes, each with the host that it shares with another node or a ZooKeeper server as its `machine`, and the
    ZooKeeper servers. A node of which something else says where it stands keeps that; one broker shares with none,
    since its file may stand for several."""
    servers = _zookeepers(brokers)
    if sum(1 for broker in brokers if broker.keeps_topics) < 2:
        return tuple(brokers), tuple((server, None) for server in servers)
    open_ = [broker for broker in brokers if broker.machine is None and broker.pod is None]
    own = [_names(broker, open_) for broker in open_]
    hosts = _shared([*own, *(frozenset(filter(None, [host_of(server)])) for server in servers)])
    found = {id(broker): host for broker, host in zip(open_, hosts, strict=False)}
    nodes = tuple(replace(broker, machine=found.get(id(broker), broker.machine)) for broker in brokers)
    return nodes, tuple(zip(servers, hosts[len(own) :], strict=True))


def host_of(address: str) -> str:
    """The host of an address with a port, as `_plain` writes it."""
    return _plain(re.sub(r":\d+$", "", address.strip()))


def _plain(host: str) -> str:
    """A host in small letters, every loopback address under one name; "" where it is every interface, or none."""
    text = host.strip().strip("[]").rstrip(".").lower()
    try:
        number = ip_address(text)
    except ValueError:
        return text
    if number.is_unspecified:
        return ""
    return LOOPBACK if number.is_loopback else text


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


def _zookeepers(brokers: Iterable[Broker]) -> tuple[str, ...]:
    """All that brokers name; none of pods, for which one name may be a service with several servers behind it."""
    stated = [readable(broker).get("zookeeper.connect") for broker in brokers if broker.pod is None]
    return tuple(dict.fromkeys(name for setting in stated if setting for name in zookeeper_servers(setting)))


def _names(node: Broker, nodes: Sequence[Broker]) -> frozenset[str]:
    """Every name that a host has by what is written of a node that stands there."""
    return frozenset(filter(None, [*_bound(node), *_reached(node), *_votes(node, nodes)]))


def _bound(node: Broker) -> Iterator[str]:
    """The addresses that it binds. A loopback address alone says nothing: each host has one."""
    stated = readable(node)
    hosts = [host for _, host, _ in entries(stated["listeners"])] if "listeners" in stated else []
    hosts += [stated["host.name"].value] if "host.name" in stated else []
    yield from (host for host in map(_plain, hosts) if host != LOOPBACK)


def _reached(node: Broker) -> Iterator[str]:
    """Where the other brokers reach it. Clients may reach several brokers at one address, such as a load balancer's."""
    stated = readable(node)
    source = stated.get("advertised.listeners", stated.get("listeners"))
    if source is None or not node.keeps_topics:
        return
    named = stated.get(BETWEEN) or stated.get(PROTOCOL)
    wanted = "PLAINTEXT" if named is None else named.value.strip().upper()
    yield from (_plain(host) for name, host, _ in entries(source) if name.upper() == wanted)


def _votes(node: Broker, nodes: Sequence[Broker]) -> Iterator[str]:
    """Where the others reach it as a controller; and its own host where it reaches all of them at a loopback."""
    for other in nodes:
        voters = _voters(other)
        alone = {host for _, host in voters} == {LOOPBACK}
        among_others = {voter for voter, _ in voters} != {other.id}
        for voter, host in voters:
            here = voter == node.id or (alone and other is node)
            if here and (host != LOOPBACK or (alone and among_others)):
                yield host


def _voters(node: Broker) -> list[tuple[int, str]]:
    setting = readable(node).get("controller.quorum.voters")
    found = re.findall(r"(?:^|,)\s*(\d{1,9})@([^,@]+)", setting.value) if setting is not None else []
    return [(int(voter), host_of(address)) for voter, address in found]


def _shared(named: Sequence[frozenset[str]]) -> list[str | None]:
    """For the names of each of several nodes the host that it shares with another one; None where it shares none."""
    hosts: list[frozenset[str]] = []
    for names in named:
        same = [host for host in hosts if host & names]
        hosts = [host for host in hosts if host not in same] + [names.union(*same)]
    found = [next((min(host) for host in hosts if host & names), None) for names in named]
    held = Counter(found)
    return [host if host is not None and held[host] > 1 else None for host in found]
