"""What coordinators do: they answer heartbeats, append, throw members out, and fail over."""

from __future__ import annotations

from ...language import Map, Option, Set, action, limit, replace, require
from ..parts.replicated_logs import appended, compacted, may_append, may_commit, may_lose, with_losses
from .assignment import departed, error_of, is_balanced, is_new, reconciled, risen, with_member, with_target, without
from .state import (
    Answer,
    Cluster,
    Consumer,
    Coordinator,
    Error,
    Heartbeat,
    Member,
    MemberState,
    Partition,
    Pending,
    Phase,
    Records,
    Says,
    answers_to,
    delays,
    failovers,
    fence_appends,
    give_up,
    loses_acknowledged,
    max_epoch,
    memory,
    no_records,
    pauses,
    persist_assignments,
    persist_targets,
    report_target,
    stale_answers,
    wait_for_commit,
    waits,
    with_newest,
)


def append(
    s: Cluster, by: Coordinator, group: Records, to: Option[Consumer], answer: Option[Answer], within: bool = True
) -> None:
    """A coordinator appends a batch, after which the group is another; nobody else may."""
    require(s.pending is None and (by == s.newest or not fence_appends) and may_append(s.offsets_topic, 1))
    limit(within)
    s.offsets_topic = appended(s.offsets_topic, 1)
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
    s.offsets_topic = with_newest(s.offsets_topic)
    s.pending = None
    s.confirmed = s.log.offsets
    to = pending.to
    if to is not None:
        s.answers[to] = pending.answer


# --- heartbeats -------------------------------------------------------------------------------------------------------


def reported(s: Cluster, member: Consumer) -> Set[Partition]:
    """What a consumer says that it owns."""
    return s.owned[member] | s.target[member] if report_target else s.owned[member]


def heartbeat_of(s: Cluster, member: Consumer) -> Heartbeat:
    """The heartbeat that a consumer sends now."""
    return Heartbeat(
        source=member,
        to=s.talks_to[member],
        epoch=s.epoch[member],
        owned=None if s.says[member] == Says.NOTHING else reported(s, member),
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


def joined(s: Cluster, sent: Heartbeat) -> Records:
    """The group with the member that a heartbeat is of."""
    return with_member(known_to(s, sent.to), s.static, sent.source, sent.epoch)


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
    after = reconciled(group, sent.source, sent.owned)
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
    group = joined(s, sent)
    require(group.epoch == group.target_epoch)
    take(s, sent, group, True)


@action
def receive_heartbeat_and_assign(s: Cluster, member: Consumer, owners: Map[Partition, Consumer]) -> None:
    """Coordinator {s.talks_to[member]} assigns {owners} at {member}'s heartbeat of epoch {s.epoch[member]}."""
    require(can_send(s, member))
    sent = heartbeat_of(s, member)
    group = joined(s, sent)
    require(group.epoch > group.target_epoch and is_balanced(group, owners))
    take(s, sent, with_target(group, owners), True)


@action(kind="fault", budget="changes")
def metadata_change(s: Cluster, member: Consumer, owners: Map[Partition, Consumer]) -> None:
    """The topic's metadata have changed, as the coordinator sees with {member}'s heartbeat; the target is {owners}."""
    require(can_send(s, member))
    sent = heartbeat_of(s, member)
    group = joined(s, sent)
    require(is_balanced(group, owners))
    take(s, sent, with_target(replace(group, epoch=risen(group)), owners), True, True)


@action
def receive_late_heartbeat(s: Cluster) -> None:
    """A coordinator receives the heartbeat that is late; the target stays."""
    sent = s.late
    require(delays > 0 and sent is not None)
    assert sent is not None
    group = joined(s, sent)
    require(group.epoch == group.target_epoch)
    take(s, sent, group, False)
    s.late = None


@action
def receive_late_heartbeat_and_assign(s: Cluster, owners: Map[Partition, Consumer]) -> None:
    """A coordinator receives the heartbeat that is late; the new target is {owners}."""
    sent = s.late
    require(delays > 0 and sent is not None)
    assert sent is not None
    group = joined(s, sent)
    require(group.epoch > group.target_epoch and is_balanced(group, owners))
    take(s, sent, with_target(group, owners), False)
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
    append(s, s.newest, without(s.log, member), None, None, s.log.epoch < max_epoch)


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
        append(s, s.talks_to[member], departed(group, s.static, member), None, None, within)


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
        s.offsets_topic = with_newest(s.offsets_topic) if survives else compacted(s.offsets_topic, 0)
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
