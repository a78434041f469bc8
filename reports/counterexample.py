"""A trace document for a person at a terminal: what fails, the steps as sentences with what each changed, why, and
how to replay.

Everything here is laid out from the document; nothing is computed from a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from .document import Document
from .paper import Page, Paper, count
from .settings import sizes_text

_KIND_COLUMN = 10


def trace_page(document: Document, paper: Paper) -> Page:
    """The trace as a page."""
    page = Page(paper)
    page.rule()
    _heading(page, document)
    page.rule()
    _steps(page, document)
    if document["failure"] is not None:
        _failure(page, document["failure"], len(document["steps"]) + 1)
    else:
        _reason(page, document["property"])
    page.blank()
    if document["replay"] is None:
        page.line("A counterexample to induction: all lemmas hold in its first state, which may not be reachable.")
        return page
    page.line("replay it:", style="bold")
    page.exact(f"  {document['replay']}")
    return page


def _heading(page: Page, document: Document) -> None:
    steps = count(len(document["steps"]), "step")
    claim, failure = document["property"], document["failure"]
    if failure is not None:
        page.line(f"✗ {document['model']}: {_trouble(failure)} after {steps}", style="red bold")
    elif claim is None:
        page.line(f"{document['model']}: {steps}", style="bold")
    elif claim["fails"] is None:
        page.line(f"✓ {document['model']}: a witness of {claim['name']} after {steps}", style="green bold")
    else:
        page.line(f"✗ {document['model']}: {claim['name']} fails after {steps}", style="red bold")
    if failure is None and claim is not None:
        page.line(claim["says"], indent=2, hang=0)
    page.line(sizes_text(document["bounds"]), indent=2, style="dim")


def _trouble(failure: Mapping[str, Any]) -> str:
    if failure["action"] is not None:
        return "a step breaks the model's types"
    return "a property cannot be evaluated" if failure["where"] else "deadlock"


def _steps(page: Page, document: Document) -> None:
    width = max(3, len(str(len(document["steps"]))) + 1)
    claim: Mapping[str, Any] = document["property"] or {}
    fails = (claim.get("fails") or {"step": None})["step"]
    if document["replay"] is None:
        page.line("0".rjust(width) + "  a state that the lemmas allow", hang=width + 2)
        rows = [(field["name"], value_text(document["states"]["0"][field["name"]])) for field in document["fields"]]
        page.columns(rows, indent=width + 6)
    elif not document["steps"] or fails == 0:
        page.line("0".rjust(width) + "  the initial state", hang=width + 2)
    for step in document["steps"]:
        _sentence(page, step, width, failing=step["i"] == fails)
        for change in _by_cell(step["changed"]):
            page.line(change, indent=width + 6, hang=4, style="cyan")


def _by_cell(changed: Sequence[str]) -> Iterator[str]:
    """Changes of one cell on one line: `isr[A]: + A, + B`."""
    for cell, group in groupby((each.partition(": ") for each in changed), key=lambda parts: parts[0]):
        yield f"{cell}: " + ", ".join(what for _, _, what in group)


def _sentence(page: Page, step: Mapping[str, Any], width: int, *, failing: bool) -> None:
    """The step's number and sentence, and at the right margin its kind where that is not the protocol's own."""
    kind = "" if step["kind"] == "protocol" else step["kind"]
    mark = "✗" if failing else " "
    text = f"{step['i']:>{width}}{mark} {step['sentence']}"
    if kind and len(text) + _KIND_COLUMN <= page.paper.width:
        text = text.ljust(page.paper.width - len(kind)) + kind
        page.exact(text, style="red" if failing else "bold")
        return
    page.line(f"{text} ({kind})" if kind else text, hang=width + 2, style="red" if failing else "bold")


def _reason(page: Page, claim: Mapping[str, Any] | None) -> None:
    """The first false conjunct, and inside the helpers that it calls the reason there."""
    if claim is None or claim["fails"] is None:
        return
    page.blank()
    page.line(f"{claim['name']} is false, because this is:", style="bold")
    indent, reason = 2, claim["fails"]
    while reason is not None:
        page.line(reason["conjunct"], indent=indent, hang=4, style="red")
        values = ", ".join(f"{name} = {value_text(value)}" for name, value in reason["witness"].items())
        if values:
            page.line(f"where {values}", indent=indent + 2, hang=6)
        reason = reason.get("because")
        indent += 2
        if reason is not None:
            page.line("because in it this is false:", indent=indent)
            indent += 2


def _failure(page: Page, failure: Mapping[str, Any], number: int) -> None:
    page.blank()
    if failure["step"] is not None:
        page.line(f"then step {number} breaks it: {failure['sentence']}  [{failure['step']}]", style="bold")
    where = f" ({failure['where']})" if failure["where"] else ""
    page.line(f"{failure['message']}{where}", indent=2, style="red")
    if failure["disabled"]:
        page.line("why no step can be taken:", indent=2)
        page.columns([(each["step"], each["why"]) for each in failure["disabled"]], indent=4)


def value_text(value: Any) -> str:
    """A value of the document as people write it: `A`, `{id: 0, epoch: 1}`, `[1, 2]`, `none`, `true`."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {value_text(held)}" for key, held in value.items()) + "}"  # pyright: ignore
    if isinstance(value, list):
        return "[" + ", ".join(value_text(each) for each in value) + "]"  # pyright: ignore
    return str(value)
