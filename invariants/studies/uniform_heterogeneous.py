"""What must hold of Uniform where subscriptions differ. G2, G16 and G17 are numbers of a catalogue of properties."""

from __future__ import annotations

from ...language import invariant, reachable
from ...model.parts.topology import Member, Owners, Topic, max_partitions, share, subscribers
from ...model.studies.uniform_heterogeneous import Group, is_there


@invariant
def type_ok(s: Group) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def legal_target_assignment(s: Group) -> bool:
    """G2: each partition of a topic with subscribers has an owner, and nothing else has."""
    return not s.is_done or all(
        (s.owners[t][n] is not None) == is_there(s, t, n) for t in Topic for n in range(max_partitions)
    )


@invariant
def owners_have_subscribed(s: Group) -> bool:
    """G2: who gets a partition has subscribed to its topic."""
    return all(
        s.owners[t][n] != m or t in s.subscribed[m] for t in Topic for n in range(max_partitions) for m in Member
    )


@invariant
def balance(s: Group) -> bool:
    """G16: of equal subscriptions, no member has two partitions more than another."""
    return (
        not s.is_done
        or any(s.subscribed[a] != s.subscribed[b] for a in Member for b in Member)
        or all(share(s.owners, a) <= share(s.owners, b) + 1 for a in Member for b in Member)
    )


@invariant
def no_move_helps(s: Group) -> bool:
    """G16 of any subscriptions: nobody has a partition that a member with two fewer could have."""
    return not s.is_done or is_settled(s, s.owners)


def is_settled(s: Group, owners: Owners) -> bool:
    """Whether no subscriber of a partition's topic has two partitions fewer than its owner."""
    return all(
        owners[t][n] != owner or share(owners, owner) <= share(owners, other) + 1
        for t in Topic
        for n in range(max_partitions)
        for owner in Member
        for other in subscribers(s.subscribed, t)
    )


@invariant
def balanced_stays(s: Group) -> bool:
    """G17: an assignment that is complete, to subscribers, and in which no move helps, stays as it is."""
    return not s.is_done or not was_good(s) or s.owners == s.previous


def was_good(s: Group) -> bool:
    """Whether each partition had an owner that has subscribed, and no move helped."""
    return all(
        is_there(s, t, n) == any(s.previous[t][n] == m and t in s.subscribed[m] for m in Member)
        and (s.previous[t][n] is None) != is_there(s, t, n)
        for t in Topic
        for n in range(max_partitions)
    ) and is_settled(s, s.previous)


@invariant
def only_the_heavier_give(s: Group) -> bool:
    """G17: nobody loses a partition of its topics and ends with one more than who got it, or more than one less."""
    return not s.is_done or all(
        not has_moved(s, t, n, old, new) or share(s.owners, old) + 1 >= share(s.owners, new)
        for t in Topic
        for n in range(max_partitions)
        for old in Member
        for new in Member
    )


def has_moved(s: Group, topic: Topic, number: int, old: Member, new: Member) -> bool:
    """Whether a partition went from a member that still subscribes to its topic to another."""
    return (
        old != new
        and topic in s.subscribed[old]
        and s.previous[topic][number] == old
        and s.owners[topic][number] == new
    )


@invariant
def ends_by_itself(s: Group) -> bool:
    """Partitions cease to move before Kafka counts the last of its rounds."""
    return not s.cut_short


@reachable
def something_moves(s: Group) -> bool:
    """A partition goes from a member that still subscribes to its topic to another."""
    return s.is_done and any(
        has_moved(s, t, n, a, b) for t in Topic for n in range(max_partitions) for a in Member for b in Member
    )


@reachable
def loads_differ(s: Group) -> bool:
    """A member has two partitions more than another, as subscriptions want it."""
    return s.is_done and any(share(s.owners, a) > share(s.owners, b) + 1 for a in Member for b in Member)
