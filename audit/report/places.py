"""Where nodes stand, as what decides a loss: which of them share a host or a rack, with the line that says so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...language.immutable import immutable
from ..cluster.cluster import Broker, Cluster
from ..cluster.settings import stated_settings
from ..cluster.statements import Origin
from ..facts.facts import UsedSetting
from ..kafka.keys import declared_key
from .word_lists import list_with_and

BROKER_RACK = declared_key("broker.rack")
PROCESS_ROLES = declared_key("process.roles")
_ADDRESSES = (
    declared_key("advertised.listeners"),
    declared_key("listeners"),
    declared_key("controller.quorum.voters"),
)
"""Settings that say on which host a node is, its own address first."""
_MOST_NAMED = 6


@immutable
class Places:
    """What decides a loss that moves of nodes repair: the hosts with several nodes, and the rack with most brokers."""

    hosts: tuple[UsedSetting, ...] = ()
    racks: tuple[UsedSetting, ...] = ()


def shared_places(cluster: Cluster) -> Places:
    """Where the nodes of a cluster stand together."""
    return Places(tuple(_shared_hosts(cluster)) or tuple(_combined_nodes(cluster)), tuple(_crowded_racks(cluster)))


def _shared_hosts(cluster: Cluster) -> Iterator[UsedSetting]:
    """Each host with several nodes, by the names of these, at the line of an address of the first of them."""
    for machine in dict.fromkeys(node.machine for node in cluster.brokers if node.machine is not None):
        here = [node for node in cluster.brokers if node.machine == machine]
        servers = [f"ZooKeeper {name}" for name, at in cluster.zookeepers if at == machine]
        if len(here) + len(servers) > 1:
            host = "one host" if " " in machine else f"host {machine}"
            yield UsedSetting(
                f"{list_with_and([*_nodes_by_kind_texts(here), *servers])} on {host}", "", _node_place(here[0])
            )


def _combined_nodes(cluster: Cluster) -> Iterator[UsedSetting]:
    """A node that is a broker and a controller, by the setting that says so."""
    for node in cluster.brokers:
        roles = stated_settings(node).get(PROCESS_ROLES)
        if {"broker", "controller"} <= set(node.roles) and roles is not None:
            yield UsedSetting(PROCESS_ROLES, roles.value, roles.origin)
            return


def _crowded_racks(cluster: Cluster) -> Iterator[UsedSetting]:
    """The rack with the most brokers, at the line of the first one's; nothing where none is stated."""
    racks = [node.rack.value for node in cluster.brokers if node.rack is not None and node.keeps_topics]
    if not racks:
        return
    rack = max(dict.fromkeys(racks), key=racks.count)
    here = [node for node in cluster.brokers if node.rack is not None and node.rack.value == rack]
    first = next(node.rack for node in here if node.rack is not None)
    yield UsedSetting(BROKER_RACK, f"{rack} of {list_with_and(_nodes_by_kind_texts(here))}", first.origin)


def _nodes_by_kind_texts(nodes: Sequence[Broker]) -> list[str]:
    """Brokers and controllers by their ids: `brokers 1, 2`, `controller 100`."""
    said: list[str] = []
    for kind, these in (
        ("broker", [node for node in nodes if node.keeps_topics]),
        ("controller", [node for node in nodes if not node.keeps_topics]),
    ):
        ids = [_node_name(node) for node in these]
        more = [f"{len(ids) - _MOST_NAMED} more"] if len(ids) > _MOST_NAMED else []
        if ids:
            said.append(f"{kind}{'s' if len(ids) > 1 else ''} {', '.join([*ids[:_MOST_NAMED], *more])}")
    return said


def _node_name(node: Broker) -> str:
    """A service of a compose file by its name, others by their ids."""
    service = node.origin.place.removeprefix("services.") if node.origin.place.startswith("services.") else ""
    return service.partition(".")[0] or ("of unknown id" if node.id is None else str(node.id))


def _node_place(node: Broker) -> Origin:
    """The line of a node's address, where its file states one; else where the node is stated."""
    stated = stated_settings(node)
    origins = [stated[key].origin for key in _ADDRESSES if key in stated]
    return next((origin for origin in origins if node.origin.line is None), node.origin)
