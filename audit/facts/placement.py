"""Where replicas and controllers stand: which of them one fault of a host, a machine or a rack takes at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from ..cluster import pods
from ..cluster.addresses import broker_pods, servers_named_by_pods
from ..cluster.cluster import Broker, Cluster, Topic
from ..cluster.directories import is_in_memory, is_temporary
from ..cluster.racks import (
    most_nodes_in_one_rack,
    most_replicas_in_rack,
    rack_pairs,
    racks_of_nodes,
    racks_of_voters,
    worst_places,
)
from ..cluster.settings import setting_value
from ..cluster.statements import Unknown
from ..kafka.internal_topics import OFFSETS, REMOTE, SHARE, TRANSACTIONS
from ..kafka.keys import declared_key
from ..kafka.topic_settings import factor_key, min_isr_key
from ..kafka.versions import is_at_least
from .facts import Fact, FactValue, UncreatableTopicError, UsedSetting

LOG_DIRS = declared_key("log.dirs")
METADATA_LOG_DIR = declared_key("metadata.log.dir")
REPLICA_SELECTOR_CLASS = declared_key("replica.selector.class")


def placement_fact(cluster: Cluster, topic: Topic, replicas: int, used_settings: list[UsedSetting]) -> Fact:
    """The fact of a topic's placement; what no file states is 0 or False (`Signature` says of each what that means)."""
    racks, voting = racks_of_nodes(cluster), list(racks_of_voters(cluster).values())
    sets = {
        "replicas_in_rack": 0 if topic.is_cut_short else most_replicas_in_rack(topic, racks),
        "co_located": _are_replicas_at_voters(cluster, replicas),
        "voters": len(voting),
        "racks": () if topic.is_cut_short else rack_pairs(topic, voting, racks),
        "open_voters": voting.count(None),
        "voters_in_rack": most_nodes_in_one_rack(voting),
        "shared_voters": _replicas_on_one_host(cluster, topic, replicas),
        "one_machine": _is_on_one_machine(cluster),
        "hosts": _most_at_hosts(cluster, topic, replicas, 1),
        "two_hosts": _most_at_hosts(cluster, topic, replicas, 2),
        "passing": loses_logs_at_end(cluster),
        "empty_voters": _empty_voters(cluster),
        "enough_emptied": _emptied_voters_that_lose(cluster),
        "has_combined_nodes": any(broker.id in _voter_ids(cluster) for broker in _known_topic_keepers(cluster)),
        "disk_voters": voters_on_a_disk(cluster),
        "directories": has_several_directories(cluster),
    }
    sets["ephemeral"], sets["of_pod"] = _ephemeral_storage(cluster, topic, used_settings)
    return Fact("placement", (FactValue(str(sets["replicas_in_rack"]), sets),))


def names_of_hosts(cluster: Cluster, replicas: Collection[int]) -> tuple[str, ...]:
    """What the brokers are called that have the replicas, where there are so many: a service of a compose file by its
    name, others by their ids. Of more brokers the first ones, which may have them where nothing says otherwise: no
    racks, and no hosts that are shared. () where there are too few, or one has no name, or two have one."""
    keepers = [broker for broker in cluster.brokers if broker.keeps_topics]
    names = [_host_name(broker) for broker in keepers]
    most = max(replicas, default=0)
    alike = most == 1 or all(broker.rack is None and broker.machine is None for broker in keepers)
    fit = {len(keepers)} == {*replicas} or (alike and 0 < most < len(keepers))
    whole = fit and len({*names}) == len(names) and "" not in names
    return tuple(f"broker {name}" for name in names[:most]) if whole else ()


def _host_name(broker: Broker) -> str:
    service = broker.origin.place.removeprefix("services.") if broker.origin.place.startswith("services.") else ""
    return service.partition(".")[0] or ("" if broker.id is None else str(broker.id))


def open_places(cluster: Cluster) -> Iterator[Fact]:
    """What may be on one machine or on several, as far as nothing says which."""
    yield from _nodes_of_pods(cluster)
    yield from _computers_of_services(cluster)
    yield from _servers_of_pods(cluster)


def _nodes_of_pods(cluster: Cluster) -> Iterator[Fact]:
    """Whether pods share a node, where nothing keeps them apart: a loss of power takes all that are on one. At worst
    all brokers are on one; or, where these are apart, all controllers are on the node of one of them."""
    if _is_on_one_machine(cluster):
        return
    if not pods.are_apart(broker_pods(cluster)):
        yield _apart_or_shared(NODES, ASK_OF_NODES)
    elif at_hosts := _controllers_beside(cluster):
        choices = (FactValue("apart", {}), FactValue("shared", at_hosts))
        yield Fact(NODES, choices, ASK_OF_NODES.replace("selects the brokers", "selects the controllers as well"))


def _computers_of_services(cluster: Cluster) -> Iterator[Fact]:
    """Whether the services of several compose files are on one computer, where they publish no port: those that are in
    the network of one engine are, and those of a network that spans several engines need not be."""
    files = {node.machine for node in _known_topic_keepers(cluster) if node.network == "inner"}
    if len(files) > 1 and not _is_on_one_machine(cluster):
        yield _apart_or_shared(COMPUTERS, ASK_OF_COMPUTERS)


def _apart_or_shared(name: str, ask: str) -> Fact:
    """That each broker is on a machine of its own, or all are on one."""
    return Fact(name, (FactValue("apart", {"one_machine": False}), FactValue("shared", {"one_machine": True})), ask)


def _servers_of_pods(cluster: Cluster) -> Iterator[Fact]:
    """How many ZooKeeper servers there are, where pods name one: it may be a service with several behind it."""
    if not cluster.zookeepers and len(servers_named_by_pods(cluster)) == 1:
        choices = (FactValue("several", {}), FactValue("one", {"voters": 1}))
        yield Fact(SERVERS, choices, "zookeeper.connect with the name of every server, or zoo.cfg")


def _controllers_beside(cluster: Cluster) -> dict[str, tuple[tuple[int, int], ...] | int]:
    """What may be on one node, and on two, where controllers that are no brokers are on nodes with brokers, or with one
    another; nothing where neither can be."""
    mine, voters = broker_pods(cluster), set(_voter_ids(cluster))
    alone = [
        broker.pod
        for broker in cluster.brokers
        if broker.id in voters and not broker.keeps_topics and broker.pod is not None
    ]
    most = 1 if pods.are_apart(alone) else len(alone)
    if not mine or not alone:
        return {}
    if not pods.are_repelling_each_other(alone, mine):
        return {"hosts": ((1, most),), "two_hosts": ((2, min(len(alone), 2 * most)),), "disk_voters": most}
    return {"hosts": ((0, most), (1, 0)), "two_hosts": ((1, most), (2, 0))} if most > 1 else {}


NODES, SERVERS = "the nodes of pods", "the servers of ZooKeeper"
COMPUTERS = "the computers of the compose files"
ASK_OF_COMPUTERS = (
    "the ports that the services publish, or what `docker compose config` prints if one computer runs them all, or how "
    'it is: computers = "apart" (or "shared") below [services] in audit.toml'
)
ASK_OF_NODES = (
    "a required podAntiAffinity by kubernetes.io/hostname in the manifest, which selects the brokers, or how it is: "
    'nodes = "apart" (or "shared") below [pods] in audit.toml'
)


def follower_reads(cluster: Cluster, topic: Topic, used_settings: list[UsedSetting]) -> Fact:
    """Whether leaders send consumers to followers (KIP-392): no broker does without a selector of its own."""
    key = REPLICA_SELECTOR_CLASS
    settings = (setting for broker in cluster.topic_keepers for setting in broker.settings)
    stated = (setting for setting in settings if setting.key == key and setting.value.strip())
    found = None if topic.is_internal else next(stated, None)
    if found is not None:
        used_settings.append(UsedSetting(key, found.value, found.origin))
    return Fact(key, (FactValue("" if found is None else found.value, {"follower_reads": found is not None}),))


def check_creatable(cluster: Cluster, topic: Topic, replicas: int, used_settings: list[UsedSetting]) -> int:
    """With how many replicas a topic is created that asks for so many. Raises UncreatableTopicError where its name is
    not legal, and where there are fewer brokers (`InvalidReplicationFactorException`); one broker's file may stand for
    any number of them. Before 0.11 the offsets topic is created with as many as there are (KIP-115)."""
    if not topic.has_legal_name:
        legal = "a name has up to 249 of A-Z, a-z, 0-9, `.`, `_` and `-`, and is neither `.` nor `..`"
        raise UncreatableTopicError(f"cannot be created: `{topic.name[:60]}` is not a legal name of a topic; {legal}")
    number = sum(1 for broker in cluster.brokers if broker.keeps_topics)
    if cluster.twice and number < replicas:
        raise UncreatableTopicError(
            f"cannot be created: {replicas} replicas are asked for, and {_duplicate_id_text(cluster)}"
        )
    if number >= replicas or number == 0:
        return replicas
    kafka = cluster.versions.kafka
    if topic.name == OFFSETS and kafka is not None and is_at_least(kafka.value, "0.11") is False:
        return number
    if number == 1 and not cluster.whole:
        why = f"assumed: the file of one broker was given, and {topic.name} asks for {replicas} replicas"
        used_settings.append(UsedSetting("brokers", f"at least {replicas}", None, why))
        return replicas
    are = "is one broker" if number == 1 else f"are {number} brokers"
    more = "" if cluster.whole else "; give the files of the others, if there are more"
    repairs = _repair_of_internal(topic, number, cluster.versions.release)
    then, repair = (f", and {_WITHOUT[topic.name]}", f"; {repairs} on every broker repairs it") if repairs else ("", "")
    said = f"cannot be created{then}: {replicas} replicas are asked for, and there {are}{more}{repair}"
    raise UncreatableTopicError(said, f"{replicas} brokers; with {number}, {repairs} has it created" if repairs else "")


_WITHOUT = {
    OFFSETS: "no consumer of a group can join it or commit an offset",
    TRANSACTIONS: "no transactional producer gets past initTransactions",
    SHARE: "no share group can read",
    REMOTE: "nothing is tiered",
}
"""What does not work until a topic of Kafka's own is there, which is created when it is first needed."""


def _repair_of_internal(topic: Topic, number: int, release: str | None) -> str:
    """What is to be set for a topic of Kafka's own, of which the brokers' settings say how many replicas it gets."""
    key = factor_key(topic.name)
    if key is None or topic.name not in _WITHOUT or topic.partitions or topic.replication_factor is not None:
        return ""
    least = min_isr_key(topic.name, release)
    also = f" and {least}=1" if number == 1 and least is not None else ""
    return f"{key}={number}{also}"


def _duplicate_id_text(cluster: Cluster) -> str:
    first = cluster.twice[0]
    return f"of the two nodes with id {first.node.id} ({first.node.origin}, {first.second}) only one starts"


def has_one_by_default(cluster: Cluster, topic: Topic) -> bool | None:
    """Whether a Streams application creates it with one replica, where its file states no number: before 3.0 it does,
    and since then it leaves that to the brokers (KIP-733). None if the version of its client is not stated."""
    client = cluster.client(topic.streams) if topic.streams else None
    if not topic.streams:
        return False
    later = is_at_least(client.version.value, "3.0") if client is not None and client.version is not None else None
    return None if later is None else not later


def _most_at_hosts(cluster: Cluster, topic: Topic, replicas: int, number: int) -> tuple[tuple[int, int], ...]:
    """Replicas of one partition, and controllers, at so many hosts together, at worst; () where none is shared, or one
    is by all."""
    standing, controllers = _known_topic_keepers(cluster), set(_voter_ids(cluster))
    keepers = [(broker.id, _host_of_node(broker, at)) for at, broker in enumerate(standing)]
    voting = _hosts_of_voters(cluster)
    hosts = [
        _host_of_node(broker, at) for at, broker in enumerate(cluster.brokers) if broker.id not in controllers
    ] + voting
    if _is_on_one_machine(cluster) or len(set(hosts)) == len(hosts):
        return ()
    if not cluster.whole:  # the others, whose files were not given
        keepers += [(None, f"that of another, {at}") for at in range(len(keepers), replicas)]
    voters = Counter(voting)
    described = {tuple(sorted(partition.replicas)) for partition in topic.partitions if partition.replicas}
    whole = bool(described) and not topic.is_cut_short and all(broker.id is not None for broker in standing)
    found: set[tuple[int, int]] = set()
    for held in described if whole else {tuple(id_ for id_, _ in keepers)}:
        here = Counter(host for id_, host in keepers if id_ in held)
        hosts = sorted({*here, *voters})
        for lost in combinations(hosts, min(number, len(hosts))):
            found.add((min(replicas, sum(here[host] for host in lost)), sum(voters[host] for host in lost)))
    return worst_places(found)


def _hosts_of_voters(cluster: Cluster) -> list[str]:
    controllers = set(_voter_ids(cluster))
    voting = [_host_of_node(broker) for broker in cluster.brokers if broker.id in controllers]
    return voting + [machine or f"that of {server}" for server, machine in cluster.zookeepers]


def voters_on_a_disk(cluster: Cluster) -> int:
    """How many controllers, or ZooKeeper servers, lose what they know with a broker's disk, at worst."""
    held = Counter(_hosts_of_voters(cluster))
    return max((held[_host_of_node(broker, at)] for at, broker in enumerate(_known_topic_keepers(cluster))), default=0)


def _emptied_voters_that_lose(cluster: Cluster) -> int:
    """0 where who comes back empty is no voter (KIP-853), or where nothing says how many there are."""
    voters = len(cluster.zookeepers) if cluster.control_plane == "zookeeper" else len(_voter_ids(cluster))
    return 0 if voters == 0 or has_dynamic_quorum(cluster) else emptied_voters_that_lose(voters)


def emptied_voters_that_lose(voters: int) -> int:
    """How many of so many that vote may come back empty, and still vote, until what was committed may be lost: with
    these a majority does without those that are left of the smallest one that committed it."""
    return 2 * (voters // 2 + 1) - voters


def has_dynamic_quorum(cluster: Cluster) -> bool:
    """Whether controllers vote by their directory's id, so that one with an empty disk is another one (KIP-853)."""
    level = cluster.versions.features.get("kraft.version")
    return bool(cluster.quorum and cluster.quorum.dynamic) or (level is not None and level.value != "0")


def _host_of_node(broker: Broker, index: int = 0) -> str:
    """The computer of a node; one of which nothing is stated has one of its own, under its id, else its place."""
    return broker.machine or (f"that of {broker.id}" if broker.id is not None else f"that of the node at {index}")


def _known_topic_keepers(cluster: Cluster) -> Sequence[Broker]:
    """The brokers that keep topics. Where the files of some state no id, those alone whose files were given: ids that
    are described are theirs."""
    keepers = [broker for broker in cluster.brokers if broker.keeps_topics]
    return (
        [broker for broker in keepers if broker.settings] if any(broker.id is None for broker in keepers) else keepers
    )


def _voter_ids(cluster: Cluster) -> Sequence[int]:
    return tuple(dict.fromkeys(cluster.quorum.voters)) if cluster.quorum else ()


def _combined_nodes(cluster: Cluster) -> Sequence[Broker]:
    return [broker for broker in cluster.brokers if {"broker", "controller"} <= set(broker.roles)]


def _are_replicas_at_voters(cluster: Cluster, replicas: int) -> bool:
    """Whether the hosts with a replica are those with a vote, one each, as the model has it."""
    both, brokers = _combined_nodes(cluster), [broker for broker in cluster.brokers if broker.keeps_topics]
    return len(both) == len(brokers) == replicas == (len(_voter_ids(cluster)) or replicas) and len(both) > 0


def _replicas_on_one_host(cluster: Cluster, topic: Topic, replicas: int) -> int:
    """Of a topic that is not there yet, or of which nothing is described, as many as there may be."""
    voting = set(_voter_ids(cluster)) & {broker.id for broker in _combined_nodes(cluster)}
    held = [len(voting & set(partition.replicas)) for partition in topic.partitions if partition.replicas]
    return max(held, default=min(replicas, len(voting)))


def _is_on_one_machine(cluster: Cluster) -> bool:
    """Whether all brokers are on one computer. The file of one broker may stand for several: they are where all the
    controllers are, if they are brokers as well."""
    keepers = _known_topic_keepers(cluster)
    machines = {broker.machine for broker in keepers}
    if len(machines) != 1 or None in machines:
        return False
    voters = {broker.machine for broker in cluster.brokers if broker.id in _voter_ids(cluster)}
    combined = "controller" in keepers[0].roles and len(_voter_ids(cluster)) > 1
    return cluster.whole or len(keepers) > 1 or (combined and voters == machines)


def loses_logs_at_end(cluster: Cluster) -> bool:
    """Whether a broker's logs are where a start of its host finds nothing."""
    return any(_loses_logs_at_end(cluster, broker) for broker in cluster.topic_keepers)


def has_several_directories(cluster: Cluster) -> bool:
    """Whether a broker with topics has, or may have, more than one directory for them (log.dirs)."""
    stated = (setting_value(cluster, broker, LOG_DIRS) for broker in cluster.topic_keepers)
    return any(not isinstance(dirs, Unknown) and len(dirs.value.split(",")) > 1 for dirs in stated)


def _loses_logs_at_end(cluster: Cluster, node: Broker) -> bool:
    """Whether a node's logs are in memory, where a flush puts nothing on a disk, or in a temporary folder of a host,
    which many systems empty when they start (systemd, tmpfiles.d). That of a container is in its files."""
    dirs = setting_value(cluster, node, LOG_DIRS)
    in_container = node.of_pod or node.pod is not None or node.origin.place.startswith("services.")
    passes = is_in_memory if in_container else is_temporary
    return not isinstance(dirs, Unknown) and any(map(passes, dirs.value.split(",")))


def _empty_voters(cluster: Cluster) -> int:
    """How many controllers, or ZooKeeper servers, come back without what they had once they have stopped."""
    if cluster.control_plane == "zookeeper":
        return len(cluster.zookeepers) if cluster.passing_ensemble else 0
    voters = set(_voter_ids(cluster)) or {broker.id for broker in cluster.controllers}
    lasting = [node for node in cluster.brokers if not node.ephemeral and not _keeps_metadata_in_passing(cluster, node)]
    return len(voters - {node.id for node in lasting})


def _keeps_metadata_in_passing(cluster: Cluster, node: Broker) -> bool:
    own = next((setting for setting in node.settings if setting.key == METADATA_LOG_DIR), None)
    return bool(node.settings) and (_loses_logs_at_end(cluster, node) if own is None else is_in_memory(own.value))


def _ephemeral_storage(cluster: Cluster, topic: Topic, used_settings: list[UsedSetting]) -> tuple[bool, bool]:
    """Whether a replica is, or may be, on storage that goes with its process or pod; and if so, with its pod alone."""
    holding = {id_ for partition in topic.partitions for id_ in partition.replicas}
    lost = [broker for broker in cluster.brokers if broker.ephemeral and broker.keeps_topics]
    found = [broker for broker in lost if not holding or broker.id in holding]
    of_pod = bool(found) and all(broker.of_pod for broker in found)
    if found:
        who = "a pod that is replaced" if of_pod else "a broker that stops"
        used_settings.append(
            UsedSetting("storage", "ephemeral", found[0].origin, f"{who} comes back with an empty disk")
        )
    return bool(found), of_pod
