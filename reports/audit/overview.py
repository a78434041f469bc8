"""An audit's first screen: the headline, what is wrong now, and a row for each group of topics that fails or is not
decided, with what decides it and what changes it. At most 40 lines, whatever the cluster's size."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..document import Document
from ..text_page import TextFormat, TextPage, count_text
from .rows import HARD_SPACE, HEADINGS, MOST_COLUMNS, row_cells, write_assumption, write_row_paragraph
from .table import LIMITS
from .terminal import audit_verdict_line

MOST_LINES = 40
_STYLES_BY_MARK = {"✗": "red bold", "?": "yellow bold", "✓": "bold"}
_MOST_WIDTH = 32
"""Columns that the longest word of a cell may claim for itself."""
_MOST_NOW = 6
_MOST_STEPS = 8
"""Steps of a run that the first screen has room for."""
_SHOWN_TOPICS = 3


def audit_overview(document: Document, text_format: TextFormat) -> TextPage:
    """The first screen."""
    page = audit_headline(document, text_format)
    summary: Mapping[str, Any] = document["summary"]
    _write_outages(page, summary["now"])
    for assumption in document["assumptions"]:
        page.line(f"Assumed: {assumption}.", style="yellow")
    if summary["everywhere"]:
        page.line(f"everywhere: {summary['everywhere']}", hang=4, style="red")
    left_out = next(
        (number for number in range(_MOST_LEFT_OUT) if _rows_have_room(page, document, number)), _MOST_LEFT_OUT
    )
    ending = _ending_page(document, text_format, 0, left_out)
    room = MOST_LINES - len(page.lines) - len(ending.lines) - 1
    if summary["rows"] and not summary["stops_all"]:
        page.blank()
        _write_rows(page, summary["rows"], room)
    shown = [
        _write_what_fits(page, part, MOST_LINES - len(page.lines) - len(ending.lines) - 2)
        for part in (_finding_lines(document, text_format), _shortest_loss_lines(document, text_format))
    ]
    ending = _ending_page(document, text_format, shown[0], left_out)
    end = _cut_lines(ending.lines, MOST_LINES // 2)
    page.lines = _cut_lines(page.lines, MOST_LINES - len(end) - 1)
    page.blank()
    page.lines += end
    return page


_MOST_LEFT_OUT = 2
"""So much of the ending is left out where rows that fail have no room: what passes can still lose by, then what the
assumption means."""


def _rows_have_room(page: TextPage, document: Document, left_out: int) -> bool:
    """Whether all rows that fail have room above an ending of which so much is left out."""
    part = TextPage(page.text_format)
    failing = [row for row in document["summary"]["rows"] if row["result"] == "failed"]
    for row in failing[:MOST_LINES]:
        write_row_paragraph(part, row)
    others = len(failing) < len(document["summary"]["rows"])  # they are counted, in a line
    room = MOST_LINES - len(page.lines) - len(_ending_page(document, page.text_format, 0, left_out).lines) - 2
    return len(part.lines) + others <= room


def _ending_page(document: Document, text_format: TextFormat, shown_count: int, left_out: int) -> TextPage:
    page = TextPage(text_format)
    _write_ending(page, document["summary"], document, shown_count, left_out)
    return page


def _cut_lines(lines: list[str], most: int) -> list[str]:
    """Lines, those before the last one left out where they are too many."""
    return lines if len(lines) <= most else [*lines[: most - 2], _LEFT_OUT, lines[-1]]


_LEFT_OUT = "and more, for which there is no room; --all shows it"


def _write_what_fits(page: TextPage, paragraphs: Sequence[Sequence[str]], room: int) -> int:
    """As many of the paragraphs, in order, as there is room for; how many those are."""
    shown: list[str] = []
    count = 0
    for lines in paragraphs:
        if len(shown) + len(lines) > room:
            break
        shown += lines
        count += 1
    if shown:
        page.blank()
        page.lines += shown
    return count


def _finding_lines(document: Document, text_format: TextFormat) -> list[list[str]]:
    """What else was found in the files, a paragraph each."""
    paragraphs: list[list[str]] = []
    for says in document["summary"]["also"]:
        part = TextPage(text_format)
        part.line(f"• {says}", hang=2)
        paragraphs.append(part.lines)
    return paragraphs


def audit_headline(document: Document, text_format: TextFormat) -> TextPage:
    """The headline alone, and what is accepted no more, or was not."""
    page = TextPage(text_format)
    page.line(audit_verdict_line(document), style=_STYLES_BY_MARK[document["summary"]["mark"]])
    for subject in document["subjects"]:
        notes = dict.fromkeys(check["note"] for check in subject["checks"] if check["result"] != "accepted")
        for note in filter(None, notes):
            page.line(f"{', '.join(subject['topics'])}: {note}", hang=2)
    return page


def _write_outages(page: TextPage, now: Sequence[Mapping[str, Any]]) -> None:
    """What is out of service, each cause once."""
    causes = list(dict.fromkeys((outage["says"], outage["certain"]) for outage in now))
    for says, certain in causes[:_MOST_NOW]:
        page.line(f"now: {says}", hang=4, style="red bold" if certain else "yellow")
    if len(causes) > _MOST_NOW:
        page.line(f"and {count_text(len(causes) - _MOST_NOW, 'outage')} more; --all shows them")


# --- the table ------------------------------------------------------------------------------------------------------


def _write_rows(page: TextPage, rows: Sequence[Mapping[str, Any]], room: int) -> None:
    """The heading and as many rows as there is room for; the others are counted."""
    cells = [row_cells(row) for row in rows]
    widths = _column_widths(min(page.text_format.width, MOST_COLUMNS), [HEADINGS, *cells[:MOST_LINES]])
    if sum(len(list(_row_lines(texts, widths))) for texts in cells) > room - 2:
        _write_paragraphs(page, rows, room)
        return
    page.exact(_row_line(HEADINGS, widths), style="dim")
    left = room - 2
    for at, (row, texts) in enumerate(zip(rows, cells, strict=True)):
        lines = list(_row_lines(texts, widths))[: max(1, left - 1)]
        is_last = at + 1 == len(rows)
        if at and len(lines) + (not is_last) > left:
            more = sum(len(other["topics"]) for other in rows[at:])
            page.line(f"and {count_text(more, 'topic')} more; --all shows them")
            return
        for number, line in enumerate(lines):
            page.exact(line, style="red" if row["result"] == "failed" and number == 0 else "")
        left -= len(lines)


def _write_paragraphs(page: TextPage, rows: Sequence[Mapping[str, Any]], room: int) -> None:
    """Rows that have no room beside each other in columns, each as a paragraph of all the width."""
    left = room - 1
    for at, row in enumerate(rows):
        part = TextPage(page.text_format)
        write_row_paragraph(part, row)
        if at and len(part.lines) > left:
            more = sum(len(other["topics"]) for other in rows[at:])
            page.line(f"and {count_text(more, 'topic')} more; --all shows them")
            return
        page.lines += part.lines[: max(1, left)]
        left -= len(part.lines)


def _column_widths(columns: int, table: Sequence[Sequence[str]]) -> list[int]:
    """Each column has room for its longest word, if that is not too long; the rest goes to those with the most text."""
    by_column = list(zip(*table, strict=True))
    least = [min(_MOST_WIDTH, max(len(word) for text in texts for word in text.split(" "))) for texts in by_column]
    longest = [max(len(text) for text in texts) for texts in by_column]
    room = columns - 2 * (len(least) - 1)
    while sum(least) > room:
        least[least.index(max(least))] -= 1
    while sum(least) < room:
        wants = [lines / width for lines, width in zip(longest, least, strict=True)]
        if max(wants) <= 1:
            break
        least[wants.index(max(wants))] += 1
    return least


def _row_lines(texts: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    columns = [
        textwrap.wrap(_break_long_words(text, width), width, break_on_hyphens=False) or [""]
        for text, width in zip(texts, widths, strict=True)
    ]
    for number in range(max(map(len, columns))):
        yield _row_line([column[number] if number < len(column) else "" for column in columns], widths)


def _break_long_words(text: str, width: int) -> str:
    """A text whose words have room in a column: a key and its value part behind a dot, a colon, `=` or the like."""
    return " ".join(" ".join(_parts_of_word(word, width)) for word in text.split(" "))


def _parts_of_word(word: str, width: int) -> Iterator[str]:
    line = ""
    for part in _WORD_PARTS.findall(word) if len(word) > width else [word]:
        if line and len(line) + len(part) > width:
            yield line
            line = ""
        line += part
    yield line


_WORD_PARTS = re.compile(r"[^.,:=/_-]*[.,:=/_-]+|[^.,:=/_-]+")
"""A word's parts, each with the marks that end it."""


def _row_line(parts: Sequence[str], widths: Sequence[int]) -> str:
    line = "  ".join(part.ljust(width) for part, width in zip(parts, widths, strict=True))
    return line.replace(HARD_SPACE, " ").rstrip()


# --- the rest -------------------------------------------------------------------------------------------------------


def _shortest_loss_lines(document: Document, text_format: TextFormat) -> list[list[str]]:
    """The shortest way to lose something, where it is short enough for the first screen."""
    page = TextPage(text_format)
    _write_shortest_loss(page, document)
    return [page.lines] if page.lines else []


def _write_shortest_loss(page: TextPage, document: Document) -> None:
    subject = next(
        (subject for subject in document["subjects"] if subject["loss"] and _may_lose_required_records(subject)), None
    )
    if subject is None or document["summary"]["stops_all"]:
        return
    loss = subject["loss"]
    steps = loss["scenario"]
    if len(steps) > _MOST_STEPS:
        name = subject["topics"][0]
        page.line(f"A run of {len(steps) - 1} steps shows how records of {name} are lost; --topic prints it.")
        return
    page.line(f"How a record of {subject['topics'][0]} is lost ({loss['says']}):", style="bold")
    for number, says in enumerate(steps[:-1], 1):
        page.line(f"{number}. {says}", indent=2, hang=3)
    page.line(steps[-1], indent=2)


def _may_lose_required_records(subject: Mapping[str, Any]) -> bool:
    """Whether a topic may lose what it is required to keep."""
    return any(text.startswith(("no-loss", "no-unread")) for text in subject["failed"])


def _write_ending(
    page: TextPage, summary: Mapping[str, Any], document: Document, shown_count: int, left_out: int
) -> None:
    """What stands below the table; `shown_count` of the findings stand above it, and so much is left out of it."""
    if left_out < _MOST_LEFT_OUT or not summary["assumable"] or summary["stops_all"]:
        write_assumption(page, summary)
    else:
        name = summary["assumable"].partition(":")[0]
        page.line(f"{name}: --all explains it, and prints the line that accepts it.")
    for missing in summary["not_covered"][:_SHOWN_TOPICS]:
        page.line(f"not covered: {missing['what']}; {missing['to_do']}", hang=4, style="yellow")
    left = len(summary["not_covered"]) - _SHOWN_TOPICS
    if left > 0:
        page.line(f"and {count_text(left, 'thing')} more that is not covered; --all shows them")
    if summary["passing"] and summary["rows"] and not summary["stops_all"]:
        page.line(f"{count_text(summary['passing'], 'topic')} pass." if summary["passing"] > 1 else "1 topic passes.")
    for says in summary["beyond"][: 0 if left_out else _SHOWN_TOPICS]:
        page.line(f"{says}.", hang=4)
    if document["out_of_time"]:
        page.line(f"Note: {document['out_of_time']}.", style="yellow")
    page.line(f"{summary['read']}{_remarks_text(summary, shown_count)}. What is kept is kept {LIMITS}.", style="dim")
    page.line("More: --all everything; --topic NAME one topic in full; --out DIR pages.", style="dim")


def _remarks_text(summary: Mapping[str, Any], shown_count: int) -> str:
    """What `--all` says of the files besides: what should be mended and has no room here, and notes."""
    warnings, notes = len(summary["also"]) - shown_count, summary["notes"]
    left = [count_text(number, noun) for number, noun in ((warnings, "warning"), (notes, "note")) if number]
    return f"; --all has {' and '.join(left)} on them" if left else ""
