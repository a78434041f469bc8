"""What must happen where voters change: who was removed learns of it (KL3)."""

from __future__ import annotations

from ...language import leads_to, limits_of, reachable, weak
from ...model import kraft_voters
from ...model.kraft import protocol
from ...model.kraft.quorum import *

modules = (*kraft_voters.modules, kraft_voters)
profiles = kraft_voters.profiles
view = kraft_voters.view

_LIMITS = limits_of(
    protocol.election_timeout,
    protocol.end_quorum_epoch,
    protocol.fetch_timeout,
    kraft_voters.elect_itself,
    kraft_voters.add_voter,
    kraft_voters.remove_voter,
)


def takes_itself_for_a_voter(s: Quorum, leader: Voter, voter: Voter) -> bool:
    """Whether a leader of the newest epoch has committed that a replica is removed, which does not know it."""
    return (
        s.election[leader].role == Role.LEADER
        and all(s.election[other].epoch <= s.election[leader].epoch for other in Voter)
        and not has_uncommitted_voters(s, leader)
        and is_counted(s, voter, voter)
        and not is_counted(s, leader, voter)
    )


def knows_its_place(s: Quorum, leader: Voter, voter: Voter) -> bool:
    """Whether it is not so."""
    return not takes_itself_for_a_voter(s, leader, voter)


@leads_to(
    knows_its_place,
    weak(protocol.begin_quorum_epoch, each="voter"),
    weak(protocol.fetch, each="follower"),
    weak(protocol.truncate, each="follower"),
    _LIMITS,
)
def removed_voters_learn_it(s: Quorum, leader: Voter, voter: Voter) -> bool:
    """KL3: who is removed learns it in the end, or a newer epoch begins."""
    return takes_itself_for_a_voter(s, leader, voter)


@reachable
def voter_is_removed_unawares(s: Quorum) -> bool:
    """What `removed_voters_learn_it` begins with."""
    return any(takes_itself_for_a_voter(s, leader, voter) for leader in Voter for voter in Voter)
