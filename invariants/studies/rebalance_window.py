"""What must hold while a group deals out its partitions, and what stands still meanwhile."""

from __future__ import annotations

from ...language import always_eventually, invariant, limits_of, reachable, transition, weak
from ...model.studies.rebalance_window import *

_CLASSIC = (weak(join_again, each="member"), weak(assign), weak(sync, each="member"))
_CONSUMER = (
    weak(compute_target),
    weak(give_up, each=("member", "partition")),
    weak(take, each=("member", "partition")),
)
_CHANGES = (
    limits_of(join),
    limits_of(leave),
    limits_of(add_partition),
    limits_of(delete_topic),
    limits_of(change_subscription),
)


@invariant
def type_ok(s: Group) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def members_consume_what_is_there(s: Group) -> bool:
    """Whoever consumes a partition is a member, and the partition is there."""
    return all(s.owner[p] is None or (s.owner[p] in s.group and p in s.exists) for p in Partition)


@invariant
def subscribers_are_given_it(s: Group) -> bool:
    """Once a target is computed, it gives a partition to nobody who does not subscribe to its topic."""
    return s.changed or all(s.given[p] != m or may_have(s, m, p) for p in Partition for m in Consumer)


@transition
def owner_gives_up_first(before: Group, after: Group) -> bool:
    """G3: nobody is given a partition before its owner has given it up."""
    return all(
        before.owner[p] is None or after.owner[p] is None or after.owner[p] == before.owner[p] for p in Partition
    )


def stands_still(s: Group, partition: Partition) -> bool:
    """Whether a partition that somebody may have was consumed before, and nobody does now."""
    return partition in s.consumed and s.owner[partition] is None


@invariant
def few_stand_still(s: Group) -> bool:
    """The window: no more than `most_idle` partitions stand still at once."""
    return sum(stands_still(s, p) for p in Partition) <= most_idle


def all_are_consumed(s: Group) -> bool:
    """Whether each partition of a topic that somebody subscribes to has a consumer, who subscribes to it."""
    return all(not is_wanted(s, p) or is_consumed(s, p) for p in Partition)


def is_consumed(s: Group, partition: Partition) -> bool:
    """Whether a member that subscribes to it consumes a partition."""
    return any(s.owner[partition] == m and may_have(s, m, partition) for m in Consumer)


@always_eventually(*_CLASSIC, *_CONSUMER, *_CHANGES)
def everything_is_consumed(s: Group) -> bool:
    """GL1: once members, topics and subscriptions stay as they are, every partition is consumed again."""
    return all_are_consumed(s)


@reachable
def the_group_stands_still(s: Group) -> bool:
    """Every partition was consumed before, and none is now."""
    return all(stands_still(s, p) for p in s.exists)


@reachable
def new_partition_is_consumed(s: Group) -> bool:
    """A partition that was added has a consumer, and so have all others."""
    return additions > 0 and all(s.owner[p] is not None for p in Partition)


@reachable
def another_consumes_it(s: Group) -> bool:
    """A member does not subscribe to a topic any more, and another member consumes its partition; all are consumed."""
    return all_are_consumed(s) and any(
        is_wanted(s, p) and m not in s.subscribers[p] for p in Partition for m in s.group
    )


@reachable
def rest_is_consumed(s: Group) -> bool:
    """A topic is deleted, and all partitions that are left are consumed."""
    return additions == 0 and len(s.exists) < partitions and all_are_consumed(s)
