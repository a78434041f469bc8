"""What there is: clients, the coordinator, and what is under way between them."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ....language import Capacity, Domain, Map, Option, Range, Set, constant, initial, record, state

clients = constant(2, minimum=1, maximum=3, says="clients that consume in one group")
topics = constant(1, minimum=1, maximum=2, says="topics that they may subscribe to")
partitions = constant(1, minimum=1, maximum=3, says="partitions of each topic")
perturbations = constant(
    1, minimum=0, maximum=3, says="crashes, leaves, expired sessions and new subscriptions, in all"
)
partition_epochs_by_member = constant(
    True, says="KAFKA-16147: the epochs of all that a member owned are removed before any is written"
)


class Client(Domain, size=clients, symmetric=True):
    """A client with the group's id."""


all_partitions = topics * partitions
ids = clients + perturbations  # each client joins once, and once more after each perturbation
last_epoch = 2 * clients + 3 * perturbations  # one of a join, one of its end, and one of each new subscription

Topic = Annotated[int, Range(0, topics - 1)]
Partition = Annotated[int, Range(0, all_partitions - 1)]  # those of one topic come one after another
Epoch = Annotated[int, Range(0, last_epoch)]
SentEpoch = Annotated[int, Range(-1, last_epoch)]  # -1: the client leaves
Id = Annotated[int, Range(1, ids)]
KnownId = Annotated[int, Range(0, ids)]  # 0: the client has none yet
Connection = Annotated[int, Range(0, ids)]  # 0: the client has none yet


class Status(Enum):
    """What a client is doing."""

    UNSUBSCRIBED = "unsubscribed"
    JOINING = "joining"
    RECONCILING = "reconciling"  # it gives up and takes on partitions
    ACKNOWLEDGING = "acknowledging"  # it has, and its next heartbeat says so
    STABLE = "stable"
    PREPARE_LEAVING = "prepare leaving"
    LEAVING = "leaving"  # its next heartbeat says so


class MemberStatus(Enum):
    """How far the coordinator has brought a member to its target."""

    REVOKING = "revoking"
    ASSIGNING = "assigning"  # it waits for what others have yet to give up
    STABLE = "stable"


class GroupStatus(Enum):
    """How far the group has come."""

    EMPTY = "empty"
    ASSIGNING = "assigning"  # the target is one of an earlier epoch
    RECONCILING = "reconciling"
    STABLE = "stable"


class Error(Enum):
    """Why a heartbeat is refused."""

    FENCED_MEMBER_EPOCH = "fenced member epoch"
    UNKNOWN_MEMBER_ID = "unknown member id"


@record
class Reconciliation:
    """A client gives up and takes on partitions, which takes a while."""

    epoch: Epoch  # the client's, when it began
    assignment: Set[Partition]


@record
class ClientState:
    """What a client knows of itself."""

    connection: Connection
    member: KnownId
    epoch: SentEpoch
    status: Status
    subscribed: Set[Topic]
    owned: Set[Partition]
    target: Set[Partition]
    last_sent: Option[Set[Partition]]  # what it said last that it owns
    waits: bool  # for the answer to a heartbeat
    reconciles: Option[Reconciliation]
    leaves: Option[Set[Partition]]  # what it owned when it began to leave


@record
class Member:
    """What the coordinator knows of a member."""

    host: Client
    epoch: Epoch
    target_epoch: Epoch  # of the target that it is moved to
    subscribed: Set[Topic]
    status: MemberStatus
    assigned: Set[Partition]
    to_revoke: Set[Partition]
    to_assign: Set[Partition]
    reported: Option[Set[Partition]]  # what it said last that it owns


@record
class Heartbeat:
    """A request of a client; the first one joins."""

    source: Client
    connection: Connection
    member: KnownId
    epoch: SentEpoch
    subscribed: Set[Topic]
    owned: Option[Set[Partition]]  # where nothing has changed: none


@record
class Answer:
    """The coordinator's answer to a heartbeat."""

    to: Client
    connection: Connection
    member: KnownId
    epoch: SentEpoch
    assignment: Option[Set[Partition]]  # where nothing has changed: none
    error: Option[Error]


@state
class Group:
    """The clients, the coordinator, and what is under way between them."""

    clients: Map[Client, ClientState]  # what each client knows, and what it waits for
    members: Map[Id, Option[Member]]  # of the group, as the coordinator has it
    epoch: Epoch  # the group's
    status: GroupStatus  # the group's
    target_epoch: Epoch  # of the target assignment
    target: Map[Id, Option[Set[Partition]]]  # the target assignment: the partitions that each member is to have
    partition_epoch: Map[Partition, Epoch]  # of its owner, or of who has yet to give it up; 0: it may be given away
    heartbeats: Annotated[Set[Heartbeat], Capacity(ids)]  # under way
    answers: Annotated[Set[Answer], Capacity(ids)]  # under way
    last_heartbeat: Option[Heartbeat]  # received in the step before, as the module keeps it
    last_answer: Option[Answer]  # likewise; one of them at most
    ids_given: KnownId  # how many member ids were given
    connections_made: Connection  # how many connections were made
    perturbed: Annotated[int, Range(0, perturbations)]  # how often a client changed something by itself


def joining() -> ClientState:
    """A client that begins: it subscribes to all topics."""
    return ClientState(
        connection=0,
        member=0,
        epoch=0,
        status=Status.JOINING,
        subscribed=Set(range(topics)),
        owned=Set(),
        target=Set(),
        last_sent=None,
        waits=False,
        reconciles=None,
        leaves=None,
    )


@initial
def start() -> Group:
    """The group has no members, and every client is about to join."""
    return Group(
        clients=Map({client: joining() for client in Client}),
        members=Map({member: None for member in range(1, ids + 1)}),
        epoch=0,
        status=GroupStatus.EMPTY,
        target_epoch=0,
        target=Map({member: None for member in range(1, ids + 1)}),
        partition_epoch=Map({p: 0 for p in range(all_partitions)}),
        heartbeats=Set(),
        answers=Set(),
        last_heartbeat=None,
        last_answer=None,
        ids_given=0,
        connections_made=0,
        perturbed=0,
    )


def member_of(s: Group, member: KnownId) -> Option[Member]:
    """What the coordinator knows of a member; None of one who is none."""
    if member == 0:
        return None
    return s.members[member]


def is_stable(s: Group, member: KnownId) -> bool:
    """Whether the coordinator has brought a member to the group's epoch."""
    known = member_of(s, member)
    return known is not None and known.status == MemberStatus.STABLE and known.epoch == s.epoch


def is_converged(s: Group) -> bool:
    """Whether all clients and all members have what the target says."""
    return (
        s.status == GroupStatus.STABLE
        and all(
            s.clients[c].status == Status.STABLE and s.clients[c].epoch == s.epoch and is_stable(s, s.clients[c].member)
            for c in Client
        )
        and all(s.members[m] is None or is_stable(s, m) for m in range(1, ids + 1))
    )
