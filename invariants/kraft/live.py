"""What must happen in KRaft's quorum: an old leader resigns, and the high watermark of the newest leader moves on.

That some candidate wins in the end is not among them: each election is in a new epoch, and epochs have a bound, so that
every run of elections ends where the bound stops it.
"""

from __future__ import annotations

from ...language import leads_to, weak
from ...model import kraft
from ...model.kraft.election import begin_quorum_epoch
from ...model.kraft.log import fetch, truncate
from ...model.kraft.quorum import Quorum, Role, Voter
from ...model.kraft.time import let_time_pass, resign_unheard

modules = kraft.modules
profiles = kraft.profiles
view = kraft.view


def is_past(s: Quorum, leader: Voter) -> bool:
    """Whether a voter leads an epoch after which another one leads a newer one."""
    return s.election[leader].role == Role.LEADER and any(
        s.election[other].role == Role.LEADER and s.election[other].epoch > s.election[leader].epoch for other in Voter
    )


def is_not_past(s: Quorum, leader: Voter) -> bool:
    """Whether a voter does not lead, or nobody leads a newer epoch."""
    return not is_past(s, leader)


@leads_to(is_not_past, weak(let_time_pass), weak(resign_unheard, each="leader"))
def old_leader_goes(s: Quorum, leader: Voter) -> bool:
    """KL5: a leader does not lead for ever beside one of a newer epoch, though it never hears of it."""
    return is_past(s, leader)


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
    weak(begin_quorum_epoch, each="voter"),
    weak(fetch, each="follower"),
    weak(truncate, each="follower"),
)
def high_watermark_moves_on(s: Quorum, leader: Voter) -> bool:
    """Once nothing is appended, the newest leader's high watermark comes to its log's end, or a newer epoch begins."""
    return is_behind(s, leader)


@leads_to(is_not_behind, weak(begin_quorum_epoch, each="voter"), weak(truncate, each="follower"))
def high_watermark_moves_on_without_fetches(s: Quorum, leader: Voter) -> bool:
    """The same, where voters may stop to fetch."""
    return is_behind(s, leader)
