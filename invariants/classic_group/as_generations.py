"""Kafka's classic coordinator, claimed to be what members may rely on (`model/generations.py`): who owns what, in which
generation, and which commits count. It is asked of eager members, and of cooperative ones (`keeps_on`).

The group's generation is the newest that the log has, since nobody is answered before; an offset is accepted when the
coordinator appends it. Who awaits an assignment that the coordinator has for it, has it already: it may be a zombie by
the time at which it takes it.
"""

from __future__ import annotations

from ...language import STUTTERS, Map, Set, bound, refines
from ...model import classic_group, generations
from ...model.classic_group import members
from ...model.classic_group.coordinator import fail_over, log_commits
from ...model.classic_group.state import *
from ...model.parts.replicated_logs import entries

modules = (*classic_group.modules, classic_group)
profiles = classic_group.profiles
view = classic_group.view


@bound
def an_id_that_is_lost_commits_nothing(before: Cluster, after: Cluster) -> bool:
    """A cooperative member's commit is left out that is accepted once its sender has lost its membership, and has
    joined anew. Its id would be another one, so that Kafka refuses the commit; here an id is whether somebody counts as
    a member. So is one whose sender has learned of an older generation since, from another coordinator: it was sent
    there before the JoinGroup, on one connection. No eager member is in either place. That an id was lost shows where
    the sender knows an older generation than it says, or has not what it commits, though that generation has not begun:
    a fail-over may give one number to two generations, and one that has not begun takes nothing away."""
    return not cooperative or all(
        sent in after.commits or after.pending == before.pending or not is_of_lost_id(before, sent)
        for sent in before.commits
    )


def is_of_lost_id(s: Cluster, sent: Commit) -> bool:
    """Whether the sender of a commit has lost the id with which it was sent."""
    return sent.generation > s.generation[sent.source] or (
        sent.generation > read(s, entries).generation and sent.partition not in s.owned[sent.source]
    )


@refines(
    generations,
    {
        members.process: STUTTERS,
        members.commit: generations.commit,
        members.accept_commit: generations.accept_commit,
        members.refuse_commit: generations.refuse_commit,
        log_commits: (generations.begin_generation, generations.keep_offsets),
        fail_over: (generations.begin_generation, generations.keep_offsets, generations.lose_append),
    },
    reach=records,
    under_way=3,
    keeps_on=cooperative,
)
def as_generations(s: Cluster) -> generations.Group:
    """Of the log there is to know which generation it has, and which offsets; of a member, what it consumes."""
    kept = read(s, entries)
    return generations.Group(
        members=newest(s).members & kept.members if is_here(newest(s)) else kept.members,
        generation=kept.generation,
        known=Map({member: known_generation(s, member) for member in Consumer}),
        owned=Map({member: owned_partitions(s, member) for member in Consumer}),
        awaited=Map({member: given_partitions(s, member) if cooperative else Set() for member in Consumer}),
        awaited_in=Map({member: given_in(s, member) if cooperative else 0 for member in Consumer}),
        commits=Set(
            generations.Commit(
                source=sent.source, generation=sent.generation, partition=sent.partition, offset=sent.offset
            )
            for sent in (s.commits if s.late_commit is None else s.commits | {s.late_commit})
        ),
        appended=offsets_with_append(s, kept.offsets),
        offset=kept.offsets,
    )


def offsets_with_append(s: Cluster, offsets: Offsets) -> Offsets:
    """The group's offsets, with one that is appended and not committed yet."""
    if s.pending is None:
        return offsets
    line = s.offset_lines[s.pending]
    return offsets if line is None else with_offset(offsets, line)


def known_generation(s: Cluster, member: Consumer) -> Generation:
    """The generation with which a member consumes; of an eager one, or will."""
    if cooperative or s.phase[member] == Phase.RUNNING:
        return s.generation[member]
    return given_in(s, member)


def owned_partitions(s: Cluster, member: Consumer) -> Set[Partition]:
    """What a member consumes; of an eager one, or will."""
    if cooperative or s.phase[member] == Phase.RUNNING:
        return consumes(s, member)
    return given_partitions(s, member)


def given_in(s: Cluster, member: Consumer) -> Generation:
    """The generation of which a member will learn what that gives it; 0: of none."""
    answer = s.answers[member]
    if s.phase[member] == Phase.SYNCING and answer is not None:
        return answer.generation
    return awaited_in(s, member) if is_assigned(answers_to(s, member), member, awaited_in(s, member)) else 0


def given_partitions(s: Cluster, member: Consumer) -> Set[Partition]:
    """What that gives it."""
    group = answers_to(s, member)
    answer = s.answers[member]
    if s.phase[member] == Phase.SYNCING and answer is not None:
        return answer.partitions
    return group.assignment[member] if is_assigned(group, member, awaited_in(s, member)) else Set()


def awaited_in(s: Cluster, member: Consumer) -> Generation:
    """The generation of which a member awaits its assignment; 0: of none."""
    answer = s.answers[member]
    if s.phase[member] == Phase.SYNCING:
        return s.generation[member]
    return answer.generation if s.phase[member] == Phase.JOINING and answer is not None else 0


def is_assigned(group: Group, member: Consumer, generation: Generation) -> bool:
    """Whether a coordinator has an assignment for a member that awaits that of this generation."""
    return generation > 0 and group.state == GroupState.STABLE and counts(group, member, generation)
