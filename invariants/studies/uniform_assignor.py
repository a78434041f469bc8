"""What must hold of the coordinator's Uniform assignor. G2, G16 and G17 are numbers of a catalogue of properties."""

from __future__ import annotations

from ...language import invariant, reachable
from ...model.parts.topology import Member, Topic, max_partitions, share
from ...model.studies.uniform_assignor import Group, is_there, total


@invariant
def type_ok(s: Group) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def legal_target_assignment(s: Group) -> bool:
    """G2: each partition of a subscribed topic has an owner, who is in the group, and nothing else has."""
    return not s.is_done or all(
        (s.owners[topic][number] is not None) == is_there(s, topic, number)
        and all(s.owners[topic][number] != m or m in s.present for m in Member)
        for topic in Topic
        for number in range(max_partitions)
    )


@invariant
def balance(s: Group) -> bool:
    """G16: no member has two partitions more than another."""
    return not s.is_done or all(share(s.owners, a) <= share(s.owners, b) + 1 for a in s.present for b in s.present)


@invariant
def stickiness(s: Group) -> bool:
    """G17: no balanced assignment leaves more partitions where they were."""
    return not s.is_done or sum(stays(s, m) for m in s.present) == most_that_stays(s)


def stays(s: Group, member: Member) -> int:
    """How many partitions a member keeps."""
    return sum(
        1
        for topic in Topic
        for number in range(max_partitions)
        if s.previous[topic][number] == member and s.owners[topic][number] == member
    )


def has_had(s: Group, member: Member) -> int:
    """How many partitions of the subscribed topics a member had."""
    return sum(
        1
        for topic in Topic
        for number in range(max_partitions)
        if is_there(s, topic, number) and s.previous[topic][number] == member
    )


def most_that_stays(s: Group) -> int:
    """Each member's quota of what it had, and one more of as many members as may have one more."""
    quota = total(s) // len(s.present)
    return sum(min(has_had(s, m), quota) for m in s.present) + min(
        total(s) % len(s.present), sum(1 for m in s.present if has_had(s, m) > quota)
    )


@invariant
def balanced_stays(s: Group) -> bool:
    """G17: an assignment that is complete and balanced stays as it is."""
    return not s.is_done or not was_good(s) or s.owners == s.previous


def was_good(s: Group) -> bool:
    """Whether each partition had an owner, and nobody two more than another."""
    return all(
        (s.previous[topic][number] is not None) == is_there(s, topic, number)
        for topic in Topic
        for number in range(max_partitions)
    ) and all(has_had(s, a) <= has_had(s, b) + 1 for a in s.present for b in s.present)


@reachable
def something_moves(s: Group) -> bool:
    """A partition goes from one member of the group to another."""
    return s.is_done and any(stays(s, m) < has_had(s, m) for m in s.present)


@reachable
def shares_differ(s: Group) -> bool:
    """One member has one partition more than another."""
    return s.is_done and any(share(s.owners, a) > share(s.owners, b) for a in s.present for b in s.present)
