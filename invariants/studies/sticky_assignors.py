"""What must hold of Sticky and CooperativeSticky. G2, G8, G16 and G17 are the numbers of a catalogue of properties."""

from __future__ import annotations

from ...language import Map, invariant, reachable
from ...model.parts.topology import Cells, Member, Number, Topic, max_partitions, subscribers
from ...model.studies.sticky_assignors.constrained import lower_quota, one_more, owned_for_sure
from ...model.studies.sticky_assignors.general import Loads
from ...model.studies.sticky_assignors.state import Assignor, Group, is_there, load


@invariant
def type_ok(s: Group) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


# --- what is assigned -------------------------------------------------------------------------------------------------


@invariant
def assigned_once(s: Group) -> bool:
    """G2: no two members get the same partition."""
    return all(len(s.assigned[t][n]) <= 1 for t in Topic for n in range(max_partitions))


@invariant
def legal_target_assignment(s: Group) -> bool:
    """G2: what is subscribed to gets an owner, unless another member has to give it up first, and nothing else does."""
    return (
        s.assignor is None
        or s.failed
        or all(
            len(s.assigned[t][n]) > 0 if is_there(s, t, n) and not may_wait(s, t, n) else may_be_nobodys(s, t, n)
            for t in Topic
            for n in range(max_partitions)
        )
    )


def may_wait(s: Group, topic: Topic, number: Number) -> bool:
    """Whether CooperativeSticky may leave out a partition in this rebalance: somebody says that it owns it."""
    return s.assignor == Assignor.COOPERATIVE_STICKY and len(s.claims[topic][number]) > 0


def may_be_nobodys(s: Group, topic: Topic, number: Number) -> bool:
    """Whether a partition has no owner, or might have one."""
    return is_there(s, topic, number) or len(s.assigned[topic][number]) == 0


@invariant
def owners_have_subscribed(s: Group) -> bool:
    """G2: who gets a partition has subscribed to its topic. Kafka does not keep that."""
    return all(t in s.subscribed[m] for t in Topic for n in range(max_partitions) for m in s.assigned[t][n])


@invariant
def ends_well(s: Group) -> bool:
    """The assignor ends without an exception. Kafka's does not always."""
    return not s.failed


# --- balance ----------------------------------------------------------------------------------------------------------


@invariant
def balance(s: Group) -> bool:
    """G16: of equal subscriptions, Sticky gives nobody two partitions more than another."""
    return (
        not is_whole(s)
        or not are_equal(s)
        or all(load(s.assigned, a) <= load(s.assigned, b) + 1 for a in Member for b in Member)
    )


@invariant
def no_move_helps(s: Group) -> bool:
    """G16 of any subscriptions (KIP-54): nobody has a partition that a member with two fewer could have."""
    return not is_whole(s) or all(
        load(s.assigned, owner) <= load(s.assigned, other) + 1
        for t in Topic
        for n in range(max_partitions)
        for owner in s.assigned[t][n]
        for other in subscribers(s.subscribed, t)
    )


def is_whole(s: Group) -> bool:
    """Whether all was handed out at once."""
    return s.assignor == Assignor.STICKY and not s.failed


def are_equal(s: Group) -> bool:
    """Whether all members have subscribed to the same topics."""
    return all(s.subscribed[a] == s.subscribed[b] for a in Member for b in Member)


# --- stickiness -------------------------------------------------------------------------------------------------------


@invariant
def stickiness(s: Group) -> bool:
    """G17: of equal subscriptions, as many partitions stay with their owners as balance allows."""
    return (
        s.assignor is None
        or s.failed
        or not are_equal(s)
        or partitions_retained(s, owned_for_sure(s)) == most_retained(s)
    )


def partitions_retained(s: Group, owned: Cells) -> int:
    """How many partitions their owners keep."""
    return sum(1 for t in Topic for n in range(max_partitions) if any(m in owned[t][n] for m in s.assigned[t][n]))


def most_retained(s: Group) -> int:
    """How many they can keep: each up to the lower quota, and as many as have a higher one, one more."""
    owned = owned_for_sure(s)
    low = lower_quota(s)
    return sum(min(load(owned, m), low) for m in Member) + min(
        one_more(s), sum(1 for m in Member if load(owned, m) > low)
    )


@invariant
def balanced_stays(s: Group) -> bool:
    """G17 of any subscriptions but empty ones: if subscribers own all, and no move helps, then nothing moves."""
    if s.assignor is None or any(len(s.subscribed[m]) == 0 for m in Member):
        return True
    owned = owned_for_sure(s)
    return not is_settled(s, owned) or owned == s.assigned


def is_settled(s: Group, owned: Cells) -> bool:
    """Whether the owned partitions are an assignment that needs no move."""
    loads = Map({m: load(owned, m) for m in Member})
    return all(
        not is_there(s, t, n) or any(m in owned[t][n] and is_content(s, loads, t, m) for m in Member)
        for t in Topic
        for n in range(max_partitions)
    )


def is_content(s: Group, loads: Loads, topic: Topic, owner: Member) -> bool:
    """Whether an owner has subscribed to a topic, and no other subscriber has two partitions fewer."""
    return topic in s.subscribed[owner] and all(
        topic not in s.subscribed[other] or loads[owner] <= loads[other] + 1 for other in Member
    )


@invariant
def revoke_before_assign(s: Group) -> bool:
    """G8: CooperativeSticky gives nobody what the member with the one newest claim has yet to give up."""
    return s.assignor != Assignor.COOPERATIVE_STICKY or all(
        m in s.claims[t][n] or not has_newest_claim(s, t, n)
        for t in Topic
        for n in range(max_partitions)
        for m in s.assigned[t][n]
    )


def has_newest_claim(s: Group, topic: Topic, number: Number) -> bool:
    """Whether one claim of a partition is newer than all others."""
    claims = s.claims[topic][number]
    return any(all(s.generation[m] > s.generation[other] for other in claims if other != m) for m in claims)


# --- witnesses --------------------------------------------------------------------------------------------------------


@reachable
def something_moves(s: Group) -> bool:
    """A partition moves from one member to another."""
    return s.assignor == Assignor.STICKY and any(
        m not in s.claims[t][n] and len(s.claims[t][n]) > 0
        for t in Topic
        for n in range(max_partitions)
        for m in s.assigned[t][n]
    )


@reachable
def something_waits(s: Group) -> bool:
    """A partition is left out until its owner has given it up."""
    return s.assignor == Assignor.COOPERATIVE_STICKY and any(
        is_there(s, t, n) and len(s.assigned[t][n]) == 0 for t in Topic for n in range(max_partitions)
    )


@reachable
def loads_differ(s: Group) -> bool:
    """A member has two partitions more than another, as subscriptions want it."""
    return s.assignor == Assignor.STICKY and any(
        load(s.assigned, a) > load(s.assigned, b) + 1 for a in Member for b in Member
    )
