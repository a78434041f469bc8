"""What must hold of the group protocol of KIP-848. G1 to G5 are the numbers of a catalogue of Kafka's properties.

The names are those of the published module, whose configuration checks the first six.
"""

from __future__ import annotations

from ....language import invariant, reachable, transition
from ....model.studies.consumer_group_published.state import *


@invariant
def type_ok(s: Group) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def no_double_client_assignment(s: Group) -> bool:
    """G1: no two clients own a partition, whom the coordinator counts as members."""
    return all(
        a == b
        or member_of(s, s.clients[a].member) is None
        or member_of(s, s.clients[b].member) is None
        or len(s.clients[a].owned & s.clients[b].owned) == 0
        for a in Client
        for b in Client
    )


def is_target_of(s: Group, member: Id, p: Partition) -> bool:
    """Whether the target gives a partition to a member."""
    target = s.target[member]
    return target is not None and p in target


@invariant
def legal_target_assignment(s: Group) -> bool:
    """G2: once there is a target, it gives each partition to one member."""
    return all(s.target[m] is None for m in range(1, ids + 1)) or all(
        sum(1 for m in range(1, ids + 1) if is_target_of(s, m, p)) == 1 for p in range(all_partitions)
    )


@invariant
def valid_member_epoch(s: Group) -> bool:
    """G3: a client that has come to the target's epoch owns nothing that the target gives to another."""
    return all(
        s.clients[c].epoch != s.target_epoch
        or all(
            m == s.clients[c].member or not is_target_of(s, m, p) for m in range(1, ids + 1) for p in s.clients[c].owned
        )
        for c in Client
    )


@invariant
def valid_stable_group_state(s: Group) -> bool:
    """G4: in a stable group every member is at the group's epoch, and owns what the target gives it."""
    return s.status != GroupStatus.STABLE or all(is_settled(s, s.members[m], m) for m in range(1, ids + 1))


def is_settled(s: Group, member: Member | None, number: Id) -> bool:
    """Whether the coordinator has brought a member to its target."""
    target = s.target[number]
    return member is None or (
        member.status == MemberStatus.STABLE
        and member.epoch == s.epoch
        and len(member.to_revoke) == 0
        and target is not None
        and member.assigned == target
    )


@invariant
def valid_partition_epoch(s: Group) -> bool:
    """A partition without an epoch is nobody's: no member owns it, or has yet to give it up."""
    return all(
        s.partition_epoch[p] > 0 or not is_held(s.members[m], p)
        for p in range(all_partitions)
        for m in range(1, ids + 1)
    )


def is_held(member: Member | None, p: Partition) -> bool:
    """Whether a member owns a partition, or has yet to give it up, as the coordinator has it."""
    return member is not None and (p in member.assigned or p in member.to_revoke)


@transition
def client_side_member_epoch_is_monotonic(before: Group, after: Group) -> bool:
    """G5: a client's epoch only rises, until it joins anew or leaves."""
    return all(after.clients[c].epoch <= 0 or after.clients[c].epoch >= before.clients[c].epoch for c in Client)


@transition
def gc_side_member_epoch_is_monotonic(before: Group, after: Group) -> bool:
    """G5: the epoch that the coordinator has for a member only rises."""
    return all(never_falls(before.members[m], after.members[m]) for m in range(1, ids + 1))


def never_falls(before: Member | None, after: Member | None) -> bool:
    """Whether a member's epoch is what it was, or higher."""
    return before is None or after is None or after.epoch >= before.epoch


@transition
def legal_status_changes(before: Group, after: Group) -> bool:
    """A client's status changes as the module allows. From each it may crash, and then it joins."""
    return all(is_legal_change(before.clients[c].status, after.clients[c].status) for c in Client)


def is_legal_change(before: Status, after: Status) -> bool:
    """Whether a client may go from one status to another in a step."""
    match after:
        case Status.JOINING:
            return True
        case Status.STABLE:
            return before in (Status.JOINING, Status.RECONCILING, Status.ACKNOWLEDGING, Status.STABLE)
        case Status.RECONCILING:
            return before in (Status.JOINING, Status.STABLE, Status.ACKNOWLEDGING, Status.RECONCILING)
        case Status.ACKNOWLEDGING:
            return before in (Status.RECONCILING, Status.ACKNOWLEDGING)
        case Status.PREPARE_LEAVING:
            return before not in (Status.UNSUBSCRIBED, Status.LEAVING)
        case Status.LEAVING:
            return before in (Status.PREPARE_LEAVING, Status.LEAVING)
        case Status.UNSUBSCRIBED:
            return before in (Status.PREPARE_LEAVING, Status.LEAVING, Status.UNSUBSCRIBED)


# --- what must be possible --------------------------------------------------------------------------------------------


@reachable
def everybody_has_something(s: Group) -> bool:
    """All have converged, and every client owns something."""
    return is_converged(s) and all(len(s.clients[c].owned) > 0 for c in Client)


@reachable
def everybody_converges(s: Group) -> bool:
    """All have converged."""
    return is_converged(s)


@reachable
def waits_for_another(s: Group) -> bool:
    """A member waits for a partition that another has yet to give up."""
    return any(is_awaited(s.members[m], s, p) for m in range(1, ids + 1) for p in range(all_partitions))


def is_awaited(member: Member | None, s: Group, p: Partition) -> bool:
    """Whether a member waits for a partition that another has yet to give up."""
    return member is not None and p in member.to_assign and any(is_revoking(s.members[m], p) for m in range(1, ids + 1))


def is_revoking(member: Member | None, p: Partition) -> bool:
    """Whether a member has yet to give up a partition."""
    return member is not None and p in member.to_revoke


@reachable
def zombie_is_fenced(s: Group) -> bool:
    """A client that owns something is about to receive the refusal of its heartbeat."""
    return any(
        answer.error == Error.UNKNOWN_MEMBER_ID
        and s.clients[answer.to].connection == answer.connection
        and len(s.clients[answer.to].owned) > 0
        for answer in s.answers
    )
