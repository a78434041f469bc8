"""The smallest bounds in which each published mistake of groups shows, and what repairs it in bounds as large."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.invariants.catalogue import find

from ..support.shipped import is_exhausted, one_less, said_plainly, tier_parameters
from ..support.smallest import Smallest, smallest_of

NONE = ("records", "commits", "failovers", "pauses", "leaves", "expiries", "failed_loads", "timeouts", "crashes")
NONE_OF_OTHERS = ("disk_losses", "changes", "perturbations", "recreations", "max_epoch")
ONE = ("consumers", "partitions", "max_generation", "entries", "clients", "instances", "joins", "topics", "groups")
ONE_OF_OTHERS = ("homes", "up_at_first_use")
LEAST = {**dict.fromkeys(NONE + NONE_OF_OTHERS, 0), **dict.fromkeys(ONE + ONE_OF_OTHERS, 1)}
"""How much there is of everything, where a row does not say more; of records one, but in a classic group. A cluster has
three brokers in `offsets_outage`, and one elsewhere: of fewer the mistake is nothing."""


def least(model: str) -> dict[str, int]:
    """How much there is at least of each size in that model."""
    brokers = 3 if model == "offsets_outage" else 1
    return {**LEAST, "records": 0 if model == "classic_group" else 1, "brokers": brokers}


def fill_row(row: Smallest) -> Smallest:
    """The row with as little as may be of what it does not name."""
    definition, _ = find(row.target)
    few = {name: size for name, size in least(row.model).items() if name in definition.constants}
    return replace(row, sizes={**few, **row.sizes})


ROWS = tuple(map(fill_row, smallest_of("groups.md")))


def name_of(row: Smallest) -> str:
    return f"{row.number} {row.target} {row.fails}"


def verdict_in_bounds(row: Smallest, sizes: dict[str, int], cache: Path) -> str:
    """What native code says of the property in those bounds."""
    definition, profile = find(row.target)
    model = definition.bind("smallest", {**sizes}, profile, properties=[row.fails])
    (found,) = ENGINES["native"](model, Search(symmetry=True, deadlocks=False, cache=cache), None).properties
    return found.verdict


@pytest.mark.parametrize("row", [pytest.param(row, id=name_of(row), marks=pytest.mark.nightly) for row in ROWS])
def test_one_less_of_each_bound_does_not_show_it(row: Smallest, cache: Path) -> None:
    assert verdict_in_bounds(row, row.sizes, cache) == "violated"
    less = {str(sizes): verdict_in_bounds(row, sizes, cache) for sizes in one_less(row.sizes, least(row.model))}
    assert set(less.values()) <= {"holds"}, less


PLAIN = ("B92", "B96")


@pytest.mark.parametrize(
    "row", tier_parameters([row for row in ROWS if row.number in PLAIN], lambda row: "8715" in row.target, name_of)
)
def test_plain_python_says_so_too(row: Smallest) -> None:
    assert said_plainly(row.target, row.sizes, row.fails, symmetry=True) == "violated"
    for sizes in one_less(row.sizes, least(row.model)):
        assert said_plainly(row.target, sizes, row.fails, symmetry=True) == "holds", sizes


@pytest.mark.parametrize("row", [row for row in ROWS if row.repair], ids=name_of)
def test_the_repair_is_exhausted_in_bounds_at_least_as_large(row: Smallest) -> None:
    assert is_exhausted(row.model, row.repair, row.bounds, row.fails, row.sizes)


def test_the_table_has_each_published_mistake_of_safety() -> None:
    said_of = {row.number for row in ROWS}
    assert said_of >= {f"B{number}" for number in (81, 86, 87, 90, 91, 92, 95, 96)}
    assert said_of >= {f"KAFKA-{number}" for number in (5600, 8069, 12983, 12984, 13636, 14639)}


@pytest.mark.nightly
@pytest.mark.parametrize(
    "asked",
    [("kafka_8104", "joins_in_the_end"), ("kafka_12890", "gets_stable"), ("kafka_9752", "gets_stable")],
    ids=lambda asked: asked[0],
)
def test_of_progress_one_member_and_one_pause_are_enough(asked: tuple[str, str], cache: Path) -> None:
    profile, name = asked
    one = {"consumers": 1, "partitions": 1, "max_generation": 2, "entries": 3, "records": 0, "commits": 0}
    for pauses, expected in ((1, "violated"), (0, "holds")):
        sizes = {**one, "failovers": 0, "pauses": pauses}
        row = Smallest("", f"classic_group_live:{profile}", name, {**sizes, "appends_in_turn": True})
        assert verdict_in_bounds(row, row.sizes, cache) == expected, pauses
