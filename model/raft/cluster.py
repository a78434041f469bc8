"""What there is in Raft: the bounds and switches, the servers' state, their messages, and who is a majority."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import *
from ..parts.quorums import is_majority_of

# --- bounds and switches ----------------------------------------------------------------------------------------------

servers = constant(3, minimum=1, maximum=6, says="servers, those that may join later included")
spares = constant(0, minimum=0, maximum=4, says="of these, servers that are no members at first")
max_term = constant(2, minimum=1, maximum=8, says="terms are 1 to this, and 0 before the first election")
log_size = constant(2, minimum=1, maximum=6, says="entries that a log has room for")
client_values = constant(2, minimum=0, maximum=6, says="commands that clients send in all")
crashes = constant(1, minimum=0, maximum=4, says="crashes, each with its restart, in all")
membership_changes = constant(0, minimum=0, maximum=4, says="servers added or removed, in all")
wipes = constant(0, minimum=0, maximum=2, says="removed servers that return with an empty disk, in all")
snapshots = constant(0, minimum=0, maximum=4, says="snapshots that servers take, in all (section 7)")
reads = constant(0, minimum=0, maximum=4, says="reads that clients send in all")
messages = constant(0, minimum=0, maximum=16, says="messages in flight at once; 0: an exchange is one step")
losses = constant(0, minimum=0, maximum=8, says="messages lost, in all (one that never arrives needs none)")
duplicates = constant(0, minimum=0, maximum=8, says="messages duplicated, in all")


class CommitRule(Enum):
    """Which entries a leader may call committed by counting copies."""

    RAFT = "raft"  # those of its own term: section 5.4.2
    COUNT_REPLICAS = "count_replicas"  # all


class ReadRule(Enum):
    """When a leader answers a read."""

    OWN_WORD = "own_word"  # at once: it takes itself for the leader
    CONFIRMED = "confirmed"  # when a majority has said, since the read came, that it still leads
    READ_INDEX = "read_index"  # that, and it has committed an entry of its term: dissertation, 6.4


commit_rule = constant(CommitRule.RAFT, says="which entries a leader may call committed by counting copies")
check_up_to_date = constant(True, says="5.4.1: no vote for a candidate whose log is behind the voter's")
persist_vote = constant(True, says="a vote is on disk before it is given")
lossy_restart = constant(False, says="a crash loses entries that are not on disk; else they are there at once")
follower_fsync = constant(True, says="with lossy restarts: what a follower acknowledges is on its disk")
send_fsync = constant(True, says="with lossy restarts: what a leader sends is on its disk")
count_fsync = constant(True, says="with lossy restarts: a leader's own copy counts when it is on its disk")
keep_disk = constant(True, says="a server that restarts finds its disk again, and not an empty one")
check_previous = constant(True, says="5.3: a follower compares the entry before the new one")
keep_matching_entries = constant(True, says="5.3: a follower cuts its log only where an entry differs")
no_op = constant(False, says="a leader begins its term with an entry that does nothing")
check_quorum = constant(False, says="a leader that a majority does not hear steps down; servers know if they hear one")
pre_vote = constant(False, says="a candidate asks first whether it would win (with check_quorum)")
commit_before_change = constant(True, says="a leader commits an entry of its term before it changes the membership")
directory_ids = constant(
    False, says="a server with another disk is another server, and votes for nobody under its old name"
)
snapshot_committed = constant(True, says="7: a snapshot holds what is applied; else all that is in the log")
keep_after_snapshot = constant(True, says="7: a follower that has a snapshot's last entry keeps what follows it")
ignore_old_snapshots = constant(True, says="a snapshot that ends before the follower's own changes nothing")
cuts = constant(0, minimum=0, maximum=4, says="pairs of servers that stop to reach each other, for good")
slow_timers = constant(False, says="election timers run out where no leader is heard, after all messages arrived")
fold_terms = constant(
    False, says="terms are counted from the lowest that a server is in, as long as all logs are empty"
)
read_rule = constant(ReadRule.READ_INDEX, says="when a leader answers a read")


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
ReadNumber = Annotated[int, Range(0, reads)]  # reads are numbered from 1


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


@record
class Read:
    """A client's read that a leader has yet to answer."""

    number: ReadNumber
    leader: Server
    term: Term
    confirmed_by: Set[Server]  # who has said since it came that the leader still leads


@record
class LogEnd:
    """Where a log ends: its last index, and the term of the entry there."""

    index: Index
    term: Term


Log = Annotated[Seq[Entry], Capacity(log_size)]
Snapshot = Annotated[Seq[Entry], Capacity(snapshots * log_size)]  # the entries that its content comes from


class Kind(Enum):
    """What a message is. Its reply carries the term of the server that replies."""

    VOTE_REQUEST = "vote_request"
    VOTE_REPLY = "vote_reply"
    APPEND_REQUEST = "append_request"
    APPEND_REPLY = "append_reply"
    SNAPSHOT_REQUEST = "snapshot_request"  # its reply is that to AppendEntries


@record
class Message:
    """A message from one server to another: RequestVote, AppendEntries, InstallSnapshot, and the replies to them."""

    kind: Kind
    term: Term
    source: Server
    to: Server
    index: Index = 0  # where the candidate's log ends; before which the new entry goes; up to where the logs agree
    log_term: Term = 0  # of requests: the term of the sender's entry at that index
    entry: Option[Entry] = None  # of an AppendEntries request that is not a heartbeat
    commit_index: Index = 0  # of an AppendEntries request: up to where the follower may then commit
    read: ReadNumber = 0  # of AppendEntries: the read that the leader had to answer when it sent it
    success: bool = False  # of replies: the vote is granted, the logs agree


@ghosts
class History:
    """What properties remember of a run; no step depends on it."""

    committed: Annotated[Seq[Committed], Capacity(log_size)]  # what was called committed first, by index
    committed_before: Index  # how much of it there was when the newest read began
    answer: Option[Index]  # up to where the answer to that read goes


@ghosts
class ProofHistory:
    """What only the proof remembers, of every term: see `invariants/raft/proof.py`."""

    ballots: Map[Term, Map[Server, Option[Server]]]  # whom each server voted for
    asked: Map[Term, Map[Server, Option[LogEnd]]]  # where the log of each server that asked for votes ended
    elected: Map[Term, Option[Server]]  # who led it
    leader_log: Map[Term, Log]  # that leader's log, while it led
    acknowledged: Map[Term, Map[Server, Index]]  # up to where each server has it on its disk and said so
    counted: Map[Term, Index]  # up to where that leader counted a majority; 0 if it did not
    leader_commit: Map[Term, Index]  # that leader's commit index
    leader_commit_term: Map[Term, Term]  # in which term a majority was counted up to there
    commit_term: Map[Server, Term]  # the same for each server's commit index


@state
class Cluster(History, ProofHistory):
    """The servers, and the messages between them."""

    current_term: Map[Server, Term]  # the newest term each server has heard of, on its disk
    voted_for: Map[Server, Option[Server]]  # whom it voted for in that term, on its disk
    log: Map[Server, Log]  # on its disk, with what its snapshot holds
    snapshot: Map[Server, Index]  # up to where it has a snapshot on its disk, and no entries any more
    role: Map[Server, Role]  # in memory, as is all that follows
    commit_index: Map[Server, Index]  # up to which index it knows its log to be committed, and has applied it
    votes_granted: Map[Server, Set[Server]]  # who voted for it, while it is a candidate
    next_index: Map[Server, Map[Server, NextIndex]]  # while it leads: the entry to send next to each other server
    match_index: Map[Server, Map[Server, Index]]  # while it leads: up to where each other's log is known to agree
    synced: Map[Server, Index]  # up to where its log is on its disk for certain, where restarts are lossy
    in_touch: Map[Server, bool]  # whether it heard the leader of its term since its election timer last ran out
    unreached: Map[Server, Set[Server]]  # whom each server does not reach, and is not reached by
    first_members: Set[Server]  # the members before any change
    wiped: Set[Server]  # who has lost its disk
    next_command: Command  # the number of the client's next command
    last_read: ReadNumber  # the number of the newest read
    read: Option[Read]  # that read, until it is answered
    network: Annotated[Bag[Message], Capacity(messages)]  # the messages in flight
    sent_snapshot: Map[
        Term, Snapshot
    ]  # what the snapshots hold that a term's leader has in flight: the longest of them


@initial
def start(members: Set[Server]) -> Cluster:
    """Empty logs, and no leader."""
    require(len(members) == servers - spares)
    return Cluster(
        current_term=Map({server: 0 for server in Server}),
        voted_for=Map({server: None for server in Server}),
        log=Map({server: Seq() for server in Server}),
        snapshot=Map({server: 0 for server in Server}),
        role=Map({server: Role.FOLLOWER for server in Server}),
        commit_index=Map({server: 0 for server in Server}),
        votes_granted=Map({server: Set() for server in Server}),
        next_index=Map({server: Map({other: 1 for other in Server}) for server in Server}),
        match_index=Map({server: Map({other: 0 for other in Server}) for server in Server}),
        synced=Map({server: 0 for server in Server}),
        in_touch=Map({server: False for server in Server}),
        unreached=Map({server: Set() for server in Server}),
        first_members=members,
        wiped=Set(),
        next_command=0,
        last_read=0,
        read=None,
        network=Bag(),
        sent_snapshot=Map({term: Seq() for term in range(max_term + 1)}),
    )


# --- what several steps do --------------------------------------------------------------------------------------------


def follow(s: Cluster, server: Server) -> None:
    """A server is a follower, and forgets what only a candidate or a leader knows."""
    s.role[server] = Role.FOLLOWER
    s.votes_granted[server] = Set()
    forget_followers(s, server)


def forget_followers(s: Cluster, server: Server) -> None:
    """What a leader knows of the others' logs is gone."""
    s.next_index[server] = Map({other: 1 for other in Server})
    s.match_index[server] = Map({other: 0 for other in Server})


def append(s: Cluster, leader: Server, entry: Entry) -> None:
    """A leader appends an entry of its term."""
    limit(len(s.log[leader]) < log_size)
    s.log[leader].append(entry)
    s.leader_log[entry.term].append(entry)
    if not lossy_restart:
        s.acknowledged[entry.term][leader] = len(s.leader_log[entry.term])


def sync(s: Cluster, leader: Server, index: int) -> None:
    """A leader's log is on its disk up to an index, where restarts are lossy: its own copies count up to there."""
    s.synced[leader] = max(s.synced[leader], index)
    s.acknowledged[s.current_term[leader]][leader] = s.synced[leader]


def forget_snapshot(s: Cluster, message: Message) -> None:
    """A message is in flight no more: of what snapshots of its term hold, the longest that is in flight is left."""
    longest = max(
        (other.index for other in s.network if other.kind == Kind.SNAPSHOT_REQUEST and other.term == message.term),
        default=0,
    )
    s.sent_snapshot[message.term] = s.sent_snapshot[message.term][:longest]


def fold_all_terms(s: Cluster) -> None:
    """Terms are counted from the lowest one. Steps compare terms, and take the next one: what may happen is the same.
    An entry keeps its term, so that nothing is folded once there is one."""
    if fold_terms and messages == 0 and all(len(s.log[server]) == 0 for server in Server):
        lowest = min(s.current_term[server] for server in Server)
        s.current_term = Map({server: s.current_term[server] - lowest for server in Server})


def are_linked(s: Cluster, one: Server, other: Server) -> bool:
    """Whether two servers reach each other."""
    return cuts == 0 or other not in s.unreached[one]


def are_talking(s: Cluster, one: Server, other: Server) -> bool:
    """Whether one of two servers sends the other requests, and hears replies: followers only answer."""
    return are_linked(s, one, other) and (s.role[one] != Role.FOLLOWER or s.role[other] != Role.FOLLOWER)


def hears_leader(s: Cluster, server: Server) -> bool:
    """Whether a server reaches the leader of its term."""
    return any(
        other != server
        and are_linked(s, server, other)
        and s.role[other] == Role.LEADER
        and s.current_term[other] == s.current_term[server]
        for other in Server
    )


def all_is_said(s: Cluster) -> bool:
    """Whether no election may yet be won, each server has heard of a term that it can, and of its leader."""
    return (
        all(not may_win(s, server) for server in Server)
        and all(
            s.current_term[one] == s.current_term[other] or not are_talking(s, one, other)
            for one in Server
            for other in Server
        )
        and (not check_quorum or all(s.in_touch[server] or not hears_leader(s, server) for server in Server))
    )


def may_win(s: Cluster, candidate: Server) -> bool:
    """Whether a majority has voted for a candidate, or may yet: it is reached, and has voted for nobody else."""
    return s.role[candidate] == Role.CANDIDATE and is_quorum(
        Set(
            at
            for at in Server
            if at in s.votes_granted[candidate]
            or (
                are_linked(s, candidate, at)
                and (
                    s.current_term[at] < s.current_term[candidate]
                    or (s.current_term[at] == s.current_term[candidate] and s.voted_for[at] is None)
                )
            )
        ),
        members(s, candidate),
    )


# --- members and majorities -------------------------------------------------------------------------------------------


def members(s: Cluster, server: Server) -> Set[Server]:
    """The members as this server knows them: from the newest configuration entry in its log, committed or not."""
    if membership_changes == 0:
        return s.first_members
    newest = configuration_index(s, server)
    return s.first_members if newest == 0 else s.log[server][newest - 1].members


def configuration_index(s: Cluster, server: Server) -> int:
    """The index of the newest configuration entry in a server's log; 0 without one."""
    return max((o + 1 for o in range(len(s.log[server])) if s.log[server][o].members != Set()), default=0)


def is_known(s: Cluster, server: Server) -> bool:
    """Whether a server is the one that the members' names mean: under KIP-853's rule, one with the disk it had."""
    return not directory_ids or server not in s.wiped


def is_quorum(some: Set[Server], of: Set[Server]) -> bool:
    """Whether a majority of these members, all servers if none join or leave, is among some servers."""
    return is_majority(some) if spares == 0 and membership_changes == 0 else is_majority_of(some, of)


def has_committed_in_its_term(s: Cluster, leader: Server) -> bool:
    """Whether a leader has committed an entry of its own term, and so all that was committed before."""
    return any(entry.term == s.current_term[leader] for entry in s.log[leader][: s.commit_index[leader]])
