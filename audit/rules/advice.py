"""Rules of arithmetic and of experience: what numbers and facts alone say, without a question to the model.

Each finding is marked: `arithmetic` follows, `advice` is a rule of operators, `latent` is ignored by this version and
harms after an upgrade, `contradiction` cannot work. The same mistake of many topics is one finding, with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from posixpath import dirname, join, normpath

from ..answers.requirements import check_stated_requirements
from ..cluster.cluster import NEW_TOPICS, Broker, Cluster, Topic
from ..cluster.directories import is_in_memory, is_temporary
from ..cluster.findings import Finding
from ..cluster.settings import omitted_settings, setting_number, setting_place, setting_value
from ..cluster.statements import Origin, StatedValue, Unknown
from ..facts.topic_creation import REPLICAS_SET_BY, creating_nodes
from ..kafka.internal_topics import OFFSETS, TRANSACTIONS
from ..kafka.keys import KeyName, declared_key, is_false, is_true, settings_table
from ..kafka.topic_settings import MIN_ISR_OF, REPLICAS_OF
from ..kafka.transactions import UNVERIFIED
from ..kafka.versions import is_at_least
from .clients import client_rules
from .controllers import controller_rules
from .internal_topics import internal_topic_rules
from .invalid_settings import invalid_settings
from .limits import limit_rules
from .replicas import (
    eligible_without_copies,
    moves_between_directories,
    replicas_without_a_broker,
    running_reassignments,
)
from .transactions import HANGS, UNFENCED, run_to_hazard, transaction_rules
from .unclean import unclean_rules
from .uses import use_rules
from .versions import version_rules

AUTO_CREATE_TOPICS_ENABLE = declared_key("auto.create.topics.enable")
BROKER_RACK = declared_key("broker.rack")
DEFAULT_REPLICATION_FACTOR = declared_key("default.replication.factor")
LOG_DIRS = declared_key("log.dirs")
MIN_INSYNC_REPLICAS = declared_key("min.insync.replicas")
OFFSETS_COMMIT_REQUIRED_ACKS = declared_key("offsets.commit.required.acks")
REPLICA_FETCH_WAIT_MAX_MS = declared_key("replica.fetch.wait.max.ms")
REPLICA_LAG_TIME_MAX_MS = declared_key("replica.lag.time.max.ms")
TRANSACTION_PARTITION_VERIFICATION_ENABLE = declared_key("transaction.partition.verification.enable")
TRANSACTION_STATE_LOG_MIN_ISR = declared_key("transaction.state.log.min.isr")
UNCLEAN_LEADER_ELECTION_ENABLE = declared_key("unclean.leader.election.enable")

Rule = Callable[[Cluster], Iterator[Finding]]

DURABILITY = (
    declared_key("min.insync.replicas"),
    UNCLEAN_LEADER_ELECTION_ENABLE,
    declared_key("flush.messages"),
)
"""What of a topic decides whether it loses, and may be set for brokers as well."""


ReadCluster = tuple[Cluster, tuple[Finding, ...]]
"""A cluster, and what readers and rules find in it, each once."""


def apply_rules(cluster: Cluster, findings: Sequence[Finding]) -> ReadCluster:
    """A cluster with what its readers found, and then what rules find. Rules ask small models: within `kept_in` their
    answers are kept. Raises UnreadableInputError for an entry of audit.toml that requires what there is not."""
    check_stated_requirements(cluster.uses)
    return cluster, tuple(
        dict.fromkeys([*findings, *use_rules(cluster), *invalid_settings(cluster), *advice_findings(cluster)])
    )


def advice_findings(cluster: Cluster) -> tuple[Finding, ...]:
    """What follows from the cluster by rule, the gravest first; each finding once."""
    rules: tuple[Rule, ...] = (
        min_isr_above_replicas,
        brokers_that_differ,
        creators_that_differ,
        descriptions_without,
        topics_weaker_than_default,
        replicas_in_one_rack,
        internal_topics,
        unverified_writes,
        replication_by_default,
        lag_time_below_fetch_wait,
        storage_findings,
        replicas_without_a_broker,
        running_reassignments,
        eligible_without_copies,
        moves_between_directories,
        racks_of_brokers,
        racks_of_hosts,
        nodes_on_one_machine,
        folders_of_two_files,
        controller_rules,
        version_rules,
        client_rules,
        transaction_rules,
        unclean_rules,
        limit_rules,
        internal_topic_rules,
    )
    found = dict.fromkeys(finding for rule in rules for finding in rule(cluster))
    return tuple(sorted(found, key=lambda finding: ("error", "warning", "note").index(finding.severity)))


def folders_of_two_files(cluster: Cluster) -> Iterator[Finding]:
    """Services of two compose files whose logs lie in one folder of a host, or on one volume of a project: unless the
    files run on different hosts, the second broker finds it locked (`startup.nodes` has those of one file)."""
    first: dict[str, Broker] = {}
    for node in cluster.brokers:
        for _, named in node.log_mounts if node.pod is None else ():
            kind, _, path = named.partition(" ")
            other = first.setdefault(f"{kind} {normpath(join(dirname(node.origin.path), path))}", node)
            if other.origin.path != node.origin.path:
                what = (
                    f"the log of {node.origin.place} is the {named}, as is that of {other.origin.place} "
                    f"({other.origin}): unless these files run on different hosts, one of the two does not start"
                )
                to_do = "a place for each, or run each file on a host of its own"
                yield Finding("incomplete", "error", what, node.origin, to_do, "LogManager.lockLogDirs")
                return


def replica_counts(topic: Topic) -> set[int]:
    """How many replicas its partitions have: one number, unless a reassignment was left half done."""
    if topic.partitions:
        return {len(set(partition.replicas) - set(partition.adding)) for partition in topic.partitions}
    return set() if topic.replication_factor is None else {topic.replication_factor}


def topics_text(names: list[str]) -> str:
    """Topics in words: the first, and how many more."""
    return f"topic {names[0]}" if len(names) == 1 else f"{len(names)} topics, such as {names[0]},"


def min_isr_above_replicas(cluster: Cluster) -> Iterator[Finding]:
    """KIP-966 and KAFKA-15583: before 3.7 such a topic takes no acks=all write, since then the number is capped."""
    groups: dict[tuple[int, int], list[Topic]] = {}
    for topic in cluster.topics:
        least = setting_number(cluster, topic, MIN_INSYNC_REPLICAS)
        for factor in replica_counts(topic):
            if least is not None and least > factor:
                groups.setdefault((least, factor), []).append(topic)
    kafka = cluster.versions.kafka
    capped = is_at_least(kafka.value, "3.7") if kafka is not None else None
    for (least, factor), topics in groups.items():
        then = {
            True: f"this version takes it as {factor}, so a write is acknowledged with fewer copies than it says",
            False: "every write with acks=all is refused",
            None: "before 3.7 every write with acks=all is refused, since 3.7 it is silently taken as the lesser",
        }[capped]
        some = topics_text([topic.name for topic in topics])
        many = "one replica" if factor == 1 else f"{factor} replicas"
        what = f"{some} with min.insync.replicas={least} and {many}: {then}"
        where = setting_place(cluster, topics[0], MIN_INSYNC_REPLICAS)
        to_do = f"raise the replication factor to {least + 1}, or lower min.insync.replicas to {max(1, factor - 1)}"
        yield Finding("arithmetic", "error", what, where, to_do, "KAFKA-15583")


def _durability_keys_of_brokers(cluster: Cluster) -> Sequence[KeyName]:
    """What of `DURABILITY` brokers decide: in KRaft the controllers decide whether elections are unclean."""
    return [key for key in DURABILITY if cluster.control_plane != "kraft" or key != UNCLEAN_LEADER_ELECTION_ENABLE]


def brokers_that_differ(cluster: Cluster) -> Iterator[Finding]:
    """A topic takes its defaults from the broker that leads it, so that a change of leader changes them."""
    for key in (*_durability_keys_of_brokers(cluster), REPLICA_LAG_TIME_MAX_MS):
        answers = {
            keeper.id: setting_value(cluster, keeper, settings_table()[key].broker_names[0])
            for keeper in cluster.topic_keepers
        }
        values = {number: answer.value for number, answer in answers.items() if not isinstance(answer, Unknown)}
        if len(set(values.values())) > 1:
            said = ", ".join(f"broker {number} has {value}" for number, value in values.items())
            stated = [answer.origin for answer in answers.values() if isinstance(answer, StatedValue)]
            what = f"{settings_table()[key].broker_names[0]} is not the same on all brokers: {said}"
            to_do = "make it the same everywhere, or set it on each topic"
            yield Finding("contradiction", "error", what, stated[-1], to_do)


MADE_WITH = (*REPLICAS_SET_BY.values(), *MIN_ISR_OF.values())
"""What of a topic is decided by the broker that makes it, and never changes with the brokers' files again."""


def creators_that_differ(cluster: Cluster) -> Iterator[Finding]:
    """A topic is made with what the broker has that is asked first: the same files give one cluster or another."""
    names = {key: name for table_ in (REPLICAS_SET_BY, MIN_ISR_OF) for name, key in table_.items()}
    there = {topic.name for topic in cluster.topics}
    for key in MADE_WITH:
        answers = {node: setting_value(cluster, node, key) for node in creating_nodes(cluster, names[key])}
        values = {node: said.value for node, said in answers.items() if not isinstance(said, Unknown)}
        stated = [said.origin for said in answers.values() if isinstance(said, StatedValue)]
        if len(set(values.values())) > 1 and stated:
            if any(not node.keeps_topics for node in values):
                yield _controllers_differ(key, values, stated[-1])
                continue
            said = ", ".join(f"broker {node.id} has {value}" for node, value in values.items())
            which = names[key] if names[key] != NEW_TOPICS else "a new topic"
            then = "it has been made by one of them" if names[key] in there else "it is made as the broker has it that"
            then += "" if names[key] in there else " is asked first"
            what = f"{key} is not the same on all brokers: {said}; of {which}: {then}"
            yield Finding("contradiction", "error", what, stated[-1], "make it the same everywhere", "KIP-115")


def _controllers_differ(key: KeyName, values: Mapping[Broker, str], where: Origin) -> Finding:
    """A topic that is created without a number of replicas has the active controller's, not the brokers'."""
    said = ", ".join(
        f"{'broker' if node.keeps_topics else 'controller'} {node.id} has {value}" for node, value in values.items()
    )
    then = "made on first use it has the broker's, created without a number of replicas (-1) the active controller's"
    what = f"{key} is not the same on all brokers and controllers: {said}; of a new topic: {then}"
    to_do = "make it the same everywhere, in the controllers' files as well"
    return Finding("contradiction", "warning", what, where, to_do, "ReplicationControlManager")


def descriptions_without(cluster: Cluster) -> Iterator[Finding]:
    """A file that says more than the description of a topic: the broker has not read it, or ZooKeeper was asked."""
    for key in _durability_keys_of_brokers(cluster):
        groups: dict[StatedValue, list[str]] = {}
        for topic in cluster.topics:
            for said in omitted_settings(cluster, topic, settings_table()[key]):
                groups.setdefault(said, []).append(topic.name)
        for said, names in groups.items():
            some = topics_text(names)
            what = f"{some} described without {key}, though {said.origin} sets {said.value}: which holds is open"
            to_do = (
                "restart the broker with this file, and describe the topic with --bootstrap-server (2.2 and later), "
            )
            to_do += "which shows it"
            first = next(topic for topic in cluster.topics if topic.name == names[0])
            yield Finding("contradiction", "warning", what, first.origin, to_do)


def topics_weaker_than_default(cluster: Cluster) -> Iterator[Finding]:
    """A cluster-wide dynamic setting hides the brokers' files: Kafka 4.1 writes one of its own when it is formatted."""
    wide = {
        setting.key: setting
        for setting in cluster.dynamic
        if setting.key == MIN_INSYNC_REPLICAS and setting.value.isdigit()
    }
    for broker in cluster.topic_keepers:
        for setting in broker.settings:
            over = wide.get(setting.key)
            if over is not None and setting.value.isdigit() and int(over.value) < int(setting.value):
                what = (
                    f"min.insync.replicas={setting.value} in the brokers' files has no effect: the cluster-wide "
                    f"dynamic setting is {over.value} ({over.origin}), and it is stronger"
                )
                to_do = (
                    "kafka-configs.sh --alter --entity-type brokers --entity-default "
                    f"--add-config min.insync.replicas={setting.value}"
                )
                yield Finding("contradiction", "error", what, setting.origin, to_do, "KIP-226, KIP-966")
                return


def replicas_in_one_rack(cluster: Cluster) -> Iterator[Finding]:
    """Replicas of one partition that share a rack are lost together."""
    racks = {broker.id: broker.rack.value for broker in cluster.brokers if broker.rack is not None}
    if len(set(racks.values())) < 2:
        return
    shared = [
        topic
        for topic in cluster.topics
        if any(
            len(partition.replicas) > 1
            and all(replica in racks for replica in partition.replicas)
            and len({racks[replica] for replica in partition.replicas}) == 1
            for partition in topic.partitions
        )
    ]
    if shared:
        what = f"{topics_text([topic.name for topic in shared])} with a partition whose replicas are all in one rack"
        to_do = "kafka-reassign-partitions.sh --generate spreads them, if every broker has a rack"
        yield Finding("arithmetic", "warning", what, shared[0].origin, to_do, "KIP-36")


_DEPENDS_ON = {OFFSETS: "groups", TRANSACTIONS: "transactional producers"}


def _drop_repeated_findings(rule: Rule) -> Rule:
    """A rule that looks at each broker's file, with what it says of several of them alike said once."""

    @wraps(rule)
    def said_once(cluster: Cluster) -> Iterator[Finding]:
        found: dict[str, Finding] = {}
        for finding in rule(cluster):
            found.setdefault(finding.what, finding)
        yield from found.values()

    return said_once


_CAPPED = {
    True: "since 3.7 it is taken for that number, so that none of them may be missing",
    False: "no transaction begins or ends",
    None: "before 3.7 no transaction begins or ends, since 3.7 it is taken for that number",
}


@_drop_repeated_findings
def internal_topics(cluster: Cluster) -> Iterator[Finding]:
    """The keys speak of the topic's creation; an existing topic keeps the replicas that it was made with."""
    given = cluster.topic_keepers
    for name, who in _DEPENDS_ON.items():
        key = REPLICAS_OF[name]
        topic = next((known for known in cluster.topics if known.name == name), None)
        for broker in given:
            wanted, where = setting_number(cluster, broker, key), setting_place(cluster, broker, key)
            if (
                topic is not None
                and replica_counts(topic)
                and wanted is not None
                and max(replica_counts(topic)) < wanted
            ):
                has = max(replica_counts(topic))
                what = (
                    f"{key} is {wanted}, but {name} was made with {has}, and keeps it: {who} depend on {has} broker(s)"
                )
                yield Finding("contradiction", "error", what, where, "kafka-reassign-partitions.sh", "KAFKA-3959")
    kafka = cluster.versions.kafka
    capped = is_at_least(kafka.value, "3.7") if kafka is not None else None
    for broker in given:
        least = setting_number(cluster, broker, TRANSACTION_STATE_LOG_MIN_ISR)
        factor = setting_number(cluster, broker, REPLICAS_OF[TRANSACTIONS])
        where = setting_place(cluster, broker, TRANSACTION_STATE_LOG_MIN_ISR)
        if least is not None and factor is not None and least > factor:
            what = f"transaction.state.log.min.isr={least} is above its replication factor {factor}: {_CAPPED[capped]}"
            yield Finding("arithmetic", "error", what, where, f"at most {factor}", "by rule: KIP-98, KAFKA-15583")
        if least == 1 and (factor or 0) > 1:
            what = (
                f"transaction.state.log.min.isr=1 with {factor} replicas: with one in sync, a loss of power can lose "
                "that a transaction was committed, and what it wrote is aborted"
            )
            yield Finding("advice", "warning", what, where, "2, which is the default", "by rule: KIP-98")
        acks = setting_number(cluster, broker, OFFSETS_COMMIT_REQUIRED_ACKS)
        if acks is not None and acks != -1:
            does = "committed offsets can be lost with one broker" if acks in (0, 1) else "every commit is refused"
            what = f"offsets.commit.required.acks={acks}: {does}"
            where = setting_place(cluster, broker, OFFSETS_COMMIT_REQUIRED_ACKS)
            yield Finding("advice", "warning", what, where, "remove it; the default is -1", "KIP-1041")


@_drop_repeated_findings
def unverified_writes(cluster: Cluster) -> Iterator[Finding]:
    """KIP-890 switched off: what a write that is late does then, the model says. Since 4.0 leaders ask all the same
    about clients that speak transaction version 2."""
    key, kafka = TRANSACTION_PARTITION_VERIFICATION_ENABLE, cluster.versions.kafka
    if kafka is not None and is_at_least(kafka.value, "3.6") is False:
        return
    old = kafka is not None and is_at_least(kafka.value, "4.0") is False
    whose = "" if old else "where transaction.version is below 2, or a client is before 4.0, "
    verifies_offsets = kafka is None or is_at_least(kafka.value, "3.7") is not False
    for broker in cluster.topic_keepers:
        found = setting_value(cluster, broker, key)
        if not isinstance(found, StatedValue) or not is_false(found.value):
            continue
        for hazard, what in _UNVERIFIED if verifies_offsets else _UNVERIFIED[:1]:
            run = run_to_hazard(hazard, UNVERIFIED)
            if run is not None:
                said, where = f"{key}=false: {whose}{what}", setting_place(cluster, broker, key)
                yield Finding("advice", "warning", said, where, "true, the default", f"{run.to_command}; KIP-890", run)


_UNVERIFIED = (
    (
        HANGS,
        "a transaction's write that arrives after its abort can stay open for ever, and stops all readers of committed "
        "records of that partition, whose LastStableOffsetLag grows",
    ),
    (
        UNFENCED,
        "where offsets are committed in transactions, what a producer commits late that was fenced can be taken: its "
        "epoch is compared only where the group's partition has a newer one",
    ),
)
"""What leaders that do not ask let through; of commits of offsets they ask since 3.7."""


@_drop_repeated_findings
def replication_by_default(cluster: Cluster) -> Iterator[Finding]:
    """Topics that appear because somebody wrote to a misspelt name."""
    for broker in cluster.topic_keepers:
        creates = setting_value(cluster, broker, AUTO_CREATE_TOPICS_ENABLE)
        factor = setting_number(cluster, broker, DEFAULT_REPLICATION_FACTOR)
        if isinstance(creates, Unknown) or not is_true(creates.value) or factor != 1 or len(cluster.topic_keepers) < 2:
            continue
        what = (
            "topics are made on first use, with one replica (auto.create.topics.enable, default.replication.factor=1)"
        )
        where = setting_place(cluster, broker, DEFAULT_REPLICATION_FACTOR)
        to_do = "auto.create.topics.enable=false, or default.replication.factor=3"
        yield Finding("advice", "warning", what, where, to_do)


@_drop_repeated_findings
def lag_time_below_fetch_wait(cluster: Cluster) -> Iterator[Finding]:
    """A follower that waits as long for data as it may lag leaves the ISR for nothing."""
    for broker in cluster.topic_keepers:
        wait, lag = (
            setting_number(cluster, broker, key) for key in (REPLICA_FETCH_WAIT_MAX_MS, REPLICA_LAG_TIME_MAX_MS)
        )
        if wait is not None and wait == lag:  # above it no broker starts (KafkaConfig.validateValues)
            what = f"replica.fetch.wait.max.ms={wait} is not below replica.lag.time.max.ms={lag}: the ISR flaps"
            where = setting_place(cluster, broker, REPLICA_FETCH_WAIT_MAX_MS)
            yield Finding(
                "arithmetic", "error", what, where, "keep it far below, such as 500", "kafka.server.KafkaConfig"
            )


def storage_findings(cluster: Cluster) -> Iterator[Finding]:
    """Where the log lies, and whether it outlives the process."""
    groups: dict[tuple[str, bool], list[tuple[str, Broker]]] = {}
    for broker in cluster.topic_keepers:
        dirs = setting_value(cluster, broker, LOG_DIRS)
        if not isinstance(dirs, Unknown) and any(map(is_temporary, dirs.value.split(","))):
            alike = groups.setdefault((_why_storage_loses(dirs.value), isinstance(dirs, StatedValue)), [])
            alike.append((dirs.value[:60], broker))
    for (loses, stated), alike in groups.items():
        first, broker = alike[0]
        like_it = "" if len({dirs for dirs, _ in alike}) == 1 else " and folders like it"
        who = "" if len(alike) == 1 else f"{like_it} on {len(alike)} brokers"
        what = f"log.dirs={first}{who}{'' if stated else ', by default'}: {loses}"
        where = setting_place(cluster, broker, LOG_DIRS)
        yield Finding("advice", "warning", what, where, "put log.dirs on a disk of its own")
    lost = [broker for broker in cluster.brokers if broker.ephemeral]
    if lost:
        which = "every pod that is replaced" if all(broker.of_pod for broker in lost) else "every restart"
        what = f"{len(lost)} node(s) have ephemeral storage: {which} is the loss of a disk"
        voting = sum(1 for broker in lost if "controller" in broker.roles)
        if voting:
            what += f"; {voting} of them vote: if most controllers restart together, the metadata of all topics is lost"
        most = 2 * voting > max(len(cluster.quorum.voters) if cluster.quorum else 0, len(cluster.controllers), 1)
        what += ", which is not modelled" if most else ""
        to_do = "a volume that lasts, at log.dirs (of Strimzi: storage type persistent-claim)"
        yield Finding("incomplete" if most else "advice", "error", what, lost[0].origin, to_do)


def _why_storage_loses(directories: str) -> str:
    if any(map(is_in_memory, directories.split(","))):
        return "what is there is in memory, so that a loss of power is the loss of a disk"
    return "a temporary folder is emptied by cleaners and restarts"


def _is_on_msk(cluster: Cluster) -> bool:
    """Whether Amazon sets the racks, which its configurations cannot have."""
    owner = cluster.versions.distribution
    return owner is not None and owner.value == "msk"


def racks_of_brokers(cluster: Cluster) -> Iterator[Finding]:
    """Rack awareness is for all brokers or for none."""
    given = [keeper for keeper in cluster.topic_keepers if keeper.id is not None]
    named, bare = [b for b in given if b.rack], [b for b in given if not _has_rack(b)]
    if named and bare:
        what = (
            f"broker {bare[0].id} has no broker.rack, and broker {named[0].id} has: replicas are not spread over racks"
        )
        yield Finding("contradiction", "warning", what, bare[0].origin, "set broker.rack on every broker", "KIP-36")
    elif len(bare) > 1 and not _is_on_msk(cluster):
        what = "no broker has broker.rack: if they stand in several racks or zones, replicas may share one"
        yield Finding("advice", "note", what, bare[0].origin, "set broker.rack, if there is more than one", "KIP-36")


def nodes_on_one_machine(cluster: Cluster) -> Iterator[Finding]:
    """Brokers of one compose file: copies on one computer are lost together when it loses power or its disk."""
    keepers = [broker for broker in cluster.brokers if broker.keeps_topics]
    machines = {keeper.machine for keeper in keepers}
    if len(keepers) > 1 and len(machines) == 1 and None not in machines:
        what = f"{len(keepers)} brokers run on one computer: one loss of power, or one lost disk, takes all copies"
        to_do = "a computer for each broker; for development this is as it should be"
        yield Finding("one_host", "warning", what, keepers[0].origin, to_do)
        return
    held = [(broker.machine, _node_name(broker), broker.origin) for broker in cluster.brokers]
    held += [
        (machine, f"ZooKeeper server {name}", keepers[0].origin) for name, machine in cluster.zookeepers if keepers
    ]
    for machine in dict.fromkeys(machine for machine, _, _ in held if machine is not None):
        here = [(name, origin) for shared, name, origin in held if shared == machine]
        what = (
            f"{', '.join(name for name, _ in here)} stand on one host, {machine}: one loss of power takes all of them"
        )
        stays, *others = (name for name, _ in here)
        to_do = (
            f"leave {stays} there and give {', '.join(others)} a host each, or write addresses that name the hosts on "
            "which they are"
        )
        if len(here) > 1:
            yield Finding("one_host", "warning", what, here[0][1], to_do)


def racks_of_hosts(cluster: Cluster) -> Iterator[Finding]:
    """Nodes on one host that state several racks: whatever takes one of the racks takes the host."""
    for machine in dict.fromkeys(broker.machine for broker in cluster.brokers if broker.machine is not None):
        here = [broker for broker in cluster.brokers if broker.machine == machine and broker.rack is not None]
        racks = dict.fromkeys(broker.rack.value for broker in here if broker.rack is not None)
        if len(racks) > 1:
            what = (
                f"{', '.join(map(_node_name, here))} stand on one computer, {machine}, and state the racks "
                f"{', '.join(racks)}: they count as one rack, since what takes one of them takes that computer"
            )
            to_do = "give the nodes of one computer one broker.rack"
            yield Finding("arithmetic", "warning", what, here[0].origin, to_do, "KIP-36")


def _node_name(broker: Broker) -> str:
    return f"node {broker.id}" if broker.id is not None else f"the node of {broker.origin.path}"


def _has_rack(broker: Broker) -> bool:
    """Whether it is in a rack, be it one that is named only when it starts."""
    return any(setting.key == BROKER_RACK and setting.value for setting in broker.settings)
