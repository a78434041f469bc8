"""What every assignor is given: topics with partitions, and members that have subscribed to some of them."""

from __future__ import annotations

from typing import Annotated

from ...language import Domain, Map, Option, Range, Set, constant

members = constant(3, minimum=1, maximum=4, says="members of the group")
topics = constant(2, minimum=1, maximum=3, says="topics")
max_partitions = constant(3, minimum=1, maximum=6, says="partitions of a topic, at most")


class Member(Domain, size=members, ordered=True):
    """A member of the group. The order is that of the members' ids."""


class Topic(Domain, size=topics, ordered=True):
    """A topic. The order is that of their names."""


Count = Annotated[int, Range(0, max_partitions)]
Number = Annotated[int, Range(0, max_partitions - 1)]
Counts = Map[Topic, Count]
Subscriptions = Map[Member, Set[Topic]]
Owners = Map[Topic, Map[Number, Option[Member]]]
Cells = Map[Topic, Map[Number, Set[Member]]]
Flags = Map[Topic, Map[Number, bool]]
Load = Annotated[int, Range(0, topics * max_partitions)]


def nobody() -> Owners:
    """Nothing is assigned."""
    return Map({topic: Map({number: None for number in range(max_partitions)}) for topic in Topic})


def set_owner(owners: Owners, topic: Topic, number: Number, owner: Option[Member]) -> Owners:
    """One partition has an owner, or none."""
    return Map(
        {
            t: Map({n: owner if t == topic and n == number else owners[t][n] for n in range(max_partitions)})
            for t in Topic
        }
    )


def share(owners: Owners, member: Member) -> Load:
    """How many partitions a member owns."""
    return sum(1 for topic in Topic for number in range(max_partitions) if owners[topic][number] == member)


def subscribers(subscribed: Subscriptions, topic: Topic) -> Set[Member]:
    """Who has subscribed to a topic."""
    return Set({m for m in Member if topic in subscribed[m]})


def is_assignable(partitions: Counts, subscribed: Subscriptions, topic: Topic, number: Number) -> bool:
    """Whether there is such a partition, and a subscriber of its topic."""
    return number < partitions[topic] and any(topic in subscribed[m] for m in Member)
