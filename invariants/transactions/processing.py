"""What must hold of consuming, processing and producing in transactions."""

from __future__ import annotations

from ...language import invariant, reachable, transition
from ...model.transactions.processing import Group, Member, Phase, records


@invariant
def type_ok(s: Group) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def exactly_once(s: Group) -> bool:
    """G12: of each record one result is committed at most, and of each one before the committed offset, one."""
    return all(s.results[at] <= 1 and (at >= s.offset or s.results[at] == 1) for at in range(records))


@transition
def offset_only_rises(before: Group, after: Group) -> bool:
    """The committed offset never goes back."""
    return after.offset >= before.offset


@reachable
def everything_is_processed(s: Group) -> bool:
    """A partition that has moved is processed to its end."""
    return s.offset == records and s.generation > 1


@reachable
def zombie_has_written(s: Group) -> bool:
    """A member has written a result, and another one has taken the partition over."""
    return any(s.phase[m] == Phase.WROTE and s.owner != m and s.knows[s.owner] == s.generation for m in Member)


@reachable
def zombie_has_added_its_offset(s: Group) -> bool:
    """The partition is given to another while an offset of it is in a transaction."""
    return any(s.phase[m] == Phase.ADDED and s.owner != m and not s.aborted[m] for m in Member)
