"""The smallest bounds in which each published mistake of transactions shows, and what repairs it in bounds as large."""

from __future__ import annotations

import re

import pytest
from tidegate.language.immutable import immutable

from .conftest import ROOT
from .shipped import is_exhausted, one_less, said_plainly, tiered


@immutable
class Smallest:
    """A mistake: its number, its profile, what fails in which bounds, and the repair with its recorded bounds."""

    number: str
    target: str
    fails: str
    sizes: dict[str, int]
    repair: str = ""
    bounds: str = ""

    @property
    def model(self) -> str:
        """The model's name."""
        return self.target.split(":")[0]


TABLE = re.compile(r"^\| (B\d+) \| [^|]* \| `([\w:]+)` \| `(\w+)` \| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
SIZE = re.compile(r"`(\w+)=(\d+)`")
REPAIR = re.compile(r"`(\w+)` at `(\w+)`")


def in_the_docs() -> tuple[Smallest, ...]:
    """The rows of the table in docs/transactions.md."""
    text = (ROOT / "docs" / "transactions.md").read_text(encoding="utf-8")
    return tuple(row_of(*found) for found in TABLE.findall(text))


def row_of(number: str, target: str, fails: str, sizes: str, repair: str) -> Smallest:
    """A row of the table."""
    given = {name: int(size) for name, size in SIZE.findall(sizes)}
    if target.startswith("transactions:"):
        given = {"clients": 1, "partitions": 1, "transactions": 1, **given}
    found = REPAIR.match(repair)
    return Smallest(number, target, fails, given, *(found.groups() if found else ("", "")))


ROWS = in_the_docs()
ONE = ("clients", "partitions", "transactions", "records", "writes", "max_generation", "consumers", "blocks")
LEAST = {**dict.fromkeys(ONE, 1), "brokers": 2, "entries": 6, "max_epoch": 12}
"""How much there is at least of what may not be none: a block is handed out twice to two brokers. A log's capacity
and the number of epochs are no budgets."""


def verdict(row: Smallest, sizes: dict[str, int]) -> str:
    """What plain Python says of the property in those bounds."""
    return said_plainly(row.target, sizes, row.fails)


@pytest.mark.parametrize("row", tiered(ROWS, lambda row: row.number == "B77", lambda row: f"{row.number} {row.fails}"))
def test_one_less_of_each_bound_does_not_show_it(row: Smallest) -> None:
    assert verdict(row, row.sizes) == "violated"
    assert {verdict(row, sizes) for sizes in one_less(row.sizes, LEAST)} == {"holds"}


@pytest.mark.parametrize("row", [row for row in ROWS if row.repair], ids=lambda row: f"{row.number} {row.fails}")
def test_the_repair_is_exhausted_in_bounds_at_least_as_large(row: Smallest) -> None:
    assert is_exhausted(row.model, row.repair, row.bounds, row.fails, row.sizes)


def test_the_table_has_each_published_mistake() -> None:
    assert {row.number for row in ROWS} == {f"B{number}" for number in range(68, 80)}
