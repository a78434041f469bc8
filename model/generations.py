"""A group's coordinator as its members see it: generations that share out partitions, and commits that count or not.

It has no JoinGroup, no SyncGroup, no heartbeat and no log. Whom the coordinator takes for members is open: it may throw
out who is there, and a coordinator that has failed over may have one back whom the one before had thrown out. A
generation gives each partition to one of those who hear of it at most, and what one of them has still, to nobody else;
who does not hear of it goes on with what it had, as a zombie. A commit says the generation that its sender takes for
the group's, and counts if its sender is a member and that is the group's: then an offset is appended, which is kept or,
if the coordinator fails before it answers, may not be.

The rules are in `parts/generations.py`. `consumer` stands on them; `classic_group_as_generations` is the claim that
Kafka's classic coordinator, with fail-overs, members that pause and its log, does nothing else while its members are
eager (docs/refinement.md). The properties are in `invariants/generations.py`. That a generation begins at all, and how
many partitions a member is given, is not said.
"""

from __future__ import annotations

from typing import Annotated

from ..language import Capacity, Map, Range, Set, action, constant, initial, limit, record, require, state, terminal
from .parts.generations import (
    Assignment,
    Consumer,
    Generation,
    Partition,
    is_current,
    max_generation,
    may_be_shared,
)

reach = constant(1, minimum=1, maximum=3, says="the highest offset that is committed")
under_way = constant(2, minimum=1, maximum=3, says="commits under way at a time")

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
        commits=Set(),
        appended=Map({partition: 0 for partition in Partition}),
        offset=Map({partition: 0 for partition in Partition}),
    )


@action
def change(s: Group, members: Set[Consumer], gone: Set[Consumer]) -> None:
    """The coordinator takes {members} for members; {gone} have nothing any more."""
    s.members = members
    give_up(s, gone)


def give_up(s: Group, gone: Set[Consumer]) -> None:
    """Some have nothing any more: they revoke it, lose it, or die."""
    s.known = Map({member: 0 if member in gone else s.known[member] for member in Consumer})
    s.owned = Map({member: Set() if member in gone else s.owned[member] for member in Consumer})


@action
def begin_generation(
    s: Group, generation: Generation, members: Set[Consumer], heard: Set[Consumer], share: Assignment
) -> None:
    """Generation {generation} begins, of {members}; {heard} hear of it, and have {share}."""
    require(generation > s.generation)
    require(may_be_shared(heard, s.owned, share))
    s.generation = generation
    s.members = members
    s.known = Map({member: generation if member in heard else s.known[member] for member in Consumer})
    s.owned = Map({member: share[member] if member in heard else s.owned[member] for member in Consumer})


@action(kind="client")
def commit(s: Group, member: Consumer, partition: Partition, offset: Offset) -> None:
    """{member} commits offset {offset} of {partition}."""
    require(partition in s.owned[member])
    limit(len(s.commits) < under_way)
    s.commits.add(Commit(source=member, generation=s.known[member], partition=partition, offset=offset))


@action
def accept_commit(s: Group, sent: Commit) -> None:
    """{sent.source}'s commit counts: offset {sent.offset} of {sent.partition} is appended."""
    require(sent in s.commits and is_current(s.members, s.generation, sent.source, sent.generation))
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
    s.offset = s.appended
    s.members = members


@action(kind="fault")
def lose_append(s: Group, members: Set[Consumer]) -> None:
    """The coordinator fails, and what was appended last is not kept; the next one takes {members} for members."""
    s.appended = s.offset
    s.members = members


@terminal
def last_generation(s: Group) -> bool:
    """The last generation has begun."""
    return s.generation == max_generation
