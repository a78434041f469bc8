"""What consumers do: they take answers, reconcile, consume, commit, leave and pause."""

from __future__ import annotations

from ...language import Map, Option, action, limit, replace, require
from .coordinator import append, can_send, heartbeat_of, say_goodbye
from .state import *


@action
def receive_answer(s: Cluster, member: Consumer) -> None:
    """{member} receives the answer to its heartbeat."""
    answer = s.answers[member]
    require(answer is not None and member not in s.paused)
    assert answer is not None
    s.answers[member] = None
    s.phase[member] = Phase.MEMBER
    s.epoch[member] = answer.epoch
    assignment = answer.assignment
    if assignment is not None:
        s.target[member] = assignment


@action
def reconcile(s: Cluster, member: Consumer) -> None:
    """{member} has revoked and taken on what it should, and its next heartbeat says so."""
    require(s.phase[member] == Phase.MEMBER and member not in s.paused and s.target[member] != s.owned[member])
    s.placed[member] = s.placed[member] & s.target[member]
    forget_positions(s, member)
    s.owned[member] = s.target[member]
    if s.says[member] == Says.NOTHING:
        s.says[member] = Says.OWNED


# --- requests and answers that do not arrive --------------------------------------------------------------------------


@action(kind="fault", budget="losses")
def lose_answer(s: Cluster, member: Consumer) -> None:
    """The answer to {member}'s heartbeat is lost with its connection; the next heartbeat says all."""
    require(waits(s, member))
    pending = s.pending
    if pending is not None and pending.to == member:
        s.pending = replace(pending, to=None, answer=None)
    s.answers[member] = None
    s.says[member] = Says.ALL


@action(kind="fault", budget="delays")
def delay_heartbeat(s: Cluster, member: Consumer) -> None:
    """{member}'s heartbeat of epoch {s.epoch[member]} does not arrive in time; the next one says all."""
    require(can_send(s, member) and s.late is None)
    s.late = heartbeat_of(s, member)
    s.says[member] = Says.ALL


@action
def lose_late_heartbeat(s: Cluster) -> None:
    """The heartbeat that is late never arrives."""
    require(delays > 0 and s.late is not None)
    s.late = None


# --- offsets ----------------------------------------------------------------------------------------------------------


@action
def fetch_offsets(s: Cluster, member: Consumer) -> None:
    """{member} learns the committed offsets of what it owns, with its epoch {s.epoch[member]}.

    A consumer has one connection to its coordinator, which answers in order: an OffsetFetch after a heartbeat.
    """
    group = committed_as(s, s.talks_to[member])
    require(records > 0 and s.phase[member] == Phase.MEMBER and member not in s.paused)
    require(s.placed[member] != s.owned[member] and not waits(s, member) and group is not None)
    assert group is not None
    known = group.members[member]
    require(known is not None and known.epoch == s.epoch[member])
    s.position[member] = Map(
        {p: group.offsets[p] if p in s.owned[member] - s.placed[member] else s.position[member][p] for p in Partition}
    )
    s.placed[member] = s.owned[member]


def committed_as(s: Cluster, coordinator: Coordinator) -> Option[Records]:
    """What is committed of the group as a coordinator has it, by which it answers an OffsetFetch."""
    pending = s.pending
    return pending.before if pending is not None and pending.by == coordinator else memory(s, coordinator)


@action(kind="client")
def process(s: Cluster, member: Consumer, partition: Partition) -> None:
    """{member} processes record {s.position[member][partition]} of partition {partition}."""
    require(records > 0 and partition in s.placed[member] and member not in s.paused)
    limit(s.position[member][partition] < records)
    s.position[member][partition] += 1


@action(kind="client", budget="commits")
def commit(s: Cluster, member: Consumer, partition: Partition) -> None:
    """{member} commits offset {s.position[member][partition]} of partition {partition}."""
    require(may_commit(s, member, partition) and member not in s.paused and s.position[member][partition] > 0)
    limit(len(s.commits) < 2 and all(request.source != member for request in s.commits))
    s.commits.add(
        Commit(
            source=member,
            to=s.talks_to[member],
            epoch=s.epoch[member],
            partition=partition,
            offset=s.position[member][partition],
        )
    )


def may_commit(s: Cluster, member: Consumer, partition: Partition) -> bool:
    """Whether an application commits a partition's offset: a coordinator asks who it is, and not what it owns."""
    return partition in s.placed[member] or (not commit_what_is_owned and s.phase[member] == Phase.MEMBER)


def is_accepted(group: Records, request: Commit) -> bool:
    """Whether a coordinator accepts a commit: of a member, with its epoch."""
    known = group.members[request.source]
    return not fence_commits or (known is not None and known.epoch == request.epoch)


@action
def accept_commit(s: Cluster, request: Commit) -> None:
    """The coordinator appends {request.source}'s offset {request.offset} of {request.partition}."""
    require(commits > 0)
    append_offset(s, request)
    s.commits.remove(request)


def append_offset(s: Cluster, request: Commit) -> None:
    """The coordinator that a commit is sent to accepts it, and appends the offset."""
    group = memory(s, request.to)
    require(group is not None)
    assert group is not None
    require(is_accepted(group, request))
    offsets: Offsets = Map({p: request.offset if p == request.partition else group.offsets[p] for p in Partition})
    append(s, request.to, replace(group, offsets=offsets), None, None)


@action
def refuse_commit(s: Cluster, request: Commit) -> None:
    """{request.source}'s commit of epoch {request.epoch} is refused, or its coordinator is one no longer."""
    group = memory(s, request.to)
    stale = request.to != s.newest and fence_appends
    require(commits > 0)
    require(stale or (group is not None and not is_accepted(group, request)))
    s.commits.remove(request)


@action(kind="fault", budget="retries")
def retry_commit(s: Cluster, request: Commit) -> None:
    """{request.source}'s commit of offset {request.offset} fails, and is sent again in epoch {s.epoch[request.source]}.

    The application waits in `commitSync`. What reconciles waits for it only where offsets are committed automatically,
    or a listener is to be called; and a commit that is sent again has the epoch that its sender has by then.
    """
    member = request.source
    require(retries > 0 and s.phase[member] == Phase.MEMBER and member not in s.paused)
    require(request.epoch != s.epoch[member] or request.to != s.talks_to[member])
    s.commits.remove(request)
    s.commits.add(replace(request, to=s.talks_to[member], epoch=s.epoch[member]))


@action(kind="fault", budget="late_commits")
def delay_commit(s: Cluster, request: Commit) -> None:
    """{request.source}'s commit of offset {request.offset} does not arrive in time; it goes on without an answer.

    The connection is lost, and what it sends next goes by another one.
    """
    require(late_commits > 0 and s.late_commit is None)
    s.commits.remove(request)
    s.late_commit = request


@action
def accept_late_commit(s: Cluster) -> None:
    """A coordinator appends the offset of the commit that is late.

    Nothing in it says that it is an old one, as long as its epoch is its sender's.
    """
    sent = s.late_commit
    require(late_commits > 0 and sent is not None)
    assert sent is not None
    append_offset(s, sent)
    s.late_commit = None


@action
def lose_late_commit(s: Cluster) -> None:
    """The commit that is late never arrives, or is refused."""
    require(late_commits > 0 and s.late_commit is not None)
    s.late_commit = None


# --- leaving and pausing ----------------------------------------------------------------------------------------------


@action(kind="client", budget="leaves")
def leave(s: Cluster, member: Consumer, arrives: bool) -> None:
    """{member} revokes all and leaves{', and the coordinator receives that' if arrives else '; nobody hears of it'}."""
    require(s.phase[member] == Phase.MEMBER and member not in s.paused and not waits(s, member))
    if arrives:
        say_goodbye(s, member)
    give_up(s, member, Phase.OUT)


@action
def join(s: Cluster, member: Consumer) -> None:
    """{member}, which is in no group, is about to join."""
    require(
        (leaves > 0 or pauses > 0 or static_members > 0) and s.phase[member] == Phase.OUT and member not in s.paused
    )
    s.phase[member] = Phase.JOINING


@action(kind="fault", budget="pauses")
def pause(s: Cluster, member: Consumer) -> None:
    """{member} pauses."""
    require(member not in s.paused and s.phase[member] == Phase.MEMBER)
    s.paused.add(member)


@action
def resume(s: Cluster, member: Consumer) -> None:
    """{member} goes on."""
    require(pauses > 0 and member in s.paused)
    s.paused.remove(member)
    if s.phase[member] == Phase.OUT:
        give_up(s, member, Phase.OUT)


@action
def poll_times_out(s: Cluster, member: Consumer) -> None:
    """{member} has not polled for too long, and its background thread leaves the group; it does not know yet."""
    require(pauses > 0 and member in s.paused and s.phase[member] == Phase.MEMBER and not waits(s, member))
    say_goodbye(s, member)
    s.phase[member] = Phase.OUT
    s.epoch[member] = 0
