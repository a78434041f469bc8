"""Raft's elections, claimed to be Raft's promise: a term has one leader, and has it once (`model/leadership.py`).

The ghost `elected` remembers who was elected in each term; a term is over once that one no longer leads it.
"""

from __future__ import annotations

from ...language import Map, refines
from ...model import leadership, raft
from ...model.raft.cluster import Cluster, Role, Server, Term, max_term

modules = raft.modules
profiles = raft.profiles
view = raft.view


@refines(leadership, terms=max_term)
def as_leadership(s: Cluster) -> leadership.Terms:
    """Of a term there is to know whether it has a leader."""
    return leadership.Terms(leadership=Map({term: of_term(s, term) for term in range(max_term + 1)}))


def of_term(s: Cluster, term: Term) -> leadership.Leadership:
    """How it is with the leader of a term."""
    leaders = sum(1 for server in Server if s.role[server] == Role.LEADER and s.current_term[server] == term)
    return leadership.led_by(leaders, s.elected[term] is not None)
