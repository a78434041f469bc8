"""Logs whose records carry the epoch of the leader that wrote them, and where two of them part."""

from __future__ import annotations

from typing import Protocol, TypeVar

from ...language import Seq


class HasEpoch(Protocol):
    """A record with the epoch of its leader."""

    @property
    def epoch(self) -> int:
        """The epoch of the leader that wrote it."""
        ...


R = TypeVar("R", bound=HasEpoch)
T = TypeVar("T")


def common_prefix(one: Seq[T], other: Seq[T]) -> int:
    """One past the last offset at which both logs have the same record, 0 if there is none."""
    return max((o + 1 for o in range(min(len(one), len(other))) if one[o] == other[o]), default=0)


def common_end(one: Seq[R], other: Seq[R]) -> int:
    """One past the last offset at which both logs have a record of the same epoch, 0 if there is none: KIP-279."""
    return max((o + 1 for o in range(min(len(one), len(other))) if one[o].epoch == other[o].epoch), default=0)


def end_of_last_epoch(leader: Seq[R], follower: Seq[R], unknown: int) -> int:
    """KIP-101: the leader's answer to OffsetsForLeaderEpoch with the epoch of the follower's newest record.

    That is where its own records of later epochs begin. A leader that does not know leaves the follower with what is
    `unknown`: its high watermark.
    """
    if len(follower) == 0:
        return 0
    if len(leader) == 0:
        return unknown
    epoch = follower[len(follower) - 1].epoch
    if leader[len(leader) - 1].epoch == epoch:
        return len(leader)
    return min((o for o in range(len(leader)) if leader[o].epoch > epoch), default=unknown)
