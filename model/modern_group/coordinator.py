"""What coordinators do: they answer heartbeats, append, throw members out, and fail over."""

from __future__ import annotations

from ...language import Map, Option, Set, action, limit, replace, require
from ..parts.replicated_logs import append_entry, compact_log, may_append, may_commit, may_lose, with_losses
from .state import *

# === What a heartbeat makes of the group's records: epochs, the target, and how far a member is moved to it ===========


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


def replaced_members(group: Records, static: Set[Consumer], member: Consumer, epoch: Epoch) -> Set[Consumer]:
    """The static member that has left, and whose place a heartbeat takes, if there is one."""
    return Set(m for m in instance(group, static) if has_left_for_a_while(group, m) and epoch == 0 and member in static)


def is_new(group: Records, static: Set[Consumer], member: Consumer, epoch: Epoch) -> bool:
    """Whether a heartbeat makes a member of somebody, in nobody's place."""
    return group.members[member] is None and len(replaced_members(group, static, member, epoch)) == 0


def add_member(group: Records, static: Set[Consumer], member: Consumer, epoch: Epoch) -> Records:
    """The group with a member: a new one, for which the group's epoch rises, or one that replaces a static member and
    has what that had."""
    gone = replaced_members(group, static, member, epoch)
    if len(gone) == 0:
        return group if group.members[member] is not None else add_new_member(group, member)
    heir = inherit_place(group, gone)
    given: Set[Partition] = Set(p for p in Partition if any(p in group.target[old] for old in gone))
    return replace(
        group,
        members=Map({m: heir if m == member else None if m in gone else group.members[m] for m in Consumer}),
        target=Map({m: given if m == member else Set() if m in gone else group.target[m] for m in Consumer}),
    )


def inherit_place(group: Records, gone: Set[Consumer]) -> Member:
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


def add_new_member(group: Records, member: Consumer) -> Records:
    """The group with a new member: its epoch rises."""
    fresh = Member(epoch=0, previous=0, state=MemberState.STABLE, assigned=Set(), revoking=Set())
    return replace(group, epoch=risen(group), members=update_member(group, member, fresh))


def risen(group: Records) -> Epoch:
    """The group's epoch, one higher; the steps that take it beyond the last one are cut."""
    return min(group.epoch + 1, max_epoch)


def update_member(group: Records, member: Consumer, known: Option[Member]) -> Map[Consumer, Option[Member]]:
    """The members, one of whom is another now."""
    return Map({m: known if m == member else group.members[m] for m in Consumer})


def group_without(group: Records, member: Consumer) -> Records:
    """The group without a member: its epoch rises."""
    return replace(
        group,
        epoch=risen(group),
        members=update_member(group, member, None),
        target=Map({m: Set() if m == member else group.target[m] for m in Consumer}),
    )


def let_member_leave(group: Records, static: Set[Consumer], member: Consumer) -> Records:
    """The group when a member says that it leaves: a static one, which leaves for a while, keeps what is assigned."""
    known = group.members[member]
    if known is None:
        return group
    if member in static:
        return replace(group, members=update_member(group, member, replace(known, epoch=-2, revoking=Set())))
    return group_without(group, member)


# --- the target, and how far a member is from it ----------------------------------------------------------------------


def is_balanced(group: Records, owners: Map[Partition, Consumer]) -> bool:
    """Whether a target is for members, and none has more than its share, rounded up."""
    count = sum(1 for m in Consumer if group.members[m] is not None)
    return all(
        group.members[owners[p]] is not None
        and sum(1 for q in Partition if owners[q] == owners[p]) * count < partitions + count
        for p in Partition
    )


def set_target(group: Records, owners: Map[Partition, Consumer]) -> Records:
    """The group with a target for its epoch."""
    return replace(
        group,
        target_epoch=group.epoch,
        target=Map({m: Set(p for p in Partition if owners[p] == m) for m in Consumer}),
    )


def held_partitions(known: Option[Member]) -> Set[Partition]:
    """What has a member's epoch for its partition epoch: what is assigned to the member, or it has yet to revoke."""
    if known is None:
        return Set()
    return known.assigned | known.revoking


def is_free(group: Records, p: Partition) -> bool:
    """Whether a partition has no epoch: no member has it."""
    return all(p not in held_partitions(group.members[m]) for m in Consumer)


def reconcile_member(group: Records, member: Consumer, owned: Option[Set[Partition]]) -> Records:
    """The group with a member that is moved to its target, as far as that goes: CurrentAssignmentBuilder."""
    known = group.members[member]
    if known is None or (known.state == MemberState.STABLE and known.epoch == group.target_epoch):
        return group
    if known.state == MemberState.UNREVOKED_PARTITIONS and still_owns(owned, known.revoking):
        return group
    epoch = known.epoch + 1 if known.state == MemberState.UNREVOKED_PARTITIONS else known.epoch
    return replace(group, members=update_member(group, member, next_assignment(group, member, known, epoch, owned)))


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


def append(
    s: Cluster, by: Coordinator, group: Records, to: Option[Consumer], answer: Option[Answer], within: bool = True
) -> None:
    """A coordinator appends a batch, after which the group is another; nobody else may."""
    require(s.pending is None and (by == s.newest or not fence_appends) and may_append(s.offsets_topic, 1))
    limit(within)
    s.offsets_topic = append_entry(s.offsets_topic, 1)
    s.pending = Pending(
        by=by,
        before=s.log,
        to=to if wait_for_commit else None,
        answer=answer if wait_for_commit else None,
    )
    s.log = group
    if to is not None and not wait_for_commit:
        s.answers[to] = answer


@action
def log_commits(s: Cluster) -> None:
    """The last batch of the log is committed, and who waits for that is answered."""
    pending = s.pending
    require(pending is not None and may_commit(s.offsets_topic, Set({1}), Set({1})))
    assert pending is not None
    s.offsets_topic = compact_to_newest(s.offsets_topic)
    s.pending = None
    s.confirmed = s.log.offsets
    to = pending.to
    if to is not None:
        s.answers[to] = pending.answer


# --- heartbeats -------------------------------------------------------------------------------------------------------


def reported_partitions(s: Cluster, member: Consumer) -> Set[Partition]:
    """What a consumer says that it owns."""
    return s.owned[member] | s.target[member] if report_target else s.owned[member]


def heartbeat_of(s: Cluster, member: Consumer) -> Heartbeat:
    """The heartbeat that a consumer sends now."""
    return Heartbeat(
        source=member,
        to=s.talks_to[member],
        epoch=s.epoch[member],
        owned=None if s.says[member] == Says.NOTHING else reported_partitions(s, member),
        full=s.says[member] == Says.ALL,
    )


def known_to(s: Cluster, coordinator: Coordinator) -> Records:
    """The group as a coordinator has it; an empty one where it answers for none."""
    group = memory(s, coordinator)
    return no_records() if group is None else group


def error_in(s: Cluster, sent: Heartbeat) -> Error:
    """What is wrong with a heartbeat, for the coordinator that it is sent to."""
    return error_of(known_to(s, sent.to), s.static, sent.source, sent.epoch, sent.owned)


def is_refused(s: Cluster, member: Consumer) -> bool:
    """Whether a consumer's next heartbeat is refused."""
    return answers_to(s, member) is not None and error_in(s, heartbeat_of(s, member)) != Error.NONE


def counts(s: Cluster, sent: Heartbeat) -> bool:
    """Whether a coordinator accepts a heartbeat."""
    return memory(s, sent.to) is not None and error_in(s, sent) == Error.NONE


def group_with_member(s: Cluster, sent: Heartbeat) -> Records:
    """The group with the member that a heartbeat is of."""
    return add_member(known_to(s, sent.to), s.static, sent.source, sent.epoch)


def is_within(s: Cluster, sent: Heartbeat, changes: bool) -> bool:
    """Whether the group's epoch after a heartbeat is not beyond the last one."""
    group = known_to(s, sent.to)
    new = is_new(group, s.static, sent.source, sent.epoch)
    return group.epoch + (1 if new else 0) + (1 if changes else 0) <= max_epoch


def answer_to(sent: Heartbeat, before: Records, after: Records) -> Answer:
    """The answer to a heartbeat: with the assignment, if the consumer asks for it, or it has changed."""
    old = before.members[sent.source]
    new = after.members[sent.source]
    if new is None:
        return Answer(epoch=0, assignment=None)
    asked = sent.epoch == 0 or sent.full or old is None or old.assigned != new.assigned
    return Answer(epoch=max(0, new.epoch), assignment=new.assigned if asked else None)


def take(s: Cluster, sent: Heartbeat, group: Records, waiting: bool, changes: bool = False) -> None:
    """A coordinator takes a heartbeat: it appends what has changed, and answers, if the sender still waits."""
    require(counts(s, sent))
    before = known_to(s, sent.to)
    after = reconcile_member(group, sent.source, sent.owned)
    answer = answer_to(sent, before, after)
    news = sent.epoch != answer.epoch or answer.assignment is not None
    require(before != after or (waiting and (news or sent.owned is not None)))
    if before != after:
        append(
            s,
            sent.to,
            after,
            sent.source if waiting else None,
            answer if waiting else None,
            is_within(s, sent, changes),
        )
    else:
        require(sent.to != s.newest or s.pending is None)
        s.answers[sent.source] = answer if news else None
    if waiting:
        s.says[sent.source] = Says.NOTHING


def can_send(s: Cluster, member: Consumer) -> bool:
    """Whether a consumer sends heartbeats, and waits for no answer."""
    return s.phase[member] != Phase.OUT and member not in s.paused and not waits(s, member)


@action
def receive_heartbeat(s: Cluster, member: Consumer) -> None:
    """Coordinator {s.talks_to[member]} receives {member}'s heartbeat of epoch {s.epoch[member]}; the target stays."""
    require(can_send(s, member))
    sent = heartbeat_of(s, member)
    group = group_with_member(s, sent)
    require(group.epoch == group.target_epoch)
    take(s, sent, group, True)


@action
def receive_heartbeat_and_assign(s: Cluster, member: Consumer, owners: Map[Partition, Consumer]) -> None:
    """Coordinator {s.talks_to[member]} assigns {owners} at {member}'s heartbeat of epoch {s.epoch[member]}."""
    require(can_send(s, member))
    sent = heartbeat_of(s, member)
    group = group_with_member(s, sent)
    require(group.epoch > group.target_epoch and is_balanced(group, owners))
    take(s, sent, set_target(group, owners), True)


@action(kind="fault", budget="changes")
def metadata_change(s: Cluster, member: Consumer, owners: Map[Partition, Consumer]) -> None:
    """The topic's metadata have changed, as the coordinator sees with {member}'s heartbeat; the target is {owners}."""
    require(can_send(s, member))
    sent = heartbeat_of(s, member)
    group = group_with_member(s, sent)
    require(is_balanced(group, owners))
    take(s, sent, set_target(replace(group, epoch=risen(group)), owners), True, True)


@action
def receive_late_heartbeat(s: Cluster) -> None:
    """A coordinator receives the heartbeat that is late; the target stays."""
    sent = s.late
    require(delays > 0 and sent is not None)
    assert sent is not None
    group = group_with_member(s, sent)
    require(group.epoch == group.target_epoch)
    take(s, sent, group, False)
    s.late = None


@action
def receive_late_heartbeat_and_assign(s: Cluster, owners: Map[Partition, Consumer]) -> None:
    """A coordinator receives the heartbeat that is late; the new target is {owners}."""
    sent = s.late
    require(delays > 0 and sent is not None)
    assert sent is not None
    group = group_with_member(s, sent)
    require(group.epoch > group.target_epoch and is_balanced(group, owners))
    take(s, sent, set_target(group, owners), False)
    s.late = None


@action
def refuse_heartbeat(s: Cluster, member: Consumer) -> None:
    """{member}'s heartbeat of epoch {s.epoch[member]} is refused: it owns nothing any longer, and joins again."""
    require(can_send(s, member) and is_refused(s, member))
    require(s.phase[member] != Phase.JOINING or member in s.static)
    error = error_in(s, heartbeat_of(s, member))
    fatal = error in (Error.FENCED_INSTANCE_ID, Error.UNRELEASED_INSTANCE_ID)
    give_up(s, member, Phase.OUT if fatal else Phase.JOINING)


# --- who is thrown out ------------------------------------------------------------------------------------------------


def throw_out(s: Cluster, member: Consumer) -> None:
    """The coordinator throws a member out, and appends that."""
    require(s.loaded and s.log.members[member] is not None)
    append(s, s.newest, group_without(s.log, member), None, None, s.log.epoch < max_epoch)


@action
def session_times_out(s: Cluster, member: Consumer) -> None:
    """The coordinator has accepted no heartbeat of {member} for the session's timeout, and throws it out."""
    require(
        member in s.paused
        or s.talks_to[member] != s.newest
        or s.phase[member] == Phase.OUT
        or (s.phase[member] == Phase.JOINING and not waits(s, member) and is_refused(s, member))
    )
    throw_out(s, member)


@action
def rebalance_times_out(s: Cluster, member: Consumer) -> None:
    """{member} has not revoked in time what it should, and is thrown out."""
    known = s.log.members[member]
    require(pauses > 0 and member in s.paused and known is not None)
    assert known is not None
    require(known.state == MemberState.UNREVOKED_PARTITIONS)
    throw_out(s, member)


def say_goodbye(s: Cluster, member: Consumer) -> None:
    """A consumer's heartbeat with epoch -1, or -2 of a static member, arrives at its coordinator."""
    group = answers_to(s, member)
    require(group is not None)
    assert group is not None
    known = group.members[member]
    if known is not None and known.epoch != -2:
        within = member in s.static or group.epoch < max_epoch
        append(s, s.talks_to[member], let_member_leave(group, s.static, member), None, None, within)


# --- fail-over --------------------------------------------------------------------------------------------------------


@action(kind="fault")
def fail_over(s: Cluster, survives: bool) -> None:
    """A new leader of the offsets' partition is the coordinator{', with the pending batch' if survives else ''}."""
    pending = s.pending
    require(pending is not None or not survives)
    limit(s.newest < failovers)
    s.stale[s.newest] = s.log if stale_answers and s.loaded and pending is None else None
    if pending is not None:
        to = pending.to
        if to is not None:
            s.says[to] = Says.ALL
        s.offsets_topic = compact_to_newest(s.offsets_topic) if survives else compact_log(s.offsets_topic, 0)
        if survives:  # a smaller offset that was accepted takes the place of what was confirmed
            s.confirmed = Map({p: min(s.confirmed[p], s.log.offsets[p]) for p in Partition})
        else:
            s.log = pending.before
    s.pending = None
    s.newest += 1
    s.loaded = False


@action
def load(s: Cluster) -> None:
    """Coordinator {s.newest} loads the group from the log."""
    require((failovers > 0 or loses_acknowledged) and not s.loaded)
    s.loaded = True
    if not persist_assignments:
        s.log = replace(
            s.log,
            members=Map(
                {m: forgotten(s.log, m) for m in Consumer},
            ),
        )
    if not persist_targets:
        s.log = replace(s.log, target=Map({m: Set() for m in Consumer}))


def forgotten(group: Records, member: Consumer) -> Option[Member]:
    """A member of whom the log has no CurrentMemberAssignment."""
    known = group.members[member]
    return None if known is None else replace(known, assigned=Set(), revoking=Set())


@action
def find_coordinator(s: Cluster, member: Consumer) -> None:
    """{member} is cut off from its coordinator, or learns that it is one no longer, and finds coordinator {s.newest}.

    What a coordinator has in memory to which nobody speaks any longer is forgotten: it appends nothing by itself.
    """
    require(failovers > 0 and member not in s.paused and s.talks_to[member] != s.newest)
    s.talks_to[member] = s.newest
    if not waits(s, member):
        s.says[member] = Says.ALL
    for old in range(failovers + 1):
        if all(s.talks_to[m] != old for m in Consumer) and not is_late_for(s, old):
            s.stale[old] = None


def is_late_for(s: Cluster, coordinator: Coordinator) -> bool:
    """Whether a heartbeat to that coordinator is late."""
    sent = s.late
    return sent is not None and sent.to == coordinator


@action(kind="fault")
def lose_records(s: Cluster) -> None:
    """The log loses all records, which were acknowledged; the coordinator loads what is left."""
    require(s.pending is None and s.log != no_records() and may_lose(s.offsets_topic, Set(), Set({0}), True))
    s.offsets_topic = with_losses(s.offsets_topic, Set(), Set({0}), True)
    s.log = no_records()
    s.loaded = False
