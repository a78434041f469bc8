"""Members come and go one at a time (chapter 4 of the dissertation), and some return with another disk."""

from __future__ import annotations

from ...language import Set, action, require
from .cluster import (
    Cluster,
    Entry,
    Role,
    Server,
    append,
    commit_before_change,
    configuration_index,
    follow,
    has_committed_in_its_term,
    members,
    membership_changes,
    wipes,
)

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
    s.commit_index[server] = 0
    follow(s, server)
    s.synced[server] = 0
    s.in_touch[server] = False
    s.wiped.add(server)
