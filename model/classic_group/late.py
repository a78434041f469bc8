"""Requests that are late: their sender has given them up, and they arrive nevertheless, or never."""

from __future__ import annotations

from ...language import Map, action, replace, require
from .joining import append_group, divided, is_balanced, joined_by
from .lumping import settle
from .members import append_offset, is_accepted
from .state import (
    Cluster,
    Commit,
    Consumer,
    Group,
    GroupState,
    Late,
    Partition,
    Phase,
    answers_to,
    claims_of,
    cooperative,
    counts,
    delays,
    is_here,
)


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
    append_group(s, sent.to, group.members, divided(group, target))
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
