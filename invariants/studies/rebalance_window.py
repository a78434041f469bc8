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
_CHANGES = (limits_of(join), limits_of(leave), limits_of(add_partition))


@invariant
def type_ok(s: Group) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def members_consume_what_is_there(s: Group) -> bool:
    """Whoever consumes a partition is a member, and the partition is there."""
    return all(s.owner[p] is None or (s.owner[p] in s.group and p in s.exists) for p in Partition)


@transition
def owner_gives_up_first(before: Group, after: Group) -> bool:
    """G3: nobody is given a partition before its owner has given it up."""
    return all(
        before.owner[p] is None or after.owner[p] is None or after.owner[p] == before.owner[p] for p in Partition
    )


def stands_still(s: Group, partition: Partition) -> bool:
    """Whether a partition was consumed before, and nobody does now."""
    return partition in s.consumed and s.owner[partition] is None


@invariant
def few_stand_still(s: Group) -> bool:
    """The window: no more than `most_idle` partitions stand still at once."""
    return sum(stands_still(s, p) for p in Partition) <= most_idle


def all_are_consumed(s: Group) -> bool:
    """Whether each partition has a consumer."""
    return all(s.owner[p] is not None for p in s.exists)


@always_eventually(*_CLASSIC, *_CONSUMER, *_CHANGES)
def everything_is_consumed(s: Group) -> bool:
    """GL1: once members and partitions stay as they are, every partition is consumed again."""
    return all_are_consumed(s)


@reachable
def the_group_stands_still(s: Group) -> bool:
    """Every partition was consumed before, and none is now."""
    return all(stands_still(s, p) for p in s.exists)


@reachable
def new_partition_is_consumed(s: Group) -> bool:
    """A partition that was added has a consumer, and so have all others."""
    return additions > 0 and all(s.owner[p] is not None for p in Partition)
