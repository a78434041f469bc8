"""What `audit.toml` states of racks, put at the nodes and ZooKeeper servers that it names, by host or by id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..cluster.addresses import Server, host_names_of_node, host_of_address
from ..cluster.cluster import Broker, Quorum
from ..cluster.findings import Finding
from ..cluster.statements import StatedValue
from ..readers.parsed_file import Part


def place_in_racks(
    parts: Sequence[Part], brokers: Sequence[Broker], servers: Sequence[Server], quorum: Quorum | None
) -> tuple[tuple[Broker, ...], dict[str, StatedValue], list[Finding]]:
    """The nodes with their racks, the racks of ZooKeeper's servers, and what does not fit."""
    stated = {host_of_address(name): rack for part in parts for name, rack in part.racks.items()}
    if not stated:
        return tuple(brokers), {}, []
    findings: list[Finding] = []
    of_servers = {server: stated[host_of_address(server)] for server, _ in servers if host_of_address(server) in stated}
    used = {host_of_address(server) for server in of_servers}
    nodes: list[Broker] = []
    for broker in brokers:
        names = {
            str(broker.id),
            *filter(None, [broker.host]),
            *host_names_of_node(broker, brokers, quorum),
        } & stated.keys()
        used |= names
        said = next((stated[name] for name in sorted(names)), None)
        if said is not None and broker.rack is not None and said.value != broker.rack.value:
            what = f"node {broker.id} is in rack {broker.rack.value} by its file, {broker.rack.origin}, which counts"
            findings.append(Finding("contradiction", "warning", what, said.origin, "make them agree"))
        nodes.append(broker if broker.rack is not None else replace(broker, rack=said))
    for name in stated.keys() - used:
        what = f"`{name}` is the host or the id of no node and no ZooKeeper server that was read"
        to_do = "name a host as zookeeper.connect or listeners do, or a node by its id"
        findings.append(Finding("contradiction", "error", what, stated[name].origin, to_do))
    return tuple(nodes), of_servers, findings
