"""Raft, the consensus algorithm that pushes: a leader sends its log to the others (Ongaro and Ousterhout, 2014).

Servers elect a leader for a term, the leader appends clients' commands to its log and sends them on, and an entry that
a majority holds is committed: every server applies it to its state machine, in the order of the log. The algorithm is
figure 2 of the paper. What makes it safe is said in two sentences, and each is a switch here:

* A server votes once a term, and only for a candidate whose log is at least as up to date as its own (5.4.1):
  `check_up_to_date`. So whoever is elected holds every committed entry.
* A leader counts copies only of entries of its own term; older ones are committed with them (5.4.2): `commit_rule`.
  Without it an entry that a majority holds may still be overwritten: figure 8. A no-op at the beginning of a term
  (`no_op`) helps progress, and is no substitute.

Others are what implementations forget: a vote, or an entry, that is not on disk when it is answered for
(`persist_vote`, `fsync`, `keep_disk`), the entry before the new one that is not compared (`check_previous`), entries
that are cut although they agree (`keep_matching_entries`). Members come and go one at a time, as in chapter 4 of
Ongaro's dissertation; `commit_before_change` mends a flaw found there in 2015. `check_quorum` and `pre_vote`, from its
chapters 6 and 9, keep a server that hears nobody from deposing a leader that others hear.

How fine the steps are is a switch too. With `messages=0`, a request, its handling and that of its reply are one step;
what is lost is a step that does not happen. With `messages=n` each is a message in flight, up to n at once: they arrive
in any order, and any may never arrive; `losses` of them make room for others, `duplicates` arrive once more.

What is abstracted away:

* There is no clock: an election timer may run out at any time. That a leader was heard in time is one bit a server,
  kept only where `check_quorum` or `pre_vote` looks at it. A round of pre-votes is one step.
* An AppendEntries request carries one entry or none. There are no snapshots. A leader does not remove itself.
* To learn of a newer term is a step of its own, whatever brings it. A vote denied in the same term is not sent.
* A server applies an entry as soon as it knows that it is committed: `commit_index` says what is applied. The state
  machine is the sequence of commands; what it makes of them is the same everywhere, since it is deterministic.
* A crash and the restart are one step: a server that does nothing for a while is one that is down. Without `fsync` it
  finds any beginning of its log.
* A client's command is a number of its own, in the order in which leaders take them, and is not sent again.
* What a server knows as a leader or a candidate is forgotten when it is one no more: nobody would read it.

Properties are in `invariants/raft.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

# isort: off
from ..language import (
    Bag, Capacity, Domain, Ghost, LogLanes, Map, Option, Range, Seq, Set, action, constant, initial, limit, record,
    require, state,
)  # fmt: skip
# isort: on

# --- bounds and switches ----------------------------------------------------------------------------------------------

servers = constant(3, minimum=1, maximum=6, says="servers, those that may join later included")
spares = constant(0, minimum=0, maximum=4, says="of these, servers that are no members at first")
max_term = constant(2, minimum=1, maximum=8, says="terms are 1 to this, and 0 before the first election")
log_size = constant(2, minimum=1, maximum=6, says="entries that a log has room for")
client_values = constant(2, minimum=0, maximum=6, says="commands that clients send in all")
crashes = constant(1, minimum=0, maximum=4, says="crashes, each with its restart, in all")
membership_changes = constant(0, minimum=0, maximum=4, says="servers added or removed, in all")
messages = constant(0, minimum=0, maximum=16, says="messages in flight at once; 0: an exchange is one step")
losses = constant(0, minimum=0, maximum=8, says="messages lost, in all (one that never arrives needs none)")
duplicates = constant(0, minimum=0, maximum=8, says="messages duplicated, in all")


class CommitRule(Enum):
    """Which entries a leader may call committed by counting copies."""

    RAFT = "raft"  # those of its own term: section 5.4.2
    COUNT_REPLICAS = "count_replicas"  # all


commit_rule = constant(CommitRule.RAFT, says="which entries a leader may call committed by counting copies")
check_up_to_date = constant(True, says="5.4.1: no vote for a candidate whose log is behind the voter's")
persist_vote = constant(True, says="a vote is on disk before it is given")
fsync = constant(True, says="an entry is on disk before it is sent or acknowledged")
keep_disk = constant(True, says="a server that restarts finds its disk again, and not an empty one")
check_previous = constant(True, says="5.3: a follower compares the entry before the new one")
keep_matching_entries = constant(True, says="5.3: a follower cuts its log only where an entry differs")
no_op = constant(False, says="a leader begins its term with an entry that does nothing")
check_quorum = constant(False, says="a leader that a majority does not hear steps down; servers know if they hear one")
pre_vote = constant(False, says="a candidate asks first whether it would win (with check_quorum)")
commit_before_change = constant(True, says="a leader commits an entry of its term before it changes the membership")

profiles = {
    "raft": {},
    "count_replicas": {"commit_rule": CommitRule.COUNT_REPLICAS},
    "count_replicas_no_op": {"commit_rule": CommitRule.COUNT_REPLICAS, "no_op": True},
    "raft_no_op": {"no_op": True},
    "no_up_to_date_check": {"check_up_to_date": False},
    "forgotten_votes": {"persist_vote": False},
    "no_fsync": {"fsync": False},
    "empty_disk": {"keep_disk": False},
    "no_previous_check": {"check_previous": False},
    "always_truncate": {"keep_matching_entries": False},
    "check_quorum": {"check_quorum": True},
    "pre_vote": {"check_quorum": True, "pre_vote": True},
    "membership": {"membership_changes": 2, "no_op": True},
    "membership_2014": {"membership_changes": 2, "commit_before_change": False},
}


# --- what there is ----------------------------------------------------------------------------------------------------


class Server(Domain, size=servers, symmetric=True):
    """A server with a copy of the log."""


class Role(Enum):
    """What a server does in its term."""

    FOLLOWER = "follower"
    CANDIDATE = "candidate"
    LEADER = "leader"


Term = Annotated[int, Range(0, max_term)]
Command = Annotated[int, Range(0, client_values)]
Index = Annotated[int, Range(0, log_size)]  # the first entry of a log has index 1, as in the paper
NextIndex = Annotated[int, Range(1, log_size + 1)]


@record
class Entry:
    """An entry of the log: a client's command, or the members from here on, or neither of them: a no-op."""

    term: Term
    command: Option[Command]
    members: Set[Server]  # of a configuration entry, else empty


@record
class Committed:
    """An entry that a leader called committed, and that leader's term."""

    entry: Entry
    term: Term


Log = Annotated[Seq[Entry], Capacity(log_size)]


class Kind(Enum):
    """What a message is. Its reply carries the term of the server that replies."""

    VOTE_REQUEST = "vote_request"
    VOTE_REPLY = "vote_reply"
    APPEND_REQUEST = "append_request"
    APPEND_REPLY = "append_reply"


@record
class Message:
    """A message from one server to another: RequestVote, AppendEntries, and the replies to them."""

    kind: Kind
    term: Term
    source: Server
    to: Server
    index: Index = 0  # where the candidate's log ends; before which the new entry goes; up to where the logs agree
    log_term: Term = 0  # of requests: the term of the sender's entry at that index
    entry: Option[Entry] = None  # of an AppendEntries request that is no heartbeat
    commit_index: Index = 0  # of an AppendEntries request: up to where the follower may then commit
    success: bool = False  # of replies: the vote is granted, the logs agree


@state
class Cluster:
    """The servers, and the messages between them."""

    current_term: Map[Server, Term]  # the newest term each server has heard of, on its disk
    voted_for: Map[Server, Option[Server]]  # whom it voted for in that term, on its disk
    log: Map[Server, Log]  # on its disk
    role: Map[Server, Role]  # in memory, as is all that follows
    commit_index: Map[Server, Index]  # up to which index it knows its log to be committed, and has applied it
    votes_granted: Map[Server, Set[Server]]  # who voted for it, while it is a candidate
    next_index: Map[Server, Map[Server, NextIndex]]  # while it leads: the entry to send next to each other server
    match_index: Map[Server, Map[Server, Index]]  # while it leads: up to where each other's log is known to agree
    in_touch: Map[Server, bool]  # whether it heard the leader of its term since its election timer last ran out
    first_members: Set[Server]  # the members before any change
    next_command: Command  # the number of the client's next command
    network: Annotated[Bag[Message], Capacity(messages)]  # the messages in flight
    committed: Ghost[Annotated[Seq[Committed], Capacity(log_size)]]  # what was called committed first, by index


view = LogLanes(
    lane=Server,
    log="log",
    cell="{entry.term}{'M' if entry.members != Set() else letter(entry.command)}",
    cell_epoch="entry.term",
    high_watermark="commit_index",
    role="role",
    epoch="current_term",
    badges={"voted for": "voted_for"},
)


@initial
def start(members: Set[Server]) -> Cluster:
    """Empty logs, and no leader."""
    require(len(members) == servers - spares)
    return Cluster(
        current_term=Map({server: 0 for server in Server}),
        voted_for=Map({server: None for server in Server}),
        log=Map({server: Seq() for server in Server}),
        role=Map({server: Role.FOLLOWER for server in Server}),
        commit_index=Map({server: 0 for server in Server}),
        votes_granted=Map({server: Set() for server in Server}),
        next_index=Map({server: Map({other: 1 for other in Server}) for server in Server}),
        match_index=Map({server: Map({other: 0 for other in Server}) for server in Server}),
        in_touch=Map({server: False for server in Server}),
        first_members=members,
        next_command=0,
        network=Bag(),
        committed=Seq(),
    )


# --- members and majorities -------------------------------------------------------------------------------------------


def members(s: Cluster, server: Server) -> Set[Server]:
    """The members as this server knows them: from the newest configuration entry in its log, committed or not."""
    if membership_changes == 0:
        return s.first_members
    newest = max((o + 1 for o in range(len(s.log[server])) if s.log[server][o].members != Set()), default=0)
    return s.first_members if newest == 0 else s.log[server][newest - 1].members


def is_quorum(some: Set[Server], of: Set[Server]) -> bool:
    """Whether a majority of these members is among some servers."""
    return 2 * len(some & of) > len(of)


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
        not s.in_touch[voter]
        and s.role[voter] != Role.LEADER
        and s.current_term[voter] <= s.current_term[candidate] + 1
        and is_up_to_date(s, voter, len(s.log[candidate]), last_term(s, candidate))
    )


@action
def time_out(s: Cluster, server: Server) -> None:
    """{server} hears no leader: it becomes a candidate in term {s.current_term[server] + 1} and votes for itself."""
    require(s.role[server] != Role.LEADER and server in members(s, server))
    require(not check_quorum or not s.in_touch[server])
    require(not pre_vote or is_quorum(Set(at for at in Server if would_vote(s, server, at)), members(s, server)))
    limit(s.current_term[server] < max_term)
    s.role[server] = Role.CANDIDATE
    s.current_term[server] += 1
    s.voted_for[server] = server
    s.votes_granted[server] = Set([server])


@action
def lose_touch(s: Cluster, server: Server) -> None:
    """{server} has not heard the leader for an election timeout."""
    require(check_quorum and s.in_touch[server])
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
    require(s.current_term[voter] == s.current_term[candidate])
    require(grants(s, vote_request(s, candidate, voter)))
    s.voted_for[voter] = candidate
    s.votes_granted[candidate].add(voter)


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


# --- a newer term (5.1) -----------------------------------------------------------------------------------------------


@action
def learn_of_term(s: Cluster, server: Server, term: Term) -> None:
    """{server} hears of term {term}, and is a follower in it."""
    require(term > s.current_term[server])
    require(messages > 0 or any(are_talking(s, server, other) and s.current_term[other] == term for other in Server))
    require(messages == 0 or any(message.to == server and message.term == term for message in s.network))
    s.current_term[server] = term
    s.voted_for[server] = None
    s.role[server] = Role.FOLLOWER
    s.votes_granted[server] = Set()
    s.next_index[server] = Map({other: 1 for other in Server})
    s.match_index[server] = Map({other: 0 for other in Server})
    s.in_touch[server] = False


def are_talking(s: Cluster, one: Server, other: Server) -> bool:
    """Whether one of two servers sends the other requests, and hears replies: followers only answer."""
    return s.role[one] != Role.FOLLOWER or s.role[other] != Role.FOLLOWER


@action
def resign(s: Cluster, leader: Server) -> None:
    """{leader} has not heard from a majority for an election timeout, and steps down."""
    require(check_quorum and s.role[leader] == Role.LEADER)
    require(not is_quorum(followers_in_touch(s, leader), members(s, leader)))
    s.role[leader] = Role.FOLLOWER
    s.next_index[leader] = Map({other: 1 for other in Server})
    s.match_index[leader] = Map({other: 0 for other in Server})


def followers_in_touch(s: Cluster, leader: Server) -> Set[Server]:
    """The leader, and the servers that heard it lately."""
    term = s.current_term[leader]
    return Set(at for at in Server if at == leader or (s.in_touch[at] and s.current_term[at] == term))


# --- a command's life (5.3) -------------------------------------------------------------------------------------------


@action(kind="client")
def write(s: Cluster, leader: Server) -> None:
    """{leader} appends a client's command at index {len(s.log[leader]) + 1}, in term {s.current_term[leader]}."""
    require(client_values > 0 and s.role[leader] == Role.LEADER)
    limit(s.next_command < client_values)
    limit(len(s.log[leader]) < log_size)
    s.log[leader].append(Entry(term=s.current_term[leader], command=s.next_command, members=Set()))
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
    )


def agrees(s: Cluster, request: Message) -> bool:
    """The consistency check: whether the follower has the entry that comes before the new one."""
    log = s.log[request.to]
    return request.index == 0 or (
        request.index <= len(log) and (not check_previous or log[request.index - 1].term == request.log_term)
    )


def log_after(s: Cluster, request: Message) -> Log:
    """The follower's log when it has done as told: an entry that differs goes, with all that follow it."""
    log = s.log[request.to]
    if request.entry is None:
        return log if keep_matching_entries else log[: request.index]
    if keep_matching_entries and request.index < len(log) and log[request.index].term == request.entry.term:
        return log
    return log[: request.index] + Seq([request.entry])


def append_reply(s: Cluster, request: Message) -> Message:
    """What the follower answers: up to where the logs agree when it has done as told, or that they do not agree."""
    success = request.term == s.current_term[request.to] and agrees(s, request)
    return Message(
        kind=Kind.APPEND_REPLY,
        term=s.current_term[request.to],
        source=request.to,
        to=request.source,
        index=0 if not success else request.index if request.entry is None else request.index + 1,
        success=success,
    )


@action
def append_entries(s: Cluster, leader: Server, follower: Server) -> None:
    """{leader} sends {follower} what it has at index {s.next_index[leader][follower]}, and hears the reply."""
    require(messages == 0 and s.role[leader] == Role.LEADER)
    require(follower != leader and follower in members(s, leader))
    require(s.current_term[follower] == s.current_term[leader] and s.role[follower] != Role.LEADER)
    request = append_request(s, leader, follower)
    reply = append_reply(s, request)
    s.role[follower] = Role.FOLLOWER
    s.votes_granted[follower] = Set()
    s.in_touch[follower] = check_quorum
    if reply.success:
        s.log[follower] = log_after(s, request)
        s.commit_index[follower] = max(s.commit_index[follower], request.commit_index)
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
    for o in range(len(s.committed), index):
        s.committed.append(Committed(entry=s.log[leader][o], term=s.current_term[leader]))


# --- the membership changes (dissertation, chapter 4) -----------------------------------------------------------------


@action(kind="client", budget="membership_changes")
def change_membership(s: Cluster, leader: Server, server: Server) -> None:
    """{leader} adds {server} to the members, or removes it: they were {members(s, leader)}."""
    require(membership_changes > 0 and s.role[leader] == Role.LEADER and server != leader)
    committed = s.log[leader][: s.commit_index[leader]]
    require(not commit_before_change or any(entry.term == s.current_term[leader] for entry in committed))
    require(all(entry.members == Set() for entry in s.log[leader][s.commit_index[leader] :]))
    limit(len(s.log[leader]) < log_size)
    s.log[leader].append(Entry(term=s.current_term[leader], command=None, members=members(s, leader) ^ {server}))


# --- messages in flight -----------------------------------------------------------------------------------------------


@action
def send_vote_request(s: Cluster, candidate: Server, voter: Server) -> None:
    """{candidate} sends {voter} a request for its vote in term {s.current_term[candidate]}."""
    require(messages > 0 and s.role[candidate] == Role.CANDIDATE)
    require(voter not in s.votes_granted[candidate] and voter in members(s, candidate))
    request = vote_request(s, candidate, voter)
    require(request not in s.network)
    limit(len(s.network) < messages)
    s.network.add(request)


@action
def receive_vote_request(s: Cluster, request: Message) -> None:
    """{request.to} answers {request.source}'s request for its vote in term {request.term}."""
    require(messages > 0 and request.kind == Kind.VOTE_REQUEST)
    require(request.term <= s.current_term[request.to])
    term = s.current_term[request.to]
    granted = request.term == term and grants(s, request)
    s.network.remove(request)
    if granted:
        s.voted_for[request.to] = request.source
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
    require(request not in s.network)
    limit(len(s.network) < messages)
    s.network.add(request)


@action
def receive_append_entries(s: Cluster, request: Message) -> None:
    """{request.to} receives what {request.source} has after index {request.index}, and answers."""
    require(messages > 0 and request.kind == Kind.APPEND_REQUEST)
    require(request.term <= s.current_term[request.to])
    require(request.term < s.current_term[request.to] or s.role[request.to] != Role.LEADER)
    follower = request.to
    reply = append_reply(s, request)
    s.network.remove(request)
    if request.term == reply.term:
        s.role[follower] = Role.FOLLOWER
        s.votes_granted[follower] = Set()
        s.in_touch[follower] = check_quorum
    if reply.success:
        s.log[follower] = log_after(s, request)
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
    s.network.remove(reply)
    if counts and reply.success:
        s.match_index[leader][follower] = max(known, reply.index)
        s.next_index[leader][follower] = max(known, reply.index) + 1
    elif counts:
        s.next_index[leader][follower] = max(known + 1, s.next_index[leader][follower] - 1)


# --- faults -----------------------------------------------------------------------------------------------------------


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


@action(kind="fault", budget="crashes")
def restart(s: Cluster, server: Server, kept: Index) -> None:
    """{server} crashes and starts again, with {kept} of its {len(s.log[server])} entries."""
    require(crashes > 0)
    require(kept == (len(s.log[server]) if keep_disk else 0) or (not fsync and kept < len(s.log[server])))
    s.log[server].truncate(kept)
    s.role[server] = Role.FOLLOWER
    s.commit_index[server] = 0
    s.votes_granted[server] = Set()
    s.next_index[server] = Map({other: 1 for other in Server})
    s.match_index[server] = Map({other: 0 for other in Server})
    s.in_touch[server] = False
    if not (persist_vote and keep_disk):
        s.voted_for[server] = None
    if not keep_disk:
        s.current_term[server] = 0
