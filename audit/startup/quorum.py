"""Nodes that find no controller, or elect none: they start, and never come up.

Voters are those of the log with kraft.version 1 (KIP-853), and else those that each node lists for itself
(`KafkaRaftClient.initialize`, 3.9.1, 4.1.0: staticVoters; before 3.9 `controller.quorum.voters` alone). A candidate
asks the voters of its own list, each at the address that stands there, and needs a majority of them. Up to 3.7 a node
compares its list with the one in its quorum-state file (`QuorumState.initialize`, 3.5.2 to 3.7.2); 3.8.1 does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..cluster.addresses import LOOPBACK, host_names_of_node, host_of_address
from ..cluster.cluster import DESCRIBED, Broker, Cluster, Quorum
from ..cluster.listeners import CONTROLLERS, listener_entries, listener_names
from ..cluster.settings import readable_settings
from ..cluster.statements import Setting
from ..kafka.keys import declared_key
from ..kafka.versions import is_at_least
from .listeners import Reasons

VOTERS = declared_key("controller.quorum.voters")
SERVERS = declared_key("controller.quorum.bootstrap.servers")
LISTENERS = declared_key("listeners")
KRAFT_VERSION = "kraft.version"

FIRST_WITH_OTHER_VOTERS = "3.8"
"""The first release in which a node starts whose list of voters is another than that of its quorum-state file."""

Voters = Sequence[tuple[int, str]]
"""Ids of voters with the address at which a node is to reach each."""


def quorum_refusals(cluster: Cluster, node: Broker) -> Reasons:
    """Why a node of KRaft never comes up though its own settings are legal."""
    yield from _missing_voters_reasons(cluster, node)
    yield from _missing_majority_reasons(cluster, node)
    yield from _changed_voters_reasons(cluster, node)


# --- no node is a voter -----------------------------------------------------------------------------------------------


def _missing_voters_reasons(cluster: Cluster, node: Broker) -> Reasons:
    """Servers to ask in place of voters, on data whose voters are no part of the log."""
    asks = readable_settings(node).get(SERVERS)
    if asks is None or not asks.value or not has_static_voters(cluster) or any(map(listed_voters, cluster.brokers)):
        return
    level = cluster.versions.features.get(KRAFT_VERSION)
    where = f" ({level.origin})" if level is not None else ""
    yield (
        (
            f"`{SERVERS}` is in place of `{VOTERS}`, and {KRAFT_VERSION} is 0{where}: no node is a voter, and no "
            f"controller is ever elected; list the voters in `{VOTERS}` until {KRAFT_VERSION} is 1"
        ),
        asks.origin,
    )


def has_static_voters(cluster: Cluster) -> bool:
    """Whether it is stated that the log has no voters, so that each node takes those of its own list."""
    level = cluster.versions.features.get(KRAFT_VERSION)
    return level.value == "0" if level is not None else cluster.versions.all_features


# --- no majority ------------------------------------------------------------------------------------------------------


def _missing_majority_reasons(cluster: Cluster, node: Broker) -> Reasons:
    """A node that reaches no voter, and a quorum none of whose voters reaches a majority."""
    mine, asked = listed_voters(node), readable_settings(node).get(SERVERS)
    if mine and not has_dynamic_voters(cluster):
        stated = readable_settings(node)[VOTERS]
        if not reached_voters(node, mine):
            yield f"`{VOTERS}={stated.value}` is no other node's address{_why_own(node, mine)}", stated.origin
        elif why := _why_no_majority(cluster):
            yield why, stated.origin
    elif asked is not None and node.roles == ("broker",) and asked.value and "$" not in asked.value:
        hosts = [host_of_address(server) for server in asked.value.split(",")]
        if all(is_own_host(node, host) for host in hosts):
            at = [(-1, host) for host in hosts]
            yield f"`{SERVERS}={asked.value}` is no controller's address{_why_own(node, at)}", asked.origin


def has_dynamic_voters(cluster: Cluster) -> bool:
    """Whether it is stated that voters are those of the log, whatever nodes list."""
    level = cluster.versions.features.get(KRAFT_VERSION)
    return level is not None and level.value != "0"


def listed_voters(node: Broker) -> Voters:
    """The voters that a node lists, each with its address; none where a part of the list is not known."""
    stated = readable_settings(node).get(VOTERS)
    if stated is None or "$" in stated.value or "{" in stated.value:
        return ()
    return [(int(id_), address) for id_, address in re.findall(r"(?:^|,)\s*(\d{1,9})@([^,@\s]+)", stated.value)]


def reached_voters(node: Broker, voters: Voters) -> set[int]:
    """The voters of its list that a node reaches: itself, and of those at one address one; none at an address that
    is its own."""
    own = {address for id_, address in voters if id_ == node.id}
    found = {node.id: ""} if node.id is not None and own else {}
    taken = set(own)
    for id_, address in voters:
        if id_ != node.id and address not in taken and not is_own_host(node, host_of_address(address)):
            taken.add(address)
            found[id_] = address
    return set(found)


def is_own_host(node: Broker, host: str) -> bool:
    """Whether a host is the node itself, for whoever asks there: a loopback address, or every interface, in a container
    with a network of its own, and that container's name."""
    return runs_in_container(node) and (host in ("", LOOPBACK) or host == _compose_service_name(node))


def runs_in_container(node: Broker) -> bool:
    """Whether it has a network of its own, in which a loopback address is itself alone."""
    return node.pod is not None or (node.origin.place.startswith("services.") and node.network != "host")


def _compose_service_name(node: Broker) -> str:
    return node.origin.place.removeprefix("services.").partition(".")[0].lower()


def _why_own(node: Broker, voters: Voters) -> str:
    host = next((address for _, address in voters if is_own_host(node, host_of_address(address))), "")
    return f" ({host} is its own container): it finds no controller" if host else ": it finds no controller"


def _why_no_majority(cluster: Cluster) -> str:
    """Why no voter is ever elected, where the lists of all voters are known; else ""."""
    nodes = {node.id: node for node in cluster.brokers if node.id is not None}
    lists = {id_: listed_voters(node) for id_, node in nodes.items() if listed_voters(node)}
    ids = {id_ for voters in lists.values() for id_, _ in voters}
    if not ids or not ids <= lists.keys():
        return ""
    deaf = {id_ for id_ in ids if not _listens_at_listed_port(nodes[id_], lists)}
    reached = {id_: reached_voters(nodes[id_], lists[id_]) - (deaf - {id_}) for id_ in ids}
    if any(2 * len(reached[id_]) > len({*dict(lists[id_])}) for id_ in ids):
        return ""
    most, first = max(map(len, reached.values())), min(ids)
    who, missed = next((id_, address) for id_, address in lists[first] if id_ not in reached[first])
    own = "is that container itself" if is_own_host(nodes[first], host_of_address(missed)) else "is one node's alone"
    if who in deaf:
        own = f"is no port of its controller's listener ({ids_text(controller_ports(nodes[who]))})"
    return (
        f"no controller is ever elected: of {len(ids)} voters each reaches {most}, since for voter {first} the address "
        f"{missed} in its `{VOTERS}` {own}"
    )


def unheard_voters(cluster: Cluster) -> Iterator[tuple[Broker, Setting, str]]:
    """Voters that listen at another port than every other node lists for them: each with a list of another node, and
    the address in it. Nobody asks them for their votes or fetches from them."""
    for node in () if has_dynamic_voters(cluster) else cluster.controllers:
        lists = {id(one): listed_voters(one) for one in cluster.brokers if one is not node}
        listing = [one for one in cluster.brokers if one is not node and node.id in dict(lists[id(one)])]
        others = {at: lists[id(one)] for at, one in enumerate(listing)}
        if listing and not _listens_at_listed_port(node, others):
            yield node, readable_settings(listing[0])[VOTERS], dict(others[0])[node.id or 0]


def controller_ports(node: Broker) -> Sequence[int]:
    """The ports at which a node listens as a controller; none where that is not known."""
    stated = readable_settings(node)
    names, listeners = stated.get(CONTROLLERS), stated.get(LISTENERS)
    if names is None or listeners is None or node.pod is not None:
        return ()
    mine = listener_names(names.value)
    return [port for name, _, port in listener_entries(listeners) if name.upper() in mine and port > 0]


def _listens_at_listed_port(node: Broker, lists: dict[int, Voters]) -> bool:
    """Whether a voter listens at a port that others list for it. One in a container that they reach at another name
    than its service's may be at a port of the host."""
    ports = controller_ports(node)
    addresses = [address for voters in lists.values() for id_, address in voters if id_ == node.id]
    known = [
        one for one in addresses if not runs_in_container(node) or host_of_address(one) == _compose_service_name(node)
    ]
    return not ports or len(known) < len(addresses) or any(_port_of_address(one) in (None, *ports) for one in known)


def _port_of_address(address: str) -> int | None:
    port = address.rpartition(":")[2]
    return int(port) if port.isdecimal() else None


# --- other voters than before -----------------------------------------------------------------------------------------


def _changed_voters_reasons(cluster: Cluster, node: Broker) -> Reasons:
    """Up to 3.7 a node with state does not start with other voters than those that its state has."""
    found, kafka = described_otherwise(cluster, node), cluster.versions.kafka
    if found is None or kafka is None or is_at_least(kafka.value, FIRST_WITH_OTHER_VOTERS) is not False:
        return
    setting, quorum = found
    if node.id in (*quorum.voters, *quorum.observers):
        yield (
            (
                f"`{VOTERS}` has voters {ids_text(dict(listed_voters(node)))}, and its quorum-state file has those of "
                f"the quorum, {ids_text(quorum.voters)} ({quorum.origin}): up to 3.7 a node does not start with "
                "others; to wipe that file, as its message advises, makes a voter forget for whom it voted"
            ),
            setting.origin,
        )


def described_otherwise(cluster: Cluster, node: Broker) -> tuple[Setting, Quorum] | None:
    """A node's list of voters, and the quorum that was described with others; None where they agree, where there is no
    such description, or where lists do not count."""
    quorum, mine = cluster.quorum, {id_ for id_, _ in listed_voters(node)}
    described = quorum is not None and is_described(cluster, quorum)
    if quorum is None or not described or quorum.dynamic or not mine or mine == set(quorum.voters):
        return None
    return readable_settings(node)[VOTERS], quorum


def is_described(cluster: Cluster, quorum: Quorum) -> bool:
    """Whether the controllers say themselves who votes."""
    format_ = dict(cluster.files).get(quorum.origin.path, "")
    return format_ in DESCRIBED or format_.startswith("kafka-metadata-quorum.sh")


def nodes_of_other_names(cluster: Cluster) -> Iterator[tuple[Setting, int, str]]:
    """Voters of compose files that are listed by a name that is not known to be theirs: the setting, the voter, the
    name. It may be an alias, which is not read."""
    services = {node.id: node for node in cluster.brokers if node.origin.place.startswith("services.")}
    if has_dynamic_voters(cluster) or len(services) < len(cluster.brokers):
        return
    for node in services.values():
        for id_, address in listed_voters(node):
            host = host_of_address(address)
            mine = services.get(id_)
            if mine is None or "." in host or host in ("", LOOPBACK, _compose_service_name(mine), mine.host):
                continue
            if host not in host_names_of_node(mine, []):
                yield readable_settings(node)[VOTERS], id_, host


def ids_text(ids: Sequence[int] | dict[int, str]) -> str:
    """`1, 2, 3`."""
    return ", ".join(map(str, sorted(ids)))


def listed_otherwise(cluster: Cluster) -> Iterator[tuple[Broker, Setting, Quorum]]:
    """Every node that lists other voters than the quorum was described with."""
    for node in cluster.brokers:
        if (found := described_otherwise(cluster, node)) is not None:
            yield node, *found
