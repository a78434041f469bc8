"""An audit's document as Markdown, for the summary of a job or a comment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..document import Document
from ..paper import count
from ..trace.markdown import plain_text
from .page import LEGEND, MARKS, audit_verdict, place_of
from .repair import shown

SHOWN = 50
"""Groups of topics in full; GitHub takes a summary of a megabyte."""


def audit_markdown(document: Document) -> str:
    """The page."""
    return "\n\n".join(_parts(document)) + "\n"


def _parts(document: Document) -> Iterator[str]:
    subjects: list[Mapping[str, Any]] = document["subjects"]
    yield f"# {plain_text(audit_verdict(document))}"
    if document["outages"]:
        yield "\n".join(f"- now: {plain_text(each['says'])}" for each in document["outages"])
    if document["assumptions"]:
        yield "\n".join(f"Assumed: {plain_text(each)}." for each in document["assumptions"])
    yield "\n".join(line for each in subjects for line in _line(each))
    for each in subjects[:SHOWN]:
        yield from _subject(each, document)
    if document["findings"]:
        yield f"## {count(len(document['findings']), 'finding')} about the files"
        yield "\n".join(_finding(each) for each in document["findings"])
    yield "## Levels"
    yield "\n".join(f"- **{each['name']}**: {plain_text(each['says'])}" for each in document["levels"])
    yield LEGEND.replace("*", "\\*")
    yield " ".join(plain_text(each) for each in document["notes"])


def _line(each: Mapping[str, Any]) -> Iterator[str]:
    yield f"- {_mark(each)} **{plain_text(each['name'])}**: {plain_text(each['headline'])}"
    yield from (f"  - if {plain_text(case['if'])}: {plain_text(case['says'])}" for case in each["conditional"])


def _mark(each: Mapping[str, Any]) -> str:
    return "✗" if each["failed"] else "✓"


def _subject(each: Mapping[str, Any], document: Document) -> Iterator[str]:
    levels = [level["name"] for level in document["levels"]]
    yield f"## {plain_text(each['name'])}"
    yield "\n".join([
        f"| | {' | '.join(levels)} |",
        "|---" * (len(levels) + 1) + "|",
        *(_row(question, each["table"][question["name"]], levels) for question in document["questions"]),
    ])  # fmt: skip
    loss = each["loss"]
    if loss:
        steps = [f"{number}. {plain_text(says)}" for number, says in enumerate(loss["scenario"], 1)]
        yield f"How it is lost ({loss['level']}):\n\n" + "\n".join(steps)
    if each["repair"]:
        yield plain_text(each["repair"]["headline"])
        for step in each["repair"]["steps"]:
            yield f"- {plain_text(step['says'])}"
            if step["commands"]:
                yield "```sh\n" + "\n".join(shown(step)) + "\n```"
        yield " ".join(plain_text(says) for says in each["repair"]["notes"])


def _row(question: Mapping[str, Any], cells: Mapping[str, Any], levels: list[str]) -> str:
    marks = [MARKS[cells[at]["word"]] + ("\\*" if cells[at]["basis"] == "arithmetic" else "") for at in levels]
    return f"| {question['title']} | {' | '.join(marks)} |"


def _finding(each: Mapping[str, Any]) -> str:
    place = place_of(each["where"])
    return f"- {each['severity']}: {plain_text(place + ': ' + each['what'] + '; ' + each['to_do'])}"
