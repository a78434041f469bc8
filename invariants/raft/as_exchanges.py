"""Raft message by message (`messages=n`), claimed to be Raft with an exchange in one step (`messages=0`): one model,
and two values of one constant.

An exchange is taken for done when its request is answered. So a vote counts once it is given, which the ghost `ballots`
remembers, and what a follower has said of its log is known to the leader at once, which the ghost `acknowledged`
remembers; the answer on its way stutters.

What an exchange in one step leaves out are messages that are late: whoever sent one would no longer send it. With
`timely` there is none, and the claim holds; without it, it does not.
"""

from __future__ import annotations

from ...language import Bag, Map, Seq, Set, bound, constant, refines, replace
from ...model import raft
from ...model.raft.cluster import Cluster, Index, Kind, Message, NextIndex, Role, Server, max_term
from ...model.raft.protocol import append_request, vote_request
from ...model.raft.snapshots import snapshot_request

timely = constant(False, says="no message is late: its sender would send it still, and is heard first")

modules = raft.modules
profiles = raft.profiles
view = raft.view


@refines(raft, messages=0)
def as_exchanges(s: Cluster) -> Cluster:
    """With no message in flight, each exchange is one step."""
    return replace(
        s,
        network=Bag(),
        sent_snapshot=Map({term: Seq() for term in range(max_term + 1)}),
        votes_granted=Map({candidate: votes(s, candidate) for candidate in Server}),
        match_index=Map({leader: Map({at: known_match(s, leader, at) for at in Server}) for leader in Server}),
        next_index=Map({leader: Map({at: next_to_send(s, leader, at) for at in Server}) for leader in Server}),
    )


def votes(s: Cluster, candidate: Server) -> Set[Server]:
    """Who has voted for a candidate in its term, whether it has heard so or not."""
    if s.role[candidate] != Role.CANDIDATE:
        return s.votes_granted[candidate]
    return Set(voter for voter in Server if s.ballots[s.current_term[candidate]][voter] == candidate)


def known_match(s: Cluster, leader: Server, follower: Server) -> Index:
    """Up to where a follower has said that its log agrees with the leader's."""
    if s.role[leader] != Role.LEADER or follower == leader:
        return s.match_index[leader][follower]
    return s.acknowledged[s.current_term[leader]][follower]


def next_to_send(s: Cluster, leader: Server, follower: Server) -> NextIndex:
    """The entry that a leader sends next to a follower, as soon as that one has answered."""
    agreed = known_match(s, leader, follower)
    if s.role[leader] != Role.LEADER or follower == leader:
        return s.next_index[leader][follower]
    if agreed > 0:
        return agreed + 1
    return (
        max(1, s.next_index[leader][follower] - 1)
        if has_failed(s, leader, follower)
        else s.next_index[leader][follower]
    )


def has_failed(s: Cluster, leader: Server, follower: Server) -> bool:
    """Whether a follower's answer that the logs do not agree is on its way to the leader."""
    return any(
        message.kind == Kind.APPEND_REPLY
        and message.source == follower
        and message.to == leader
        and message.term == s.current_term[leader]
        and not message.success
        for message in s.network
    )


@bound
def no_message_is_late(s: Cluster) -> bool:
    """With `timely`, the search ends where a message is in flight that its sender would no longer send."""
    return not timely or all(is_timely(s, message) for message in s.network)


@bound
def nobody_commits_before_it_hears(before: Cluster, after: Cluster) -> bool:
    """With `timely`, a leader that calls entries committed while an answer is on its way to it is left out.

    In one step it knows all that was answered, and would call more committed.
    """
    return not timely or not any(
        after.commit_index[message.to] > before.commit_index[message.to] and message.kind == Kind.APPEND_REPLY
        for message in before.network
    )


def is_timely(s: Cluster, message: Message) -> bool:
    """Whether a message's sender is in its term, and would send the same request again."""
    sender = message.source
    if message.kind == Kind.VOTE_REQUEST:
        return s.role[sender] == Role.CANDIDATE and message == vote_request(s, sender, message.to)
    if message.kind == Kind.APPEND_REQUEST:
        return (
            s.role[sender] == Role.LEADER
            and s.next_index[sender][message.to] > s.snapshot[sender]
            and message == append_request(s, sender, message.to)
        )
    if message.kind == Kind.SNAPSHOT_REQUEST:
        return (
            s.role[sender] == Role.LEADER
            and s.next_index[sender][message.to] <= s.snapshot[sender]
            and message == snapshot_request(s, sender, message.to)
        )
    return message.term == s.current_term[sender]
