"""An audit's document as Markdown, for the summary of a job or a comment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..document import Document
from ..text_page import count_text
from ..trace.markdown import escape_line
from .repair import step_lines
from .rows import HEADINGS, row_cells
from .table import LEGEND, UNDECIDED, open_cell_lines, other_question_lines, proved_lines, table_heading, table_rows
from .terminal import (
    MARKS,
    audit_verdict_line,
    group_alike_subjects,
    group_names,
    origin_text,
    subject_mark,
    unmet_lines,
)

MAX_GROUPS = 50
"""Groups of topics in full; GitHub takes a summary of a megabyte."""


def audit_markdown(document: Document) -> str:
    """The page."""
    return "\n\n".join(_sections(document)) + "\n"


def _sections(document: Document) -> Iterator[str]:
    subjects: list[Mapping[str, Any]] = document["subjects"]
    yield f"# {escape_line(audit_verdict_line(document))}"
    if document["outages"]:
        yield "\n".join(f"- now: {escape_line(outage['says'])}" for outage in document["outages"])
    if document["assumptions"]:
        yield "\n".join(f"Assumed: {escape_line(assumption)}." for assumption in document["assumptions"])
    if document["out_of_time"]:
        yield f"Note: {escape_line(document['out_of_time'])}."
    rows: list[Mapping[str, Any]] = document["summary"]["rows"]
    if rows:
        cells = [[escape_line(text) for text in row_cells(row)] for row in rows[:MAX_GROUPS]]
        yield _table_text(HEADINGS, cells)
    yield "\n".join(line for group in group_alike_subjects(subjects) for line in _group_lines(group))
    yield escape_line(MARKS)
    for subject in subjects[:MAX_GROUPS]:
        yield from _subject_section(subject, document)
    if document["findings"]:
        yield f"## {count_text(len(document['findings']), 'finding')} about the files"
        yield "\n".join(_finding_text(finding) for finding in document["findings"])
    yield "## Faults, and states of a partition when they happen"
    named = (*document["faults"], *document["situations"])
    yield "\n".join(f"- **{fault['name']}**: {escape_line(fault['says'])}" for fault in named)
    yield " ".join(escape_line(note) for note in document["notes"])


def _table_text(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, whose second line has as many cells as its heading: otherwise it is none."""
    lines = [f"| {' | '.join(row)} |" for row in (heading, ["---"] * len(heading), *rows)]
    return "\n".join(lines)


def _group_lines(group: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    subject = group[0]
    yield f"- {subject_mark(subject)} **{escape_line(group_names(group))}**: {escape_line(subject['headline'])}"
    yield from (f"  - if {escape_line(case['if'])}: {escape_line(case['says'])}" for case in subject["conditional"])
    yield from (f"  - {escape_line(says)}" for says in unmet_lines(subject))


def _subject_section(subject: Mapping[str, Any], document: Document) -> Iterator[str]:
    yield f"## {escape_line(subject['name'])}"
    yield _table_text(table_heading(subject, document), [*table_rows(subject, document)])
    yield escape_line(LEGEND)
    lines = (*open_cell_lines(subject), *proved_lines(subject), *other_question_lines(subject, document))
    rest = [f"- {_item_text(says)}" for says in lines]
    if rest:
        yield "\n".join(rest)
    loss = subject["loss"]
    if loss:
        *steps, end = map(escape_line, loss["scenario"])
        yield f"{loss['title']} ({escape_line(loss['says'])}):"
        yield "\n".join(f"{number}. {says}" for number, says in enumerate(steps, 1))
        yield end
    if subject["repair"]:
        yield escape_line(subject["repair"]["headline"])
        for step in subject["repair"]["steps"]:
            yield f"- {escape_line(step['says'])}"
            if step["commands"]:
                yield "```sh\n" + "\n".join(step_lines(step)) + "\n```"
        yield " ".join(escape_line(says) for says in subject["repair"]["notes"])


def _item_text(says: str) -> str:
    """What stands in a list; the mark of what is not decided would begin a list of its own."""
    text = escape_line(says)
    return f"\\{text}" if text.startswith(f"{UNDECIDED} ") else text


def _finding_text(finding: Mapping[str, Any]) -> str:
    place = origin_text(finding["where"])
    return f"- {finding['severity']}: {escape_line(place + ': ' + finding['what'] + '; ' + finding['to_do'])}"
