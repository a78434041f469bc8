"""A row of an audit's first screen as a paragraph, and what it speaks of: the assumption that a baseline may accept."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from ..text_page import TextPage

HEADINGS = ("topics", "records", "writes", "decided by", "change")
MOST_COLUMNS = 100
HARD_SPACE = "\u00a0"
"""What keeps a mark beside its name."""
_SHOWN_TOPICS = 3


def row_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The topics with their mark, what happens to records and to writes, what decides it, and what changes it."""
    names = row["topics"]
    shown = _SHOWN_TOPICS + (len(names) == _SHOWN_TOPICS + 1)  # "and 1 more" would be no shorter
    more = f" and {len(names) - shown:,} more" if len(names) > shown else ""
    mark = "✗" if row["result"] == "failed" else "?"
    named = f"{mark}{HARD_SPACE}{', '.join(names[:shown])}{more}"
    return named, row["records"], row["writes"], "; ".join(row["decided"]), row["change"]


def write_row_paragraph(page: TextPage, row: Mapping[str, Any]) -> None:
    """A row in all the width of a page."""
    width = min(page.text_format.width, MOST_COLUMNS)
    for number, text in enumerate(_row_sentences(row)):
        style = "red" if row["result"] == "failed" and number == 0 else ""
        begins = "    " if number else ""
        for line in textwrap.wrap(text, width, initial_indent=begins, subsequent_indent="    ", break_on_hyphens=False):
            page.exact(line.replace(HARD_SPACE, " "), style=style)


def _row_sentences(row: Mapping[str, Any]) -> Iterator[str]:
    """What happens to the topics, then what decides it and what changes it."""
    name, records, writes, decided, change = row_cells(row)
    stops = "" if row["writes_word"] in ("met", "not required") else f"; writes {writes}"
    yield f"{name}: {'records are kept' if row['records_word'] == 'met' else records}{stops}"
    parts = [f"{title}: {text}" for title, text in (("decided by", decided), ("change", change)) if text]
    if parts:
        yield "; ".join(parts)


def write_assumption(page: TextPage, summary: Mapping[str, Any]) -> None:
    """What the assumption means that rows speak of, and the line with which a baseline accepts it."""
    if summary["assumable"] and not summary["stops_all"]:
        page.line(f"{summary['assumable']}:", hang=4)
        page.exact(summary["assumable_toml"])
