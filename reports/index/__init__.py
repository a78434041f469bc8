"""The frame of a page that leads to others: `index.html` of an audit, a check, a gate. It loads and sends nothing.

    text = index_page("Audit of 3 groups of topics", body)

`body` is HTML that was made with `escape_html` of every value in it.
"""

from __future__ import annotations

import html
import re
from importlib.resources import files

from ...traces.program import command_line, tool_commit, tool_version
from ..trace.html import content_security_policy


def escape_html(value: object) -> str:
    """A value as it may stand in a page."""
    return html.escape(str(value))


def sentence_html(says: str) -> str:
    """A sentence as it may stand in a page: what has backticks around it is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape_html(says))


def index_page(title: str, body: str) -> str:
    """The whole page, which says at its end what made it and how it is made again. Its content security policy allows
    its own style and script and nothing else."""
    style, script = _asset_text("index.css"), _asset_text("index.js")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape_html(content_security_policy(style, script))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="{escape_html(tool_version())}">
<title>{escape_html(title)}</title>
<style>{style}</style>
</head>
<body>
<main>
{body}
</main>
{_footer_html()}
<script>{script}</script>
</body>
</html>
"""


def _footer_html() -> str:
    commit, again = tool_commit(), command_line()
    made = f"Made by {tool_version()}{f' ({commit})' if commit else ''}"
    command = commands_html(again) if again else ""
    return f"<footer><p>{escape_html(made)}{', with:' if again else ''}</p>{command}</footer>"


def scrollable_table_html(head: str, rows: str, *, is_stacked: bool = False) -> str:
    """A table that scrolls by itself where it is wider than the page, by keyboard as well. On a phone the cells of one
    that is `is_stacked` stand below each other, so that a sentence in them is read without scrolling."""
    table = f"<table>{head}<tbody>{rows}</tbody></table>"
    classes = "wide stacked" if is_stacked else "wide"
    return f'<div class="{classes}" tabindex="0" role="group" aria-label="table">{table}</div>'


def commands_html(lines: str) -> str:
    """Lines to be copied: with a button that copies them."""
    return (
        f'<div class="commands"><pre tabindex="0" aria-label="commands">{escape_html(lines)}</pre>'
        '<button type="button" class="copy">copy</button></div>'
    )


def _asset_text(name: str) -> str:
    return files(__package__ or "").joinpath(name).read_text(encoding="utf-8")
