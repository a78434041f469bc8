"""A server crashes, and starts again with what is on its disk."""

from __future__ import annotations

from ...language import action, require
from .cluster import (
    Cluster,
    Index,
    Server,
    are_linked,
    crashes,
    cuts,
    follow,
    keep_disk,
    lossy_restart,
    messages,
    persist_vote,
)


@action(kind="fault", budget="crashes")
def restart(s: Cluster, server: Server, kept: Index) -> None:
    """{server} crashes and starts again, with {kept} of its {len(s.log[server])} entries."""
    require(crashes > 0)
    require(kept == (len(s.log[server]) if keep_disk else 0) or may_keep(s, server, kept))
    s.log[server].truncate(kept)
    s.synced[server] = kept if lossy_restart else 0
    s.commit_index[server] = 0
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
