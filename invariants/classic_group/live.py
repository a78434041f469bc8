"""What must happen in a classic group: a rebalance ends, and who joins is a member that consumes.

Faults have a budget: pauses and fail-overs end. What is fair is what clients and coordinators do again and again: they
send and answer, heartbeats are sent, a timeout that runs expires, a new coordinator loads the group, and who learns
that it is not a member joins again. Generations and records of the log have bounds, too; a run that one of them cuts
decides nothing.

What is fair is said of steps, and a group that forgets what makes no difference (`lumped`) has some of them no more:
who is out has joined, a coordinator has loaded, a pause is over. What is asked here would hold there for lack of them,
so that it is asked of a group with every step, and is an error of the model otherwise.
"""

from __future__ import annotations

from ...language import always_possible, leads_to, limits_of, reachable, strong, weak
from ...model import classic_group
from ...model.classic_group import coordinator, joining, members
from ...model.classic_group.state import Cluster, Consumer, GroupState, Partition, Phase, is_here, lumped, newest

modules = (*classic_group.modules, classic_group)
profiles = classic_group.profiles
view = classic_group.view

_JOINS = (
    weak(joining.receive_join, joining.refuse_join, each="member"),
    weak(joining.begin_generation, each="coordinator"),
    weak(joining.take_join_answer, each="member"),
)
_SYNCS = (
    weak(joining.assign, each="member"),
    weak(joining.answer_sync, joining.take_assignment, joining.refuse_sync, joining.join_again, each="member"),
    weak(coordinator.log_commits),
)
_HEARTBEATS = (
    weak(members.hear_of_rebalance, members.hear_of_loss, each="member"),
    weak(coordinator.find_coordinator, each="member"),
)
_COORDINATOR = (weak(coordinator.group_is_empty), weak(coordinator.load), weak(coordinator.resign, each="coordinator"))
_TIMEOUTS = (
    weak(members.session_times_out, each="member"),
    weak(members.rebalance_times_out, each="coordinator"),
    weak(members.poll_times_out, members.leave_in_rebalance, each="member"),
)
_OFFSETS = (limits_of(members.commit, members.process),)
_RETURNS = (weak(members.resume, each="member"),)
_JOINS_AGAIN = (weak(joining.join, each="member"),)
"""A client that learns that it is not a member (UNKNOWN_MEMBER_ID) forgets its id and joins anew while it is polled
(`AbstractCoordinator.joinGroupIfNeeded` takes that error for one to try again after)."""


def is_unstable(s: Cluster) -> bool:
    """Whether a rebalance is under way, or the group has yet to be loaded."""
    assert not lumped  # fairness needs every step
    return newest(s).state in {GroupState.NOT_HERE, GroupState.PREPARING_REBALANCE, GroupState.COMPLETING_REBALANCE}


def is_settled(s: Cluster) -> bool:
    """Whether the group is stable, or empty, or there is none."""
    return not is_unstable(s)


@leads_to(is_settled, *_JOINS, *_SYNCS, *_HEARTBEATS, *_COORDINATOR, *_TIMEOUTS, *_OFFSETS)
def gets_stable(s: Cluster) -> bool:
    """GL2: a rebalance ends: the group is stable, or empty, though members that pause may never go on."""
    return is_unstable(s)


@leads_to(is_settled, *_JOINS, *_SYNCS, *_HEARTBEATS, *_COORDINATOR)
def gets_stable_without_timeouts(s: Cluster) -> bool:
    """GL2 without what it needs: the coordinator waits for a member that never goes on."""
    return is_unstable(s)


@leads_to(is_settled, *_JOINS, *_HEARTBEATS, *_COORDINATOR, *_TIMEOUTS)
def gets_stable_without_syncs(s: Cluster) -> bool:
    """GL2 without what it needs: a member that goes on never sends its SyncGroup."""
    return is_unstable(s)


def waits_to_consume(s: Cluster, member: Consumer) -> bool:
    """Whether a client has asked to be a member, and does not consume yet."""
    assert not lumped  # fairness needs every step
    return s.phase[member] in {Phase.JOINING, Phase.SYNCING}


def consumes(s: Cluster, member: Consumer) -> bool:
    """Whether a client is a member that consumes."""
    assert not lumped  # fairness needs every step
    return s.phase[member] == Phase.RUNNING


@leads_to(consumes, *_JOINS, *_SYNCS, *_HEARTBEATS, *_COORDINATOR, *_TIMEOUTS, *_RETURNS, *_JOINS_AGAIN, *_OFFSETS)
def joins_in_the_end(s: Cluster, member: Consumer) -> bool:
    """GL1: who sends a JoinGroup has joined and synced in the end, with partitions or without."""
    return waits_to_consume(s, member)


@leads_to(consumes, *_JOINS, *_SYNCS, *_HEARTBEATS, *_COORDINATOR, *_TIMEOUTS, *_RETURNS)
def joins_in_the_end_without_joining_again(s: Cluster, member: Consumer) -> bool:
    """GL1 without what it needs: a client that was thrown out joins no more."""
    return waits_to_consume(s, member)


@leads_to(consumes, *_JOINS, *_SYNCS, *_HEARTBEATS, *_COORDINATOR, *_TIMEOUTS, *_JOINS_AGAIN)
def joins_though_it_never_goes_on(s: Cluster, member: Consumer) -> bool:
    """GL1 without what it needs: a member that pauses may do so for ever."""
    return waits_to_consume(s, member)


def is_wanted(s: Cluster, partition: Partition) -> bool:
    """Whether some client is in the group, or asks to be, and none that consumes has the partition."""
    assert not lumped  # fairness needs every step
    return any(s.phase[member] != Phase.OUT for member in Consumer) and not is_consumed(s, partition)


def is_consumed(s: Cluster, partition: Partition) -> bool:
    """Whether a member that consumes, and does not pause, has the partition."""
    return any(consumes(s, member) and member not in s.paused and partition in s.owned[member] for member in Consumer)


def is_consumed_or_unwanted(s: Cluster, partition: Partition) -> bool:
    """Whether a member that consumes has the partition, or no client is in the group any more."""
    return not is_wanted(s, partition)


@leads_to(is_consumed_or_unwanted, *_JOINS, *_SYNCS, *_HEARTBEATS, *_COORDINATOR, *_TIMEOUTS, *_JOINS_AGAIN, *_OFFSETS)
def partitions_are_consumed(s: Cluster, partition: Partition) -> bool:
    """GL1: while a group has members, each partition is given in the end to one that consumes, though others pause."""
    return is_wanted(s, partition)


@leads_to(is_consumed_or_unwanted, *_JOINS, *_SYNCS, *_HEARTBEATS, *_COORDINATOR, *_JOINS_AGAIN)
def partitions_are_consumed_without_timeouts(s: Cluster, partition: Partition) -> bool:
    """The same without what it needs: a member that pauses keeps its partitions."""
    return is_wanted(s, partition)


def commits(s: Cluster) -> bool:
    """Whether a commit is under way to a coordinator, or to the replicas of its log: it has no answer yet."""
    assert not lumped  # fairness needs every step
    return len(s.commits) > 0 or (s.pending is not None and s.offset_lines[s.pending] is not None)


def commits_no_more(s: Cluster) -> bool:
    """Whether none is, since it is committed, or was refused or lost."""
    return not commits(s)


@leads_to(
    commits_no_more, strong(members.accept_commit, members.refuse_commit), weak(coordinator.log_commits), *_OFFSETS
)
def commits_are_answered(s: Cluster) -> bool:
    """GL3: a commit of an offset does not hang: the log commits it, it is refused, or it is lost in a fail-over."""
    return commits(s)


@leads_to(commits_no_more, strong(members.accept_commit, members.refuse_commit))
def commits_are_answered_though_the_log_commits_nothing(s: Cluster) -> bool:
    """GL3 without what it needs: the log commits nothing, as one whose partition has no leader."""
    return commits(s)


@always_possible
def may_consume(s: Cluster, member: Consumer) -> bool:
    """GL1 without any fairness: whatever has happened, some way leads to where a client has joined and synced."""
    return consumes(s, member)


@reachable
def loads_in_a_rebalance(s: Cluster) -> bool:
    """What `gets_stable` begins with: a rebalance is under way at a coordinator that took over."""
    return s.newest > 0 and newest(s).state == GroupState.COMPLETING_REBALANCE and is_here(newest(s))


@reachable
def waits_and_pauses(s: Cluster) -> bool:
    """What `joins_in_the_end` begins with: a client waits to consume, and pauses."""
    return any(waits_to_consume(s, member) and member in s.paused for member in Consumer)
