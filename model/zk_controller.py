"""Kafka's controller on ZooKeeper: who creates `/controller` elects leaders, and a zombie must have no effect.

Brokers register in `/brokers/ids`, and the one that creates `/controller` is the controller. It reads who is registered
and the partition's znode, elects a leader from the ISR in the order of the assignment, writes that, and sends it to the
brokers. The partition's leader asks the controller to change the ISR (`alter_partition`, KIP-497, from 2.7 on) or
changes it in ZooKeeper itself. A broker whose session expires learns so later, and the thread of its controller later
still: meanwhile it goes on under its new session. What keeps that harmless is a switch each:

* `one_multi`: `/controller` is created and `/controller_epoch` is raised in one transaction, not in two steps, as up to
  1.1. The second step reads the epoch and compares when it writes, so that no epoch is taken twice.
* `broker_fence`: a broker refuses requests of a lower controller epoch than it has seen (KAFKA-532).
* `write_fence`: a controller writes only where `/controller_epoch` is still the epoch that it holds (KAFKA-6082).
* `controller_cas`: a controller writes only over the version of the partition's znode that it has read.
* `leader_cas`: a leader that writes the ISR itself does so only over the version that it knows.
* `not_controller`: a controller that a leader is ahead of does not refuse it for good (KAFKA-14154).
* `leader_epoch_check`: a broker refuses a LeaderAndIsr whose leader epoch is not newer (KAFKA-1188, KAFKA-1483).
* `broker_epochs`: who was gone and is back before the controller has read so is new to it, and refuses requests that
  were meant for its registration before (KAFKA-7235, KIP-380).
* `stop_epoch`: a StopReplica carries the leader epoch, and a broker refuses an older one (KAFKA-9539, KIP-570).

What is abstracted away: logs. What is asked here is who has an effect; what a log loses when the ISR or the leader is
wrong is the question of `model/partition/`, whose controller is always the right one. There are no clocks. A controller
reads who is registered, and the partition, at any time after they have changed, which is what its watches (and
`/isr_change_notification`) come to; so it may miss that a broker was gone. It stops reading when its session ends, and
ends what it had begun. It deals with who is gone before who is new, and takes all who are gone out of the ISR in one
write, where Kafka takes the reverse order and a write each. A request goes to all brokers that the controller knows,
and reaches each in a step of its own, in any order; to a broker without a session it may never come. Kafka keeps the
order of requests to a broker, but for what it sends again. Kafka sends StopReplica to brokers that are registered, for
a reassignment, a deletion or a shutdown; here for a replica that is moved away and given back at once. A request to
alter the partition is asked, written and answered in one step. A broker that restarts keeps what it knows.
UpdateMetadata, all else of reassignment, deletion and clients are left out.

Sources: KafkaController (processBrokerChange, tryProcessAlterPartition), ReplicaStateMachine, KafkaZkClient
(registerControllerAndIncrementControllerEpoch, updateLeaderAndIsr), KafkaApis (isBrokerEpochStale), ReplicaManager and
Partition of Kafka 3.9; KIP-380, KIP-497, KIP-570; the issues named above. Properties are in
`invariants/zk_controller.py`.
"""

from __future__ import annotations

from typing import Annotated

from ..language import (
    Capacity,
    Domain,
    GroupLanes,
    Map,
    Member,
    Option,
    Range,
    Set,
    action,
    choose,
    constant,
    initial,
    limit,
    record,
    replace,
    require,
    state,
)
from .parts.zookeeper import Session, cut_off, expire, is_alive, learn_of_expiry, reconnect

brokers = constant(3, minimum=2, maximum=4, says="brokers, each with a replica of the partition")
max_epoch = constant(3, minimum=1, maximum=4, says="controllers that take over in all")
max_version = constant(2, minimum=1, maximum=8, says="writes to the partition's znode in all")
room = constant(1, minimum=1, maximum=4, says="LeaderAndIsr requests that are under way at once")
cuts = constant(2, minimum=0, maximum=4, says="connections between a broker and ZooKeeper that fail")
stops = constant(1, minimum=0, maximum=2, says="replicas that a controller moves off a broker and back")
majority_losses = constant(0, minimum=0, maximum=2, says="times that the ensemble loses its majority")
alter_partition = constant(True, says="KIP-497: a leader asks the controller to write the ISR, else it does so itself")
one_multi = constant(True, says="/controller and /controller_epoch are written in one transaction")
broker_fence = constant(True, says="KAFKA-532: brokers refuse requests of a lower controller epoch")
write_fence = constant(True, says="KAFKA-6082: a controller's write checks that its epoch is still the newest")
controller_cas = constant(True, says="a controller's write checks the version of the partition's znode")
leader_cas = constant(True, says="a leader's write of the ISR checks the version of the partition's znode")
not_controller = constant(
    True, says="KAFKA-14154: a controller that is behind a leader says that it is not the controller"
)
leader_epoch_check = constant(True, says="KAFKA-1188: brokers refuse a LeaderAndIsr that is not newer")
broker_epochs = constant(
    True, says="KIP-380: a broker that was gone is new to the controller, and obeys nothing sent before"
)
stop_epoch = constant(True, says="KIP-570: brokers refuse a StopReplica of an older leader epoch")


class Broker(Domain, size=brokers, ordered=True):
    """A broker. The order is that of the partition's assignment."""


Epoch = Annotated[int, Range(0, max_epoch)]
Version = Annotated[int, Range(0, max_version)]


@record
class Partition:
    """The content of the partition's znode, and its version."""

    leader: Option[Broker]
    leader_epoch: Version
    isr: Set[Broker]
    version: Version


@record
class LeaderAndIsr:
    """A controller's request that brokers lead or follow."""

    to: Set[Broker]  # whom it has yet to reach
    controller_epoch: Epoch
    partition: Partition


@record
class StopReplica:
    """A controller's request that brokers stop their replicas, which it takes out of the ISR, with the leader epoch
    before that."""

    to: Set[Broker]  # whom it has yet to reach
    controller_epoch: Epoch
    leader_epoch: Version


@state
class Cluster:
    """ZooKeeper, what controllers hold, what is under way, and what brokers know."""

    session: Map[Broker, Session]  # how it is with each broker's session
    registered: Set[Broker]  # /brokers/ids
    controller: Option[Broker]  # /controller
    controller_epoch: Epoch  # /controller_epoch
    partition: Partition  # the partition's znode
    majority: bool  # whether the ensemble has its majority
    creating: Set[Broker]  # who has created /controller, and has yet to raise the epoch (two steps)
    held: Map[Broker, Epoch]  # the epoch with which each believes to be the controller; 0: it does not
    read: Map[Broker, Option[Partition]]  # what each controller has read of the partition
    live: Map[Broker, Set[Broker]]  # whom each controller has read to be registered
    back: Map[Broker, Set[Broker]]  # who of these has registered anew since that controller has read so
    owed: Map[Broker, Set[Broker]]  # who is new to each controller, so that it has yet to send them the state
    requests: Annotated[Set[LeaderAndIsr], Capacity(room)]  # LeaderAndIsr requests under way
    stopping: Annotated[Set[StopReplica], Capacity(2)]  # StopReplica requests under way
    seen: Map[Broker, Epoch]  # the controller epoch of the last request that each broker obeyed
    known: Map[Broker, Partition]  # what each broker knows of the partition
    running: Map[Broker, bool]  # whether its replica runs
    refused: Set[Broker]  # leaders whose change of the ISR was refused for good: they wait for a LeaderAndIsr


view = GroupLanes(
    lane=Broker,
    state="'controller' if s.held[lane] > 0 else 'broker'",
    generation="held",
    badges={"session": "session", "knows": "known", "obeyed": "seen", "runs": "running"},
    board={"/controller": "controller", "/controller_epoch": "controller_epoch", "partition": "partition"},
)

profiles = {
    "kafka_3_9": {},
    "kafka_14154": {"not_controller": False},
    "kafka_2_6": {"alter_partition": False},
    "two_steps": {"alter_partition": False, "one_multi": False},
    "kafka_532": {"alter_partition": False, "broker_fence": False},
    "kafka_6082": {"alter_partition": False, "write_fence": False},
    "controller_overwrites": {"alter_partition": False, "controller_cas": False},
    "leader_overwrites": {"alter_partition": False, "leader_cas": False},
    "kafka_1188": {"alter_partition": False, "leader_epoch_check": False},
    "kafka_7235": {"alter_partition": False, "broker_epochs": False},
    "kafka_9539": {"alter_partition": False, "stop_epoch": False},
    "kafka_2729": {"alter_partition": False, "write_fence": False, "broker_epochs": False},
}


@initial
def start() -> Cluster:
    """All brokers are registered; the first leads the partition, all are in the ISR, and there is no controller."""
    partition = Partition(leader=Broker(0), leader_epoch=0, isr=Set(Broker), version=0)
    return Cluster(
        session=Map({node: Session.CONNECTED for node in Broker}),
        registered=Set(Broker),
        controller=None,
        controller_epoch=0,
        partition=partition,
        majority=True,
        creating=Set(),
        held=Map({node: 0 for node in Broker}),
        read=Map({node: None for node in Broker}),
        live=Map({node: Set() for node in Broker}),
        back=Map({node: Set() for node in Broker}),
        owed=Map({node: Set() for node in Broker}),
        requests=Set(),
        stopping=Set(),
        seen=Map({node: 0 for node in Broker}),
        known=Map({node: partition for node in Broker}),
        running=Map({node: True for node in Broker}),
        refused=Set(),
    )


# --- who is the controller --------------------------------------------------------------------------------------------


def can_write(s: Cluster, broker: Broker) -> bool:
    """Whether a broker's requests are served by ZooKeeper."""
    return s.majority and s.session[broker] == Session.CONNECTED


def is_idle(s: Cluster, broker: Broker) -> bool:
    """Whether a broker neither believes to be the controller nor is about to."""
    return s.held[broker] == 0 and broker not in s.creating


@action
def become_controller(s: Cluster, broker: Broker) -> None:
    """{broker} creates /controller and raises the epoch to {s.controller_epoch + 1}, in one transaction."""
    require(one_multi and can_write(s, broker) and s.controller is None and is_idle(s, broker))
    limit(s.controller_epoch < max_epoch)
    s.controller = broker
    s.controller_epoch += 1
    s.held[broker] = s.controller_epoch


@action
def create_controller(s: Cluster, broker: Broker) -> None:
    """{broker} creates /controller, and has yet to raise the epoch."""
    require(not one_multi and can_write(s, broker) and s.controller is None and is_idle(s, broker))
    s.controller = broker
    s.creating.add(broker)


@action
def raise_epoch(s: Cluster, broker: Broker) -> None:
    """{broker} raises the epoch to {s.controller_epoch + 1}, and believes to be the controller."""
    require(not one_multi and can_write(s, broker) and broker in s.creating)
    limit(s.controller_epoch < max_epoch)
    s.controller_epoch += 1
    s.held[broker] = s.controller_epoch
    s.creating.remove(broker)


@action
def resign(s: Cluster, broker: Broker) -> None:
    """{broker} notices that it is no longer the controller."""
    require(can_write(s, broker) and not is_idle(s, broker) and s.controller != broker)
    s.held[broker] = 0
    s.creating.discard(broker)
    s.read[broker] = None
    s.live[broker] = Set()
    s.back[broker] = Set()
    s.owed[broker] = Set()


# --- what a controller does -------------------------------------------------------------------------------------------


def can_read(s: Cluster, broker: Broker) -> bool:
    """Whether a controller handles what it learns from ZooKeeper: else it only ends what it had begun."""
    return can_write(s, broker) and s.held[broker] > 0 and s.controller == broker


@action
def read_partition(s: Cluster, broker: Broker) -> None:
    """Controller {broker} reads the partition's znode."""
    require(can_read(s, broker) and s.read[broker] != s.partition)
    s.read[broker] = s.partition


@action
def read_brokers(s: Cluster, broker: Broker) -> None:
    """Controller {broker} reads that {s.registered} are registered: it deals with who is gone before who is new."""
    require(can_read(s, broker) and (s.live[broker] != s.registered or len(s.back[broker]) > 0))
    old = s.read[broker]
    require(old is not None)
    if old is not None:
        if not s.live[broker] <= s.registered or len(s.back[broker]) > 0:
            s.live[broker] = (s.live[broker] & s.registered) - s.back[broker]
            s.owed[broker] = s.owed[broker] & s.live[broker]
            s.back[broker] = Set()
        else:
            require(len(s.live[broker]) == 0 or not is_wrong(old, s.live[broker]))
            s.owed[broker] = s.owed[broker] | (s.registered - s.live[broker])
            s.live[broker] = s.registered


def without_the_dead(old: Partition, live: Set[Broker]) -> Partition:
    """What a controller makes of the partition: the dead leave the ISR, though not the last, and the first one of the
    ISR in the order of the assignment leads, if the leader is dead."""
    isr = old.isr & live
    return Partition(
        leader=old.leader if old.leader is not None and old.leader in live else first_of(isr),
        leader_epoch=old.leader_epoch + 1,
        isr=isr if len(isr) > 0 else old.isr,
        version=old.version + 1,
    )


def first_of(some: Set[Broker]) -> Option[Broker]:
    """The first of them in the order of the assignment; None where there is none."""
    return choose(node for node in Broker if node in some) if len(some) > 0 else None


def is_wrong(old: Partition, live: Set[Broker]) -> bool:
    """Whether a controller has something to do: there is no leader and could be one, or there are dead in the ISR."""
    return (old.leader is None and len(old.isr & live) > 0) or (
        old.leader is not None and (old.leader not in live or not old.isr <= live)
    )


def send(s: Cluster, broker: Broker, to: Set[Broker], partition: Partition) -> None:
    """A controller sends a LeaderAndIsr to those who still have the registration that it has read; others refuse it."""
    if len(to - s.back[broker]) > 0:
        s.requests.add(LeaderAndIsr(to=to - s.back[broker], controller_epoch=s.held[broker], partition=partition))


@action
def elect(s: Cluster, broker: Broker) -> None:
    """Controller {broker}, with epoch {s.held[broker]}, takes who is gone out of the ISR, and sees to the leader."""
    require(can_write(s, broker) and s.held[broker] > 0 and len(s.live[broker]) > 0)
    old = s.read[broker]
    require(old is not None)
    if old is not None:
        require(is_wrong(old, s.live[broker]))
        write_election(s, broker, old, without_the_dead(old, s.live[broker]))
        s.owed[broker] = Set()
        send(s, broker, s.live[broker], s.partition)


def write_election(s: Cluster, broker: Broker, old: Partition, new: Partition) -> None:
    """A controller that has read `old` writes `new`."""
    require(not write_fence or s.held[broker] == s.controller_epoch)
    require(not controller_cas or old.version == s.partition.version)
    limit(old.version < max_version and s.partition.version < max_version)
    limit(len(s.requests) < room)
    s.partition = replace(new, version=s.partition.version + 1)
    s.read[broker] = s.partition


@action(kind="client", budget="stops")
def move_away_and_back(s: Cluster, broker: Broker, replica: Broker) -> None:
    """Controller {broker} moves the replica off {replica}, which is to stop, and is to give it back to {replica}."""
    require(stops > 0 and can_read(s, broker) and replica in s.live[broker] - s.back[broker])
    old = s.read[broker]
    require(old is not None)
    if old is not None:
        require(old.leader is not None and old.leader != replica and replica in old.isr)
        require(not is_wrong(old, s.live[broker]))
        isr = old.isr - {replica}
        write_election(s, broker, old, replace(old, leader_epoch=old.leader_epoch + 1, isr=isr))
        held = s.held[broker]
        s.stopping.add(StopReplica(to=Set([replica]), controller_epoch=held, leader_epoch=old.leader_epoch))
        send(s, broker, s.live[broker] - {replica}, s.partition)
        s.owed[broker] = Set([replica])


@action
def announce(s: Cluster, broker: Broker) -> None:
    """Controller {broker} sends what it has read of the partition to {s.owed[broker]}, which are new to it."""
    require(s.held[broker] > 0 and len(s.owed[broker]) > 0)
    old = s.read[broker]
    require(old is not None)
    if old is not None:
        limit(len(s.requests) < room)
        send(s, broker, s.owed[broker], old)
        s.owed[broker] = Set()


# --- what brokers do --------------------------------------------------------------------------------------------------


def arrives(s: Cluster, request: LeaderAndIsr, to: Broker) -> None:
    """A request has reached one of those that it is sent to."""
    s.requests.remove(request)
    if len(request.to) > 1:
        s.requests.add(replace(request, to=request.to - {to}))


def refuses(s: Cluster, request: LeaderAndIsr, to: Broker) -> bool:
    """Whether a broker refuses to lead or follow so."""
    return (broker_fence and request.controller_epoch < s.seen[to]) or (
        leader_epoch_check and request.partition.leader_epoch < s.known[to].leader_epoch
    )


@action
def obey(s: Cluster, request: Annotated[LeaderAndIsr, Member("requests")], to: Broker) -> None:
    """{to} obeys: {request.partition.leader} leads, says the controller of epoch {request.controller_epoch}."""
    require(to in request.to and not refuses(s, request, to))
    arrives(s, request, to)
    s.seen[to] = request.controller_epoch
    if not leader_epoch_check or request.partition.leader_epoch > s.known[to].leader_epoch:
        s.known[to] = request.partition
        s.running[to] = True
        s.refused.discard(to)


@action
def refuse(s: Cluster, request: Annotated[LeaderAndIsr, Member("requests")], to: Broker) -> None:
    """{to} refuses a request of controller epoch {request.controller_epoch}, or it never reaches it."""
    require(to in request.to and (refuses(s, request, to) or not is_alive(s.session[to])))
    arrives(s, request, to)


@action
def stop(s: Cluster, request: Annotated[StopReplica, Member("stopping")], to: Broker) -> None:
    """{to} stops its replica, as asked in leader epoch {request.leader_epoch}."""
    require(stops > 0 and to in request.to)
    require(not broker_fence or request.controller_epoch >= s.seen[to])
    require(not stop_epoch or request.leader_epoch >= s.known[to].leader_epoch)
    s.stopping.remove(request)
    if len(request.to) > 1:
        s.stopping.add(replace(request, to=request.to - {to}))
    s.seen[to] = request.controller_epoch
    s.running[to] = False


def write_isr(s: Cluster, leader: Broker, isr: Set[Broker]) -> None:
    """A leader writes the ISR itself."""
    require(not alter_partition and can_write(s, leader) and s.known[leader].leader == leader and s.running[leader])
    require(not leader_cas or s.known[leader].version == s.partition.version)
    limit(s.partition.version < max_version)
    s.known[leader] = replace(s.known[leader], isr=isr, version=s.partition.version + 1)
    s.partition = s.known[leader]


@action
def shrink_isr(s: Cluster, leader: Broker, follower: Broker) -> None:
    """{leader}, which believes to lead, takes {follower} out of the ISR."""
    require(follower in s.known[leader].isr and follower != leader)
    write_isr(s, leader, s.known[leader].isr - {follower})


@action
def expand_isr(s: Cluster, leader: Broker, follower: Broker) -> None:
    """{leader}, which believes to lead, takes {follower} into the ISR."""
    require(follower not in s.known[leader].isr and s.running[follower])
    write_isr(s, leader, s.known[leader].isr | {follower})


def alter(s: Cluster, controller: Broker, leader: Broker, isr: Set[Broker]) -> None:
    """A leader asks a controller to write the ISR. An answer that makes it ask again, or leaves it waiting for a
    LeaderAndIsr that is on its way, changes nothing and is no step."""
    require(alter_partition and s.known[leader].leader == leader and s.running[leader] and leader not in s.refused)
    require(s.held[controller] > 0 and leader in s.live[controller] and leader not in s.back[controller])
    require(isr <= s.live[controller])
    known = s.known[leader]
    read = s.read[controller]
    require(read is not None)
    if read is not None:
        if known.leader_epoch > read.leader_epoch or known.version > read.version:
            require(not not_controller)
            s.refused.add(leader)
        else:
            require(known.leader_epoch == read.leader_epoch and known.version == read.version)
            require(can_write(s, controller) and (not write_fence or s.held[controller] == s.controller_epoch))
            require(not controller_cas or read.version == s.partition.version)
            limit(s.partition.version < max_version)
            s.partition = replace(known, isr=isr, version=s.partition.version + 1)
            s.read[controller] = s.partition
            s.known[leader] = s.partition


@action
def ask_to_shrink(s: Cluster, leader: Broker, follower: Broker, controller: Broker) -> None:
    """{leader}, which believes to lead, asks controller {controller} to take {follower} out of the ISR."""
    require(follower in s.known[leader].isr and follower != leader)
    alter(s, controller, leader, s.known[leader].isr - {follower})


@action
def ask_to_expand(s: Cluster, leader: Broker, follower: Broker, controller: Broker) -> None:
    """{leader}, which believes to lead, asks controller {controller} to take {follower} into the ISR."""
    require(follower not in s.known[leader].isr and s.running[follower])
    alter(s, controller, leader, s.known[leader].isr | {follower})


# --- sessions ---------------------------------------------------------------------------------------------------------


@action(kind="fault", budget="cuts")
def lose_connection(s: Cluster, broker: Broker) -> None:
    """{broker} no longer reaches ZooKeeper; its session goes on."""
    cut_off(s.session, broker)


@action
def connect_again(s: Cluster, broker: Broker) -> None:
    """{broker} reaches ZooKeeper again in time."""
    require(s.majority)
    reconnect(s.session, broker)


@action
def end_session(s: Cluster, broker: Broker) -> None:
    """The session of {broker} expires: its ephemeral znodes are removed."""
    require(s.majority)
    expire(s.session, broker)
    s.registered.discard(broker)
    if s.controller == broker:
        s.controller = None


@action
def learn(s: Cluster, broker: Broker) -> None:
    """{broker} reaches ZooKeeper again and learns that its session has expired."""
    require(s.majority)
    learn_of_expiry(s.session, broker)


@action
def register(s: Cluster, broker: Broker) -> None:
    """{broker} registers under a new session; if it was the controller, that thread does not know yet."""
    require(s.majority and s.session[broker] == Session.OVER)
    s.session[broker] = Session.CONNECTED
    s.registered.add(broker)
    if broker_epochs:
        for node in Broker:
            if broker in s.live[node]:
                s.back[node].add(broker)
        s.requests = Set(replace(it, to=it.to - {broker}) for it in s.requests if it.to != {broker})
        s.stopping = Set(replace(it, to=it.to - {broker}) for it in s.stopping if it.to != {broker})


@action(kind="fault", budget="majority_losses")
def lose_majority(s: Cluster) -> None:
    """The ensemble loses its majority: nothing is written, and no session expires."""
    require(majority_losses > 0 and s.majority)
    s.majority = False


@action
def regain_majority(s: Cluster) -> None:
    """The ensemble has a majority again."""
    require(majority_losses > 0 and not s.majority)
    s.majority = True
