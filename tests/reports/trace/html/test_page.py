"""The HTML page as text: one file, its policy, what may not be in it, its colours, how large it is."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from tidegate.api.models import load
from tidegate.cli.export import small_graph
from tidegate.language.judge import run_text
from tidegate.reports.trace.html import SCRIPTS, strip_comments, trace_digest, trace_html, window_title
from tidegate.traces.document import read_schema
from tidegate.traces.neighbourhood import neighbourhood_document

from ....conftest import Run
from ....support.html_traces import (
    Document,
    busy,
    counter_document,
    four_gallons,
    group,
    kip_101,
    post,
    step,
    transactions,
)

ASSETS = files("tidegate.reports.trace.html")


class Parts(HTMLParser):
    """The scripts, styles, titles and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: dict[str, list[str]] = {}
        self.attributes: list[tuple[str, str, str]] = []
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        named = dict(attrs)
        self.inside = str(named.get("id") or "program") if tag == "script" else tag

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self.inside, []).append(data)

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def text(self, name: str) -> str:
        """All the text of an element, a script by its id."""
        return "".join(self.texts[name])


def hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize(
    "made_by", [kip_101, four_gallons, post, group, transactions], ids=lambda maker: maker.__name__
)
def test_the_documents_of_these_tests_are_traces(made_by: Document) -> None:
    jsonschema.validate(made_by(), read_schema())  # type: ignore[operator]


def test_the_policy_allows_this_style_and_this_script_and_nothing_else() -> None:
    parts = Parts(trace_html([kip_101()]))
    policy = next(value for tag, _, value in parts.attributes if tag == "meta" and "default-src" in value)
    assert policy == (
        f"default-src 'none'; style-src {hash_of(parts.text('style'))}; script-src {hash_of(parts.text('program'))}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def test_nothing_in_the_page_can_reach_a_network() -> None:
    parts = Parts(trace_html([kip_101()]))
    program = parts.text("program").replace("http://www.w3.org/2000/svg", "")
    for word in ("http:", "https:", "src=", "@import", "url(http", "fetch(", "XMLHttpRequest", "import(", "innerHTML"):
        assert word not in program + parts.text("style"), word
    assert not {name for _, name, _ in parts.attributes} & {"src", "href", "style", "srcset", "onclick", "onload"}


def test_the_trace_stands_in_the_page_as_it_is() -> None:
    document = kip_101()
    assert json.loads(Parts(trace_html([document])).text("trace")) == document


def test_no_text_of_a_model_can_end_the_script_it_stands_in() -> None:
    nasty = "</script><script>alert(1)</script><!-- ∀ é 日本 \u2028"
    document = counter_document([step(1, nasty)], title=nasty, model=nasty, tool=f'"{nasty}')
    text = trace_html([document])
    parts = Parts(text)
    assert json.loads(parts.text("trace")) == document
    assert text.count("<script") == 3 and "<script>alert" not in text
    assert parts.text("title") == nasty


def test_a_witness_is_called_one() -> None:
    assert window_title(four_gallons()) == f"witness for four_gallons ({four_gallons()['model']})"
    assert Parts(trace_html([four_gallons()])).text("title").startswith("witness for four_gallons")
    assert window_title(kip_101()) == "replication:truncate_to_hw: strong_isr fails after 8 steps"


def test_a_page_needs_a_trace() -> None:
    with pytest.raises(ValueError, match="a page needs a trace"):
        trace_html([])


def test_the_page_without_data_is_small_and_its_sources_are_short() -> None:
    empty = counter_document([])
    assert len(trace_html([empty]).encode()) - len(json.dumps(empty)) < 120_000
    lines = {name: ASSETS.joinpath(name).read_text(encoding="utf-8").splitlines() for name in (*SCRIPTS, "style.css")}
    assert {name: len(line) for name in lines for line in lines[name] if len(line) > 120} == {}
    code = [line for name in SCRIPTS for line in lines[name] if not re.match(r"\s*(//|/\*\*|\*|$)", line)]
    assert len(code) <= 2000, "blank lines and comments apart"
    assert len(lines["style.css"]) <= 400


def test_a_page_has_no_comment_and_no_indentation_of_its_sources() -> None:
    source = "// why\nconst a = 1; // stays\n\n/** What\n * it is. */\n  const b = `/** text */`;\n"
    assert strip_comments(source) == "const a = 1; // stays\nconst b = `/** text */`;\n"


def test_no_folder_of_the_machine_that_made_it_is_in_a_page() -> None:
    model = "/srv/secret/mine.py:careless"
    where = {"file": "/srv/secret/mine.py", "line": 3}
    steps = [step | {"where": where} for step in kip_101()["steps"]]
    named = {"model": model, "title": f"{model}: strong_isr fails", "replay": f"tidegate replay {model}"}
    document = kip_101() | named | {"steps": steps}
    text = trace_html([document], around={"replay": f"tidegate replay {model} --steps '@STEPS@'"})
    assert "secret" not in text and "tidegate replay mine.py:careless --steps" in text
    assert Parts(text).text("title") == "mine.py:careless: strong_isr fails"


def test_a_thousand_steps_of_five_replicas_are_under_two_megabytes() -> None:
    assert len(trace_html([busy(1000)]).encode()) < 2_000_000


def test_links_know_their_trace() -> None:
    assert trace_digest(kip_101()) == trace_digest(json.loads(json.dumps(kip_101())))
    assert trace_digest(kip_101()) != trace_digest(post())
    assert re.fullmatch("[0-9a-f]{8}", trace_digest(post()))


# --- colours ----------------------------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    """WCAG's relative luminance of `#rrggbb` or `#rgb`."""
    digits = colour[1:] if len(colour) == 7 else "".join(text * 2 for text in colour[1:])
    shares = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """WCAG's contrast of two colours: 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def palette() -> list[tuple[str, str]]:
    """The colours of epochs 1 to 7 and of no epoch, each with the colour of text on it, as the page has them."""
    text = ASSETS.joinpath("lanes.js").read_text(encoding="utf-8")
    source = text[text.index("const EPOCHS") : text.index("/** An epoch's fill")]
    return [(fill, ink) for fill, ink in re.findall(r'\["(#[0-9A-F]{6})", "(#\w{3})"\]', source)]


def test_text_in_cells_can_be_read() -> None:
    colours = palette()
    assert [fill for fill, _ in colours[:7]] == [
        "#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442", "#0072B2", "#D55E00",
    ]  # fmt: skip
    assert len(colours) == 8
    assert all(contrast(fill, ink) >= 4.5 for fill, ink in colours)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_words_can_be_read_on_every_ground(dark: bool) -> None:
    style = ASSETS.joinpath("style.css").read_text(encoding="utf-8")
    block = style[style.index(':root[data-theme="dark"] {' if dark else ":root {") :]
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block[: block.index("}")]))
    for ground in ("ground", "panel", "raised", "selected"):
        for ink in ("ink", "muted"):
            assert contrast(colours[ground], colours[ink]) >= 4.5, (ground, ink)
    for ground, ink in (("bad-ground", "bad"), ("good-ground", "good"), ("fault-ground", "fault"), ("panel", "accent")):
        assert contrast(colours[ground], colours[ink]) >= 4.5, (ground, ink)


def test_both_ways_to_the_dark_theme_have_the_same_colours() -> None:
    style = ASSETS.joinpath("style.css").read_text(encoding="utf-8")
    asked, chosen = (
        style[style.index(start) :].partition("{")[2].partition("}")[0].replace("color-scheme: dark;", "").split()
        for start in (':root:not([data-theme="light"]) {', ':root[data-theme="dark"] {')
    )
    assert asked == chosen


# --- the command line -------------------------------------------------------------------------------------------------


def test_show_writes_a_page_of_one_trace_or_of_two(tidegate: Run, tmp_path: Path) -> None:
    one, two = tmp_path / "one.trace.json", tmp_path / "two.trace.json"
    one.write_text(json.dumps(kip_101()), encoding="utf-8")
    two.write_text(json.dumps(post()), encoding="utf-8")
    done = tidegate("show", str(one), str(two), "--html", str(tmp_path / "both.html"))
    assert (done.exit, done.out) == (0, "")
    assert done.err == f"saved {tmp_path / 'both.html'}; open it in a browser\n"
    assert (tmp_path / "both.html").read_text(encoding="utf-8") == trace_html([kip_101(), post()])


def test_show_says_where_a_page_cannot_be_written(tidegate: Run, tmp_path: Path) -> None:
    trace = tmp_path / "one.trace.json"
    trace.write_text(json.dumps(post()), encoding="utf-8")
    done = tidegate("show", str(trace), "--html", str(tmp_path / "none" / "page.html"))
    assert done.exit == 64
    assert "none/page.html: cannot be written (No such file or directory); name another file" in done.err


def test_check_writes_the_page_beside_the_trace(tidegate: Run, tmp_path: Path) -> None:
    done = tidegate("check", "examples/die_hard.py", "--out", str(tmp_path))
    assert done.exit == 0
    saved = json.loads((tmp_path / "four_gallons.trace.json").read_text(encoding="utf-8"))
    model = load("examples/die_hard.py")
    run = run_text(model, saved["replay"].partition('--steps "')[2].partition('"')[0])
    states, graph = neighbourhood_document(model, run), small_graph(model, run)
    assert states["complete"] and len(states["nodes"]) == 16
    assert (tmp_path / "four_gallons.html").read_text(encoding="utf-8") == trace_html(
        [saved], around=states, graph=graph
    )
    assert "1 traces" not in done.err and "four_gallons.html" not in done.out
