"""A group's coordinator as its members see it: generations that share out partitions, and commits that count or not.

It has no JoinGroup, no SyncGroup, no heartbeat and no log. Whom the coordinator takes for members is open: it may throw
out who is there, and a coordinator that has failed over may have one back whom the one before had thrown out. A
generation gives each partition to one of those who hear of it at most, and what one of them has still, to nobody else;
who does not hear of it goes on with what it had, as a zombie. A commit says the generation that its sender takes for
the group's, and counts if its sender is a member and that is the group's: then an offset is appended, which is kept or,
if the coordinator fails before it answers, may not be.

Eager members have nothing while they join, and what they are given from the moment at which a generation begins.
Cooperative ones (`keeps_on`, KIP-429) go on with what they have: they hear of a generation before it begins, commit
with it, which counts before it begins, too, and its shares wait until they take them; what a member has to revoke is
its own until then, and goes to nobody before the next generation.

The rules are in `model/parts/generations.py`. `consumer` stands on them; `classic_group_as_generations` is the claim
that Kafka's classic coordinator, with fail-overs, members that pause and its log, does nothing else, with eager members
and with cooperative ones (docs/refinement.md). The properties are in `invariants/generations.py`. That a generation
begins at all, and how many partitions a member is given, is not said.
"""

from __future__ import annotations

from typing import Annotated

from ..language import Capacity, Map, Range, Set, action, constant, initial, limit, record, require, state, terminal
from .parts.generations import *

reach = constant(1, minimum=1, maximum=3, says="the highest offset that is committed")
under_way = constant(2, minimum=1, maximum=3, says="commits under way at a time")
keeps_on = constant(False, says="cooperative members: they keep what they have while they join")

Offset = Annotated[int, Range(0, reach)]


@record
class Commit:
    """A commit under way."""

    source: Consumer
    generation: Generation  # which its sender took for the group's
    partition: Partition
    offset: Offset


@state
class Group:
    """The group as its coordinator has it, and what each client takes for its own."""

    members: Set[Consumer]  # who counts as a member
    generation: Generation  # the group's generation
    known: Map[Consumer, Generation]  # the generation that each takes for the group's; 0: none
    owned: Assignment  # the partitions that each takes for its own
    awaited: Assignment  # the share of a generation that each has yet to take
    awaited_in: Map[Consumer, Generation]  # and the generation; 0: it awaits none
    commits: Annotated[Set[Commit], Capacity(under_way)]  # under way
    appended: Map[Partition, Offset]  # the offset that was accepted last; 0: none
    offset: Map[Partition, Offset]  # what is kept of that, whatever happens


@initial
def start() -> Group:
    """Nobody is a member."""
    return Group(
        members=Set(),
        generation=0,
        known=Map({member: 0 for member in Consumer}),
        owned=Map({member: Set() for member in Consumer}),
        awaited=Map({member: Set() for member in Consumer}),
        awaited_in=Map({member: 0 for member in Consumer}),
        commits=Set(),
        appended=Map({partition: 0 for partition in Partition}),
        offset=Map({partition: 0 for partition in Partition}),
    )


@action
def change(s: Group, members: Set[Consumer], gone: Set[Consumer], unheard: Set[Consumer]) -> None:
    """The coordinator takes {members} for members; {gone} have nothing any more, and {unheard} await nothing."""
    require(keeps_on or len(unheard) == 0)
    require(may_be_taken(s, members))
    s.members = members
    give_up(s, gone)
    await_nothing(s, gone | unheard)


def give_up(s: Group, gone: Set[Consumer]) -> None:
    """Some have nothing any more: they revoke it, lose it, or die."""
    s.known = Map({member: 0 if member in gone else s.known[member] for member in Consumer})
    s.owned = Map({member: Set() if member in gone else s.owned[member] for member in Consumer})


def await_nothing(s: Group, gone: Set[Consumer]) -> None:
    """Some will not learn what a generation gives them."""
    s.awaited = Map({member: Set() if member in gone else s.awaited[member] for member in Consumer})
    s.awaited_in = Map({member: 0 if member in gone else s.awaited_in[member] for member in Consumer})


@action
def drift(s: Group, members: Set[Consumer], member: Consumer, unheard: Set[Consumer]) -> None:
    """{member} knows no generation, and keeps what it has; the members are {members}, and {unheard} await nothing.

    The coordinator takes them for members."""
    require(keeps_on and may_be_taken(s, members))
    s.members = members
    s.known[member] = 0
    await_nothing(s, unheard)


@action
def begin_generation(
    s: Group, generation: Generation, members: Set[Consumer], heard: Set[Consumer], share: Assignment
) -> None:
    """Generation {generation} begins, of {members}; {heard} hear of it, and are given {share}."""
    require(generation > s.generation and all(member in heard or len(share[member]) == 0 for member in Consumer))
    near = heard | Set(m for m in members if s.known[m] == generation)
    require(may_be_shared(near, s.owned, share))
    require(all(a == b or len(s.owned[a] & s.owned[b]) == 0 for a in near for b in near))
    s.generation = generation
    s.members = members
    if keeps_on:
        s.awaited = Map({member: share[member] if member in heard else s.awaited[member] for member in Consumer})
        s.awaited_in = Map({member: generation if member in heard else s.awaited_in[member] for member in Consumer})
    else:
        s.known = Map({member: generation if member in heard else s.known[member] for member in Consumer})
        s.owned = Map({member: share[member] if member in heard else s.owned[member] for member in Consumer})


@action
def hear(s: Group, member: Consumer, generation: Generation) -> None:
    """{member} hears of generation {generation}, and goes on with what it has until it knows what that gives it."""
    require(keeps_on and generation > 0 and generation != s.known[member])
    require(generation != s.generation or member not in s.members or is_awaited(s, member) or has_its_own(s, member))
    s.known[member] = generation


def is_awaited(s: Group, member: Consumer) -> bool:
    """Whether a member awaits its share of the group's generation."""
    return s.awaited_in[member] == s.generation


def may_be_taken(s: Group, members: Set[Consumer]) -> bool:
    """Whether a coordinator may take these for members: whoever comes back in the group's generation has its own."""
    return not keeps_on or all(m in s.members or s.known[m] != s.generation or has_its_own(s, m) for m in members)


def has_its_own(s: Group, member: Consumer) -> bool:
    """Whether nobody else of the group's generation has what a member has, or will have it."""
    return all(
        other == member
        or (s.known[other] != s.generation and s.awaited_in[other] != s.generation)
        or len(s.owned[member] & (s.owned[other] | s.awaited[other])) == 0
        for other in Consumer
    )


@action
def take_share(s: Group, member: Consumer) -> None:
    """{member} takes {s.awaited[member]}, which generation {s.awaited_in[member]} gives it, and revokes all else."""
    require(keeps_on and s.awaited_in[member] > 0 and s.awaited_in[member] == s.known[member])
    s.owned[member] = s.awaited[member]
    s.awaited[member] = Set()
    s.awaited_in[member] = 0


@action(kind="client")
def commit(s: Group, member: Consumer, partition: Partition, offset: Offset) -> None:
    """{member} commits offset {offset} of {partition}."""
    require(partition in s.owned[member])
    limit(len(s.commits) < under_way)
    s.commits.add(Commit(source=member, generation=s.known[member], partition=partition, offset=offset))


def counts(s: Group, sent: Commit) -> bool:
    """Whether a commit counts: it is of a member, and says the group's generation; or one that its sender has heard
    of, and that has not begun, while nobody else of the group's has the partition."""
    return is_current(s.members, s.generation, sent.source, sent.generation) or (
        keeps_on
        and sent.source in s.members
        and sent.generation > s.generation
        and all(other == sent.source or not has_it(s, other, sent.partition) for other in Consumer)
    )


def has_it(s: Group, member: Consumer, partition: Partition) -> bool:
    """Whether a member of the group's generation has a partition, or will have it."""
    return (is_current(s.members, s.generation, member, s.known[member]) and partition in s.owned[member]) or (
        is_current(s.members, s.generation, member, s.awaited_in[member])
        and partition in s.owned[member] | s.awaited[member]
    )


@action
def accept_commit(s: Group, sent: Commit) -> None:
    """{sent.source}'s commit counts: offset {sent.offset} of {sent.partition} is appended."""
    require(sent in s.commits and counts(s, sent))
    s.commits.remove(sent)
    s.appended[sent.partition] = sent.offset


@action
def refuse_commit(s: Group, sent: Commit) -> None:
    """{sent.source}'s commit is refused, or nobody answers."""
    require(sent in s.commits)
    s.commits.remove(sent)


@action
def keep_offsets(s: Group, members: Set[Consumer]) -> None:
    """What was appended is kept, whoever coordinates; the coordinator takes {members} for members."""
    require(may_be_taken(s, members))
    s.offset = s.appended
    s.members = members


@action(kind="fault")
def lose_append(s: Group, members: Set[Consumer]) -> None:
    """The coordinator fails, and what was appended last is not kept; the next one takes {members} for members."""
    require(may_be_taken(s, members))
    s.appended = s.offset
    s.members = members


@terminal
def last_generation(s: Group) -> bool:
    """The last generation has begun."""
    return s.generation == max_generation
