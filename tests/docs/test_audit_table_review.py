"""bench/audit-table-review.toml: the rows of the audit's table that differ in one setting, and what was said of them.

The site shows it as docs/audit-table-review.md. Its numbers are those of the table, so that a table that answers
otherwise asks for another review.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pytest

from ..conftest import ROOT
from .test_audit_table_rules import RELEASES, tables

RECORD = ROOT / "bench" / "audit-table-review.toml"
SETTINGS = (
    ("acks", "replicas", "min.isr", "unclean"),
    ("acks", "replicas", "min.isr", "racks", "controllers"),
    ("acks", "replicas", "min.isr", "nodes", "quorum"),
)
WORDS = ("lost", "placed", "combined")
"""What the page calls the tables of a release. One with ZooKeeper has no third table."""

Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Rows that differ in one thing: how many pairs there are, how many answer otherwise, and in which columns."""

    pairs: int
    differ: int
    columns: frozenset[str]


def compare_rows(pairs: Sequence[tuple[Row, Row]], columns: Sequence[str]) -> Neighbours:
    """What pairs of rows differ in."""
    found = [[column for column in columns if one[column] != other[column]] for one, other in pairs]
    return Neighbours(len(found), sum(map(bool, found)), frozenset(column for some in found for column in some))


def rows_of(title: str, table: int) -> tuple[list[str], dict[tuple[str, ...], Row]]:
    """A release's table: the columns that answer, and the rows by their settings."""
    settings, found = SETTINGS[table], list(tables(title))
    columns, rows = found[table] if table < len(found) else ([], [])
    return columns[len(settings) :], {tuple(row[name] for name in settings): row for row in rows}


def neighbours_by_setting() -> Iterator[tuple[str, Neighbours]]:
    """The neighbours in each setting, in all releases together, under the words of the page."""
    for table, settings in enumerate(SETTINGS):
        for place, name in enumerate(settings):
            found: dict[tuple[str, str], list[tuple[Row, Row]]] = {}
            columns: list[str] = []
            for title in RELEASES:
                some, rows = rows_of(title, table)
                columns = some or columns
                values = sorted({key[place] for key in rows})
                for key, row in rows.items():
                    for one, other in pairwise(values):
                        beside = rows.get((*key[:place], other, *key[place + 1 :]))
                        if key[place] == one and beside is not None:
                            found.setdefault((one, other), []).append((row, beside))
            for (one, other), pairs in found.items():
                yield f"{WORDS[table]}: {name} {one} and {other}", compare_rows(pairs, columns)


def neighbours_by_release() -> Iterator[tuple[str, Neighbours]]:
    """The rows of each release and of the next one."""
    for one, other in pairwise(RELEASES):
        for table, word in enumerate(WORDS):
            (columns, rows), (_, beside) = rows_of(one, table), rows_of(other, table)
            pairs = [(row, beside[key]) for key, row in rows.items() if key in beside]
            if rows and beside:
                yield (
                    f"{word}: {one.removeprefix('Kafka ')}, {other.removeprefix('Kafka ')}",
                    compare_rows(pairs, columns),
                )


def review_rows() -> dict[str, tuple[Neighbours, str]]:
    """The rows of the review: what it says that the table has, and why."""
    found: dict[str, tuple[Neighbours, str]] = {}
    for part in tomllib.loads(RECORD.read_text(encoding="utf-8")).values():
        for name, numbers, columns, why in part["rows"]:
            differ, pairs = map(int, numbers.split(" of "))
            among = frozenset[str]() if columns == "none" else frozenset(columns.split(", "))
            found[name] = Neighbours(pairs, differ, among), why
    return found


NEIGHBOURS = dict([*neighbours_by_setting(), *neighbours_by_release()])


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_the_review_has_what_the_table_has_of(name: str) -> None:
    assert review_rows()[name][0] == NEIGHBOURS[name]


def test_the_review_has_nothing_else_and_a_reason_for_each() -> None:
    assert review_rows().keys() == NEIGHBOURS.keys()
    assert Counter(bool(re.search(r"\w{3}", why)) for _, why in review_rows().values()) == {True: len(NEIGHBOURS)}
