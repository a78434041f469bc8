"""The state graph of a small model in the page of a trace: what of it is the run, and where choosing a state leads."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Generator
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser
from tidegate.reports.trace.compact import compact_layers

from ....conftest import Run as Command
from ....support.browser import chromium, open_page

if not os.environ.get("CI"):
    pytest.importorskip("fast_sugiyama")  # in CI, which installs it, it must be there
LOCK = "examples/lock.py:careless"


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with chromium() as made:
        yield made


@pytest.fixture
def trace(tidegate: Command, tmp_path: Path) -> Path:
    assert tidegate("check", LOCK, "--out", str(tmp_path)).exit == 1
    return tmp_path / "one_inside.trace.json"


def test_a_state_of_the_run_leads_to_its_step_by_mouse_and_by_key(
    tidegate: Command, trace: Path, browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "graph.html"
    assert tidegate("show", str(trace), "--html", str(path), "--graph").exit == 0
    with open_page(browser, path, "s=0") as one:
        assert one.count("#graph .node") == 13
        assert one.count("#graph [data-steps]") == 5
        assert one.all("#graph .here").get_attribute("data-steps") == "0"
        one.all('#graph [data-steps="3"]').click()
        assert one.where == "3 / 4"
        assert one.all("#graph .here").get_attribute("data-steps") == "3"
        one.all('#graph [data-steps="2"]').focus()
        one.press("Enter")
        assert one.where == "2 / 4"
        one.press("x")
        assert one.all("#graph .here").get_attribute("data-steps") == "4"
        label = one.all("#graph .here").get_attribute("aria-label") or ""
        assert label.startswith("state 4 of the run: ")


def test_a_small_models_graph_is_in_the_page_unasked_and_is_made_larger_and_smaller(
    trace: Path, browser: Browser
) -> None:
    """All of it stands within its frame, whose width it keeps to."""
    with open_page(browser, trace.with_name("one_inside.html"), "s=0") as one:
        assert one.count("#graph .node") == 13
        drawn = one.all("#graph .scrolled svg")
        _, _, width, height = (float(length) for length in (drawn.get_attribute("viewBox") or "").split())
        assert width < 1_000
        for path in one.all("#graph .edge path").all():
            points = [float(number) for number in re.findall(r"[\d.]+", path.get_attribute("d") or "")]
            assert max(points[::2]) <= width and max(points[1::2]) <= height
        at_first = float(drawn.get_attribute("width") or 0)
        assert at_first <= one.all("#graph .scrolled").evaluate("(frame) => frame.clientWidth")
        one.all("#larger").click()
        assert float(drawn.get_attribute("width") or 0) > at_first
        one.all("#whole").click()
        frame = one.all("#graph .scrolled")
        assert frame.evaluate("(frame) => frame.scrollHeight <= frame.clientHeight + 1")


def test_a_larger_models_graph_is_drawn_only_on_request(tidegate: Command, tmp_path: Path) -> None:
    assert tidegate("check", "replication:truncate_to_hw", "--out", str(tmp_path)).exit == 1
    assert all('id="graph"' not in page.read_text(encoding="utf-8") for page in tmp_path.glob("*.html"))


def test_boxes_of_a_layer_keep_their_room_and_their_order() -> None:
    """Each near the mean of what it is joined to: a child below two parents between them, a chain upright."""
    layers, beside = [[0, 1], [2], [3, 4, 5]], {0: [2], 1: [2], 2: [0, 1, 4], 3: [], 4: [2], 5: []}
    widths = {0: 50.0, 1: 30.0, 2: 40.0, 3: 10.0, 4: 60.0, 5: 10.0}
    middles = compact_layers(layers, beside, widths)
    for layer in layers:
        for one, other in pairwise(layer):
            assert middles[other] - middles[one] >= (widths[one] + widths[other]) / 2 - 1e-6
    assert middles[0] < middles[2] < middles[1] and abs(middles[2] - middles[4]) < 1
    assert min(middles[node] - widths[node] / 2 for node in middles) == 0


def test_a_merged_state_leads_to_each_of_its_steps_in_turn(
    tidegate: Command, trace: Path, browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "graph.html"
    assert tidegate("show", str(trace), "--html", str(path), "--graph", "held").exit == 0
    with open_page(browser, path, "s=0") as one:
        assert one.count("#graph .node") == 2
        free = one.all('#graph [data-steps^="0 "]')
        reached: list[str] = []
        for _ in range(3):
            free.focus()
            one.press("Enter")
            reached.append(one.where[0])
        assert reached == ["1", "2", "0"]


def test_a_graph_that_is_too_large_or_of_no_page_is_refused(tidegate: Command, tmp_path: Path) -> None:
    out = tmp_path / "out"
    tidegate("check", "replication:truncate_to_hw", "--out", str(out))
    trace = next(out.glob("*.trace.json"))
    refused = tidegate("show", str(trace), "--html", str(tmp_path / "page.html"), "--graph")
    assert refused.exit == 64
    assert "more than 300 states; merge states with --graph EXPRESSIONS" in refused.err
    assert not (tmp_path / "page.html").exists()
    assert "--graph is for --html FILE" in tidegate("show", str(trace), "--graph").err


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_in_a_graph_or_a_models_own_picture(
    tidegate: Command, browser: Browser, tmp_path: Path, theme: Literal["light", "dark"], width: int
) -> None:
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None and not os.environ.get("CI"):
        pytest.skip("axe-playwright-python is not installed; it brings axe")
    assert found is not None and found.submodule_search_locations is not None
    assert tidegate("check", "examples/missionaries.py", "--out", str(tmp_path)).exit == 0
    trace, path = tmp_path / "everyone_is_across.trace.json", tmp_path / "graph.html"
    assert tidegate("show", str(trace), "--html", str(path), "--graph").exit == 0
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, bypass_csp=True)
    one = context.new_page()  # whose clock runs: axe waits
    one.goto(path.as_uri())
    one.evaluate(Path(found.submodule_search_locations[0], "axe.min.js").read_text(encoding="utf-8"))
    violations = one.evaluate("axe.run({ resultTypes: ['violations'] }).then((found) => found.violations)")
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in violations] == []
    context.close()
