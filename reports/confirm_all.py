"""What `confirm --all` found: a table of recorded counterexamples by release, for the terminal and for Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, TypeAlias

from .confirm import WORDS
from .text_page import TextFormat, TextPage, count_text

Document: TypeAlias = Mapping[str, Any]
SIGNS: Mapping[str, str] = {"confirmed": "✓", "not_confirmed": "✗", "not_driven": "–"}


def confirm_all_text(document: Document, text_format: TextFormat) -> str:
    """The table, why what was not confirmed was not, and what is not hosted."""
    page = TextPage(text_format)
    page.line(confirmation_headline(document), style="bold")
    page.columns([("", "", *document["releases"]), *(_row_cells(row, document) for row in document["rows"])])
    page.line(", ".join(f"{sign} {WORDS[name]}" for name, sign in SIGNS.items()))
    for why, number in count_reasons(document).items():
        page.line(f"{number} × {why}", indent=2, hang=2)
    for name in document["not_found"]:
        page.line(f"? no counterexample was found: {name}", style="bold yellow")
    page.line(not_hosted_text(document))
    return page.text()


def confirmation_headline(document: Document) -> str:
    """`9 counterexamples on 3 releases: 12 confirmed, 15 could not be driven`."""
    numbers = Counter(cell["result"] for row in document["rows"] for cell in row["results"].values())
    said = ", ".join(f"{numbers[name]} {word}" for name, word in WORDS.items() if numbers[name])
    on = count_text(len(document["releases"]), "release")
    return f"{count_text(len(document['rows']), 'counterexample')} on {on}: {said or 'nothing was driven'}"


def count_reasons(document: Document) -> Mapping[str, int]:
    """Why what was not confirmed was not, the most frequent first."""
    cells = [cell for row in document["rows"] for cell in row["results"].values()]
    return dict(Counter(_short_reason(cell["why"]) for cell in cells if cell["result"] != "confirmed").most_common())


def _short_reason(why: str) -> str:
    """Why, in few words where it is that the release has not the mistake of the profile."""
    if re.match(r"the model of Kafka [\d.]+ does not take it", why):
        return "the release has not what the counterexample is about: its model does not take it"
    return re.sub(r" of controller \d+ came to controller \d+, after [\d.]+ s, and nothing else happened", " came", why)


def not_hosted_text(document: Document) -> str:
    """How many recorded counterexamples are of models that are not hosted, or of the nightly tier."""
    others = document["not_hosted"]
    number, of = sum(others.values()), f"{len(others)} other models and tiers"
    return f"not hosted: {number} recorded counterexamples of {of}; --json names them"


def confirm_all_markdown(document: Document) -> str:
    """The same for a page."""
    head = ("counterexample", "steps", *document["releases"])
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for row in document["rows"]:
        name, steps, *results = _row_cells(row, document, steps=True)
        lines.append(f"| {name} | {steps} | {' | '.join(results)} |")
    why = [f"* {number} × {text}" for text, number in count_reasons(document).items()]
    return "\n".join(
        [*lines, "", f"{confirmation_headline(document)}. Why not:", "", *why, "", f"{not_hosted_text(document)}.", ""]
    )


def _row_cells(row: Document, document: Document, *, steps: bool = False) -> tuple[str, ...]:
    name = f"{row['model']} {row['bounds']}: {row['property']}" if steps else f"{row['model']} {row['bounds']}"
    second = str(row["steps"]) if steps else row["property"]
    return (name, second, *(SIGNS[row["results"][release]["result"]] for release in document["releases"]))
