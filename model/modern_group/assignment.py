"""What a heartbeat makes of the group's records: epochs, the target, and how far a member is moved to it."""

from __future__ import annotations

from ...language import Map, Option, Set, replace
from .state import (
    Consumer,
    Epoch,
    Error,
    Member,
    MemberEpoch,
    MemberState,
    Partition,
    Records,
    accept_previous,
    fence_epochs,
    max_epoch,
    partitions,
    release_instances,
    subset_of_assigned,
    wait_for_release,
    wait_for_revocation,
)


def instance(group: Records, static: Set[Consumer]) -> Set[Consumer]:
    """The static member, if there is one."""
    return Set(m for m in static if group.members[m] is not None)


def has_left_for_a_while(group: Records, member: Consumer) -> bool:
    """Whether a static member has left, and may be replaced."""
    known = group.members[member]
    return known is not None and known.epoch == -2


def is_fenced(known: Member, epoch: Epoch, owned: Option[Set[Partition]]) -> bool:
    """Whether a heartbeat's epoch is neither the member's nor the one before; it owns only the assigned."""
    if epoch == known.epoch or not fence_epochs:
        return False
    return (
        not accept_previous
        or epoch > known.epoch
        or epoch != known.previous
        or (subset_of_assigned and (owned is None or not owned <= known.assigned))
    )


def error_of(
    group: Records, static: Set[Consumer], member: Consumer, epoch: Epoch, owned: Option[Set[Partition]]
) -> Error:
    """What is wrong with a heartbeat."""
    holders = instance(group, static) if member in static else Set(m for m in Consumer if m == member)
    known = group.members[member]
    if epoch == 0 and member in static:
        free = all(has_left_for_a_while(group, m) for m in holders) or not release_instances
        return Error.NONE if free else Error.UNRELEASED_INSTANCE_ID
    if len(holders) > 0 and member not in holders:
        return Error.FENCED_INSTANCE_ID
    if known is None:
        return Error.NONE if epoch == 0 else Error.UNKNOWN_MEMBER_ID
    return Error.FENCED_MEMBER_EPOCH if is_fenced(known, epoch, owned) else Error.NONE


# --- members come and go ----------------------------------------------------------------------------------------------


def replaced(group: Records, static: Set[Consumer], member: Consumer, epoch: Epoch) -> Set[Consumer]:
    """The static member that has left, and whose place a heartbeat takes, if there is one."""
    return Set(m for m in instance(group, static) if has_left_for_a_while(group, m) and epoch == 0 and member in static)


def is_new(group: Records, static: Set[Consumer], member: Consumer, epoch: Epoch) -> bool:
    """Whether a heartbeat makes a member of somebody, in nobody's place."""
    return group.members[member] is None and len(replaced(group, static, member, epoch)) == 0


def with_member(group: Records, static: Set[Consumer], member: Consumer, epoch: Epoch) -> Records:
    """The group with a member: a new one, for which the group's epoch rises, or one that replaces a static member and
    has what that had."""
    gone = replaced(group, static, member, epoch)
    if len(gone) == 0:
        return group if group.members[member] is not None else with_new(group, member)
    heir = inherited(group, gone)
    given: Set[Partition] = Set(p for p in Partition if any(p in group.target[old] for old in gone))
    return replace(
        group,
        members=Map({m: heir if m == member else None if m in gone else group.members[m] for m in Consumer}),
        target=Map({m: given if m == member else Set() if m in gone else group.target[m] for m in Consumer}),
    )


def inherited(group: Records, gone: Set[Consumer]) -> Member:
    """A member in the place of a static one, which had left and so had nothing to revoke."""
    return Member(
        epoch=0,
        previous=0,
        state=MemberState.UNREVOKED_PARTITIONS
        if any(is_in(group.members[old], MemberState.UNREVOKED_PARTITIONS) for old in gone)
        else MemberState.UNRELEASED_PARTITIONS
        if any(is_in(group.members[old], MemberState.UNRELEASED_PARTITIONS) for old in gone)
        else MemberState.STABLE,
        assigned=Set(p for p in Partition if any(p in assigned_to(group.members[old]) for old in gone)),
        revoking=Set(),
    )


def is_in(known: Option[Member], state: MemberState) -> bool:
    """Whether there is such a member, in that state."""
    return known is not None and known.state == state


def assigned_to(known: Option[Member]) -> Set[Partition]:
    """What is assigned to a member, if it is one."""
    if known is None:
        return Set()
    return known.assigned


def with_new(group: Records, member: Consumer) -> Records:
    """The group with a new member: its epoch rises."""
    fresh = Member(epoch=0, previous=0, state=MemberState.STABLE, assigned=Set(), revoking=Set())
    return replace(group, epoch=risen(group), members=updated(group, member, fresh))


def risen(group: Records) -> Epoch:
    """The group's epoch, one higher; the steps that take it beyond the last one are cut."""
    return min(group.epoch + 1, max_epoch)


def updated(group: Records, member: Consumer, known: Option[Member]) -> Map[Consumer, Option[Member]]:
    """The members, one of whom is another now."""
    return Map({m: known if m == member else group.members[m] for m in Consumer})


def without(group: Records, member: Consumer) -> Records:
    """The group without a member: its epoch rises."""
    return replace(
        group,
        epoch=risen(group),
        members=updated(group, member, None),
        target=Map({m: Set() if m == member else group.target[m] for m in Consumer}),
    )


def departed(group: Records, static: Set[Consumer], member: Consumer) -> Records:
    """The group when a member says that it leaves: a static one, which leaves for a while, keeps what is assigned."""
    known = group.members[member]
    if known is None:
        return group
    if member in static:
        return replace(group, members=updated(group, member, replace(known, epoch=-2, revoking=Set())))
    return without(group, member)


# --- the target, and how far a member is from it ----------------------------------------------------------------------


def is_balanced(group: Records, owners: Map[Partition, Consumer]) -> bool:
    """Whether a target is for members, and none has more than its share, rounded up."""
    count = sum(1 for m in Consumer if group.members[m] is not None)
    return all(
        group.members[owners[p]] is not None
        and sum(1 for q in Partition if owners[q] == owners[p]) * count < partitions + count
        for p in Partition
    )


def with_target(group: Records, owners: Map[Partition, Consumer]) -> Records:
    """The group with a target for its epoch."""
    return replace(
        group,
        target_epoch=group.epoch,
        target=Map({m: Set(p for p in Partition if owners[p] == m) for m in Consumer}),
    )


def held(known: Option[Member]) -> Set[Partition]:
    """What has a member's epoch for its partition epoch: what is assigned to the member, or it has yet to revoke."""
    if known is None:
        return Set()
    return known.assigned | known.revoking


def is_free(group: Records, p: Partition) -> bool:
    """Whether a partition has no epoch: no member has it."""
    return all(p not in held(group.members[m]) for m in Consumer)


def reconciled(group: Records, member: Consumer, owned: Option[Set[Partition]]) -> Records:
    """The group with a member that is moved to its target, as far as that goes: CurrentAssignmentBuilder."""
    known = group.members[member]
    if known is None or (known.state == MemberState.STABLE and known.epoch == group.target_epoch):
        return group
    if known.state == MemberState.UNREVOKED_PARTITIONS and still_owns(owned, known.revoking):
        return group
    epoch = known.epoch + 1 if known.state == MemberState.UNREVOKED_PARTITIONS else known.epoch
    return replace(group, members=updated(group, member, next_assignment(group, member, known, epoch, owned)))


def still_owns(owned: Option[Set[Partition]], revoking: Set[Partition]) -> bool:
    """Whether a member has not said yet that it has revoked all that it should."""
    return wait_for_revocation and (owned is None or len(owned & revoking) > 0)


def next_assignment(
    group: Records, member: Consumer, known: Member, epoch: MemberEpoch, owned: Option[Set[Partition]]
) -> Member:
    """A member that has yet to revoke, or is at the target's epoch, with what is free of its target."""
    target = group.target[member]
    kept = known.assigned & target
    revoking = known.assigned - target
    if len(revoking) > 0 and still_owns(owned, revoking):
        state = MemberState.UNREVOKED_PARTITIONS
        return Member(epoch=epoch, previous=known_epoch(known), state=state, assigned=kept, revoking=revoking)
    given: Set[Partition] = Set(p for p in target - kept if is_free(group, p) or not wait_for_release)
    state = MemberState.STABLE if kept | given == target else MemberState.UNRELEASED_PARTITIONS
    return Member(
        epoch=group.target_epoch, previous=known_epoch(known), state=state, assigned=kept | given, revoking=Set()
    )


def known_epoch(known: Member) -> Epoch:
    """A member's epoch, of one that has not left."""
    return max(0, known.epoch)
