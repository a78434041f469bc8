"""The smallest bounds in which each published mistake of transactions shows, and what repairs it in bounds as large."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ...support.shipped import is_exhausted, one_less, said_plainly, tier_parameters
from ...support.smallest import Smallest, smallest_of


def fill_row(row: Smallest) -> Smallest:
    """The row with one of each where it names no other number."""
    if row.model != "transactions":
        return row
    return replace(row, sizes={"clients": 1, "partitions": 1, "transactions": 1, **row.sizes})


ROWS = tuple(map(fill_row, smallest_of("transactions.md")))
ONE = ("clients", "partitions", "transactions", "records", "writes", "max_generation", "consumers", "blocks")
LEAST = {**dict.fromkeys(ONE, 1), "brokers": 2, "entries": 6, "max_epoch": 12}
"""How much there is at least of what may not be none: a block is handed out twice to two brokers. A log's capacity
and the number of epochs are no budgets."""


def verdict(row: Smallest, sizes: dict[str, int]) -> str:
    """What plain Python says of the property in those bounds."""
    return said_plainly(row.target, sizes, row.fails)


@pytest.mark.parametrize(
    "row", tier_parameters(ROWS, lambda row: row.number == "B77", lambda row: f"{row.number} {row.fails}")
)
def test_one_less_of_each_bound_does_not_show_it(row: Smallest) -> None:
    assert verdict(row, row.sizes) == "violated"
    assert {verdict(row, sizes) for sizes in one_less(row.sizes, LEAST)} == {"holds"}


@pytest.mark.parametrize("row", [row for row in ROWS if row.repair], ids=lambda row: f"{row.number} {row.fails}")
def test_the_repair_is_exhausted_in_bounds_at_least_as_large(row: Smallest) -> None:
    assert is_exhausted(row.model, row.repair, row.bounds, row.fails, row.sizes)


def test_the_table_has_each_published_mistake() -> None:
    assert {row.number for row in ROWS} == {f"B{number}" for number in range(68, 80)}
