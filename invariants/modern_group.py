"""What must hold of Kafka's group protocol of KIP-848, as released. G1 to G14 are the numbers of a catalogue of Kafka's
properties.

What is said of members is said of those whom the newest coordinator's records have as members. What is not asked: that
one consumer at a time consumes a partition. One that was thrown out does not know, and goes on: `one_owner_at_a_time`
is false in every Kafka. G6, that a process reconciles whoever has the status of one that does, is not true of the
published module either, as its author says there, and nothing of it is in this model. G15, that a group's id alone
says in which partition of the offsets' topic the group is, is why one partition and its coordinator are enough here.
"""

from __future__ import annotations

from ..language import Set, invariant, reachable, terminal, transition
from ..model.modern_group.coordinator import can_send, held_partitions, instance
from ..model.modern_group.state import *


def is_current(s: Cluster, member: Consumer) -> bool:
    """Whether a consumer takes itself for a member, and the group's records do, too."""
    return s.phase[member] == Phase.MEMBER and s.log.members[member] is not None


@invariant
def type_ok(s: Cluster) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def no_double_client_assignment(s: Cluster) -> bool:
    """G1: no two current members own a partition."""
    return all(
        a == b or not is_current(s, a) or not is_current(s, b) or len(s.owned[a] & s.owned[b]) == 0
        for a in Consumer
        for b in Consumer
    )


@invariant
def no_double_consumption(s: Cluster) -> bool:
    """No two current members consume a partition: of one that both own, one does not know the committed offset."""
    return all(
        a == b or not is_current(s, a) or not is_current(s, b) or len(consumes(s, a) & consumes(s, b)) == 0
        for a in Consumer
        for b in Consumer
    )


@invariant
def legal_target_assignment(s: Cluster) -> bool:
    """G2: the target of the group's epoch gives each partition to one member, one of an older epoch to one at most."""
    return all(len(s.log.target[m]) == 0 or s.log.members[m] is not None for m in Consumer) and all(
        owners(s.log, p) == 1 or (owners(s.log, p) == 0 and not is_at_target(s.log)) for p in Partition
    )


def owners(group: Records, p: Partition) -> int:
    """How many members the target gives a partition to."""
    return sum(1 for m in Consumer if p in group.target[m])


def is_at_target(group: Records) -> bool:
    """Whether the group has members, and the target is that of its epoch."""
    return group.epoch == group.target_epoch and any(group.members[m] is not None for m in Consumer)


@invariant
def valid_member_epoch(s: Cluster) -> bool:
    """G3: a current member that has come to the target's epoch owns nothing that the target gives to another."""
    return all(
        s.epoch[m] != s.log.target_epoch
        or not is_current(s, m)
        or all(other == m or len(s.owned[m] & s.log.target[other]) == 0 for other in Consumer)
        for m in Consumer
    )


@invariant
def valid_stable_group_state(s: Cluster) -> bool:
    """G4: in a stable group every member has what the target gives it, and nothing to revoke."""
    return not is_stable(s.log) or all(is_settled(s.log, m, s.log.members[m]) for m in Consumer)


def is_stable(group: Records) -> bool:
    """Whether the target is that of the group's epoch, and every member has come to it: Stable."""
    return is_at_target(group) and all(is_reconciled(group, group.members[m]) for m in Consumer)


def is_reconciled(group: Records, known: Member | None) -> bool:
    """Whether a member, if it is one, has come to the target."""
    return known is None or (known.state == MemberState.STABLE and known.epoch == group.target_epoch)


def is_settled(group: Records, member: Consumer, known: Member | None) -> bool:
    """Whether a member, if it is one, has what the target gives it, and nothing to revoke."""
    return known is None or (known.assigned == group.target[member] and len(known.revoking) == 0)


@invariant
def partition_epochs_are_apart(s: Cluster) -> bool:
    """No two members have a partition assigned, or have yet to revoke it: it has one epoch."""
    return all(
        a == b or len(held_partitions(s.log.members[a]) & held_partitions(s.log.members[b])) == 0
        for a in Consumer
        for b in Consumer
    )


@invariant
def what_is_owned_is_known(s: Cluster) -> bool:
    """A current member owns nothing but what is assigned to it, or it has yet to revoke."""
    return all(not is_current(s, m) or s.owned[m] <= held_partitions(s.log.members[m]) for m in Consumer)


@invariant
def instance_has_one_member(s: Cluster) -> bool:
    """Of the consumers with one group.instance.id, one is a member."""
    return len(instance(s.log, s.static)) <= 1


@transition
def client_side_member_epoch_is_monotonic(before: Cluster, after: Cluster) -> bool:
    """G5: the epoch of a consumer only rises, until it is a member no more."""
    return all(after.epoch[m] >= before.epoch[m] or after.epoch[m] == 0 for m in Consumer)


@transition
def gc_side_member_epoch_is_monotonic(before: Cluster, after: Cluster) -> bool:
    """G5: the epoch that the records have for a member only rises, until it leaves, or the coordinator changes."""
    return before.newest != after.newest or all(
        never_falls(before.log.members[m], after.log.members[m]) for m in Consumer
    )


def never_falls(before: Member | None, after: Member | None) -> bool:
    """Whether a member's epoch is what it was, or higher."""
    return before is None or after is None or after.epoch >= before.epoch or after.epoch == -2


@transition
def group_epoch_is_monotonic(before: Cluster, after: Cluster) -> bool:
    """G5: the group's epoch that is committed only rises."""
    return committed_group(after).epoch >= committed_group(before).epoch


def committed_group(s: Cluster) -> Records:
    """The group by its committed records."""
    pending = s.pending
    return s.log if pending is None else pending.before


@transition
def generation_fencing(before: Cluster, after: Cluster) -> bool:
    """G7: an offset is appended only for a member, with its member epoch."""
    late = before.late_commit
    return before.log.offsets == after.log.offsets or (
        all(
            request in after.commits or any_accepts(memory(before, request.to), request.source, request.epoch)
            for request in before.commits
        )
        and (
            late is None
            or after.late_commit is not None
            or any_accepts(memory(before, late.to), late.source, late.epoch)
        )
    )


def any_accepts(group: Records | None, member: Consumer, epoch: int) -> bool:
    """Whether a coordinator has that member, with that epoch."""
    known = None if group is None else group.members[member]
    return known is not None and known.epoch == epoch


@transition
def heartbeats_are_fenced(before: Cluster, after: Cluster) -> bool:
    """A late heartbeat counts only with the member's epoch, or the one before and nothing owned but the assigned."""
    sent = before.late
    return (
        sent is None
        or after.late is not None
        or before.log == after.log
        or may_count(before.log.members[sent.source], sent.epoch, sent.owned)
    )


def may_count(known: Member | None, epoch: int, owned: Set[Partition] | None) -> bool:
    """Whether a heartbeat may count: of nobody with epoch 0, or of a member, as its fence has it."""
    if known is None:
        return epoch == 0
    return epoch == known.epoch or (epoch == known.previous and owned is not None and owned <= known.assigned)


@transition
def revoke_before_assign(before: Cluster, after: Cluster) -> bool:
    """G8: who takes on a partition does so when no other current member owns it."""
    return all(
        p in before.owned[m]
        or not is_current(after, m)
        or all(other == m or not is_current(before, other) or p not in before.owned[other] for other in Consumer)
        for m in Consumer
        for p in after.owned[m]
    )


@transition
def commits_never_go_back(before: Cluster, after: Cluster) -> bool:
    """G9: a coordinator never has a smaller committed offset than what was confirmed last, also after a fail-over.

    Asked of members that commit what they own, and whose commits arrive in the order in which they were sent.
    """
    return not after.loaded or all(committed_group(after).offsets[p] >= before.confirmed[p] for p in Partition)


@transition
def commits_move_their_own_partition(before: Cluster, after: Cluster) -> bool:
    """G9: an append leaves the offset of each partition as it was, but for that of a commit that has arrived."""
    return (
        before.pending is not None
        or after.pending is None
        or all(after.log.offsets[p] == after.pending.before.offsets[p] or says(before, after, p) for p in Partition)
    )


def says(before: Cluster, after: Cluster, p: Partition) -> bool:
    """Whether a commit has arrived that says a partition's offset."""
    late = before.late_commit
    offset = after.log.offsets[p]
    return any(
        sent.partition == p and sent.offset == offset and sent not in after.commits for sent in before.commits
    ) or (late is not None and after.late_commit is None and late.partition == p and late.offset == offset)


@invariant
def offset_durable(s: Cluster) -> bool:
    """G13: the offset that was confirmed last is not forgotten; a smaller one that is accepted takes its place."""
    return not s.loaded or all(committed_group(s).offsets[p] >= s.confirmed[p] for p in Partition)


@invariant
def coordinator_unique(s: Cluster) -> bool:
    """G14: only the leader of the offsets' partition appends to it."""
    pending = s.pending
    return pending is None or pending.by == s.newest


@invariant
def one_owner_at_a_time(s: Cluster) -> bool:
    """At no time do two consumers consume a partition. Kafka does not keep that."""
    return all(a == b or len(consumes(s, a) & consumes(s, b)) == 0 for a in Consumer for b in Consumer)


# --- what must be possible --------------------------------------------------------------------------------------------


def has_converged(s: Cluster) -> bool:
    """Whether the group is stable, and every consumer consumes what the target gives it."""
    return is_stable(s.log) and all(is_current(s, m) and s.owned[m] == s.log.target[m] for m in Consumer)


@reachable
def everybody_has_something(s: Cluster) -> bool:
    """A rebalance ends, and every consumer consumes something."""
    return has_converged(s) and all(len(s.owned[m]) > 0 for m in Consumer)


@reachable
def waits_for_another(s: Cluster) -> bool:
    """A member waits for a partition that another has yet to revoke."""
    return any(
        has_state(s.log.members[a], MemberState.UNRELEASED_PARTITIONS)
        and has_state(s.log.members[b], MemberState.UNREVOKED_PARTITIONS)
        for a in Consumer
        for b in Consumer
    )


def has_state(known: Member | None, state: MemberState) -> bool:
    """Whether there is such a member, in that state."""
    return known is not None and known.state == state


@reachable
def fails_over_in_a_rebalance(s: Cluster) -> bool:
    """Another coordinator has loaded the group, of which a member has yet to revoke."""
    return (
        s.newest > 0
        and s.loaded
        and any(has_state(s.log.members[m], MemberState.UNREVOKED_PARTITIONS) for m in Consumer)
    )


@reachable
def zombie_commits(s: Cluster) -> bool:
    """A commit is under way that is refused: of one who is not a member any longer, or of another epoch."""
    return any(group_refuses(memory(s, request.to), request.source, request.epoch) for request in s.commits)


def group_refuses(group: Records | None, member: Consumer, epoch: int) -> bool:
    """Whether a coordinator answers, and has no such member with that epoch."""
    return group is not None and not any_accepts(group, member, epoch)


@reachable
def joins_while_another_leaves(s: Cluster) -> bool:
    """A consumer joins while another, which was a member, has left, and the target is still the old one."""
    return any(
        s.phase[a] == Phase.JOINING
        and s.phase[b] == Phase.OUT
        and s.log.members[b] is None
        and s.log.epoch > s.log.target_epoch
        for a in Consumer
        for b in Consumer
    )


@reachable
def previous_epoch_counts(s: Cluster) -> bool:
    """A member whose answer was lost has the epoch that it had before, and may go on."""
    return any(
        s.phase[m] == Phase.MEMBER and can_send(s, m) and is_behind(s.log.members[m], s.epoch[m], s.owned[m])
        for m in Consumer
    )


def is_behind(known: Member | None, epoch: int, owned: Set[Partition]) -> bool:
    """Whether there is such a member, the epoch is the one that it had before, and it owns nothing else."""
    return known is not None and known.previous == epoch and known.epoch > epoch and owned <= known.assigned


@reachable
def static_member_returns(s: Cluster) -> bool:
    """A static member has left for a while, and another consumer with its group.instance.id is about to join."""
    return any(
        a != b and s.phase[a] == Phase.JOINING and a in s.static and has_gone(s.log.members[b])
        for a in Consumer
        for b in Consumer
    )


def has_gone(known: Member | None) -> bool:
    """Whether there is such a member, which has left for a while and has something."""
    return known is not None and known.epoch == -2 and len(known.assigned) > 0


@reachable
def stale_coordinator_answers(s: Cluster) -> bool:
    """A consumer speaks with a coordinator that is one no longer, and has an older epoch of the group."""
    return any(s.talks_to[m] != s.newest and is_older(memory(s, s.talks_to[m]), s.log.epoch) for m in Consumer)


def is_older(group: Records | None, epoch: int) -> bool:
    """Whether a coordinator answers, with an older epoch of the group."""
    return group is not None and group.epoch < epoch


@terminal
def all_is_well(s: Cluster) -> bool:
    """The group is stable, and every consumer consumes what the target gives it, or is out."""
    return is_stable(s.log)
