"""What begins a rebalance, and which partitions stand still in it: eager, cooperative, and KIP-848.

A group's partitions are dealt out anew when a member comes or goes; when a topic of the subscription comes, goes or
gets more partitions: the group's leader compares its metadata with those of the last assignment
(ConsumerCoordinator.rejoinNeededOrPending), with KIP-848 the coordinator does; and when a member changes its own
subscription, of which no other knows before. Between the step in which somebody gives a partition up and the one in
which somebody has it, nobody consumes it.

* `EAGER`, the classic protocol up to 2.3, and with Range and RoundRobin still: each member gives up all that it has
  before it joins again (onJoinPrepare), and has something again when the last has joined. The whole group stands still.
* `COOPERATIVE` (KIP-429, 2.4): members keep what they have, and the assignor leaves out what another member still has
  (CooperativeStickyAssignor.adjustAssignment). Who was not given again what it had gives it up, and joins again: a
  partition that moves takes two rebalances, and the others are consumed all the time. What a member does not subscribe
  to any more it gives up before it joins (onJoinPrepare), and one rebalance is enough.
* `CONSUMER` (KIP-848): the coordinator computes a target. Each member gives up what is not its own there, and is given
  what is free, on its own heartbeats.

A target is balanced as far as subscriptions allow, and nobody gives up more than it must (the sticky assignors; after
an eager join nobody has anything, so that any balanced one will do).

What is abstracted away. Generations, heartbeats, requests that are lost, members that are thrown out, and commits:
`model/classic_group/` and `model/modern_group/` have these, for one topic of a fixed size. Each topic has one
partition: a new topic and a new partition are one step here, `add_partition`. All members subscribe to all topics but
one, to which some may not. A member that leaves says so. There is no time: how long a partition stands still is not
asked, but which do at once (`most_idle`).

Sources: ConsumerCoordinator (onJoinPrepare, onJoinComplete, rejoinNeededOrPending), CooperativeStickyAssignor and
GroupCoordinator of 2.4.0 and 3.6.0; GroupMetadataManager and CurrentAssignmentBuilder of 3.7.0. Properties are in
`invariants/studies/rebalance_window.py`.
"""

from __future__ import annotations

from enum import Enum

from ...language import *


class Protocol(Enum):
    """How a group deals out its partitions."""

    EAGER = "eager"
    COOPERATIVE = "cooperative"
    CONSUMER = "consumer"


members = constant(3, minimum=1, maximum=3, says="consumers, one of which is not in the group at first")
partitions = constant(3, minimum=1, maximum=4, says="partitions, one of which is not there at first")
joins = constant(1, minimum=0, maximum=2, says="consumers that join")
leaves = constant(0, minimum=0, maximum=2, says="members that leave")
additions = constant(0, minimum=0, maximum=1, says="partitions, or topics of one, that are added")
deletions = constant(0, minimum=0, maximum=1, says="topics that are deleted")
changes = constant(0, minimum=0, maximum=1, says="times that a member subscribes to a topic, or to one no more")
most_idle = constant(1, minimum=0, maximum=4, says="partitions that may stand still at once")
protocol = constant(Protocol.CONSUMER, says="how the group deals out its partitions")

profiles = {
    "kip_848": {},
    "kip_429": {"protocol": Protocol.COOPERATIVE},
    "eager": {"protocol": Protocol.EAGER},
}


class Consumer(Domain, size=members, symmetric=True):
    """A consumer."""


class Partition(Domain, size=partitions, symmetric=True):
    """A partition of a topic that the group subscribes to."""


@ghosts
class History:
    """What properties remember of a run; no step depends on it."""

    consumed: Set[Partition]  # partitions that a member has had, and that one may have


@state
class Group(History):
    """Who is a member, what there is to consume, and who consumes it."""

    group: Set[Consumer]  # the members
    exists: Set[Partition]  # the partitions that there are
    subscribers: Map[Partition, Set[Consumer]]  # who subscribes to the topic of each
    owner: Map[Partition, Option[Consumer]]  # who consumes each
    given: Map[Partition, Option[Consumer]]  # who has it by the newest assignment or target
    changed: bool  # a rebalance goes on, or a target is to be computed
    joined: Set[Consumer]  # classic: who has joined it
    synced: Set[Consumer]  # classic: who has the assignment of the last one


view = GroupLanes(
    lane=Consumer,
    state="'member' if lane in s.group else ''",
    generation="s.owner",
    board={"partitions": "exists", "rebalance": "changed", "joined": "joined"},
)


@initial
def start(late: Consumer, new: Partition, is_apart: bool) -> Group:
    """All but {late} are members, all partitions but {new} are there, and nothing is dealt out.

    Where subscriptions change, {late} may not subscribe to the topic of {new} at first.
    """
    return Group(
        group=Set(m for m in Consumer if m != late or joins == 0),
        exists=Set(p for p in Partition if p != new or additions == 0),
        subscribers=Map(
            {
                p: Set(m for m in Consumer if not (is_apart and m == late and p == new and changes > 0))
                for p in Partition
            }
        ),
        owner=Map({p: None for p in Partition}),
        given=Map({p: None for p in Partition}),
        changed=True,
        joined=Set(),
        synced=Set(),
    )


# --- what begins a rebalance ------------------------------------------------------------------------------------------


def begin_rebalance(s: Group) -> None:
    """All members join again; with KIP-848 a target is to be computed. What nobody may have does not stand still."""
    s.consumed = Set(p for p in s.consumed if is_wanted(s, p))
    s.changed = True
    s.joined = Set()


@action(kind="client", budget="joins")
def join(s: Group, member: Consumer) -> None:
    """{member} joins the group."""
    require(member not in s.group)
    s.group.add(member)
    begin_rebalance(s)


@action(kind="client", budget="leaves")
def leave(s: Group, member: Consumer) -> None:
    """{member} leaves the group."""
    require(member in s.group and len(s.group) > 1)
    s.group.remove(member)
    s.owner = Map({p: None if s.owner[p] == member else s.owner[p] for p in Partition})
    s.given = Map({p: None if s.given[p] == member else s.given[p] for p in Partition})
    s.synced.discard(member)
    begin_rebalance(s)


@action(kind="client", budget="additions")
def add_partition(s: Group, partition: Partition) -> None:
    """{partition} is added, or the topic whose only one it is, and the group learns of it."""
    require(partition not in s.exists)
    s.exists.add(partition)
    begin_rebalance(s)


@action(kind="client", budget="deletions")
def delete_topic(s: Group, partition: Partition) -> None:
    """The topic whose only partition is {partition} is deleted, and the group learns of it."""
    require(partition in s.exists and len(s.exists) > 1)
    s.exists.remove(partition)
    s.owner[partition] = None
    s.given[partition] = None
    begin_rebalance(s)


@action(kind="client", budget="changes")
def change_subscription(s: Group, member: Consumer, partition: Partition) -> None:
    """{member} subscribes to the topic of {partition}, or not any more, and says so."""
    require(member in s.group and partition in s.exists)
    require(all(p == partition or len(s.subscribers[p]) == members for p in Partition))
    if member in s.subscribers[partition]:
        s.subscribers[partition].remove(member)
    else:
        s.subscribers[partition].add(member)
    begin_rebalance(s)


# --- who has what -----------------------------------------------------------------------------------------------------


def may_have(s: Group, member: Consumer, partition: Partition) -> bool:
    """Whether a member subscribes to the topic of a partition that is there."""
    return member in s.group and partition in s.exists and member in s.subscribers[partition]


def is_wanted(s: Group, partition: Partition) -> bool:
    """Whether a partition is there and some member subscribes to its topic."""
    return any(may_have(s, m, partition) for m in Consumer)


def is_target(s: Group, target: Map[Partition, Consumer]) -> bool:
    """Whether a target is fair, and none from which it differs in two partitions is and takes less away."""
    return is_fair(s, target) and not any(
        is_better(s, handed_on(target, p, q, m), target) for p in Partition for q in Partition for m in Consumer
    )


def is_fair(s: Group, target: Map[Partition, Consumer]) -> bool:
    """Whether a target gives to subscribers alone, and to nobody two more than to another who may have one of them."""
    return all(not is_wanted(s, p) or may_have(s, target[p], p) for p in Partition) and all(
        not may_have(s, m, p) or share_count(s, target, target[p]) <= share_count(s, target, m) + 1
        for p in Partition
        for m in Consumer
    )


def is_better(s: Group, one: Map[Partition, Consumer], other: Map[Partition, Consumer]) -> bool:
    """Whether one target is fair and leaves more partitions where they are than another."""
    return is_fair(s, one) and kept_count(s, one) > kept_count(s, other)


def share_count(s: Group, target: Map[Partition, Consumer], member: Consumer) -> int:
    """How many partitions a member has in a target."""
    return sum(is_wanted(s, p) and target[p] == member for p in Partition)


def kept_count(s: Group, target: Map[Partition, Consumer]) -> int:
    """How many partitions are where they were in a target."""
    return sum(is_wanted(s, p) and s.owner[p] == target[p] for p in Partition)


def handed_on(
    target: Map[Partition, Consumer], one: Partition, other: Partition, member: Consumer
) -> Map[Partition, Consumer]:
    """A target in which the member of one partition gives it to a member, and has another in its place."""
    return Map({p: member if p == one else target[one] if p == other else target[p] for p in Partition})


def give(s: Group, partition: Partition, member: Consumer) -> None:
    """A member begins to consume a partition."""
    s.owner[partition] = member
    s.consumed.add(partition)


# --- the classic protocol ---------------------------------------------------------------------------------------------


@action
def join_again(s: Group, member: Consumer) -> None:
    """{member} joins the rebalance, and gives up all that it has, or cooperatively what it subscribes to no more."""
    require(protocol != Protocol.CONSUMER)
    require(s.changed and member in s.group and member not in s.joined)
    s.joined.add(member)
    for p in Partition:
        if s.owner[p] == member and (protocol == Protocol.EAGER or not may_have(s, member, p)):
            s.owner[p] = None


@action
def assign(s: Group, target: Map[Partition, Consumer]) -> None:
    """All have joined, and the assignment is {target}; of that, cooperatively, what nobody else still has."""
    require(protocol != Protocol.CONSUMER)
    require(s.changed and s.joined == s.group and is_target(s, target))
    s.given = Map({p: target[p] if is_wanted(s, p) and is_free(s, p, target[p]) else None for p in Partition})
    s.changed = False
    s.synced = Set()


def is_free(s: Group, partition: Partition, member: Consumer) -> bool:
    """Whether nobody but a member has a partition."""
    return s.owner[partition] is None or s.owner[partition] == member


@action
def sync(s: Group, member: Consumer) -> None:
    """{member} has its assignment. If it has something that is not in it, it gives that up and joins again."""
    require(protocol != Protocol.CONSUMER)
    require(not s.changed and member in s.group and member not in s.synced)
    s.synced.add(member)
    revokes = any(s.owner[p] == member and s.given[p] != member for p in Partition)
    for p in Partition:
        if s.given[p] == member:
            give(s, p, member)
        elif s.owner[p] == member:
            s.owner[p] = None
    if revokes:
        begin_rebalance(s)


# --- KIP-848 ----------------------------------------------------------------------------------------------------------


@action
def compute_target(s: Group, target: Map[Partition, Consumer]) -> None:
    """The coordinator computes a target, {target}."""
    require(protocol == Protocol.CONSUMER)
    require(s.changed and is_target(s, target))
    s.given = Map({p: target[p] if is_wanted(s, p) else None for p in Partition})
    s.changed = False


@action
def give_up(s: Group, member: Consumer, partition: Partition) -> None:
    """{member} gives up {partition}, which is another one's in the target."""
    require(protocol == Protocol.CONSUMER)
    require(s.owner[partition] == member and s.given[partition] != member)
    s.owner[partition] = None


@action
def take(s: Group, member: Consumer, partition: Partition) -> None:
    """{member} is given {partition}, which nobody has."""
    require(protocol == Protocol.CONSUMER)
    require(member in s.group and s.given[partition] == member and s.owner[partition] is None)
    give(s, partition, member)
