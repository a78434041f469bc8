"""What must happen in KRaft's quorum: an old leader resigns, the high watermark of the newest leader moves on, and a
prospective voter does not stay one.

That some candidate wins in the end is not among them: each election is in a new epoch, and epochs have a bound, so that
every run of elections ends where the bound stops it. That one always can win is undecided for the same reason.
"""

from __future__ import annotations

from ...language import Set, always_possible, is_majority, leads_to, limits_of, reachable, weak
from ...model import kraft
from ...model.kraft import protocol
from ...model.kraft.quorum import Quorum, Role, Voter

modules = kraft.modules
profiles = kraft.profiles
view = kraft.view

_EPOCHS = (limits_of(protocol.election_timeout, protocol.end_quorum_epoch, protocol.fetch_timeout, protocol.write),)


def is_past(s: Quorum, leader: Voter) -> bool:
    """Whether a voter leads an epoch after which another one leads a newer one."""
    return s.election[leader].role == Role.LEADER and any(
        s.election[other].role == Role.LEADER and s.election[other].epoch > s.election[leader].epoch for other in Voter
    )


def is_not_past(s: Quorum, leader: Voter) -> bool:
    """Whether a voter does not lead, or nobody leads a newer epoch."""
    return not is_past(s, leader)


@leads_to(is_not_past, weak(protocol.let_time_pass), weak(protocol.resign_unheard, each="leader"), *_EPOCHS)
def old_leader_goes(s: Quorum, leader: Voter) -> bool:
    """KL5: a leader does not lead for ever beside one of a newer epoch, though it never hears of it."""
    return is_past(s, leader)


def is_unheard(s: Quorum, leader: Voter) -> bool:
    """Whether a voter leads, and no majority has fetched from it for as long as check-quorum waits."""
    return s.election[leader].role == Role.LEADER and s.election[leader].silent


def is_heard_or_leads_no_more(s: Quorum, leader: Voter) -> bool:
    """Whether a voter does not lead, or a majority has fetched from it."""
    return not is_unheard(s, leader)


@leads_to(
    is_heard_or_leads_no_more, weak(protocol.let_time_pass), weak(protocol.resign_unheard, each="leader"), *_EPOCHS
)
def unheard_leaders_resign(s: Quorum, leader: Voter) -> bool:
    """KL5: a leader from which no majority fetches resigns, also where nobody leads a newer epoch."""
    return is_unheard(s, leader)


@always_possible
def may_be_led(s: Quorum) -> bool:
    """Whatever has happened, some way leads to where a majority of voters follows a leader of the newest epoch.

    KL2 without any fairness."""
    return any(
        leads_newest(s, leader)
        and is_majority(Set(at for at in Voter if s.election[at].epoch == s.election[leader].epoch))
        for leader in Voter
    )


def asks(s: Quorum, voter: Voter) -> bool:
    """Whether a voter is prospective: it asks whether it could win."""
    return s.election[voter].role == Role.PROSPECTIVE


def asks_no_longer(s: Quorum, voter: Voter) -> bool:
    """Whether a voter is not prospective."""
    return not asks(s, voter)


@leads_to(asks_no_longer, weak(protocol.ask_for_pre_vote, protocol.give_up, each="voter"), *_EPOCHS)
def prospective_voters_go_on(s: Quorum, voter: Voter) -> bool:
    """KL4: a prospective voter becomes a candidate, hears of a leader or of a newer epoch, or gives up."""
    return asks(s, voter)


@leads_to(asks_no_longer, weak(protocol.ask_for_pre_vote, each="voter"))
def prospective_voters_go_on_without_giving_up(s: Quorum, voter: Voter) -> bool:
    """KL4 without what it needs: no timer ends a round of questions that brings no majority."""
    return asks(s, voter)


@reachable
def is_prospective(s: Quorum) -> bool:
    """What `prospective_voters_go_on` begins with."""
    return any(asks(s, voter) for voter in Voter)


def leads_newest(s: Quorum, leader: Voter) -> bool:
    """Whether a voter leads an epoch after which no voter knows another."""
    return s.election[leader].role == Role.LEADER and all(
        s.election[other].epoch <= s.election[leader].epoch for other in Voter
    )


def is_behind(s: Quorum, leader: Voter) -> bool:
    """Whether a voter leads the newest epoch, and its high watermark is below the end of its log."""
    return leads_newest(s, leader) and s.high_watermark[leader] < len(s.log[leader])


def is_not_behind(s: Quorum, leader: Voter) -> bool:
    """Whether a voter's high watermark is at the end of its log, or it does not lead the newest epoch."""
    return not is_behind(s, leader)


@leads_to(
    is_not_behind,
    weak(protocol.begin_quorum_epoch, each="voter"),
    weak(protocol.fetch, each="follower"),
    weak(protocol.truncate, each="follower"),
    *_EPOCHS,
)
def high_watermark_moves_on(s: Quorum, leader: Voter) -> bool:
    """Once nothing is appended, the newest leader's high watermark comes to its log's end, or a newer epoch begins."""
    return is_behind(s, leader)


@leads_to(is_not_behind, weak(protocol.begin_quorum_epoch, each="voter"), weak(protocol.truncate, each="follower"))
def high_watermark_moves_on_without_fetches(s: Quorum, leader: Voter) -> bool:
    """The same, where voters may stop to fetch."""
    return is_behind(s, leader)
