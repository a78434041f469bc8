"""The `index.html` of a gate: what differs first, then each check with what was found and its counterexamples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...traces.heading import tool
from ..document import Document
from ..index import commands, index_page, text, wide_table
from ..text_page import count, seconds_text
from ..trace.html import without_folders
from .terminal import found_text, left_out, of_which_runs, sum_text

_LOOK = {"ok": "good", "differs": "bad"}
_MARKS = {"good": "✓", "bad": "✗", "open": "?"}


def gate_index(document: Document) -> str:
    """The page of a gate's document; its links are relative to it."""
    mark = "✓" if document["exit"] == 0 else "✗"
    title = f"{mark} Gate: {sum_text(document)}"
    return index_page(title, "\n".join(_body(document, title)), tool=tool())


def _body(document: Document, title: str) -> Iterator[str]:
    look = "good" if document["exit"] == 0 else "bad"
    at = f" at commit {document['commit']}" if document["commit"] else ""
    yield f'<h1 class="{look}">{text(title)}</h1>'
    ran = f"Tier {document['tier']}, {seconds_text(document['seconds'])}{at}."
    yield f'<p class="lead">{text(ran)}</p>'
    marks = (("good", "as recorded"), ("bad", "differs from the record"), ("open", "not decided, or broke down"))
    legend = "".join(f'<li><span class="chip {one}">{_MARKS[one]}</span> {says}</li>' for one, says in marks)
    yield f'<ul class="legend" aria-label="Legend">{legend}</ul>'
    wrong = [check for check in document["checks"] if check["result"] != "ok"]
    if wrong:
        yield f"<section><h2>{count(len(wrong), 'check')} not as recorded</h2>"
        for check in wrong:
            yield from _wrong(check)
        yield "</section>"
    good = [check for check in document["checks"] if check["result"] == "ok"]
    if good:
        yield f"<section><h2>{count(len(good), 'check')} as recorded</h2>{_table(good)}</section>"
    for why, names in left_out(document).items():
        rows = "".join(f"<li>{text(name)}</li>" for name in names)
        summary = f"<summary>Not run: {len(names)}, {text(why)}</summary>"
        yield f"<section><details>{summary}<ul>{rows}</ul></details></section>"


def _look(check: Mapping[str, Any]) -> str:
    return _LOOK.get(check["result"], "open")


def name_of(check: Mapping[str, Any]) -> str:
    """What a check is called, its model without the folders of the machine that ran it."""
    model = check.get("model")
    return str(check["name"]).replace(model, str(without_folders(model))) if model else str(check["name"])


def _wrong(check: Mapping[str, Any]) -> Iterator[str]:
    """A check that is not as recorded: what differs, and how to see it again."""
    look = _look(check)
    yield f'<h3><span class="chip {look}">{_MARKS[look]} {text(check["result"])}</span> {text(name_of(check))}</h3>'
    yield f'<p class="muted">{text(found_text(check))}</p>'
    yield from (f"<p>{text(line)}</p>" for difference in check["differences"] for line in difference.splitlines())
    yield from (f"<p>{text(line)}</p>" for line in of_which_runs(check))
    for claim in check["claims"]:
        if claim["html"] is not None:
            yield f'<a class="button" href="{text(claim["html"])}">{text(claim["name"])}, step by step</a>'
        if claim["replay"] is not None and not claim["recorded"]:
            yield commands(claim["replay"])


def _table(checks: Sequence[Mapping[str, Any]]) -> str:
    links = [" ".join(_links(check)) for check in checks]
    cells = [f'<td class="loose">{link}</td>' if any(links) else "" for link in links]
    rows = "".join(
        f'<tr><td class="{_look(check)}">{_MARKS[_look(check)]} {text(check["result"])}</td>'
        f'<th scope="row" class="loose">{text(name_of(check))}</th><td class="loose">{_found(check)}</td>{cell}</tr>'
        for check, cell in zip(checks, cells, strict=True)
    )
    titles = ("result", "check", "found", *(["counterexamples, as recorded"] if any(links) else []))
    head = "".join(f'<th scope="col">{title}</th>' for title in titles)
    return wide_table(f"<thead><tr>{head}</tr></thead>", rows)


def _found(check: Mapping[str, Any]) -> str:
    return "<br>".join(text(line) for line in (found_text(check), *of_which_runs(check)))


def _links(check: Mapping[str, Any]) -> Iterator[str]:
    for claim in check["claims"]:
        if claim["html"] is not None:
            yield f'<a href="{text(claim["html"])}">{text(claim["name"])}</a>'
