"""What a page has for long runs and for models without a picture: the table of all states and its CSV, expressions that
are watched, filters, a range of states.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import os
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect
from tidegate.api.models import load
from tidegate.cli.explore_session import Session
from tidegate.cli.explore_web import MAX_WATCHES, ExplorationHTTPServer, ExplorationServer
from tidegate.language.judge import initial_states
from tidegate.language.verdict import Run
from tidegate.reports.text_page import TextFormat
from tidegate.reports.trace.html import trace_html
from tidegate.reports.trace.spreadsheet import to_csv

from ....conftest import Run as Command
from ....support.browser import OpenPage, chromium, open_page
from ....support.html_traces import Document, busy, kip_101

Page = Callable[[Document], Path]


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def saved_page(tmp_path: Path) -> Page:
    def save(document: Document) -> Path:
        path = tmp_path / "page.html"
        path.write_text(trace_html([document]), encoding="utf-8")
        return path

    return save


def lock() -> Session:
    """Two clients of the careless lock, both inside: a model without a picture."""
    session = Session(load("examples/lock.py:careless"), TextFormat())
    for line in ("look(A); look(B); take(A); take(B)", "watch held"):
        session.execute(line)
    return session


def values_in_row(one: OpenPage, at: int) -> list[str]:
    return one.all(f".states tr[data-at='{at}'] td:not(.by)").all_text_contents()


def csv_of(one: OpenPage) -> str:
    """What the page saves as CSV."""
    one.press("e")
    with one.page.expect_download() as begun:
        one.page.get_by_role("button", name="Save all states as CSV").click()
    one.press("Escape")
    return begun.value.path().read_text(encoding="utf-8")


# --- all states as a table --------------------------------------------------------------------------------------------


def test_all_states_are_a_table_whose_changed_cells_are_marked(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(lock().document()), "s=1") as one:
        assert not one.is_visible("#table"), "there is no picture that a table could stand for"
        one.press("v")
        assert one.all(".states thead th").all_text_contents() == ["state", "step", "held", "place[A]", "place[B]"]
        assert values_in_row(one, 3) == ["true", "INSIDE", "AT_THE_DOOR"]
        assert one.all(".states tr[data-at='3'] td.touched").all_text_contents() == ["true", "INSIDE"]
        one.all(".states tr[data-at='4']").click()
        assert one.where == "4 / 4"
        assert one.all(".states tr[aria-current] th").all_text_contents() == ["4"]


@pytest.mark.parametrize("made", [kip_101, lambda: lock().document()], ids=["lanes", "no_lanes"])
def test_the_csv_of_a_page_is_that_of_export(browser: Browser, saved_page: Page, made: Callable[[], Document]) -> None:
    document = made()
    with open_page(browser, saved_page(document), "s=0", accept_downloads=True) as one:
        assert csv_of(one) == to_csv(document)


def test_the_table_of_a_long_run_shows_where_one_is(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(busy(300)), "s=200") as one:
        one.press("v")
        one.press("l")
        row, box = (one.all(part).bounding_box() for part in (".states tr[aria-current]", ".states"))
        assert row is not None and box is not None
        assert box["y"] <= row["y"] and row["y"] + row["height"] <= box["y"] + box["height"] + 1
        assert one.count(".states tbody tr") < 60


# --- for everybody ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing(browser: Browser, saved_page: Page, theme: Literal["light", "dark"], width: int) -> None:
    """With a notice, the table of all states, filters and a range, which other tests look at one by one."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None and not os.environ.get("CI"):
        pytest.skip("axe-playwright-python is not installed; it brings axe")
    assert found is not None and found.submodule_search_locations is not None
    axe = Path(found.submodule_search_locations[0], "axe.min.js").read_text(encoding="utf-8")
    document = busy(60) | {"notes": ["A note that stands above the page"]}
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, bypass_csp=True)
    one = context.new_page()  # whose clock runs: axe waits
    one.goto(f"{saved_page(document).as_uri()}#s=30")
    one.evaluate(axe)
    for keys in ("", "v", "[ll]"):
        for key in keys:
            one.keyboard.press(key)
        violations = one.evaluate("axe.run({ resultTypes: ['violations'] }).then((found) => found.violations)")
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in violations] == []
    context.close()


# --- what is watched --------------------------------------------------------------------------------------------------


def test_what_a_session_watches_is_a_row_of_its_page_and_of_every_branch(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(lock().html(), encoding="utf-8")
    with open_page(browser, path, "s=0") as one:
        assert one.all("#truth .watched .value").all_text_contents() == ["false", "true"]
        one.page.get_by_role("button", name="B looks and finds the lock free.").click()
        one.page.get_by_role("button", name="B takes the lock and goes in.").click()
        assert one.text("#properties .watched") == "held = true"
        assert one.all("#truth .watched .value").all_text_contents() == ["false", "true"]


def test_show_watches_expressions_of_the_language_alone(browser: Browser, tidegate: Command, tmp_path: Path) -> None:
    lock().execute(f"save {tmp_path / 'met'}")
    trace, target = (str(tmp_path / name) for name in ("met.trace.json", "met.html"))
    made = tidegate("show", trace, "--html", target, "--watch", "all(place[c] != place[A] for c in Client)")
    assert made.exit == 0, made.err
    with open_page(browser, Path(target), "s=1", accept_downloads=True) as one:
        rows = list(csv.DictReader(io.StringIO(csv_of(one))))
        assert [row["all(place[c] != place[A] for c in Client)"] for row in rows] == ["false"] * 5
    wrong = tidegate("show", trace, "--html", target, "--watch", "open('x')")
    assert wrong.exit == 64 and "open('x')" in wrong.err
    assert tidegate("show", trace, "--watch", "held").exit == 64


def test_a_served_page_watches_what_one_writes(browser: Browser) -> None:
    model = load("examples/lock.py:careless")
    server = ExplorationHTTPServer(ExplorationServer(model, Run(next(initial_states(model)), ())))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    one = browser.new_page()
    try:
        one.goto(server.address)
        one.fill("#watch", "hold")
        one.press("#watch", "Enter")
        expect(one.locator("#toast")).to_contain_text("hold: ")
        one.fill("#watch", "held")
        one.press("#watch", "Enter")
        expect(one.locator("#properties .watched")).to_have_text("held = false")
        for sentence in ("A looks and finds the lock free.", "A takes the lock and goes in."):
            one.get_by_role("button", name=sentence).click()
            expect(one.locator("#sentence")).to_have_text(sentence)
        expect(one.locator("#properties .watched")).to_have_text("held = true")
    finally:
        one.close()
        server.shutdown()
        server.server_close()


def test_a_server_evaluates_so_many_expressions_and_no_more() -> None:
    model = load("examples/lock.py:careless")
    explored = ExplorationServer(model, Run(next(initial_states(model)), ()))
    for number in range(MAX_WATCHES):
        explored.watch({"expression": f"{number} > 0"})
    assert explored.watch({"expression": "1 > 0"})["watched"]["1 > 0"]["values"][0] == "true"
    with pytest.raises(Exception, match="expressions are watched already"):
        explored.watch({"expression": "held"})


# --- parts of a long run ----------------------------------------------------------------------------------------------


def choose_option(one: OpenPage, name: str, value: str) -> None:
    one.all(f"#{name}").select_option(value)


def test_steps_are_filtered_by_kind_and_by_member(browser: Browser, saved_page: Page) -> None:
    document = busy(120)
    faults = [step["i"] for step in document["steps"] if step["kind"] == "fault"]
    failing = document["property"]["fails"]["step"]
    with open_page(browser, saved_page(document), "s=0") as one:
        choose_option(one, "kind", "fault")
        numbers = [int(text) for text in one.all("#steps .number").all_text_contents()]
        assert numbers == sorted({0, *faults, failing, 120})
        assert one.count(".chart .event") == len(numbers) - 1
        one.press("l")
        assert one.where == f"{min([*faults, failing])} / 120"
        choose_option(one, "member", "B")
        kept = {int(text) for text in one.all("#steps .number").all_text_contents()}
        assert kept < set(numbers) and {0, failing, 120} <= kept
        choose_option(one, "kind", "")
        choose_option(one, "member", "")
        assert one.count("#steps li") == 121


def test_a_range_of_states_is_shown_alone_until_one_leaves_it(browser: Browser, saved_page: Page) -> None:
    with open_page(browser, saved_page(busy(120)), "s=40") as one:
        one.press("[", "l", "l", "l", "]")
        assert one.all("#steps .number").all_text_contents() == ["40", "41", "42", "43"]
        assert one.all(".scrubber .axis").all_text_contents() == ["40", "41", "42", "43"]
        assert one.count(".chart .event") == 4
        one.press("h", "[")
        assert one.text(".strip-name button") == "42–43 of 120: show all"
        one.press("]")
        assert "two states" in one.live
        one.press("End")
        assert one.where == "120 / 120" and one.count("#steps li") == 121
        one.press("Home", "[", "l", "l", "]", "\\")
        assert one.count("#steps li") == 121


@pytest.mark.parametrize("width", [1440, 390])
def test_the_bubble_of_the_step_is_whole_at_both_ends(browser: Browser, saved_page: Page, width: int) -> None:
    with open_page(browser, saved_page(busy(1000)), "s=0", viewport={"width": width, "height": 844}) as one:
        for key in ("g", "G"):
            one.press(key)
            inside = """(() => { const box = (s) => document.querySelector(s).getBoundingClientRect();
                const [knob, words, strip] = [box(".knob"), box(".knob-text"), box(".scrubber")];
                return [strip.left <= knob.left && knob.right <= strip.right, strip.top <= knob.top,
                    knob.left <= words.left && words.right <= knob.right]; })()"""
            assert one.run(inside) == [True, True, True], key
