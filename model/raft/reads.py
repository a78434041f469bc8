"""Clients read from a leader (section 6.4 of the dissertation), which may be one no more."""

from __future__ import annotations

from ...language import Option, Set, action, limit, replace, require
from .cluster import (
    Cluster,
    Message,
    Read,
    ReadRule,
    Role,
    Server,
    has_committed_in_its_term,
    is_quorum,
    members,
    read_rule,
    reads,
)

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
