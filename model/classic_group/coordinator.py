"""The coordinator and its log: what is appended, a fail-over, loading, and offsets that expire or are lost."""

from __future__ import annotations

from ...language import Set, action, limit, replace, require
from ..parts.replicated_logs import Entry, commit_entries, entries, may_commit, may_lose, with_losses
from .lumping import loads_at_once, settle
from .state import *


@action
def group_is_empty(s: Cluster) -> None:
    """The last member has gone: the coordinator appends that."""
    group = s.groups[s.newest]
    begun = group.generation + 1
    require(group.state == GroupState.PREPARING_REBALANCE and len(group.members) == 0)
    append(s, s.newest, within=begun <= max_generation)
    s.group_lines[last(s.log)] = GroupLine(by=s.newest, generation=begun, members=Set(), assignment=nobody())
    s.groups[s.newest] = replace(
        group, state=GroupState.EMPTY, generation=begun, joined=Set(), given_up=Set(), assignment=nobody()
    )
    s.old = Set()
    settle(s)


@action
def log_commits(s: Cluster, entry: Entry) -> None:
    """Record {entry} of the log is committed, and the coordinator that appended it goes on."""
    require(s.pending == entry and may_commit(s.log, Set({entry}), Set({entry})))
    s.log = commit_entries(s.log, Set({entry}), Set({entry}))
    s.pending = None
    compact(s, entry)
    new_group = s.group_lines[entry]
    new_offset = s.offset_lines[entry]
    if new_group is not None:
        group = s.groups[new_group.by]
        if group.state == GroupState.COMPLETING_REBALANCE and group.generation == new_group.generation:
            s.groups[new_group.by] = replace(group, state=GroupState.STABLE, assignment=new_group.assignment)
    if new_offset is not None:
        group = s.groups[new_offset.by]
        if is_here(group):
            s.groups[new_offset.by] = replace(group, offsets=with_offset(group.offsets, new_offset))
        s.confirmed[new_offset.partition] = new_offset.offset
        s.old.discard(new_offset.partition)
    settle(s)


def compact(s: Cluster, newest: Entry) -> None:
    """Records with the key of a newer one are removed; but where the newest are not what counts."""
    group = s.group_lines[newest]
    offset = s.offset_lines[newest]
    if load_newest:
        for entry in range(entries):
            if entry < newest:
                old = s.offset_lines[entry]
                if group is not None:
                    s.group_lines[entry] = None
                if offset is not None and old is not None and old.partition == offset.partition:
                    s.offset_lines[entry] = None


@action(kind="fault")
def fail_over(s: Cluster, survives: bool) -> None:
    """A new leader of the offsets' partition is the coordinator{', with the append under way' if survives else ''}."""
    require(s.pending is not None or not survives)
    limit(s.newest < failovers)
    pending = s.pending
    s.newest += 1
    s.pending = None
    if pending is not None:
        if survives:
            s.log = commit_entries(s.log, Set({pending}), Set())
            compact(s, pending)
            line = s.offset_lines[pending]
            if line is not None and line.offset == 0:
                s.confirmed[line.partition] = 0
        else:
            s.group_lines[pending] = None
            s.offset_lines[pending] = None
    settle(s)


@action
def load(s: Cluster) -> None:
    """Coordinator {s.newest} loads the group and its offsets from the log."""
    require(not lumped or not loads_at_once())
    require(not is_here(s.groups[s.newest]) and (load_newest or len(s.log.committed) == 0))
    s.groups[s.newest] = read(s, last(s.log))
    settle(s)


@action
def load_first_buffer(s: Cluster, end: Entry) -> None:
    """Coordinator {s.newest} loads what its first buffer holds, up to record {end}.

    KAFKA-5600: a group that is there is not replaced, so that what it reads after that counts for nothing.
    """
    require(not load_newest and not is_here(s.groups[s.newest]) and end in s.log.committed)
    s.groups[s.newest] = read(s, end)
    settle(s)


@action(kind="fault", budget="failed_loads")
def load_fails(s: Cluster) -> None:
    """Coordinator {s.newest} fails to load the log, takes it for loaded, and knows of no group and no offset."""
    require(failed_loads > 0 and not await_load and not is_here(s.groups[s.newest]))
    s.groups[s.newest] = nothing(GroupState.DEAD)
    settle(s)


@action
def resign(s: Cluster, coordinator: Coordinator) -> None:
    """Coordinator {coordinator} learns that it is one no longer, and forgets the group."""
    require(coordinator < s.newest and is_here(s.groups[coordinator]))
    s.groups[coordinator] = nothing(GroupState.NOT_HERE)
    settle(s)


@action
def find_coordinator(s: Cluster, member: Consumer) -> None:
    """{member} learns that its coordinator is one no longer, and finds coordinator {s.newest}."""
    require(member not in s.paused and s.talks_to[member] != s.newest and not is_here(answers_to(s, member)))
    s.talks_to[member] = s.newest
    s.answers[member] = None
    if s.phase[member] == Phase.SYNCING:
        s.phase[member] = Phase.JOINING
    settle(s)


@action(budget="expiries")
def retention_ends(s: Cluster, partition: Partition) -> None:
    """The retention of the offset of {partition} ends."""
    group = s.groups[s.newest]
    require(expiries > 0 and may_expire(s, group) and group.offsets[partition] > 0 and partition not in s.old)
    s.old.add(partition)


@action
def offset_expires(s: Cluster, partition: Partition) -> None:
    """The offset of {partition} expires: a tombstone is appended."""
    group = s.groups[s.newest]
    require(expiries > 0 and may_expire(s, group) and group.offsets[partition] > 0)
    require(partition in s.old or (not keep_loaded and group.state == GroupState.EMPTY and is_loaded(s, partition)))
    append(s, s.newest)
    s.offset_lines[last(s.log)] = OffsetLine(by=s.newest, partition=partition, offset=0)


def may_expire(s: Cluster, group: Group) -> bool:
    """Whether offsets of a group expire: nobody subscribes to their topic, as far as the coordinator knows."""
    return group.state == GroupState.EMPTY or (not expire_only_empty and is_joined_first(s, group))


def is_loaded(s: Cluster, partition: Partition) -> bool:
    """Whether the coordinator has a partition's offset from the log of one before it."""
    return all(not has_written(s, entry, partition) for entry in range(entries))


def has_written(s: Cluster, entry: Entry, partition: Partition) -> bool:
    """Whether that record is the partition's offset, and of the coordinator that there is now."""
    line = s.offset_lines[entry]
    return line is not None and line.partition == partition and line.by == s.newest


def is_joined_first(s: Cluster, group: Group) -> bool:
    """Whether a group that was empty is joined again, and has had no generation since."""
    return group.state == GroupState.PREPARING_REBALANCE and any(
        says_empty(s, entry, group.generation) for entry in range(entries)
    )


def says_empty(s: Cluster, entry: Entry, generation: Generation) -> bool:
    """Whether that record says that the group is empty, since that generation."""
    line = s.group_lines[entry]
    return line is not None and line.generation == generation and len(line.members) == 0


@action(kind="fault")
def lose_records(s: Cluster, gone: Set[Entry]) -> None:
    """The log loses records that it had acknowledged: {gone}."""
    require(len(gone) > 0 and gone != s.log.lost and may_lose(s.log, Set(), gone, True))
    s.log = with_losses(s.log, Set(), gone, True)
