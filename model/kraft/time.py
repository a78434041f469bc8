"""Check-quorum: a leader from which no majority has fetched for a while resigns (KIP-595, and only since 3.7).

Elsewhere KRaft has no clock here: a timeout may always expire. But that an isolated leader goes on leading, and does
not answer (KAFKA-15489), is a question of how long. So here time passes, in the one unit that matters: that of
check-quorum, one and a half times `controller.quorum.fetch.timeout.ms`. Whoever has to act when the time is up does so
before more of it passes.
"""

from __future__ import annotations

from ...language import action, replace, require
from .quorum import CheckQuorum, Quorum, Role, Voter, check_quorum, leading


@action
def let_time_pass(s: Quorum) -> None:
    """As much time passes as a leader waits for a majority to fetch."""
    require(check_quorum != CheckQuorum.UNTIMED)
    require(any(s.election[voter].role == Role.LEADER for voter in Voter))
    require(check_quorum == CheckQuorum.MISSING or not any(s.election[voter].silent for voter in Voter))
    for voter in Voter:
        if s.election[voter].role == Role.LEADER:
            s.election[voter] = replace(s.election[voter], silent=True)
            s.led_for[voter] = min(3, s.led_for[voter] + 1)


@action
def resign_unheard(s: Quorum, leader: Voter) -> None:
    """{leader} has waited too long for a majority to fetch, and resigns from epoch {s.election[leader].epoch}."""
    require(check_quorum == CheckQuorum.TIMED)
    require(s.election[leader].role == Role.LEADER and s.election[leader].silent)
    s.election[leader] = leading(Role.RESIGNED, s.election[leader].epoch, leader)
