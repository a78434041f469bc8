"""A rebalance: members join, a generation begins, and its leader says who consumes what."""

from __future__ import annotations

from ...language import Map, Set, action, limit, replace, require
from ..parts.owned_partitions import Trust, claims_that_count
from .lumping import settle
from .members import append_offset, is_accepted
from .state import *


@action(kind="client")
def join(s: Cluster, member: Consumer) -> None:
    """{member} sends a JoinGroup, as a new member."""
    require(not lumped and s.phase[member] == Phase.OUT and member not in s.paused)
    s.phase[member] = Phase.JOINING


@action
def receive_join(s: Cluster, member: Consumer) -> None:
    """Coordinator {s.talks_to[member]} receives {member}'s JoinGroup: a rebalance is in preparation."""
    group = answers_to(s, member)
    require(is_here(group) and s.phase[member] == Phase.JOINING and s.answers[member] is None)
    require(member not in group.joined or member in group.given_up)
    require(s.generation[member] == 0 or member in group.members)
    s.groups[s.talks_to[member]] = joined_by(group, member, s.owned[member], claims_of(s, member))
    settle(s)


def joined_by(group: Group, member: Consumer, owned: Set[Partition], claimed_in: Generation) -> Group:
    """A group with a JoinGroup that waits for its answer: a rebalance is in preparation."""
    begun = group if group.state == GroupState.PREPARING_REBALANCE else clear_claims(group)
    counted: Set[Partition] = owned if cooperative else Set()
    return replace(
        begun,
        state=GroupState.PREPARING_REBALANCE,
        members=begun.members | {member},
        joined=begun.joined | {member},
        given_up=begun.given_up - {member},
        claims=Map({m: counted if m == member else begun.claims[m] for m in Consumer}),
        claimed_in=Map({m: claimed_in if m == member else begun.claimed_in[m] for m in Consumer}),
    )


def clear_claims(group: Group) -> Group:
    """A group in which nobody has joined, and nobody claims to own anything."""
    return replace(
        group, joined=Set(), given_up=Set(), claims=nobody(), claimed_in=Map({member: 0 for member in Consumer})
    )


@action
def refuse_join(s: Cluster, member: Consumer) -> None:
    """Coordinator {s.talks_to[member]} does not know {member}: UNKNOWN_MEMBER_ID."""
    group = answers_to(s, member)
    require(is_here(group) and s.phase[member] == Phase.JOINING and s.answers[member] is None)
    require(member not in s.paused and s.generation[member] > 0 and member not in group.members)
    lose(s, member)
    settle(s)


@action
def begin_generation(s: Cluster, coordinator: Coordinator, leader: Consumer) -> None:
    """All have joined coordinator {coordinator}: it answers them, and {leader} is the group's leader."""
    group = s.groups[coordinator]
    require(group.state == GroupState.PREPARING_REBALANCE and len(group.members) > 0)
    require(group.members <= group.joined and leader in group.joined)
    require(group.leader == leader or group.leader is None)
    limit(group.generation < max_generation)
    for member in Consumer:
        if is_answered(s, group, coordinator, member):
            s.answers[member] = Answer(generation=group.generation + 1, partitions=Set())
    if coordinator == s.newest:
        s.old = Set()
    s.groups[coordinator] = replace(
        group,
        state=GroupState.COMPLETING_REBALANCE,
        generation=group.generation + 1,
        joined=Set(),
        given_up=Set(),
        leader=leader,
        assignment=Map({member: Set() for member in Consumer}),
    )
    settle(s)


def is_answered(s: Cluster, group: Group, coordinator: Coordinator, member: Consumer) -> bool:
    """Whether a member still waits for the answer to the JoinGroup that a coordinator has of it."""
    return (
        member in group.joined
        and member not in group.given_up
        and s.talks_to[member] == coordinator
        and s.phase[member] == Phase.JOINING
    )


@action
def take_join_answer(s: Cluster, member: Consumer) -> None:
    """{member} learns its generation, and sends a SyncGroup."""
    answer = s.answers[member]
    require(s.phase[member] == Phase.JOINING and member not in s.paused and answer is not None)
    if answer is not None:
        s.generation[member] = answer.generation
    s.phase[member] = Phase.SYNCING
    s.answers[member] = None


# --- the assignment ---------------------------------------------------------------------------------------------------


def divide_assignment(group: Group, target: Map[Partition, Consumer]) -> Assignment:
    """What the group's leader makes of an assignment. Eager, it is that. Cooperative, nobody is given what another
    owns; and where all claims are believed, whoever claims a partition keeps it."""
    return Map(
        {
            member: Set(
                p
                for p in Partition
                if (target[p] == member and all(not owns(group, m, p) for m in group.members - {member}))
                or (trust == Trust.ALL and member in group.members and p in group.claims[member])
            )
            for member in Consumer
        }
    )


def owns(group: Group, member: Consumer, partition: Partition) -> bool:
    """Whether the leader believes that a member owns a partition."""
    claimants = Set(m for m in Consumer if partition in group.claims[m])
    highest = max(group.claimed_in[m] for m in Consumer)
    return member in claims_that_count(claimants, group.claimed_in, highest, trust)


def is_balanced(group: Group, target: Map[Partition, Consumer]) -> bool:
    """Whether an assignment is to members, and none has more than its share, rounded up."""
    return all(
        target[p] in group.members
        and sum(1 for q in Partition if target[q] == target[p]) * len(group.members) < partitions + len(group.members)
        for p in Partition
    )


@action
def assign(s: Cluster, member: Consumer, target: Map[Partition, Consumer]) -> None:
    """The leader {member} sends the assignment {target}, and the coordinator appends it."""
    group = answers_to(s, member)
    require(s.phase[member] == Phase.SYNCING and s.answers[member] is None and member not in s.paused)
    require(group.state == GroupState.COMPLETING_REBALANCE and group.leader == member)
    require(counts(group, member, s.generation[member]) and is_balanced(group, target))
    append_group(s, s.talks_to[member], group.members, divide_assignment(group, target))


def append_group(s: Cluster, coordinator: Coordinator, members: Set[Consumer], assignment: Assignment) -> None:
    """A coordinator appends the group to the log."""
    append(s, coordinator)
    s.group_lines[last(s.log)] = GroupLine(
        by=coordinator, generation=s.groups[coordinator].generation, members=members, assignment=assignment
    )


@action
def answer_sync(s: Cluster, member: Consumer) -> None:
    """The coordinator answers {member}'s SyncGroup: it has {answers_to(s, member).assignment[member]}."""
    group = answers_to(s, member)
    require(s.phase[member] == Phase.SYNCING and s.answers[member] is None)
    require(group.state == GroupState.STABLE and counts(group, member, s.generation[member]))
    s.answers[member] = Answer(generation=group.generation, partitions=group.assignment[member])


@action
def take_assignment(s: Cluster, member: Consumer) -> None:
    """{member} takes what was assigned to it, and fetches the committed offsets."""
    answer = s.answers[member]
    group = answers_to(s, member)
    require(s.phase[member] == Phase.SYNCING and member not in s.paused and answer is not None and is_here(group))
    require(s.generation[member] > 0)
    s.answers[member] = None
    if answer is not None:
        revoked = s.owned[member] - answer.partitions
        s.phase[member] = Phase.JOINING if len(revoked) > 0 else Phase.RUNNING
        s.position[member] = Map({p: begin(s, member, answer.partitions, group.offsets, p) for p in Partition})
        s.owned[member] = answer.partitions
        s.assigned_in[member] = answer.generation if cooperative and not claims_name_what_is_joined else 0


def begin(s: Cluster, member: Consumer, assigned: Set[Partition], offsets: Offsets, partition: Partition) -> Offset:
    """Where a member goes on: what is new to it, where the committed offset is."""
    if partition in assigned - s.owned[member]:
        return offsets[partition]
    return s.position[member][partition] if partition in assigned or not commit_what_is_owned else 0


@action
def join_again(s: Cluster, member: Consumer) -> None:
    """{member} finds that its heartbeat thread has left the group, and is in none."""
    require(leave_in_rebalances and rejoin_when_cleared)
    require(s.phase[member] == Phase.SYNCING and member not in s.paused and s.generation[member] == 0)
    lose(s, member)
    settle(s)


@action
def refuse_sync(s: Cluster, member: Consumer) -> None:
    """{member}'s SyncGroup is refused: a rebalance is under way, or it is none of the members."""
    group = answers_to(s, member)
    require(s.phase[member] == Phase.SYNCING and s.answers[member] is None and member not in s.paused)
    require(is_here(group))
    require(not counts(group, member, s.generation[member]) or group.state == GroupState.PREPARING_REBALANCE)
    if counts(group, member, s.generation[member]):
        s.phase[member] = Phase.JOINING
    else:
        lose(s, member)
    settle(s)


@action(kind="fault")
def sync_is_cut_off(s: Cluster, member: Consumer) -> None:
    """KAFKA-5154: {member}'s SyncGroup is cut off, and it goes on to consume what it has revoked."""
    require(not rejoin_until_synced and s.phase[member] == Phase.SYNCING and member not in s.paused)
    s.phase[member] = Phase.RUNNING
    s.answers[member] = None


# === Requests that are late: their sender has given them up, and they arrive nevertheless, or never ===================


@action(kind="fault", budget="delays")
def delay_join(s: Cluster, member: Consumer) -> None:
    """{member}'s JoinGroup does not arrive in time; it sends another.

    It has a member id: from 2.2 on (KIP-394) a JoinGroup without one makes nobody a member.
    """
    require(delays > 0 and s.phase[member] == Phase.JOINING and s.answers[member] is None and member not in s.paused)
    require(s.late is None and s.generation[member] > 0 and member not in answers_to(s, member).joined)
    s.late = Late(
        source=member,
        to=s.talks_to[member],
        is_join=True,
        generation=s.generation[member],
        owned=s.owned[member],
        claimed_in=claims_of(s, member),
    )


@action
def receive_late_join(s: Cluster) -> None:
    """A coordinator receives the JoinGroup that is late: its sender counts as one that has joined.

    Where another of its JoinGroups waits, the late one takes its place, and the answer reaches nobody.
    """
    sent = s.late
    require(delays > 0 and sent is not None)
    assert sent is not None
    group = s.groups[sent.to]
    require(sent.is_join and is_here(group) and sent.source in group.members and is_news(group, sent))
    begun = joined_by(group, sent.source, sent.owned, sent.claimed_in)
    s.groups[sent.to] = replace(begun, given_up=begun.given_up | {sent.source})
    s.late = None


def is_news(group: Group, sent: Late) -> bool:
    """Whether a JoinGroup begins a rebalance, or takes part in one: a stable group goes on when a member that is not
    its leader says what it said before, and so does one that waits for the assignment. What a cooperative member says
    has its generation. Kafka loads who leads a group, and this model does not: of a group
    that was loaded, a late JoinGroup of its leader is left out."""
    return (
        group.state == GroupState.PREPARING_REBALANCE
        or cooperative
        or (group.state == GroupState.STABLE and group.leader == sent.source)
    )


@action(kind="fault", budget="delays")
def delay_sync(s: Cluster, member: Consumer) -> None:
    """{member}'s SyncGroup does not arrive in time; it joins again."""
    require(delays > 0 and s.phase[member] == Phase.SYNCING and s.answers[member] is None and member not in s.paused)
    require(s.late is None and s.generation[member] > 0)
    s.late = Late(
        source=member,
        to=s.talks_to[member],
        is_join=False,
        generation=s.generation[member],
        owned=s.owned[member],
        claimed_in=claims_of(s, member),
    )
    s.phase[member] = Phase.JOINING


@action
def receive_late_sync(s: Cluster, target: Map[Partition, Consumer]) -> None:
    """A coordinator receives the leader's SyncGroup that is late, with the assignment {target}, and appends it."""
    sent = s.late
    require(delays > 0 and sent is not None)
    assert sent is not None
    group = s.groups[sent.to]
    require(not sent.is_join and group.state == GroupState.COMPLETING_REBALANCE and group.leader == sent.source)
    require(counts(group, sent.source, sent.generation) and is_balanced(group, target))
    append_group(s, sent.to, group.members, divide_assignment(group, target))
    s.late = None


@action
def lose_late_request(s: Cluster) -> None:
    """The request that is late never arrives, is refused, or is answered to nobody."""
    require(delays > 0 and s.late is not None)
    s.late = None


# --- OffsetCommits ----------------------------------------------------------------------------------------------------


@action(kind="fault", budget="delays")
def delay_commit(s: Cluster, commit: Commit) -> None:
    """{commit.source}'s commit of offset {commit.offset} does not arrive in time; it goes on without an answer.

    The connection is lost, and the next commits go by another one.
    """
    require(delays > 0 and s.late_commit is None)
    s.commits.remove(commit)
    s.late_commit = commit
    settle(s)


@action
def accept_late_commit(s: Cluster) -> None:
    """A coordinator appends the offset of the commit that is late.

    Nothing in it says that it is an old one: it has an id and a generation, which its sender's next commits have, too.
    """
    sent = s.late_commit
    require(delays > 0 and sent is not None)
    assert sent is not None
    require(is_accepted(s.groups[sent.to], sent))
    append_offset(s, sent)
    s.late_commit = None


@action
def lose_late_commit(s: Cluster) -> None:
    """The commit that is late never arrives, or is refused."""
    require(delays > 0 and s.late_commit is not None)
    s.late_commit = None
