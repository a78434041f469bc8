"""Kafka's assignors: who consumes which partition, as functions of the topics and of who has subscribed to what.

The group's leader calls one of them, with the members in the order of their ids, and topics in that of their names:

* `range_owner`, Range: of each topic by itself, the members that have subscribed to it get contiguous partitions, and
  the first of them one more, as long as there is one left over.
* `round_robin`, RoundRobin: all partitions, topic by topic, are dealt to the members in turn; whoever has not
  subscribed to the topic is passed over, and so is its turn.

A run is one assignment: every topology is an initial state, and an assignor is chosen. What is left out: racks
(KIP-881), static members, which come first in the order, and the assignors that know who owned what:
`sticky_assignors/` has Sticky and CooperativeSticky, `uniform_assignor.py` the coordinator's Uniform. The coordinator's
Range (KIP-848) is the same function as the clients'. Sources: RangeAssignor and RoundRobinAssignor of Kafka's clients,
3.6; the coordinator's RangeAssignor, 4.1.0. Properties are in `invariants/studies/assignors.py`.
"""

from __future__ import annotations

from enum import Enum

from ...language import Map, Option, action, choose, initial, position, require, state, terminal
from ..parts.topology import *


class Assignor(Enum):
    """`partition.assignment.strategy`."""

    RANGE = "range"
    ROUND_ROBIN = "roundrobin"


@state
class Group:
    """What an assignor is given, and what it makes of it."""

    partitions: Counts  # how many each topic has
    subscribed: Subscriptions  # to which topics each member
    assignor: Option[Assignor]  # which one has assigned
    owners: Owners  # of each partition; None: nobody, or there is no such partition


@initial
def start(partitions: Counts, subscribed: Subscriptions) -> Group:
    """Topics have so many partitions, and members have subscribed so."""
    return Group(partitions=partitions, subscribed=subscribed, assignor=None, owners=nobody())


@action
def assign(s: Group, assignor: Assignor) -> None:
    """{assignor} divides the partitions among the members."""
    require(s.assignor is None)
    s.assignor = assignor
    s.owners = (
        assign_by_range(s.partitions, s.subscribed)
        if assignor == Assignor.RANGE
        else round_robin(s.partitions, s.subscribed)
    )


@terminal
def is_assigned(s: Group) -> bool:
    """The partitions are assigned."""
    return s.assignor is not None


# --- Range ------------------------------------------------------------------------------------------------------------


def assign_by_range(partitions: Counts, subscribed: Subscriptions) -> Owners:
    """Each topic by itself, in contiguous ranges."""
    return Map(
        {
            topic: Map(
                {number: range_owner(partitions[topic], subscribed, topic, number) for number in range(max_partitions)}
            )
            for topic in Topic
        }
    )


def range_owner(count: Count, subscribed: Subscriptions, topic: Topic, number: Number) -> Option[Member]:
    """Who owns a partition of a topic that has so many."""
    if number >= count or all(topic not in subscribed[member] for member in Member):
        return None
    return choose(m for m in Member if topic in subscribed[m] and number < end_of_range(count, subscribed, topic, m))


def end_of_range(count: Count, subscribed: Subscriptions, topic: Topic, member: Member) -> int:
    """The first partition behind a member's range."""
    consumers = sum(1 for m in Member if topic in subscribed[m])
    place = sum(1 for m in Member if topic in subscribed[m] and m <= member)
    return place * (count // consumers) + min(place, count % consumers)


# --- RoundRobin -------------------------------------------------------------------------------------------------------


def round_robin(partitions: Counts, subscribed: Subscriptions) -> Owners:
    """All partitions in turn."""
    owners = nobody()
    turn = 0
    for topic in Topic:
        for number in range(max_partitions):
            if number < partitions[topic] and any(topic in subscribed[member] for member in Member):
                owner = next_in_turn(subscribed, topic, turn)
                owners = set_owner(owners, topic, number, owner)
                turn = (position(owner) + 1) % members
    return owners


def next_in_turn(subscribed: Subscriptions, topic: Topic, turn: int) -> Member:
    """The first member from a turn on that has subscribed to a topic; behind the last comes the first."""
    none_is_left = all(topic not in subscribed[m] or position(m) < turn for m in Member)
    return choose(m for m in Member if topic in subscribed[m] and (position(m) >= turn or none_is_left))
