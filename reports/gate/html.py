"""The `index.html` of a gate: what differs first, then each check with what was found and its counterexamples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..document import Document
from ..index import commands_html, escape_html, index_page, scrollable_table_html
from ..text_page import count_text, seconds_text
from ..trace.html import name_without_folders
from .terminal import check_result_text, gate_totals_text, run_condition_lines, skipped_by_reason

_LOOK = {"ok": "good", "differs": "bad"}
_MARKS = {"good": "✓", "bad": "✗", "open": "?"}


def gate_index(document: Document) -> str:
    """The page of a gate's document; its links are relative to it."""
    mark = "✓" if document["exit"] == 0 else "✗"
    title = f"{mark} Gate: {gate_totals_text(document)}"
    return index_page(title, "\n".join(_index_lines(document, title)))


def _index_lines(document: Document, title: str) -> Iterator[str]:
    look = "good" if document["exit"] == 0 else "bad"
    at = f" at commit {document['commit']}" if document["commit"] else ""
    yield f'<h1 class="{look}">{escape_html(title)}</h1>'
    ran = f"Tier {document['tier']}, {seconds_text(document['seconds'])}{at}."
    yield f'<p class="lead">{escape_html(ran)}</p>'
    marks = (("good", "as recorded"), ("bad", "differs from the record"), ("open", "not decided, or broke down"))
    legend = "".join(f'<li><span class="chip {one}">{_MARKS[one]}</span> {says}</li>' for one, says in marks)
    yield f'<ul class="legend" aria-label="Legend">{legend}</ul>'
    wrong = [check for check in document["checks"] if check["result"] != "ok"]
    if wrong:
        yield f"<section><h2>{count_text(len(wrong), 'check')} not as recorded</h2>"
        for check in wrong:
            yield from _difference_section(check)
        yield "</section>"
    good = [check for check in document["checks"] if check["result"] == "ok"]
    if good:
        yield f"<section><h2>{count_text(len(good), 'check')} as recorded</h2>{_checks_table(good)}</section>"
    for why, names in skipped_by_reason(document).items():
        rows = "".join(f"<li>{escape_html(name)}</li>" for name in names)
        summary = f"<summary>Not run: {len(names)}, {escape_html(why)}</summary>"
        yield f"<section><details>{summary}<ul>{rows}</ul></details></section>"


def _check_look(check: Mapping[str, Any]) -> str:
    return _LOOK.get(check["result"], "open")


def check_name(check: Mapping[str, Any]) -> str:
    """What a check is called, its model without the folders of the machine that ran it."""
    model = check.get("model")
    return str(check["name"]).replace(model, str(name_without_folders(model))) if model else str(check["name"])


def _difference_section(check: Mapping[str, Any]) -> Iterator[str]:
    """A check that is not as recorded: what differs, and how to see it again."""
    look = _check_look(check)
    yield (
        f'<h3><span class="chip {look}">{_MARKS[look]} {escape_html(check["result"])}</span> '
        f"{escape_html(check_name(check))}</h3>"
    )
    yield f'<p class="muted">{escape_html(check_result_text(check))}</p>'
    yield from (
        f"<p>{escape_html(line)}</p>" for difference in check["differences"] for line in difference.splitlines()
    )
    yield from (f"<p>{escape_html(line)}</p>" for line in run_condition_lines(check))
    for claim in check["claims"]:
        if claim["html"] is not None:
            name = escape_html(claim["name"])
            yield f'<a class="button" href="{escape_html(claim["html"])}">{name}, step by step</a>'
        if claim["replay"] is not None and not claim["recorded"]:
            yield commands_html(claim["replay"])


def _checks_table(checks: Sequence[Mapping[str, Any]]) -> str:
    links = [" ".join(_check_links(check)) for check in checks]
    cells = [f'<td class="loose">{link}</td>' if any(links) else "" for link in links]
    rows = "".join(
        f'<tr><td class="{_check_look(check)}">{_MARKS[_check_look(check)]} {escape_html(check["result"])}</td>'
        f'<th scope="row" class="loose">{escape_html(check_name(check))}</th><td '
        f'class="loose">{_actual_result_text(check)}</td>{cell}</tr>'
        for check, cell in zip(checks, cells, strict=True)
    )
    titles = ("result", "check", "found", *(["counterexamples, as recorded"] if any(links) else []))
    head = "".join(f'<th scope="col">{title}</th>' for title in titles)
    return scrollable_table_html(f"<thead><tr>{head}</tr></thead>", rows)


def _actual_result_text(check: Mapping[str, Any]) -> str:
    return "<br>".join(escape_html(line) for line in (check_result_text(check), *run_condition_lines(check)))


def _check_links(check: Mapping[str, Any]) -> Iterator[str]:
    for claim in check["claims"]:
        if claim["html"] is not None:
            yield f'<a href="{escape_html(claim["html"])}">{escape_html(claim["name"])}</a>'
