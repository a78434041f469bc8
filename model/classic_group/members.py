"""What members do: they consume, commit, learn of a rebalance, leave, pause; and the timeouts that throw them out."""

from __future__ import annotations

from ...language import Set, action, limit, require
from .lumping import settle
from .state import *


@action
def hear_of_rebalance(s: Cluster, member: Consumer) -> None:
    """{member} learns from a heartbeat that a rebalance is under way, and sends a JoinGroup."""
    group = answers_to(s, member)
    require(s.phase[member] == Phase.RUNNING and member not in s.paused)
    require(group.state in (GroupState.PREPARING_REBALANCE, GroupState.COMPLETING_REBALANCE))
    require(counts(group, member, s.generation[member]))
    if not cooperative and rejoin_until_synced:
        give_up(s, member)
    s.phase[member] = Phase.JOINING


@action
def hear_of_loss(s: Cluster, member: Consumer) -> None:
    """{member} learns from a heartbeat that it is not a member any longer, or of an older generation."""
    group = answers_to(s, member)
    require(s.phase[member] == Phase.RUNNING and member not in s.paused)
    require(is_here(group) and not counts(group, member, s.generation[member]))
    lose(s, member)
    settle(s)


@action(kind="client")
def process(s: Cluster, member: Consumer, partition: Partition) -> None:
    """{member} processes record {s.position[member][partition]} of partition {partition}."""
    require(partition in consumes(s, member) and member not in s.paused and not commit_at_once)
    limit(s.position[member][partition] < records)
    advance(s, member, partition)


def advance(s: Cluster, member: Consumer, partition: Partition) -> None:
    """A member processes the next record of a partition."""
    s.position[member][partition] += 1
    s.twice = s.twice or s.position[member][partition] <= s.done[partition]
    s.done[partition] = max(s.done[partition], s.position[member][partition])


def processed_offset(s: Cluster, member: Consumer, partition: Partition) -> int:
    """What a member takes for the offset up to which it has processed."""
    return s.position[member][partition] if process_first else s.position[member][partition] + 1


@action(kind="client", budget="commits")
def commit(s: Cluster, member: Consumer, partition: Partition) -> None:
    """{member} commits offset {processed_offset(s, member, partition)} of partition {partition}."""
    require(may_commit(s, member, partition) and member not in s.paused)
    require(commit_at_once or not process_first or s.position[member][partition] > 0)
    limit((not commit_at_once and process_first) or s.position[member][partition] < records)
    limit(len(s.commits) < 2 and all(request.source != member for request in s.commits))
    if commit_at_once:
        advance(s, member, partition)
    s.commits.add(
        Commit(
            source=member,
            to=s.talks_to[member],
            generation=s.generation[member],
            partition=partition,
            offset=processed_offset(s, member, partition),
        )
    )
    settle(s)


def may_commit(s: Cluster, member: Consumer, partition: Partition) -> bool:
    """Whether an application commits a partition's offset: a coordinator asks who it is, and not what it owns."""
    return partition in consumes(s, member) or (not commit_what_is_owned and s.phase[member] == Phase.RUNNING)


def is_accepted(group: Group, commit: Commit) -> bool:
    """Whether a coordinator accepts a commit. While it waits for the assignment, it accepts none."""
    return (
        group.state in (GroupState.STABLE, GroupState.PREPARING_REBALANCE)
        and counts(group, commit.source, commit.generation)
    ) or (not fence_commits and is_here(group))


@action
def accept_commit(s: Cluster, commit: Commit) -> None:
    """Coordinator {commit.to} appends {commit.source}'s offset {commit.offset} of {commit.partition}."""
    require(is_accepted(s.groups[commit.to], commit))
    append_offset(s, commit)
    s.commits.remove(commit)


def append_offset(s: Cluster, commit: Commit) -> None:
    """A coordinator appends the offset that a commit says."""
    append(s, commit.to)
    s.offset_lines[last(s.log)] = OffsetLine(by=commit.to, partition=commit.partition, offset=commit.offset)


@action
def refuse_commit(s: Cluster, commit: Commit) -> None:
    """{commit.source}'s commit of generation {commit.generation} is refused, or is not answered."""
    require(
        not is_accepted(s.groups[commit.to], commit)
        or (commit.to != s.newest and fence_appends)
        or (lumped and commit.to > 0)
    )
    s.commits.remove(commit)


@action(kind="client", budget="leaves")
def leave(s: Cluster, member: Consumer) -> None:
    """{member} leaves the group."""
    group = answers_to(s, member)
    require(leaves > 0 and s.phase[member] == Phase.RUNNING and member not in s.paused)
    require(is_here(group) and counts(group, member, s.generation[member]))
    s.groups[s.talks_to[member]] = group_without(group, Set({member}))
    s.phase[member] = Phase.OUT
    s.generation[member] = 0
    give_up(s, member)
    settle(s)


# --- timeouts ---------------------------------------------------------------------------------------------------------


@action(kind="fault", budget="pauses")
def pause(s: Cluster, member: Consumer) -> None:
    """{member} pauses."""
    require(member not in s.paused and s.phase[member] != Phase.OUT)
    s.paused.add(member)
    settle(s)


@action
def resume(s: Cluster, member: Consumer) -> None:
    """{member} goes on."""
    require(member in s.paused)
    s.paused.remove(member)
    if s.phase[member] == Phase.OUT:
        give_up(s, member)


@action
def session_times_out(s: Cluster, coordinator: Coordinator, member: Consumer) -> None:
    """Coordinator {coordinator} has not heard of {member} for the session's timeout, and throws it out."""
    group = s.groups[coordinator]
    require(is_here(group) and member in group.members and member not in group.joined)
    require(member in s.paused or s.talks_to[member] != coordinator or is_out(s, member))
    require(throw_out_unsynced or not only_heartbeats(s, coordinator, member))
    require(watch_new_members or is_out(s, member) or not is_unwatched(s, coordinator, member))
    s.groups[coordinator] = group_without(group, Set({member}))
    settle(s)


def is_out(s: Cluster, member: Consumer) -> bool:
    """Whether a consumer is in no group: it sends no heartbeat, and may have sent a JoinGroup as a new member."""
    return s.phase[member] == Phase.OUT or (
        lumped and s.phase[member] == Phase.JOINING and s.generation[member] == 0 and s.answers[member] is None
    )


def only_heartbeats(s: Cluster, coordinator: Coordinator, member: Consumer) -> bool:
    """Whether a coordinator waits for the assignment, and gets heartbeats of a member that sends nothing else."""
    return (
        s.groups[coordinator].state == GroupState.COMPLETING_REBALANCE
        and s.talks_to[member] == coordinator
        and s.phase[member] == Phase.SYNCING
    )


def is_unwatched(s: Cluster, coordinator: Coordinator, member: Consumer) -> bool:
    """Whether a member has sent nothing since its first JoinGroup was answered, so that no session of it has begun."""
    return (
        s.groups[coordinator].state == GroupState.COMPLETING_REBALANCE
        and s.talks_to[member] == coordinator
        and s.phase[member] == Phase.JOINING
        and s.generation[member] == 0
    )


@action
def rebalance_times_out(s: Cluster, coordinator: Coordinator) -> None:
    """Coordinator {coordinator} waits no longer, and throws out who has not joined."""
    group = s.groups[coordinator]
    require(group.state == GroupState.PREPARING_REBALANCE and not group.members <= group.joined)
    require(
        all(
            member in s.paused or s.talks_to[member] != coordinator or is_out(s, member)
            for member in group.members - group.joined
        )
    )
    s.groups[coordinator] = group_without(group, group.members - group.joined)
    settle(s)


@action
def poll_times_out(s: Cluster, member: Consumer) -> None:
    """KIP-62: {member} has not polled for too long, and its heartbeat thread leaves the group."""
    group = answers_to(s, member)
    require(member in s.paused and s.phase[member] == Phase.RUNNING)
    require(is_here(group) and counts(group, member, s.generation[member]))
    s.groups[s.talks_to[member]] = group_without(group, Set({member}))
    s.phase[member] = Phase.OUT
    s.generation[member] = 0
    settle(s)


@action
def leave_in_rebalance(s: Cluster, member: Consumer) -> None:
    """KAFKA-8104: {member} has not polled for too long, and its heartbeat thread leaves while an answer arrives."""
    group = answers_to(s, member)
    require(leave_in_rebalances and member in s.paused and s.phase[member] == Phase.SYNCING)
    require(s.answers[member] is not None and is_here(group) and counts(group, member, s.generation[member]))
    s.groups[s.talks_to[member]] = group_without(group, Set({member}))
    s.generation[member] = 0
    settle(s)
