"""Rules about the control plane: how many controllers may fail, where they stand, and whose settings they go by."""

from __future__ import annotations

from collections.abc import Iterator

from ..cluster.addresses import LOOPBACK, host_names_of_node, host_of_address, zookeeper_servers
from ..cluster.cluster import Broker, Cluster
from ..cluster.directories import is_in_memory, is_temporary
from ..cluster.findings import Finding, Kind, Severity
from ..cluster.settings import normalize_boolean, readable_settings, setting_number, setting_place
from ..cluster.statements import Setting
from ..facts.placement import emptied_voters_that_lose, has_dynamic_quorum, voters_on_a_disk
from ..kafka.advised_names import REMOVE
from ..kafka.keys import declared_key, is_true
from ..kafka.tools import BOOTSTRAP
from ..kafka.versions import is_at_least
from ..startup.quorum import (
    FIRST_WITH_OTHER_VOTERS,
    KRAFT_VERSION,
    VOTERS,
    controller_ports,
    has_dynamic_voters,
    ids_text,
    is_described,
    listed_otherwise,
    listed_voters,
    nodes_of_other_names,
    runs_in_container,
    unheard_voters,
)

ZOOKEEPER_CONNECT = declared_key("zookeeper.connect")

UNCLEAN = declared_key("unclean.leader.election.enable")
SESSION = declared_key("zookeeper.session.timeout.ms")
SHORT_SESSION, LONG_SESSION = 6000, 18000
"""In milliseconds: what Kafka's default was up to 2.4, and what it has been since (KIP-537)."""
GRANTED = (4000, 40000)
"""In milliseconds: ZooKeeper grants a session of 2 to 20 ticks, and a tick is 2000 ms where `tickTime` says nothing."""


def controller_rules(cluster: Cluster) -> Iterator[Finding]:
    """All of them."""
    yield from tolerated_controller_failures(cluster)
    yield from voters_in_one_rack(cluster)
    yield from single_zookeeper_server(cluster)
    yield from zookeeper_sessions(cluster)
    yield from settings_not_read_by_controllers(cluster)
    yield from quorum_formatted_anew(cluster)
    yield from emptied_zookeeper_server(cluster)
    yield from unlike_servers(cluster)
    yield from metadata_on_ephemeral_storage(cluster)
    yield from differing_voter_lists(cluster)
    yield from nonvoting_controllers(cluster)
    yield from voters_at_loopback(cluster)
    yield from voters_of_other_names(cluster)
    yield from voters_at_other_addresses(cluster)
    yield from voters_at_other_ports(cluster)


def differing_voter_lists(cluster: Cluster) -> Iterator[Finding]:
    """Nodes that list other voters than those that vote: since 3.8 each takes its own list when it restarts. Up to 3.7
    it does not start (`startup.quorum`)."""
    found, kafka = next(listed_otherwise(cluster), None), cluster.versions.kafka
    if found is None or (kafka is not None and is_at_least(kafka.value, FIRST_WITH_OTHER_VOTERS) is False):
        return
    node, setting, quorum = found
    listed, voting = {id_ for id_, _ in listed_voters(node)}, set(quorum.voters)
    majority, new = len(listed) // 2 + 1, len(listed - voting)
    behind = len(voting & listed) - (len(voting) // 2 + 1) + len(voting - listed)
    what = (
        f"`{setting.key}` has voters {ids_text(sorted(listed))}, and the quorum was described with "
        f"{ids_text(quorum.voters)} ({quorum.origin}): since 3.8 a node that restarts takes its own list, of which "
        f"{majority} are a majority"
    )
    if new + max(0, behind) >= majority:
        what += f"; {new} of them are new, and with those that may lag elect one that lacks what was committed"
    if majority + len(voting) // 2 + 1 <= len(listed | voting):
        what += "; until all have restarted, a majority of each list can elect a leader of its own"
    to_do = "keep the list as it is"
    if kafka is not None and is_at_least(kafka.value, FIRST_RAISED):
        to_do += f", and change voters with {KRAFT_VERSION} 1 and kafka-metadata-quorum.sh add-controller"
    yield Finding("incomplete", "error", what, setting.origin, to_do, "KIP-853, KAFKA-16538")


FIRST_RAISED = "4.1"
"""The first release in which a quorum whose voters are listed can be raised to kraft.version 1 (KAFKA-16538)."""


def nonvoting_controllers(cluster: Cluster) -> Iterator[Finding]:
    """Controllers that the described quorum does not have among its voters."""
    quorum = cluster.quorum
    if quorum is None or not is_described(cluster, quorum) or not quorum.dynamic:
        return
    idle = [node for node in cluster.controllers if node.settings and node.id not in (None, *quorum.voters)]
    if idle:
        who = f"controller{'s' if len(idle) > 1 else ''} {ids_text([node.id or 0 for node in idle])}"
        has = "have" if len(idle) > 1 else "has"
        what = f"{who} {has} no vote: the voters are {ids_text(quorum.voters)} ({quorum.origin})"
        to_do = "kafka-metadata-quorum.sh add-controller, if it is to vote"
        yield Finding("contradiction", "warning", what, idle[0].origin, to_do, "KIP-853")


def voters_at_loopback(cluster: Cluster) -> Iterator[Finding]:
    """Voters at loopback addresses that are listed by nodes with addresses of several hosts: whether all of them are on
    one host, where alone they reach each other, no file says."""
    nodes = [node for node in cluster.brokers if len(listed_voters(node)) > 1 and not runs_in_container(node)]
    local = [
        node for node in nodes if all(host_of_address(address) in ("", LOOPBACK) for _, address in listed_voters(node))
    ]
    hosts = {id(node): min(host_names_of_node(node, [node]) - {LOOPBACK}, default="") for node in local}
    if not has_dynamic_voters(cluster) and len({*hosts.values()} - {""}) > 1:
        setting = readable_settings(local[0])[VOTERS]
        what = (
            f"`{setting.key}={setting.value}` names each voter by an address of the host that uses it, and the nodes "
            f"have addresses of several hosts ({', '.join(sorted({*hosts.values()} - {''}))}): unless all are one "
            "host, no controller is ever elected"
        )
        yield Finding("incomplete", "error", what, setting.origin, "name each voter by its host", "KIP-595")


def voters_of_other_names(cluster: Cluster) -> Iterator[Finding]:
    """Voters of a compose file under names that none of its services is known by."""
    for setting, number, host in list(nodes_of_other_names(cluster))[:1]:
        what = (
            f"`{setting.key}` has voter {number} at {host}, which is the name of another container or of none: unless "
            "it is an alias, nobody reaches that voter"
        )
        yield Finding("incomplete", "error", what, setting.origin, "name each voter by its service", "KIP-595")


def voters_at_other_addresses(cluster: Cluster) -> Iterator[Finding]:
    """Voters that two nodes list at different addresses: each asks at its own, and only one of them may be the voter's.
    What a voter lists for itself nobody else uses, and a loopback address means another host on each."""
    first: dict[int, tuple[str, Setting]] = {}
    for node in () if has_dynamic_voters(cluster) else cluster.brokers:
        for id_, address in listed_voters(node):
            host, port = host_of_address(address), address.rpartition(":")[2]
            if id_ == node.id or host in ("", LOOPBACK):
                continue
            other, setting = first.setdefault(id_, (address, readable_settings(node)[VOTERS]))
            if _is_one_name(host, host_of_address(other)) and port == other.rpartition(":")[2]:
                continue
            what = (
                f"`{VOTERS}` has voter {id_} at {address} here, and at {other} there ({setting.origin}): unless both "
                "lead to it, who asks at the wrong one does not reach that voter, and as a voter misses its vote"
            )
            where = readable_settings(node)[VOTERS].origin
            yield Finding("incomplete", "error", what, where, "name each voter by one address in all files", "KIP-595")
            return


def voters_at_other_ports(cluster: Cluster) -> Iterator[Finding]:
    """Voters whom nobody reaches, where the others are a majority without them: they count, and do not vote."""
    for node, setting, address in unheard_voters(cluster):
        ports = ids_text(controller_ports(node))
        what = (
            f"controller {node.id} listens at {ports}, and `{setting.key}` has it at {address} ({setting.origin}): "
            "nobody reaches it, so that it counts among the voters as one that has failed"
        )
        yield Finding("incomplete", "error", what, node.origin, "list it at the port at which it listens", "KIP-595")


def _is_one_name(host: str, other: str) -> bool:
    """Whether two names may be one host's: the same, or one without its domain and one with it."""
    return host == other or host.startswith(f"{other}.") or other.startswith(f"{host}.")


def tolerated_controller_failures(cluster: Cluster) -> Iterator[Finding]:
    """How many controllers may fail: less than half of the voters."""
    quorum = cluster.quorum
    if quorum is None:
        return
    count = len(set(quorum.voters))
    stands = (count - 1) // 2
    severity: Severity = "warning" if stands == 0 else "note"
    if stands == 0 or count % 2 == 0:
        what = f"there {'is 1 controller' if count == 1 else f'are {count} controllers'} with a vote, so "
        if stands == 0:
            what += "none may fail: while no majority is up, no partition gets a new leader"
        else:
            what += f"{stands} may fail, no more than with {count - 1}"
        to_do = "run an odd number of controllers, three or more"
        yield Finding("arithmetic", severity, what, quorum.origin, to_do, "KIP-595")
    combined = [broker for broker in cluster.brokers if set(broker.roles) == {"broker", "controller"}]
    if combined:
        many = "1 node is" if len(combined) == 1 else f"{len(combined)} nodes are"
        what = f"{many} broker and controller at once: one crash takes both a replica and a vote"
        to_do = "in production, run controllers on nodes of their own"
        yield Finding("advice", "note", what, combined[0].origin, to_do, "KIP-500")


def voters_in_one_rack(cluster: Cluster) -> Iterator[Finding]:
    """A rack that has half of the voters, or more, takes the majority with it."""
    quorum = cluster.quorum
    if quorum is None or len(set(quorum.voters)) < 2:
        return
    racks = {broker.id: broker.rack.value for broker in cluster.brokers if broker.rack is not None}
    held = [racks[voter] for voter in dict.fromkeys(quorum.voters) if voter in racks]
    count = len(set(quorum.voters))
    for rack in dict.fromkeys(held):
        if 2 * held.count(rack) >= count:
            what = (
                f"{held.count(rack)} of {count} controllers are in rack {rack}: if it is lost there is no majority, "
                "and no leader that dies is replaced"
            )
            yield Finding("arithmetic", "warning", what, quorum.origin, "a rack for each controller", "KIP-595")


def single_zookeeper_server(cluster: Cluster) -> Iterator[Finding]:
    """An ensemble of one: while it is away nothing is elected, created or taken out of the ISR. 4.0 has none."""
    kafka = cluster.versions.kafka
    if kafka is not None and is_at_least(kafka.value, "4.0") is True:
        return
    stated = [
        setting for broker in cluster.topic_keepers for setting in broker.settings if setting.key == ZOOKEEPER_CONNECT
    ]
    if stated and all(len(zookeeper_servers(setting)) == 1 for setting in stated):
        server = zookeeper_servers(stated[0])[0]
        what = f"zookeeper.connect names one server, {server}: while it is down no leader is replaced"
        to_do = "three servers or five, unless this is the name of a service with several behind it"
        yield Finding("arithmetic", "warning", what, stated[0].origin, to_do, "ZooKeeper, Administrator's Guide")
    yield from _voting_servers(cluster, stated)


def zookeeper_sessions(cluster: Cluster) -> Iterator[Finding]:
    """A broker's session is how long it may be away unnoticed. The models have no clocks, so this is advice: what is
    far from Kafka's defaults, or what ZooKeeper would not grant."""
    seen: set[int] = set()
    for broker in cluster.topic_keepers if cluster.control_plane == "zookeeper" else ():
        session = setting_number(cluster, broker, SESSION)
        if session is None or session in seen:
            continue
        seen.add(session)
        where, what = setting_place(cluster, broker, SESSION), f"{SESSION}={session}: "
        to_do = f"between {SHORT_SESSION} and {LONG_SESSION}, Kafka's defaults before and since 2.5"
        least, most = granted = _session_bounds(cluster)
        if not least <= session <= most:
            said = "where its tickTime is 2000" if cluster.sessions is None else f"({cluster.sessions.origin})"
            what += f"ZooKeeper grants {least} to {most} ms {said}"
            if granted != GRANTED:
                to_do = f"between {least} and {most}, or other sessions in ZooKeeper's file"
            yield Finding("advice", "note", what, where, to_do, "ZooKeeper, Programmer's Guide")
        elif session < SHORT_SESSION:
            what += "a pause of a broker that is longer ends its session, and its leaders move"
            yield Finding("advice", "note", what, where, to_do, "KIP-537")
        elif session > LONG_SESSION:
            what += "for so long no leader is replaced on a broker that is cut off or dead"
            yield Finding("advice", "note", what, where, to_do, "KIP-537")


def _session_bounds(cluster: Cluster) -> tuple[int, int]:
    """Between which bounds ZooKeeper grants a session, in milliseconds."""
    if cluster.sessions is None:
        return GRANTED
    least, _, most = cluster.sessions.value.partition(" to ")
    return int(least), int(most)


def _voting_servers(cluster: Cluster, stated_settings: list[Setting]) -> Iterator[Finding]:
    """How many of the servers that vote may fail, where an odd number would do as well, or where observers hide it."""
    count = len(cluster.zookeepers)
    named = {server for setting in stated_settings for server in zookeeper_servers(setting)}
    if not stated_settings or count == 0 or (count % 2 and not (count == 1 and len(named) > 1)):
        return
    stands = (count - 1) // 2
    what = f"{'one ZooKeeper server votes' if count == 1 else f'{count} ZooKeeper servers vote'}, so "
    what += f"{stands} may fail, no more than with {count - 1}" if stands else "none may fail"
    what += "; without a majority of them no leader is replaced"
    to_do = "an odd number of servers that vote, three or five"
    severity: Severity = "note" if stands else "warning"
    yield Finding("arithmetic", severity, what, stated_settings[0].origin, to_do, "ZooKeeper, Administrator's Guide")


def settings_not_read_by_controllers(cluster: Cluster) -> Iterator[Finding]:
    """In KRaft a broker's own setting does not say whether elections are unclean, in its file or dynamic: before 3.9
    nothing does, and since then what the active controller has for its own node (ConfigurationControlManager)."""
    if cluster.control_plane != "kraft":
        return
    brokers = [keeper for keeper in cluster.brokers if keeper.keeps_topics and "controller" not in keeper.roles]
    given = [controller for controller in cluster.controllers if controller.settings]
    theirs = [_unclean_setting(controller) for controller in given]
    has = sorted({"false" if setting is None else setting.value for setting in theirs})
    stated = [setting for broker in brokers if (setting := _unclean_setting(broker)) is not None]
    wanted = next((setting for setting in stated if setting.value not in (has or ["false"])), None)
    if wanted is not None:
        whose = f", and have {' or '.join(has)}" if has else ", and their files were not given"
        what = f"`{UNCLEAN}={wanted.value}` of brokers alone has no effect: in KRaft the controllers decide{whose}"
        to_do = REMOVE if is_true(wanted.value) else "set it on the controllers, or on each topic"
        yield Finding("advice", "warning", what, wanted.origin, to_do, "ConfigurationControlManager")


def _unclean_setting(broker: Broker) -> Setting | None:
    """What a node has, its dynamic setting before its file's."""
    every = (*broker.settings, *broker.dynamic)
    found = next((setting for setting in reversed(every) if setting.key == UNCLEAN), None)
    return None if found is None else normalize_boolean(found)


EMPTIED_RUN = "tidegate check kraft:kip595 --bounds empty_disk --set voters={} --property acked_value_not_lost"
"""Shows how committed metadata is lost with so many voters, of which one starts again with an empty disk."""

MOST_OF_MODEL = 5
"""The largest number of voters that the model has."""


def quorum_formatted_anew(cluster: Cluster) -> Iterator[Finding]:
    """A controller whose disk is lost does not start until somebody formats it. Where voters are listed by their ids
    alone it votes again then, with nothing of what it had acknowledged (KAFKA-14077); with kraft.version=1 its new
    directory is no voter (KIP-853).

    The model `kraft` says which numbers of voters lose committed metadata with one emptied disk, and a test asks it:
    odd ones, since a majority of them without the emptied voter is no majority of all; even ones keep it.
    """
    quorum = cluster.quorum
    if cluster.control_plane != "kraft" or quorum is None or has_dynamic_quorum(cluster):
        return
    count = len(set(quorum.voters))
    if not loses_with_one_emptied(count):
        return
    beside = voters_on_a_disk(cluster) > 0
    what = (
        "a controller that starts with an empty disk votes, unless kraft.version is 1: if another one lags then, "
        "committed metadata of all topics can be lost"
    )
    what += _OPEN.format("controller's") if beside else "; the rows about lost disks are about brokers' logs alone"
    to_do = (
        "after replacing a controller's disk, let the others catch up before you start it: "
        f"kafka-metadata-quorum.sh {BOOTSTRAP} describe --replication shows how far they are"
    )
    source = f"{EMPTIED_RUN.format(min(count, MOST_OF_MODEL))}; KAFKA-14077, KIP-853"
    yield Finding("not_modelled", "warning" if beside else "note", what, quorum.origin, to_do, source)


_OPEN = "; a broker's disk may be a {} here, so that a row about a lost disk that would keep records is not decided"


def loses_with_one_emptied(voters: int) -> bool:
    """Whether so many voters can lose what they have committed when one of them starts again with nothing: those that
    are left of the smallest majority are as many as those that it was without."""
    return voters > 1 and emptied_voters_that_lose(voters) == 1


def emptied_zookeeper_server(cluster: Cluster) -> Iterator[Finding]:
    """A ZooKeeper server whose disk is lost starts empty, and votes: with one that lags it is a majority that does not
    have the newest writes, where the server that has them is away. Said where the disk may be a broker's, too."""
    loses = loses_with_one_emptied(len(cluster.zookeepers))
    if cluster.control_plane != "zookeeper" or not loses or voters_on_a_disk(cluster) == 0:
        return
    stated = [
        setting for node in cluster.topic_keepers for setting in node.settings if setting.key == ZOOKEEPER_CONNECT
    ]
    if stated:
        what = (
            "the loss of a ZooKeeper server's disk, on a broker's host, is not modelled: one that comes back empty "
            "votes, and if another one lags then, committed metadata of all topics can be lost"
        )
        what += _OPEN.format("ZooKeeper server's")
        to_do = "before it starts again, wait until `mntr` on the leader shows all others as synced followers"
        yield Finding("not_modelled", "note", what, stated[0].origin, to_do, "ZooKeeper, Administrator's Guide")


def unlike_servers(cluster: Cluster) -> Iterator[Finding]:
    """Brokers that name different servers, where no file of ZooKeeper's says which of them vote."""
    if cluster.control_plane != "zookeeper" or cluster.sessions is not None:
        return
    stated = [
        setting for node in cluster.topic_keepers for setting in node.settings if setting.key == ZOOKEEPER_CONNECT
    ]
    for other in stated[1:]:
        if {*zookeeper_servers(stated[0])} != {*zookeeper_servers(other)}:
            what = (
                f"`zookeeper.connect` is {stated[0].value} at {stated[0].origin}, and {other.value} here: the ensemble "
                f"is taken to have all {len(cluster.zookeepers)} servers, which no file says"
            )
            to_do = "name every server that votes in all of them, or give ZooKeeper's own file (zoo.cfg)"
            yield Finding("contradiction", "warning", what, other.origin, to_do, "ZooKeeper, Administrator's Guide")
            return


METADATA, LOGS = declared_key("metadata.log.dir"), (declared_key("log.dirs"), declared_key("log.dir"))


def metadata_on_ephemeral_storage(cluster: Cluster) -> Iterator[Finding]:
    """Controllers keep the metadata of all topics in metadata.log.dir, else in the first of log.dirs (KRaftConfigs).
    Once most of them have lost it, nobody has it, which is not modelled."""
    found = [(directory, node) for node in cluster.controllers if (directory := _metadata_directory(node)) is not None]
    for is_so, why in ((is_in_memory, "is in memory, so that a loss of power takes it"), (is_temporary, EMPTIED)):
        lost = [(setting, node) for setting, node in found if is_so(setting.value.split(",")[0])]
        if not lost:
            continue
        setting = lost[0][0]
        voters = max(len(cluster.quorum.voters) if cluster.quorum else 0, len(cluster.controllers))
        most = 2 * len(lost) > voters and is_so is is_in_memory
        what = f"`{setting.key}={setting.value}` of {len(lost)} of {voters} controllers {why}"
        more = "; with most of them the metadata of all topics is lost, which is not modelled" if most else ""
        kind: Kind = "incomplete" if most else "advice"
        severity: Severity = "error" if most else "warning"
        yield Finding(kind, severity, what + more, setting.origin, "put it on a disk of its own", "KIP-595")
        return


EMPTIED = "is in a temporary folder, which cleaners and restarts empty"


def _metadata_directory(node: Broker) -> Setting | None:
    stated = {setting.key: setting for setting in node.settings}
    return next((stated[key] for key in (METADATA, *LOGS) if key in stated), None)
