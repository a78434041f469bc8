"""How a leader is elected (section 5.2 of the paper), how servers learn of newer terms (5.1), and who resigns."""

from __future__ import annotations

from ...language import Map, Set, action, limit, require
from .cluster import (
    Cluster,
    Entry,
    Kind,
    LogEnd,
    Message,
    Role,
    Server,
    Term,
    all_is_said,
    are_linked,
    are_talking,
    check_quorum,
    check_up_to_date,
    fold,
    follow,
    forget_followers,
    hears_leader,
    is_known,
    is_quorum,
    log_size,
    max_term,
    members,
    messages,
    no_op,
    pre_vote,
    slow_timers,
)
from .ghosts import note_elected

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
    fold(s)


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
    fold(s)


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
