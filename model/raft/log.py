"""A command's life (section 5.3 of the paper): a leader appends it, followers copy it, and a majority commits it.

The functions that say what a message contains, and what it does to the log of its receiver, serve both granularities.
"""

from __future__ import annotations

from ...language import Seq, Set, action, limit, require
from .cluster import (
    Cluster,
    CommitRule,
    Entry,
    Kind,
    Log,
    Message,
    Role,
    Server,
    append,
    are_linked,
    check_previous,
    check_quorum,
    client_values,
    commit_rule,
    count_fsync,
    follower_fsync,
    is_known,
    is_quorum,
    keep_matching_entries,
    lossy_restart,
    members,
    messages,
    reads,
    send_fsync,
    sync,
)
from .ghosts import note_committed
from .reads import is_asked, read_after

# --- a command's life (5.3) -------------------------------------------------------------------------------------------


@action(kind="client")
def write(s: Cluster, leader: Server) -> None:
    """{leader} appends a client's command at index {len(s.log[leader]) + 1}, in term {s.current_term[leader]}."""
    require(client_values > 0 and s.role[leader] == Role.LEADER)
    limit(s.next_command < client_values)
    append(s, leader, Entry(term=s.current_term[leader], command=s.next_command, members=Set()))
    s.next_command += 1


def append_request(s: Cluster, leader: Server, follower: Server) -> Message:
    """What a leader sends to a follower: the entry at `next_index`, or a heartbeat."""
    previous = s.next_index[leader][follower] - 1
    is_heartbeat = previous == len(s.log[leader])
    return Message(
        kind=Kind.APPEND_REQUEST,
        term=s.current_term[leader],
        source=leader,
        to=follower,
        index=previous,
        log_term=0 if previous == 0 else s.log[leader][previous - 1].term,
        entry=None if is_heartbeat else s.log[leader][previous],
        commit_index=min(s.commit_index[leader], previous if is_heartbeat else previous + 1),
        read=s.read.number if reads > 0 and s.read is not None and is_asked(s, leader) else 0,
    )


def agrees(s: Cluster, request: Message) -> bool:
    """The consistency check: whether the follower has the entry that comes before the new one."""
    log = s.log[request.to]
    return request.index == 0 or (
        request.index <= len(log) and (not check_previous or log[request.index - 1].term == request.log_term)
    )


def log_after(s: Cluster, request: Message) -> Log:
    """The follower's log after it has handled the request: an entry that differs goes, with all that follow it."""
    log = s.log[request.to]
    if request.entry is None:
        return log if keep_matching_entries else log[: request.index]
    if keep_matching_entries and request.index < len(log) and log[request.index].term == request.entry.term:
        return log
    return log[: request.index] + Seq([request.entry])


def leaves_log(s: Cluster, request: Message) -> bool:
    """Whether the follower's log is after the request what it was before."""
    log = s.log[request.to]
    if keep_matching_entries and (
        request.entry is None or (request.index < len(log) and log[request.index].term == request.entry.term)
    ):
        return True
    return len(log) == end_of(request) and (request.entry is None or log[request.index] == request.entry)


def end_of(request: Message) -> int:
    """Up to where the logs of leader and follower agree after the follower has handled the request."""
    return request.index if request.entry is None else request.index + 1


def synced_after(s: Cluster, request: Message) -> int:
    """Up to where the follower's log is then on its disk for certain, where restarts are lossy."""
    if not lossy_restart:
        return 0
    unchanged = len(s.log[request.to]) if leaves_log(s, request) else request.index
    kept = min(s.synced[request.to], unchanged)
    return max(kept, end_of(request)) if follower_fsync else kept


def commit_term_after(s: Cluster, request: Message) -> int:
    """The term in which a majority was counted up to the commit index that the follower then has."""
    is_news = request.commit_index > s.commit_index[request.to]
    return s.leader_commit_term[request.term] if is_news else s.commit_term[request.to]


def append_reply(s: Cluster, request: Message) -> Message:
    """What the follower answers: up to where the logs agree after the request, or that they do not agree."""
    success = request.term == s.current_term[request.to] and agrees(s, request)
    return Message(
        kind=Kind.APPEND_REPLY,
        term=s.current_term[request.to],
        source=request.to,
        to=request.source,
        index=end_of(request) if success else 0,
        read=request.read if request.term == s.current_term[request.to] else 0,
        success=success,
    )


def follow_request(s: Cluster, follower: Server, request: Message, reply: Message) -> None:
    """A server hears the leader of its term, and changes its log where it answers that the logs agree."""
    synced = synced_after(s, request)
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


@action
def append_entries(s: Cluster, leader: Server, follower: Server) -> None:
    """{leader} sends {follower} what it has at index {s.next_index[leader][follower]}, and hears the reply."""
    require(messages == 0 and s.role[leader] == Role.LEADER)
    require(follower != leader and follower in members(s, leader) and is_known(s, follower))
    require(s.current_term[follower] == s.current_term[leader] and s.role[follower] != Role.LEADER)
    require(are_linked(s, leader, follower))
    request = append_request(s, leader, follower)
    reply = append_reply(s, request)
    if reads > 0:
        s.read = read_after(s, reply)
    if lossy_restart and send_fsync:
        sync(s, leader, end_of(request))
    follow_request(s, follower, request, reply)
    if reply.success:
        s.match_index[leader][follower] = reply.index
        s.next_index[leader][follower] = reply.index + 1
    else:
        s.next_index[leader][follower] = max(1, request.index)


def agreed_index(s: Cluster, leader: Server) -> int:
    """The highest index that a majority holds, and that the commit rule lets the leader count; 0 if there is none."""
    return max(
        (
            o + 1
            for o in range(len(s.log[leader]))
            if commit_rule == CommitRule.COUNT_REPLICAS or s.log[leader][o].term == s.current_term[leader]
            if is_quorum(Set(at for at in Server if at == leader or s.match_index[leader][at] > o), members(s, leader))
        ),
        default=0,
    )


@action
def advance_commit_index(s: Cluster, leader: Server) -> None:
    """{leader} calls committed what a majority holds, up to index {agreed_index(s, leader)}, and applies it."""
    require(s.role[leader] == Role.LEADER)
    index = agreed_index(s, leader)
    require(index > s.commit_index[leader])
    s.commit_index[leader] = index
    if lossy_restart and count_fsync:
        sync(s, leader, index)
    note_committed(s, leader, index)
