"""The `index.html` of a check, and of a proof: each property with its verdict, and the pages of traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...traces.sentences import capitalize_first
from ..index import escape_html, index_page, scrollable_table_html
from ..settings import sizes_text, switches_text, symmetry_text
from ..text_page import count_text
from ..trace.html import drop_machine_folders, name_without_folders
from ..verdicts import found_nothing_text, reason_text

_OUTCOME_TEXTS = {
    "safety": "violates a property",
    "liveness": "violates a property of liveness",
    "deadlock": "has a deadlock",
    "model_error": "breaks its own types",
    "vacuous": "holds of nothing that happens",
}
_LOOK_ORDER = ("bad", "open", "good")
"""What fails stands first."""
_VERDICT_LOOKS = {"holds": "good", "reached": "good", "proved": "good", "violated": "bad", "refuted": "bad"}


def check_index(document: Mapping[str, Any], pages: Mapping[str, str]) -> str:
    """The page of a check's document. `pages` has the page of each trace, by the name of its property; "" is that of
    the failure of the run itself."""
    found = _outcome_text(document)
    too = " and has a deadlock" if document["failure"] and document["outcome"] in ("safety", "liveness") else ""
    title = f"{name_without_folders(document['model'])} {found}{too}"
    return index_page(title, "\n".join(_index_lines(document, pages, title)))


def _outcome_text(document: Mapping[str, Any]) -> str:
    """What was found: a property by its name, of several how many."""
    outcome = document["outcome"]
    failing = [prop["name"] for prop in document["properties"] if prop["verdict"] == "violated"]
    if (document["verdict"], outcome) == ("holds", "none"):
        return found_nothing_text(document["engine"])
    if outcome not in ("safety", "liveness") or not failing:
        return _OUTCOME_TEXTS.get(outcome, str(document["verdict"]))
    return f"violates {failing[0]}" if len(failing) == 1 else f"violates {len(failing)} properties"


def _index_lines(document: Mapping[str, Any], pages: Mapping[str, str], title: str) -> Iterator[str]:
    good = (document["verdict"], document["outcome"]) == ("holds", "none")
    look = "good" if good else "bad" if document["outcome"] in _OUTCOME_TEXTS else "open"
    yield f'<h1 class="{look}">{escape_html(title)}</h1>'
    yield f'<p class="lead">{escape_html(to_sentence(document["assurance"]))}</p>'
    if document["never_happens"]:
        yield f'<p class="lead">Never happens: {escape_html(", ".join(document["never_happens"]))}.</p>'
    yield from (f'<p class="muted">{escape_html(line)}</p>' for line in _bounds_lines(document))
    if "" in pages:
        yield f'<a class="button" href="{escape_html(pages[""])}">See the failure step by step</a>'
    titles = ("verdict", "property", "what it says")
    head = "".join(f'<th scope="col">{one}</th>' for one in titles)
    rows = "".join(
        property_row(
            prop["name"],
            prop["says"],
            prop["verdict"],
            pages.get(prop["name"]),
            reason_text(prop["verdict"], prop["why"]),
        )
        for prop in sorted(document["properties"], key=lambda prop: _LOOK_ORDER.index(_verdict_look(prop["verdict"])))
    )
    table = scrollable_table_html(f"<thead><tr>{head}</tr></thead>", rows, is_stacked=True)
    yield f"<section><h2>Properties</h2>{table}</section>"
    known = {"", *(prop["name"] for prop in document["properties"])}
    others = {name: page for name, page in pages.items() if name not in known}
    if others:
        yield "<section><h2>Other traces</h2><ul>"
        yield from (f'<li><a href="{escape_html(page)}">{escape_html(name)}</a></li>' for name, page in others.items())
        yield "</ul></section>"
    if document["notes"]:
        notes = "".join(f"<li>{escape_html(note)}</li>" for note in document["notes"])
        yield f"<section><h2>Notes</h2><ul>{notes}</ul></section>"


def _bounds_lines(document: Mapping[str, Any]) -> Iterator[str]:
    """The bounds, the switches, and how much was looked at: a result without its bounds is none."""
    constants, open_ = document["constants"], document["open_constants"]
    yield f"Bounds: {sizes_text(constants, open_)}."
    if switches := switches_text(constants, open_):
        yield f"Switches: {switches}."
    states, steps = document["distinct_states"], document["transitions"]
    counts = [count_text(states, "distinct state")] if states is not None else []
    counts += [count_text(steps, "step" if document["engine"] == "walk" else "transition")] if steps is not None else []
    looked_at = ", ".join([*counts, f"depth {document['depth']}"])
    yield f"{looked_at}; {document['engine']} engine, {symmetry_text(document['symmetry'])}."


def _verdict_look(verdict: str) -> str:
    return _VERDICT_LOOKS.get(verdict, "open")


def to_sentence(says: str) -> str:
    """A phrase of a report as a sentence."""
    return f"{capitalize_first(says)}{'' if says.endswith('.') else '.'}" if says else ""


def property_row(name: str, says: str, verdict: str, page: str | None, why: str = "") -> str:
    """A property with its verdict; where there is a page of its trace, the verdict opens it. `why` is a sentence."""
    said = escape_html(says) + (f"<br>{escape_html(why)}" if why else "")
    return f'{_verdict_cells(verdict, name, page)}<td class="loose">{said}</td></tr>'


def _verdict_cells(verdict: str, name: str, page: str | None) -> str:
    """The first cells of a row: the verdict, and of what."""
    look = _verdict_look(verdict)
    mark = {"good": "✓", "bad": "✗", "open": "?"}[look]
    word = f"{mark} {escape_html(verdict)}"
    cell = word if page is None else f'<a href="{escape_html(page)}">{word}</a>'
    return f'<tr><td class="{look}">{cell}</td><th scope="row">{escape_html(name)}</th>'


def proof_index(document: Mapping[str, Any], pages: Mapping[str, Mapping[str, Any]]) -> str:
    """The page of a proof's document. `pages` has the trace of each page of a counterexample, by its file."""
    title, *more = document["claim"]
    body = "\n".join(_proof_lines(document, pages, title, more))
    return index_page(title, body)


def _proof_lines(
    document: Mapping[str, Any], pages: Mapping[str, Mapping[str, Any]], title: str, more: Sequence[str]
) -> Iterator[str]:
    look = {"proved": "good", "refuted": "bad"}.get(document["verdict"], "open")
    yield f'<h1 class="{look}">{escape_html(title)}</h1>'
    yield from (f"<p>{escape_html(line)}</p>" for line in more)
    head = '<thead><tr><th scope="col">verdict</th><th scope="col">{}</th><th scope="col">{}</th></tr></thead>'
    if document["properties"]:
        rows = "".join(property_row(one["name"], one["says"], one["verdict"], None) for one in document["properties"])
        table = scrollable_table_html(head.format("property", "what it says"), rows, is_stacked=True)
        yield f"<section><h2>Properties</h2>{table}</section>"
    if pages:
        yield "<section><h2>Counterexamples</h2><ul>"
        titles = {file: drop_machine_folders(trace)["title"] for file, trace in pages.items()}
        yield from (
            f'<li><a href="{escape_html(file)}">{escape_html(called)}</a></li>' for file, called in titles.items()
        )
        yield "</ul></section>"
    if document["lemmas"]:
        rows = "".join(_verdict_cells(one["verdict"], one["name"], None) + "</tr>" for one in document["lemmas"])
        names = '<thead><tr><th scope="col">verdict</th><th scope="col">lemma</th></tr></thead>'
        yield f"<section><h2>Lemmas</h2>{scrollable_table_html(names, rows)}</section>"
