"""In which racks the replicas of a partition, the controllers and ZooKeeper's servers stand, as far as it is stated.

A node stands in the rack of its `broker.rack`, or in that of its host, where another node there states one; so does a
ZooKeeper server, which has no such setting. `audit.toml` may state the racks of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .cluster import Cluster, Topic

Voter = int | str
"""A controller by its id, or a ZooKeeper server by its name."""


def racks_of_nodes(cluster: Cluster) -> dict[int | None, str]:
    """The rack of each node whose rack, or whose host's, is stated. Racks with nodes on one host are one rack: a host
    stands in one."""
    stated = {broker.id: broker.rack.value for broker in cluster.brokers if broker.rack is not None}
    hosts = {broker.id: broker.machine for broker in cluster.brokers if broker.machine is not None}
    for host in sorted({*hosts.values()}):
        here = {rack for id_, rack in stated.items() if hosts.get(id_) == host}
        stated = {id_: min(here) if rack in here else rack for id_, rack in stated.items()}
        stated |= {id_: min(here) for id_, mine in hosts.items() if mine == host and here}
    return stated


def racks_of_voters(cluster: Cluster) -> dict[Voter, str | None]:
    """Every controller that votes, or ZooKeeper server, with its rack; None where that is not stated."""
    racks = racks_of_nodes(cluster)
    if cluster.quorum is not None:
        return {voter: racks.get(voter) for voter in cluster.quorum.voters}
    of_hosts: dict[str | None, str | None] = {
        broker.machine: racks.get(broker.id) for broker in cluster.brokers if broker.machine is not None
    }
    named = cluster.zookeeper_racks
    return {
        server: named[server].value if server in named else of_hosts.get(machine)
        for server, machine in cluster.zookeepers
    }


def most_replicas_in_rack(topic: Topic, racks: Mapping[int | None, str]) -> int:
    """The most replicas of one partition in one rack; 0 where nothing says in which they are."""
    held = dict.fromkeys(partition.replicas for partition in topic.partitions if partition.replicas)
    crowded = [most_nodes_in_one_rack([racks.get(id_) for id_ in replicas]) for replicas in held]
    return 0 if not crowded or 0 in crowded else max(crowded)


def most_nodes_in_one_rack(racks: Iterable[str | None]) -> int:
    """How many are in the rack that has most of them; 0 if the rack of one of them is not stated, or there is none."""
    held = list(racks)
    return 0 if None in held else max(map(held.count, held), default=0)


def rack_pairs(
    topic: Topic, voters: Sequence[str | None], racks: Mapping[int | None, str]
) -> tuple[tuple[int, int], ...]:
    """Replicas of one partition, and the voters that are known to be there, in each rack; () if the rack of a replica
    is not stated. The voters of one rack do not go with the replicas of another."""
    partitions = dict.fromkeys(partition.replicas for partition in topic.partitions if partition.replicas)
    if not partitions or not voters or any(id_ not in racks for partition in partitions for id_ in partition):
        return ()
    names = dict.fromkeys([*racks.values(), *(rack for rack in voters if rack is not None)])
    return worst_places(
        (sum(racks[id_] == name for id_ in partition), voters.count(name)) for name in names for partition in partitions
    )


def worst_places(places: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Replicas and voters of several places, without those of which another one has no fewer of either."""
    found = {*places} - {(0, 0)}
    return tuple(sorted(one for one in found if not any(_is_less(one, other) for other in found)))


def _is_less(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one != other and one[0] <= other[0] and one[1] <= other[1]


IN_FILE = "below [racks] in audit.toml"


def missing_racks(cluster: Cluster, topic: Topic) -> tuple[str, str]:
    """What an answer about racks depends on, and what the user can give to decide it: the first that is missing of the
    racks of the brokers, where the replicas are, who the controllers are, and their racks."""
    racks = racks_of_nodes(cluster)
    held = {number for partition in topic.partitions for number in partition.replicas}
    brokers = held or {broker.id for broker in cluster.brokers if broker.keeps_topics}
    bare = sorted(broker for broker in brokers if broker not in racks and broker is not None)
    if bare or not brokers:
        which = f" of brokers {', '.join(map(str, bare))}" if racks and bare else " of each broker"
        return "broker.rack", f"broker.rack{which}, and kafka-topics.sh --describe"
    if not held or topic.is_cut_short:
        return f"which brokers have {topic.name}", "kafka-topics.sh --describe of all topics, Kafka's own too"
    return _missing_voter_racks(cluster)


def _missing_voter_racks(cluster: Cluster) -> tuple[str, str]:
    voters = racks_of_voters(cluster)
    bare = [voter for voter, rack in voters.items() if rack is None]
    if cluster.control_plane == "zookeeper":
        first = str(bare[0]).rpartition(":")[0] if bare else "zk1"
        line = f'`"{first}" = "RACK"` {IN_FILE}, a line for each ZooKeeper server'
        return "the racks of ZooKeeper's servers", line if voters else f"{line}, and zookeeper.connect with all of them"
    if not voters:
        return "who the controllers are", "the controllers' files, with broker.rack"
    numbers = ", ".join(map(str, sorted(map(int, bare))))
    ask = f'broker.rack in the files of controllers {numbers}, or `"{bare[0] if bare else 1}" = "RACK"` {IN_FILE}'
    return f"the racks of controllers {numbers}", ask
