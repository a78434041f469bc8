"""What can make no difference any more, and is forgotten with `lumped`.

States that differ only in what nobody will read are one state then. What is forgotten, and what is one step:

* A consumer that is in no group has sent a JoinGroup, which may arrive late: it does nothing else. One whose heartbeat
  thread has left in a pause has given up what it owned.
* A new coordinator has loaded the log (`loads_at_once`). Nobody else may append, so that it finds the same at any later
  time; it may refuse a commit, as one that still loads does. Where the one before may append, a load may fail or
  end early, or the log lose what it acknowledged, when it loads makes a difference, and it is a step.
* A member that pauses, and that its coordinator has thrown out, goes on. It may do so at any time, and nothing can be
  done to it any more.
* Commits that no coordinator will accept: they were sent to one that leads the log no longer, or in a generation that
  is over.
* Who claimed what, once there is an assignment, or where the claimant has to say it again. Of a coordinator that leads
  the log no longer also what it had assigned: it may answer with a stable group's assignment, and never has another.

That nothing is lost is a refinement that is checked, of one fail-over: `classic_group_as_lumped`. With two, a
coordinator that fails before it has loaded the log is one here that has, and that resigns at once, which is two steps:
`tests/model/classic_group/test_lumping.py` looks at each, with one member. What must happen is not asked of a group
that forgets, since fairness is said of steps.
"""

from __future__ import annotations

from ...language import Map, Option, Set, replace
from .state import *


def settle(s: Cluster) -> None:
    """What can make no difference any more is forgotten."""
    if lumped:
        s.groups = groups_that_matter(s)
        s.commits = commits_that_matter(s)
        s.late_commit = late_commit_that_matters(s)
        s.owned = Map({member: what_is_owned(s, member) for member in Consumer})
        s.position = Map({member: Map({p: where(s, member, p) for p in Partition}) for member in Consumer})
        s.paused = pauses_that_matter(s)  # after what depends on who pauses
        s.phase = Map({member: what_it_does(s, member) for member in Consumer})


# --- coordinators -----------------------------------------------------------------------------------------------------


def groups_that_matter(s: Cluster) -> Map[Coordinator, Group]:
    """What coordinators know of the group that anybody may read."""
    return Map({c: drop_idle_claims(s, c, loaded_group(s, c)) for c in range(failovers + 1)})


def loaded_group(s: Cluster, coordinator: Coordinator) -> Group:
    """What a coordinator has of the group: the one that leads the log has loaded it."""
    group = s.groups[coordinator]
    return read(s, entries) if loads_at_once() and coordinator == s.newest and not is_here(group) else group


def loads_at_once() -> bool:
    """Whether a new coordinator finds the same in the log whenever it loads it, and always finds it."""
    return fence_appends and load_newest and not loses_acknowledged and (await_load or failed_loads == 0)


def drop_idle_claims(s: Cluster, coordinator: Coordinator, group: Group) -> Group:
    """A group without claims that nobody reads, and without an assignment that nobody reads."""
    leads = coordinator == s.newest or not fence_appends
    is_answered = leads or group.state == GroupState.STABLE
    return replace(
        group,
        claims=Map({m: group.claims[m] if leads and may_count(group, m) else Set() for m in Consumer}),
        claimed_in=Map({m: group.claimed_in[m] if leads and may_count(group, m) else 0 for m in Consumer}),
        assignment=Map({m: group.assignment[m] if is_answered else Set() for m in Consumer}),
    )


def may_count(group: Group, member: Consumer) -> bool:
    """Whether an assignment may yet come of a member's claims."""
    return group.state == GroupState.COMPLETING_REBALANCE or (
        group.state == GroupState.PREPARING_REBALANCE and member in group.joined
    )


def commits_that_matter(s: Cluster) -> Set[Commit]:
    """The commits under way that a coordinator may yet accept."""
    return Set(sent for sent in s.commits if not is_doomed(s, sent))


def late_commit_that_matters(s: Cluster) -> Option[Commit]:
    """The commit that is late, if a coordinator may yet accept it."""
    late = s.late_commit
    return None if late is not None and is_doomed(s, late) else late


def is_doomed(s: Cluster, sent: Commit) -> bool:
    """Whether a commit was sent to a coordinator that may append nothing, or in a generation that is over."""
    return (fence_appends and sent.to < s.newest) or (
        fence_commits and sent.generation < loaded_group(s, sent.to).generation
    )


# --- members ----------------------------------------------------------------------------------------------------------


def pauses_that_matter(s: Cluster) -> Set[Consumer]:
    """Members that pause, and may be thrown out for it."""
    return Set(member for member in s.paused if s.phase[member] != Phase.OUT and may_be_thrown_out(s, member))


def may_be_thrown_out(s: Cluster, member: Consumer) -> bool:
    """Whether the coordinator with which a consumer speaks has it as a member, or may have it as one as soon as its
    JoinGroup arrives."""
    return member in loaded_group(s, s.talks_to[member]).members or (
        s.phase[member] == Phase.JOINING and s.generation[member] == 0 and s.answers[member] is None
    )


def what_is_owned(s: Cluster, member: Consumer) -> Set[Partition]:
    """What was assigned to a consumer, and it has not given up. Who is out and pauses gives it up before all else; who
    is out and owns something did not forget it when it was lost (KAFKA-12983)."""
    return Set() if has_left_in_a_pause(s, member) else s.owned[member]


def where(s: Cluster, member: Consumer, partition: Partition) -> int:
    """Up to where a consumer has processed what it owns."""
    return 0 if has_left_in_a_pause(s, member) and commit_what_is_owned else s.position[member][partition]


def has_left_in_a_pause(s: Cluster, member: Consumer) -> bool:
    """Whether a consumer's heartbeat thread has left the group on its behalf, and it does not know."""
    return s.phase[member] == Phase.OUT and member in s.paused


def what_it_does(s: Cluster, member: Consumer) -> Phase:
    """What a client is doing: one that is in no group joins."""
    return Phase.JOINING if s.phase[member] == Phase.OUT else s.phase[member]
