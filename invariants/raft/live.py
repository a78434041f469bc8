"""What must happen in Raft: somebody leads for good, logs come to agree, and what a leader appends is committed.

Terms have a bound, and each election takes one. So that somebody leads for good is claimed where logs are empty and
terms are counted from the lowest (`fold_terms`): elections may go on for ever there, and a loop of them is one of Raft.
"""

from __future__ import annotations

from ...language import Set, eventually_always, leads_to, limits_of, reachable, weak
from ...model import raft
from ...model.raft import protocol
from ...model.raft.cluster import Cluster, Role, Server, is_quorum, members

modules = raft.modules
profiles = raft.profiles
view = raft.view

_TERMS = (weak(protocol.learn_of_term, each="server"),)
_ELECTIONS = (weak(protocol.request_vote, each="candidate"), weak(protocol.become_leader, each="candidate"))
_TIMERS = (weak(protocol.time_out, each="server"), weak(protocol.resign, each="leader"))
_TERMS_END = (limits_of(protocol.time_out, protocol.write, protocol.change_membership),)
_HEARTBEATS = (weak(protocol.append_entries, each="follower"),)


def is_led(s: Cluster) -> bool:
    """Whether somebody leads a majority: the servers in its term."""
    return any(
        s.role[leader] == Role.LEADER
        and is_quorum(Set(at for at in Server if s.current_term[at] == s.current_term[leader]), members(s, leader))
        for leader in Server
    )


@eventually_always(*_TERMS, *_ELECTIONS, *_TIMERS, *_HEARTBEATS)
def somebody_leads_for_good(s: Cluster) -> bool:
    """FL2: from some time on a majority of the members is in a term that one of them leads.

    It is the same leader in all of these states: before another one leads, a majority has come to its newer term to
    vote, so that none is left in the older one, and in between no majority is led. Members do not change in the bounds
    of this claim.
    """
    return is_led(s)


@eventually_always(*_TERMS, *_TIMERS, *_HEARTBEATS)
def somebody_leads_for_good_without_votes(s: Cluster) -> bool:
    """FL2 without what it needs: nobody votes."""
    return is_led(s)


@eventually_always(*_TERMS, *_ELECTIONS, *_HEARTBEATS)
def somebody_leads_for_good_without_timers(s: Cluster) -> bool:
    """FL2 without what it needs: no timer runs out."""
    return is_led(s)


# --- logs -------------------------------------------------------------------------------------------------------------

_REPLICATION = (weak(protocol.learn_of_term, each="server"), weak(protocol.append_entries, each="follower"))


def is_rejected(s: Cluster, leader: Server, follower: Server) -> bool:
    """Whether a leader of the newest term does not know of an entry up to which a member's log agrees with its own."""
    return (
        leads_newest(s, leader)
        and follower != leader
        and follower in members(s, leader)
        and s.match_index[leader][follower] < len(s.log[leader])
    )


def leads_newest(s: Cluster, leader: Server) -> bool:
    """Whether a server leads the newest term."""
    return s.role[leader] == Role.LEADER and all(s.current_term[at] <= s.current_term[leader] for at in Server)


def matches_or_leads_no_more(s: Cluster, leader: Server, follower: Server) -> bool:
    """Whether the leader knows that a member has its whole log, or leads the newest term no longer."""
    return not is_rejected(s, leader, follower)


@leads_to(matches_or_leads_no_more, *_REPLICATION, *_TERMS_END)
def backtracking_ends(s: Cluster, leader: Server, follower: Server) -> bool:
    """F10: a leader finds where a follower's log agrees and, once nothing is appended, brings it to its own end."""
    return is_rejected(s, leader, follower)


@leads_to(matches_or_leads_no_more, weak(protocol.learn_of_term, each="server"))
def backtracking_ends_without_appends(s: Cluster, leader: Server, follower: Server) -> bool:
    """F10 without what it needs: the leader stops to send."""
    return is_rejected(s, leader, follower)


def has_uncommitted(s: Cluster, leader: Server) -> bool:
    """Whether the leader of the newest term has an entry of its term that is not committed."""
    return leads_newest(s, leader) and any(
        entry.term == s.current_term[leader] for entry in s.log[leader][s.commit_index[leader] :]
    )


def has_committed_all(s: Cluster, leader: Server) -> bool:
    """Whether it has none, or leads the newest term no longer."""
    return not has_uncommitted(s, leader)


@leads_to(has_committed_all, *_REPLICATION, weak(protocol.advance_commit_index, each="leader"), *_TERMS_END)
def entries_are_committed(s: Cluster, leader: Server) -> bool:
    """FL1: once nothing is appended, all that a leader appended in its term is committed, or a newer term begins."""
    return has_uncommitted(s, leader)


@leads_to(
    has_committed_all, weak(protocol.learn_of_term, each="server"), weak(protocol.advance_commit_index, each="leader")
)
def entries_are_committed_without_appends(s: Cluster, leader: Server) -> bool:
    """FL1 without what it needs: the leader stops to send."""
    return has_uncommitted(s, leader)


def is_changing_members(s: Cluster, leader: Server) -> bool:
    """Whether the leader of the newest term has a change of the members that is not committed."""
    return leads_newest(s, leader) and any(
        entry.members != Set() and entry.term == s.current_term[leader]
        for entry in s.log[leader][s.commit_index[leader] :]
    )


def has_changed_members(s: Cluster, leader: Server) -> bool:
    """Whether it has none, or leads the newest term no longer."""
    return not is_changing_members(s, leader)


@leads_to(has_changed_members, *_REPLICATION, weak(protocol.advance_commit_index, each="leader"), *_TERMS_END)
def reconfigurations_complete(s: Cluster, leader: Server) -> bool:
    """FL3: a change of the members is committed, or a newer term begins."""
    return is_changing_members(s, leader)


@leads_to(
    has_changed_members, weak(protocol.learn_of_term, each="server"), weak(protocol.advance_commit_index, each="leader")
)
def reconfigurations_complete_without_appends(s: Cluster, leader: Server) -> bool:
    """FL3 without what it needs: the leader stops to send."""
    return is_changing_members(s, leader)


# --- what the claims begin with ---------------------------------------------------------------------------------------


@reachable
def logs_disagree(s: Cluster) -> bool:
    """A leader of the newest term has to go back: a member has another entry than it has."""
    return any(
        is_rejected(s, leader, at)
        and any(s.log[at][o].term != s.log[leader][o].term for o in range(min(len(s.log[at]), len(s.log[leader]))))
        for leader in Server
        for at in Server
    )


@reachable
def members_change(s: Cluster) -> bool:
    """A change of the members is under way."""
    return any(is_changing_members(s, leader) for leader in Server)


@reachable
def cut_off_candidate_is_ahead(s: Cluster) -> bool:
    """A server leads, and one that it does not reach is a candidate of a newer term."""
    return any(
        s.role[one] == Role.LEADER
        and s.role[other] == Role.CANDIDATE
        and s.current_term[other] > s.current_term[one]
        and other in s.unreached[one]
        for one in Server
        for other in Server
    )
