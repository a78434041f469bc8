"""What must hold of Kafka's assignors. G2 and G16 to G18 are the numbers of a catalogue of Kafka's properties."""

from __future__ import annotations

from ...language import invariant, reachable
from ...model.parts.topology import Member, Topic, max_partitions
from ...model.studies.assignors import Assignor, Group


def share(s: Group, member: Member) -> int:
    """How many partitions a member has."""
    return sum(1 for topic in Topic for number in range(max_partitions) if s.owners[topic][number] == member)


def share_of(s: Group, topic: Topic, member: Member) -> int:
    """How many partitions of a topic a member has."""
    return sum(1 for number in range(max_partitions) if s.owners[topic][number] == member)


def are_equal(s: Group) -> bool:
    """Whether all members have subscribed to the same topics."""
    return all(s.subscribed[a] == s.subscribed[b] for a in Member for b in Member)


def is_balanced(s: Group) -> bool:
    """Whether no member has two partitions more than another."""
    return all(share(s, a) <= share(s, b) + 1 for a in Member for b in Member)


@invariant
def type_ok(s: Group) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def legal_target_assignment(s: Group) -> bool:
    """G2: each partition of a topic to which somebody has subscribed has an owner, and nothing else has."""
    return s.assignor is None or all(
        (s.owners[topic][number] is not None)
        == (number < s.partitions[topic] and any(topic in s.subscribed[member] for member in Member))
        for topic in Topic
        for number in range(max_partitions)
    )


@invariant
def owners_have_subscribed(s: Group) -> bool:
    """G2: who owns a partition has subscribed to its topic."""
    return all(
        s.owners[topic][number] != member or topic in s.subscribed[member]
        for topic in Topic
        for number in range(max_partitions)
        for member in Member
    )


@invariant
def round_robin_is_balanced(s: Group) -> bool:
    """G16: where all have subscribed to the same topics, RoundRobin gives nobody two partitions more than another."""
    return s.assignor != Assignor.ROUND_ROBIN or not are_equal(s) or is_balanced(s)


@invariant
def range_is_balanced(s: Group) -> bool:
    """G16: of Range, the same. Kafka does not keep that, if there are two topics."""
    return s.assignor != Assignor.RANGE or not are_equal(s) or is_balanced(s)


@invariant
def range_definition(s: Group) -> bool:
    """G18: Range gives each member of a topic contiguous partitions, and the first of them one more."""
    return s.assignor != Assignor.RANGE or all(is_range(s, topic) for topic in Topic)


def is_range(s: Group, topic: Topic) -> bool:
    """Whether a topic is divided in ranges."""
    return all(
        share_of(s, topic, a) in (share_of(s, topic, b), share_of(s, topic, b) + 1)
        for a in Member
        for b in Member
        if a < b and topic in s.subscribed[a] and topic in s.subscribed[b]
    ) and all(
        s.owners[topic][n] != a or s.owners[topic][m] != b or n < m
        for a in Member
        for b in Member
        if a < b
        for n in range(max_partitions)
        for m in range(max_partitions)
    )


@reachable
def somebody_is_idle(s: Group) -> bool:
    """A member has nothing, though it has subscribed to a topic with partitions."""
    return s.assignor is not None and any(
        share(s, member) == 0 and any(s.partitions[topic] > 0 for topic in s.subscribed[member]) for member in Member
    )
