"""Bounds in which a bug of groups is recorded are the smallest: with one less of anything nothing fails."""

from __future__ import annotations

import pytest

from ..support.shipped import one_less, said_plainly, tier_parameters
from .classic_group.test_stories import CHECKS

LEAST = {
    "consumers": 1,
    "partitions": 1,
    "max_generation": 1,
    "records": 0,
    "commits": 0,
    "failovers": 0,
    "pauses": 0,
    "leaves": 0,
    "expiries": 0,
}
BUGS = (
    "kafka_5154 cut_off no_double_client_assignment",
    "kafka_13636 joins_again offsets_kept_while_in_use",
)


@pytest.mark.parametrize("bug", tier_parameters(BUGS, lambda bug: "5154" in bug, long=lambda bug: False))
def test_one_less_is_not_enough(bug: str) -> None:
    profile, bounds, name = bug.split()
    (check,) = (c for c in CHECKS if (c.profile, c.bounds) == (profile, bounds) and name in c.properties)
    assert check.properties[name].verdict == "violated"
    sizes = {constant: value for constant in LEAST if isinstance(value := check.constants.get(constant), int)}
    said = {
        str(less): said_plainly(f"classic_group:{profile}", {**check.constants, **less}, name, symmetry=True)
        for less in one_less(sizes, LEAST)
    }
    assert said
    assert set(said.values()) == {"holds"}, said
