"""The pages that lead to others, `index.html` of an audit and of a check: their links lead somewhere, what fails has
its scenario, and what comes from files stands there as text."""

from __future__ import annotations

import re
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tidegate.reports.index import sentence_html

from ...conftest import Run
from ...support.browser import chromium, open_page
from ...support.index_pages import CLUSTERS, OLD


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with chromium() as started:
        yield started


def test_what_stands_in_backticks_is_code() -> None:
    assert sentence_html("`a<b` is, and c`d is not") == "<code>a&lt;b</code> is, and c`d is not"


def test_the_page_is_opened_in_the_browser_that_is_set(
    tidegate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    script = tmp_path / "browser"
    script.write_text(f"#!{sys.executable}\nimport sys\nopen({str(seen)!r}, 'w').write(sys.argv[1])\n")
    script.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{script} %s")
    no_time = ("--time", "0.001")  # and so no page but the one that is opened
    tidegate("audit", str(CLUSTERS / "acks-1"), *OLD, *no_time, "--out", str(tmp_path / "out"), "--open")
    assert seen.read_text() == (tmp_path / "out" / "index.html").as_uri()
    done = tidegate("audit", str(CLUSTERS / "acks-1"), "--open")
    assert (done.exit, "--open shows the page that --out writes" in done.err) == (64, True)


@pytest.mark.long
def test_in_chromium_it_asks_for_nothing_and_a_failing_cell_leads_to_its_page(
    tidegate: Run, browser: Browser, tmp_path: Path
) -> None:
    tidegate("audit", str(CLUSTERS / "acks-1"), *OLD, "--out", str(tmp_path / "out"))
    with open_page(browser, tmp_path / "out" / "index.html", at="h1") as one:
        wide = one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        link = one.page.locator("td.bad a").first.get_attribute("href")
    assert (wide, link is not None) == (True, True)
    with open_page(browser, tmp_path / "out" / str(link), "s=1") as scenario:
        assert "lost" in scenario.page.title() or "orders" in scenario.page.title()
        offered = scenario.page.locator("#choices li:not(.taken) button.step").first
        sentence = offered.inner_text()
        offered.click()
        assert (scenario.text("#sentence"), scenario.text("#model")) == (
            sentence, "What else could happen after step 1"
        )  # fmt: skip
        assert not re.search(r"broker \d", scenario.text("#facts dd:nth-of-type(8)"))
