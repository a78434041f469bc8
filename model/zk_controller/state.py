"""Bounds, switches and the state of the controller on ZooKeeper."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import Capacity, Domain, Map, Option, Range, Set, constant, initial, record, replace, state
from ..parts.zookeeper import Session, is_served

brokers = constant(3, minimum=2, maximum=4, says="brokers, each with a replica of the partition")
max_epoch = constant(3, minimum=1, maximum=4, says="controllers that take over in all")
max_version = constant(2, minimum=1, maximum=8, says="writes to the partition's znode in all")
kept_versions = constant(
    0, minimum=0, maximum=4, says="of these writes, how many changes of the ISR leave to elections"
)
room = constant(1, minimum=1, maximum=5, says="LeaderAndIsr requests that are under way at once")
cuts = constant(2, minimum=0, maximum=4, says="connections between a broker and ZooKeeper that fail")
stops = constant(1, minimum=0, maximum=2, says="replicas that a controller moves off a broker and back")
majority_losses = constant(0, minimum=0, maximum=2, says="times that the ensemble loses its majority")
deletions = constant(0, minimum=0, maximum=2, says="times that /controller is deleted, its owner's session going on")
updates = constant(0, minimum=0, maximum=2, says="UpdateMetadata requests that are under way at once; 0: none are sent")
writes = constant(0, minimum=0, maximum=1, says="writes of the client")
alter_partition = constant(True, says="KIP-497: a leader asks the controller to write the ISR, else it does so itself")
one_multi = constant(True, says="/controller and /controller_epoch are written in one transaction")
epoch_cas = constant(True, says="who takes over compares the version of /controller_epoch when it writes it")
resigns_first = constant(True, says="a broker opens a new session when its controller has begun to resign: from 1.1 on")
ends_with_session = constant(
    True, says="ZOOKEEPER-2985: an ephemeral znode goes when its owner's session ends, else it stays"
)
by_session = constant(True, says="ephemeral znodes go when their session ends, else when the connection does")
needs_majority = constant(True, says="ZooKeeper writes only with a majority of the ensemble")
broker_fence = constant(True, says="KAFKA-532: brokers refuse requests of a lower controller epoch")
write_fence = constant(True, says="KAFKA-6082: a controller's write checks that its epoch is still the newest")
controller_cas = constant(True, says="a controller's write checks the version of the partition's znode")
leader_cas = constant(True, says="a leader's write of the ISR checks the version of the partition's znode")
not_controller = constant(
    True, says="KAFKA-14154: a controller that is behind a leader says that it is not the controller"
)
compares_versions = constant(
    True, says="from 3.3 on: a controller calls a change done only if the leader's version is no newer than its own"
)
looks_registered = constant(
    True, says="KAFKA-14140: a controller takes nobody into the ISR whom it has not read to be registered"
)
leader_epoch_check = constant(True, says="KAFKA-1188: brokers refuse a LeaderAndIsr that is not newer")
broker_epochs = constant(
    True, says="KIP-380: a broker that was gone is new to the controller, and obeys nothing sent before"
)
stop_epoch = constant(True, says="KIP-570: brokers refuse a StopReplica of an older leader epoch")
client_epochs = constant(True, says="KAFKA-7738: clients take no metadata of an older leader epoch than they have seen")
acks_all = constant(True, says="the client's write waits for all of the ISR (acks=all), else for the leader alone")
lumped = constant(False, says="what can make no difference any more is forgotten, as zk_controller_as_lumped checks")


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


@record
class Metadata:
    """Who leads the partition, and in which leader epoch, as a broker answers clients."""

    leader: Option[Broker]
    leader_epoch: Version


@record
class UpdateMetadata:
    """A controller's request that brokers answer clients so."""

    to: Set[Broker]  # whom it has yet to reach
    controller_epoch: Epoch
    metadata: Metadata


class Answer(Enum):
    """How it is with the client's write."""

    NONE = "none"  # it is not answered yet
    NOT_LEADER = "not the leader"  # who was asked does not lead: the client has to ask for metadata
    ACKNOWLEDGED = "acknowledged"


@state
class Cluster:
    """ZooKeeper, what controllers hold, what is under way, and what brokers know."""

    session: Map[Broker, Session]  # how it is with each broker's session
    registered: Set[Broker]  # /brokers/ids
    controller: Option[Broker]  # /controller
    controller_epoch: Epoch  # /controller_epoch
    partition: Partition  # the partition's znode
    majority: bool  # whether the ensemble has its majority
    deleted: Annotated[int, Range(0, deletions)]  # how often /controller was deleted by a request of its own
    counted: Map[Broker, Epoch]  # the epoch that each read before it takes over, if it does not compare when it writes
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
    updating: Annotated[Set[UpdateMetadata], Capacity(2)]  # UpdateMetadata requests under way
    cached: Map[Broker, Metadata]  # what each broker answers clients
    client: Metadata  # what the client was answered
    answer: Answer  # how it is with its write
    refused: Set[Broker]  # leaders whose change of the ISR was refused for good: they wait for a LeaderAndIsr


@initial
def start() -> Cluster:
    """All brokers are registered; the first leads the partition, all are in the ISR, and there is no controller."""
    partition = Partition(leader=Broker(0), leader_epoch=0, isr=Set(Broker), version=0)
    metadata = Metadata(leader=Broker(0), leader_epoch=0)
    return Cluster(
        session=Map({node: Session.CONNECTED for node in Broker}),
        registered=Set(Broker),
        controller=None,
        controller_epoch=0,
        partition=partition,
        majority=True,
        deleted=0,
        counted=Map({node: 0 for node in Broker}),
        creating=Set(),
        held=Map({node: 0 for node in Broker}),
        read=Map({node: None for node in Broker}),
        live=Map({node: Set() for node in Broker}),
        back=Map({node: Set() for node in Broker}),
        owed=Map({node: Set() for node in Broker}),
        requests=Set(),
        stopping=Set(),
        seen=Map({node: 0 for node in Broker}),
        known=Map({node: known_at_first(partition, node) for node in Broker}),
        running=Map({node: True for node in Broker}),
        updating=Set(),
        cached=Map({node: metadata for node in Broker}),
        client=metadata,
        answer=Answer.NONE,
        refused=Set(),
    )


def known_at_first(partition: Partition, broker: Broker) -> Partition:
    """What a broker knows of the partition at first; where states are lumped, only its leader knows the ISR."""
    return leader_alone(partition) if lumped and sends_on() and partition.leader != broker else partition


def sends_on() -> bool:
    """Whether a controller that a leader is ahead of always answers that it is not the controller."""
    return not_controller and compares_versions


def leader_alone(partition: Partition) -> Partition:
    """The leader and its epoch alone."""
    return replace(partition, isr=Set(), version=0)


def can_write(s: Cluster, broker: Broker) -> bool:
    """Whether a broker's requests are served by ZooKeeper."""
    return is_served(s.session[broker], s.majority or not needs_majority)


def leads(s: Cluster, broker: Broker) -> bool:
    """Whether a broker believes to lead the partition."""
    return s.known[broker].leader == broker and s.running[broker]
