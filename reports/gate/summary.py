"""The gate's document as Markdown: what a CI system shows as a job's summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..document import Document
from ..text_page import seconds_text
from ..trace.markdown import argument_markdown, code_in_cell, escape_line
from ..trace.sequence import to_mermaid
from .terminal import check_result_text, gate_totals_text, run_condition_lines, skipped_by_reason

_MAX_COUNTEREXAMPLES = 10
"""More than this nobody reads in a summary, and GitHub takes 1 MiB; the others are in the report."""


def gate_summary(document: Document) -> str:
    """The page."""
    return "\n\n".join(_sections(document)) + "\n"


def _sections(document: Document) -> Iterator[str]:
    mark = "✓" if document["exit"] == 0 else "✗"
    yield f"# {mark} Tidegate: {gate_totals_text(document)}"
    at = f" at commit {code_in_cell(document['commit'])}" if document["commit"] else ""
    yield f"Tier {document['tier']}, {seconds_text(document['seconds'])}, exit {document['exit']}{at}."
    wrong = [check for check in document["checks"] if check["result"] != "ok"]
    if wrong:
        yield "## What differs"
        yield _checks_table(wrong, differences=True)
    yield from _counterexample_sections(document)
    if any(check["result"] == "ok" for check in document["checks"]):
        yield "## As recorded"
        yield _collapsible_section(
            "the checks", _checks_table([check for check in document["checks"] if check["result"] == "ok"])
        )
    for why, names in skipped_by_reason(document).items():
        yield f"## Not run: {len(names)}, {escape_line(why)}"
        yield _collapsible_section("their names", "\n".join(f"- {escape_line(name)}" for name in names))


def _checks_table(checks: list[Mapping[str, Any]], *, differences: bool = False) -> str:
    rows = ["| check | result | found |", "|---|---|---|"]
    for check in checks:
        texts = "<br>".join(escape_line(difference) for difference in check["differences"]) if differences else ""
        runs = [escape_line(line) for line in run_condition_lines(check)]
        found = "<br>".join(part for part in (escape_line(check_result_text(check)), texts, *runs) if part)
        pages = "".join(f" [{claim['name']}]({claim['html']})" for claim in check["claims"] if claim["html"])
        rows.append(f"| {escape_line(check['name'])}{pages} | {check['result']} | {found} |")
    return "\n".join(rows)


def _collapsible_section(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def _counterexample_sections(document: Document) -> Iterator[str]:
    """The counterexamples that nobody expects, each with its argument, its diagram and its replay line."""
    found = [
        (check, claim)
        for check in document["checks"]
        for claim in check["claims"]
        if claim["document"] is not None and not claim["recorded"]
    ]
    for check, claim in found[:_MAX_COUNTEREXAMPLES]:
        trace: Document = claim["document"]
        yield f"## {escape_line(trace['title'])}"
        yield escape_line(check["name"])
        if trace["argument"]:
            yield argument_markdown(trace)
        yield f"```mermaid\n{to_mermaid(trace)}```"
        yield f"```sh\n{trace['replay']}\n```"
    if len(found) > _MAX_COUNTEREXAMPLES:
        yield f"{len(found) - _MAX_COUNTEREXAMPLES} more counterexamples are in the report."
