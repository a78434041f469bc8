"""Quorums of members that change: for those of a whole domain the language has `is_majority`."""

from __future__ import annotations

from typing import TypeVar

from ...language import Set

K = TypeVar("K")


def is_majority_of(some: Set[K], members: Set[K]) -> bool:
    """Whether more than half of the members are among some."""
    return 2 * len(some & members) > len(members)
