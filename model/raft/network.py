"""The same, message by message: each request and each reply is in flight until it arrives or is lost."""

from __future__ import annotations

from ...language import action, require
from ..parts import networks
from ..parts.networks import deliver, send_once
from .cluster import (
    Cluster,
    Kind,
    Message,
    Role,
    Server,
    duplicates,
    is_known,
    losses,
    lossy_restart,
    members,
    messages,
    reads,
    send_fsync,
    sync,
)
from .election import grants, vote_request
from .log import append_reply, append_request, end_of, follow_request
from .reads import read_after

# --- messages in flight -----------------------------------------------------------------------------------------------


@action
def send_vote_request(s: Cluster, candidate: Server, voter: Server) -> None:
    """{candidate} sends {voter} a request for its vote in term {s.current_term[candidate]}."""
    require(messages > 0 and s.role[candidate] == Role.CANDIDATE)
    require(voter not in s.votes_granted[candidate] and voter in members(s, candidate))
    request = vote_request(s, candidate, voter)
    send_once(s.network, request, messages)


@action
def receive_vote_request(s: Cluster, request: Message) -> None:
    """{request.to} answers {request.source}'s request for its vote in term {request.term}."""
    require(messages > 0 and request.kind == Kind.VOTE_REQUEST)
    require(request.term <= s.current_term[request.to] and is_known(s, request.to))
    term = s.current_term[request.to]
    granted = request.term == term and grants(s, request)
    deliver(s.network, request)
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
    deliver(s.network, reply)
    if counts:
        s.votes_granted[candidate].add(reply.source)


@action
def send_append_entries(s: Cluster, leader: Server, follower: Server) -> None:
    """{leader} sends {follower} what it has at index {s.next_index[leader][follower]}."""
    require(messages > 0 and s.role[leader] == Role.LEADER)
    require(follower != leader and follower in members(s, leader))
    request = append_request(s, leader, follower)
    send_once(s.network, request, messages)
    if lossy_restart and send_fsync:
        sync(s, leader, end_of(request))


@action
def receive_append_entries(s: Cluster, request: Message) -> None:
    """{request.to} receives what {request.source} has after index {request.index}, and answers."""
    require(messages > 0 and request.kind == Kind.APPEND_REQUEST)
    require(request.term <= s.current_term[request.to] and is_known(s, request.to))
    require(request.term < s.current_term[request.to] or s.role[request.to] != Role.LEADER)
    reply = append_reply(s, request)
    deliver(s.network, request)
    follow_request(s, request.to, request, reply)
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
    deliver(s.network, reply)
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
    networks.lose(s.network, message)


@action(kind="fault", budget="duplicates")
def duplicate(s: Cluster, message: Message) -> None:
    """A message from {message.source} to {message.to} will arrive twice."""
    require(messages > 0 and duplicates > 0)
    networks.duplicate(s.network, message, messages)
