"""An audit's document as Markdown, for the summary of a job or a comment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..document import Document
from ..text_page import count
from ..trace.markdown import plain_text
from .repair import shown
from .table import LEGEND, UNDECIDED, heading, open_cells, others, rows
from .terminal import MARKS, audit_verdict, groups_of, mark_of, names_of, place_of, unmet

SHOWN = 50
"""Groups of topics in full; GitHub takes a summary of a megabyte."""


def audit_markdown(document: Document) -> str:
    """The page."""
    return "\n\n".join(_parts(document)) + "\n"


def _parts(document: Document) -> Iterator[str]:
    subjects: list[Mapping[str, Any]] = document["subjects"]
    yield f"# {plain_text(audit_verdict(document))}"
    if document["outages"]:
        yield "\n".join(f"- now: {plain_text(outage['says'])}" for outage in document["outages"])
    if document["assumptions"]:
        yield "\n".join(f"Assumed: {plain_text(assumption)}." for assumption in document["assumptions"])
    if document["out_of_time"]:
        yield f"Note: {plain_text(document['out_of_time'])}."
    yield "\n".join(line for group in groups_of(subjects) for line in _line(group))
    yield plain_text(MARKS)
    for subject in subjects[:SHOWN]:
        yield from _subject(subject, document)
    if document["findings"]:
        yield f"## {count(len(document['findings']), 'finding')} about the files"
        yield "\n".join(_finding(finding) for finding in document["findings"])
    yield "## Faults, and states of a partition when they happen"
    named = (*document["faults"], *document["situations"])
    yield "\n".join(f"- **{fault['name']}**: {plain_text(fault['says'])}" for fault in named)
    yield " ".join(plain_text(note) for note in document["notes"])


def _line(group: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    subject = group[0]
    yield f"- {mark_of(subject)} **{plain_text(names_of(group))}**: {plain_text(subject['headline'])}"
    yield from (f"  - if {plain_text(case['if'])}: {plain_text(case['says'])}" for case in subject["conditional"])
    yield from (f"  - {plain_text(says)}" for says in unmet(subject))


def _subject(subject: Mapping[str, Any], document: Document) -> Iterator[str]:
    yield f"## {plain_text(subject['name'])}"
    first, *lines = [f"| {' | '.join(row)} |" for row in (heading(subject, document), *rows(subject, document))]
    yield "\n".join([first, "|---" * (len(document["situations"]) + 1) + "|", *lines])
    yield plain_text(LEGEND)
    rest = [f"- {_item(says)}" for says in (*open_cells(subject), *others(subject, document))]
    if rest:
        yield "\n".join(rest)
    loss = subject["loss"]
    if loss:
        *steps, end = map(plain_text, loss["scenario"])
        yield f"{loss['title']} ({plain_text(loss['says'])}):"
        yield "\n".join(f"{number}. {says}" for number, says in enumerate(steps, 1))
        yield end
    if subject["repair"]:
        yield plain_text(subject["repair"]["headline"])
        for step in subject["repair"]["steps"]:
            yield f"- {plain_text(step['says'])}"
            if step["commands"]:
                yield "```sh\n" + "\n".join(shown(step)) + "\n```"
        yield " ".join(plain_text(says) for says in subject["repair"]["notes"])


def _item(says: str) -> str:
    """What stands in a list; the mark of what is not decided would begin a list of its own."""
    text = plain_text(says)
    return f"\\{text}" if text.startswith(f"{UNDECIDED} ") else text


def _finding(finding: Mapping[str, Any]) -> str:
    place = place_of(finding["where"])
    return f"- {finding['severity']}: {plain_text(place + ': ' + finding['what'] + '; ' + finding['to_do'])}"
