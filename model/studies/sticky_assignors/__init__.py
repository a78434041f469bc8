"""Sticky and CooperativeSticky: assignors that leave as much as they can with whoever had it (KIP-54, KIP-429).

Members say which partitions they own, and of which generation that is. A claim may be stale: a member that missed a
rebalance claims what another got in it. Which claims count is `trust`: the newest of each partition (KAFKA-14639),
those of the highest generation alone (KAFKA-12984), or, before, all.

* Where all members have subscribed to the same topics, each keeps what it owns up to its quota, and the rest is dealt
  to those below theirs, in turn (`constrained.py`).
* Else everything valid is kept, the rest goes to the least loaded subscriber each, and partitions are moved one by
  one until no move improves the balance (`general.py`).

Sticky hands out the result. CooperativeSticky leaves out what another member has yet to give up: nobody gets that in
this rebalance, and the next one follows at once.

A run is a topology, claims one by one, and one assignment. The order of Kafka's hash maps is that of ids and names
here, and of several partitions of a topic that might move back to a member the last one does, as Kafka's hash set has
it but for a rotation that depends on the topic's name. What is left out: racks, claims of partitions that do not
exist, members whose claims carry another generation than their request, what a leader remembers of earlier
assignments, and, where `trust` is older, the older algorithms themselves. A member that has subscribed to nothing is
one whose pattern matches no topic. Source: AbstractStickyAssignor of Kafka's clients, 3.9. Properties are in
`invariants/studies/sticky_assignors.py`.
"""

from __future__ import annotations

from ....language import Map, Set, action, limit, require, terminal
from ...parts.topology import Member, Number, Topic, max_partitions
from .constrained import Filling, fill_by_quota
from .general import Balancing, general
from .state import Assignor, Group, Outcome, Trust, disputes, is_homogeneous
from .state import start as start


@action(kind="client")
def claim(s: Group, member: Member, topic: Topic, number: Number) -> None:
    """{member} says that it owns {number} of {topic}."""
    require(s.assignor is None and number < s.partitions[topic] and member not in s.claims[topic][number])
    require(disputes or len(s.claims[topic][number]) == 0)
    limit(s.claims_left > 0)
    s.claims[topic][number].add(member)
    s.claims_left -= 1


@action
def assign(s: Group, assignor: Assignor) -> None:
    """{assignor} divides the partitions among the members."""
    require(s.assignor is None)
    s.assignor = assignor
    outcome = equal_subscriptions(s, assignor) if is_homogeneous(s) else different_subscriptions(s, assignor)
    s.assigned = outcome.assigned
    s.failed = outcome.failed


def equal_subscriptions(s: Group, assignor: Assignor) -> Outcome:
    """By quotas. What another member's claim counted for is withheld from who gets it."""
    filling = fill_by_quota(s)
    return Outcome(
        assigned=Map({t: Map({n: dealt(assignor, filling, t, n) for n in range(max_partitions)}) for t in Topic}),
        failed=filling.fails,
    )


def dealt(assignor: Assignor, filling: Filling, topic: Topic, number: Number) -> Set[Member]:
    """Who gets a partition now."""
    waits = assignor == Assignor.COOPERATIVE_STICKY and filling.withheld[topic][number]
    return Set() if waits or filling.fails else filling.assigned[topic][number]


def different_subscriptions(s: Group, assignor: Assignor) -> Outcome:
    """By loads. What anybody else claims is withheld from who gets it, unless it claims it, too."""
    balancing = general(s)
    return Outcome(
        assigned=Map(
            {t: Map({n: handed_out(s, assignor, balancing, t, n) for n in range(max_partitions)}) for t in Topic}
        ),
        failed=balancing.fails,
    )


def handed_out(s: Group, assignor: Assignor, balancing: Balancing, topic: Topic, number: Number) -> Set[Member]:
    """A partition's owner, if it may have it now."""
    owner = balancing.owners[topic][number]
    claims = s.claims[topic][number]
    if owner is None or balancing.fails:
        return Set()
    return Set([owner]) if assignor == Assignor.STICKY or owner in claims or len(claims) == 0 else Set()


@terminal
def is_assigned(s: Group) -> bool:
    """The partitions are assigned."""
    return s.assignor is not None


profiles = {
    "kafka_3_9": {"trust": Trust.NEWEST},
    "kafka_14639": {"trust": Trust.HIGHEST_GENERATION},
    "kafka_12984": {"trust": Trust.ALL},
}
