"""Bounds in which a bug of groups is recorded are the smallest: with one less of anything nothing fails."""

from __future__ import annotations

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.invariants.catalogue import find

from .shipped import tiered
from .test_classic_group import CHECKS

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


@pytest.mark.parametrize("bug", tiered(BUGS, lambda bug: "5154" in bug, long=lambda bug: False))
def test_one_less_is_not_enough(bug: str) -> None:
    profile, bounds, name = bug.split()
    (check,) = (c for c in CHECKS if (c.profile, c.bounds) == (profile, bounds) and name in c.properties)
    assert check.properties[name].verdict == "violated"
    definition, _ = find("classic_group")
    for constant, least in LEAST.items():
        value = check.constants[constant]
        if isinstance(value, int) and value > least:
            model = definition.bind("less", {**check.constants, constant: value - 1}, profile, properties=[name])
            (found,) = ENGINES["python"](model, Search(symmetry=True, deadlocks=False), None).properties
            assert found.verdict == "holds", constant
