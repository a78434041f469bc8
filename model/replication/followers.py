"""A replica starts to follow a new leader, and truncates its log: which of its own records may it keep?"""

from __future__ import annotations

from ...language import action, require
from ..parts.logs import common_prefix, end_of_last_epoch
from .leaders import presumes_leadership
from .state import LeaderAndIsr, Partition, Replica, Truncation, fence_truncation, truncate_on_fetch, truncation


@action
def become_follower(s: Partition, request: LeaderAndIsr, replica: Replica) -> None:
    """{replica} learns that {request.leader} leads epoch {request.leader_epoch}, and follows it."""
    require(request.leader is not None)
    require(not fence_truncation or is_in_office(s, request))
    require(replica != request.leader)
    require(request.leader_epoch > s.leader_epoch[replica])
    leader = request.leader
    assert leader is not None
    end = len(s.log[replica]) if truncate_on_fetch else truncation_offset(s, leader, replica)
    require(end <= len(s.log[replica]))  # as published; Kafka truncates nothing then and goes on
    cut(s, replica, end)
    s.leader_epoch[replica] = request.leader_epoch
    s.leader[replica] = leader
    s.isr[replica] = request.isr


def cut(s: Partition, replica: Replica, end: int) -> None:
    """A replica truncates its log, and with it what it knows to be committed."""
    s.log[replica].truncate(end)
    s.high_watermark[replica] = min(end, s.high_watermark[replica])


def is_in_office(s: Partition, request: LeaderAndIsr) -> bool:
    """Whether the leader that the request names leads that very epoch, as far as it knows."""
    leader = request.leader
    return leader is not None and presumes_leadership(s, leader) and s.leader_epoch[leader] == request.leader_epoch


def truncation_offset(s: Partition, leader: Replica, follower: Replica) -> int:
    """Where the follower truncates its log, given the leader's."""
    match truncation:
        case Truncation.HIGH_WATERMARK:
            return s.high_watermark[follower]
        case Truncation.END_OF_EPOCH:
            return end_of_last_epoch(s.log[leader], s.log[follower], s.high_watermark[follower])
        case Truncation.COMMON_PREFIX:
            return common_prefix(
                s.log[leader], s.log[follower]
            )  # the outcome of one or more rounds of OffsetsForLeaderEpoch
