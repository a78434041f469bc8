"""Which claims to own partitions an assignor believes, by the version of Kafka's clients.

A member says which partitions it owns, and of which generation that is. A claim may be stale: a member that missed a
rebalance claims what another got in it. Source: AbstractStickyAssignor of the clients 2.8.0, 2.8.1, 3.0, 3.4.1 and 3.9.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

from ...language import Map, Set

M = TypeVar("M")


class Trust(Enum):
    """Which claims to own a partition the leader believes."""

    ALL = "all"  # up to 2.8.0: whoever claims a partition keeps it
    HIGHEST_GENERATION = "highest generation"  # KAFKA-12984, 2.8.1: those of the highest generation that anybody names
    NEWEST = "newest"  # KAFKA-14639, 3.4.1 and 3.5: of each partition those of the newest generation


def claims_that_count(claims: Set[M], generation: Map[M, int], highest: int, trust: Trust) -> Set[M]:
    """Whose claims of a partition count, where `generation` is what members name, and `highest` the most of it. Several
    may: then nobody has the partition in this rebalance, unless all claims are believed."""
    if trust == Trust.ALL:
        return claims
    if trust == Trust.HIGHEST_GENERATION:
        return Set(m for m in claims if generation[m] == highest)
    return Set(m for m in claims if all(generation[m] >= generation[other] for other in claims))
