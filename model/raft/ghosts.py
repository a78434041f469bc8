"""What the properties and the proof remember of a term: bookkeeping that no server does."""

from __future__ import annotations

from .cluster import Cluster, Committed, Server, lossy_restart


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
