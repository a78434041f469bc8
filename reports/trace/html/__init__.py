"""Traces as one HTML file that needs nothing else: the page, its style, its scripts and the trace documents in it.

    text = page([document])              one trace
    text = page([one, other])            two traces, to be compared in the page

The page may not load anything (its content security policy allows its own style and script, by their hashes, and
nothing else), so that it can be sent, archived and opened anywhere. Everything it shows stands in the documents.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import PurePath
from typing import Any, cast

from ....traces.picture import UndrawableError
from ....traces.view_image import check_svg
from ...document import Document
from ..cut import cut_trace
from ..graph_style import PAGE_STYLE
from ..markdown import trace_markdown
from ..sequence import to_mermaid
from .pictures import share_picture_parts

SCRIPTS = ("model.js", "branch.js", "lanes.js", "table.js", "chart.js", "app.js")
"""In this order they are one script."""
GRAPH = "graph.js"
"""Before the last of these in a page that has a state graph."""
LIVE = "live.js"
"""Behind them in a page that has a server."""

_GRAPH_SCRIPT = """<section id="graph" aria-labelledby="graph-title"><h2 id="graph-title">State graph</h2>
<nav class="controls" aria-label="State graph"><button id="smaller" title="smaller" aria-label="smaller">−</button>
<button id="larger" title="larger" aria-label="larger">+</button>
<button id="whole" title="all of it">whole</button></nav>
<p class="muted">The states of this run are red: choose one to go to its step. Initial states have a blue edge. Hold
the pointer over an arrow to read its step.</p>
<div class="scrolled" tabindex="0" role="region" aria-label="drawing of the states">{}</div></section>
"""

MAX_STEPS_IN_WORDS = 200
"""Of a longer run the page does not carry the Markdown; `tidegate export` writes it."""


def trace_html(
    documents: Sequence[Document],
    *,
    whole_file: str | None = None,
    other_states: Sequence[int] | None = None,
    around: Document | None = None,
    live: bool = False,
    section: str = "",
    watches: Sequence[Mapping[str, Sequence[str]]] = (),
    graph: str = "",
    saved_trace: str | None = None,
    alone: str | None = None,
    shares_viewer: bool = False,
) -> str:
    """The page of one trace or more. Of a trace that is too long it holds the beginning and the end, and says that the
    whole is in `whole_file`, the name of a file beside it. `other_states` has the state of the second trace that
    belongs beside each state of the first: the page opens with both. `around` is what could be chosen instead along the
    first trace, see `traces/neighbourhood.py`; a `live` page asks the server that it came from for what is not there.
    `section` is HTML that stands below the picture. `watches` has for each document the expressions that are watched,
    each with its value in words in every state. `saved_trace` is the trace in a file beside the page, with which
    `tidegate explore` goes on in the page's words. `alone` is the page of the first trace alone, where other steps can
    be chosen. `graph` is a state graph as `drawing` makes it for a page. A page that `shares_viewer` has neither style
    nor script in itself: they are `VIEWER_FILES`, beside it. ValueError without a trace.
    """
    if not documents:
        raise ValueError("a page needs a trace")
    named = [drop_machine_folders(document) for document in documents]
    style, script = _style_text(graph=bool(graph)), _script_text(graph=bool(graph), live=live)
    if shares_viewer:
        style_file, script_file = VIEWER_FILES
        policy = _POLICY.format(style="'self'", script="'self'", server="")
        head, tail = f'<link rel="stylesheet" href="{style_file}">', f'<script src="{script_file}"></script>'
    else:
        policy = content_security_policy(style, script, live=live)
        head, tail = f"<style>{style}</style>", f"<script>{script}</script>"
    parts = {
        "POLICY": policy,
        "TOOL": html.escape(str(named[0]["tool"])),
        "TITLE": html.escape(window_title(named[0])),
        "WORDS": "".join(f"<p>{html.escape(sentence['text'])}</p>\n" for sentence in named[0]["argument"]),
        "SECTION": section + (_GRAPH_SCRIPT.format(graph) if graph else ""),
        "STYLE": head,
        "SCRIPT": tail,
        "DATA": _data_elements(
            documents,
            named,
            watches,
            {"beside": whole_file, "aligned": other_states, "saved": saved_trace, "alone": alone},
        )
        + _neighbourhood_element(around and _value_without_folders(around, documents[0]["model"]), live),
    }
    return _fill_template(_asset_text("page.html"), parts)


def window_title(document: Document) -> str:
    """What the window is called: `witness for two_replicas_lead (replication:kip101)`, or the document's title."""
    if document["kind"] == "witness":
        return f"witness for {document['property']['name']} ({document['model']})"
    return str(document["title"])


def content_security_policy(style: str, script: str, *, live: bool = False) -> str:
    """The content security policy: nothing but this style and this script; of a `live` page its own server too."""
    server = "; connect-src 'self'" if live else ""
    return _POLICY.format(style=_content_hash(style), script=_content_hash(script), server=server)


_POLICY = (
    "default-src 'none'; style-src {style}; script-src {script}; img-src data:; base-uri 'none'; "
    "form-action 'none'{server}"
)


VIEWER_FILES = ("viewer.css", "viewer.js")
"""The style and the script that pages of one folder share."""


def viewer_texts() -> Mapping[str, str]:
    """What stands in `VIEWER_FILES`, by name."""
    return dict(zip(VIEWER_FILES, (_style_text(), _script_text()), strict=True))


def _neighbourhood_element(document: Document | None, live: bool) -> str:
    """The element of what could be chosen instead; nothing where that is not there."""
    if document is None:
        return ""
    return f'\n<script type="application/json" id="around">{_script_json(document | {"live": live})}</script>'


def trace_digest(document: Document) -> str:
    """The first 8 hexadecimal digits of a trace's SHA-256, by which a link knows its trace."""
    return hashlib.sha256(_script_json(document).encode()).hexdigest()[:8]


def _data_elements(
    documents: Sequence[Document],
    named_documents: Sequence[Document],
    watches: Sequence[Mapping[str, Sequence[str]]],
    known_parts: Mapping[str, Any],
) -> str:
    """Each trace in an element of its own, and one that says what else the page knows of them."""
    names = ["trace", *(f"trace-{number}" for number in range(2, len(documents) + 1))]
    nothing: Mapping[str, Sequence[str]] = {}
    watched = [*watches, *(nothing for _ in documents[len(watches) :])]
    extras = [
        {"id": name, "digest": trace_digest(document), "texts": _copyable_texts(as_shown), "watches": values}
        for name, document, as_shown, values in zip(names, documents, named_documents, watched, strict=True)
    ]
    shown, parts = share_picture_parts([cut_trace(_drop_unsafe_pictures(document)) for document in named_documents])
    was_cut = any(cut_trace(document) is not document for document in documents)
    said = f"The whole trace is in {known_parts['beside']}." if known_parts["beside"] is not None and was_cut else None
    both = None if known_parts["aligned"] is None else list(known_parts["aligned"])
    about = dict(known_parts) | {"traces": extras, "beside": said, "aligned": both, "parts": parts}
    elements = [*zip(names, shown, strict=True), ("trace-page", about)]
    return "\n".join(
        f'<script type="application/json" id="{name}">{_script_json(value)}</script>' for name, value in elements
    )


def _drop_unsafe_pictures(document: Document) -> Document:
    """A trace whose pictures may be shown: without those that a model draws itself where one is no such picture, since
    a saved trace can come from anywhere."""
    if document["view"] is None or document["view"]["kind"] != "drawing":
        return document
    try:
        for frame in document["frames"].values():
            if frame["board"] is not None:
                check_svg(frame["board"]["svg"])
    except UndrawableError as error:
        return document | {"view": None, "frames": {}, "notes": [*document["notes"], f"{error}; so it is not drawn"]}
    return document


def drop_machine_folders(document: Mapping[str, Any]) -> Document:
    """A trace without the folders of the machine that made it: of a file in no repository its name alone. A model that
    was named with its folders is named without them, in the line that replays the trace too."""
    return cast("Document", _value_without_folders(document, str(document["model"])))


def _value_without_folders(value: Any, model: str) -> Any:
    if isinstance(value, str):
        return value.replace(model, name_without_folders(model))
    if isinstance(value, list):
        return [_value_without_folders(element, model) for element in cast("list[Any]", value)]
    if not isinstance(value, Mapping):
        return value
    held = cast("Mapping[str, Any]", value).items()
    return {
        key: name_without_folders(part) if key == "file" else _value_without_folders(part, model) for key, part in held
    }


def name_without_folders(file: Any) -> Any:
    """What a file, or a model by its file, is called where others read of it; anything else as it is."""
    return PurePath(file).name if isinstance(file, str) and PurePath(file).is_absolute() else file


def _copyable_texts(document: Document) -> Mapping[str, str]:
    """What the page offers to copy, by what it is."""
    words = {"Markdown": trace_markdown(document)} if len(document["steps"]) <= MAX_STEPS_IN_WORDS else {}
    return {**words, "Mermaid": to_mermaid(document)}


def _script_json(value: Any) -> str:
    """JSON that may stand in a script element: no `<` in it can end or begin one."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=False).replace("<", "\\u003c")


def _style_text(*, graph: bool = False) -> str:
    return strip_comments(_asset_text("style.css") + (PAGE_STYLE if graph else ""))


def _script_text(*, graph: bool = False, live: bool = False) -> str:
    """The files as one script, in a scope of its own; what draws a `graph`, and what asks a server, is in such pages
    alone."""
    files_ = (*SCRIPTS[:-1], *((GRAPH,) if graph else ()), SCRIPTS[-1], *((LIVE,) if live else ()))
    return '(() => {\n"use strict";\n' + strip_comments("\n".join(_asset_text(name) for name in files_)) + "})();\n"


_COMMENT_LINES = re.compile(r"^ *(?:/\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)\n", re.MULTILINE)
"""Comments that have their lines for themselves, of a script or a style."""


def strip_comments(text: str) -> str:
    """A script or a style without what a browser passes over: such comments, indentation and empty lines. No text in
    it goes on over the end of a line."""
    return "".join(f"{line}\n" for line in map(str.strip, _COMMENT_LINES.sub("", text).splitlines()) if line)


def _asset_text(name: str) -> str:
    return files(__package__ or "").joinpath(name).read_text(encoding="utf-8")


def _content_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _fill_template(template: str, parts: Mapping[str, str]) -> str:
    """The template with its `@NAME@`s replaced; a part is not searched for further ones."""
    pieces = template.split("@")
    if pieces[1::2] != [name for name in pieces[1::2] if name in parts]:
        raise ValueError("the template of the page has an @ that is not a part's")
    return "".join(parts[piece] if at % 2 else piece for at, piece in enumerate(pieces))
