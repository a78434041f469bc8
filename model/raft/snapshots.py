"""Section 7: servers take snapshots of what they applied, and who lacks what a leader has discarded is sent one.

What a snapshot holds comes from the entries up to its end, and is the same everywhere. So in the model a snapshot *is*
these entries: `log` keeps them, and `snapshot` says up to where a server has them as a snapshot only. Of these no step
reads anything but the last one's term, which a server keeps beside its snapshot, and the members.
"""

from __future__ import annotations

from ...language import Set, action, require
from ..parts.networks import deliver, send_once
from .cluster import *

# --- a snapshot is taken ----------------------------------------------------------------------------------------------


@action(kind="client", budget="snapshots")
def take_snapshot(s: Cluster, server: Server, end: Index) -> None:
    """{server} takes a snapshot of its log up to index {end}, and discards these entries."""
    require(snapshots > 0)
    require(s.snapshot[server] < end <= (s.commit_index[server] if snapshot_committed else len(s.log[server])))
    s.snapshot[server] = end
    if lossy_restart:
        s.synced[server] = max(s.synced[server], end)


# --- a leader sends it ------------------------------------------------------------------------------------------------


def snapshot_request(s: Cluster, leader: Server, follower: Server) -> Message:
    """What a leader sends to a follower that needs an entry which the leader has only in its snapshot."""
    end = s.snapshot[leader]
    return Message(
        kind=Kind.SNAPSHOT_REQUEST,
        term=s.current_term[leader],
        source=leader,
        to=follower,
        index=end,
        log_term=s.log[leader][end - 1].term,
    )


def snapshot_reply(s: Cluster, request: Message) -> Message:
    """What the follower answers: that the logs agree up to where the snapshot ends, or that it is in a newer term."""
    success = request.term == s.current_term[request.to]
    return Message(
        kind=Kind.APPEND_REPLY,
        term=s.current_term[request.to],
        source=request.to,
        to=request.source,
        index=request.index if success else 0,
        success=success,
    )


def has_last_entry(s: Cluster, request: Message) -> bool:
    """Whether the follower has the last entry of the snapshot: in its log, or at the end of its own snapshot."""
    log = s.log[request.to]
    return s.snapshot[request.to] <= request.index <= len(log) and log[request.index - 1].term == request.log_term


def install(s: Cluster, follower: Server, request: Message, content: Log) -> None:
    """A server hears the leader of its term, and has the snapshot in place of its log, or of the log's beginning."""
    is_old = request.index < s.snapshot[follower]
    keeps_log = keep_after_snapshot and has_last_entry(s, request)
    term = s.leader_commit_term[request.term] if request.index > s.commit_index[follower] else s.commit_term[follower]
    s.role[follower] = Role.FOLLOWER
    s.votes_granted[follower] = Set()
    s.in_touch[follower] = check_quorum
    s.acknowledged[request.term][follower] = max(s.acknowledged[request.term][follower], request.index)
    if not (is_old and ignore_old_snapshots):
        s.commit_term[follower] = term
        s.commit_index[follower] = max(s.commit_index[follower], request.index) if keeps_log else request.index
        s.synced[follower] = (
            0 if not lossy_restart else max(s.synced[follower], request.index) if keeps_log else request.index
        )
        s.log[follower] = s.log[follower] if keeps_log else content
        s.snapshot[follower] = request.index


@action
def install_snapshot(s: Cluster, leader: Server, follower: Server) -> None:
    """{leader} sends {follower} its snapshot, which ends at index {s.snapshot[leader]}, and hears the reply."""
    require(snapshots > 0 and messages == 0 and s.role[leader] == Role.LEADER)
    require(follower != leader and follower in members(s, leader) and is_known(s, follower))
    require(s.current_term[follower] == s.current_term[leader] and s.role[follower] != Role.LEADER)
    require(are_linked(s, leader, follower) and s.next_index[leader][follower] <= s.snapshot[leader])
    request = snapshot_request(s, leader, follower)
    install(s, follower, request, s.log[leader][: request.index])
    s.match_index[leader][follower] = request.index
    s.next_index[leader][follower] = request.index + 1


# --- the same, message by message: the reply is received as that to AppendEntries is ----------------------------------


@action
def send_snapshot(s: Cluster, leader: Server, follower: Server) -> None:
    """{leader} sends {follower} its snapshot, which ends at index {s.snapshot[leader]}."""
    require(snapshots > 0 and messages > 0 and s.role[leader] == Role.LEADER)
    require(follower != leader and follower in members(s, leader))
    require(s.next_index[leader][follower] <= s.snapshot[leader])
    request = snapshot_request(s, leader, follower)
    send_once(s.network, request, messages)
    if request.index > len(s.sent_snapshot[request.term]):
        s.sent_snapshot[request.term] = s.log[leader][: request.index]


@action
def receive_snapshot(s: Cluster, request: Message) -> None:
    """{request.to} receives a snapshot from {request.source}, which ends at index {request.index}, and answers."""
    require(snapshots > 0 and messages > 0 and request.kind == Kind.SNAPSHOT_REQUEST)
    require(request.term <= s.current_term[request.to] and is_known(s, request.to))
    require(request.term < s.current_term[request.to] or s.role[request.to] != Role.LEADER)
    reply = snapshot_reply(s, request)
    if reply.success:
        install(s, request.to, request, s.sent_snapshot[request.term][: request.index])
    deliver(s.network, request)
    forget_snapshot(s, request)
    s.network.add(reply)
