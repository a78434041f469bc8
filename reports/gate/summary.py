"""The gate's document as Markdown: what a CI system shows as a job's summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..document import Document
from ..text_page import seconds_text
from ..trace.markdown import argument, code, plain_text
from ..trace.sequence import mermaid
from .terminal import found_text, left_out, of_which_runs, sum_text

_MOST_COUNTEREXAMPLES = 10
"""More than this nobody reads in a summary, and GitHub takes 1 MiB; the others are in the report."""


def summary(document: Document) -> str:
    """The page."""
    return "\n\n".join(_parts(document)) + "\n"


def _parts(document: Document) -> Iterator[str]:
    mark = "✓" if document["exit"] == 0 else "✗"
    yield f"# {mark} Tidegate: {sum_text(document)}"
    at = f" at commit {code(document['commit'])}" if document["commit"] else ""
    yield f"Tier {document['tier']}, {seconds_text(document['seconds'])}, exit {document['exit']}{at}."
    wrong = [check for check in document["checks"] if check["result"] != "ok"]
    if wrong:
        yield "## What differs"
        yield _table(wrong, differences=True)
    yield from _counterexamples(document)
    if any(check["result"] == "ok" for check in document["checks"]):
        yield "## As recorded"
        yield _folded("the checks", _table([check for check in document["checks"] if check["result"] == "ok"]))
    for why, names in left_out(document).items():
        yield f"## Not run: {len(names)}, {plain_text(why)}"
        yield _folded("their names", "\n".join(f"- {plain_text(name)}" for name in names))


def _table(checks: list[Mapping[str, Any]], *, differences: bool = False) -> str:
    rows = ["| check | result | found |", "|---|---|---|"]
    for check in checks:
        texts = "<br>".join(plain_text(difference) for difference in check["differences"]) if differences else ""
        runs = [plain_text(line) for line in of_which_runs(check)]
        found = "<br>".join(part for part in (plain_text(found_text(check)), texts, *runs) if part)
        pages = "".join(f" [{claim['name']}]({claim['html']})" for claim in check["claims"] if claim["html"])
        rows.append(f"| {plain_text(check['name'])}{pages} | {check['result']} | {found} |")
    return "\n".join(rows)


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def _counterexamples(document: Document) -> Iterator[str]:
    """The counterexamples that nobody expects, each with its argument, its diagram and its replay line."""
    found = [
        (check, claim)
        for check in document["checks"]
        for claim in check["claims"]
        if claim["document"] is not None and not claim["recorded"]
    ]
    for check, claim in found[:_MOST_COUNTEREXAMPLES]:
        trace: Document = claim["document"]
        yield f"## {plain_text(trace['title'])}"
        yield plain_text(check["name"])
        if trace["argument"]:
            yield argument(trace)
        yield f"```mermaid\n{mermaid(trace)}```"
        yield f"```sh\n{trace['replay']}\n```"
    if len(found) > _MOST_COUNTEREXAMPLES:
        yield f"{len(found) - _MOST_COUNTEREXAMPLES} more counterexamples are in the report."
