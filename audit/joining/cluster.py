"""Many files, one cluster: parts are joined by broker id, topic name and client name; what disagrees is a finding."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ..cluster.addresses import (
    Server,
    address_and_name_pairs,
    conflicting_loopbacks,
    node_address_assumptions,
    servers_and_path,
    zookeeper_servers,
)
from ..cluster.addresses import place_on_hosts as placed_on_hosts
from ..cluster.cluster import Broker, Client, Cluster, Quorum, TopicUse, Versions
from ..cluster.findings import Finding
from ..cluster.settings import base_family
from ..cluster.statements import Origin, StatedValue, Unread, WrongOptionError
from ..kafka import key_names
from ..kafka.keys import declared_key, distribution_names
from ..kafka.releases import METADATA_VERSIONS, is_metadata_version, why_release_not_known
from ..kafka.versions import ControlPlane, is_at_least, is_version, releases_meant
from ..readers.parsed_file import Part, parse_numbers
from ..readers.zookeeper import join_ensemble, note_stand_alone_servers
from .nodes import joined_nodes
from .options import OPTIONS, Options, client_option, refuse_unknown, stated_release, unnamed_clients
from .parts import JoinedParts, withhold_values
from .quorum import join_described_quorums, voter_ids_text
from .racks import place_in_racks
from .topics import joined_topics, planned_topics
from .unread import brokers_without_files, undescribed_topic_text

CONTROLLER_QUORUM_BOOTSTRAP_SERVERS = declared_key("controller.quorum.bootstrap.servers")
CONTROLLER_QUORUM_VOTERS = declared_key("controller.quorum.voters")
ZOOKEEPER_CONNECT = declared_key("zookeeper.connect")


def join_parts(
    parts: Sequence[Part], options: Options, files: tuple[tuple[str, str], ...], unread: Sequence[Unread] = ()
) -> tuple[Cluster, list[Finding]]:
    """One cluster of all parts, and what was found on the way; `unread` is what was given and not read, which is found
    where it may be configuration. Raises WrongOptionError for a wrong option."""
    joined = JoinedParts(parts, [finding for part in parts for finding in part.findings])
    for left in unread:
        joined.note_unread(left)
    topics = joined_topics(joined)
    versions = _joined_versions(joined, options)
    quorum, quorum_doubts = _joined_quorum(joined, versions)
    _refuse_several_clusters(joined)
    ensemble = join_ensemble(joined.parts, joined.findings)
    msk = versions.distribution is not None and versions.distribution.value == "msk"
    nodes = joined_nodes(joined, topics, quorum, of_msk=msk)
    brokers, zookeepers = placed_on_hosts(nodes, quorum, ensemble)
    _note_several_ensembles(joined, brokers)
    unnamed = _note_addresses_beside_names(joined, brokers, zookeepers, quorum)
    brokers, zookeeper_racks, of_racks = place_in_racks(joined.parts, brokers, zookeepers, quorum)
    joined.findings += of_racks
    cluster = Cluster(
        brokers=brokers,
        zookeepers=zookeepers,
        zookeeper_racks=zookeeper_racks,
        sessions=next((fact for part in parts for fact in part.facts.get("zookeeper_sessions", ())), None),
        passing_ensemble=next((fact for part in parts for fact in part.facts.get("passing_ensemble", ())), None),
        quorum=quorum,
        quorum_doubts=quorum_doubts,
        topics=topics,
        clients=_joined_clients(joined, options),
        unnamed_clients=unnamed_clients(options),
        dynamic=joined.agree("all brokers", (s for part in parts for s in part.dynamic)),
        versions=versions,
        uses=tuple(use for part in parts for use in part.uses),
        control_plane=_control_plane(joined),
        files=files,
        unread=tuple(unread),
        whole=any(part.whole for part in parts),
        answering=next((part.answering for part in parts if part.answering is not None), None),
        acks=None if options.acks is None else StatedValue(options.acks, OPTIONS),
        planned_topics=planned_topics(joined, topics),
        assumptions=tuple(dict.fromkeys(assumption for part in parts for assumption in part.assumptions)),
    )
    bare, alike = brokers_without_files(cluster)
    joined.findings += [*bare, *joined.contradictions()]
    assumed = (
        *cluster.assumptions,
        *joined.assumptions,
        *alike,
        *unnamed,
        *_voter_assumptions(quorum, versions),
        *_assumptions_of_voters_without_files(cluster),
        *node_address_assumptions(cluster),
    )
    cluster = replace(cluster, twice=tuple(joined.twice), assumptions=assumed)
    _check_topic_uses(joined, cluster)
    return cluster, joined.findings


def _joined_clients(joined_parts: JoinedParts, options: Options) -> tuple[Client, ...]:
    """Every client as its file and the options say. What is said of one file is stronger than what is said of all."""
    clients = [client for part in joined_parts.parts for client in part.clients]
    clients += _clients_of_both_kinds(clients, [use for part in joined_parts.parts for use in part.uses])
    given = sorted((client_option(text) for text in options.clients), key=lambda option: option[0] is not None)
    for name, family, _ in given:
        if name is not None and not any(client.has_name(name) for client in clients):
            files = ", ".join(dict.fromkeys(client.origin.path for client in clients)) or "none"
            raise WrongOptionError(
                f"--client {name}={family}: no client's file is called so; those that were read: {files}."
            )
    return tuple(_state_client_version(client, given) for client in clients)


def _clients_of_both_kinds(clients: Sequence[Client], uses: Sequence[TopicUse]) -> list[Client]:
    """One file for producers and consumers, where only `audit.toml` says that it is for both."""
    found: dict[tuple[str, str], Client] = {}
    for kind, name in (named for use in uses for named in use.client_names):
        mine = [client for client in clients if client.has_name(name)]
        if mine and all(client.kind != kind for client in mine):
            found[kind, mine[0].origin.path] = replace(mine[0], kind=kind)
    return list(found.values())


def _state_client_version(client: Client, versions: Sequence[tuple[str | None, str, StatedValue | None]]) -> Client:
    for name, family, version in versions:
        if name is None or client.has_name(name):
            client = replace(client, family=StatedValue(family, OPTIONS), version=version)
    aliases = key_names.canonical_names(base_family(client) or "")
    settings = (replace(setting, key=aliases.get(setting.key, setting.key)) for setting in client.settings)
    return replace(client, settings=withhold_values(settings))


def _joined_versions(joined_parts: JoinedParts, options: Options) -> Versions:
    features, contradicted = _joined_features(joined_parts)
    for text in options.features:
        name, mark, level = text.partition("=")
        if not mark or not parse_numbers(level):
            raise WrongOptionError(f"--features {text}: write NAME=LEVEL, such as eligible.leader.replicas.version=1.")
        for said in contradicted.get(name, [features[name]] if name in features else []):
            if said.value != level:
                _note_contradicted(joined_parts, f"--features {text}", said)
                break
        features[name] = StatedValue(level, OPTIONS)
    owner = _stated_distribution(joined_parts, options)
    confluent = owner is not None and owner.value in ("cp-kafka", "cp-server")
    kafka = _stated_or_agreed(joined_parts, "kafka", options.kafka_version, confluent=confluent)
    unknown = _unknown_release(joined_parts, options, kafka)
    if unknown is not None:
        joined_parts.incomplete(unknown.value, unknown.origin, "give the release that it is with --kafka-version")
    before = (
        _release_after_upgrade(joined_parts, kafka) if options.kafka_version and kafka and unknown is None else None
    )
    metadata_version = _stated_or_agreed(joined_parts, "metadata_version", options.metadata_version)
    if before is not None and kafka is not None:
        metadata_version = metadata_version or _metadata_version_after_upgrade(joined_parts, before)
        said = f"as if upgraded from {before.value} ({before.origin}) to {kafka.value}, and nothing else were changed"
        joined_parts.assumptions.append(f"{said}; metadata.version stays what it is until kafka-features.sh raises it")
    return Versions(
        unknown=unknown,
        kafka=kafka if unknown is None else None,
        upgraded_from=before,
        metadata_version=metadata_version,
        inter_broker_protocol=_stated_or_agreed(joined_parts, "inter_broker_protocol", options.inter_broker_protocol),
        features=features,
        all_features=not contradicted and any(part.all_features for part in joined_parts.parts),
        distribution=owner,
        protocols=()
        if options.inter_broker_protocol
        else _contradicting_statements(joined_parts, "inter_broker_protocol"),
        contradicting_versions=dict(_contradicting_versions(joined_parts, options)),
    )


def _joined_features(joined_parts: JoinedParts) -> tuple[dict[str, StatedValue], dict[str, list[StatedValue]]]:
    """The level of each feature, and those of which files state several levels: nothing says which one is finalized. A
    feature that a whole list leaves out has level 0."""
    whole = [part for part in joined_parts.parts if part.all_features]
    names = dict.fromkeys(name for part in joined_parts.parts for name in part.features)
    agreed: dict[str, StatedValue] = {}
    contradicted: dict[str, list[StatedValue]] = {}
    for name in names:
        stated = [part.features[name] for part in joined_parts.parts if name in part.features]
        stated += [StatedValue("0", _place_of_part(part)) for part in whole if name not in part.features]
        if len({said.value for said in stated}) > 1:
            contradicted[name] = stated
            joined_parts.contradict(f"`{name}`", stated)
        else:
            agreed[name] = stated[0]
    return agreed, contradicted


def _release_after_upgrade(joined_parts: JoinedParts, planned_release: StatedValue) -> StatedValue | None:
    """The release that all files state, where that which the option plans is a newer one; else None."""
    stated = [fact for fact in _statements_of_fact(joined_parts, "kafka") if is_version(fact.value)]
    if not stated or _contradicting_statements(joined_parts, "kafka"):
        return None
    before = max(stated, key=lambda fact: len(fact.value))
    return before if releases_meant(before.value)[1] < releases_meant(planned_release.value)[0] else None


def _metadata_version_after_upgrade(joined_parts: JoinedParts, release_before: StatedValue) -> StatedValue | None:
    """What metadata.version is at most once the software is upgraded, where no file states it: that of the release
    before. With ZooKeeper brokers speak the protocol of their software, unless it is set."""
    if _control_plane(joined_parts) == "zookeeper" or _statements_of_fact(joined_parts, "metadata_version"):
        return None
    release = ".".join(map(str, releases_meant(release_before.value)[0][:2]))
    return StatedValue(release, release_before.origin, f"at most, as Kafka {release_before.value} has it")


def _contradicting_versions(
    joined_parts: JoinedParts, options: Options
) -> Iterator[tuple[str, tuple[StatedValue, ...]]]:
    """What files state that cannot hold at once, and no option decides, by what it is of."""
    for name, called, option in (
        ("kafka", "version", options.kafka_version),
        ("metadata_version", "metadata.version", options.metadata_version),
        ("distribution", "distribution", options.distribution),
    ):
        if option is None and (differing := _contradicting_statements(joined_parts, name)):
            yield called, differing


def _unknown_release(joined_parts: JoinedParts, options: Options, kafka: StatedValue | None) -> StatedValue | None:
    """The first release that is stated and not known, in words: the option's, or those of files; then a
    metadata.version."""
    named = [kafka] if options.kafka_version and kafka else _statements_of_fact(joined_parts, "kafka")
    for fact in named:
        if why := why_release_not_known(fact.value):
            return StatedValue(f"Kafka {fact.value} is not known: {why}", fact.origin)
    for fact in () if options.kafka_version else _statements_of_fact(joined_parts, "unknown_release"):
        return StatedValue(f"{fact.value} is not known", fact.origin)
    level = options.metadata_version
    for fact in (
        (stated_release("--metadata-version", level),)
        if level
        else _statements_of_fact(joined_parts, "metadata_version")
    ):
        if is_version(fact.value) and not is_metadata_version(fact.value):
            newest = METADATA_VERSIONS[-1]
            return StatedValue(
                f"metadata.version {fact.value} is not known: {newest} is the newest one here", fact.origin
            )
    return None


def _statements_of_fact(joined_parts: JoinedParts, name: str) -> list[StatedValue]:
    """What all parts state of one thing."""
    return [fact for part in joined_parts.parts for fact in part.facts.get(name, ())]


def _stated_or_agreed(
    joined_parts: JoinedParts, name: str, option: str | None, *, confluent: bool = False
) -> StatedValue | None:
    """A version as its option says, else as all files do."""
    agreed = _agreed_statement(joined_parts, name) if option is None or name == "kafka" else None
    if option is None:
        return agreed
    said = stated_release(_option_name(name), option, confluent=confluent)
    is_upgrade = name == "kafka" and _release_after_upgrade(joined_parts, said) is not None
    for fact in () if is_upgrade else _statements_of_fact(joined_parts, name):
        if is_version(fact.value) and not _can_both_hold(name, fact.value, said.value):
            _note_contradicted(joined_parts, f"{_option_name(name)} {said.value}", fact)
            break
    return said


def _note_contradicted(joined_parts: JoinedParts, option: str, fact: StatedValue) -> None:
    """That an option says another version or level than a file, which leaves open what runs."""
    what = f"{option} contradicts {fact.value}, which the files state: which of them runs is not known"
    name = option.partition(" ")[0]
    joined_parts.incomplete(what, fact.origin, f"leave {name} out, or correct the files")


def _stated_distribution(joined_parts: JoinedParts, options: Options) -> StatedValue | None:
    """What the option says, else what the files state, else what the keys of brokers' own files let us assume."""
    if options.distribution:
        refuse_unknown(
            "--distribution", options.distribution, "distribution", options.distribution, distribution_names()
        )
        return StatedValue(options.distribution, OPTIONS)
    if any("distribution" in part.facts for part in joined_parts.parts):
        return _agreed_statement(joined_parts, "distribution")
    return _agreed_statement(joined_parts, "distribution_of_own_file")


def _contradicting_statements(joined_parts: JoinedParts, name: str) -> tuple[StatedValue, ...]:
    """Every version that is stated, each once, if they cannot all hold at once."""
    of_version = name != "distribution"
    facts = [fact for fact in _statements_of_fact(joined_parts, name) if not of_version or is_version(fact.value)]
    found = {fact.value: fact for fact in reversed(facts)}
    apart = any(not _can_both_hold(name, one, other) for one in found for other in found)
    return tuple(found[text] for text in sorted(found, key=releases_meant if of_version else str)) if apart else ()


def _agreed_statement(joined_parts: JoinedParts, name: str) -> StatedValue | None:
    """The most exact statement if all of them can hold at once, else None and a finding."""
    facts = _statements_of_fact(joined_parts, name)
    if not name.startswith("distribution"):
        facts = [fact for fact in facts if is_version(fact.value)]
    if not facts:
        return None
    best = max(facts, key=lambda fact: (not fact.assumption, len(fact.value)))
    for fact in facts:
        if not _can_both_hold(name, fact.value, best.value):
            if name == "kafka":
                _note_mixed_releases(joined_parts, best, fact)
            elif name == "metadata_version":
                joined_parts.contradict("`metadata.version`", [best, fact])
            else:
                what = f"the {name.replace('_', ' ')} is {fact.value} here and {best.value} there"
                joined_parts.disagree(what, best.origin, fact.origin, f"say which with {_option_name(name)}")
            return None
    return best


def _note_mixed_releases(joined_parts: JoinedParts, one: StatedValue, other: StatedValue) -> None:
    """That nodes are of several releases, which no option takes back."""
    what = f"the kafka is {other.value} here and {one.value} there ({one.origin}): how brokers of several releases work"
    what += " together, as in a rolling upgrade, is not modelled"
    joined_parts.incomplete(what, other.origin, "give the files of one release, as before or after the upgrade")


def _option_name(name: str) -> str:
    return "--kafka-version" if name == "kafka" else f"--{name.replace('_', '-')}"


def _can_both_hold(name: str, one: str, other: str) -> bool:
    if name.startswith("distribution") or one == other:
        return one == other
    if name == "metadata_version" and "-IV" in one and "-IV" in other:
        return one == other
    (low, high), (least, most) = releases_meant(one), releases_meant(other)
    return low <= most and least <= high


def _control_plane(joined_parts: JoinedParts) -> ControlPlane | None:
    planes: set[ControlPlane] = {part.control_plane for part in joined_parts.parts if part.control_plane is not None}
    if len(planes) < 2:
        return planes.pop() if planes else None
    of = {part.control_plane: part for part in joined_parts.parts}
    first, second = (_place_of_part(of[plane]) for plane in ("zookeeper", "kraft"))
    what = "some files are of a cluster with ZooKeeper, others of one with KRaft"
    joined_parts.disagree(what, first, second, "give the files of one cluster, of one side of a migration")
    return None


def _place_of_part(part: Part) -> Origin:
    stated = [*part.brokers, *(fact for facts in part.facts.values() for fact in facts), *part.features.values()]
    return stated[0].origin if stated else Origin(part.format)


def _joined_quorum(joined_parts: JoinedParts, versions: Versions) -> tuple[Quorum | None, tuple[str, ...]]:
    """As the controllers say, else as the brokers' files do; and why something of it is not known."""
    ordered = sorted(joined_parts.parts, key=lambda part: not part.format.endswith("--status"))
    described = [quorum for part in ordered for quorum in part.quorums]
    level = versions.features.get("kraft.version")
    dynamic = None if level is None else level.value != "0"
    unread = tuple(doubt for part in ordered for doubt in part.quorum_doubts)
    if described:
        quorum, doubts = join_described_quorums(joined_parts, described, level)
        return quorum, (*unread, *doubts)
    nodes = [broker for part in joined_parts.parts for broker in part.brokers]
    listed = _listed_voters(sorted(nodes, key=lambda node: "controller" not in node.roles))
    if listed and dynamic:
        what = "`controller.quorum.voters` decides nothing with kraft.version 1: voters are those in the log (KIP-853)"
        joined_parts.incomplete(what, listed[0].origin, STATUS)
        return None, unread
    for other in listed[1:]:
        if set(other.voters) != set(listed[0].voters):
            what = f"`controller.quorum.voters` has voters {voter_ids_text(other)} here, "
            what += f"{voter_ids_text(listed[0])} there"
            where = f"{what} ({listed[0].origin}): by these files the nodes are not of one quorum"
            joined_parts.incomplete(where, other.origin, "give every node the same voters")
            break
    return listed[0] if listed else _quorum_by_roles(joined_parts, nodes), unread


def _voter_assumptions(quorum: Quorum | None, versions: Versions) -> list[str]:
    """What is taken for granted of the voters that files list: since 4.1 an upgrade of all features makes their quorum
    dynamic, and leaves the files as they are (KAFKA-16538, KAFKA-21426)."""
    stated, kafka = versions.features.get("kraft.version"), versions.kafka
    listed = quorum is not None and quorum.dynamic is False
    if not listed or stated is not None or kafka is None or is_at_least(kafka.value, "4.1") is False:
        return []
    return [
        "the controllers of `controller.quorum.voters` are those that vote; with kraft.version 1, which "
        "`kafka-features.sh upgrade --release-version` sets, others may (kafka-metadata-quorum.sh describe --status)"
    ]


def _assumptions_of_voters_without_files(cluster: Cluster) -> list[str]:
    """What is taken for granted of voters of which no file was given beside those of others."""
    voters = set(cluster.quorum.voters) if cluster.quorum is not None else set[int]()
    given = {node.id for node in cluster.controllers if node.settings}
    bare = sorted(voters - given)
    if not bare or not voters & given:
        return []
    who = ", ".join(map(str, bare))
    one = f"controller {who}, of which no file was given, runs and is reached by the others"
    return [one if len(bare) == 1 else f"controllers {who}, of which no files were given, run and reach each other"]


STATUS = "give what kafka-metadata-quorum.sh describe --status prints"


def _listed_voters(nodes: Sequence[Broker]) -> list[Quorum]:
    """The voters that each node lists; the controllers', which decide, are the first."""
    settings = [setting for node in nodes for setting in node.settings if setting.key == CONTROLLER_QUORUM_VOTERS]
    found = [(setting.origin, re.findall(r"(?:^|,)\s*(\d{1,9})@", setting.value)) for setting in settings]
    return [Quorum(tuple(map(int, voters)), origin, dynamic=False) for origin, voters in found if voters]


def _quorum_by_roles(joined_parts: JoinedParts, nodes: Sequence[Broker]) -> Quorum | None:
    """The nodes that are controllers, where no voters are listed: Strimzi lists none. None in a dynamic quorum
    (KIP-853) of several: its servers are those to be asked first, and its voters are in the log alone, of one that was
    formatted as standalone and of those that were added since."""
    found = {node.id or 0: node for node in nodes if node.id is not None and "controller" in node.roles}
    named = [s for node in nodes for s in node.settings if s.key == CONTROLLER_QUORUM_BOOTSTRAP_SERVERS]
    if named and (len(found) > 1 or any("," in setting.value for setting in named)):
        what = f"`{named[0].key}` says whom to ask, and not which controllers vote (KIP-853)"
        joined_parts.incomplete(what, named[0].origin, STATUS)
        return None
    if not found:
        _note_missing_pools(joined_parts)
        return None
    first = next(iter(found.values()))
    return Quorum(tuple(found), first.origin)


def _note_missing_pools(joined_parts: JoinedParts) -> None:
    """A cluster of Strimzi's none of whose node pools has controllers: nobody elects leaders, or pools are missing."""
    pools = [
        part for part in joined_parts.parts if part.format == "Strimzi resources" and part.control_plane == "kraft"
    ]
    brokers = [broker for part in pools for broker in part.brokers]
    if brokers and all(broker.roles == ("broker",) for broker in brokers):
        what = "no node pool has the role controller: who elects leaders is not described"
        joined_parts.incomplete(what, brokers[0].origin, "give every KafkaNodePool of the cluster")


MEETING = {declared_key("zookeeper.connect"): 2181, declared_key("controller.quorum.bootstrap.servers"): None}
"""Where the nodes of one cluster meet, with the port that need not be written."""


def _refuse_several_clusters(joined_parts: JoinedParts) -> None:
    """Nodes that meet nowhere are of different clusters: other servers, or another path below the same ones.

    ZooKeeper's client takes all from the first slash on for the path below which it reads and writes everything
    (ConnectStringParser). An address list may leave servers out, so one that both name is enough.
    """
    settings = [setting for part in joined_parts.parts for broker in part.brokers for setting in broker.settings]
    for key, port in MEETING.items():
        places = [(setting, servers_and_path(setting.value, port)) for setting in settings if setting.key == key]
        for (first, (servers, path)), (other, (others, below)) in pairwise(places):
            if path != below or not {*servers} & {*others}:
                what = f"`{key}` is {first.value} at {first.origin}, and {other.value} here"
                same = "write one path in all of them" if path != below else "name one server in all of them"
                to_do = f"give the files of one cluster, or {same}"
                joined_parts.incomplete(f"{what}: by these files the nodes are not of one cluster", other.origin, to_do)
                break


def _note_several_ensembles(joined_parts: JoinedParts, brokers: Sequence[Broker]) -> None:
    """Brokers on several hosts, each with the ZooKeeper server of its own host; and servers that stand alone."""
    stated = [setting for broker in brokers for setting in broker.settings if setting.key == ZOOKEEPER_CONNECT]
    if stated:
        named = [server for setting in stated if "$" not in setting.value for server in zookeeper_servers(setting)]
        note_stand_alone_servers(joined_parts.parts, tuple(dict.fromkeys(named)), joined_parts.findings)
    if (local := conflicting_loopbacks(brokers)) is not None:
        first, second = local
        what = f"`{first.key}` is {first.value} at {first.origin}, and {second.value} here, each on a host of its own"
        to_do = "name every server of the ensemble by its host"
        joined_parts.incomplete(f"{what}: no file says whether these servers are of one ensemble", second.origin, to_do)


def _note_addresses_beside_names(
    joined_parts: JoinedParts, brokers: Sequence[Broker], zookeepers: Sequence[Server], quorum: Quorum | None
) -> list[str]:
    """Hosts of which some are named and others have addresses: two of one kind leave the audit undecided, and that two
    of different kinds stand apart is assumed."""
    within, between = address_and_name_pairs(brokers, zookeepers, quorum)
    for (one, at), (other, called) in within:
        what = f"{one} is known by an address alone ({min(at)}), and {other} by a name alone ({min(called)})"
        where = next((broker.origin for broker in brokers if f"broker {broker.id}" == one), brokers[0].origin)
        joined_parts.incomplete(f"{what}: no file says whether that is one host", where, "write all hosts in one way")
    return [
        f"{one} ({min(at)}) and {other} ({min(called)}) are on different hosts, and so are others like them"
        for (one, at), (other, called) in between
    ]


def _check_topic_uses(joined_parts: JoinedParts, cluster: Cluster) -> None:
    """A mapping that names a client which is not there, or no topic, must not be taken for one that says nothing."""
    for use in cluster.uses:
        embedded = any(
            client.is_embedded for _, name in use.client_names if (client := cluster.client(name)) is not None
        )
        what = "" if use.subject != "topic" or embedded else undescribed_topic_text(joined_parts.parts, cluster, use)
        if what:
            to_do = "describe all topics, or correct the pattern, which is matched whole"
            joined_parts.incomplete(what, use.origin, to_do)
        for kind, name in use.client_names:
            _note_ambiguous_client(joined_parts, cluster, use, kind, name)
            if cluster.client(name) is None:
                what = (
                    f"{use.subject} {use.pattern} is said to use {name}, "
                    "which is not among the client files that were read"
                )
                to_do = "give that file too, or correct its name"
                joined_parts.findings.append(Finding("contradiction", "error", what, use.origin, to_do))


def _note_ambiguous_client(joined_parts: JoinedParts, cluster: Cluster, use: TopicUse, kind: str, name: str) -> None:
    """A name that several files have, whose clients are not set alike: nothing says which one is meant."""
    named = [client for client in cluster.clients if client.kind == kind and client.has_name(name)]
    if not named or named[0].origin.path == name:
        return
    first = named[0]
    for other in named[1:]:
        pairs = [{(setting.key, setting.value, setting.when) for setting in one.settings} for one in (first, other)]
        if other.origin.path != first.origin.path and pairs[0] != pairs[1]:
            which = " and ".join(sorted([first.origin.path, other.origin.path]))
            what = f"{use.subject} {use.pattern} is said to use {name}, which is the name of {which}, and these differ"
            joined_parts.incomplete(what, use.origin, "name each file by its path")
            return
