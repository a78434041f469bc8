"""A row as a paragraph, and the line that accepts what it speaks of."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.reports.audit.rows import row_cells, write_assumption, write_row_paragraph
from tidegate.reports.text_page import TextFormat, TextPage

ROW: dict[str, Any] = {
    "result": "failed", "topics": ["a", "b", "c", "d", "e"], "records": "kept",
    "writes": "stop while one broker is down", "records_word": "met", "writes_word": "failed",
    "decided": ["t:1 min.insync.replicas=3"], "change": "min.insync.replicas=2",
}  # fmt: skip


def test_a_paragraph_says_what_happens_then_what_decides_and_what_changes_it() -> None:
    page = TextPage(TextFormat(width=100))
    write_row_paragraph(page, ROW)
    assert page.text().splitlines() == [
        "✗ a, b, c and 2 more: records are kept; writes stop while one broker is down",
        "    decided by: t:1 min.insync.replicas=3; change: min.insync.replicas=2",
    ]
    assert row_cells({**ROW, "topics": ["a", "b", "c", "d"]})[0].endswith("a, b, c, d")


@pytest.mark.parametrize(("stops_all", "lines"), [(False, ["controllers: they wait:", "accepted = []"]), (True, [])])
def test_the_line_that_accepts_an_assumption_is_never_broken(stops_all: bool, lines: list[str]) -> None:
    page = TextPage(TextFormat(width=100))
    summary = {"assumable": "controllers: they wait", "assumable_toml": "accepted = []", "stops_all": stops_all}
    write_assumption(page, summary)
    assert page.lines == lines
