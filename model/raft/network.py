"""The same, message by message: each request and each reply is in flight until it arrives or is lost."""

from __future__ import annotations

from ...language import Set, action, limit, require
from .cluster import (
    Cluster,
    Kind,
    Message,
    Role,
    Server,
    check_quorum,
    duplicates,
    is_known,
    losses,
    lossy_restart,
    members,
    messages,
    reads,
    send_fsync,
)
from .election import grants, vote_request
from .log import append_reply, append_request, commit_term_after, end_of, log_after, synced_after
from .reads import read_after

# --- messages in flight -----------------------------------------------------------------------------------------------


@action
def send_vote_request(s: Cluster, candidate: Server, voter: Server) -> None:
    """{candidate} sends {voter} a request for its vote in term {s.current_term[candidate]}."""
    require(messages > 0 and s.role[candidate] == Role.CANDIDATE)
    require(voter not in s.votes_granted[candidate] and voter in members(s, candidate))
    request = vote_request(s, candidate, voter)
    limit(len(s.network) < messages and request not in s.network)
    s.network.add(request)


@action
def receive_vote_request(s: Cluster, request: Message) -> None:
    """{request.to} answers {request.source}'s request for its vote in term {request.term}."""
    require(messages > 0 and request.kind == Kind.VOTE_REQUEST)
    require(request.term <= s.current_term[request.to] and is_known(s, request.to))
    term = s.current_term[request.to]
    granted = request.term == term and grants(s, request)
    s.network.remove(request)
    if granted:
        s.voted_for[request.to] = request.source
        s.ballots[term][request.to] = request.source
    if granted or request.term < term:
        s.network.add(Message(kind=Kind.VOTE_REPLY, term=term, source=request.to, to=request.source, success=granted))


@action
def receive_vote_reply(s: Cluster, reply: Message) -> None:
    """{reply.to} hears {reply.source}'s answer to its request for a vote."""
    require(messages > 0 and reply.kind == Kind.VOTE_REPLY)
    require(reply.term <= s.current_term[reply.to])
    candidate = reply.to
    counts = reply.success and reply.term == s.current_term[candidate] and s.role[candidate] == Role.CANDIDATE
    s.network.remove(reply)
    if counts:
        s.votes_granted[candidate].add(reply.source)


@action
def send_append_entries(s: Cluster, leader: Server, follower: Server) -> None:
    """{leader} sends {follower} what it has at index {s.next_index[leader][follower]}."""
    require(messages > 0 and s.role[leader] == Role.LEADER)
    require(follower != leader and follower in members(s, leader))
    request = append_request(s, leader, follower)
    limit(len(s.network) < messages and request not in s.network)
    s.network.add(request)
    if lossy_restart and send_fsync:
        s.synced[leader] = max(s.synced[leader], end_of(request))


@action
def receive_append_entries(s: Cluster, request: Message) -> None:
    """{request.to} receives what {request.source} has after index {request.index}, and answers."""
    require(messages > 0 and request.kind == Kind.APPEND_REQUEST)
    require(request.term <= s.current_term[request.to] and is_known(s, request.to))
    require(request.term < s.current_term[request.to] or s.role[request.to] != Role.LEADER)
    follower = request.to
    reply = append_reply(s, request)
    synced = synced_after(s, request)
    s.network.remove(request)
    if request.term == reply.term:
        s.role[follower] = Role.FOLLOWER
        s.votes_granted[follower] = Set()
        s.in_touch[follower] = check_quorum
    if reply.success:
        s.acknowledged[reply.term][follower] = max(s.acknowledged[reply.term][follower], reply.index)
        s.commit_term[follower] = commit_term_after(s, request)
        s.log[follower] = log_after(s, request)
        s.synced[follower] = synced
        s.commit_index[follower] = max(s.commit_index[follower], request.commit_index)
    s.network.add(reply)


@action
def receive_append_reply(s: Cluster, reply: Message) -> None:
    """{reply.to} hears from {reply.source} whether their logs agree."""
    require(messages > 0 and reply.kind == Kind.APPEND_REPLY)
    require(reply.term <= s.current_term[reply.to])
    leader = reply.to
    follower = reply.source
    known = s.match_index[leader][follower]
    counts = reply.term == s.current_term[leader] and s.role[leader] == Role.LEADER
    if reads > 0:
        s.read = read_after(s, reply)
    s.network.remove(reply)
    if counts and reply.success:
        s.match_index[leader][follower] = max(known, reply.index)
        s.next_index[leader][follower] = max(known, reply.index) + 1
    elif counts:
        s.next_index[leader][follower] = max(known + 1, s.next_index[leader][follower] - 1)


# --- what may become of them ------------------------------------------------------------------------------------------


@action(kind="fault", budget="losses")
def lose(s: Cluster, message: Message) -> None:
    """A message from {message.source} to {message.to} is lost."""
    require(messages > 0 and losses > 0)
    s.network.remove(message)


@action(kind="fault", budget="duplicates")
def duplicate(s: Cluster, message: Message) -> None:
    """A message from {message.source} to {message.to} will arrive twice."""
    require(messages > 0 and duplicates > 0)
    limit(len(s.network) < messages)
    s.network.add(message)
