"""The coordinator's Uniform assignor (KIP-848), where all members have subscribed to the same topics.

Each member is to have as many partitions as the others, or one more; what it has it keeps up to that, in the order of
topics and numbers. One more is for those that have enough for it, the first of them first, and else for the last; of
three partitions that nobody had, the second of two members gets two. Then what nobody had is dealt out, and then what
was taken from those that had too much, each to the first member that has room.

A run is one assignment. Every set of members and of subscribed topics is an initial state, `had` makes each previous
assignment of it, and then the assignor is called. A partition whose owner has left the group is nobody's. The members'
order is that in which the coordinator has them, which is arbitrary there, and so is that of topics. Where members have
subscribed to different topics Kafka has another builder, which is `uniform_heterogeneous.py`. In 4.0 the first members
may have one more, whatever they had (`leaves_one_more`), so that partitions move that need not. The coordinator's Range
is the function of the clients' Range, in `assignors.py`. Racks are left out: since 4.0 these assignors take none into
account. Sources: UniformAssignor and UniformHomogeneousAssignmentBuilder of Kafka 4.0.0 and 4.1.0.
Properties are in `invariants/studies/uniform_assignor.py`.
"""

from __future__ import annotations

from ...language import Map, Set, action, choose, constant, initial, record, require, state, terminal
from ..parts.topology import Counts, Load, Member, Number, Owners, Topic, max_partitions, nobody, set_owner

leaves_one_more = constant(True, says="4.1: who has not enough for one partition more leaves it to who has")


@record
class Filling:
    """What the assignor has so far."""

    owners: Owners
    room: Map[Member, Load]  # how many more partitions each member is to have


@state
class Group:
    """What the assignor is given, and what it makes of it."""

    partitions: Counts  # how many each topic has
    present: Set[Member]  # who is in the group
    subscribed: Set[Topic]  # to which topics all members have subscribed
    previous: Owners  # who had each partition; None: nobody, or who has left
    is_done: bool  # it has assigned
    owners: Owners  # of each partition; None: nobody, or there is no such partition


@initial
def start(partitions: Counts, present: Set[Member], subscribed: Set[Topic]) -> Group:
    """Topics have so many partitions, and these members have subscribed to these topics."""
    return Group(
        partitions=partitions,
        present=present,
        subscribed=subscribed,
        previous=nobody(),
        is_done=False,
        owners=nobody(),
    )


@action
def had(s: Group, topic: Topic, number: Number, member: Member) -> None:
    """{member} had partition {number} of {topic}."""
    require(not s.is_done and number < s.partitions[topic] and member in s.present)
    require(
        all(s.previous[t][n] is None for t in Topic for n in range(max_partitions) if is_behind(topic, number, t, n))
    )
    s.previous = set_owner(s.previous, topic, number, member)


def is_behind(topic: Topic, number: Number, other: Topic, its: Number) -> bool:
    """Whether a partition is another one or comes behind it: a previous assignment is made in one order only."""
    return topic < other or (topic == other and number <= its)


@action
def assign(s: Group) -> None:
    """Uniform divides the partitions among the members."""
    require(not s.is_done and len(s.present) > 0)
    s.is_done = True
    filling = keep_owned(s)
    for topic in Topic:
        for number in range(max_partitions):
            if is_there(s, topic, number) and s.previous[topic][number] is None:
                filling = dealt(filling, topic, number)
    for member in Member:
        for topic in Topic:
            for number in range(max_partitions):
                if is_taken_from(s, filling, member, topic, number):
                    filling = dealt(filling, topic, number)
    s.owners = filling.owners


@terminal
def is_assigned(s: Group) -> bool:
    """The partitions are assigned, or nobody is there."""
    return s.is_done or len(s.present) == 0


def is_there(s: Group, topic: Topic, number: Number) -> bool:
    """Whether there is such a partition, of a topic to which the members have subscribed."""
    return topic in s.subscribed and number < s.partitions[topic]


def total(s: Group) -> Load:
    """How many partitions there are to divide."""
    return sum(s.partitions[topic] for topic in s.subscribed)


def keep_owned(s: Group) -> Filling:
    """Who keeps what, up to its quota; and how much room is left with each."""
    owners = nobody()
    room = Map({m: 0 for m in Member})
    more = total(s) % len(s.present)
    for member in Member:
        if member in s.present:
            left = total(s) // len(s.present) + (1 if more > 0 else 0)
            for topic in Topic:
                for number in range(max_partitions):
                    if left > 0 and is_there(s, topic, number) and s.previous[topic][number] == member:
                        owners = set_owner(owners, topic, number, member)
                        left -= 1
            gives_up = leaves_one_more and left > 0 and more > 0 and sum(1 for m in s.present if m >= member) > more
            if gives_up:
                left -= 1
            elif more > 0:
                more -= 1
            room = Map({m: left if m == member else room[m] for m in Member})
    return Filling(owners=owners, room=room)


def is_taken_from(s: Group, filling: Filling, member: Member, topic: Topic, number: Number) -> bool:
    """Whether a member had a partition that it did not keep, and that is nobody's yet."""
    return is_there(s, topic, number) and s.previous[topic][number] == member and filling.owners[topic][number] is None


def dealt(filling: Filling, topic: Topic, number: Number) -> Filling:
    """The first member that has room gets a partition."""
    if all(filling.room[m] == 0 for m in Member):
        return filling
    owner = choose(m for m in Member if filling.room[m] > 0)
    return Filling(
        owners=set_owner(filling.owners, topic, number, owner),
        room=Map({m: filling.room[m] - 1 if m == owner else filling.room[m] for m in Member}),
    )
