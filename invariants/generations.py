"""What members may rely on of a group's coordinator, whichever protocol it speaks."""

from __future__ import annotations

from ..language import invariant, reachable, transition
from ..model.generations import Group, has_it, keeps_on
from ..model.parts.generations import Consumer, Partition


@invariant
def type_ok(s: Group) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def one_owner(s: Group) -> bool:
    """No two members of the group's generation have one partition."""
    return all(
        a == b or not has_it(s, a, partition) or not has_it(s, b, partition)
        for partition in Partition
        for a in Consumer
        for b in Consumer
    )


@transition
def accepted_of_members_alone(before: Group, after: Group) -> bool:
    """An offset that is accepted is one that a member has sent, which said the group's generation.

    A cooperative member may have said one that has not begun."""
    return all(
        after.appended[partition] == before.appended[partition]
        or after.appended[partition] == before.offset[partition]
        or any(
            sent.partition == partition
            and sent.offset == after.appended[partition]
            and sent.source in before.members
            and (sent.generation == before.generation or (keeps_on and sent.generation > before.generation))
            for sent in before.commits
        )
        for partition in Partition
    )


@transition
def generations_grow(before: Group, after: Group) -> bool:
    """The group's generation never goes back."""
    return before.generation <= after.generation


@reachable
def zombie_is_there(s: Group) -> bool:
    """Somebody has a partition that a member of the group's generation has."""
    return any(
        a != b and partition in s.owned[a] and has_it(s, b, partition)
        for partition in Partition
        for a in Consumer
        for b in Consumer
    )


@reachable
def offset_is_kept(s: Group) -> bool:
    """An offset was committed, and is kept."""
    return any(s.offset[partition] > 0 for partition in Partition)
