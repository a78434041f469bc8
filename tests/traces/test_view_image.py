"""Pictures that a model draws itself: what they may hold, where they are shown, and that they can do nothing there."""

from __future__ import annotations

import http.server
import json
import re
import threading
from collections.abc import Generator
from pathlib import Path
from urllib.parse import unquote

import jsonschema
import pytest
from playwright.sync_api import Browser
from tidegate.cli.explore_session import Session
from tidegate.language.binding import load
from tidegate.language.judge import initial_states, run_text
from tidegate.language.verdict import Run
from tidegate.reports.text_page import TextFormat
from tidegate.reports.trace.html import trace_html
from tidegate.reports.trace.terminal import pictures_page
from tidegate.traces.document import read_schema, run_document
from tidegate.traces.neighbourhood import neighbourhood_document
from tidegate.traces.picture import UndrawableError
from tidegate.traces.view_image import MAX_CHARACTERS, SVG, check_svg

from ..support.browser import chromium, open_page
from ..support.html_traces import ROOT, Document, walk

CROSSING = "cross(missionaries={}, cannibals={C1, C2}); cross(missionaries={}, cannibals={C1})"
COUNTER = '''
from typing import Annotated
from tidegate.language import Range, action, constant, initial, require, state

most = constant(3, minimum=1, maximum=9)

@state
class S:
    n: Annotated[int, Range(0, 9)]

@initial
def zero() -> S:
    return S(n=0)

@action
def count(s: S) -> None:
    """The counter goes from {s.n} to {s.n + 1}."""
    require(s.n < most)
    s.n += 1

'''


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with chromium() as made:
        yield made


def crossing() -> Document:
    model = load(ROOT / "examples/missionaries.py").bind()
    return run_document(model, run_text(model, CROSSING))


def counter_run(folder: Path, view: str, **constants: int) -> Document:
    """A run of a counter that draws itself so."""
    (folder / "counter.py").write_text(COUNTER + view, encoding="utf-8")
    model = load(folder / "counter.py").bind(constants=constants)
    return run_document(model, run_text(model, "count; count"))


def svg(inside: str = "", attributes: str = "") -> str:
    return f'<svg xmlns="{SVG}" {attributes}>{inside}</svg>'


# --- what is drawn ----------------------------------------------------------------------------------------------------


def test_each_state_is_drawn_by_the_models_own_function_with_its_own_constants(tmp_path: Path):
    view = (
        "def view(s):\n    return f'<svg xmlns=\"http://www.w3.org/2000/svg\"><title>{s.n} of {most}</title></svg>'\n"
    )
    document = counter_run(tmp_path, view, most=7)
    jsonschema.validate(document, read_schema())
    assert [document["frames"][str(at)]["board"]["says"] for at in range(3)] == ["0 of 7", "1 of 7", "2 of 7"]
    assert not document["notes"]


def test_the_terminal_shows_the_fields_and_no_svg():
    text = pictures_page(crossing(), TextFormat()).text()
    assert "svg" not in text
    assert "missionaries[EAST]" in text or "missionaries" in text


@pytest.mark.parametrize(
    ("view", "says"),
    [
        ("def view(s: S) -> str:\n    return 3\n", "of type int"),
        ("def view(s: S) -> str:\n    return s.missing\n", "cannot be evaluated: AttributeError"),
        ("def view(s: S, other: int) -> str:\n    return ''\n", "takes the state alone"),
        ("def view(s: S) -> str:\n    return '<svg/>'\n", "xmlns"),
        ("view = 3\n", "has to be lanes, or a function of the state"),
    ],
)
def test_a_view_that_draws_nothing_says_so_and_the_run_is_shown_without(tmp_path: Path, view: str, says: str):
    document = counter_run(tmp_path, view)
    assert document["view"] is None
    assert says in document["notes"][0]
    model = load(tmp_path / "counter.py").bind()
    made = neighbourhood_document(model, Run(next(initial_states(model)), ()))
    assert all(node["lanes"] is None for node in made["nodes"])


def test_an_action_called_view_draws_nothing(tmp_path: Path):
    document = counter_run(tmp_path, "@action\ndef view(s: S) -> None:\n    require(s.n == 9)\n")
    assert (document["view"], document["notes"]) == (None, [])


DRAWN = """
def view(s):
    cells = "".join(
        f'<rect x="{40 + 14 * at}" y="{20 * row}" width="12" height="16" class="e{entry.epoch}"/>'
        for row, broker in enumerate(Replica) for at, entry in enumerate(s.log[broker])
    )
    names = "".join(
        f'<text x="4" y="{20 * row + 12}" class="up-{s.up[broker]}">{row} {s.high_watermark[broker]}</text>'
        for row, broker in enumerate(Replica)
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 100">{names}{cells}</svg>'
"""


def test_a_long_run_with_its_own_pictures_is_a_page_under_two_megabytes(tmp_path: Path):
    """A thousand pictures, of which most parts are the same, over what the page of the run has without them."""
    text = (ROOT / "tests/fixtures/models/busy_log.py").read_text(encoding="utf-8")
    (tmp_path / "busy.py").write_text(text + DRAWN, encoding="utf-8")
    document = walk(load(tmp_path / "busy.py").bind(), 1000)
    pictures = [frame["board"]["svg"] for frame in document["frames"].values() if frame["board"]]
    assert sum(map(len, pictures)) > 1_000_000
    assert len(trace_html([document]).encode()) < 2_000_000


def test_a_page_puts_its_pictures_together_as_they_were_drawn(browser: Browser, tmp_path: Path):
    document = crossing()
    (tmp_path / "page.html").write_text(trace_html([document, document]), encoding="utf-8")
    for at in range(len(document["steps"]) + 1):
        with open_page(browser, tmp_path / "page.html", f"s={at}") as one:
            source = one.all("img.drawing").first.get_attribute("src") or ""
        drawn = next(
            document["frames"][str(n)]["board"] for n in range(at, -1, -1) if document["frames"][str(n)]["board"]
        )
        assert unquote(source.partition(",")[2]) == drawn["svg"]


# --- what may be in a picture -----------------------------------------------------------------------------------------


def test_shapes_styles_and_addresses_within_the_picture_are_let_through():
    inside = (
        "<title> A  title </title><style>.a { fill: url(#g); }</style><defs><linearGradient id='g'/></defs>"
        "<use href='#g'/><image href='data:image/png;base64,AAAA'/><text style='fill: red'>a &lt; b</text>"
    )
    assert check_svg(svg(inside)) == "A title"


@pytest.mark.parametrize(
    "text",
    [
        svg("<script>alert(1)</script>"),
        svg(attributes='onload="alert(1)"'),
        svg("<g ONCLICK='alert(1)'/>"),
        svg("<foreignObject/>"),
        svg('<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'),
        svg('<g><h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script></g>'),
        svg("<a href='#x'/>"),
        svg("<use href='https://example.org/x.svg#a'/>"),
        svg("<use xmlns:x='http://www.w3.org/1999/xlink' x:href='other.svg#a'/>"),
        svg("<image href='data:image/svg+xml,&lt;svg/&gt;'/>"),
        svg("<image href=' javascript:alert(1)'/>"),
        svg("<style>@import 'https://example.org/x.css';</style>"),
        svg("<style>@im<!-- -->port 'x.css';</style>"),
        svg("<style>.a { fill: u\\72l(https://example.org); }</style>"),
        svg("<rect style='fill: url( https://example.org/x)'/>"),
        svg("<rect fill='url(//example.org/x#y)'/>"),
        svg("<set attributeName='href' to='javascript:alert(1)'/>"),
        svg("<animate attributeName='href'/>"),
        svg(attributes='xml:base="https://example.org/"'),
        '<?xml-stylesheet href="https://example.org/x.css"?>' + svg(),
        '<!DOCTYPE svg [<!ENTITY a "aaaa">]>' + svg("<text>&a;</text>"),
        svg("<text>&nbsp;</text>"),
        svg("<g>"),
        "<div/>",
        "",
        svg("a" * MAX_CHARACTERS),
    ],
)
def test_what_would_act_or_reach_outside_is_refused(text: str):
    with pytest.raises(UndrawableError, match="view"):
        check_svg(text)


def test_a_saved_trace_with_a_hostile_picture_is_shown_without_it():
    document = crossing()
    document["frames"]["1"]["board"] = {"svg": svg("<script>alert(1)</script>"), "says": ""}
    text = trace_html([document])
    assert "alert(1)" not in text
    assert "\\u003cscript> may not be in a picture; so it is not drawn" in text


# --- in a browser -----------------------------------------------------------------------------------------------------


def test_the_picture_goes_with_the_steps_and_has_words(browser: Browser, tmp_path: Path):
    path = tmp_path / "page.html"
    path.write_text(trace_html([crossing()]), encoding="utf-8")
    with open_page(browser, path, "s=0") as one:
        image = one.all("img.drawing")
        assert image.get_attribute("alt") == "West: 0M 0C; east: 3M 3C; the boat is in the east."
        one.press("l")
        assert image.get_attribute("alt") == "West: 0M 2C; east: 3M 1C; the boat is in the west."
        assert one.run("(async () => { const i = document.querySelector('img.drawing'); await i.decode();"
                       "return i.naturalWidth; })()") == 560  # fmt: skip
        assert not one.is_visible("#table")
        assert not one.is_visible("#legend")
        one.press("|", "l")
        assert one.count("img.drawing") == 2
        one.press("a")
        assert one.live == "this model has no lanes"


def test_a_branch_is_drawn_as_well(browser: Browser, tmp_path: Path):
    session = Session(load(ROOT / "examples/missionaries.py").bind(), TextFormat())
    session.execute("1")
    path = tmp_path / "page.html"
    path.write_text(session.html(), encoding="utf-8")
    with open_page(browser, path, "s=0") as one:
        one.all("#choices button.step").nth(3).click()
        model = load(ROOT / "examples/missionaries.py").bind()
        branch = run_document(
            model, run_text(model, one.run("document.querySelector('[role=tab][aria-selected=true]').title"))
        )
        assert one.all("img.drawing").get_attribute("alt") == branch["frames"]["1"]["board"]["says"]


def test_in_the_page_a_picture_runs_no_script_and_loads_nothing(browser: Browser, tmp_path: Path):
    """The image alone: what is checked before is left out."""
    asked: list[str] = []

    class Heard(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    server = http.server.HTTPServer(("127.0.0.1", 0), Heard)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    there = f"http://127.0.0.1:{server.server_port}"
    hostile = svg(
        "<script>window.top.stolen = 1; fetch('THERE/fetch')</script><image href='THERE/image' width='9' height='9'/>"
        "<style>@import 'THERE/import'; body, p { display: none !important }</style>"
        "<foreignObject width='9' height='9'><iframe xmlns='http://www.w3.org/1999/xhtml' src='THERE/frame'/>"
        "</foreignObject><rect width='9' height='9' fill='red'/>",
        'onload="window.top.stolen = 1" width="9" height="9"',
    ).replace("THERE", there)
    parts = json.dumps([hostile]).replace("<", "\\u003c")
    text, count = re.subn(r'"parts":\[".*?"\]', lambda _: f'"parts":{parts}', trace_html([crossing()]))
    text = re.sub(r'"svg":\[[0-9,]+\]', '"svg":[0]', text)
    assert count == 1
    path = tmp_path / "page.html"
    path.write_text(text, encoding="utf-8")
    try:
        with open_page(browser, path, "s=0") as one:
            decoded = (
                "(async () => { const i = document.querySelector('img.drawing'); await i.decode(); return i.width; })()"
            )
            assert one.run(decoded) == 9
            assert one.run("window.stolen") is None
            assert one.is_visible("#sentence")
    finally:
        server.shutdown()
        server.server_close()
    assert asked == []
