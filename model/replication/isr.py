"""The leader changes the ISR, and the state in which no replica is left in it."""

from __future__ import annotations

from ...language import Set, action, replace, require, terminal
from .leaders import is_true_leader
from .records import are_in_one_epoch, follows, has_reached
from .state import Partition, Replica, await_epoch_start, fence_isr_expansion, fence_isr_shrink


@action
def shrink_isr(s: Partition, leader: Replica, follower: Replica) -> None:
    """{leader} takes {follower}, which lags, out of the ISR."""
    require(is_true_leader(s, leader))
    require(follower != leader)
    require(follower in s.isr[leader])
    require(
        not (
            follows(s, follower, leader)
            and (not fence_isr_shrink or are_in_one_epoch(s, follower, leader))
            and has_reached(s, follower, leader, len(s.log[leader]))
        )
    )
    write_isr(s, leader, s.isr[leader] - {follower})
    s.left_isr.add(follower)


@action
def expand_isr(s: Partition, leader: Replica, follower: Replica) -> None:
    """{leader} takes {follower}, which has all below the high watermark {s.high_watermark[leader]}, into the ISR."""
    require(is_true_leader(s, leader))
    require(not await_epoch_start or has_reached_its_epoch(s, leader))
    require(follower not in s.isr[leader])
    require(follows(s, follower, leader))
    require(not fence_isr_expansion or are_in_one_epoch(s, follower, leader))
    require(has_reached(s, follower, leader, s.high_watermark[leader]))
    write_isr(s, leader, s.isr[leader] | {follower})


def write_isr(s: Partition, leader: Replica, members: Set[Replica]) -> None:
    """The leader writes the ISR to ZooKeeper."""
    s.isr[leader] = members
    s.quorum = replace(s.quorum, isr=members)
    s.last_isr[s.leader_epoch[leader]] = members


def has_reached_its_epoch(s: Partition, leader: Replica) -> bool:
    """Whether the leader's high watermark has reached the records of its own epoch, so that it is no longer stale."""
    offset = s.high_watermark[leader]
    return offset == len(s.log[leader]) or s.log[leader][offset].epoch == s.leader_epoch[leader]


@terminal
def nobody_is_in_sync(s: Partition) -> bool:
    """The ISR is empty: as published, nobody can be elected any more and the partition stays as it is.

    The controller empties the ISR when it removes the last member while there is no leader; Kafka keeps that member.
    """
    return len(s.quorum.isr) == 0
