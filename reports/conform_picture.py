"""A difference that `conform` found, as a picture: the steps to where the two part, and what each has then."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, TypeAlias

Document: TypeAlias = Mapping[str, Any]
WIDTH, LINE, MARGIN = 880, 22, 20
COLUMNS = (MARGIN, 160, 520)
_CHARACTERS = 104
"""What fits into a line of text."""
_STYLE = (
    "text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328}"
    ".h{font-weight:bold}.d{fill:#b00020;font-weight:bold}.q{fill:#59636e}"
    "rect{fill:#fff}.m{fill:#fde7ea}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.d{fill:#ff8a9a}.q{fill:#9198a1}rect{fill:#0d1117}"
    ".m{fill:#3d1a20}}"
)


def difference_picture(difference: Document, kafka: str, model_of: str | None = None) -> str:
    """The picture, as SVG: a difference of `tidegate.conform/1`, of a release of Kafka and the model of it, or of
    another one."""
    rows = list(_picture_rows(difference, kafka, "the model" if model_of is None else f"the model of {model_of}"))
    height = 2 * MARGIN + LINE * len(rows)
    drawn = "".join(_row_svg(number, row) for number, row in enumerate(rows))
    label = escape(f"The model beside Kafka {kafka}: {difference['why']}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{label}"><style>{_STYLE}</style>'
        f'<rect width="{WIDTH}" height="{height}" rx="6"/>{drawn}</svg>\n'
    )


_Row: TypeAlias = tuple[str, tuple[str, ...]]
"""A line: its class, and its text or the texts of its three columns."""


def _picture_rows(difference: Document, kafka: str, model: str) -> Iterator[_Row]:
    for number, says in enumerate(difference["steps"], 1):
        for place, line in enumerate(textwrap.wrap(f"{number}. {says}", _CHARACTERS, subsequent_indent="   ")):
            yield "" if place == 0 else "q", (line,)
    if difference["operations"]:
        yield "", (f"then Kafka's code takes {difference['operations'][-1]}",)
    yield "", ("",)
    yield "h", ("", model, f"Kafka {kafka}")
    for voter, wanted in difference["model"].items():
        seen = difference["kafka"][voter]
        yield "d" if seen != wanted else "", (f"controller {voter} ({chr(64 + int(voter))})", wanted, seen)


def _row_svg(number: int, row: _Row) -> str:
    kind, texts = row
    top = MARGIN + LINE * number
    mark = f'<rect class="m" x="8" y="{top + 2}" width="{WIDTH - 16}" height="{LINE}"/>' if kind == "d" else ""
    cells = (
        f'<text x="{x}" y="{top + 17}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{escape(text)}</text>'
        for x, text in zip(COLUMNS, texts, strict=False)
        if text
    )
    return mark + "".join(cells)
