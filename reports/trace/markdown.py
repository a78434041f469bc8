"""A trace as Markdown, for comments and pages: why, the steps, a diagram, and how to replay it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..document import Document, first_state_text, not_replayed_text
from ..settings import sizes_text
from .sequence import to_mermaid
from .terminal import value_text


def trace_markdown(document: Document, *, level: int = 1) -> str:
    """The page; `level` is that of its heading, to be put under another."""
    return "\n\n".join(_sections(document, level)) + "\n"


def _sections(document: Document, level: int) -> Iterator[str]:
    deeper = "#" * (level + 1)
    yield f"{'#' * level} {escape_line(document['title'])}"
    claim = document["property"]
    if claim is not None:
        yield escape_line(claim["says"])
    if document["bounds"]:
        yield f"Bounds: {escape_line(sizes_text(document['bounds']))}."
    if document["argument"]:
        yield argument_markdown(document)
    yield f"{deeper} Steps"
    yield _step_table(document)
    if document["failure"] is not None:
        yield f"Then: {escape_line(document['failure']['message'])}"
    yield f"{deeper} Diagram"
    yield f"```mermaid\n{to_mermaid(document)}```"
    if document["replay"] is None:
        yield not_replayed_text(document)
    else:
        yield f"{deeper} Replay"
        yield f"```sh\n{document['replay']}\n```"


def argument_markdown(document: Document) -> str:
    """The argument: its events as a list between the sentences around them."""
    blocks: list[str] = []
    for sentence in document["argument"]:
        text = _escape_around_code(sentence["text"])
        if sentence["role"] in ("title", "short"):
            blocks.append(f"**{text}**")
        elif sentence["role"] == "event" and blocks and blocks[-1].startswith("- "):
            blocks[-1] += f"\n- {text}"
        else:
            blocks.append(f"- {text}" if sentence["role"] == "event" else text)
    return "\n\n".join(blocks)


def _escape_around_code(text: str) -> str:
    """A sentence of the argument: what it has between backticks stays code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape_line(text)
    escaped = [part if at % 2 else _escape_markdown(part) for at, part in enumerate(parts)]
    return " ".join("`".join(escaped).split())


def _step_table(document: Document) -> str:
    rows = [f"| {step['i']} | {_failure_mark(document, step)}{escape_line(step['sentence'])} | {_changes_text(step)} |"
            for step in document["steps"]]  # fmt: skip
    first = (
        [f"| 0 | {first_state_text(document)} |{_first_state_text(document)} |"]
        if not rows or "begins" in document
        else []
    )
    return "\n".join(["| | step | changes |", "|---:|---|---|", *first, *rows])


def _failure_mark(document: Document, step: Mapping[str, Any]) -> str:
    claim: Mapping[str, Any] = document["property"] or {}
    fails = (claim.get("fails") or {"step": None})["step"] == step["i"]
    return "✗ " if fails else "*fault:* " if step["kind"] == "fault" else ""


def _first_state_text(document: Document) -> str:
    """The first state of a counterexample to induction, to which no steps lead."""
    if "begins" not in document:
        return ""
    state = document["states"]["0"]
    rows = [(field["name"], value_text(state[field["name"]])) for field in document["fields"]]
    return " " + "<br>".join(code_in_cell(f"{name}: {text}") for name, text in rows)


def _changes_text(step: Mapping[str, Any]) -> str:
    return "<br>".join(code_in_cell(change) for change in step["changed"])


def escape_line(text: str) -> str:
    """A text that Markdown shows as it is, on one line."""
    return _escape_markdown(" ".join(text.split()))


def _escape_markdown(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>#|~$])", r"\\\1", text)


def code_in_cell(text: str) -> str:
    """A text as code in a cell of a table."""
    return "`" + text.replace("`", "'").replace("|", "\\|") + "`"
