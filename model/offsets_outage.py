"""Groups and the topic of their offsets, whose partitions have replicas on brokers: an outage, its repair, and what
another repair loses.

Each group commits to one partition of `__consumer_offsets`: the hash of the group's id, modulo the number of
partitions. The broker that leads it is the group's coordinator. Where that partition has no replica left, the group
stops, whatever else runs. How the topic came to one replica is a profile each:

* `kafka_0_10`: before 0.11 the topic is made at its first use with as many replicas as brokers are alive, if these are
  fewer than `offsets.topic.replication.factor` asks for (`shrinks_to_alive`). With one broker up, all partitions are
  there, and every group stops with it. Since 0.11 (KIP-115, KAFKA-3959) it is not made until there are enough.
* `shipped`: since 0.11 the file `server.properties` that Kafka ships sets that factor to 1. The partitions are spread
  over the brokers that run at the first use (`up_at_first_use`), and those groups stop whose partition is on the one
  that is killed; with one broker up, that is every group again.
* `three_replicas`: the code's default of the factor, and `min.insync.replicas=2`. No group stops.

`reassign` is the repair: a partition gets other replicas, which copy what its leader has, as soon as that runs; once
all of them are in sync, those that it shall not have any more are removed (`finish_reassignment`). `delete_logs` is
what articles do: the topic is deleted and made anew. Then no group finds its offset, and begins where
`auto.offset.reset` says: `latest` (the default), `earliest`, or `none`, which stops it.

Who has no coordinator joins nothing and commits nothing. Whether it reads on goes by the consumer:

* `consumers_2_4`: up to 2.4 `poll` returns nothing until there is a coordinator; nor does `poll(long)` up to 3.9.
* `shipped`, as all other profiles: since 2.5.0 (KAFKA-8421) a consumer of the classic protocol that knows its position
  is given records. When its partition has another leader, it has to validate that position (KIP-320), and it sends that
  request after it has found its coordinator: until then that partition stops.
* `consumers_kip_848`: the consumer of `group.protocol=consumer` validates it without a coordinator.

A consumer that starts, or joins again, waits in each of them. What was processed without a coordinator is committed
when there is one again (`commit`), or is processed again, if the consumer begins with the committed offset before.

In `kafka_2336` brokers count the partitions by their own setting, as up to 0.8.2: when `offsets.topic.num.partitions`
changes, groups look for their offsets in another partition. Since 0.9 they count those that the topic has.

A partition's log is the abstract one of `model/parts/replicated_logs.py`: entries are committed offsets. What happens
to it follows from the brokers, each of which has a copy of its own: the log takes entries while as many replicas in
sync run as `min.insync.replicas` says, each of these has an entry before that is confirmed, and an entry is lost while
one that may lead does not have it. Any replica in sync that runs may lead at any moment. In `any_log` there are no
brokers: a log is down for a while, and does then what its switches say (`unavailable_while_down` in `log_stops`,
`loses_acknowledged` in `log_loses`). Which of them Kafka's settings switch on is asked of the partition's model, so
that both together say what settings do to groups: an audit does.

What is abstracted away. Brokers are placed at random, so that none has more replicas than its share, rounded up. A
replica copies all that is missing in one step, with which it is in sync; while it is, it has each entry in the step in
which it is written (the partition's model has high watermarks, leader epochs, and copies that end half-way). Nobody is
elected who is out of sync. Of brokers that are killed at once, all stay in sync where nobody else is, until one of them
leads again; a controller that hears of one before the other leaves the last, as one `kill` after another does. A
reassignment ends when all of the target are in sync, and is not cancelled. A group is one consumer of one partition of
a topic, whose replicas are not in question: while its coordinator takes commits, it processes a record and commits it
in one step (`classic_group` has its members). An application that waits for each commit takes fewer of these steps. A
consumer without a coordinator keeps its assignment, whoever else has it; that its group was lost meanwhile, it notices
when it begins again and not by a refused commit. A new group begins at the first record. There is no clock, so that no
offset expires.

Sources: KafkaConsumer of 2.4.1 and 2.5.0 (poll, updateAssignmentMetadataIfNeeded), Fetcher of 2.5.0
(prepareFetchRequests, validateOffsetsIfNeeded), ClassicKafkaConsumer, ConsumerCoordinator (poll) and
PartitionReassignmentReplicas of 3.9.0, AsyncKafkaConsumer of October 2024, before 4.0; KafkaController of 1.1.0 and
2.5.0 (areReplicasInIsr, isReassignmentComplete); KafkaApis of 0.10.2.1 (createGroupMetadataTopic) and 0.11.0.0
(createInternalTopic); `config/server.properties` of both; AdminUtils (assignReplicasToBrokers); GroupMetadataManager
(partitionFor, getOffsetsTopicPartitionCount); OffsetManager of 0.8.2.2; KAFKA-2336; ConsumerConfig (auto.offset.reset).
Properties are in `invariants/offsets_outage.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ..language import *
from .parts.replicated_logs import (
    Entry,
    Log,
    append_entry,
    change_availability,
    commit_entries,
    empty,
    entries,
    may_append,
    may_lose,
    with_losses,
)
from .parts.replicated_logs import loses_acknowledged as loses_acknowledged
from .parts.replicated_logs import unavailable_while_down as unavailable_while_down


class Reset(Enum):
    """Where a consumer begins whose group has no offset: `auto.offset.reset`."""

    LATEST = "latest"  # after the last record that there is
    EARLIEST = "earliest"  # at the first one
    NONE = "none"  # nowhere: it stops with an error


brokers = constant(3, minimum=1, maximum=4, says="brokers")
groups = constant(2, minimum=1, maximum=3, says="consumer groups, of one consumer each")
homes = constant(2, minimum=1, maximum=3, says="partitions of __consumer_offsets: offsets.topic.num.partitions")
records = constant(2, minimum=1, maximum=3, says="records of the partition that all groups consume")
up_at_first_use = constant(1, minimum=1, maximum=4, says="brokers that run at least when the topic is made")
factor = constant(3, minimum=1, maximum=4, says="offsets.topic.replication.factor")
repaired = constant(3, minimum=1, maximum=4, says="replicas that a partition has after the repair")
min_isr = constant(2, minimum=1, maximum=3, says="min.insync.replicas of __consumer_offsets")
reset = constant(Reset.LATEST, says="auto.offset.reset: where a consumer begins whose group has no offset")
crashes = constant(1, minimum=0, maximum=3, says="brokers that are killed")
kills_at_once = constant(0, minimum=0, maximum=1, says="times that several brokers are killed at the same moment")
disk_losses = constant(0, minimum=0, maximum=2, says="disks that are lost, of brokers that were killed")
reassignments = constant(0, minimum=0, maximum=3, says="partitions of __consumer_offsets that are reassigned")
deletions = constant(0, minimum=0, maximum=1, says="times that the logs of __consumer_offsets are deleted")
changes = constant(0, minimum=0, maximum=1, says="times that offsets.topic.num.partitions is changed, to 1")
shrinks_to_alive = constant(False, says="before 0.11: the topic is made with as many replicas as brokers are alive")
count_by_setting = constant(False, says="KAFKA-2336: brokers count the partitions by their setting, not by the topic")
reads_without_coordinator = constant(
    True, says="consumers since 2.5.0, which know their position, read on (KAFKA-8421)"
)
validates_without_coordinator = constant(False, says="KIP-848: consumers validate a position without a coordinator")
on_brokers = constant(True, says="the logs are on brokers; else they do what their switches allow")

profiles = {
    "three_replicas": {},
    "shipped": {"factor": 1, "min_isr": 1},
    "consumers_2_4": {"factor": 1, "min_isr": 1, "reads_without_coordinator": False},
    "consumers_kip_848": {"factor": 1, "min_isr": 1, "validates_without_coordinator": True},
    "kafka_0_10": {"shrinks_to_alive": True, "min_isr": 1, "reads_without_coordinator": False},
    "earliest": {"factor": 1, "min_isr": 1, "reset": Reset.EARLIEST},
    "none": {"factor": 1, "min_isr": 1, "reset": Reset.NONE},
    "kafka_2336": {"count_by_setting": True, "reads_without_coordinator": False},
    "any_log": {"on_brokers": False},
    "log_stops": {"on_brokers": False, "unavailable_while_down": True},
    "log_loses": {"on_brokers": False, "loses_acknowledged": True},
}


class Broker(Domain, size=brokers, symmetric=True):
    """A broker."""


class Group(Domain, size=groups, ordered=True, labels=("G", "H", "I")):
    """A consumer group. Its number stands for the hash of its id."""


class Home(Domain, size=homes, ordered=True, labels=("P", "Q", "R")):
    """A partition of `__consumer_offsets`."""


Offset = Annotated[int, Range(0, records)]
Count = Annotated[int, Range(1, homes)]


@record
class OffsetLine:
    """A record of the log: how far a group has come."""

    group: Group
    offset: Offset


@ghosts
class History:
    """What properties remember of a run; no step depends on it."""

    confirmed: Map[Group, Offset]  # what was confirmed to each group
    skipped: Set[Group]  # which began after records that it had not processed
    went_back: Set[Group]  # which began before an offset that was confirmed to it
    repeated: Set[Group]  # which began before a record that it had processed


@state
class Cluster(History):
    """Brokers, the partitions of `__consumer_offsets`, and how far each group has come."""

    alive: Set[Broker]  # which brokers run
    killed: Set[Broker]  # which were killed, and are not back
    made: bool  # whether there is the topic __consumer_offsets
    deleted: bool  # whether its logs were deleted
    setting: Count  # how many partitions offsets.topic.num.partitions says
    replicas: Map[Home, Set[Broker]]  # the brokers that each partition has its replicas on
    adding: Map[Home, Set[Broker]]  # those of them that a reassignment adds
    removing: Map[Home, Set[Broker]]  # those of them that it removes in the end
    in_sync: Map[Home, Set[Broker]]  # its ISR
    copies: Map[Home, Map[Broker, Set[Entry]]]  # what each broker has of it on its disk
    logs: Map[Home, Log]  # the log of each partition of __consumer_offsets, as its leader has it
    lines: Map[Home, Map[Entry, Option[OffsetLine]]]  # what its entries say
    end: Offset  # records that were produced so far
    position: Map[Group, Offset]  # up to where each group has processed
    waiting: Set[Group]  # whose consumer started again, and has not found its coordinator
    unsure: Set[Group]  # whose partition has another leader, and whose position is yet to be validated
    stopped: Set[Group]  # whose consumer stopped for good, since it has no offset (none)


view = GroupLanes(
    lane=Group,
    state="position",
    badges={"has stopped": "lane in s.stopped", "waits for a coordinator": "lane in s.waiting"},
    board={"alive": "alive", "replicas": "replicas", "ISR": "in_sync", "copies": "copies"},
)


@initial
def start() -> Cluster:
    """No broker runs, and nobody has committed an offset."""
    return Cluster(
        alive=Set(),
        killed=Set(),
        made=not on_brokers,
        deleted=False,
        setting=homes,
        replicas=Map({home: Set() for home in Home}),
        adding=Map({home: Set() for home in Home}),
        removing=Map({home: Set() for home in Home}),
        in_sync=Map({home: Set() for home in Home}),
        copies=Map({home: Map({broker: Set() for broker in Broker}) for home in Home}),
        logs=Map({home: change_availability(empty(), False, not on_brokers) for home in Home}),
        lines=Map({home: Map({entry: None for entry in range(entries)}) for home in Home}),
        end=0,
        position=Map({group: 0 for group in Group}),
        waiting=Set(),
        unsure=Set(),
        stopped=Set(),
    )


# --- where a group's offsets are --------------------------------------------------------------------------------------


def partition_count(s: Cluster) -> Count:
    """How many partitions a broker takes `__consumer_offsets` to have."""
    return s.setting if count_by_setting else homes


def is_home(s: Cluster, group: Group, home: Home) -> bool:
    """Whether a group's offsets are looked for in that partition: the hash of its id, modulo their number."""
    return position(group) % partition_count(s) == position(home)


def goes_on(s: Cluster, group: Group) -> bool:
    """Whether a group has a coordinator that takes its commits."""
    return s.made and any(is_home(s, group, home) and s.logs[home].available for home in Home)


def offset_of(s: Cluster, group: Group) -> Offset:
    """The offset that the coordinator knows of a group; 0: none."""
    offset: Offset = 0
    for home in Home:
        if is_home(s, group, home):
            for entry in s.logs[home].committed:
                line = s.lines[home][entry]
                if line is not None and line.group == group and entry not in s.logs[home].lost:
                    offset = line.offset
    return offset


def leads(s: Cluster, home: Home) -> bool:
    """Whether a broker leads that partition: one of those in sync runs."""
    return len(s.in_sync[home] & s.alive) > 0


def has_coordinator(s: Cluster, group: Group) -> bool:
    """Whether a broker leads a group's partition, so that its consumer finds a coordinator."""
    return s.made and any(
        is_home(s, group, home) and (leads(s, home) if on_brokers else s.logs[home].available) for home in Home
    )


def is_given_records(s: Cluster, group: Group) -> bool:
    """Whether a consumer that knows its position is given records: what it needs no coordinator for, or has one."""
    return has_coordinator(s, group) or (reads_without_coordinator and group not in s.unsure)


def leaders_entries(s: Cluster, home: Home) -> Set[Entry]:
    """What each replica has that may lead; while none runs, what each of those has that the next leader is of."""
    found: Set[Entry] = s.logs[home].appended if len(s.in_sync[home]) > 0 else Set()
    for broker in s.in_sync[home]:
        if broker in s.alive or not leads(s, home):
            found = found & s.copies[home][broker]
    return found


def follow_brokers(s: Cluster) -> None:
    """Each log takes entries while enough replicas in sync run, and has what its leader has. Who has a coordinator
    again validates its position."""
    for home in Home:
        available = leads(s, home) and len(s.in_sync[home] & s.alive) >= min_isr
        gone: Set[Entry] = s.logs[home].acknowledged - leaders_entries(s, home)
        log = with_losses(s.logs[home], Set(), gone, available)
        s.logs[home] = change_availability(log, len(s.killed) > 0, available)
    find_coordinators(s)


def find_coordinators(s: Cluster) -> None:
    """Consumers whose group has a coordinator validate their positions."""
    s.unsure = Set(group for group in s.unsure if not has_coordinator(s, group))


# --- brokers ----------------------------------------------------------------------------------------------------------


@action
def start_broker(s: Cluster, broker: Broker) -> None:
    """{broker} starts."""
    require(on_brokers and broker not in s.alive)
    s.alive.add(broker)
    s.killed.discard(broker)
    leave_isr(s)
    follow_brokers(s)


@action
def copy(s: Cluster, home: Home, broker: Broker) -> None:
    """{broker} copies what the leader of partition {home} has, and is in sync."""
    require(broker in s.alive and broker in s.replicas[home] and broker not in s.in_sync[home])
    require(leads(s, home))
    s.copies[home][broker] = leaders_entries(s, home)
    s.in_sync[home].add(broker)
    follow_brokers(s)


@action(kind="fault", budget="crashes")
def kill(s: Cluster, broker: Broker) -> None:
    """{broker} is killed."""
    require(broker in s.alive and s.made)
    s.alive.remove(broker)
    s.killed.add(broker)
    leave_isr(s)
    follow_brokers(s)


@action(kind="fault", budget="kills_at_once")
def kill_at_once(s: Cluster, victims: Set[Broker]) -> None:
    """{victims} are killed at the same moment."""
    require(kills_at_once > 0 and s.made and len(victims) > 1 and victims <= s.alive)
    s.alive = s.alive - victims
    s.killed = s.killed | victims
    leave_isr(s)
    follow_brokers(s)


def leave_isr(s: Cluster) -> None:
    """Who does not run leaves the ISR of each partition that has a leader. Of one that has none it stays as it was."""
    for home in Home:
        if leads(s, home):
            s.in_sync[home] = s.in_sync[home] & s.alive


@action(kind="fault", budget="disk_losses")
def lose_disk(s: Cluster, broker: Broker) -> None:
    """The disk of {broker}, which was killed, is lost; it is to start with an empty one."""
    require(disk_losses > 0 and broker in s.killed)
    for home in Home:
        s.copies[home][broker] = Set()
    follow_brokers(s)


# --- the topic --------------------------------------------------------------------------------------------------------


@action
def first_use(s: Cluster, placement: Map[Home, Set[Broker]]) -> None:
    """A group commits, or looks for its coordinator, for the first time: the topic is made, on {placement}."""
    wanted = repaired if s.deleted else factor
    number = min(wanted, len(s.alive)) if shrinks_to_alive else wanted
    require(on_brokers and not s.made and len(s.alive) >= up_at_first_use)
    require(all(placement[home] <= s.alive and len(placement[home]) == number for home in Home))
    require(is_spread(s, placement, number))
    s.made = True
    s.replicas = placement
    s.in_sync = placement
    follow_brokers(s)


def is_spread(s: Cluster, placement: Map[Home, Set[Broker]], number: int) -> bool:
    """Whether no broker has more than its share of the replicas, rounded up."""
    return all(
        sum(1 for home in Home if broker in placement[home]) * len(s.alive) < homes * number + len(s.alive)
        for broker in s.alive
    )


@action(budget="reassignments")
def reassign(s: Cluster, home: Home, target: Set[Broker]) -> None:
    """The repair: partition {home} of `__consumer_offsets` is to have its replicas on {target}."""
    require(reassignments > 0 and s.made and not is_reassigned(s, home))
    require(target <= s.alive and len(target) == repaired and target != s.replicas[home])
    s.adding[home] = target - s.replicas[home]
    s.removing[home] = s.replicas[home] - target
    s.replicas[home] = s.replicas[home] | target


def is_reassigned(s: Cluster, home: Home) -> bool:
    """Whether a reassignment of that partition is under way."""
    return len(s.adding[home]) > 0 or len(s.removing[home]) > 0


@action
def finish_reassignment(s: Cluster, home: Home) -> None:
    """The new replicas of {home} are in sync: {s.removing[home] if len(s.removing[home]) > 0 else 'none'} removed."""
    stay = s.replicas[home] - s.removing[home]
    require(reassignments > 0 and is_reassigned(s, home) and stay <= s.in_sync[home])
    for broker in s.removing[home]:
        s.copies[home][broker] = Set()
    s.replicas[home] = stay
    s.in_sync[home] = stay
    s.adding[home] = Set()
    s.removing[home] = Set()
    follow_brokers(s)


@action(kind="fault", budget="deletions")
def delete_logs(s: Cluster) -> None:
    """The other repair: the logs of `__consumer_offsets` are deleted, so that it is made anew at its next use."""
    require(deletions > 0 and s.made and on_brokers)
    s.made = False
    s.deleted = True
    for home in Home:
        s.replicas[home] = Set()
        s.adding[home] = Set()
        s.removing[home] = Set()
        s.in_sync[home] = Set()
        for broker in Broker:
            s.copies[home][broker] = Set()
    follow_brokers(s)


@action(budget="changes")
def change_setting(s: Cluster) -> None:
    """offsets.topic.num.partitions is set to 1, and brokers start again with it."""
    require(changes > 0 and s.made and s.setting > 1)
    s.setting = 1


# --- a log without brokers --------------------------------------------------------------------------------------------


@action(kind="fault", budget="crashes")
def log_goes_down(s: Cluster, home: Home) -> None:
    """A broker goes down on which partition {home} has a replica."""
    require(not on_brokers and not s.logs[home].down)
    s.logs[home] = change_availability(s.logs[home], True, not unavailable_while_down)


@action(kind="fault")
def log_loses(s: Cluster, home: Home) -> None:
    """Partition {home} loses the offsets that it had acknowledged."""
    log = s.logs[home]
    require(not on_brokers and log.down and log.lost != log.acknowledged)
    require(may_lose(log, Set(), log.acknowledged, log.available))
    s.logs[home] = with_losses(log, Set(), log.acknowledged, log.available)


@action
def log_comes_back(s: Cluster, home: Home) -> None:
    """The broker is back on which partition {home} has a replica."""
    require(not on_brokers and s.logs[home].down)
    s.logs[home] = change_availability(s.logs[home], False, True)
    find_coordinators(s)


# --- groups -----------------------------------------------------------------------------------------------------------


@action(kind="client")
def produce(s: Cluster) -> None:
    """Record {s.end + 1} is produced."""
    limit(s.end < records)
    s.end += 1


@action(kind="client")
def consume(s: Cluster, group: Group, home: Home) -> None:
    """{group} processes record {s.position[group] + 1}, and commits that to partition {home}."""
    require(s.position[group] < s.end)
    require(may_commit(s, group, home))
    limit(len(s.logs[home].appended) < entries)
    s.position[group] += 1
    write_offset(s, group, home)


@action(kind="client")
def process(s: Cluster, group: Group) -> None:
    """{group}, whose commits nobody takes, processes record {s.position[group] + 1}."""
    require(0 < s.position[group] < s.end and group not in s.stopped and group not in s.waiting)
    require(not goes_on(s, group) and is_given_records(s, group))
    s.position[group] += 1


@action(kind="client")
def commit(s: Cluster, group: Group, home: Home) -> None:
    """{group} commits to partition {home} what it has processed without: up to record {s.position[group]}."""
    require(0 < offset_of(s, group) < s.position[group])
    require(may_commit(s, group, home))
    limit(len(s.logs[home].appended) < entries)
    write_offset(s, group, home)


def may_commit(s: Cluster, group: Group, home: Home) -> bool:
    """Whether a group's consumer commits to that partition, which takes it."""
    log = s.logs[home]
    return (
        goes_on(s, group)
        and is_home(s, group, home)
        and group not in s.stopped
        and group not in s.waiting
        and (any(may_append(log, entry) for entry in range(entries)) or len(log.appended) == entries)
    )


def write_offset(s: Cluster, group: Group, home: Home) -> None:
    """A group's position is the next entry of a log, all replicas in sync have it, and it is confirmed."""
    number = len(s.logs[home].appended)
    for broker in s.in_sync[home] & s.alive:
        s.copies[home][broker].add(number)
    s.logs[home] = commit_entries(append_entry(s.logs[home], number), Set({number}), Set({number}))
    s.lines[home][number] = OffsetLine(group=group, offset=s.position[group])
    s.confirmed[group] = s.position[group]


@action(kind="fault")
def move_leader(s: Cluster) -> None:
    """The partition that groups consume has another leader: who has no coordinator cannot validate its position."""
    bereft: Set[Group] = Set(group for group in Group if s.position[group] > 0 and not has_coordinator(s, group))
    require(reads_without_coordinator and not validates_without_coordinator)
    require(not bereft <= s.unsure)
    s.unsure = s.unsure | bereft


@action(kind="client")
def restart(s: Cluster, group: Group) -> None:
    """{group}'s consumer is started again while it has no coordinator that takes it in."""
    require(not goes_on(s, group) and group not in s.stopped and group not in s.waiting and s.position[group] > 0)
    s.waiting.add(group)


@action
def begin_again(s: Cluster, group: Group) -> None:
    """{group}'s consumer joins again, and begins with the offset that its coordinator knows: {offset_of(s, group)}."""
    offset = offset_of(s, group)
    begins = s.end if offset == 0 and reset == Reset.LATEST else offset
    require(goes_on(s, group) and group not in s.stopped and s.position[group] > 0)
    require(group in s.waiting or s.position[group] != begins)
    s.waiting.discard(group)
    if offset == 0 and reset == Reset.NONE:
        s.stopped.add(group)
    else:
        if begins > s.position[group]:
            s.skipped.add(group)
        if begins < s.confirmed[group]:
            s.went_back.add(group)
        if begins < s.position[group]:
            s.repeated.add(group)
        s.position[group] = begins
