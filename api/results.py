"""What the results of the functions of `tidegate` have in common: text for a terminal, HTML for a notebook."""

from __future__ import annotations

import html
from pathlib import Path

from ..language.immutable import immutable
from ..reports.document import Document
from ..reports.files import write_text, write_trace
from ..reports.text_page import TextFormat
from ..reports.trace.html import trace_html
from ..reports.trace.terminal import trace_page

NOTEBOOK_FORMAT = TextFormat(width=100, color=False, ascii=False)
"""What results are written on where no terminal asks."""


@immutable
class Trace:
    """A run as a trace document (`tidegate.trace/1`), which prints itself and shows its page in a notebook."""

    document: Document

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps as text, as `tidegate replay --steps` takes them."""
        return tuple(step["step"] for step in self.document["steps"])

    def save(self, path: str | Path) -> None:
        """Writes it as JSON, or as a page where the name ends in `.html`. Raises OSError."""
        path = Path(path)
        if path.suffix == ".html":
            write_text(path, trace_html([self.document]))
        else:
            write_trace(path, self.document)

    def __repr__(self) -> str:
        """One line, for a prompt; `print` shows everything."""
        return f"<Trace: {self.document['model']}, {len(self.steps)} steps>"

    def __str__(self) -> str:
        return trace_page(self.document, NOTEBOOK_FORMAT).text()

    def _repr_html_(self) -> str:
        """The trace's page, in a frame of its own: it brings its own style and script."""
        return frame_html(trace_html([self.document]))


def frame_html(page_text: str, height: int = 640) -> str:
    """A page as a frame within another page."""
    return f'<iframe style="width:100%;height:{height}px;border:0" srcdoc="{html.escape(page_text)}"></iframe>'


def table_html(rows: list[tuple[str, ...]], head: tuple[str, ...]) -> str:
    """Rows of text as an HTML table in the colours of the page around it; what is wider than the page scrolls by
    itself."""

    def row_html(cells: tuple[str, ...], tag: str) -> str:
        style = "text-align:left;vertical-align:top;padding:2px 10px 2px 0"
        return "<tr>" + "".join(f'<{tag} style="{style}">{break_words(cell)}</{tag}>' for cell in cells) + "</tr>"

    def break_words(cell: str) -> str:
        return html.escape(cell).replace("_", "_<wbr>")

    body = "".join(row_html(cells, "td") for cells in rows)
    return (
        '<div style="max-width:100%;overflow-x:auto"><table style="color:inherit;font:13px/1.4 system-ui,sans-serif">'
        f"<thead>{row_html(head, 'th')}</thead><tbody>{body}</tbody></table></div>"
    )


def preformatted_html(text: str) -> str:
    """Text as it stands, for a notebook, in the colours of the page around it; long lines are wrapped."""
    style = "white-space:pre-wrap;overflow-wrap:anywhere;color:inherit;background:none"
    return f'<pre style="{style}">{html.escape(text)}</pre>'


def folded_html(title: str, content: str) -> str:
    """HTML that a reader opens by its title."""
    return f"<details><summary>{html.escape(title)}</summary>{content}</details>"
