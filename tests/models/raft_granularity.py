"""Raft, with what distinguishes its two granularities: a step that only messages in flight can bring about."""

from __future__ import annotations

from tidegate.language import transition
from tidegate.model import raft
from tidegate.model.raft.cluster import Cluster, Role, Server

modules = raft.modules
profiles = raft.profiles


@transition
def votes_go_to_candidates(before: Cluster, after: Cluster) -> bool:
    """A server votes for another only while that one is a candidate of this term."""
    return all(
        before.voted_for[voter] == candidate
        or after.voted_for[voter] != candidate
        or (before.role[candidate] == Role.CANDIDATE and before.current_term[candidate] == after.current_term[voter])
        for voter in Server
        for candidate in Server
        if voter != candidate
    )
