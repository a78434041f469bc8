"""Static members (KIP-345): who has a `group.instance.id` keeps its place in the group when its client starts again.

A group is stable, and each of its *instances* has a partition. A client that starts joins with its instance's id and
without a member id. The coordinator gives it a new one, which takes the place of the old, and the same assignment; a
rebalance it is not, and the generation stays. Whoever comes with the old id is refused with FENCED_INSTANCE_ID, and
stops: so that of two clients that were started with one instance's id by mistake the last one goes on. An instance
whose session ends is thrown out, with a rebalance, and one that is not known begins one.

What keeps that so is a switch each, and each mistake of the history a profile:

* `unique_ids`: a member id is never given again. Up to 2.3.0 that of a static member ended in the time at which the
  group's state had changed last, so that clients of one instance that joined in the same state had the same id, and
  none was fenced (`kafka_8715`).
* `persist_replacement`: an id that takes another's place is in the log before it is answered. Up to 2.6.0 it was not
  written where the group was stable: the next coordinator knew the old one, and fenced the client that had it last
  (`kafka_10284`).
* `rebalance_when_completing`: who joins while the leader computes the assignment begins another rebalance, since the
  leader knows the old id. `kept_while_completing` is without that; Kafka never was.
* `fence_instances`: a request with an id that is not the instance's is refused. `unfenced` is without it.

What is abstracted away: the rest of the protocol, which is `classic_group`. An instance's partition is its own whenever
it is in the group, so that what it is assigned follows from who is a member: that assignments are balanced is asked
there. All join at once: a rebalance is complete when each instance that is a member has joined, or was thrown out. In
Kafka the timeouts of the rebalance and of the poll throw no static member out (onCompleteJoin, maybeLeaveGroup): a
generation may begin without it, and give its partition to another. That is not in this model. A heartbeat stands for
all requests that name a member id. The log is the abstract one of `model/parts/replicated_logs.py`, one append at a
time; a record that the next coordinator does not find is never committed. There is no clock.

Sources: KIP-345; GroupCoordinator and GroupMetadata of Kafka 2.3.0, 2.6.0 and 2.7.0 (updateStaticMemberAndRebalance,
generateMemberId); KAFKA-8715 (2.3.1), KAFKA-10284 (2.6.1). Properties are in `invariants/static_members.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ..language import *
from .parts.replicated_logs import Entry, Log, append_entry, commit_entries, empty, entries, may_commit

clients = constant(3, minimum=1, maximum=4, says="clients that are started")
instances = constant(2, minimum=1, maximum=2, says="values of group.instance.id, each with a partition")
joins = constant(3, minimum=1, maximum=5, says="member ids that the coordinator gives out")
max_generation = constant(2, minimum=1, maximum=4, says="the last generation")
failovers = constant(1, minimum=0, maximum=2, says="times that another broker becomes the coordinator")
timeouts = constant(1, minimum=0, maximum=2, says="sessions that end")
unique_ids = constant(True, says="KAFKA-8715: no member id is given twice")
persist_replacement = constant(True, says="KAFKA-10284: an id that takes another's place is written to the log first")
rebalance_when_completing = constant(
    True, says="an instance that joins while the leader computes the assignment begins another rebalance"
)
fence_instances = constant(True, says="a request with an id that is not its instance's is refused")

profiles = {
    "kip_345": {},
    "kafka_8715": {"unique_ids": False},
    "kafka_10284": {"persist_replacement": False},
    "kept_while_completing": {"rebalance_when_completing": False},
    "unfenced": {"fence_instances": False},
}


class Client(Domain, size=clients, symmetric=True):
    """A process with one `group.instance.id`."""


class Instance(Domain, size=instances, symmetric=True, labels=("I", "J")):
    """A `group.instance.id`, and the partition that it has when it is in the group."""


class Phase(Enum):
    """What a client is doing."""

    OUT = "out"  # it does not run
    JOINING = "joining"  # its JoinGroup waits at the coordinator
    SYNCING = "syncing"  # it has a member id, and waits for its assignment
    RUNNING = "running"  # it consumes its instance's partition
    FENCED = "fenced"  # FENCED_INSTANCE_ID: it has stopped for good


class GroupState(Enum):
    """How the coordinator has the group; with the names that Kafka gives."""

    LOADING = "loading"  # a new coordinator has yet to load it
    PREPARING_REBALANCE = "preparing"
    COMPLETING_REBALANCE = "completing"
    STABLE = "stable"


Id = Annotated[int, Range(0, joins)]  # the end of a member id, a UUID; 0: none
Ids = Map[Instance, Id]
Generation = Annotated[int, Range(0, max_generation)]


@ghosts
class History:
    """What properties remember of a run; no step depends on it."""

    confirmed: Ids  # the id that was confirmed to each instance with its assignment, while it is valid


@state
class Cluster(History):
    """Clients, the coordinator, and the log in which it keeps the group."""

    phase: Map[Client, Phase]  # what each client is doing
    instance: Map[Client, Option[Instance]]  # the instance as which each was started
    member: Map[Client, Id]  # the member id that each was given
    group_state: GroupState  # how the coordinator has the group
    generation: Generation  # the group's generation
    ids: Ids  # the member id of each instance that is in the group; 0: it is not
    joined: Set[Instance]  # those that have joined the rebalance
    sent: Ids  # the ids that the leader knows, which computes the assignment
    assigned: Ids  # the ids to which the partitions are assigned
    given: Id  # how many member ids were given out
    dated: Set[Instance]  # those with an id of the time since which the group's state is as it is (KAFKA-8715)
    log: Log  # the partition of __consumer_offsets that holds the group
    written: Map[Entry, Ids]  # the ids and assignment that its records hold
    written_in: Map[Entry, Generation]  # and the generations
    pending: Option[Entry]  # appended, and not committed yet
    waiting: Option[Client]  # whose id takes another's place once that is in the log
    failed_over: Annotated[int, Range(0, failovers)]  # how often another broker became the coordinator


view = GroupLanes(
    lane=Client,
    state="phase",
    badges={"instance": "instance", "member id": "member"},
    board={"state": "group_state", "generation": "generation", "ids": "ids"},
)


def no_ids() -> Ids:
    """No instance has a member id."""
    return Map({instance: 0 for instance in Instance})


@initial
def start() -> Cluster:
    """Nobody runs, and there is no group."""
    return Cluster(
        phase=Map({client: Phase.OUT for client in Client}),
        instance=Map({client: None for client in Client}),
        member=Map({client: 0 for client in Client}),
        group_state=GroupState.STABLE,
        generation=0,
        ids=no_ids(),
        joined=Set(),
        sent=no_ids(),
        assigned=no_ids(),
        given=0,
        dated=Set(),
        log=empty(),
        written=Map({entry: no_ids() for entry in range(entries)}),
        written_in=Map({entry: 0 for entry in range(entries)}),
        pending=None,
        waiting=None,
        failed_over=0,
    )


# --- clients ----------------------------------------------------------------------------------------------------------


@action(kind="client")
def start_client(s: Cluster, client: Client, instance: Instance) -> None:
    """{client} is started as {instance}, and sends a JoinGroup: another client may still run as that."""
    require(s.phase[client] == Phase.OUT)
    s.phase[client] = Phase.JOINING
    s.instance[client] = instance


@action(kind="fault")
def stop_client(s: Cluster, client: Client) -> None:
    """{client} stops without a word: static members do not leave."""
    require(s.phase[client] in (Phase.RUNNING, Phase.FENCED))
    s.phase[client] = Phase.OUT
    s.instance[client] = None
    s.member[client] = 0


def answers(s: Cluster) -> bool:
    """Whether the coordinator has loaded the group, and no append is under way."""
    return s.group_state != GroupState.LOADING and s.pending is None


def new_id(s: Cluster, instance: Instance) -> Id:
    """A new member id. Up to 2.3.0 it is that of before, if the group's state has not changed since."""
    return s.ids[instance] if instance in s.dated else s.given + 1


def enter(s: Cluster, changed: GroupState) -> None:
    """The group's state changes, and with it the time of that."""
    s.group_state = changed
    s.dated = Set()


@action
def join_anew(s: Cluster, client: Client) -> None:
    """{client}'s instance is not in the group: it joins, and a rebalance begins."""
    instance = s.instance[client]
    require(answers(s) and s.phase[client] == Phase.JOINING and instance is not None and s.ids[instance] == 0)
    limit(s.given < joins)
    if instance is not None:
        take_place(s, client, instance, s.given + 1)
        begin_rebalance(s, instance)


@action
def replace_in_rebalance(s: Cluster, client: Client) -> None:
    """{client} takes its instance's place in a rebalance, which goes on, or begins anew."""
    instance = s.instance[client]
    require(answers(s) and s.phase[client] == Phase.JOINING and instance is not None and s.ids[instance] > 0)
    require(s.group_state in (GroupState.PREPARING_REBALANCE, GroupState.COMPLETING_REBALANCE))
    limit(s.given < joins)
    if instance is not None:
        take_place(s, client, instance, new_id(s, instance))
        if s.group_state == GroupState.PREPARING_REBALANCE:
            s.joined.add(instance)
        elif rebalance_when_completing:
            begin_rebalance(s, instance)


@action
def replace_in_stable_group(s: Cluster, client: Client) -> None:
    """{client} takes its instance's place in a stable group, which begins no rebalance."""
    instance = s.instance[client]
    require(answers(s) and s.phase[client] == Phase.JOINING and instance is not None and s.ids[instance] > 0)
    require(s.group_state == GroupState.STABLE and s.log.available)
    limit(s.given < joins and (len(s.log.appended) < entries or not persist_replacement))
    if instance is not None:
        take_place(s, client, instance, new_id(s, instance))
        s.assigned[instance] = s.member[client]
        if persist_replacement:
            s.waiting = client
            append_group(s)
        else:
            s.phase[client] = Phase.RUNNING
            s.confirmed[instance] = s.member[client]


def take_place(s: Cluster, client: Client, instance: Instance, number: Id) -> None:
    """A client gets a new member id, which is its instance's from now on."""
    s.phase[client] = Phase.SYNCING
    s.member[client] = number
    s.given = max(s.given, number)
    s.ids[instance] = number
    s.confirmed[instance] = 0
    if not unique_ids:
        s.dated.add(instance)


@action
def heartbeat(s: Cluster, client: Client) -> None:
    """{client}'s request is refused: another client has its instance's place, or nobody has it."""
    instance = s.instance[client]
    require(answers(s) and s.phase[client] in (Phase.RUNNING, Phase.SYNCING) and instance is not None)
    require(fence_instances and not is_current(s, client))
    if instance is not None:
        if s.ids[instance] == 0:
            s.phase[client] = Phase.JOINING
            s.member[client] = 0
        else:
            s.phase[client] = Phase.FENCED


@action
def rejoin(s: Cluster, client: Client) -> None:
    """{client} learns of the rebalance, and joins it with its member id."""
    instance = s.instance[client]
    require(answers(s) and s.phase[client] in (Phase.RUNNING, Phase.SYNCING) and is_current(s, client))
    require(s.group_state == GroupState.PREPARING_REBALANCE and instance is not None and instance not in s.joined)
    if instance is not None:
        s.joined.add(instance)
    s.phase[client] = Phase.SYNCING


def is_current(s: Cluster, client: Client) -> bool:
    """Whether a client's member id is its instance's."""
    instance = s.instance[client]
    return instance is not None and s.member[client] > 0 and s.ids[instance] == s.member[client]


@action
def take_assignment(s: Cluster, client: Client) -> None:
    """{client} takes the partition of its instance."""
    instance = s.instance[client]
    require(
        answers(s) and s.phase[client] == Phase.SYNCING and s.group_state == GroupState.STABLE and instance is not None
    )
    require(is_current(s, client) or not fence_instances)
    require(instance is None or s.assigned[instance] == s.member[client] or not fence_instances)
    s.phase[client] = Phase.RUNNING


# --- the coordinator --------------------------------------------------------------------------------------------------


def begin_rebalance(s: Cluster, instance: Instance) -> None:
    """A rebalance begins, which one instance has joined, or goes on."""
    if s.group_state != GroupState.PREPARING_REBALANCE:
        s.joined = Set()
        enter(s, GroupState.PREPARING_REBALANCE)
    s.joined.add(instance)


@action
def begin_generation(s: Cluster) -> None:
    """All instances have joined: a generation begins, and its leader computes the assignment."""
    require(answers(s) and s.group_state == GroupState.PREPARING_REBALANCE)
    require(all(s.ids[instance] == 0 or instance in s.joined for instance in Instance))
    limit(s.generation < max_generation)
    s.generation += 1
    enter(s, GroupState.COMPLETING_REBALANCE)
    s.sent = s.ids
    s.joined = Set()


@action
def assign(s: Cluster) -> None:
    """The leader's assignment, by the ids that it knows, is appended to the log."""
    require(answers(s) and s.group_state == GroupState.COMPLETING_REBALANCE and s.log.available)
    limit(len(s.log.appended) < entries)
    s.assigned = s.sent
    append_group(s)


def append_group(s: Cluster) -> None:
    """The coordinator appends the group."""
    number = len(s.log.appended)
    s.log = append_entry(s.log, number)
    s.pending = number
    s.written[number] = s.ids
    s.written_in[number] = s.generation


@action
def log_commits(s: Cluster, entry: Entry) -> None:
    """Record {entry} of the log is committed, and the coordinator answers."""
    client = s.waiting
    require(s.pending == entry and may_commit(s.log, Set({entry}), Set({entry})))
    s.log = commit_entries(s.log, Set({entry}), Set({entry}))
    s.pending = None
    s.waiting = None
    if s.group_state == GroupState.COMPLETING_REBALANCE:
        enter(s, GroupState.STABLE)
    if client is not None:
        s.phase[client] = Phase.RUNNING
    s.confirmed = Map({i: s.ids[i] if s.assigned[i] == s.ids[i] else 0 for i in Instance})


@action(kind="fault", budget="timeouts")
def session_times_out(s: Cluster, instance: Instance) -> None:
    """No heartbeat of {instance} came for its session's timeout: it is thrown out, and a rebalance begins."""
    require(answers(s) and s.ids[instance] > 0 and instance not in s.joined)
    require(s.group_state in (GroupState.STABLE, GroupState.PREPARING_REBALANCE))
    s.ids[instance] = 0
    s.assigned[instance] = 0
    s.confirmed[instance] = 0
    if s.group_state == GroupState.STABLE:
        enter(s, GroupState.PREPARING_REBALANCE)


@action(kind="fault")
def fail_over(s: Cluster, survives: bool) -> None:
    """Another broker is the coordinator{'; it has the append that is under way' if survives else ''}."""
    pending = s.pending
    client = s.waiting
    require(s.group_state != GroupState.LOADING and (pending is not None or not survives))
    limit(s.failed_over < failovers)
    s.failed_over += 1
    enter(s, GroupState.LOADING)
    s.pending = None
    s.waiting = None
    s.sent = no_ids()
    s.joined = Set()
    if pending is not None and survives:
        s.log = commit_entries(s.log, Set({pending}), Set())
    if client is not None:
        s.phase[client] = Phase.JOINING
        s.member[client] = 0


@action
def load(s: Cluster) -> None:
    """The new coordinator loads the group from the log."""
    require(s.group_state == GroupState.LOADING)
    ids: Ids = no_ids()
    generation: Generation = 0
    for entry in s.log.committed:
        ids = s.written[entry]
        generation = s.written_in[entry]
    s.ids = ids
    s.assigned = ids
    s.generation = generation
    enter(s, GroupState.STABLE)
