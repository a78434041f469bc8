"""What there is: a topology, what members claim, and what becomes of it."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ....language import Map, Option, Range, Set, constant, initial, record, state
from ...parts.owned_partitions import Trust as Trust
from ...parts.owned_partitions import claims_that_count
from ...parts.topology import *

generations = constant(1, minimum=1, maximum=3, says="generations that a member's claims may be of")
max_claims = constant(2, minimum=0, maximum=12, says="claims of partitions, at most")
disputes = constant(False, says="several members may claim a partition")


class Assignor(Enum):
    """`partition.assignment.strategy`."""

    STICKY = "sticky"
    COOPERATIVE_STICKY = "cooperative-sticky"


trust = constant(Trust.NEWEST, says="which claims the leader believes (KAFKA-12984, KAFKA-14639)")

Generation = Annotated[int, Range(0, generations - 1)]


@state
class Group:
    """What an assignor is given, and what it makes of it."""

    partitions: Counts  # how many each topic has
    subscribed: Subscriptions  # to which topics each member
    generation: Map[Member, Generation]  # of which each member's claims are
    claims: Cells  # who says that it owns each partition
    claims_left: Annotated[int, Range(0, max_claims)]  # how many more may be made
    assignor: Option[Assignor]  # which one has assigned
    failed: bool  # it ended with an exception
    assigned: Cells  # to whom each partition is


@record
class Outcome:
    """What an assignor hands out."""

    assigned: Cells
    failed: bool


@initial
def start(partitions: Counts, subscribed: Subscriptions, generation: Map[Member, Generation]) -> Group:
    """Topics have so many partitions, members have subscribed so, and each remembers a generation."""
    return Group(
        partitions=partitions,
        subscribed=subscribed,
        generation=generation,
        claims=empty(),
        claims_left=max_claims,
        assignor=None,
        failed=False,
        assigned=empty(),
    )


def empty() -> Cells:
    """Nobody has anything."""
    return Map({topic: Map({number: Set() for number in range(max_partitions)}) for topic in Topic})


def is_there(s: Group, topic: Topic, number: Number) -> bool:
    """Whether there is such a partition, and a subscriber of its topic."""
    return is_assignable(s.partitions, s.subscribed, topic, number)


def total(s: Group) -> Load:
    """How many partitions are assigned in all."""
    return sum(s.partitions[topic] for topic in Topic if any(topic in s.subscribed[m] for m in Member))


def load(cells: Cells, member: Member) -> Load:
    """How many partitions a member has."""
    return sum(1 for topic in Topic for number in range(max_partitions) if member in cells[topic][number])


def is_homogeneous(s: Group) -> bool:
    """Whether Kafka takes all subscriptions for the same. It passes over members without topics that come first."""
    return all(
        s.subscribed[a] == s.subscribed[b] or all(len(s.subscribed[c]) == 0 for c in Member if c <= a)
        for a in Member
        for b in Member
        if a < b
    )


# --- claims -----------------------------------------------------------------------------------------------------------


def believed_claims(s: Group) -> Cells:
    """Whose claim of each partition the leader believes: one member's, unless it believes everybody."""
    return Map({t: Map({n: believed_of(s, t, n) for n in range(max_partitions)}) for t in Topic})


def disputed_claims(s: Group) -> Flags:
    """Which partitions two members of one generation claim."""
    return Map({t: Map({n: is_disputed(s, t, n) for n in range(max_partitions)}) for t in Topic})


def believed_of(s: Group, topic: Topic, number: Number) -> Set[Member]:
    """Of a partition."""
    claims = s.claims[topic][number]
    if trust == Trust.ALL:
        return claims
    counting = claims_that_count(claims, s.generation, highest_generation(s), trust)
    return counting if len(counting) == 1 else Set()


def highest_generation(s: Group) -> Generation:
    """The highest that any member remembers."""
    return max(s.generation[m] for m in Member)


def is_disputed(s: Group, topic: Topic, number: Number) -> bool:
    """Of a partition. Two claims of an older generation count, unless a newer one came first."""
    claims = s.claims[topic][number]
    if trust == Trust.ALL:
        return False
    if trust == Trust.HIGHEST_GENERATION:
        return len(claims_that_count(claims, s.generation, highest_generation(s), trust)) > 1
    return any(
        a < b
        and s.generation[a] == s.generation[b]
        and all(s.generation[m] <= s.generation[b] for m in claims if m < b)
        for a in claims
        for b in claims
    )
