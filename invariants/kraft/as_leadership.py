"""KRaft's elections, claimed to be Raft's promise: a term has one leader, and has it once (`model/leadership.py`).

The ghost `elected` remembers who was elected in each term; a term is over once that one no longer leads it.
"""

from __future__ import annotations

from ...language import Map, refines
from ...model import kraft, leadership
from ...model.kraft.quorum import Epoch, Quorum, Role, Voter, max_epoch

modules = kraft.modules
profiles = kraft.profiles
view = kraft.view


@refines(leadership, terms=max_epoch)
def as_leadership(s: Quorum) -> leadership.Terms:
    """Of a term there is to know whether it has a leader."""
    return leadership.Terms(leadership=Map({term: of_term(s, term) for term in range(max_epoch + 1)}))


def of_term(s: Quorum, term: Epoch) -> leadership.Leadership:
    """How it is with the leader of a term."""
    leaders = sum(1 for server in Voter if s.election[server].role == Role.LEADER and s.election[server].epoch == term)
    return leadership.led_by(leaders, s.elected[term] is not None)
