"""What happens to the group: members join, leave, pause and die, and partitions are shared out."""

from __future__ import annotations

from ...language import Map, Set, action, limit, require
from ..parts.generations import max_generation, may_be_shared
from .offsets import commit_positions, forget, has_committed, has_time, is_current, lose_position
from .state import (
    Commits,
    Consuming,
    Member,
    Partition,
    Phase,
    Reset,
    any_coordinator,
    commit_losses,
    commits,
    commits_on_revoke,
    crashes,
    exceptions,
    hands_over,
    pauses,
    reset,
    retried_commits,
)


@action(kind="client")
def start_member(s: Consuming, member: Member) -> None:
    """{member} starts, and joins the group."""
    require(s.phase[member] == Phase.OUT and member not in s.group)
    limit(s.generation < max_generation)
    join(s, member)


def join(s: Consuming, member: Member) -> None:
    """A member joins a rebalance, in which it has no partition."""
    s.phase[member] = Phase.JOINING
    s.group.add(member)
    s.joined.add(member)
    s.rebalancing = True
    forget(s, member)


@action
def rejoin(s: Consuming, member: Member) -> None:
    """{member} learns of the rebalance in a poll, commits by its settings, and joins."""
    require(s.phase[member] == Phase.RUNNING and is_current(s, member) and s.rebalancing and has_time(s, member))
    require(has_committed(s, member))
    if commits == Commits.AUTO or (commits_on_revoke and not hands_over):
        commit_positions(s, member)
    join(s, member)


@action(kind="fault", budget="commit_losses")
def lose_commit(s: Consuming, member: Member) -> None:
    """A commit of {member} fails, after processing or before a rebalance, and the member goes on."""
    require(commit_losses > 0)
    require(s.phase[member] == Phase.RUNNING and is_current(s, member) and has_time(s, member))
    require(member in s.owing or (commits == Commits.AUTO and s.rebalancing))
    s.owing.discard(member)
    if commits == Commits.AUTO:
        join(s, member)


@action(kind="fault", budget="retried_commits")
def fail_commit(s: Consuming, member: Member) -> None:
    """{member}'s automatic commit before a rebalance fails for now: its background thread will send it again."""
    require(retried_commits > 0 and any_coordinator and commits == Commits.AUTO)
    require(s.phase[member] == Phase.RUNNING and has_time(s, member) and len(s.owned[member]) > 0)
    s.retrying.add(member)


@action
def notice(s: Consuming, member: Member) -> None:
    """{member} learns that it is not a member any more, and joins anew."""
    require(pauses > 0)
    require(s.phase[member] == Phase.RUNNING and not is_current(s, member) and has_time(s, member))
    limit(s.generation < max_generation)
    join(s, member)


@action
def begin_generation(s: Consuming, owner: Map[Partition, Member]) -> None:
    """All members have joined: a generation begins, in which partitions are shared out evenly."""
    require(s.rebalancing and s.joined == s.group and len(s.group) > 0)
    require(all(owner[partition] in s.group for partition in Partition))
    require(all(share(owner, a) <= share(owner, b) + 1 for a in s.group for b in s.group))
    shares = Map({m: Set(p for p in Partition if owner[p] == m and p in s.present) for m in Member})
    require(may_be_shared(s.group, s.owned, shares))
    limit(s.generation < max_generation)
    s.generation += 1
    s.rebalancing = False
    s.joined = Set()
    for member in Member:
        if member in s.group:
            s.phase[member] = Phase.RUNNING
            s.known[member] = s.generation
            s.owned[member] = shares[member]


@action
def be_given(s: Consuming, member: Member, partition: Partition) -> None:
    """{member} is given {partition}, whoever else has it."""
    require(any_coordinator and s.phase[member] == Phase.RUNNING and partition in s.present - s.owned[member])
    s.owned[member].add(partition)


@action
def be_taken(s: Consuming, member: Member, partition: Partition) -> None:
    """{partition} is taken from {member}, which goes on with what it has in hand of it."""
    require(any_coordinator and s.phase[member] == Phase.RUNNING and partition in s.owned[member])
    s.owned[member].remove(partition)
    lose_position(s, member, partition)


def share(owner: Map[Partition, Member], member: Member) -> int:
    """How many partitions a member gets."""
    return sum(1 for partition in Partition if owner[partition] == member)


def remove(s: Consuming, member: Member) -> None:
    """The coordinator takes a member for gone."""
    s.group.remove(member)
    s.joined.discard(member)
    s.rebalancing = len(s.group) > 0


@action(kind="fault", budget="crashes")
def crash(s: Consuming, member: Member) -> None:
    """{member}'s process dies, with what it had in hand."""
    require(crashes > 0)
    require(s.phase[member] in (Phase.JOINING, Phase.RUNNING))
    stop(s, member, Phase.OUT)


def stop(s: Consuming, member: Member, phase: Phase) -> None:
    """A member runs no more."""
    s.phase[member] = phase
    forget(s, member)
    for partition in Partition:
        s.in_hand[member][partition] = Set()


@action
def session_times_out(s: Consuming, member: Member) -> None:
    """{member} is gone, and the coordinator throws it out."""
    require(crashes > 0 or reset == Reset.NONE)
    require(member in s.group and s.phase[member] in (Phase.OUT, Phase.STOPPED))
    remove(s, member)


@action(kind="fault", budget="pauses")
def pause(s: Consuming, member: Member) -> None:
    """{member} pauses, or processes for longer than max.poll.interval.ms: it is thrown out, and does not know."""
    require(pauses > 0)
    require(member in s.group and s.phase[member] == Phase.RUNNING)
    remove(s, member)


@action(kind="fault", budget="exceptions")
def fail(s: Consuming, member: Member) -> None:
    """Processing fails in {member}, which closes its consumer: it commits by its settings, and leaves."""
    require(exceptions > 0)
    require(s.phase[member] == Phase.RUNNING and any(len(s.in_hand[member][p]) > 0 for p in Partition))
    if commits == Commits.AUTO:
        commit_positions(s, member)
    if is_current(s, member):
        remove(s, member)
    stop(s, member, Phase.OUT)
