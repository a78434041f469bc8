"""What the results of the functions of `tidegate` have in common: text for a terminal, HTML for a notebook."""

from __future__ import annotations

import html
from pathlib import Path

from ..language.immutable import immutable
from ..reports.document import Document
from ..reports.files import write_text, write_trace
from ..reports.paper import Paper
from ..reports.trace.html import page
from ..reports.trace.page import trace_page

PAPER = Paper(width=100, color=False, ascii=False)
"""What results are written on where no terminal asks."""


@immutable
class Trace:
    """A run as a trace document (`tidegate.trace/1`), which prints itself and shows its page in a notebook."""

    document: Document

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps as text, as `tidegate replay --steps` takes them."""
        return tuple(each["step"] for each in self.document["steps"])

    def save(self, path: str | Path) -> None:
        """Writes it as JSON, or as a page where the name ends in `.html`. Raises OSError."""
        path = Path(path)
        if path.suffix == ".html":
            write_text(path, page([self.document]))
        else:
            write_trace(path, self.document)

    def __repr__(self) -> str:
        """One line, for a prompt; `print` shows everything."""
        return f"<Trace: {self.document['model']}, {len(self.steps)} steps>"

    def __str__(self) -> str:
        return trace_page(self.document, PAPER).text()

    def _repr_html_(self) -> str:
        """The trace's page, in a frame of its own: it brings its own style and script."""
        return framed(page([self.document]))


def framed(page_text: str, height: int = 640) -> str:
    """A page as a frame within another page."""
    return f'<iframe style="width:100%;height:{height}px;border:0" srcdoc="{html.escape(page_text)}"></iframe>'


def table(rows: list[tuple[str, ...]], head: tuple[str, ...]) -> str:
    """Rows of text as an HTML table."""

    def row(cells: tuple[str, ...], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return f"<table><thead>{row(head, 'th')}</thead><tbody>{''.join(row(each, 'td') for each in rows)}</tbody></table>"


def preformatted(text: str) -> str:
    """Text as it stands, for a notebook."""
    return f"<pre>{html.escape(text)}</pre>"
