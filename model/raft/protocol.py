"""What servers do, with an exchange of messages in one step and message by message, and what goes wrong."""

from __future__ import annotations

from ...language import Map, Option, Seq, Set, action, limit, replace, require
from ..parts import networks
from ..parts.networks import deliver, send_once
from .cluster import *

# === What the properties and the proof remember of a term: bookkeeping that no server does ============================


def note_elected(s: Cluster, leader: Server) -> None:
    """A server leads its term, with the log that it has."""
    s.elected[s.current_term[leader]] = leader
    s.leader_log[s.current_term[leader]] = s.log[leader]
    s.acknowledged[s.current_term[leader]][leader] = s.synced[leader] if lossy_restart else len(s.log[leader])
    s.leader_commit[s.current_term[leader]] = s.commit_index[leader]
    s.leader_commit_term[s.current_term[leader]] = s.commit_term[leader]


def note_committed(s: Cluster, leader: Server, index: int) -> None:
    """A leader has counted a majority up to an index."""
    for o in range(len(s.committed), index):
        s.committed.append(Committed(entry=s.log[leader][o], term=s.current_term[leader]))
    s.counted[s.current_term[leader]] = index
    s.leader_commit[s.current_term[leader]] = index
    s.leader_commit_term[s.current_term[leader]] = s.current_term[leader]
    s.commit_term[leader] = s.current_term[leader]


# === How a leader is elected (section 5.2 of the paper), how servers learn of newer terms (5.1), and who resigns ======


# --- a leader is elected (5.2) ----------------------------------------------------------------------------------------


def last_term(s: Cluster, server: Server) -> int:
    """The term of a server's newest entry; 0 without one."""
    return 0 if len(s.log[server]) == 0 else s.log[server][len(s.log[server]) - 1].term


def is_up_to_date(s: Cluster, voter: Server, last_index: int, term: int) -> bool:
    """5.4.1: whether a log that ends so is at least as up to date as the voter's: a newer last term, or as long."""
    return term > last_term(s, voter) or (term == last_term(s, voter) and last_index >= len(s.log[voter]))


def would_vote(s: Cluster, candidate: Server, voter: Server) -> bool:
    """A pre-vote: the voter hears no leader, leads nobody itself, and would find the candidate's log up to date."""
    return voter == candidate or (
        are_linked(s, candidate, voter)
        and not s.in_touch[voter]
        and s.role[voter] != Role.LEADER
        and s.current_term[voter] <= s.current_term[candidate] + 1
        and is_up_to_date(s, voter, len(s.log[candidate]), last_term(s, candidate))
    )


@action
def time_out(s: Cluster, server: Server) -> None:
    """{server} hears no leader: it becomes a candidate in term {s.current_term[server] + 1} and votes for itself."""
    require(s.role[server] != Role.LEADER and server in members(s, server) and is_known(s, server))
    require(not check_quorum or not s.in_touch[server])
    require(not slow_timers or (all_is_said(s) and not hears_leader(s, server)))
    require(not pre_vote or is_quorum(Set(at for at in Server if would_vote(s, server, at)), members(s, server)))
    limit(s.current_term[server] < max_term)
    term = s.current_term[server] + 1
    s.role[server] = Role.CANDIDATE
    s.current_term[server] = term
    s.voted_for[server] = server
    s.votes_granted[server] = Set([server])
    s.ballots[term][server] = server
    s.asked[term][server] = LogEnd(index=len(s.log[server]), term=last_term(s, server))
    fold_all_terms(s)


@action
def lose_touch(s: Cluster, server: Server) -> None:
    """{server} has not heard the leader for an election timeout."""
    require(check_quorum and s.in_touch[server])
    require(not slow_timers or not hears_leader(s, server))
    s.in_touch[server] = False


def vote_request(s: Cluster, candidate: Server, voter: Server) -> Message:
    """What a candidate asks another server."""
    return Message(
        kind=Kind.VOTE_REQUEST,
        term=s.current_term[candidate],
        source=candidate,
        to=voter,
        index=len(s.log[candidate]),
        log_term=last_term(s, candidate),
    )


def grants(s: Cluster, request: Message) -> bool:
    """Whether the voter, in the request's own term, votes for its candidate."""
    voter = request.to
    return (s.voted_for[voter] is None or s.voted_for[voter] == request.source) and (
        not check_up_to_date or is_up_to_date(s, voter, request.index, request.log_term)
    )


@action
def request_vote(s: Cluster, candidate: Server, voter: Server) -> None:
    """{candidate} asks {voter} for its vote in term {s.current_term[candidate]}, and gets it."""
    require(messages == 0 and s.role[candidate] == Role.CANDIDATE)
    require(voter not in s.votes_granted[candidate] and voter in members(s, candidate))
    require(is_known(s, voter) and s.current_term[voter] == s.current_term[candidate])
    require(are_linked(s, candidate, voter))
    require(grants(s, vote_request(s, candidate, voter)))
    s.voted_for[voter] = candidate
    s.votes_granted[candidate].add(voter)
    s.ballots[s.current_term[voter]][voter] = candidate


@action
def become_leader(s: Cluster, candidate: Server) -> None:
    """{candidate} has the votes of {s.votes_granted[candidate]} and leads term {s.current_term[candidate]}."""
    require(s.role[candidate] == Role.CANDIDATE)
    require(is_quorum(s.votes_granted[candidate], members(s, candidate)))
    limit(not no_op or len(s.log[candidate]) < log_size)
    s.role[candidate] = Role.LEADER
    s.votes_granted[candidate] = Set()
    end = len(s.log[candidate])
    s.next_index[candidate] = Map({other: 1 if other == candidate else end + 1 for other in Server})
    if no_op:
        s.log[candidate].append(Entry(term=s.current_term[candidate], command=None, members=Set()))
    note_elected(s, candidate)


# --- a newer term (5.1) -----------------------------------------------------------------------------------------------


@action
def learn_of_term(s: Cluster, server: Server, term: Term) -> None:
    """{server} hears of term {term}, and is a follower in it."""
    require(term > s.current_term[server])
    require(messages > 0 or any(are_talking(s, server, other) and s.current_term[other] == term for other in Server))
    require(messages == 0 or any(message.to == server and message.term == term for message in s.network))
    s.current_term[server] = term
    s.voted_for[server] = None
    follow(s, server)
    s.in_touch[server] = False
    fold_all_terms(s)


@action
def resign(s: Cluster, leader: Server) -> None:
    """{leader} has not heard from a majority for an election timeout, and steps down."""
    require(check_quorum and s.role[leader] == Role.LEADER)
    require(not is_quorum(followers_in_touch(s, leader), members(s, leader)))
    require(not slow_timers or not is_quorum(Set(at for at in Server if are_linked(s, leader, at)), members(s, leader)))
    s.role[leader] = Role.FOLLOWER
    forget_followers(s, leader)


def followers_in_touch(s: Cluster, leader: Server) -> Set[Server]:
    """The leader, and the servers that heard it lately."""
    term = s.current_term[leader]
    return Set(at for at in Server if at == leader or (s.in_touch[at] and s.current_term[at] == term))


# === A command's life (section 5.3 of the paper): a leader appends it, followers copy it, and a majority commits it ===
#
# The functions that say what a message contains, and what it does to the log of its receiver, serve both granularities.


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
    return request.index < max(1, s.snapshot[request.to]) or (  # what a snapshot holds is committed
        request.index <= len(log) and (not check_previous or log[request.index - 1].term == request.log_term)
    )


def log_after(s: Cluster, request: Message) -> Log:
    """The follower's log after it has handled the request: an entry that differs goes, with all that follow it."""
    log = s.log[request.to]
    if end_of(request) < s.snapshot[request.to]:
        return log
    if request.entry is None:
        return log if keep_matching_entries else log[: request.index]
    if keep_matching_entries and request.index < len(log) and log[request.index].term == request.entry.term:
        return log
    return log[: request.index] + Seq([request.entry])


def leaves_log(s: Cluster, request: Message) -> bool:
    """Whether the follower's log is after the request what it was before."""
    log = s.log[request.to]
    if end_of(request) < s.snapshot[request.to]:
        return True
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
    require(are_linked(s, leader, follower) and s.next_index[leader][follower] > s.snapshot[leader])
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


# === Clients read from a leader (section 6.4 of the dissertation), which may be one no more ===========================


# --- a client reads (dissertation, 6.4) -------------------------------------------------------------------------------


@action(kind="client")
def read(s: Cluster, leader: Server) -> None:
    """A client asks {leader} what is committed: it is read {s.last_read + 1}."""
    require(reads > 0 and s.role[leader] == Role.LEADER)
    limit(s.last_read < reads)
    number = s.last_read + 1
    s.last_read = number
    s.read = Read(number=number, leader=leader, term=s.current_term[leader], confirmed_by=Set([leader]))
    s.committed_before = len(s.committed)
    s.answer = None


def is_asked(s: Cluster, leader: Server) -> bool:
    """Whether a leader has a read to answer that came in its term."""
    return s.read is not None and s.read.leader == leader and s.read.term == s.current_term[leader]


def read_after(s: Cluster, reply: Message) -> Option[Read]:
    """The read when its leader has heard a follower's answer to what it sent since the read came."""
    if s.read is None or reply.read != s.read.number or not is_asked(s, reply.to):
        return s.read
    return replace(s.read, confirmed_by=s.read.confirmed_by | {reply.source})


@action
def answer_read(s: Cluster, leader: Server) -> None:
    """{leader} answers with what it has applied: up to index {s.commit_index[leader]}."""
    require(reads > 0 and s.role[leader] == Role.LEADER and is_asked(s, leader))
    require(read_rule == ReadRule.OWN_WORD or is_confirmed(s, leader))
    require(read_rule != ReadRule.READ_INDEX or has_committed_in_its_term(s, leader))
    s.read = None
    s.answer = s.commit_index[leader]


def is_confirmed(s: Cluster, leader: Server) -> bool:
    """Whether a majority has said, since the read came, that this server leads."""
    return s.read is not None and is_quorum(s.read.confirmed_by, members(s, leader))


# === Members come and go one at a time (chapter 4 of the dissertation), and some return with another disk =============


# --- the membership changes (dissertation, chapter 4) -----------------------------------------------------------------


@action(kind="client", budget="membership_changes")
def change_membership(s: Cluster, leader: Server, server: Server) -> None:
    """{leader} adds {server} to the members, or removes it: they were {members(s, leader)}."""
    require(membership_changes > 0 and s.role[leader] == Role.LEADER and server != leader)
    require(not commit_before_change or has_committed_in_its_term(s, leader))
    require(all(entry.members == Set() for entry in s.log[leader][s.commit_index[leader] :]))
    append(s, leader, Entry(term=s.current_term[leader], command=None, members=members(s, leader) ^ {server}))


def is_removed(s: Cluster, server: Server) -> bool:
    """Whether a server was a member, and somebody knows that it is committed that it is one no more."""
    return any(
        0 < configuration_index(s, at) <= s.commit_index[at]
        and server not in members(s, at)
        and (server in s.first_members or any(server in entry.members for entry in s.log[at]))
        for at in Server
    )


@action(kind="fault", budget="wipes")
def return_with_empty_disk(s: Cluster, server: Server) -> None:
    """{server}, which was removed from the members, returns under its name with an empty disk."""
    require(wipes > 0 and is_removed(s, server))
    s.current_term[server] = 0
    s.voted_for[server] = None
    s.log[server].truncate(0)
    s.snapshot[server] = 0
    s.commit_index[server] = 0
    follow(s, server)
    s.synced[server] = 0
    s.in_touch[server] = False
    s.wiped.add(server)


# === The same, message by message: each request and each reply is in flight until it arrives or is lost ===============


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
    require(s.next_index[leader][follower] > s.snapshot[leader])
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
    if snapshots > 0:
        forget_snapshot(s, message)


@action(kind="fault", budget="duplicates")
def duplicate(s: Cluster, message: Message) -> None:
    """A message from {message.source} to {message.to} will arrive twice."""
    require(messages > 0 and duplicates > 0)
    networks.duplicate(s.network, message, messages)


# === A server crashes, and starts again with what is on its disk ======================================================


@action(kind="fault", budget="crashes")
def restart(s: Cluster, server: Server, kept: Index) -> None:
    """{server} crashes and starts again, with {kept} of its {len(s.log[server])} entries."""
    require(crashes > 0)
    require(kept == (len(s.log[server]) if keep_disk else 0) or may_keep(s, server, kept))
    s.log[server].truncate(kept)
    s.synced[server] = kept if lossy_restart else 0
    s.snapshot[server] = s.snapshot[server] if keep_disk else 0
    s.commit_index[server] = s.snapshot[server]
    follow(s, server)
    s.in_touch[server] = False
    if not (persist_vote and keep_disk):
        s.voted_for[server] = None
    if not keep_disk:
        s.current_term[server] = 0


def may_keep(s: Cluster, server: Server, kept: int) -> bool:
    """Whether a server that restarts may find so many entries on its disk, and no more."""
    return lossy_restart and s.synced[server] <= kept < len(s.log[server])


@action(kind="fault", budget="cuts")
def cut_link(s: Cluster, one: Server, other: Server) -> None:
    """{one} and {other} do not reach each other any more; others reach both."""
    require(cuts > 0 and messages == 0 and one != other and are_linked(s, one, other))
    s.unreached[one].add(other)
    s.unreached[other].add(one)
